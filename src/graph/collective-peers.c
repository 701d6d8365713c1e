/* The members to which a member of a collective sends, for hosts that set up connections before the
 * collective runs (collective.h). */

#include "graph/collective.h"

struct visitor {
    coll_visit_peer *visit;
    void *arg;
};

static void
visit_stream(const struct coll_view *v, uint32_t stream, const struct visitor *to)
{
    struct coll_item item = { 0 };

    for (uint32_t k = 0; v->algorithm->item(v, stream, k, &item); k++) {
        if (coll_data_bytes(v, item.data) || v->op == COLL_BARRIER) {
            to->visit(to->arg, v->peer + item.peer * v->stride);
            if (v->algorithm->has_fixed_peers) {
                return;
            }
        }
        item = (struct coll_item){ 0 };
    }
}

void
coll_each_peer(const struct coll_params *params, uint32_t me, uint32_t channel,
               coll_visit_peer *visit, void *arg)
{
    const struct visitor to = { visit, arg };
    struct coll_params p = *params;
    uint32_t n_phases = p.algorithm->n_phases ? p.algorithm->n_phases(p.op) : 1;

    p.chunk_bytes = 0; /* Pieces of a message have the same receiver. */
    for (uint32_t phase = 0; phase < n_phases; phase++) {
        const struct coll_view v = coll_view_of(&p, me, channel, phase);
        uint32_t first = v.algorithm->n_receiving;
        for (uint32_t i = 0; i < v.algorithm->n_sending; i++) {
            visit_stream(&v, first + i, &to);
        }
    }
}

/* Ports, roots and reasons as text. */

#include "report/flow-waits.h"

static const char *
node_of(const struct rep_names *n, const struct rec_port *port)
{
    const struct rec_node *node = port ? rec_row_at(n->nodes, REC_NODE, port->node) : NULL;

    return node ? node->name : "?";
}

void
rep_add_port(struct weir_text *t, const struct rep_names *n, uint32_t port, uint32_t cls)
{
    const struct rec_port *from = rec_row_at(n->ports, REC_PORT, port);

    weir_text_add(t, "%s to %s", node_of(n, from),
                  node_of(n, from ? rec_row_at(n->ports, REC_PORT, from->peer) : NULL));
    if (n->n_classes > 1) {
        weir_text_add(t, " in class %u", (uint64_t)cls);
    }
}

void
rep_add_root(struct weir_text *t, const struct rep_names *n, const struct why_root *r)
{
    weir_text_add(t, "%s", r->end == WHY_RING ? "the ring " : "");
    for (uint32_t i = 0; i < r->n_ports; i++) {
        weir_text_add(t, "%s", i ? ", " : "");
        rep_add_port(t, n, r->ports[i], r->cls);
    }
}

void
rep_add_reason(struct weir_text *t, const struct rep_names *n, const struct rep_flow_waits *s,
               const struct rep_blocked_flow *f)
{
    const struct rep_reason *r = &f->reason;

    if (r->port == REC_NO_ID) {
        return;
    }
    weir_text_add(t, "%s at ", rep_waits[r->what].words);
    rep_add_port(t, n, r->port, r->cls);
    if (r->root != WHY_NONE) {
        weir_text_add(t, ", because of ");
        rep_add_root(t, n, &s->why->roots[r->root]);
    }
}

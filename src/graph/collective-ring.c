/* Ring: every member receives from the previous member and sends to the next one.
 *
 *     0 --> 1 --> 2 --> 3         all-reduce, n = 4: shares that member 0 sends
 *     ^                 |         step      0  1  2 | 3  4  5
 *     +-----------------+         share     3  2  1 | 0  3  2
 *                                           partial | complete
 *
 * Reduce-scatter takes n - 1 steps.  In step t, member i sends share i - 1 - t (modulo n), which is
 * the sum over t + 1 members.  In the end member i has the sum of share i.  In an all-gather,
 * complete shares go around the ring in n - 1 steps.  All-reduce is a reduce-scatter and then an
 * all-gather.  Broadcast is a chain from the root.  A barrier takes n - 1 steps with messages of 0
 * bytes.  The pieces of a share circulate one after the other.
 *
 * Time on an empty network, without pieces: all-reduce 2 (n - 1) D(S / n), all-gather and
 * reduce-scatter (n - 1) D(S / n).  D(m) is the time of one message of m bytes, and W(m) its time
 * on a link.  Broadcast in P equal pieces of c bytes: (n - 1) D(c) + (P - 1) W(c).
 *
 * Bytes: each member sends 2 (n - 1) / n S in an all-reduce, and (n - 1) / n S in an all-gather or
 * reduce-scatter. */

#include "graph/collective.h"

enum { FROM_PREVIOUS, TO_NEXT };

/* Members are counted from the root of a broadcast. */
static uint32_t
place_of(const struct coll_view *v)
{
    return (v->me + v->n - v->root) % v->n;
}

static uint64_t
n_steps(const struct coll_view *v, uint32_t stream)
{
    if (v->op == COLL_BROADCAST) {
        return stream == TO_NEXT ? place_of(v) != v->n - 1 : place_of(v) != 0;
    }
    return (v->op == COLL_ALL_REDUCE ? 2 : 1) * (uint64_t)(v->n - 1);
}

static uint64_t
n_items(const struct coll_view *v, uint32_t stream)
{
    return n_steps(v, stream) * coll_share_pieces(v);
}

/* The share that a member sends in a step; all-gather begins with step n - 1 of all-reduce. */
static uint32_t
share_of(const struct coll_view *v, uint32_t member, uint32_t step)
{
    return (member + 2 * v->n - 1 - step) % v->n;
}

static bool
describe(const struct coll_view *v, uint32_t stream, uint32_t k, struct coll_item *item)
{
    uint32_t pieces = coll_share_pieces(v), previous = (v->me + v->n - 1) % v->n;
    uint32_t step = k / pieces + (v->op == COLL_ALL_GATHER ? v->n - 1 : 0);
    uint32_t sender = stream == TO_NEXT ? v->me : previous;
    uint32_t share = v->op == COLL_BROADCAST ? 0 : share_of(v, sender, step);

    if (k >= n_items(v, stream)) {
        return false;
    }
    item->peer = stream == TO_NEXT ? (v->me + 1) % v->n : previous;
    item->tag = k;
    item->adds = step < v->n - 1 && v->op != COLL_BROADCAST;
    item->data = (struct coll_data){ share, 1, 1, k % pieces, pieces };
    if (stream == TO_NEXT && v->op == COLL_BROADCAST) {
        item->waits[0] = (struct coll_wait){ FROM_PREVIOUS, place_of(v) ? k + 1 : 0 };
    } else if (stream == TO_NEXT && k >= pieces) {
        item->waits[0] = (struct coll_wait){ FROM_PREVIOUS, k - pieces + 1 };
    }
    return true;
}

static uint64_t
n_tags(const struct coll_view *v)
{
    return 2 * (uint64_t)v->n * coll_share_pieces(v);
}

static uint32_t
shares(enum coll_op op, uint32_t n)
{
    return op == COLL_BROADCAST ? 1 : n;
}

const struct coll_algorithm coll_ring = {
    .about = { .name = "ring",
               .title = "Each member receives from the previous one and sends to the next one",
               .source = "Patarasuk and Yuan 2009, Bandwidth optimal all-reduce algorithms" },
    .ops = 1 << COLL_ALL_REDUCE | 1 << COLL_ALL_GATHER | 1 << COLL_REDUCE_SCATTER |
           1 << COLL_BROADCAST | 1 << COLL_BARRIER,
    .n_receiving = 1,
    .n_sending = 1,
    .has_fixed_peers = true,
    .shares = shares,
    .item = describe,
    .n_tags = n_tags,
};

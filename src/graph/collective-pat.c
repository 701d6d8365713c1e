/* PAT, parallel aggregated trees: each share has a binomial tree with its owner as the root, and
 * messages carry the shares of up to A trees.
 *
 *     distance from the root          0             n = 8: all-gather sends share q from member q,
 *                               ____/ | \           at distance 0, to q - 4, q - 2 and q - 1, and
 *                              4      2  1          so on.  All members do so at the same time: a
 *                             / \     |             message from distance 4 to distance 6 goes from
 *                            6   5    3             i to i - 2 and carries share i + 4.
 *                            |
 *                            7
 *
 * N is the smallest power of 2 that is at least n; distances from n on do not exist.  A is the
 * largest power of 2, up to N / 2, for which A shares fit into a chunk; 1 if a share does not fit.
 * A share that does not fit is sent in pieces, and each piece goes through all trees before the
 * next one.
 *
 * All-gather first uses the distances N / 2, N / 4, ... down to 2 N / A, with messages of 1, 2,
 * ..., A / 2 shares.  Then N / A - 1 messages of up to A shares follow, one for each node of a tree
 * of N / A nodes.  A node comes before its children, and the farthest child comes first, which
 * bounds the data that a member must keep.  Reduce-scatter goes the other way: all nodes in
 * descending order, then the distances N / A, ..., N / 2.
 *
 * Deviates: NCCL may aggregate over several slots of its buffer; here a chunk is one message.
 *
 * Time on an empty network, n = 2^k, without pieces: D(S / n) + D(2 S / n) + ... + D(S / 2), for
 * A = N / 2.  For A = 1 and a window of 1 it is a recursion: a message starts when the one before
 * has left and its own data has arrived, and arrives D(S / n) later.
 *
 * Bytes: each member sends (n - 1) / n S. */

#include "graph/collective.h"

enum { FROM_OTHERS, TO_OTHERS };

struct plan {
    uint32_t n2;     /* N. */
    uint32_t a;      /* A. */
    uint32_t nodes;  /* N / A: of the small tree. */
    uint32_t far;    /* Number of messages of the far distances: log2 A. */
    uint32_t pieces; /* A share has so many. */
};

static uint32_t
steps_of(const struct plan *plan)
{
    return plan->far + plan->nodes - 1;
}

static struct plan
plan_of(const struct coll_view *v)
{
    struct plan plan = { .n2 = 1, .a = 1 };
    uint64_t share = coll_data_bytes(v, (struct coll_data){ .count = 1 });

    while (plan.n2 < v->n) {
        plan.n2 *= 2;
    }
    while (plan.a < plan.n2 / 2 && (!v->chunk_bytes || 2 * plan.a * share <= v->chunk_bytes)) {
        plan.a *= 2;
        plan.far++;
    }
    plan.nodes = plan.n2 / plan.a;
    plan.pieces = plan.a == 1 ? coll_share_pieces(v) : 1;
    return plan;
}

static uint32_t
low_bit(uint32_t node)
{
    return node & (~node + 1);
}

/* The node at a position of the order in which a node comes before its children, the farthest child
 * first; the root 0 is at 0. */
static uint32_t
node_at(uint32_t position, uint32_t n_nodes)
{
    uint32_t node = 0, child = n_nodes / 2;

    for (; position; child /= 2) {
        if (position <= child) { /* It is in the tree of this child, which has 'child' nodes. */
            node |= child;
            position--;
        } else {
            position -= child;
        }
    }
    return node;
}

static uint32_t
position_of(uint32_t node, uint32_t n_nodes)
{
    uint32_t position = 0;

    for (uint32_t child = n_nodes / 2; child && node & (2 * child - 1); child /= 2) {
        position += node & child ? 1 : child;
    }
    return position;
}

/* A step of a tree: a message from 'node', or to it, over the distance 'hop', for the nodes node,
 * node + stride, ... that exist.  'waits': the number of steps whose messages must have arrived. */
struct step {
    uint32_t node, hop, stride, waits;
};

/* All-gather: a node receives from its parent, and 'node' is the receiver. */
static struct step
gather_step(const struct plan *plan, uint32_t i)
{
    struct step step = { .stride = plan->nodes };

    if (i < plan->far) {
        uint32_t distance = plan->n2 >> (i + 1);
        return (struct step){ distance, distance, 2 * distance, i };
    }
    step.node = node_at(i - plan->far + 1, plan->nodes);
    step.hop = low_bit(step.node);
    step.waits = plan->far + position_of(step.node - step.hop, plan->nodes);
    return step;
}

/* Reduce-scatter: a node sends to its parent, and 'node' is the sender. */
static struct step
scatter_step(const struct plan *plan, uint32_t i)
{
    uint32_t node = plan->nodes - 1 - i;

    if (i >= plan->nodes - 1) {
        uint32_t distance = plan->nodes << (i - plan->nodes + 1);
        return (struct step){ distance, distance, 2 * distance, i };
    }
    return (struct step){ node, low_bit(node), plan->nodes, node % 2 ? 0 : i };
}

static bool
describe(const struct coll_view *v, uint32_t stream, uint32_t k, struct coll_item *item)
{
    const struct plan plan = plan_of(v);
    uint32_t n_steps = steps_of(&plan), piece = n_steps ? k / n_steps : plan.pieces;
    uint32_t i = k - piece * n_steps;
    bool gathers = v->op == COLL_ALL_GATHER, sends = stream == TO_OTHERS;
    bool is_parent = gathers == sends; /* The parent of the node, which has the higher index. */

    if (piece >= plan.pieces) {
        return false;
    }
    const struct step step = gathers ? gather_step(&plan, i) : scatter_step(&plan, i);
    uint32_t first = v->me + step.node - (is_parent ? step.hop : 0);
    uint32_t count = v->n > step.node ? (v->n - step.node + step.stride - 1) / step.stride : 0;

    item->peer = (v->me + (is_parent ? v->n - step.hop : step.hop)) % v->n;
    item->tag = k;
    item->adds = !gathers;
    item->data = (struct coll_data){ first % v->n, count, step.stride, piece, plan.pieces };
    if (sends && step.waits) {
        item->waits[0] = (struct coll_wait){ FROM_OTHERS, k - i + step.waits };
    }
    return true;
}

static uint64_t
n_tags(const struct coll_view *v)
{
    const struct plan plan = plan_of(v);

    return (uint64_t)steps_of(&plan) * plan.pieces + 1;
}

const struct coll_algorithm coll_pat = {
    .about = { .name = "pat",
               .title = "Parallel aggregated trees: a binomial tree for each share; messages carry "
                        "shares of several trees",
               .source = "Jeaugey 2025, PAT, arXiv:2506.20252; NCCL, collectives.h" },
    .ops = 1 << COLL_ALL_GATHER | 1 << COLL_REDUCE_SCATTER,
    .n_receiving = 1,
    .n_sending = 1,
    .item = describe,
    .n_tags = n_tags,
};

/* Double binary tree: two trees, each of which carries half of the bytes.  A member that has
 * children in one tree is a leaf in the other one, so that all members send and receive.
 *
 *     0-------4                       3-------7         n = 8: the second tree is the first one
 *          __/ \__                 __/ \__              mirrored; for an odd n it is shifted by
 *         2       6               1       5             one
 *        / \     / \             / \     / \
 *       1   3   5   7           0   2   4   6
 *
 * All-reduce: sums go up to the root of each tree (0 and 7), and come back down.  The trees are
 * those of NCCL.  Broadcast: the root of the broadcast is above both trees, and the others are
 * their nodes.  Barrier: messages of 0 bytes go up and down the first tree.  Pieces follow each
 * other up and down.
 *
 * Time on an empty network, n = 2^k, one piece of whole packets: all-reduce 2 k D(S / 2) + 2 (k -
 * 1) W(S / 2), broadcast k (D(S / 2) + W(S / 2)).  A link carries the messages from two children,
 * or to two children, one after the other; only the topmost node of an all-reduce has one child.
 * The path must be so long that messages of different levels do not meet.  With many pieces, an
 * all-reduce takes little more than 2 W(S).
 *
 * Bytes: the members send 2 (n - 1) S together in an all-reduce, each of them at most 2 S; in a
 * broadcast (n - 1) S, each at most S. */

#include "graph/collective.h"

enum { PARENT, LEFT, RIGHT, N_ROLES };
enum { N_TREES = 2, N_RECEIVING = N_TREES * N_ROLES };

#define NOBODY UINT32_MAX

/* Places in a tree of n nodes: 0 is the root, whose only child is the largest power of 2.  The
 * lowest bit of any other place is the height of its node. */

static uint32_t
low_bit(uint32_t place)
{
    return place & (~place + 1);
}

static uint32_t
parent_of(uint32_t place, uint32_t n)
{
    uint32_t bit = low_bit(place), up = (place ^ bit) | bit << 1;

    if (!place) {
        return NOBODY;
    }
    return up < n ? up : place ^ bit;
}

static uint32_t
right_of(uint32_t place, uint32_t n)
{
    uint32_t bit = place ? low_bit(place) : 1u << 31;

    do {
        bit >>= 1;
    } while (bit && place + bit >= n);
    return bit ? place + bit : NOBODY;
}

static uint32_t
left_of(uint32_t place)
{
    return place && !(place & 1) ? place - (low_bit(place) >> 1) : NOBODY;
}

/* The place of a member in a tree, and the member at a place. */

static uint32_t
place_in_broadcast(const struct coll_view *v, uint32_t tree, uint32_t member)
{
    uint32_t place = (member + v->n - v->root) % v->n;

    if (!tree || !place) {
        return place;
    }
    if (v->n & 1) { /* An even number of others. */
        return v->n - place;
    }
    return place == 1 ? v->n - 1 : place - 1;
}

static uint32_t
member_in_broadcast(const struct coll_view *v, uint32_t tree, uint32_t place)
{
    if (tree && place) {
        place = v->n & 1 ? v->n - place : place % (v->n - 1) + 1;
    }
    return (place + v->root) % v->n;
}

static uint32_t
place_of(const struct coll_view *v, uint32_t tree, uint32_t member)
{
    if (v->op == COLL_BROADCAST) {
        return place_in_broadcast(v, tree, member);
    }
    if (!tree) {
        return member;
    }
    return v->n & 1 ? (member + v->n - 1) % v->n : v->n - 1 - member;
}

static uint32_t
member_at(const struct coll_view *v, uint32_t tree, uint32_t place)
{
    if (v->op == COLL_BROADCAST) {
        return member_in_broadcast(v, tree, place);
    }
    if (!tree) {
        return place;
    }
    return v->n & 1 ? (place + 1) % v->n : v->n - 1 - place;
}

/* The member that has a role for this one, or NOBODY. */
static uint32_t
neighbour(const struct coll_view *v, uint32_t tree, uint32_t role)
{
    uint32_t place = place_of(v, tree, v->me);
    uint32_t other = role == PARENT ? parent_of(place, v->n)
                     : role == LEFT ? left_of(place)
                                    : right_of(place, v->n);

    return other == NOBODY ? NOBODY : member_at(v, tree, other);
}

static bool
goes_up(uint32_t stream)
{
    return (stream >= N_RECEIVING) == (stream % N_ROLES == PARENT);
}

static uint64_t
n_items(const struct coll_view *v, uint32_t stream)
{
    uint32_t tree = stream / N_ROLES % N_TREES;

    if ((tree && v->op == COLL_BARRIER) || (goes_up(stream) && v->op == COLL_BROADCAST) ||
        neighbour(v, tree, stream % N_ROLES) == NOBODY) {
        return 0;
    }
    return coll_share_pieces(v);
}

/* A message up, or down from the root, waits for both children; any other for the parent. */
static void
wait_for_data(const struct coll_view *v, uint32_t stream, uint32_t items, struct coll_item *item)
{
    uint32_t tree = stream / N_ROLES % N_TREES, first = tree * N_ROLES;

    if (!goes_up(stream) && n_items(v, first + PARENT)) {
        item->waits[0] = (struct coll_wait){ first + PARENT, items };
        return;
    }
    for (uint32_t i = 0; i < COLL_N_WAITS; i++) {
        uint32_t child = first + LEFT + i;
        item->waits[i] = (struct coll_wait){ child, n_items(v, child) ? items : 0 };
    }
}

static bool
describe(const struct coll_view *v, uint32_t stream, uint32_t k, struct coll_item *item)
{
    uint32_t tree = stream / N_ROLES % N_TREES;
    bool up = goes_up(stream);

    if (k >= n_items(v, stream)) {
        return false;
    }
    item->peer = neighbour(v, tree, stream % N_ROLES);
    item->tag = (k * N_TREES + tree) * 2 + up;
    item->adds = up;
    item->data = (struct coll_data){ tree, 1, 1, k, coll_share_pieces(v) };
    if (stream >= N_RECEIVING) {
        wait_for_data(v, stream, k + 1, item);
    }
    return true;
}

static uint64_t
n_tags(const struct coll_view *v)
{
    return 2 * N_TREES * (uint64_t)coll_share_pieces(v);
}

static uint32_t
shares(enum coll_op op, uint32_t n)
{
    (void)op;
    (void)n;
    return N_TREES;
}

const struct coll_algorithm coll_double_binary_tree = {
    .about = { .name = "double-binary-tree",
               .title = "Two trees carry half of the bytes each; the leaves of one are the inner "
                        "nodes of the other",
               .source = "Sanders, Speck and Träff 2009, Two-tree algorithms; NCCL, trees.cc" },
    .ops = 1 << COLL_ALL_REDUCE | 1 << COLL_BROADCAST | 1 << COLL_BARRIER,
    .n_receiving = N_RECEIVING,
    .n_sending = N_RECEIVING,
    .has_fixed_peers = true,
    .shares = shares,
    .item = describe,
    .n_tags = n_tags,
};

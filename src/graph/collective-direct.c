/* Direct: every member exchanges one message with every other member.
 *
 *     time       0    1    2            member r begins with r + 1, so that at any time every
 *     member 0   1    2    3            member receives from one other member
 *     member 1   2    3    0
 *     member 2   3    0    1
 *     member 3   0    1    2
 *
 * In an all-to-all or reduce-scatter, the message to member i is share i.  In an all-gather, each
 * message is the share of its sender.  All-reduce is a reduce-scatter and then an all-gather, which
 * a member begins when it has its complete share.  Broadcast: the root sends to each member.
 * Barrier: messages of 0 bytes.  Send-recv: one message to the next member.
 *
 * Time on an empty network, over L links with delay d, for shares of m = S / n bytes: all-to-all,
 * all-gather and reduce-scatter L d + (n - 1) W(m) + (L - 1) w(min(m, MTU)).  W is the time of a
 * message on a link, and w that of a packet.  All-reduce takes twice that, and send-recv D(S).
 *
 * Bytes: each member sends (n - 1) / n S, or 2 (n - 1) / n S in an all-reduce. */

#include "graph/collective.h"

enum { FROM_OTHERS, TO_OTHERS };

/* Messages to different members that a member sends, or receives. */
static uint64_t
n_messages(const struct coll_view *v, uint32_t stream)
{
    uint32_t others = v->n - 1;

    switch (v->op) {
    case COLL_ALL_REDUCE:
        return 2 * (uint64_t)others;
    case COLL_BROADCAST:
        return v->me == v->root ? (stream == TO_OTHERS ? others : 0) : stream == FROM_OTHERS;
    case COLL_SEND_RECV:
        return others ? 1 : 0;
    default:
        return others;
    }
}

static uint32_t
peer_of(const struct coll_view *v, uint32_t stream, uint32_t message)
{
    uint32_t distance = message % (v->n - 1) + 1;

    if (v->op == COLL_BROADCAST && stream == FROM_OTHERS) {
        return v->root;
    }
    return (v->me + (stream == TO_OTHERS ? distance : v->n - distance)) % v->n;
}

/* The share that a message carries: that of its receiver, its sender, or the only one. */
static uint32_t
share_of(const struct coll_view *v, uint32_t sender, uint32_t receiver, bool gathers)
{
    if (v->op == COLL_BROADCAST || v->op == COLL_SEND_RECV) {
        return 0;
    }
    return gathers ? sender : receiver;
}

static bool
describe(const struct coll_view *v, uint32_t stream, uint32_t k, struct coll_item *item)
{
    uint32_t pieces = coll_share_pieces(v), message = k / pieces, n_first = v->n - 1;
    bool sends = stream == TO_OTHERS, is_second = message >= n_first;
    bool gathers = v->op == COLL_ALL_GATHER || is_second;

    if (message >= n_messages(v, stream)) {
        return false;
    }
    uint32_t peer = peer_of(v, stream, message);
    uint32_t share = share_of(v, sends ? v->me : peer, sends ? peer : v->me, gathers);

    item->peer = peer;
    item->tag = k % pieces + (is_second ? pieces : 0); /* One message per pair and phase. */
    item->adds = v->op == COLL_REDUCE_SCATTER || (v->op == COLL_ALL_REDUCE && !is_second);
    item->data = (struct coll_data){ share, 1, 1, k % pieces, pieces };
    if (sends && is_second) {
        item->waits[0] = (struct coll_wait){ FROM_OTHERS, n_first * pieces };
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
    return op == COLL_BROADCAST || op == COLL_SEND_RECV ? 1 : n;
}

const struct coll_algorithm coll_direct = {
    .about = { .name = "direct",
               .title = "Each member exchanges one message with each other member",
               .source = "NCCL, point-to-point sends and receives in groups" },
    .ops = 1 << COLL_ALL_REDUCE | 1 << COLL_ALL_GATHER | 1 << COLL_REDUCE_SCATTER |
           1 << COLL_ALL_TO_ALL | 1 << COLL_BROADCAST | 1 << COLL_BARRIER | 1 << COLL_SEND_RECV,
    .n_receiving = 1,
    .n_sending = 1,
    .shares = shares,
    .item = describe,
    .n_tags = n_tags,
};

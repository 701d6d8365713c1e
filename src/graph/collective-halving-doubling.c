/* Halving and doubling: pairs exchange halves of their data until each member has the sum of one
 * block; then pairs exchange all that they have, which doubles each time.
 *
 *     n = 4, blocks ABCD        reduce-scatter          all-gather
 *     place 0 sends               CD    B                 A    AB
 *     place 1 sends               CD    A                 B    AB
 *     place 2 sends               AB    D                 C    CD
 *     place 3 sends               AB    C                 D    CD
 *     to place                    ^2    ^1                ^1   ^2
 *
 * Reduce-scatter halves, all-gather doubles, and all-reduce does both.  The place of a member is
 * its index, so that it has its own share.  In an all-reduce the place is the index with reversed
 * bits, so that the largest messages go to neighbours, as in MPICH.
 *
 * A piece is sent as soon as the data of this piece has arrived.  It then shares its link with
 * pieces of the exchange before, which other members wait for.  So small pieces are faster than
 * none, and a few large pieces can be slower.
 *
 * If n is not a power of 2, some pairs of neighbours fold.  Let c be the largest power of 2 below
 * n.  Each of the first n - c pairs has an even and an odd member.  The even member gives its data
 * to the odd one before, and gets the result after.  The odd one works on the shares of both.
 *
 * Barrier: dissemination.  In step k, member i sends a message of 0 bytes to member i + 2^k
 * (modulo n), in ceil(log2 n) steps.
 *
 * Time on an empty network, n = 2^k, without pieces: all-reduce 2 (D(S / 2) + D(S / 4) + ... +
 * D(S / n)), all-gather and reduce-scatter half of it.  An all-reduce of another n takes that of c
 * members and 2 D(S) at least; folds share links with the first exchange.
 *
 * Bytes: if n is a power of 2, each member sends 2 (n - 1) / n S in an all-reduce, and (n - 1) / n
 * S in an all-gather or reduce-scatter. */

#include "graph/collective.h"

enum { FROM_OTHERS, TO_OTHERS };
enum { TAGS_PER_PIECE = 64 };

static uint32_t
log2_below(uint32_t n)
{
    uint32_t k = 0;

    while (n >> k > 1) {
        k++;
    }
    return k;
}

/* The core: members that halve and double. */
struct core {
    uint32_t k, n;      /* Its number of members is n = 2^k. */
    uint32_t folded;    /* Number of pairs that fold. */
    uint32_t place;     /* The place of this member. */
    bool is_out, helps; /* This member is the even one, or the odd one, of such a pair. */
};

static uint32_t
reversed(uint32_t i, uint32_t n_bits)
{
    uint32_t bits = 0;

    for (uint32_t b = 0; b < n_bits; b++) {
        bits |= (i >> b & 1) << (n_bits - 1 - b);
    }
    return bits;
}

/* The place in the core of its i-th member, and the other way round. */
static uint32_t
place_of(const struct coll_view *v, uint32_t i, uint32_t k)
{
    return v->op == COLL_ALL_REDUCE ? reversed(i, k) : i;
}

static struct core
core_of(const struct coll_view *v)
{
    struct core c = { .k = log2_below(v->n) };
    bool folds;

    c.n = 1u << c.k;
    c.folded = v->n - c.n;
    folds = v->me < 2 * c.folded;
    c.is_out = folds && v->me % 2 == 0;
    c.helps = folds && v->me % 2 == 1;
    c.place = place_of(v, folds ? v->me / 2 : v->me - c.folded, c.k);
    return c;
}

static uint32_t
member_at(const struct coll_view *v, const struct core *c, uint32_t place)
{
    uint32_t i = place_of(v, place, c->k);

    return i < c->folded ? 2 * i + 1 : i + c->folded;
}

/* The first share of a block.  All-reduce has a share for each block; else blocks of pairs that
 * fold consist of two shares. */
static uint32_t
first_share(const struct coll_view *v, const struct core *c, uint32_t block)
{
    if (v->op == COLL_ALL_REDUCE) {
        return block;
    }
    return block + (block < c->folded ? block : c->folded);
}

static struct coll_data
blocks(const struct coll_view *v, const struct core *c, uint32_t first, uint32_t count)
{
    uint32_t share = first_share(v, c, first);

    return (struct coll_data){ share, first_share(v, c, first + count) - share, 1, 0, 1 };
}

/* An exchange of a member in one direction; count 0: none.  Stages in order: a fold, k halvings, k
 * doublings, a fold back. */
struct stage {
    uint32_t peer;
    bool adds;
    struct coll_data data;
};

static uint32_t
n_stages(const struct core *c)
{
    return 2 * c->k + 2;
}

static struct stage
fold(const struct coll_view *v, const struct core *c, bool sends)
{
    uint32_t peer = c->is_out ? v->me + 1 : v->me - 1, out = c->is_out ? v->me : peer;
    bool gathers = v->op == COLL_ALL_GATHER;

    if (sends ? !c->is_out : !c->helps) {
        return (struct stage){ 0 };
    }
    return (struct stage){ peer, !gathers,
                           gathers ? (struct coll_data){ out, 1, 1, 0, 1 }
                                   : (struct coll_data){ 0, v->shares, 1, 0, 1 } };
}

static struct stage
fold_back(const struct coll_view *v, const struct core *c, bool sends)
{
    uint32_t peer = c->is_out ? v->me + 1 : v->me - 1, out = c->is_out ? v->me : peer;
    struct stage stage = { .peer = peer };

    if (sends ? !c->helps : !c->is_out) {
        return stage;
    }
    if (v->op == COLL_ALL_REDUCE) {
        stage.data = (struct coll_data){ 0, v->shares, 1, 0, 1 };
    } else if (v->op == COLL_REDUCE_SCATTER) {
        stage.data = (struct coll_data){ out, 1, 1, 0, 1 };
    } else {
        stage.data = (struct coll_data){ out + 1, v->n - 1, 1, 0, 1 };
    }
    return stage;
}

/* In halving a member sends the half with the place of its peer; in doubling it sends all that it
 * has, the part with its own place.  'size' is the number of blocks. */
static struct stage
exchange(const struct coll_view *v, const struct core *c, uint32_t size, bool halves, bool sends)
{
    uint32_t peer = c->place ^ size, place = sends == halves ? peer : c->place;

    return (struct stage){ member_at(v, c, peer), halves, blocks(v, c, place & ~(size - 1), size) };
}

static struct stage
stage_at(const struct coll_view *v, const struct core *c, uint32_t i, bool sends)
{
    bool halves = i <= c->k,
         skips = halves ? v->op == COLL_ALL_GATHER : v->op == COLL_REDUCE_SCATTER;

    if (i == 0) {
        return fold(v, c, sends);
    }
    if (i == n_stages(c) - 1) {
        return fold_back(v, c, sends);
    }
    if (c->is_out || skips) {
        return (struct stage){ 0 };
    }
    return exchange(v, c, halves ? c->n >> i : 1u << (i - c->k - 1), halves, sends);
}

static uint32_t
pieces_of(const struct coll_view *v, const struct stage *stage)
{
    return stage->data.count ? coll_pieces(v, coll_data_bytes(v, stage->data)) : 0;
}

static uint32_t
n_rounds(uint32_t n)
{
    return n > 1 ? log2_below(n - 1) + 1 : 0;
}

/* The number of items that must have been received before the bytes from 'from' to before 'to' can
 * be sent in a stage: up to the last piece that has one of these bytes. */
static uint32_t
items_before(const struct coll_view *v, const struct core *c, uint32_t stage, uint64_t from,
             uint64_t to)
{
    uint32_t items = 0, needed = 0;

    for (uint32_t i = 0; i < stage; i++) {
        const struct stage s = stage_at(v, c, i, false);
        uint32_t pieces = pieces_of(v, &s);
        uint64_t first = coll_share_at(v, s.data.first);
        uint64_t past_end = coll_share_at(v, s.data.first + s.data.count);
        if (pieces && from < past_end && to > first) {
            uint64_t upto = (to < past_end ? to : past_end) - first;
            needed = items + (uint32_t)coll_parts_upto(past_end - first, pieces, upto);
        }
        items += pieces;
    }
    return needed;
}

static void
wait_for_data(const struct coll_view *v, const struct core *c, uint32_t stage,
              struct coll_item *item)
{
    const struct coll_data d = item->data;
    uint64_t bytes = coll_data_bytes(v, d), first = coll_share_at(v, d.first);
    uint64_t from = first + coll_part_at(bytes, d.pieces, d.piece);
    uint64_t to = first + coll_part_at(bytes, d.pieces, d.piece + 1);

    if (d.first + d.count > v->shares) { /* It begins again with the first share. */
        from = 0;
        to = v->bytes;
    }
    item->waits[0] = (struct coll_wait){ FROM_OTHERS, items_before(v, c, stage, from, to) };
}

static bool
disseminate(const struct coll_view *v, uint32_t stream, uint32_t k, struct coll_item *item)
{
    uint32_t distance = 1u << k;

    if (k == n_rounds(v->n)) {
        return false;
    }
    item->peer = (v->me + (stream == TO_OTHERS ? distance : v->n - distance)) % v->n;
    item->tag = k;
    item->data.pieces = 1;
    item->waits[0] = (struct coll_wait){ FROM_OTHERS, stream == TO_OTHERS ? k : 0 };
    return true;
}

static bool
describe(const struct coll_view *v, uint32_t stream, uint32_t k, struct coll_item *item)
{
    const struct core c = core_of(v);
    bool sends = stream == TO_OTHERS;

    if (v->op == COLL_BARRIER) {
        return disseminate(v, stream, k, item);
    }
    for (uint32_t i = 0; i < n_stages(&c); i++) {
        const struct stage stage = stage_at(v, &c, i, sends);
        uint32_t pieces = pieces_of(v, &stage);
        if (k >= pieces) {
            k -= pieces;
            continue;
        }
        item->peer = stage.peer;
        item->tag = k * TAGS_PER_PIECE + i;
        item->adds = stage.adds;
        item->data = stage.data;
        item->data.piece = k;
        item->data.pieces = pieces;
        if (sends) {
            wait_for_data(v, &c, i, item);
        }
        return true;
    }
    return false;
}

static uint64_t
n_tags(const struct coll_view *v)
{
    return TAGS_PER_PIECE * (uint64_t)coll_pieces(v, v->bytes);
}

static uint32_t
shares(enum coll_op op, uint32_t n)
{
    return op == COLL_ALL_REDUCE ? 1u << log2_below(n) : n;
}

const struct coll_algorithm coll_halving_doubling = {
    .about = { .name = "halving-doubling",
               .title = "Pairs exchange halves of their data, then what they have, at distances "
                        "that are powers of 2",
               .source = "Thakur, Rabenseifner and Gropp 2005, Optimization of collective "
                         "communication operations in MPICH" },
    .ops =
        1 << COLL_ALL_REDUCE | 1 << COLL_ALL_GATHER | 1 << COLL_REDUCE_SCATTER | 1 << COLL_BARRIER,
    .n_receiving = 1,
    .n_sending = 1,
    .shares = shares,
    .item = describe,
    .n_tags = n_tags,
};

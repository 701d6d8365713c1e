/* Collectives on an empty network take the time of their closed forms, to the picosecond. */

#include "star.h"

#include "../unit/unit.h"

static const struct star stars[] = {
    { .links = 2,
      .delay_ps = 500000,
      .byte_ps = 80,
      .mtu_bytes = 1000,
      .gap_bytes = 48,
      .min_bytes = 16 },
    { .links = 2,
      .delay_ps = 0,
      .byte_ps = 20,
      .mtu_bytes = 4096,
      .gap_bytes = 86,
      .min_bytes = 1 },
    { .links = 4,
      .delay_ps = 3000000,
      .byte_ps = 10,
      .mtu_bytes = 1500,
      .gap_bytes = 38,
      .min_bytes = 26 },
    { .links = 6, .delay_ps = 1, .byte_ps = 160, .mtu_bytes = 64, .gap_bytes = 20, .min_bytes = 1 },
};

/* Bytes of a share: less than a packet, exactly some packets, and a rest. */
static const uint64_t shares[] = { 1, 700, 4096, 3000, 12345 };
static const uint32_t members[] = { 1, 2, 3, 4, 5, 7, 8, 13, 16, 32 };

static const struct coll_params plain = { .channels = 1, .window = COLL_WINDOW };

static weir_ps
time_of(const struct star *star, const char *algorithm, struct coll_params p)
{
    struct err err;

    p.algorithm = coll_algorithm_find(algorithm);
    if (!coll_check(&p, &err)) {
        fail_msg("%s", err.text);
    }
    return star_run(star, &p);
}

/* Runs an operation with shares of so many bytes. */
static weir_ps
time_of_shares(const struct star *star, const char *algorithm, enum coll_op op, uint32_t n,
               uint64_t share)
{
    struct coll_params p = plain;

    p.op = op;
    p.n = n;
    p.bytes = n * share;
    return time_of(star, algorithm, p);
}

#define EACH_CASE(STAR, N, SHARE)                                                                  \
    for (const struct star *STAR = stars; STAR < stars + N_OF(stars); STAR++)                      \
        for (const uint32_t *N = members; N < members + N_OF(members); N++)                        \
            for (const uint64_t *SHARE = shares; SHARE < shares + N_OF(shares); SHARE++)

static bool
is_power(uint32_t n)
{
    return !(n & (n - 1));
}

static uint32_t
log2_of(uint32_t n)
{
    return n > 1 ? 1 + log2_of(n / 2) : 0;
}

static void
test_ring(void **state)
{
    (void)state;
    EACH_CASE(star, n, share)
    {
        weir_ps gather = (*n - 1) * star_message_ps(star, *share);
        assert_int_equal(time_of_shares(star, "ring", COLL_ALL_REDUCE, *n, *share), 2 * gather);
        assert_int_equal(time_of_shares(star, "ring", COLL_ALL_GATHER, *n, *share), gather);
        assert_int_equal(time_of_shares(star, "ring", COLL_REDUCE_SCATTER, *n, *share), gather);
    }
}

/* The link of a member carries the P pieces of a step one after the other.  A step begins when the
 * first of them has arrived: after the longer of D(c) and P W(c). */
static void
test_ring_pieces(void **state)
{
    (void)state;
    EACH_CASE(star, n, share)
    {
        for (uint32_t pieces = 2; pieces < 6 && *n > 1 && *n < 16; pieces++) {
            struct coll_params p = plain;
            p.op = COLL_ALL_REDUCE;
            p.n = *n;
            p.bytes = *n * *share * pieces;
            p.chunk_bytes = *share;
            weir_ps d = star_message_ps(star, *share), w = star_wire_ps(star, *share);
            weir_ps step = d > pieces * w ? d : pieces * w;
            assert_int_equal(time_of(star, "ring", p), (2 * *n - 3) * step + d + (pieces - 1) * w);
            p.window = 1;
            assert_int_equal(time_of(star, "ring", p), (2 * *n - 3) * step + d + (pieces - 1) * w);
        }
    }
}

static void
test_ring_broadcast(void **state)
{
    (void)state;
    EACH_CASE(star, n, share)
    {
        for (uint32_t pieces = 1; pieces < 20 && *n > 1; pieces += 9) {
            struct coll_params p = plain;
            p.op = COLL_BROADCAST;
            p.n = *n;
            p.root = *n / 2;
            p.bytes = *share * pieces;
            p.chunk_bytes = *share;
            assert_int_equal(time_of(star, "ring", p),
                             (*n - 1) * star_message_ps(star, *share) +
                                 (pieces - 1) * star_wire_ps(star, *share));
        }
    }
}

/* Channels share the link: packets of one packet each follow each other as pieces do. */
static void
test_channels(void **state)
{
    (void)state;
    EACH_CASE(star, n, share)
    {
        if (*share > star->mtu_bytes || *n == 1) {
            continue;
        }
        for (uint32_t channels = 2; channels < 5; channels += 2) {
            struct coll_params p = plain;
            p.op = COLL_ALL_REDUCE;
            p.n = *n;
            p.bytes = *n * *share * channels;
            p.channels = channels;
            weir_ps d = star_message_ps(star, *share), w = star_wire_ps(star, *share);
            weir_ps step = d > channels * w ? d : channels * w;
            assert_int_equal(time_of(star, "ring", p),
                             (2 * *n - 3) * step + d + (channels - 1) * w);
        }
    }
}

static void
test_halving_doubling(void **state)
{
    (void)state;
    EACH_CASE(star, n, share)
    {
        weir_ps sum = 0;
        for (uint32_t blocks = *n / 2; blocks; blocks /= 2) {
            sum += star_message_ps(star, blocks * *share);
        }
        if (is_power(*n)) {
            assert_int_equal(time_of_shares(star, "halving-doubling", COLL_ALL_REDUCE, *n, *share),
                             2 * sum);
            assert_int_equal(time_of_shares(star, "halving-doubling", COLL_ALL_GATHER, *n, *share),
                             sum);
            assert_int_equal(
                time_of_shares(star, "halving-doubling", COLL_REDUCE_SCATTER, *n, *share), sum);
        }
    }
}

/* With small pieces, links are busy nearly all the time: each member sends 2 (n - 1) / n of the
 * bytes. */
static void
test_halving_doubling_pieces(void **state)
{
    struct coll_params p = plain;

    (void)state;
    p.op = COLL_ALL_REDUCE;
    p.bytes = 1024000;
    p.chunk_bytes = stars[0].mtu_bytes;
    for (p.n = 4; p.n <= 32; p.n *= 2) {
        weir_ps links = 2 * (p.n - 1) * star_wire_ps(&stars[0], p.bytes / p.n);
        weir_ps time = time_of(&stars[0], "halving-doubling", p);
        assert_true(time > links && time < links + links / 50);
    }
}

/* Members 0 and 1 fold.  Member 1 has all data for its first sum when the fold and the half of
 * member 2 have passed its link, and sends its half of the sum then. */
static void
test_fold(void **state)
{
    (void)state;
    for (const struct star *star = stars; star < stars + N_OF(stars); star++) {
        struct coll_params p = plain;
        uint64_t half = 3 * star->mtu_bytes;
        p.op = COLL_ALL_REDUCE;
        p.n = 3;
        p.bytes = 2 * half;
        assert_int_equal(time_of(star, "halving-doubling", p), 2 * star_message_ps(star, p.bytes) +
                                                                   2 * star_message_ps(star, half) +
                                                                   star_wire_ps(star, half));
    }
}

static void
test_direct(void **state)
{
    static const uint32_t windows[] = { 1, 2, 8, 64 };

    (void)state;
    EACH_CASE(star, n, share)
    {
        for (size_t i = 0; i < N_OF(windows) && *n > 1; i++) {
            struct coll_params p = plain;
            p.n = *n;
            p.bytes = *n * *share;
            p.window = windows[i];
            weir_ps all = star_message_ps(star, *share) + (*n - 2) * star_wire_ps(star, *share);
            p.op = COLL_ALL_TO_ALL;
            assert_int_equal(time_of(star, "direct", p), all);
            p.op = COLL_ALL_GATHER;
            assert_int_equal(time_of(star, "direct", p), all);
            p.op = COLL_REDUCE_SCATTER;
            assert_int_equal(time_of(star, "direct", p), all);
            p.op = COLL_ALL_REDUCE;
            assert_int_equal(time_of(star, "direct", p), 2 * all);
            p.op = COLL_SEND_RECV;
            assert_int_equal(time_of(star, "direct", p), star_message_ps(star, p.bytes));
        }
    }
}

/* Every member sends the same numbers of shares: at the distance d, one for each other multiple of
 * d below n. */
static void
test_pat(void **state)
{
    (void)state;
    EACH_CASE(star, n, share)
    {
        weir_ps sum = 0;
        for (uint32_t d = 1; d < *n; d *= 2) {
            uint32_t count = 0;
            for (uint32_t node = d; node < *n; node += 2 * d) {
                count++;
            }
            sum += star_message_ps(star, count * *share);
        }
        assert_int_equal(time_of_shares(star, "pat", COLL_ALL_GATHER, *n, *share), sum);
        assert_int_equal(time_of_shares(star, "pat", COLL_REDUCE_SCATTER, *n, *share), sum);
    }
}

/* Visits the nodes of a binomial tree below 'node', which has 'size' nodes, the farthest first, and
 * returns when the last message has left its sender.  'ready_ps': when the data is at the node. */
static weir_ps
visit(uint32_t node, uint32_t size, uint32_t n, weir_ps ready_ps, weir_ps left_ps, weir_ps d,
      weir_ps w)
{
    for (uint32_t hop = size / 2; hop; hop /= 2) {
        if (node + hop < n) {
            weir_ps start_ps = left_ps > ready_ps ? left_ps : ready_ps;
            left_ps = visit(node + hop, hop, n, start_ps + d, start_ps + w, d, w);
        }
    }
    return left_ps;
}

/* Without aggregation and with a window of 1, a message starts when the one before has left, and
 * the data for it has arrived.  All members do the same at the same time, so links have no queues.
 */
static void
test_pat_linear(void **state)
{
    (void)state;
    EACH_CASE(star, n, share)
    {
        weir_ps d = star_message_ps(star, *share), w = star_wire_ps(star, *share);
        struct coll_params p = plain;
        p.op = COLL_ALL_GATHER;
        p.n = *n;
        p.bytes = *n * *share;
        p.chunk_bytes = *share;
        p.window = 1;
        assert_int_equal(time_of(star, "pat", p),
                         *n == 1 ? 0 : visit(0, 64, *n, 0, 0, d, w) - w + d);
    }
}

/* The same for reduce-scatter: nodes in descending order.  An even node waits for its children, the
 * last of which is the node before it. */
static void
test_pat_linear_scatter(void **state)
{
    (void)state;
    EACH_CASE(star, n, share)
    {
        weir_ps d = star_message_ps(star, *share), w = star_wire_ps(star, *share);
        weir_ps left_ps = 0, arrived_ps = 0;
        struct coll_params p = plain;
        p.op = COLL_REDUCE_SCATTER;
        p.n = *n;
        p.bytes = *n * *share;
        p.chunk_bytes = *share;
        p.window = 1;
        for (uint32_t node = *n - 1; node; node--) {
            weir_ps start_ps = node % 2 || left_ps > arrived_ps ? left_ps : arrived_ps;
            left_ps = start_ps + w;
            arrived_ps = start_ps + d;
        }
        assert_int_equal(time_of(star, "pat", p), arrived_ps);
    }
}

/* A path that is so long that the messages of different levels of trees do not meet. */
static const struct star long_star = { .links = 2,
                                       .delay_ps = 1000000000,
                                       .byte_ps = 80,
                                       .mtu_bytes = 1000,
                                       .gap_bytes = 48,
                                       .min_bytes = 16 };

/* Two messages with a rest, to two receivers in turns: the rest of the second one follows its
 * packet before only after the rest of the first one, so that it waits less for this packet. */
static weir_ps
gain_of_turns(const struct star *star, uint64_t bytes)
{
    uint64_t rest = bytes % star->mtu_bytes;
    weir_ps full_ps = star_packet_ps(star, star->mtu_bytes), rest_ps = star_packet_ps(star, rest);

    if (!rest || bytes < star->mtu_bytes) {
        return 0;
    }
    return rest_ps < full_ps - rest_ps ? rest_ps : full_ps - rest_ps;
}

static void
test_tree(void **state)
{
    (void)state;
    for (uint32_t n = 2, k = 1; n <= 128; n *= 2, k++) {
        for (size_t i = 0; i < N_OF(shares); i++) {
            weir_ps d = star_message_ps(&long_star, shares[i]);
            weir_ps w = star_wire_ps(&long_star, shares[i]);
            weir_ps gain = gain_of_turns(&long_star, shares[i]);
            struct coll_params p = plain;
            p.n = n;
            p.bytes = 2 * shares[i];
            p.op = COLL_ALL_REDUCE;
            assert_int_equal(time_of(&long_star, "double-binary-tree", p),
                             2 * k * d + (k - 1) * (2 * w - gain));
            p.op = COLL_BROADCAST;
            p.root = n / 3;
            weir_ps time = time_of(&long_star, "double-binary-tree", p);
            assert_true(time <= k * (d + w) && time >= k * (d + w) - (n > 2 ? k : 0) * gain);
        }
    }
}

/* With many pieces a tree is as fast as its links allow: in one tree, an inner member sends
 * half of the bytes to its parent and to each of two children.  In the other tree it is a leaf, and
 * sends its half once. */
static void
test_tree_pipelines(void **state)
{
    struct coll_params p = plain;

    (void)state;
    p.op = COLL_ALL_REDUCE;
    p.n = 64;
    p.bytes = 16000000;
    p.chunk_bytes = p.bytes / 160;
    weir_ps links = 2 * star_wire_ps(&stars[0], p.bytes);
    weir_ps time = time_of(&stars[0], "double-binary-tree", p);
    assert_true(time > links && time < links + links / 10);
}

static void
test_hierarchical(void **state)
{
    (void)state;
    for (uint32_t server = 1; server <= 8; server++) {
        for (uint32_t n_servers = 1; n_servers <= 5; n_servers++) {
            struct coll_params p = plain;
            uint64_t share = 1700;
            p.op = COLL_ALL_REDUCE;
            p.n = server * n_servers;
            p.bytes = p.n * share;
            p.levels = (struct coll_levels){ server, WEIR_AUTO, WEIR_AUTO };
            assert_int_equal(time_of(&stars[0], "hierarchical", p),
                             2 * (server - 1) * star_message_ps(&stars[0], n_servers * share) +
                                 2 * (n_servers - 1) * star_message_ps(&stars[0], share));
        }
    }
}

/* An empty message takes a packet. */
static void
test_barrier(void **state)
{
    (void)state;
    for (const struct star *star = stars; star < stars + N_OF(stars); star++) {
        for (size_t i = 1; i < N_OF(members); i++) {
            uint32_t n = members[i], rounds = log2_of(n - 1) + (n > 1);
            weir_ps d = star_message_ps(star, 0), w = star_wire_ps(star, 0);
            struct coll_params p = plain;
            p.op = COLL_BARRIER;
            p.n = n;
            assert_int_equal(time_of(star, "ring", p), (n - 1) * d);
            assert_int_equal(time_of(star, "direct", p), d + (n - 2) * w);
            assert_int_equal(time_of(star, "halving-doubling", p), rounds * d);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_ring_pieces),
        cmocka_unit_test(test_ring_broadcast),
        cmocka_unit_test(test_channels),
        cmocka_unit_test(test_halving_doubling),
        cmocka_unit_test(test_direct),
        cmocka_unit_test(test_fold),
        cmocka_unit_test(test_halving_doubling_pieces),
        cmocka_unit_test(test_pat),
        cmocka_unit_test(test_pat_linear),
        cmocka_unit_test(test_pat_linear_scatter),
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_tree_pipelines),
        cmocka_unit_test(test_hierarchical),
        cmocka_unit_test(test_barrier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

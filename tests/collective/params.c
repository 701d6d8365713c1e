/* Parameters of collectives: what is refused and how, bus bandwidth, and the size of the state. */

#include <stdlib.h>

#include "../unit/unit.h"
#include "graph/collective.h"

static struct coll_params
params(const char *algorithm, enum coll_op op, uint32_t n)
{
    return (struct coll_params){ .algorithm = coll_algorithm_find(algorithm),
                                 .op = op,
                                 .n = n,
                                 .channels = 1,
                                 .window = COLL_WINDOW,
                                 .bytes = op == COLL_BARRIER ? 0 : 1000,
                                 .levels = { 4, WEIR_AUTO, WEIR_AUTO } };
}

static void
expect_refusal(struct coll_params p, const char *part)
{
    struct err err;

    assert_false(coll_check(&p, &err));
    assert_says(err.text, part);
}

static void
expect_good(struct coll_params p)
{
    struct err err;

    if (!coll_check(&p, &err)) {
        fail_msg("%s", err.text);
    }
}

static void
test_refusals(void **state)
{
    struct coll_params p = params("ring", COLL_ALL_REDUCE, 8);

    (void)state;
    expect_good(p);
    expect_refusal(params("ring", COLL_ALL_TO_ALL, 8), "algorithm ring has no all-to-all");
    expect_refusal(params("pat", COLL_ALL_REDUCE, 8), "algorithm pat has no all-reduce");
    expect_refusal(params("ring", COLL_ALL_REDUCE, 0), "0 members: give 1 to 1048576");
    p.root = 8;
    expect_refusal(p, "root 8 is not a member: members are 0 to 7");
    p = params("ring", COLL_ALL_REDUCE, 8);
    p.channels = 0;
    expect_refusal(p, "0 channels: give 1 to 1024");
    p.channels = 1;
    p.window = 0;
    expect_refusal(p, "a window of 0 messages: give 1 to");
    p.window = 1;
    p.bytes = COLL_MAX_BYTES + 1;
    expect_refusal(p, "the maximum is 1125899906842624");
    p.bytes = COLL_MAX_BYTES;
    p.chunk_bytes = 1;
    expect_refusal(p, "chunks of 1 bytes: a member would send over 4 billion of them");
    p = params("ring", COLL_BARRIER, 8);
    p.bytes = 1;
    expect_refusal(p, "a barrier moves no data; give no bytes");
}

static uint64_t
number_of(const char *algorithm)
{
    uint64_t i = 0;

    while (coll_algorithm_at(i) != coll_algorithm_find(algorithm)) {
        i++;
    }
    return i;
}

static void
test_hierarchical_refusals(void **state)
{
    struct coll_params p = params("hierarchical", COLL_ALL_REDUCE, 8);

    (void)state;
    expect_good(p);
    expect_good(params("hierarchical", COLL_ALL_TO_ALL, 8)); /* By direct, as ring has none. */
    expect_refusal(params("hierarchical", COLL_ALL_REDUCE, 6), "give a divisor of 6");
    p.levels.server = 0;
    expect_refusal(p, "servers of 0 members");
    p = params("hierarchical", COLL_ALL_REDUCE, 8);
    p.levels.rails = number_of("pat");
    expect_refusal(p,
                   "rails: algorithm pat has no all-reduce, which hierarchical all-reduce needs");
    p.levels.rails = number_of("double-binary-tree");
    expect_good(p);
    p.levels.inside = number_of("double-binary-tree");
    expect_refusal(p, "inside: algorithm double-binary-tree has no reduce-scatter");
    p.levels.inside = number_of("hierarchical");
    expect_refusal(p, "inside: hierarchical is itself hierarchical; give another algorithm");
}

/* As in the file PERFORMANCE.md of NCCL's tests, for 8 ranks. */
static void
test_bus_factor(void **state)
{
    static const struct {
        enum coll_op op;
        uint32_t n;
        double factor;
    } rows[] = {
        { COLL_ALL_REDUCE, 8, 1.75 },  { COLL_ALL_REDUCE, 2, 1 },
        { COLL_ALL_GATHER, 8, 0.875 }, { COLL_REDUCE_SCATTER, 8, 0.875 },
        { COLL_ALL_TO_ALL, 8, 0.875 }, { COLL_BROADCAST, 8, 1 },
        { COLL_SEND_RECV, 8, 1 },      { COLL_ALL_REDUCE, 1, 0 },
    };
    double factor = -1;

    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        assert_true(coll_bus_factor(rows[i].op, rows[i].n, &factor));
        assert_true(factor == rows[i].factor);
    }
    assert_false(coll_bus_factor(COLL_BARRIER, 8, &factor));
}

/* The state does not depend on the number of members or pieces. */
static void
test_state_size(void **state)
{
    (void)state;
    for (uint64_t i = 0; coll_algorithm_at(i); i++) {
        for (enum coll_op op = 0; op < COLL_N_OPS; op++) {
            struct coll_params small = params(coll_algorithm_at(i)->about.name, op, 8), large;
            if (!(coll_algorithm_at(i)->ops >> op & 1)) {
                continue;
            }
            large = small;
            large.n = 8192;
            large.bytes *= 1000000;
            large.chunk_bytes = 4096;
            expect_good(large);
            assert_int_equal(coll_state_bytes(&small), coll_state_bytes(&large));
            assert_true(coll_state_bytes(&small) <= 128);
        }
    }
}

/* Runs one member of a large group, whose receives end in the order in which they are posted. */
static uint64_t
count_sends(const struct coll_params *p, uint32_t me)
{
    struct coll_state *s = malloc(coll_state_bytes(p));
    struct coll_step step;
    uint32_t tokens[64], n = 0;
    uint64_t sends = 0;

    coll_start(p, s, me);
    for (;; memmove(tokens, tokens + 1, --n * sizeof *tokens)) {
        while (coll_next(p, s, &step)) {
            sends += step.kind == COLL_SEND;
            assert_true(n < N_OF(tokens));
            tokens[n++] = step.token;
        }
        if (!n) {
            break;
        }
        coll_ended(p, s, tokens[0]);
    }
    assert_true(coll_is_done(s));
    free(s);
    return sends;
}

static void
test_large_group(void **state)
{
    struct coll_params p = params("ring", COLL_ALL_REDUCE, 8192);

    (void)state;
    p.bytes = 1000000000;
    assert_int_equal(count_sends(&p, 0), 2 * 8191);
    p.chunk_bytes = 32768;
    assert_int_equal(count_sends(&p, 17), 2 * 8191 * 4);
    p.algorithm = coll_algorithm_find("direct");
    p.op = COLL_ALL_TO_ALL;
    p.chunk_bytes = 0;
    assert_int_equal(count_sends(&p, 8191), 8191);
    p.algorithm = coll_algorithm_find("halving-doubling");
    p.op = COLL_ALL_REDUCE;
    assert_int_equal(count_sends(&p, 8191), 26);
    p.algorithm = coll_algorithm_find("pat");
    p.op = COLL_ALL_GATHER;
    assert_int_equal(count_sends(&p, 5), 13);
    p.chunk_bytes = 1000000; /* 8 shares of 122,070 bytes. */
    assert_int_equal(count_sends(&p, 5), 3 + 1023);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),    cmocka_unit_test(test_hierarchical_refusals),
        cmocka_unit_test(test_bus_factor),  cmocka_unit_test(test_state_size),
        cmocka_unit_test(test_large_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

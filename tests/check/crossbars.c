/* Deadlocks of switches with a crossbar, in written scenarios: real deadlocks with their cycles,
 * and cycles of buffers that do not deadlock. */

#include "found.h"

#define CROSSBAR "kind: cioq, buffer: 60KB, egress: 15KB"
#define INNER    ", inner_buffer: 60KB, inner_egress: 15KB"

/* Three switches with two hosts each, in OUTSIDE as separate switches, in FABRIC as the edges of a
 * fabric. In ROUND, flows from all hosts take the same direction around the cycle. */
#define OUTSIDE                                                                                    \
    "topology:\n"                                                                                  \
    "  kind: fabric\n  edges: 3\n  hosts: 2\n  rate: 10Gbps\n  delay: 1us\n"                       \
    "  links: [{ends: [S1, S2], inner: no}, {ends: [S2, S3], inner: no},\n"                        \
    "          {ends: [S3, S1], inner: no}]\n"                                                     \
    "run: {time: 10ms}\n"
#define FABRIC                                                                                     \
    "topology: {kind: fabric, edges: 3, hosts: 2, rate: 10Gbps, delay: 1us}\n"                     \
    "run: {time: 10ms}\n"
#define ROUND                                                                                      \
    "flows: [{from: H1, to: H5, via: [S1, S2, S3]}, {from: H3, to: H1, via: [S2, S3, S1]},\n"      \
    "        {from: H5, to: H3, via: [S3, S1, S2]}, {from: H2, to: H5, via: [S1, S2, S3]},\n"      \
    "        {from: H4, to: H1, via: [S2, S3, S1]}, {from: H6, to: H3, via: [S3, S1, S2]}]\n"

static void
assert_ring_of_three(const char *text)
{
    struct found f = run(text);

    assert_true(f.deadlock.found && f.deadlock.stands);
    assert_int_equal(f.deadlock.n_cycle, 3);
    assert_int_equal(f.deadlock.n_flows, 6);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(f.deadlock.cycle[i].wait, SIM_WAITS_FOR_PACKETS);
    }
    assert_int_equal(f.totals.n_dropped, 0);
    assert_int_equal(f.late_bps, 0);
}

static void
assert_alive(const char *text, bool is_foretold)
{
    struct found f = run(text);

    assert_false(f.deadlock.found);
    assert_int_equal(f.was_foretold, is_foretold);
}

static void
a_ring_deadlocks(void **state)
{
    (void)state;
    assert_ring_of_three(OUTSIDE "switch: {" CROSSBAR "}\n" ROUND);
    assert_ring_of_three(OUTSIDE "switch: {" CROSSBAR ", speedup: 1, transfer: held}\n" ROUND);
    assert_ring_of_three(OUTSIDE "switch: {" CROSSBAR "}\nengine: cbfc\n" ROUND);
}

/* With one host at each switch, an output sends packets of the cycle at half its rate, and no more
 * of them arrive, so there is no deadlock. */
static void
one_that_is_fair_enough_does_not(void **state)
{
    (void)state;
    assert_alive(RING "switch: {" CROSSBAR "}\n", true);
}

/* A small inner queue holds packets for all outputs: a first packet that waits for the cycle blocks
 * packets behind it that could leave. */
static void
so_it_does_by_its_inner_queues(void **state)
{
    (void)state;
    assert_ring_of_three(OUTSIDE "switch: {" CROSSBAR ", inner_buffer: 15KB}\n" ROUND);
    assert_ring_of_three(OUTSIDE "switch: {" CROSSBAR ", inner_buffer: 15KB, order: rr}\n" ROUND);
    assert_ring_of_three(FABRIC "switch: {" CROSSBAR INNER "}\n" ROUND);
    assert_ring_of_three(FABRIC "switch: {" CROSSBAR INNER "}\ninside: cbfc\n" ROUND);
}

/* In the second run the inner queue is larger than the input, so all bytes that the input counts
 * are copies. */
static void
so_it_does_with_copies(void **state)
{
    (void)state;
    assert_ring_of_three(OUTSIDE "switch: {" CROSSBAR ", reliable: yes}\n" ROUND);
    assert_ring_of_three(OUTSIDE "switch: {" CROSSBAR
                                 ", inner_buffer: 90KB, reliable: yes}\n" ROUND);
    assert_ring_of_three(FABRIC "switch: {" CROSSBAR INNER ", reliable: yes}\n" ROUND);
}

/* Outputs without a limit ('egress: 0') are never full. Without an engine inside, the fabric drops
 * packets instead of blocking them. */
static void
what_cannot_be_full_does_not(void **state)
{
    (void)state;
    assert_alive(OUTSIDE "switch: {kind: cioq, buffer: 60KB, egress: 0}\n" ROUND, false);
    assert_alive(FABRIC "switch: {" CROSSBAR ", inner_buffer: 60KB, inner_egress: 0}\n" ROUND,
                 false);
    assert_alive(FABRIC "switch: {" CROSSBAR INNER "}\ninside: none\n" ROUND, true);
}

/* Every queue of the fabric may wait for a host that receives no packets; the queues continue when
 * that host does. */
static void
a_host_that_stalls_is_no_deadlock(void **state)
{
    static const char *const copies[] = { "", ", reliable: yes" };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 FABRIC "switch: {" CROSSBAR INNER "%s}\n"
                        "flows: [{from: H1, to: H5}, {from: H1, to: H3}, {from: H5, to: H1},\n"
                        "        {from: H3, to: H5}]\n"
                        "stalls: [{at: H5, from: 1ms}, {at: H3, from: 2ms, until: 3ms}]\n",
                 copies[i]);
        assert_alive(text, false);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ring_deadlocks),
        cmocka_unit_test(one_that_is_fair_enough_does_not),
        cmocka_unit_test(so_it_does_by_its_inner_queues),
        cmocka_unit_test(so_it_does_with_copies),
        cmocka_unit_test(what_cannot_be_full_does_not),
        cmocka_unit_test(a_host_that_stalls_is_no_deadlock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Deadlocks of switches with a pipeline, in written scenarios: real deadlocks with their cycles,
 * and cycles of buffers that do not deadlock. */

#include "found.h"

/* Two switches with two hosts each, and traffic in both directions; no route turns back. */
#define PAIR                                                                                       \
    "topology: {kind: dumbbell, hosts: 2, rate: 10Gbps, delay: 1us}\n"                             \
    "wire: {classes: 2}\n"                                                                         \
    "run: {time: 5ms}\n"
#define OF(EGRESS) "kind: pipeline, pps: 3000000, delay: 2us, buffer: 60KB, egress: " EGRESS
#define PIPELINE   OF("15KB")
#define BOTH_WAYS(BACK)                                                                            \
    "flows: [{from: H1, to: H3}, {from: H2, to: H4}, {from: H3, to: H1, class: " BACK "},\n"       \
    "        {from: H4, to: H2, class: " BACK "}]\n"

static void
assert_ring_of_two(const struct sim_deadlock *d, uint8_t first, uint8_t second)
{
    assert_true(d->found && d->stands && d->n_cycle == 2);
    assert_int_equal(d->cycle[0].wait, SIM_WAITS_FOR_PIPELINE);
    assert_int_equal(d->cycle[1].wait, SIM_WAITS_FOR_PIPELINE);
    assert_int_equal(d->cycle[0].cls, first);
    assert_int_equal(d->cycle[1].cls, second);
    assert_int_equal(d->n_flows, 4);
}

static void
one_that_stops_deadlocks(void **state)
{
    struct found f = run(PAIR "switch: {" PIPELINE ", full: stop}\n" BOTH_WAYS("0"));

    (void)state;
    assert_ring_of_two(&f.deadlock, 0, 0);
    assert_int_equal(f.totals.n_dropped, 0);
    assert_true(f.deadlock.n_stuck == 6 && f.late_bps == 0);
}

/* Packets wait for packets of the other class, which go in the other direction, only in a pipeline.
 */
static void
so_it_does_across_classes(void **state)
{
    struct found f = run(PAIR "switch: {" PIPELINE ", full: stop}\n" BOTH_WAYS("1"));
    struct found port =
        run(PAIR "switch: {" PIPELINE ", full: stop, egress_of: port}\n" BOTH_WAYS("1"));
    struct found shared =
        run(PAIR "switch: {kind: pipeline, pps: 3000000, delay: 2us, full: stop,\n"
                 "  memory: shared, buffer: 8KB, shared: 2MB, limit: 52KB,\n"
                 "  port_limit: 60KB}\n"
                 "engines: {pfc: {xoff: 30KB, xon: 20KB}}\n" BOTH_WAYS("1"));

    (void)state;
    assert_ring_of_two(&f.deadlock, 0, 1);
    assert_ring_of_two(&port.deadlock, 0, 1);
    assert_ring_of_two(&shared.deadlock, 0, 1);
}

static void
one_that_drops_does_not(void **state)
{
    struct found f = run(PAIR "switch: {" PIPELINE ", full: drop}\n" BOTH_WAYS("0"));
    struct found endless = run(PAIR "switch: {" OF("0") ", full: stop}\n" BOTH_WAYS("0"));

    (void)state;
    assert_true(!f.deadlock.found && !f.was_foretold && f.totals.n_dropped);
    assert_true(!endless.deadlock.found && !endless.was_foretold && !endless.totals.n_dropped);
}

/* CaPFC pauses inputs before an output is full. */
static void
nor_does_it_under_capfc(void **state)
{
    struct found f =
        run(PAIR "switch: {" OF("120KB") ", full: stop}\nengine: capfc\n"
                                         "engines: {capfc: {again: yes}}\n" BOTH_WAYS("0"));
    struct found drop =
        run(PAIR "switch: {" PIPELINE ", full: drop}\nengine: capfc\n" BOTH_WAYS("0"));

    (void)state;
    assert_true(!f.deadlock.found && f.was_foretold && !f.totals.n_dropped);
    assert_true(!drop.deadlock.found && !drop.was_foretold);
}

/* Under CaPFC outputs wait for outputs, and the pipelines between them never stop. */
static void
a_ring_of_routes_deadlocks_under_capfc(void **state)
{
    const char *text = RING "switch: {kind: pipeline, pps: 3000000, delay: 2us, egress: 200KB, "
                            "buffer: 60KB}\nengine: capfc\nengines: {capfc: {again: yes}}\n";
    struct found f = run(text);

    (void)state;
    assert_true(f.deadlock.found && f.deadlock.stands && f.deadlock.n_cycle == 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(f.deadlock.cycle[i].wait, SIM_WAITS_FOR_OUTPUT);
    }
    assert_int_equal(f.totals.n_dropped, 0);
}

/* A pipeline that stops because of a stalled host continues when that host does, so this is no
 * deadlock. */
static void
a_host_that_stalls_is_no_deadlock(void **state)
{
    struct found f = run(PAIR "switch: {" PIPELINE ", full: stop}\n"
                              "flows: [{from: H1, to: H3}, {from: H2, to: H4}]\n"
                              "stalls: [{at: H4, from: 1ms, until: 3ms}]\n");
    struct found for_good = run(PAIR "switch: {" PIPELINE ", full: stop}\n"
                                     "flows: [{from: H1, to: H3}, {from: H2, to: H4}]\n"
                                     "stalls: [{at: H4, from: 1ms}]\n");

    (void)state;
    assert_true(!f.deadlock.found && f.late_bps > 1000000000);
    assert_true(!for_good.deadlock.found && for_good.late_bps == 0);
}

/* Packets that a watchdog drops or forwards at an output make room for the pipeline. */
static void
watchdogs_break_it(void **state)
{
    struct found drop = run(PAIR "switch: {" PIPELINE ", full: stop, watchdog: drop,\n"
                                 "  watchdog_detection: 500us}\n" BOTH_WAYS("0"));
    struct found forward = run(PAIR "switch: {" PIPELINE ", full: stop, watchdog: forward,\n"
                                    "  watchdog_detection: 500us}\n" BOTH_WAYS("0"));
    struct found alert = run(PAIR "switch: {" PIPELINE ", full: stop, watchdog: alert,\n"
                                  "  watchdog_detection: 500us}\n" BOTH_WAYS("0"));
    struct found none = run(PAIR "switch: {" PIPELINE ", full: stop}\n" BOTH_WAYS("0"));

    (void)state;
    assert_true(drop.deadlock.broken_ps > 0 && drop.totals.n_dropped_watchdog > 0);
    assert_true(drop.received_bytes > none.received_bytes);
    assert_true(forward.deadlock.broken_ps > 0 && forward.totals.n_dropped_watchdog == 0);
    assert_true(forward.received_bytes > none.received_bytes);
    assert_true(alert.deadlock.stands && alert.totals.n_storms > 0);
    assert_int_equal(alert.received_bytes, none.received_bytes);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_stops_deadlocks),
        cmocka_unit_test(so_it_does_across_classes),
        cmocka_unit_test(one_that_drops_does_not),
        cmocka_unit_test(nor_does_it_under_capfc),
        cmocka_unit_test(a_ring_of_routes_deadlocks_under_capfc),
        cmocka_unit_test(a_host_that_stalls_is_no_deadlock),
        cmocka_unit_test(watchdogs_break_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The coordinator of a lab's processes, tested with processes that only play nodes. Reports are
 * combined round by round, however fast each process is. A process that fails, dies or is stopped
 * ends the run with a message. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "players.h"
#include "record/reader.h"
#include "run/warnings.h"

/* No packet is sent before the end, because the processes have no links. */
static const char text[] = "topology: {kind: incast, hosts: 1, rate: 100Mbps, delay: 1us}\n"
                           "flows: [{from: H1, to: H2, start: 1s}]\n"
                           "record: {every: 5ms}\n"
                           "run: {time: 60ms}\n";

/* A scenario with requests that nodes must receive, too. */
static const char asking_text[] = "topology: {kind: incast, hosts: 1, rate: 100Mbps, delay: 1us}\n"
                                  "flows: [{from: H1, to: H2, start: 1s}]\n"
                                  "record: {every: 5ms, why: yes}\n"
                                  "run: {time: 10ms, warm_up: 3ms, seed: 7}\n";

/* This run is long enough to be stopped before its end on any machine. */
static const char long_text[] = "topology: {kind: incast, hosts: 1, rate: 100Mbps, delay: 1us}\n"
                                "flows: [{from: H1, to: H2, start: 20s}]\n"
                                "record: {every: 5ms}\n"
                                "run: {time: 10s}\n";

/* This run is shorter than the time within which all processes must have received the stop. */
static const char short_text[] = "topology: {kind: incast, hosts: 1, rate: 100Mbps, delay: 1us}\n"
                                 "flows: [{from: H1, to: H2, start: 1s}]\n"
                                 "record: {every: 5ms}\n"
                                 "run: {time: 10ms}\n";

static const char stopped_text[] = "topology: {kind: incast, hosts: 1, rate: 100Mbps, delay: 1us}\n"
                                   "flows: [{from: H1, to: H2, bytes: 100MB, stop: 10ms}]\n"
                                   "record: {every: 5ms}\n"
                                   "run: {time: 20ms, run_out: 1s}\n";

/* Ten packets are sent, but none arrives, because there are no links. */
static const char losing_text[] = "topology: {kind: incast, hosts: 1, rate: 100Mbps, delay: 1us}\n"
                                  "engine: pfc\n"
                                  "flows: [{from: H1, to: H2, bytes: 15000B}]\n"
                                  "wire: {mtu: 1500B}\n"
                                  "transport: {kind: rdma}\n"
                                  "record: {every: 5ms}\n"
                                  "run: {time: 20ms}\n";

/* A link goes down between the last two rounds. */
static const char down_text[] = "topology: {kind: incast, hosts: 1, rate: 100Mbps, delay: 1us,\n"
                                "           links: [{ends: [S1, H1], down: 57ms}]}\n"
                                "flows: [{from: H1, to: H2, start: 1s}]\n"
                                "record: {every: 5ms}\n"
                                "run: {time: 60ms}\n";

static int
coordinate(struct outcome *o, struct err *err)
{
    return coordinate_text(text, o, err);
}

/* The rows of the results file, which has one run. */
struct kept {
    struct rec_rows runs, counters, blocks, events;
};

static struct kept
read_kept(void)
{
    struct kept k = { 0 };
    struct err err;
    struct rec_file *file = rec_read_open(results, &err);

    assert_non_null(file);
    assert_true(rec_read_all(file, REC_RUN, 0, &k.runs, &err));
    assert_true(rec_read_all(file, REC_COUNTER, 1, &k.counters, &err));
    assert_true(rec_read_all(file, REC_BLOCK, 1, &k.blocks, &err));
    assert_true(rec_read_all(file, REC_EVENT, 1, &k.events, &err));
    rec_read_close(file);
    assert_int_equal(k.runs.n, 1);
    return k;
}

static void
free_kept(struct kept *k)
{
    rec_rows_free(&k->runs, REC_RUN);
    rec_rows_free(&k->counters, REC_COUNTER);
    rec_rows_free(&k->blocks, REC_BLOCK);
    rec_rows_free(&k->events, REC_EVENT);
}

static uint64_t
counter_of(const struct kept *k, const char *object, uint32_t id, const char *name)
{
    for (size_t i = 0; i < k->counters.n; i++) {
        const struct rec_counter *c = rec_row(&k->counters, REC_COUNTER, i);
        if (!strcmp(c->object, object) && c->object_id == id && !strcmp(c->name, name)) {
            return c->value;
        }
    }
    fail_msg("%s %u has no counter %s", object, id, name);
    return 0;
}

static void
expect_status(const char *status)
{
    struct kept k = read_kept();
    const struct rec_run *run = rec_row(&k.runs, REC_RUN, 0);

    assert_string_equal(run->status, status);
    assert_string_equal(run->host, "lab");
    free_kept(&k);
}

/* A slow process delays rounds, but no round is missed or received twice. */
static void
rounds_are_heard_whatever_the_pace(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    acts[H1] = SLOW;
    int code = coordinate(&o, &err);
    acts[H1] = PLAIN;
    if (code != EXIT_GOOD) {
        fail_msg("%d: %s", code, err.text);
    }
    assert_false(o.is_stopped);
    assert_int_equal(sim_now(o.sim), 60000000000);
    outcome_free(&o);
    expect_status("complete");
    struct kept k = read_kept();
    const struct rec_block *samples = rec_row(&k.blocks, REC_BLOCK, 0);
    assert_int_equal(samples->n_rows, 12);
    assert_int_equal(samples->first_ps, 5000000000);
    assert_int_equal(samples->last_ps, 60000000000);
    assert_int_equal(counter_of(&k, "node", H2, "lab.n_sent"), 40 + H2);
    assert_true(counter_of(&k, "node", S1, "lab.tau_derived_ps") > 240000000);
    free_kept(&k);
}

/* Events of the last round are known, although one process was stopped then and reports them
 * last. */
static void
a_round_that_somebody_missed_is_heard(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    acts[H2] = MISSES_LAST_ROUND;
    assert_int_equal(coordinate_text(down_text, &o, &err), EXIT_GOOD);
    acts[H2] = PLAIN;
    outcome_free(&o);
    struct kept k = read_kept();
    assert_int_equal(k.events.n, 2); /* One event at each end of the link. */
    free_kept(&k);
}

/* Packets that a sink has received since the middle of the run count for the second half, however
 * late other nodes report the middle. */
static void
rates_do_not_depend_on_who_is_late(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    acts[S1] = IS_LATE_IN_MIDDLE;
    acts[H2] = RECEIVES;
    assert_int_equal(coordinate(&o, &err), EXIT_PROMISE);
    acts[S1] = acts[H2] = PLAIN;
    assert_int_equal(sim_flow_result(o.sim, 0).received_bytes, 12 * 1500);
    /* A packet of 1500 B every 5 ms. */
    assert_int_equal(sim_flow_late_bps(o.sim, 0), 8 * 1500 * 200);
    outcome_free(&o);
}

/* Means cover the time that a node has seen itself, which is shorter if the node was stopped at the
 * end. */
static void
means_do_not_depend_on_who_is_away(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    acts[S1] = FORWARDS;
    assert_int_equal(coordinate(&o, &err), EXIT_PROMISE);
    acts[S1] = PLAIN;
    uint32_t port = o.s.topo.nodes[S1].first_port;
    assert_int_equal(sim_queue_mean_bytes(o.sim, port, 0), 1500);
    outcome_free(&o);
}

/* While one process gets ready, the others wait longer than a process may be silent during a run.
 * This test takes seconds, so it only runs by name: lab-coordinate late. */
static void
who_is_ready_late_is_waited_for(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    acts[S1] = IS_READY_LATE;
    int code = coordinate(&o, &err);
    acts[S1] = PLAIN;
    assert_int_equal(code, EXIT_GOOD);
    outcome_free(&o);
}

/* It takes minutes until all processes are ready, but the time from one to the next is always
 * short. */
static void
who_is_ready_may_be_silent(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    acts[H2] = IS_READY_LAST;
    lab_is_late = true;
    int code = coordinate(&o, &err);
    acts[H2] = PLAIN;
    if (code != EXIT_GOOD) {
        fail_msg("%d: %s", code, err.text);
    }
    outcome_free(&o);
}

/* A lab that is stopped by Ctrl-Z and continued does not blame its processes for the silence in
 * between. */
static void
a_lab_that_was_away_blames_nobody(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    lab_is_away = true;
    int code = coordinate(&o, &err);
    lab_is_away = false;
    if (code != EXIT_GOOD) {
        fail_msg("%d: %s", code, err.text);
    }
    outcome_free(&o);
}

static bool
is_warned_of(const struct outcome *o, const char *words)
{
    struct weir_text warnings[WARNINGS_MAX];
    bool is_warned = false;

    for (size_t n = warnings_list(o, warnings); n--;) {
        is_warned |= strstr(warnings[n].s, words) != NULL;
    }
    return is_warned;
}

/* A packet that was sent but did not arrive is lost.  It is counted at the port that sent it, is
 * reported, and breaks the promise of its class; then all counters add up. Senders do not
 * retransmit needlessly. */
static void
what_was_sent_and_did_not_come_is_lost(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    assert_int_equal(coordinate_text(losing_text, &o, &err), EXIT_PROMISE);
    uint32_t port = o.s.topo.nodes[H1].first_port;
    uint64_t n_sent = sim_port_result(o.sim, port).n_sent;
    assert_true(n_sent >= 10);
    assert_int_equal(sim_port_result(o.sim, port).n_lost, n_sent);
    assert_int_equal(o.totals.n_lost, n_sent);
    assert_string_equal(o.imbalance.text, "");
    assert_int_equal(o.n_lost_lossless, n_sent);
    assert_string_equal(o.violations[0].what,
                        "packets of a lossless class were lost between nodes");
    assert_true(is_warned_of(&o, "packets were lost between H1 and S1: this machine is too slow "
                                 "for these links (100 Mb/s); use slower links or fewer nodes."));
    assert_true(is_warned_of(&o, "tau at S1 was up to 5s, measured by pauses"));
    assert_false(is_warned_of(&o, "although no packet was lost"));
    outcome_free(&o);
    struct kept k = read_kept();
    assert_int_equal(counter_of(&k, "port", port, "n_lost"), n_sent);
    free_kept(&k);
}

static void
who_fails_says_why(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    acts[H2] = FAILS;
    assert_int_equal(coordinate(&o, &err), EXIT_WORLD);
    acts[H2] = PLAIN;
    assert_string_equal(err.text, "H2: there is no such interface");
    expect_status("failed");
}

static void
nodes_are_asked_for_what_the_run_is(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    acts[H2] = IS_ASKED;
    assert_int_equal(coordinate_text(asking_text, &o, &err), EXIT_WORLD);
    acts[H2] = PLAIN;
    assert_string_equal(err.text, "H2: right");
}

static void
a_death_ends_the_run_in_words(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    acts[S1] = DIES;
    assert_int_equal(coordinate(&o, &err), EXIT_WORLD);
    acts[S1] = PLAIN;
    assert_non_null(strstr(err.text, "S1"));
    assert_non_null(strstr(err.text, "Killed"));
    expect_status("failed");
}

static void
deadlines_end(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    acts[S1] = acts[H1] = acts[H2] = IS_STUCK;
    time_flies = true;
    assert_int_equal(coordinate(&o, &err), EXIT_WORLD);
    time_flies = false;
    acts[S1] = acts[H1] = acts[H2] = PLAIN;
    assert_non_null(strstr(err.text, "the process of S1 (PID "));
    assert_non_null(strstr(err.text, "has sent nothing for 5 s"));
    expect_status("failed");
}

/* Before the run a process may take up to a minute to get ready.  A process that was stopped is not
 * given that time. */
static void
who_is_stopped_before_the_start_is_named(void **state)
{
    uint64_t began_ns = __real_lab_clock_ns();
    struct outcome o;
    struct err err;

    (void)state;
    acts[H1] = IS_STOPPED;
    assert_int_equal(coordinate(&o, &err), EXIT_WORLD);
    acts[H1] = PLAIN;
    assert_non_null(strstr(err.text, "the process of H1 (PID "));
    assert_non_null(strstr(err.text, "was stopped by a signal before the run began"));
    assert_true(__real_lab_clock_ns() - began_ns < (uint64_t)30000000000);
    expect_status("failed");
}

/* The run does not wait for a flow that was stopped, because that flow will never finish. */
static void
a_flow_that_is_stopped_is_not_waited_for(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    assert_int_equal(coordinate_text(stopped_text, &o, &err), EXIT_PROMISE);
    assert_false(o.is_stopped);
    assert_in_range(sim_now(o.sim), 20000000000, 500000000000);
    outcome_free(&o);
}

/* Stops a run. All processes end at the same time, before the end of the scenario; returns this
 * time. */
static weir_ps
end_of_run_that_is_stopped(enum interrupt when)
{
    struct outcome o;
    struct err err;

    interrupt = when;
    assert_int_equal(coordinate_text(long_text, &o, &err), EXIT_GOOD);
    assert_true(o.is_stopped);
    weir_ps end = sim_now(o.sim);
    outcome_free(&o);
    expect_status("stopped");
    return end;
}

static void
who_is_asked_to_stop_ends_early(void **state)
{
    (void)state;
    assert_in_range(end_of_run_that_is_stopped(LATER), 20000000000, AWAY_UNTIL_PS - 1);
}

/* Time 0 is a while after the message that starts the run.  If the run is stopped at once, all
 * processes still have as much time to receive the stop as they have later. */
static void
no_run_ends_before_it_starts(void **state)
{
    (void)state;
    assert_in_range(end_of_run_that_is_stopped(AT_ONCE), 20000000000, AWAY_UNTIL_PS - 1);
}

static void
no_run_is_longer_as_it_is_stopped(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    interrupt = AT_ONCE;
    assert_int_equal(coordinate_text(short_text, &o, &err), EXIT_GOOD);
    assert_int_equal(sim_now(o.sim), 10000000000);
    outcome_free(&o);
}

/* One process does not receive the stop, so the run is as long as that process runs. */
static void
a_run_is_as_long_as_its_longest_process(void **state)
{
    (void)state;
    acts[H1] = IS_AWAY;
    assert_int_equal(end_of_run_that_is_stopped(AT_ONCE), AWAY_UNTIL_PS);
    acts[H1] = PLAIN;
}

/* The sockets refuse the first message to every process, and one second message; the lab sends them
 * later. */
static void
what_a_socket_has_no_room_for_is_said_later(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    n_refused = N_NODES + 1;
    assert_int_equal(coordinate(&o, &err), EXIT_GOOD);
    assert_int_equal(n_refused, 0);
    outcome_free(&o);
}

static void
who_is_stopped_before_it_began_has_not_failed(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    interrupt = BEFORE_IT_BEGINS;
    assert_int_equal(coordinate(&o, &err), EXIT_STOPPED);
    assert_string_equal(err.text, "stopped before it began");
    expect_status("stopped");
}

static int
begin(void **state)
{
    (void)state;
    if (!mkdtemp(place)) {
        return -1;
    }
    snprintf(results, sizeof results, "%s/run.db", place);
    return 0;
}

static int
end(void **state)
{
    (void)state;
    unlink(results);
    return rmdir(place);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest late[] = { cmocka_unit_test(who_is_ready_late_is_waited_for) };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_are_heard_whatever_the_pace),
        cmocka_unit_test(a_round_that_somebody_missed_is_heard),
        cmocka_unit_test(rates_do_not_depend_on_who_is_late),
        cmocka_unit_test(means_do_not_depend_on_who_is_away),
        cmocka_unit_test(who_is_ready_may_be_silent),
        cmocka_unit_test(a_lab_that_was_away_blames_nobody),
        cmocka_unit_test(what_was_sent_and_did_not_come_is_lost),
        cmocka_unit_test(who_fails_says_why),
        cmocka_unit_test(nodes_are_asked_for_what_the_run_is),
        cmocka_unit_test(a_death_ends_the_run_in_words),
        cmocka_unit_test(deadlines_end),
        cmocka_unit_test(who_is_stopped_before_the_start_is_named),
        cmocka_unit_test(a_flow_that_is_stopped_is_not_waited_for),
        cmocka_unit_test(who_is_asked_to_stop_ends_early),
        cmocka_unit_test(who_is_stopped_before_it_began_has_not_failed),
        cmocka_unit_test(no_run_ends_before_it_starts),
        cmocka_unit_test(no_run_is_longer_as_it_is_stopped),
        cmocka_unit_test(a_run_is_as_long_as_its_longest_process),
        cmocka_unit_test(what_a_socket_has_no_room_for_is_said_later),
    };

    return argc > 1 && !strcmp(argv[1], "late") ? cmocka_run_group_tests(late, begin, end)
                                                : cmocka_run_group_tests(tests, begin, end);
}

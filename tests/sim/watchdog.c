/* Pause storms: when a watchdog detects one, how it acts, and when the storm ends; also deadlocks
 * that a watchdog breaks. */

#include "hand.h"

#define US ((weir_ps)1000000)
#define MS ((weir_ps)1000000000)

/* Senders and a receiver that stalls, at one switch, 10 Gb/s and 1 us: a packet takes 1.2 us on a
 * link.  The receiver's first packet arrives after two packet times and two cable delays, and the
 * 20th packet in its queue reaches XOFF.  Its frame takes 51.2 ns, 1 us and a response time of 3
 * us: then the switch is paused.  At the end of the stall the queue is empty at once, and RESUME
 * takes the same time. */
static const weir_ps packet_ps = 1200000, cable_ps = US, frame_ps = 51200 + US + 3 * US;
enum { XOFF_BYTES = 30000, XOFF_PKTS = 20 };

static const weir_ps detection_ps = 700 * US, restoration_ps = 900 * US, until_ps = 3 * MS;

static struct model_stall stall;

static weir_ps
pause_ps(void)
{
    return 2 * (packet_ps + cable_ps) + (XOFF_PKTS - 1) * packet_ps + frame_ps;
}

static void
start(struct net *net, uint32_t n_senders, enum model_watchdog_action action)
{
    hand_incast(net, n_senders, 10000000000, cable_ps);
    net_use(net, "pfc");
    hand_set(net, "xoff", XOFF_BYTES);
    hand_set(net, "xon", XOFF_BYTES - 3000);
    stall = (struct model_stall){ net->flows[0].to, 0xff, 0, until_ps };
    net->config.stalls = &stall;
    net->config.n_stalls = 1;
    net->config.watchdog = (struct model_watchdog){ action, detection_ps, restoration_ps };
    net->config.run.notes = 1 << SIM_NOTE_STORM | 1 << SIM_NOTE_RESTORED;
}

/* The port to the receiver. */
static uint32_t
port_out(const struct net *net)
{
    return hand_port(net, 0, net->flows[0].to);
}

/* Checks that there was exactly one storm, from the first time to the second. */
static void
assert_storm(const struct net *net, struct sim *sim, weir_ps from_ps, weir_ps to_ps)
{
    size_t n;
    const struct sim_note *notes = sim_take_notes(sim, &n);

    assert_int_equal(n, 2);
    assert_int_equal(notes[0].kind, SIM_NOTE_STORM);
    assert_int_equal(notes[0].at_ps, from_ps);
    assert_int_equal(notes[1].kind, SIM_NOTE_RESTORED);
    assert_int_equal(notes[1].at_ps, to_ps);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(notes[i].port, port_out(net));
        assert_int_equal(notes[i].flow, SIM_NO_FLOW);
    }
    struct sim_storms s = sim_storms(sim, port_out(net), 0);
    assert_false(s.is_storm);
    assert_int_equal(s.n_storms, 1);
    assert_int_equal(s.n_restored, 1);
    assert_int_equal(notes[1].value, s.n_dropped);
    assert_int_equal(sim_totals(sim).n_storms, 1);
    assert_int_equal(sim_totals(sim).n_restored, 1);
}

/* With two senders, the queue has packets when the pause begins. */
static void
it_counts_from_the_pause(void **state)
{
    const weir_ps ends_ps = until_ps + frame_ps;
    const struct {
        enum model_watchdog_action action;
        weir_ps restored_ps;
    } cases[] = { { MODEL_DROP, ends_ps + restoration_ps },
                  { MODEL_FORWARD, ends_ps + restoration_ps },
                  { MODEL_ALERT, ends_ps } };
    struct net net;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        start(&net, 2, cases[i].action);
        struct sim *sim = hand_run(&net);
        assert_storm(&net, sim, pause_ps() + detection_ps, cases[i].restored_ps);
        sim_free(sim);
        net_stop(&net);
    }
}

/* With one sender, no packet waits at the switch until the first one that arrives after the pause
 * began. */
static void
it_counts_from_the_first_packet(void **state)
{
    weir_ps first_ps = packet_ps + cable_ps;
    struct net net;

    (void)state;
    while (first_ps <= pause_ps()) {
        first_ps += packet_ps;
    }
    start(&net, 1, MODEL_DROP);
    struct sim *sim = hand_run(&net);
    assert_storm(&net, sim, first_ps + detection_ps, until_ps + frame_ps + restoration_ps);
    sim_free(sim);
    net_stop(&net);
}

/* A pause that is a picosecond shorter than the detection time is not a storm. */
static void
a_shorter_pause_is_no_storm(void **state)
{
    struct net net;

    (void)state;
    for (weir_ps more = 0; more < 2; more++) {
        start(&net, 2, MODEL_DROP);
        net.config.watchdog.detection_ps = until_ps + frame_ps - pause_ps() - 1 + more;
        struct sim *sim = hand_run(&net);
        assert_int_equal(sim_totals(sim).n_storms, !more);
        assert_int_equal(sim_totals(sim).n_dropped > 0, !more);
        sim_free(sim);
        net_stop(&net);
    }
}

/* While the watchdog drops a queue, that queue never pauses senders, so it receives all packets
 * that both links carry; packets that were queued are dropped as well.  Afterwards the network
 * behaves as before. */
static void
what_stands_and_what_comes_is_dropped(void **state)
{
    const weir_ps from_ps = pause_ps() + detection_ps, to_ps = until_ps + frame_ps + restoration_ps;
    struct net net;

    (void)state;
    start(&net, 2, MODEL_DROP);
    struct sim *sim = hand_run(&net);
    struct sim_totals t = sim_totals(sim);
    struct sim_port_result r = sim_port_result(sim, port_out(&net));
    uint64_t came = 2 * (uint64_t)((to_ps - from_ps) / packet_ps), stood = 2 * XOFF_PKTS;
    ASSERT_NEAR(t.n_dropped_watchdog, came + stood, 25);
    assert_int_equal(r.n_dropped_watchdog, t.n_dropped_watchdog);
    assert_int_equal(r.dropped_bytes, t.n_dropped_watchdog * 1500);
    assert_int_equal(sim_storms(sim, port_out(&net), 0).n_dropped, t.n_dropped_watchdog);
    assert_int_equal(t.n_dropped, t.n_dropped_watchdog);
    assert_int_equal(t.n_dropped_lossless, t.n_dropped_watchdog);
    ASSERT_NEAR(sim_flow_late_bps(sim, 0) + sim_flow_late_bps(sim, 1), 10000000000, 20000000);
    sim_free(sim);
    net_stop(&net);
}

/* The queue drains at line rate, paused or not, and the receiver drops packets for which it has no
 * room. */
static void
a_pause_is_not_heeded(void **state)
{
    enum { ROOM_PKTS = 100 };
    const weir_ps from_ps = pause_ps() + detection_ps;
    struct net net;

    (void)state;
    start(&net, 2, MODEL_FORWARD);
    net.config.buffer.reserve_bytes = ROOM_PKTS * 1500;
    net.config.run.until_ps = until_ps;
    struct sim *sim = hand_run(&net);
    uint64_t n_before = (uint64_t)((pause_ps() - cable_ps) / packet_ps), n_sent, n_dropped;
    n_sent = sim_port_result(sim, port_out(&net)).n_sent;
    ASSERT_NEAR(n_sent, n_before + (uint64_t)((until_ps - from_ps) / packet_ps), 2);
    uint32_t receiver = net.topo.nodes[net.flows[0].to].first_port;
    n_dropped = sim_port_result(sim, receiver).n_dropped[WEIR_DROP_LIMIT];
    ASSERT_NEAR(n_dropped, n_sent - ROOM_PKTS, 2);
    assert_int_equal(sim_totals(sim).n_dropped_watchdog, 0);
    assert_int_equal(sim_totals(sim).n_dropped, n_dropped);
    assert_true(sim_storms(sim, port_out(&net), 0).is_storm);
    assert_true(sim_gate_state(sim, port_out(&net), 0, until_ps).is_paused);
    sim_free(sim);
    net_stop(&net);
}

static void
an_alert_changes_nothing(void **state)
{
    uint64_t received[2];
    struct net net;

    (void)state;
    for (int i = 0; i < 2; i++) {
        start(&net, 2, i ? MODEL_ALERT : MODEL_NO_WATCHDOG);
        struct sim *sim = hand_run(&net);
        assert_int_equal(sim_totals(sim).n_storms, i);
        assert_int_equal(sim_totals(sim).n_dropped, 0);
        received[i] = sim_flow_result(sim, 0).received_bytes;
        sim_free(sim);
        net_stop(&net);
    }
    assert_int_equal(received[0], received[1]);
}

/* Only pauses count as storms: the watchdog ignores a queue without credit, or with a rate of
 * almost 0.
 */
static void
other_engines_are_left_alone(void **state)
{
    static const char *const engines[] = { "cbfc", "gfc-conceptual", "gfc-buffer", "gfc-time" };
    struct net net;

    (void)state;
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        uint64_t hash = 0;
        for (int action = MODEL_NO_WATCHDOG; action <= MODEL_ALERT; action++) {
            start(&net, 2, (enum model_watchdog_action)action);
            net_use(&net, engines[i]);
            net.config.buffer.reserve_bytes = 1000000;
            struct sim *sim = hand_run(&net);
            hash = hash ? hash : sim_totals(sim).hash;
            assert_int_equal(sim_totals(sim).hash, hash);
            assert_int_equal(sim_totals(sim).n_storms + sim_totals(sim).n_dropped, 0);
            sim_free(sim);
            net_stop(&net);
        }
    }
}

/* PFC with an engine that sets rates.  Rates also change in the storm, for example after the
 * RESUME, when the receiver drains; but only messages about pauses count. */
static void
rates_are_no_pauses(void **state)
{
    const struct sim_note *resume = NULL, *rate = NULL, *restored = NULL;
    struct weir_text why = { 0 };
    struct net net;
    size_t n;

    (void)state;
    start(&net, 2, MODEL_DROP);
    assert_true(weir_stack_add(&net.config.stack, weir_engine_find("gfc-buffer")));
    assert_true(weir_stack_set(&net.config.stack, 1, "bm", "60KB", &why));
    assert_true(weir_stack_set(&net.config.stack, 1, "b1", "20KB", &why));
    net.config.run.notes |= 1 << SIM_NOTE_RESUME | 1 << SIM_NOTE_RATE;
    struct sim *sim = hand_run(&net);
    for (const struct sim_note *note = sim_take_notes(sim, &n), *end = note + n; note < end;
         note++) {
        bool is_here = note->port == port_out(&net) && !restored;
        resume = is_here && note->kind == SIM_NOTE_RESUME ? note : resume;
        rate = is_here && note->kind == SIM_NOTE_RATE ? note : rate;
        restored = is_here && note->kind == SIM_NOTE_RESTORED ? note : restored;
    }
    assert_true(resume && rate && restored && rate->at_ps > resume->at_ps);
    assert_int_equal(restored->at_ps, resume->at_ps + restoration_ps);
    ASSERT_NEAR(sim_flow_late_bps(sim, 0) + sim_flow_late_bps(sim, 1), 10000000000, 20000000);
    sim_free(sim);
    net_stop(&net);
}

/* Every fifth frame is lost, and pauses are renewed at half their time. If a frame is lost, the
 * next comes at the instant when the pause expires, and a packet starts.  The watchdog's time then
 * counts from there. The simulator asserts that nothing was sent before a storm. */
static void
a_packet_between_two_pauses_counts(void **state)
{
    struct net net;

    (void)state;
    start(&net, 2, MODEL_ALERT);
    hand_set(&net, "quanta", 200);
    for (size_t i = 0; i < net.topo.n_links; i++) {
        net.topo.links[i].loss = WEIR_RATIO_1 / 5;
    }
    net.config.watchdog.detection_ps = 30 * US;
    stall.until_ps = 10 * MS;
    struct sim *sim = hand_run(&net);
    assert_true(sim_totals(sim).n_storms > 10);
    assert_true(sim_port_result(sim, port_out(&net)).n_sent > 10 * XOFF_PKTS);
    sim_free(sim);
    net_stop(&net);
}

/* One class is paused, and another, with higher priority, sends all the time. */
static void
a_storm_is_of_one_class(void **state)
{
    struct net net;

    (void)state;
    start(&net, 2, MODEL_DROP);
    net.config.n_classes = 2;
    net.config.lossless = 3;
    net.config.scheduling = "strict";
    net.flows[1].cls = 1;
    stall.classes = 1;
    net.flows[1].start_ps = 500 * US;
    struct sim *sim = hand_run(&net);
    assert_int_equal(sim_storms(sim, port_out(&net), 0).n_storms, 1);
    assert_int_equal(sim_storms(sim, port_out(&net), 1).n_storms, 0);
    ASSERT_NEAR(sim_flow_late_bps(sim, 1), 10000000000, 20000000);
    sim_free(sim);
    net_stop(&net);
}

/* The ring of three switches, as in GFC's testbed: each of its links is shared by two flows. */

static const struct topo_build three = { .switches = 3,
                                         .link = { .rate_bps = 10000000000, .delay_ps = US } };
static uint16_t paths[3][3];

static void
start_ring(struct net *net, enum model_watchdog_action action)
{
    net_start(net, topo_build_ring, &three, MODEL_ENDLESS, 1);
    const struct topo *t = &net->topo;
    for (uint32_t i = 0; i < 3; i++) { /* Switch i and host 3 + i. */
        uint32_t at[] = { i, (i + 1) % 3, (i + 2) % 3, 3 + (i + 2) % 3 };
        for (uint32_t k = 0; k < 3; k++) {
            paths[i][k] = (uint16_t)t->ports[topo_port_to(t, at[k], at[k + 1])].number;
        }
        net->flows[i].from = 3 + i;
        net->flows[i].to = at[3];
        net->flows[i].start_ps = i * 300 * US;
        net->flows[i].path = paths[i];
        net->flows[i].n_path = 3;
    }
    net->config.response_ps = 85 * US;
    net->config.buffer.reserve_bytes = 1000000;
    net->config.run.until_ps = 60 * MS;
    net->config.watchdog = (struct model_watchdog){ action, 4 * MS, 5 * MS };
    net->config.run.notes = 1 << SIM_NOTE_STORM;
}

static struct sim_deadlock
run_ring(enum model_watchdog_action action, uint32_t n_threads, weir_ps *first_storm_ps,
         uint64_t *bps)
{
    struct net net;
    struct err err;
    size_t n;

    start_ring(&net, action);
    struct sim *sim = net_run(&net, "pfc", "fifo", n_threads);
    const struct sim_note *notes = sim_take_notes(sim, &n);
    struct sim_deadlock d = sim_deadlock(sim);
    *first_storm_ps = n ? notes[0].at_ps : 0;
    *bps = sim_flow_late_bps(sim, 0);
    assert_true(sim_is_conserved(sim, &err));
    sim_free(sim);
    net_stop(&net);
    return d;
}

/* The deadlock forms as without a watchdog. The first storm breaks it, and it forms again. */
static void
a_deadlock_is_broken_and_forms_again(void **state)
{
    weir_ps storm_ps, again_ps;
    uint64_t bps, again_bps;

    (void)state;
    struct sim_deadlock plain = run_ring(MODEL_NO_WATCHDOG, 1, &storm_ps, &bps);
    assert_true(plain.found && plain.stands && plain.n_formed == 1 && !plain.broken_ps);
    assert_int_equal(bps, 0);
    struct sim_deadlock d = run_ring(MODEL_DROP, 1, &storm_ps, &bps);
    assert_true(d.found && d.n_cycle == 3 && d.n_formed >= 3);
    assert_int_equal(d.formed_ps, plain.formed_ps);
    assert_int_equal(d.broken_ps, storm_ps);
    assert_true(storm_ps > d.formed_ps && storm_ps < d.formed_ps + 5 * MS);
    assert_in_range(bps, 100000000, 4000000000);
    for (uint32_t n_threads = 2; n_threads <= 3; n_threads++) {
        struct sim_deadlock same = run_ring(MODEL_DROP, n_threads, &again_ps, &again_bps);
        assert_memory_equal(&same.cycle, &d.cycle, sizeof d.cycle);
        assert_true(same.formed_ps == d.formed_ps && same.broken_ps == d.broken_ps);
        assert_true(same.n_formed == d.n_formed && same.stands == d.stands);
        assert_true(again_ps == storm_ps && again_bps == bps);
    }
}

static void
an_alert_breaks_nothing(void **state)
{
    weir_ps storm_ps;
    uint64_t bps;

    (void)state;
    struct sim_deadlock d = run_ring(MODEL_ALERT, 1, &storm_ps, &bps);
    assert_true(d.found && d.stands && d.n_formed == 1 && !d.broken_ps);
    assert_true(storm_ps > 0);
    assert_int_equal(bps, 0);
}

static struct sim *
run_storms(struct net *net, const char *arbitration, uint32_t n_threads)
{
    struct sim *sim = net_new(net, "pfc", arbitration, n_threads ? n_threads : 1);

    if (n_threads) {
        sim_run(sim);
    } else {
        sim_run_reference(sim);
    }
    return sim;
}

/* Results do not depend on threads or windows, for any action of the watchdog and any arbitration.
 */
static void
threads_and_windows_do_not_matter(void **state)
{
    struct model_stall one = { 3, 0xff, 10 * MS, 13 * MS };
    uint64_t n_storms = 0, n_restored = 0;
    struct net net;

    (void)state;
    for (int action = MODEL_DROP; action <= MODEL_ALERT; action++) {
        start_ring(&net, (enum model_watchdog_action)action);
        net.config.run.until_ps = 25 * MS;
        net.config.watchdog.detection_ps = MS;
        net.config.watchdog.restoration_ps = MS;
        net.config.stalls = &one;
        net.config.n_stalls = 1;
        for (size_t a = 0; weir_plugin_name(&sim_arbitrations, a); a++) {
            struct sim *plain = run_storms(&net, weir_plugin_name(&sim_arbitrations, a), 0);
            n_storms += sim_totals(plain).n_storms;
            n_restored += sim_totals(plain).n_restored;
            for (uint32_t n_threads = 1; n_threads <= 3; n_threads++) {
                struct sim *sim =
                    run_storms(&net, weir_plugin_name(&sim_arbitrations, a), n_threads);
                assert_int_equal(sim_totals(sim).hash, sim_totals(plain).hash);
                sim_free(sim);
            }
            sim_free(plain);
        }
        net_stop(&net);
    }
    assert_true(n_storms > 40 && n_restored > 30);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_counts_from_the_pause),
        cmocka_unit_test(it_counts_from_the_first_packet),
        cmocka_unit_test(a_shorter_pause_is_no_storm),
        cmocka_unit_test(what_stands_and_what_comes_is_dropped),
        cmocka_unit_test(a_pause_is_not_heeded),
        cmocka_unit_test(an_alert_changes_nothing),
        cmocka_unit_test(other_engines_are_left_alone),
        cmocka_unit_test(rates_are_no_pauses),
        cmocka_unit_test(a_packet_between_two_pauses_counts),
        cmocka_unit_test(a_storm_is_of_one_class),
        cmocka_unit_test(a_deadlock_is_broken_and_forms_again),
        cmocka_unit_test(an_alert_breaks_nothing),
        cmocka_unit_test(threads_and_windows_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Signals: marks and CNPs in closed form, and pauses and rates compared with their notes; all are
 * equal for any number of threads and ranks. Also the rates and windows that transports set. */

#include "hand.h"
#include "loopback.h"

#define G  1000000000ull
#define US ((weir_ps)1000000)

enum { MTU = 1500, MAX_RANKS = 4 };

struct signals {
    uint64_t n_pfc_pauses, n_rate_changes, n_marked, n_cnps, n_marked_of_flows, n_cnps_of_flows;
};

/* Totals, and sums over flows. */
static struct signals
signals_of(const struct sim *sim, uint32_t n_flows)
{
    struct sim_totals t = sim_totals(sim);
    struct signals s = { t.n_pfc_pauses, t.n_rate_changes, t.n_marked, t.n_cnps, 0, 0 };

    for (uint32_t f = 0; f < n_flows; f++) {
        s.n_marked_of_flows += sim_flow_result(sim, f).n_marked;
        s.n_cnps_of_flows += sim_flow_result(sim, f).n_cnps;
    }
    return s;
}

static void
control(struct net *net, const struct transport *t, uint64_t *params)
{
    weir_fields_default(t->about.params, params);
    for (uint32_t f = 0; f < net->config.n_flows; f++) {
        net->flows[f].transport = t;
        net->flows[f].transport_params = params;
    }
}

static void
set(const struct transport *t, uint64_t *params, const char *name, uint64_t value)
{
    weir_field_set(weir_field_find(t->about.params, name), params, value);
}

/* Two flows of N packets at 10 Gb/s, the second a third of a packet later, to a link of 7 Gb/s:
 * packets leave in FIFO order.  A packet is marked if more than K bytes stay in the queue when it
 * leaves.  No flow slows down, because alpha stays 0. */
enum { N = 300, K = 100 * MTU + 1 };

struct expected {
    uint64_t n_marked[2], n_cnps[2];
};

static struct expected
expect_marks(weir_ps notify_ps)
{
    const weir_ps in = weir_wire_ps(MTU, 10 * G), out = weir_wire_ps(MTU, 7 * G);
    struct expected e = { 0 };
    weir_ps told_ps[2] = { -WEIR_NEVER / 2, -WEIR_NEVER / 2 };

    for (int k = 0; k < 2 * N; k++) {
        weir_ps at = k * out;
        int from[2] = { (int)(at / in) + 1, at < in / 3 ? 0 : (int)((at - in / 3) / in) + 1 };
        int n_here = (from[0] < N ? from[0] : N) + (from[1] < N ? from[1] : N);
        if ((n_here - k - 1) * MTU > K) {
            e.n_marked[k % 2]++;
            bool is_told = at - told_ps[k % 2] >= notify_ps;
            e.n_cnps[k % 2] += is_told;
            told_ps[k % 2] = is_told ? at : told_ps[k % 2];
        }
    }
    return e;
}

static void
try_marks(weir_ps notify_ps)
{
    uint64_t params[TP_PARAMS_MAX / sizeof(uint64_t)];
    struct expected e = expect_marks(notify_ps);
    struct net net;

    hand_start(&net);
    uint32_t s = hand_switch(&net), a = hand_nic(&net), b = hand_nic(&net), c = hand_nic(&net);
    hand_link(&net, a, s, 10 * G, US);
    hand_link(&net, b, s, 10 * G, US);
    hand_link(&net, c, s, 7 * G, US);
    hand_finish(&net, 2);
    net.config.arbitration = "fifo";
    for (uint32_t f = 0; f < 2; f++) {
        net.flows[f].from = f ? b : a;
        net.flows[f].to = c;
        net.flows[f].bytes = N * MTU;
        net.flows[f].start_ps = f * weir_wire_ps(MTU, 10 * G) / 3;
    }
    net_use(&net, "ecn");
    hand_set(&net, "kmin", K);
    hand_set(&net, "kmax", K);
    control(&net, &tp_dcqcn, params);
    set(&tp_dcqcn, params, "alpha", 0);
    set(&tp_dcqcn, params, "g", 0);
    set(&tp_dcqcn, params, "notify", (uint64_t)notify_ps);
    struct sim *sim = hand_run(&net);
    for (uint32_t f = 0; f < 2; f++) {
        assert_int_equal(sim_flow_result(sim, f).n_marked, e.n_marked[f]);
        assert_int_equal(sim_flow_result(sim, f).n_cnps, e.n_cnps[f]);
    }
    struct signals all = signals_of(sim, 2);
    assert_int_equal(all.n_marked, e.n_marked[0] + e.n_marked[1]);
    assert_int_equal(all.n_cnps, e.n_cnps[0] + e.n_cnps[1]);
    assert_int_equal(sim_port_result(sim, hand_port(&net, s, c)).n_marked, all.n_marked);
    assert_true(all.n_marked > N && all.n_pfc_pauses + all.n_rate_changes == 0);
    sim_free(sim);
    net_stop(&net);
}

static void
a_long_queue_marks_and_notifies(void **state)
{
    (void)state;
    try_marks(0); /* Each mark causes a CNP. */
    try_marks(10 * US);
    try_marks(50 * US);
}

/* Counts of an incast are compared with its notes of pauses and rates; no packet is marked. */
static void
try_notes(const char *engine, enum sim_note_kind kind, size_t offset)
{
    struct net net;
    size_t n, n_noted = 0;

    hand_incast(&net, 3, 10 * G, US);
    net.config.buffer.reserve_bytes = 300000;
    net.config.run.notes = 1u << kind;
    net_use(&net, engine);
    struct sim *sim = hand_run(&net);
    const struct sim_note *notes = sim_take_notes(sim, &n);
    struct signals s = signals_of(sim, 3);
    for (size_t i = 0; i < n; i++) {
        n_noted += notes[i].kind == kind;
    }
    assert_int_equal(*(const uint64_t *)((const char *)&s + offset), n_noted);
    assert_true(n_noted > 100);
    assert_int_equal(s.n_pfc_pauses + s.n_rate_changes, n_noted);
    assert_int_equal(s.n_marked + s.n_cnps + s.n_marked_of_flows + s.n_cnps_of_flows, 0);
    sim_free(sim);
    net_stop(&net);
}

static void
pauses_and_rates_are_those_that_were_told(void **state)
{
    (void)state;
    try_notes("pfc", SIM_NOTE_PAUSE, offsetof(struct signals, n_pfc_pauses));
    try_notes("gfc-buffer", SIM_NOTE_RATE, offsetof(struct signals, n_rate_changes));
}

/* Threads and ranks. */

static struct signals
count_by_ranks(struct net *net)
{
    struct loopback *l = loopback_new(MAX_RANKS);
    struct sim *sims[MAX_RANKS];

    assert_true(loopback_run(l, loopback_simple_net, &net->config, sims));
    struct signals s = signals_of(sims[0], net->config.n_flows);
    for (uint32_t i = 0; i < MAX_RANKS; i++) {
        sim_free(sims[i]);
    }
    loopback_free(l);
    return s;
}

static struct signals
count_by_threads(struct net *net, uint32_t n_threads)
{
    net->config.run.n_threads = n_threads;
    struct sim *sim = hand_run(net);
    struct signals s = signals_of(sim, net->config.n_flows);
    sim_free(sim);
    return s;
}

static void
threads_and_ranks_count_the_same(void **state)
{
    struct topo_build tree = { .k = 4, .link = { .rate_bps = 10 * G, .delay_ps = US } };
    uint64_t params[TP_PARAMS_MAX / sizeof(uint64_t)];
    struct net net;

    (void)state;
    net_start(&net, topo_build_fat_tree, &tree, MODEL_ENDLESS, 3);
    net.config.buffer.reserve_bytes = 1000000;
    for (uint32_t f = 0; f < net.config.n_flows; f++) {
        net.flows[f].from = net_nic(&net, f ? f : 1);
        /* No ACK crosses the long queue to host 0, so none is marked, and all packets arrive. */
        net.flows[f].to = net_nic(&net, 0);
        net.flows[f].bytes = 40 * MTU;
    }
    net_use(&net, "ecn");
    hand_set(&net, "kmin", 3000);
    hand_set(&net, "kmax", 9000);
    control(&net, &tp_dcqcn, params);
    set(&tp_dcqcn, params, "notify", 5 * (uint64_t)US);
    net.config.run.until_ps = 5000 * US;
    struct signals one = count_by_threads(&net, 1);
    assert_int_equal(one.n_marked, one.n_marked_of_flows);
    assert_int_equal(one.n_cnps, one.n_cnps_of_flows);
    assert_true(one.n_marked > one.n_cnps && one.n_cnps > 10);
    for (uint32_t n = 2; n <= 4; n += 2) {
        struct signals more = count_by_threads(&net, n);
        assert_memory_equal(&more, &one, sizeof one);
    }
    net.config.run.n_threads = 1;
    struct signals by_ranks = count_by_ranks(&net);
    assert_memory_equal(&by_ranks, &one, sizeof one);
    net_stop(&net);
}

/* Values that transports set. */

/* Runs two flows over one switch, up to a time. */
static struct sim *
run_until(struct net *net, const struct transport *t, uint64_t *params, weir_ps until_ps)
{
    hand_incast(net, 2, 10 * G, US);
    net_use(net, "ecn");
    hand_set(net, "kmin", 30000);
    hand_set(net, "kmax", 30000);
    control(net, t, params);
    net->config.run.until_ps = until_ps;
    return hand_run(net);
}

/* At the first CNP alpha is 1, so the rate is half of the line rate until the next CNP, or until
 * the flow recovers, which takes at least 50 us. */
static void
the_pace_of_dcqcn_is_its_rate(void **state)
{
    uint64_t params[TP_PARAMS_MAX / sizeof(uint64_t)];
    weir_ps until_ps = 0;
    uint64_t n_cnps = 0;

    (void)state;
    while (!n_cnps) { /* The first CNP is in flight for at most 3 us. */
        struct net net;
        until_ps += 5 * US;
        struct sim *sim = run_until(&net, &tp_dcqcn, params, until_ps);
        n_cnps = sim_flow_result(sim, 0).n_cnps;
        if (!n_cnps) {
            assert_true(sim_flow_pace_bps(sim, 0) == WEIR_UNLIMITED);
        }
        sim_free(sim);
        net_stop(&net);
    }
    struct net net;
    struct sim *sim = run_until(&net, &tp_dcqcn, params, until_ps + 10 * US);
    assert_int_equal(sim_flow_result(sim, 0).n_cnps, 1);
    assert_int_equal(sim_flow_pace_bps(sim, 0), 5 * G);
    assert_true(sim_flow_window_bytes(sim, 0) == WEIR_UNLIMITED);
    sim_free(sim);
    net_stop(&net);
}

/* Both transports may send a bandwidth-delay product and one packet more, HPCC a byte less: a
 * packet that begins within the window may be sent.  Returns the bytes on an empty path at line
 * rate: two links of 1 us with a packet on each, and an ACK on its way back. */
static uint64_t
path_bytes(void)
{
    weir_ps way = US + weir_wire_ps(MTU, 10 * G),
            back = US + weir_wire_ps(WEIR_CONTROL_BYTES, 10 * G);

    return weir_wire_bytes(2 * (way + back), 10 * G);
}

static void
windows_are_those_of_their_transports(void **state)
{
    const struct transport *const kinds[] = { &tp_hpcc, &tp_dctcp };
    uint64_t params[TP_PARAMS_MAX / sizeof(uint64_t)], path = path_bytes();

    (void)state;
    for (int i = 0; i < 2; i++) { /* At this time nothing is acknowledged yet. */
        struct net net;
        struct sim *sim = run_until(&net, kinds[i], params, 3 * US);
        assert_int_equal(sim_flow_window_bytes(sim, 0), path + MTU - !i);
        sim_free(sim);
        net_stop(&net);
    }
    struct net net; /* With a lower rate, the window is smaller by the same factor. */
    struct sim *sim = run_until(&net, &tp_hpcc, params, 1000 * US);
    uint64_t pace_bps = sim_flow_pace_bps(sim, 0);
    assert_in_range(pace_bps, 4 * G, 6 * G);
    assert_int_equal(sim_flow_window_bytes(sim, 0), weir_mul_div(path, pace_bps, 10 * G) + MTU - 1);
    sim_free(sim);
    net_stop(&net);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_queue_marks_and_notifies),
        cmocka_unit_test(pauses_and_rates_are_those_that_were_told),
        cmocka_unit_test(threads_and_ranks_count_the_same),
        cmocka_unit_test(the_pace_of_dcqcn_is_its_rate),
        cmocka_unit_test(windows_are_those_of_their_transports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

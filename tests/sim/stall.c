/* NICs that do not drain for a while: nothing is lost, and all packets are received at the end of
 * the stall. */

#include "hand.h"

#define US ((weir_ps)1000000)
#define MS ((weir_ps)1000000000)

static struct model_stall stalls[2];

/* Two hosts with a switch between them, 10 Gb/s and 1 us; the second host stalls from 'from_ps' on.
 */
static void
start(struct net *net, const char *engine, weir_ps from_ps, weir_ps until_ps)
{
    hand_incast(net, 1, 10000000000, US);
    net_use(net, engine);
    net->config.buffer.reserve_bytes = 1000000;
    stalls[0] = (struct model_stall){ net->flows[0].to, 0xff, from_ps, until_ps };
    net->config.stalls = stalls;
    net->config.n_stalls = 1;
}

static uint32_t
port_in(const struct net *net)
{
    return net->topo.nodes[net->flows[0].to].first_port;
}

static const char *const engines[] = { "pfc", "cbfc", "gfc-conceptual", "gfc-buffer", "gfc-time" };

enum { N_ENGINES = sizeof engines / sizeof *engines };

/* Ten packets arrive within 2 x 2.2 us and nine packet times, and are received when the stall ends.
 */
static void
what_is_held_comes_at_the_end(void **state)
{
    struct net net;

    (void)state;
    for (size_t i = 0; i < N_ENGINES; i++) {
        start(&net, engines[i], 0, 2 * MS);
        net.flows[0].bytes = 10 * 1500;
        struct sim *sim = hand_run(&net);
        struct sim_flow_result r = sim_flow_result(sim, 0);
        assert_int_equal(r.n_received, 10);
        assert_int_equal(r.first_ps, 2 * MS);
        assert_int_equal(r.last_ps, 2 * MS);
        assert_int_equal(sim_queue_peak_bytes(sim, port_in(&net), 0), 10 * 1500);
        assert_int_equal(sim_queue_bytes(sim, port_in(&net), 0), 0);
        sim_free(sim);
        net_stop(&net);
    }
}

/* The 20th packet reaches XOFF; it arrives at 4.4 us and 19 packet times. The switch is paused 51.2
 * ns, 1 us and 3 us later.  From 2.2 us on it starts a packet every 1.2 us, so it has started 25
 * packets by the time of the pause. */
static void
pfc_holds_what_was_on_its_way(void **state)
{
    struct net net;

    (void)state;
    start(&net, "pfc", 0, 20 * MS);
    hand_set(&net, "xoff", 20 * 1500);
    hand_set(&net, "xon", 18 * 1500);
    struct sim *sim = hand_run(&net);
    assert_int_equal(sim_queue_bytes(sim, port_in(&net), 0), 25 * 1500);
    assert_int_equal(sim_flow_result(sim, 0).n_received, 0);
    uint32_t out = hand_port(&net, 0, net.flows[0].to);
    assert_int_equal(sim_port_result(sim, out).n_sent, 25);
    assert_true(sim_gate_state(sim, out, 0, sim_now(sim)).is_paused);
    sim_free(sim);
    net_stop(&net);
}

/* Every engine stops its sender before the buffer is full, and resumes it afterwards. */
static void
nothing_is_lost(void **state)
{
    struct net net;

    (void)state;
    for (size_t i = 0; i < N_ENGINES; i++) {
        start(&net, engines[i], MS, 4 * MS);
        net.config.run.until_ps = 20 * MS;
        struct sim *sim = hand_run(&net);
        assert_int_equal(sim_totals(sim).n_dropped, 0);
        assert_in_range(sim_queue_peak_bytes(sim, port_in(&net), 0), 500000, 1000000);
        ASSERT_NEAR(sim_flow_late_bps(sim, 0), 10000000000, 20000000);
        sim_free(sim);
        net_stop(&net);
    }
}

/* A host that drains at once has an empty queue, whatever its thresholds are: here no packet fits
 * below them. */
static void
a_host_that_drains_pauses_nobody(void **state)
{
    static const char *const thresholds[] = { "static", "dynamic" };
    struct weir_text why = { 0 };
    struct net net;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        hand_incast(&net, 2, 10000000000, US);
        net_use(&net, "pfc");
        net.config.buffer =
            (struct weir_buffer_class){ .headroom_bytes = 20000, .limit_bytes = 100000 };
        net.config.shared_bytes = 1000000;
        assert_true(weir_stack_set(&net.config.stack, 0, "threshold", thresholds[i], &why));
        hand_set(&net, "xoff", i ? WEIR_AUTO : 64);
        hand_set(&net, "xon", 0);
        struct sim *sim = hand_run(&net);
        uint32_t out = hand_port(&net, 0, net.flows[0].to);
        assert_int_equal(sim_gate_state(sim, out, 0, sim_now(sim)).n_pfc_pauses, 0);
        assert_true(sim_totals(sim).n_pfc_pauses > 0); /* The pauses that the switch requests. */
        assert_int_equal(sim_totals(sim).n_dropped, 0);
        sim_free(sim);
        net_stop(&net);
    }
}

static void
without_an_engine_the_nic_overflows(void **state)
{
    struct net net;

    (void)state;
    start(&net, "none", 0, 20 * MS);
    struct sim *sim = hand_run(&net);
    uint64_t n_came = (uint64_t)((10 * MS - 4400000) / 1200000) + 1, n_fit = 1000000 / 1500;
    assert_int_equal(sim_port_result(sim, port_in(&net)).n_dropped[WEIR_DROP_LIMIT],
                     n_came - n_fit);
    assert_int_equal(sim_totals(sim).n_dropped, n_came - n_fit);
    assert_int_equal(sim_totals(sim).n_dropped_lossless, n_came - n_fit);
    sim_free(sim);
    net_stop(&net);
}

static void
other_classes_go_on(void **state)
{
    struct net net;

    (void)state;
    hand_incast(&net, 2, 10000000000, US);
    net_use(&net, "pfc");
    net.config.n_classes = 2;
    net.config.lossless = 3;
    net.config.buffer.reserve_bytes = 1000000;
    net.flows[1].cls = 1;
    stalls[0] = (struct model_stall){ net.flows[0].to, 1 << 1, 0, 20 * MS };
    net.config.stalls = stalls;
    net.config.n_stalls = 1;
    struct sim *sim = hand_run(&net);
    assert_int_equal(sim_flow_result(sim, 1).n_received, 0);
    ASSERT_NEAR(sim_flow_late_bps(sim, 0), 10000000000, 20000000);
    sim_free(sim);
    net_stop(&net);
}

/* Stalls from 0 to 3 ms and from 2 to 4 ms, in either order, last until 4 ms, and so do stalls that
 * meet at 3 ms.  If the second begins a picosecond after the first ends, the host drains between.
 */
static void
stalls_may_overlap_or_meet(void **state)
{
    const struct {
        weir_ps from[2], until[2], first;
    } cases[] = { { { 0, 2 * MS }, { 3 * MS, 4 * MS }, 4 * MS },
                  { { 2 * MS, 0 }, { 4 * MS, 3 * MS }, 4 * MS },
                  { { 0, 3 * MS }, { 3 * MS, 4 * MS }, 4 * MS },
                  { { 0, 3 * MS + 1 }, { 3 * MS, 4 * MS }, 3 * MS } };
    struct net net;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        start(&net, "pfc", cases[i].from[0], cases[i].until[0]);
        stalls[1] =
            (struct model_stall){ net.flows[0].to, 0xff, cases[i].from[1], cases[i].until[1] };
        net.config.n_stalls = 2;
        net.flows[0].bytes = 10 * 1500;
        struct sim *sim = hand_run(&net);
        assert_int_equal(sim_flow_result(sim, 0).first_ps, cases[i].first);
        sim_free(sim);
        net_stop(&net);
    }
}

/* A stalled sender also receives no acknowledgements, and retransmits. */
static void
acknowledgements_are_held_too(void **state)
{
    struct net net;

    (void)state;
    for (int i = 0; i < 2; i++) {
        start(&net, "pfc", 0, 5 * MS);
        stalls[0].node = net.flows[0].from;
        net.config.n_stalls = (uint32_t)i;
        net.config.retry_ps = MS;
        net.flows[0].transport = &tp_rdma;
        net.flows[0].bytes = 10 * 1500;
        struct sim *sim = hand_run(&net);
        assert_int_equal(sim_flow_result(sim, 0).received_bytes, 10 * 1500);
        assert_int_equal(sim_flow_result(sim, 0).sent_bytes > 10 * 1500, i);
        sim_free(sim);
        net_stop(&net);
    }
}

/* A permanent stall fills the network, but no cycle of waiting buffers closes. */
static void
a_stall_is_no_deadlock(void **state)
{
    static const struct topo_build fat_tree = {
        .k = 4, .link = { .rate_bps = 10000000000, .delay_ps = 1000000 }
    };
    struct net net;

    (void)state;
    for (size_t i = 0; i < N_ENGINES; i++) {
        net_start(&net, topo_build_fat_tree, &fat_tree, MODEL_ENDLESS, 1);
        for (uint32_t f = 1; f < net.config.n_flows; f++) {
            net.flows[f].to = net.flows[0].from;
        }
        stalls[0] = (struct model_stall){ net.flows[0].from, 0xff, 0, WEIR_NEVER };
        net.config.stalls = stalls;
        net.config.n_stalls = 1;
        net.config.run.until_ps = 10 * MS;
        struct sim *sim = net_run(&net, engines[i], "rr", 2);
        assert_false(sim_deadlock(sim).found);
        assert_int_equal(sim_flow_late_bps(sim, 1), 0);
        sim_free(sim);
        net_stop(&net);
    }
}

static void
a_switch_does_not_stall(void **state)
{
    struct err err;
    struct net net;

    (void)state;
    start(&net, "pfc", 0, MS);
    stalls[0].node = 0;
    assert_null(simple_net_sim_new(&net.config, &err));
    assert_non_null(strstr(err.text, "S0 is a switch"));
    net_stop(&net);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_held_comes_at_the_end),
        cmocka_unit_test(pfc_holds_what_was_on_its_way),
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(a_host_that_drains_pauses_nobody),
        cmocka_unit_test(without_an_engine_the_nic_overflows),
        cmocka_unit_test(other_classes_go_on),
        cmocka_unit_test(stalls_may_overlap_or_meet),
        cmocka_unit_test(acknowledgements_are_held_too),
        cmocka_unit_test(a_stall_is_no_deadlock),
        cmocka_unit_test(a_switch_does_not_stall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Flows that are stopped: the bytes that they send until then, and the retransmission of those that
 * are lost. */

#include "pair.h"

#define US ((weir_ps)1000000)

static uint64_t
n_starts(weir_ps first, weir_ps end)
{
    return (uint64_t)((end - first + wire - 1) / wire);
}

static struct sim *
run_raw(struct net *net, uint64_t bytes, weir_ps start_ps, weir_ps stop_ps)
{
    pair_start(net, 1, NULL);
    net->flows[0].transport = NULL;
    net->flows[0].bytes = bytes;
    net->flows[0].start_ps = start_ps;
    net->flows[0].stop_ps = stop_ps;
    net->config.run.until_ps = 1000 * US;
    return hand_run(net);
}

/* No packet starts at the stop time or later, also if the flow would start at that time. */
static void
no_packet_starts_then_or_later(void **state)
{
    static const weir_ps starts[] = { 0, 7 * US + 3 };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const weir_ps stops[] = { 1, wire, wire + 1, 100 * wire - 1, 100 * wire, 100 * wire + 1 };
        for (size_t k = 0; k < sizeof stops / sizeof *stops; k++) {
            struct net net;
            struct sim *sim = run_raw(&net, MODEL_ENDLESS, starts[i], starts[i] + stops[k]);
            struct sim_flow_result r = sim_flow_result(sim, 0);
            assert_int_equal(r.sent_bytes / MTU, n_starts(0, stops[k]));
            assert_int_equal(r.received_bytes, r.sent_bytes);
            assert_true(sim_flow_is_stopped(sim, 0));
            pair_stop(&net, sim);
        }
    }
}

static void
a_flow_that_is_through_before_is_not_stopped(void **state)
{
    const uint64_t bytes = 10 * MTU - 77;
    struct net net;

    (void)state;
    for (uint32_t n = 9; n <= 11; n++) {
        struct sim *sim = run_raw(&net, bytes, 0, n * wire);
        struct sim_flow_result r = sim_flow_result(sim, 0);
        assert_int_equal(r.received_bytes, n < 10 ? n * MTU : bytes);
        assert_int_equal(sim_flow_is_stopped(sim, 0), n < 10);
        assert_int_equal(sim_flow_ideal_ps(sim, 0), 11 * wire - 77 * 800 + delay);
        pair_stop(&net, sim);
    }
}

/* The links lose a packet in 20. All data that was sent before the stop has arrived at the end, and
 * the sender is idle. */
static void
assert_recovered(const struct transport *transport, const struct recovery *recovery,
                 uint32_t ack_every, uint64_t bytes)
{
    uint64_t params[TP_PARAMS_MAX / sizeof(uint64_t)];
    struct net net;

    weir_fields_default(transport->about.params, params);
    pair_start(&net, 1, recovery);
    net.topo.links[0].loss = net.topo.links[1].loss = WEIR_RATIO_1 / 20;
    net.flows[0].transport = transport;
    net.flows[0].transport_params = params;
    net.flows[0].bytes = bytes;
    net.flows[0].stop_ps = 300 * US;
    net.config.retry_ps = 100 * US;
    net.config.ack_every = ack_every;
    net.config.run.until_ps = 20000 * US;
    struct sim *sim = hand_run(&net);
    struct sim_flow_result r = sim_flow_result(sim, 0);
    assert_true(sim_totals(sim).n_lost > 0);
    assert_true(sim_flow_is_stopped(sim, 0));
    assert_true(r.received_bytes > 0 && r.received_bytes <= n_starts(0, 300 * US) * MTU);
    assert_int_equal(r.received_bytes, r.sent_bytes - r.retransmitted_bytes);
    assert_true(r.last_ps < 10000 * US);
    pair_stop(&net, sim);
}

static void
what_was_lost_is_sent_again(void **state)
{
    (void)state;
    for (uint32_t ack_every = 1; ack_every <= 7; ack_every += 3) {
        assert_recovered(&tp_rdma, &rc_go_back_n, ack_every, MODEL_ENDLESS);
        assert_recovered(&tp_rdma, &rc_selective, ack_every, MODEL_ENDLESS);
        assert_recovered(&tp_rdma, &rc_selective, ack_every, 1000 * MTU - 1);
        assert_recovered(&tp_dcqcn, &rc_go_back_n, ack_every, MODEL_ENDLESS);
    }
}

/* A run that waits for its flows does not wait for a flow that was stopped. */
static void
nobody_waits_for_a_flow_that_was_stopped(void **state)
{
    struct net net;

    (void)state;
    pair_start(&net, 1, NULL);
    net.flows[0].bytes = 100000000;
    net.flows[0].stop_ps = 50 * US;
    net.config.run.measured.until_ps = 100 * US;
    struct sim *sim = hand_run(&net);
    assert_true(sim_now(sim) < 1000 * US);
    pair_stop(&net, sim);
}

static uint64_t
run_ring(uint32_t n_threads, void (*run)(struct sim *))
{
    const struct topo_build b = { .switches = 5, .link = { .rate_bps = 10 * G, .delay_ps = US } };
    struct net net;

    net_start(&net, topo_build_ring, &b, MODEL_ENDLESS, 2);
    for (uint32_t i = 0; i < net.config.n_flows; i++) {
        net.flows[i].stop_ps = (50 + 30 * i) * US;
        net.flows[i].transport = i % 2 ? &tp_rdma : NULL;
    }
    net_use(&net, "pfc");
    return net_hash(&net, n_threads, run);
}

static void
threads_and_the_reference_agree(void **state)
{
    (void)state;
    net_assert_same(run_ring);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_packet_starts_then_or_later),
        cmocka_unit_test(a_flow_that_is_through_before_is_not_stopped),
        cmocka_unit_test(what_was_lost_is_sent_again),
        cmocka_unit_test(nobody_waits_for_a_flow_that_was_stopped),
        cmocka_unit_test(threads_and_the_reference_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Selective repeat at the NICs: lost packets, and no others, are retransmitted at the calculated
 * time (pair.h). */

#include "pair.h"

/* The receiver acknowledges packet k + 1 separately when it arrives, after a pending ACK for
 * packets before k. This ACK reaches the sender 2 f + d later, or 3 f + d after a pending ACK.  The
 * sender retransmits k when the current packet has left, and then continues where it was. */
static void
a_lost_packet_alone_is_sent_again(void **state)
{
    (void)state;
    for (uint32_t ack_every = 1; ack_every <= 5; ack_every += 4) {
        for (uint32_t n = 2; n <= 40; n += 19) {
            for (uint32_t k = 0; k + 1 < n; k++) {
                struct net net;
                struct sim *sim = pair_run_with_loss(&net, &rc_selective, n, k, ack_every);
                struct sim_flow_result r = sim_flow_result(sim, 0);
                weir_ps heard = (k + 3) * wire + 2 * delay + (k % ack_every ? 3 : 2) * ack;
                weir_ps again = heard < n * wire ? (heard + wire - 1) / wire * wire : heard;
                bool is_last = again >= n * wire; /* All other packets have been sent. */
                struct sim_note note = only_note(sim);
                assert_int_equal(note.at_ps, heard);
                assert_int_equal(note.value, k);
                assert_int_equal(r.sent_bytes / MTU, n + 1);
                assert_int_equal(r.discarded_bytes, 0);
                assert_int_equal(r.last_ps, (is_last ? again + 2 * wire : (n + 2) * wire) + delay);
                pair_stop(&net, sim);
            }
        }
    }
}

/* Nothing arrives after the last packet, so only a timeout of the sender detects its loss. The
 * sender received the last ACK before at (i + 2) w + 2 d + 2 f, where i is the packet of that ACK,
 * or it received nothing since it started.  Packets that are not acknowledged by then are
 * retransmitted, too. */
static void
a_lost_last_packet_is_sent_again_in_time(void **state)
{
    (void)state;
    for (uint32_t ack_every = 1; ack_every <= 5; ack_every++) {
        for (uint32_t n = 1; n <= 12; n++) {
            struct net net;
            struct sim *sim = pair_run_with_loss(&net, &rc_selective, n, n - 1, ack_every);
            uint32_t n_acked = (n - 1) / ack_every * ack_every;
            weir_ps heard = n_acked ? (n_acked + 1) * wire + 2 * delay + 2 * ack : 0;
            struct sim_note note = only_note(sim);
            assert_int_equal(note.at_ps, heard + retry);
            assert_int_equal(note.value, n_acked);
            assert_int_equal(sim_flow_result(sim, 0).sent_bytes / MTU, 2 * n - n_acked);
            assert_int_equal(sim_flow_result(sim, 0).discarded_bytes / MTU, n - 1 - n_acked);
            assert_int_equal(sim_flow_result(sim, 0).last_ps,
                             heard + retry + (n - n_acked + 1) * wire + delay);
            pair_stop(&net, sim);
        }
    }
}

static void
without_loss_nothing_is_sent_twice(void **state)
{
    (void)state;
    for (uint32_t ack_every = 1; ack_every <= 7; ack_every++) {
        for (uint32_t n = 1; n <= 3000; n = 3 * n + 4) {
            struct net net;
            pair_start(&net, 1, &rc_selective);
            net.flows[0].bytes = (uint64_t)n * MTU - 7;
            net.config.ack_every = ack_every;
            struct sim *sim = hand_run(&net);
            struct sim_flow_result r = sim_flow_result(sim, 0);
            assert_int_equal(r.received_bytes, net.flows[0].bytes);
            assert_int_equal(r.sent_bytes, net.flows[0].bytes);
            assert_int_equal(r.last_ps, sim_flow_ideal_ps(sim, 0));
            assert_int_equal(sim_port_result(sim, hand_port(&net, RECEIVER, SWITCH)).n_sent,
                             (n + ack_every - 1) / ack_every);
            pair_stop(&net, sim);
        }
    }
}

/* With a span of s packets and a round trip r = 2 (w + f + d), s packets are sent per round trip,
 * if that is less than the link carries. */
static void
the_span_is_a_window(void **state)
{
    uint64_t params[RC_PARAMS_MAX / sizeof(uint64_t)];
    const weir_ps round = 2 * (wire + ack + delay);

    (void)state;
    weir_fields_default(rc_selective.about.params, params);
    for (uint32_t span = 2; span <= 8; span *= 2) {
        struct net net;
        pair_start(&net, 1, &rc_selective);
        weir_field_set(weir_field_find(rc_selective.about.params, "span"), params, span);
        net.flows[0].recovery_params = params;
        struct sim *sim = hand_run(&net);
        uint64_t by_span = (uint64_t)(net.config.run.until_ps / round) * span;
        uint64_t by_wire = (uint64_t)(net.config.run.until_ps / wire);
        ASSERT_NEAR(sim_flow_result(sim, 0).n_received, by_span < by_wire ? by_span : by_wire,
                    span + 8);
        pair_stop(&net, sim);
    }
}

/* A flow takes a long path, and then, when a link is up again, a short one. A packet that leaves
 * the first switch j packets after the last one on the long path is at the second switch j w + w +
 * 1 us later. That last packet takes 2 w + 20 us, so the packet with j = 16 is the last to overtake
 * it.  Each packet before it is overtaken by one packet fewer, the last of which was also sent 16
 * packets later.  So 16 packets are overtaken by packets that were sent 16 later, and none by
 * packets that were sent even later. */
static struct sim *
run_with_new_route(struct net *net, uint64_t *params, uint32_t reorder)
{
    enum { NEAR, FAR, MIDDLE, FROM, TO };
    static const struct topo_link_event events[] = { { 2, 1, false }, { 2, 100000000, true } };

    hand_start(net);
    hand_switch(net);
    hand_switch(net);
    hand_switch(net);
    hand_nic(net);
    hand_nic(net);
    hand_link(net, FROM, NEAR, 10 * G, delay);
    hand_link(net, TO, FAR, 10 * G, delay);
    hand_link(net, NEAR, FAR, 10 * G, delay);
    hand_link(net, NEAR, MIDDLE, 10 * G, 10 * delay);
    hand_link(net, MIDDLE, FAR, 10 * G, 10 * delay);
    hand_finish(net, 1);
    weir_fields_default(rc_selective.about.params, params);
    weir_field_set(weir_field_find(rc_selective.about.params, "reorder"), params, reorder);
    net->flows[0] = (struct simple_net_flow){ .from = FROM,
                                              .to = TO,
                                              .bytes = 400 * MTU,
                                              .rate_bps = WEIR_UNLIMITED,
                                              .start_ps = 20000000,
                                              .transport = &tp_rdma,
                                              .recovery = &rc_selective,
                                              .recovery_params = params };
    net->config.link_events = events;
    net->config.n_link_events = 2;
    net->config.reroute_ps = 5000000;
    net->config.arbitration = "fifo";
    net_use(net, "none");
    return hand_run(net);
}

static void
reordering_within_the_distance_is_no_loss(void **state)
{
    uint64_t params[RC_PARAMS_MAX / sizeof(uint64_t)];

    (void)state;
    for (uint32_t reorder = 0; reorder <= 20; reorder++) {
        struct net net;
        struct sim *sim = run_with_new_route(&net, params, reorder);
        struct sim_flow_result r = sim_flow_result(sim, 0);
        uint64_t n_again = r.sent_bytes / MTU - 400;
        assert_int_equal(r.n_received, 400);
        assert_int_equal(r.discarded_bytes, n_again * MTU);
        /* Packets that are acknowledged before the link is free for their retransmission are not
         * retransmitted. */
        assert_in_range(n_again, reorder < 16 ? 1 : 0, reorder < 16 ? 16 : 0);
        pair_stop(&net, sim);
    }
}

/* On links that lose packets, ACKs and frames of every kind, all data arrives, under any congestion
 * control. */

enum { N_SENDERS = 3, N_PACKETS = 600 };

static uint64_t
sent_of(const char *engine, const struct transport *transport, const struct recovery *recovery,
        uint64_t loss, uint32_t ack_every)
{
    struct net net;
    uint64_t params[TP_PARAMS_MAX / sizeof(uint64_t)], sent = 0;

    weir_fields_default(transport->about.params, params);
    hand_incast(&net, N_SENDERS, 10 * G, delay);
    for (size_t i = 0; i < net.topo.n_links; i++) {
        net.topo.links[i].loss = loss;
    }
    for (uint32_t i = 0; i < N_SENDERS; i++) {
        net.flows[i].bytes = N_PACKETS * MTU - 11;
        net.flows[i].transport = transport;
        net.flows[i].transport_params = params;
        net.flows[i].recovery = recovery;
    }
    net.config.buffer.reserve_bytes = 3000000;
    net.config.retry_ps = 400000000;
    net.config.ack_every = ack_every;
    net.config.run.until_ps = 1000000000000;
    net_use(&net, engine);
    struct sim *sim = hand_run(&net);
    assert_true(sim_totals(sim).n_lost > 0);
    for (uint32_t i = 0; i < N_SENDERS; i++) {
        struct sim_flow_result r = sim_flow_result(sim, i);
        assert_int_equal(r.received_bytes, net.flows[i].bytes);
        assert_int_equal(r.n_received, N_PACKETS);
        sent += r.sent_bytes;
    }
    pair_stop(&net, sim);
    return sent;
}

static void
what_is_lost_arrives_whole(void **state)
{
    (void)state;
    for (uint32_t e = 0; weir_engine_at(e); e++) {
        const char *engine = weir_engine_at(e)->about.name;
        sent_of(engine, &tp_rdma, &rc_selective, WEIR_RATIO_1 / 10, 1);
        sent_of(engine, &tp_rdma, &rc_selective, WEIR_RATIO_1 / 100, 5);
    }
    for (uint32_t ack_every = 1; ack_every <= 64; ack_every += 63) {
        sent_of("pfc", &tp_dcqcn, &rc_selective, WEIR_RATIO_1 / 20, ack_every);
        sent_of("pfc", &tp_dctcp, &rc_selective, WEIR_RATIO_1 / 20, ack_every);
    }
}

/* One in a hundred packets and ACKs is lost on each of two links. Go-back-N retransmits several
 * times the lost bytes, selective repeat about the lost bytes. */
static void
less_is_sent_again_than_by_going_back(void **state)
{
    const uint64_t all = N_SENDERS * (N_PACKETS * MTU - 11);
    uint64_t back = sent_of("pfc", &tp_rdma, &rc_go_back_n, WEIR_RATIO_1 / 100, 1) - all;
    uint64_t selective = sent_of("pfc", &tp_rdma, &rc_selective, WEIR_RATIO_1 / 100, 1) - all;

    (void)state;
    assert_in_range(selective, all / 100, all / 20);
    assert_true(back > 4 * selective);
}

/* DCTCP without acknowledgements would stop after a window, so it is refused. */
static void
a_window_needs_acknowledgements(void **state)
{
    uint64_t params[TP_PARAMS_MAX / sizeof(uint64_t)];
    struct net net;
    struct err err = { 0 };

    (void)state;
    weir_fields_default(tp_dctcp.about.params, params);
    pair_start(&net, 1, &rc_selective);
    net.flows[0].transport = &tp_dctcp;
    net.flows[0].transport_params = params;
    net.flows[0].recovery = &rc_none;
    assert_null(simple_net_sim_new(&net.config, &err));
    assert_non_null(strstr(err.text, "acknowledgements"));
    net_stop(&net);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lost_packet_alone_is_sent_again),
        cmocka_unit_test(a_lost_last_packet_is_sent_again_in_time),
        cmocka_unit_test(without_loss_nothing_is_sent_twice),
        cmocka_unit_test(the_span_is_a_window),
        cmocka_unit_test(reordering_within_the_distance_is_no_loss),
        cmocka_unit_test(what_is_lost_arrives_whole),
        cmocka_unit_test(less_is_sent_again_than_by_going_back),
        cmocka_unit_test(a_window_needs_acknowledgements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

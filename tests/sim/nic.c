/* Go-back-N at the NICs: lost packets are retransmitted at the time that is calculated on paper
 * (pair.h). */

#include "pair.h"

/* The receiver sends a NACK when packet k + 1 arrives, and the NACK arrives 2 f + d later.  The
 * sender continues with packet k when the current packet has left.  Packets that it had sent after
 * k were wasted; from k on all packets follow without a gap, for any number of packets per ACK. */
static void
a_lost_packet_is_sent_again_when_that_is_heard(void **state)
{
    (void)state;
    for (uint32_t ack_every = 1; ack_every <= 5; ack_every += 4) {
        for (uint32_t n = 2; n <= 40; n += 19) {
            for (uint32_t k = 0; k + 1 < n; k++) {
                struct net net;
                struct sim *sim = pair_run_with_loss(&net, NULL, n, k, ack_every);
                struct sim_flow_result r = sim_flow_result(sim, 0);
                weir_ps heard = (k + 3) * wire + 2 * delay + 2 * ack;
                weir_ps next = (heard + wire - 1) / wire * wire;
                weir_ps again = heard < n * wire ? next : heard;
                uint64_t n_out = heard < n * wire ? (uint64_t)(next / wire) : n;
                struct sim_note note = only_note(sim);
                assert_int_equal(note.at_ps, heard);
                assert_int_equal(note.value, k);
                assert_int_equal(note.flow, 0);
                assert_int_equal(r.sent_bytes / MTU, n_out + n - k);
                assert_int_equal(r.discarded_bytes / MTU, n_out - k - 1);
                assert_int_equal(r.last_ps, again + (n - k + 1) * wire + delay);
                pair_stop(&net, sim);
            }
        }
    }
}

/* Nothing arrives after the last packet, so only a timeout of the sender detects its loss. The
 * sender received the last ACK before at (i + 2) w + 2 d + 2 f, where i is the packet of that ACK,
 * or it received nothing since it started. */
static void
a_lost_last_packet_is_sent_again_in_time(void **state)
{
    (void)state;
    for (uint32_t ack_every = 1; ack_every <= 5; ack_every++) {
        for (uint32_t n = 1; n <= 12; n++) {
            struct net net;
            struct sim *sim = pair_run_with_loss(&net, NULL, n, n - 1, ack_every);
            uint32_t n_acked = (n - 1) / ack_every * ack_every;
            weir_ps heard = n_acked ? (n_acked + 1) * wire + 2 * delay + 2 * ack : 0;
            weir_ps again = heard + retry;
            struct sim_note note = only_note(sim);
            assert_int_equal(note.at_ps, again);
            assert_int_equal(note.value, n_acked);
            assert_int_equal(sim_flow_result(sim, 0).sent_bytes / MTU, 2 * n - n_acked);
            assert_int_equal(sim_flow_result(sim, 0).last_ps,
                             again + (n - n_acked + 1) * wire + delay);
            pair_stop(&net, sim);
        }
    }
}

/* If the ACK for the last packet is lost, that packet is retransmitted, discarded, and acknowledged
 * again. This happens once, and then the flow rests. */
static void
a_lost_last_ack_is_given_again(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 12; n++) {
        struct net net;
        struct sim *sim = pair_run_with_cut(&net, NULL, n, 1, (n + 1) * wire + delay + ack / 2);
        weir_ps heard = n > 1 ? n * wire + 2 * delay + 2 * ack : 0;
        struct sim_note note = only_note(sim);
        assert_int_equal(note.at_ps, heard + retry);
        assert_int_equal(note.value, n - 1);
        assert_int_equal(sim_flow_result(sim, 0).discarded_bytes, MTU);
        assert_int_equal(sim_flow_result(sim, 0).last_ps, (n + 1) * wire + delay);
        pair_stop(&net, sim);
    }
}

/* The receiver sends an ACK for every few packets, and for the last one.  On a free return path
 * ACKs cost nothing: the flow takes as long as a flow without ACKs. */
static void
without_loss_nothing_is_sent_twice(void **state)
{
    (void)state;
    for (uint32_t ack_every = 1; ack_every <= 7; ack_every++) {
        for (uint32_t n = 1; n <= 3000; n = 3 * n + 4) {
            struct net net;
            pair_start(&net, 1, NULL);
            net.flows[0].bytes = (uint64_t)n * MTU - 7;
            net.config.ack_every = ack_every;
            struct sim *sim = hand_run(&net);
            struct sim_flow_result r = sim_flow_result(sim, 0);
            size_t n_notes;
            assert_int_equal(r.received_bytes, net.flows[0].bytes);
            assert_int_equal(r.sent_bytes, net.flows[0].bytes);
            assert_int_equal(r.discarded_bytes, 0);
            assert_int_equal(r.last_ps, sim_flow_ideal_ps(sim, 0));
            assert_int_equal(sim_port_result(sim, hand_port(&net, RECEIVER, SWITCH)).n_sent,
                             (n + ack_every - 1) / ack_every);
            sim_take_notes(sim, &n_notes);
            assert_int_equal(n_notes, 0);
            pair_stop(&net, sim);
        }
    }
}

/* Two flows go in opposite directions: with each packet of a flow, an m-th of an ACK of the other
 * flow is sent, so each flow gets C L / (L + 64 B / m). */
static void
acks_take_their_part_of_the_wire(void **state)
{
    (void)state;
    for (uint32_t m = 1; m <= 5; m += 2) {
        struct net net;
        pair_start(&net, 2, NULL);
        net.flows[1].from = RECEIVER;
        net.flows[1].to = SENDER;
        net.config.ack_every = m;
        struct sim *sim = hand_run(&net);
        uint64_t most = (uint64_t)(net.config.run.until_ps * m / (wire * m + ack));
        ASSERT_NEAR(sim_flow_result(sim, 0).n_received, most, 8);
        ASSERT_NEAR(sim_flow_result(sim, 1).n_received, most, 8);
        pair_stop(&net, sim);
    }
}

/* ACKs go first, but a host that receives at full speed sends only one ACK of 64 B each w, so its
 * own packets get the rest of the link. */
static void
acks_do_not_starve_data(void **state)
{
    struct net net;

    (void)state;
    pair_start(&net, 2, NULL);
    net.flows[1].from = RECEIVER;
    net.flows[1].to = SENDER;
    net.flows[1].transport = &tp_raw;
    struct sim *sim = hand_run(&net);
    weir_ps until = net.config.run.until_ps;
    ASSERT_NEAR(sim_flow_result(sim, 0).n_received, until / wire, 8);
    ASSERT_NEAR(sim_flow_result(sim, 1).n_received, until / wire * (wire - ack) / wire, 8);
    pair_stop(&net, sim);
}

/* Conceptual GFC limits the class to 4 Gb/s, the rate of the next link. A flow gets the lower of
 * its own rate and the remaining rate of the class. */
static void
a_flow_passes_its_own_gate_and_that_of_its_class(void **state)
{
    static const struct {
        uint64_t pace_bps[2], has_bps[2];
    } cases[] = {
        { { 3 * G, 0 }, { 3 * G, 0 } },
        { { 5 * G, 0 }, { 4 * G, 0 } },
        { { 1 * G, WEIR_UNLIMITED }, { 1 * G, 3 * G } },
        { { 1 * G, 5 * G }, { 1 * G, 3 * G } },
        { { WEIR_UNLIMITED, WEIR_UNLIMITED }, { 2 * G, 2 * G } },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct net net;
        pair_start(&net, cases[i].pace_bps[1] ? 2 : 1, NULL);
        net.topo.links[1].rate_bps = 4 * G;
        for (uint32_t k = 0; k < net.config.n_flows; k++) {
            net.flows[k].rate_bps = cases[i].pace_bps[k];
            /* Raw flows have no ACKs: conceptual GFC would send two frames for each. */
            net.flows[k].transport = &tp_raw;
        }
        net.config.buffer.reserve_bytes =
            300000; /* The buffers are full soon, so the sending rate equals the arrival rate. */
        net.config.run.until_ps = 50000000000;
        net_use(&net, "gfc-conceptual");
        struct sim *sim = hand_run(&net);
        for (uint32_t k = 0; k < net.config.n_flows; k++) {
            ASSERT_NEAR(sim_flow_late_bps(sim, k), cases[i].has_bps[k], 10000000);
        }
        pair_stop(&net, sim);
    }
}

/* On links that lose packets, ACKs and frames of every kind, all data arrives once and in order. */

enum { N_SENDERS = 3, N_PACKETS = 600 };

static void
assert_whole(const char *engine, const struct transport *transport, uint64_t loss,
             uint32_t ack_every)
{
    struct net net;
    uint64_t params[TP_PARAMS_MAX / sizeof(uint64_t)];

    weir_fields_default(transport->about.params, params);
    hand_incast(&net, N_SENDERS, 10 * G, delay);
    for (size_t i = 0; i < net.topo.n_links; i++) {
        net.topo.links[i].loss = loss;
    }
    for (uint32_t i = 0; i < N_SENDERS; i++) {
        net.flows[i].bytes = N_PACKETS * MTU - 11;
        net.flows[i].transport = transport;
        net.flows[i].transport_params = params;
    }
    /* Without flow control all packets must fit into the buffer, because synchronised flows can
     * overflow it for ever. */
    bool is_held_back = weir_engine_find(engine)->limits != 0;
    net.config.buffer.reserve_bytes = is_held_back ? 300000 : 3000000;
    net.config.retry_ps = 400000000;
    net.config.ack_every = ack_every;
    net.config.run.until_ps = 1000000000000;
    net_use(&net, engine);
    struct sim *sim = hand_run(&net);
    assert_true(sim_totals(sim).n_lost > 0);
    for (uint32_t i = 0; i < N_SENDERS; i++) {
        struct sim_flow_result r = sim_flow_result(sim, i);
        if (r.received_bytes != net.flows[i].bytes || r.n_received != N_PACKETS) {
            fail_msg("%s: flow %u has %llu of %llu bytes", engine, i,
                     (unsigned long long)r.received_bytes, (unsigned long long)net.flows[i].bytes);
        }
    }
    pair_stop(&net, sim);
}

static void
what_is_lost_arrives_whole(void **state)
{
    (void)state;
    for (uint32_t e = 0; weir_engine_at(e); e++) {
        for (uint32_t ack_every = 1; ack_every <= 5; ack_every += 4) {
            assert_whole(weir_engine_at(e)->about.name, &tp_rdma, WEIR_RATIO_1 / 100, ack_every);
            assert_whole(weir_engine_at(e)->about.name, &tp_rdma, WEIR_RATIO_1 / 10, ack_every);
        }
    }
}

/* A window that lost packets have used up opens again; an ACK for several packets does not block a
 * window of one packet. */
static void
flows_under_control_send_again_too(void **state)
{
    (void)state;
    for (uint32_t ack_every = 1; ack_every <= 64; ack_every += 63) {
        assert_whole("pfc", &tp_dcqcn, WEIR_RATIO_1 / 20, ack_every);
        assert_whole("pfc", &tp_dctcp, WEIR_RATIO_1 / 20, ack_every);
    }
}

/* The last link is down for 20 ms: the switch, which is full of earlier packets, drops all
 * retransmissions.  A flow goes back once in each 'retry', because no ACK arrives, and no more
 * often. */
static void
a_flow_outlives_its_link(void **state)
{
    const struct topo_link_event cut[] = { { 1, 10000000, false }, { 1, 20010000000, true } };
    struct net net;
    size_t n_notes;

    (void)state;
    pair_start(&net, 1, NULL);
    net.flows[0].bytes = 200 * MTU;
    net.config.buffer.reserve_bytes = 100 * MTU;
    net.config.link_events = cut;
    net.config.n_link_events = 2;
    net.config.run.until_ps = 100000000000;
    struct sim *sim = hand_run(&net);
    assert_int_equal(sim_flow_result(sim, 0).n_received, 200);
    assert_true(sim_totals(sim).n_dropped > 19 * 100);
    sim_take_notes(sim, &n_notes);
    assert_in_range(n_notes, 20, 24);
    assert_true(sim_totals(sim).n_events < 25 * 200 * 6);
    pair_stop(&net, sim);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lost_packet_is_sent_again_when_that_is_heard),
        cmocka_unit_test(a_lost_last_packet_is_sent_again_in_time),
        cmocka_unit_test(a_lost_last_ack_is_given_again),
        cmocka_unit_test(without_loss_nothing_is_sent_twice),
        cmocka_unit_test(acks_take_their_part_of_the_wire),
        cmocka_unit_test(acks_do_not_starve_data),
        cmocka_unit_test(a_flow_passes_its_own_gate_and_that_of_its_class),
        cmocka_unit_test(what_is_lost_arrives_whole),
        cmocka_unit_test(flows_under_control_send_again_too),
        cmocka_unit_test(a_flow_outlives_its_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

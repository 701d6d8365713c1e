/* Packets and messages that no node of the model can have sent: they are counted, and change
 * nothing.
 */

#include "alone.h"

/* Packets of flows that reach a NIC but are impossible: for another NIC, of another size, or ACKs
 * for packets that were never sent. */

static void
start_forgery(struct alone *a)
{
    net_start_star(&a->net, 4, 1000000000, US);
    net_add_flow(&a->net, 0, 2, MODEL_ENDLESS);
    net_add_flow(&a->net, 0, 2, MODEL_ENDLESS);
    net_add_flow(&a->net, 3, 0, 14100); /* Ten packets, 0 to 9; the last has 600 bytes. */
    net_add_flow(&a->net, 0, 3, MODEL_ENDLESS);
    net_use(&a->net, "pfc");
    a->net.flows[1].transport = a->net.flows[3].transport = &tp_rdma;
    a->net.flows[1].recovery = &rc_selective;
    a->net.flows[3].start_ps = 500 * MS;
    a->net.config.run.until_ps = 1000 * MS;
    alone_start_as(a, net_nic(&a->net, 0));
}

static void
forged_packets_are_counted(void **state)
{
    const struct sim_packet forged[] = {
        { .flow = 0, .sequence = 900000, .dst = 0, .bytes = 64, .kind = SIM_ACK },
        { .flow = 0, .sequence = 5, .dst = 0, .bytes = 64, .kind = SIM_CNP },
        { .flow = 1, .sequence = 900000, .dst = 0, .bytes = 64, .kind = SIM_SACK },
        { .flow = 1, .sequence = 900000, .dst = 0, .bytes = 64, .kind = SIM_NACK },
        { .flow = 0, .sequence = 0, .dst = 2, .bytes = 1500, .kind = SIM_DATA },
        { .flow = 2, .sequence = 10, .dst = 0, .bytes = 1500, .kind = SIM_DATA },
        { .flow = 2, .sequence = 9, .dst = 0, .bytes = 1500, .kind = SIM_DATA },
        { .flow = 2, .sequence = 8, .dst = 0, .bytes = 600, .kind = SIM_DATA },
        { .flow = 1, .sequence = 0, .dst = 0, .bytes = 64, .kind = SIM_ACK },
        /* Feedback for a flow that has not started. */
        { .flow = 3, .sequence = 0, .dst = 0, .bytes = 64, .kind = SIM_ACK },
        { .flow = 3, .sequence = 0, .dst = 0, .bytes = 64, .kind = SIM_NACK },
    };
    /* This ACK arrives after its packet has been sent. */
    const struct sim_packet too_long = { .flow = 1, .sequence = 1, .bytes = 74, .kind = SIM_ACK };
    enum { N = sizeof forged / sizeof *forged + 1 };
    struct alone a;

    (void)state;
    start_forgery(&a);
    for (int i = 0; i < N - 1; i++) {
        alone_put_packet(&a, 0, &forged[i]);
    }
    alone_put_packet(&a, 0, &(struct sim_packet){ .flow = 2, .sequence = 9, .bytes = 600 });
    alone_poll(&a, 100 * US);
    alone_put_packet(&a, 0, &too_long);
    alone_put_packet(
        &a, 0, &(struct sim_packet){ .flow = 1, .sequence = 1, .bytes = 64, .kind = SIM_ACK });
    alone_poll(&a, 100 * US);
    assert_int_equal(dp_node_counts(a.node).n_whats[DP_BAD_PACKET], N);
    /* An ACK has no room for a timestamp, so only the data packet counts. */
    assert_int_equal(dp_node_counts(a.node).frames.n, 1);
    assert_int_equal(dp_node_counts(a.node).n_whats[DP_PACKET], 2);
    /* If forged packets counted as arrived, lost packets of the same number would not be missed. */
    const struct dp_amount in = dp_node_crossed(a.node, 0).in;
    assert_int_equal(in.n_packets[0], 2);
    assert_int_equal(in.packet_bytes, 600 + 64);
    alone_stop(&a);
}

/* A flow without ACKs never receives more packets than it has, however often one of them
 * arrives. */
static void
repeats_come_to_an_end(void **state)
{
    const struct sim_packet packet = { .flow = 2, .sequence = 4, .bytes = 1500 };
    struct alone a;

    (void)state;
    start_forgery(&a);
    for (int i = 0; i < 25; i++) {
        alone_put_packet(&a, 0, &packet);
    }
    alone_poll(&a, 500 * US);
    assert_int_equal(dp_node_counts(a.node).n_whats[DP_PACKET], 10);
    assert_int_equal(dp_node_counts(a.node).n_whats[DP_BAD_PACKET], 15);
    alone_stop(&a);
}

/* A packet carries its position on the path of its flow. A packet whose position is not that of
 * this switch is bad: its next port may be one that the switch does not have. */
static void
packets_are_where_their_path_leads(void **state)
{
    static const uint8_t n_hops[] = { 0, 1, 2, 3, 254, 255 };
    uint16_t path[3];
    struct alone a;

    (void)state;
    alone_start_pinned(&a, path);
    net_use(&a.net, "pfc");
    assert_true(path[1] > 1);
    alone_start_as(&a, topo_switch_of(&a.net.topo, a.net.flows[0].from));
    uint32_t in_port = 1u - path[0], n_left = 0;
    /* The first round is in real time, the second in virtual time. */
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof n_hops; i++) {
            struct sim_packet packet = { .dst = 5, .bytes = 1500, .n_hops = n_hops[i] };
            alone_put_packet(&a, in_port, &packet);
        }
        alone_poll(&a, round ? 0 : 20 * US);
        dp_node_run(a.node, a.nodes.now += 20 * US);
        n_left += alone_left(&a, path[0], NULL, 0);
        assert_int_equal(dp_node_counts(a.node).n_whats[DP_BAD_PACKET], 5 * (round + 1));
    }
    assert_int_equal(n_left, 2);
    assert_int_equal(a.nodes.memory->n_frames, a.n_frames);
    alone_stop(&a);
}

/* An impossible packet that is found after the end of the run does not count as one that was in
 * flight. */
static void
what_is_found_late_is_not_all_believed(void **state)
{
    const struct sim_packet good = { .flow = 2, .sequence = 4, .bytes = 1500 };
    const struct sim_packet forged = { .flow = 2, .sequence = 4, .bytes = 900 };
    struct alone a;

    (void)state;
    start_forgery(&a);
    alone_poll(&a, 10 * US);
    dp_node_end(a.node, a.nodes.now);
    alone_put_packet(&a, 0, &good);
    alone_put_packet(&a, 0, &forged);
    dp_node_drain(a.node);
    assert_int_equal(dp_node_counts(a.node).n_whats[DP_PACKET], 1);
    assert_int_equal(dp_node_counts(a.node).n_whats[DP_BAD_PACKET], 1);
    alone_stop(&a);
}

/* Forged messages: one for a NIC about a flow of another sender, and one for a switch. */
static void
forged_messages_are_counted(void **state)
{
    struct sim_frame forged = { .flow = 1 };
    struct dp_network network;
    uint8_t bytes[WEIR_ETHERNET_BYTES];
    struct alone a;

    (void)state;
    alone_start(&a);
    network = nodes_network(&a.nodes);
    weir_cnm_encode(&(struct weir_cnm){ .quantised_fb = 5 }, &forged.frame);
    forged.to = net_nic(&a.net, 0);
    dp_frame_write_control(&network, a.first_port, &forged, bytes);
    alone_put(&a, 0, bytes, sizeof bytes);
    forged.to = a.id;
    dp_frame_write_control(&network, a.first_port, &forged, bytes);
    alone_put(&a, 0, bytes, sizeof bytes);
    forged.to = net_nic(&a.net, 1); /* The NIC that really sends this flow. */
    dp_frame_write_control(&network, a.first_port, &forged, bytes);
    alone_put(&a, 0, bytes, sizeof bytes);
    alone_poll(&a, 10 * US);
    assert_int_equal(dp_node_counts(a.node).n_whats[DP_BAD_CONTROL], 2);
    assert_int_equal(dp_node_counts(a.node).n_whats[DP_MESSAGE], 1);
    assert_int_equal(dp_node_crossed(a.node, 0).in.n_controls, 1);
    assert_int_equal(alone_left(&a, 0, NULL, 0) + alone_left(&a, 1, NULL, 0) +
                         alone_left(&a, 2, NULL, 0) + alone_left(&a, 3, NULL, 0),
                     1);
    alone_stop(&a);
}

/* If messages arrive faster than the port to their receiver sends, they take a bounded amount of
 * memory, and the rest is dropped and counted. */
static void
messages_do_not_pile_up(void **state)
{
    enum { N = 8000 };
    struct sim_frame message = { .flow = 1 };
    uint8_t bytes[WEIR_ETHERNET_BYTES];
    struct dp_network network;
    struct alone a;

    (void)state;
    alone_start(&a);
    network = nodes_network(&a.nodes);
    message.to = net_nic(&a.net, 1);
    weir_cnm_encode(&(struct weir_cnm){ .quantised_fb = 5 }, &message.frame);
    dp_frame_write_control(&network, a.first_port, &message, bytes);
    for (int i = 0; i < N; i++) {
        alone_put(&a, 0, bytes, sizeof bytes);
    }
    alone_poll(&a, 10 * MS);
    uint64_t n_dropped = sim_port_result(dp_node_sim(a.node), a.first_port).n_messages_dropped;
    assert_true(n_dropped > N / 4 && n_dropped < N);
    assert_int_equal(alone_left(&a, 1, NULL, 0) + n_dropped, N);
    alone_stop(&a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forged_packets_are_counted),
        cmocka_unit_test(repeats_come_to_an_end),
        cmocka_unit_test(packets_are_where_their_path_leads),
        cmocka_unit_test(what_is_found_late_is_not_all_believed),
        cmocka_unit_test(forged_messages_are_counted),
        cmocka_unit_test(messages_do_not_pile_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

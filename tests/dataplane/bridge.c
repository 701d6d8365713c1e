/* A switch with foreign hosts: it floods, learns and forgets as a bridge does, and their frames
 * occupy no memory at ports that are down. */

#include "alone.h"
#include "packet/address.h"

/* A frame to an unknown address leaves through all other ports; the switch then knows where its
 * sender is. */
static void
foreign_stations_are_flooded_and_learned(void **state)
{
    uint8_t bytes[MAX_LEN];
    struct alone a;

    (void)state;
    alone_start(&a);
    make_foreign(bytes, 7, 8);
    alone_put(&a, 0, bytes, 60);
    alone_poll(&a, 10 * US);
    assert_int_equal(alone_left(&a, 0, bytes, 60), 0);
    assert_int_equal(alone_left(&a, 1, bytes, 60), 1);
    assert_int_equal(alone_left(&a, 2, bytes, 60), 1);
    assert_int_equal(alone_left(&a, 3, bytes, 60), 1);
    make_foreign(bytes, 8, 7);
    alone_put(&a, 3, bytes, 1000);
    alone_poll(&a, 20 * US);
    assert_int_equal(alone_left(&a, 0, bytes, 1000), 1);
    assert_int_equal(alone_left(&a, 1, NULL, 0) + alone_left(&a, 2, NULL, 0), 0);
    make_foreign(bytes, 0xff, 7);
    alone_put(&a, 3, bytes, 60);
    alone_poll(&a, 20 * US);
    assert_int_equal(alone_left(&a, 0, bytes, 60) + alone_left(&a, 1, bytes, 60), 2);
    struct dp_counts counts = dp_node_counts(a.node);
    assert_int_equal(counts.n_flooded, 2);
    assert_int_equal(counts.n_whats[DP_FOREIGN], 3);
    alone_stop(&a);
}

/* Other bridges detect a loop that leads through this switch, because it forwards their BPDUs; it
 * forwards no other frames to 01:80:c2:00:00:0x. */
static void
bridges_hear_each_other(void **state)
{
    uint8_t bytes[60] = { 0x01, 0x80, 0xc2, 0, 0, 0, 0x52, 0, 0, 0, 0, 9, 0, 0x26, 0x42, 0x42, 3 };
    struct alone a;

    (void)state;
    alone_start(&a);
    for (uint8_t last = 0; last < 16; last++) {
        bytes[5] = last;
        alone_put(&a, 0, bytes, sizeof bytes);
        alone_poll(&a, (last + 1) * 10 * US);
        for (uint32_t port = 0; port < 4; port++) {
            assert_int_equal(alone_left(&a, port, bytes, sizeof bytes), port && !last);
        }
    }
    alone_stop(&a);
}

/* The last credit frame that left through a port. */
static struct weir_credit_frame
last_promise(struct alone *a, uint32_t port)
{
    struct weir_credit_frame last = { 0 };
    struct weir_frame frame;
    struct dp_frame sent;

    while (memory_io_get(a->nodes.memory, a->first_port + port, &sent)) {
        weir_frame_from_ethernet(sent.bytes, sent.len, &frame);
        weir_credit_frame_decode(&frame, &last);
        memory_io_drop(a->nodes.memory, &sent);
    }
    return last;
}

/* A frame that goes to three ports has cost its sender the credit for one frame, so the sender gets
 * back no more than that. */
static void
copies_bring_no_credit(void **state)
{
    enum { N = 20 };
    uint8_t bytes[MAX_LEN];
    struct alone a;

    (void)state;
    net_start_star(&a.net, 4, 1000000000, US);
    net_use(&a.net, "cbfc");
    a.net.config.run.until_ps = 1000 * MS;
    alone_start_as(&a, the_switch(&a.net));
    alone_poll(&a, MS);
    struct weir_credit_frame before = last_promise(&a, 0);
    make_foreign(bytes, 0xff, 7);
    /* Each frame is a block, and waits at three outputs that have no credit. */
    for (int i = 0; i < N; i++) {
        alone_put(&a, 0, bytes, 60);
    }
    alone_poll(&a, MS);
    struct weir_credit_frame after = last_promise(&a, 0);
    assert_true(before.fccl > 0 && before.free_blocks == before.fccl);
    assert_int_equal(after.free_blocks, before.free_blocks - 3 * N);
    assert_int_equal(after.fccl, after.free_blocks + N);
    alone_stop(&a);
}

/* Frames are counted for each port and direction, foreign frames as well as those of the model. A
 * frame that a device refuses has not crossed its port. */
static void
all_frames_are_counted(void **state)
{
    struct sim_packet packet = { .flow = 1, .dst = 2, .bytes = 1000, .kind = SIM_DATA };
    uint8_t bytes[MAX_LEN];
    struct alone a;

    (void)state;
    alone_start(&a);
    make_foreign(bytes, 0xff, 7);
    alone_put(&a, 1, bytes, 60);
    alone_put_packet(&a, 1, &packet);
    alone_poll(&a, 20 * US);
    struct dp_crossed came = dp_node_crossed(a.node, 1), left = dp_node_crossed(a.node, 2);
    assert_int_equal(came.in.n_frames, 2);
    assert_int_equal(came.in.frame_bytes, 60 + 1000 - 4);
    assert_int_equal(came.in.n_packets[0], 1);
    assert_int_equal(came.out.n_frames, 0);
    assert_int_equal(left.out.n_frames, 2);
    assert_int_equal(left.out.frame_bytes, 60 + 1000 - 4);
    a.nodes.memory->ports[a.first_port + 2].max_waiting = 2;
    alone_put_packet(&a, 1, &packet);
    alone_poll(&a, 20 * US);
    assert_int_equal(dp_node_crossed(a.node, 2).out.n_packets[0], 2);
    assert_int_equal(dp_node_crossed(a.node, 2).out.n_frames, 2);
    assert_int_equal(dp_node_crossed(a.node, 2).out.frame_bytes, 60 + 1000 - 4);
    assert_int_equal(dp_node_counts(a.node).n_received, 3);
    assert_int_equal(dp_node_counts(a.node).n_sent, 2 + 2);
    alone_stop(&a);
}

/* Under TTL a packet leaves in another class than it arrived in, so the VLAN priority of its frame
 * changes. The bytes are then not those that copies of the frame share. */
static void
copies_are_not_changed(void **state)
{
    uint8_t bytes[MAX_LEN];
    struct alone a;

    (void)state;
    net_start_star(&a.net, 4, 1000000000, US);
    net_use(&a.net, "ttl");
    a.net.config.run.until_ps = 1000 * MS;
    alone_start_as(&a, the_switch(&a.net));
    make_foreign(bytes, 7, 8);
    memcpy(&bytes[12], (const uint8_t[]){ 0x81, 0, 3 << 5, 1, 0x08, 0x06 }, 6);
    alone_put(&a, 0, bytes, 64);
    alone_poll(&a, 10 * US);
    assert_int_equal(alone_left(&a, 1, bytes, 64), 1);
    bytes[5] = 8;
    bytes[11] = 7;
    alone_put(&a, 1, bytes, 64);
    alone_poll(&a, 10 * US);
    bytes[14] = 4 << 5;
    assert_int_equal(alone_left(&a, 0, bytes, 64), 1);
    alone_stop(&a);
}

/* If both stations are on one side, the switch does not forward. */
static void
foreign_frames_do_not_go_back(void **state)
{
    uint8_t bytes[MAX_LEN];
    struct alone a;

    (void)state;
    alone_start(&a);
    make_foreign(bytes, 0xff, 7);
    alone_put(&a, 1, bytes, 60);
    make_foreign(bytes, 7, 8);
    alone_put(&a, 1, bytes, 60);
    alone_poll(&a, 10 * US);
    assert_int_equal(alone_left(&a, 1, NULL, 0), 0);
    assert_int_equal(alone_left(&a, 0, NULL, 0), 1);
    assert_int_equal(dp_node_counts(a.node).n_without_way, 1);
    alone_stop(&a);
}

static void
nics_ignore_foreign_frames(void **state)
{
    uint8_t bytes[MAX_LEN];
    struct alone a;

    (void)state;
    alone_start(&a);
    alone_stop(&a);
    net_start_star(&a.net, 4, 1000000000, US);
    net_use(&a.net, "pfc");
    a.net.config.run.until_ps = 1000 * MS;
    alone_start_as(&a, net_nic(&a.net, 1));
    make_foreign(bytes, 0xff, 7);
    alone_put(&a, 0, bytes, 60);
    alone_poll(&a, 10 * US);
    assert_int_equal(dp_node_counts(a.node).n_whats[DP_FOREIGN], 1);
    assert_int_equal(a.nodes.memory->n_frames, a.n_frames);
    alone_stop(&a);
}

/* Foreign frames to a port that is down take no memory from other frames, however many they are.
 * If all other ports are down, the switch has no route for them. */
static void
foreign_frames_fill_no_port_that_is_down(void **state)
{
    uint8_t bytes[MAX_LEN];
    struct alone a;

    (void)state;
    alone_start(&a);
    for (uint32_t port = 1; port < 4; port++) {
        alone_set_device(&a, port, false);
    }
    make_foreign(bytes, 0xff, 7);
    for (int i = 0; i < 20; i++) {
        alone_put(&a, 0, bytes, 1400);
    }
    alone_poll(&a, MS);
    assert_int_equal(dp_node_counts(a.node).n_without_way, 20);
    assert_int_equal(sim_queue_peak_bytes(dp_node_sim(a.node), a.first_port, 0), 0);
    assert_int_equal(a.nodes.memory->n_frames, a.n_frames);
    alone_stop(&a);
}

/* At a port that is down from the start, foreign frames are neither sent nor dropped. */
static void
foreign_frames_never_wait_where_nothing_is_connected(void **state)
{
    uint8_t bytes[MAX_LEN];
    struct alone a;

    (void)state;
    alone_start(&a);
    a.nodes.memory->ports[a.first_port + 1].is_up = false;
    make_foreign(bytes, 0xff, 7);
    alone_put(&a, 0, bytes, 1400);
    alone_put(&a, 0, bytes, 1400);
    alone_poll(&a, 100 * US);
    struct sim_port_result down = sim_port_result(dp_node_sim(a.node), a.first_port + 1);
    assert_int_equal(sim_n_gone(&down), 0);
    assert_int_equal(alone_left(&a, 2, bytes, 1400), 2);
    alone_stop(&a);
}

/* Foreign frames that wait at a port are dropped when it goes down, even if they are queued before
 * other packets.  These drops break no promise. */
static void
foreign_frames_leave_a_port_that_goes_down(void **state)
{
    static const char *const arbitrations[] = { "fifo", "input-fifo" };
    uint8_t bytes[MAX_LEN];
    struct alone a;

    (void)state;
    make_foreign(bytes, 0xff, 7);
    for (int k = 0; k < 2; k++) {
        alone_start_under(&a, arbitrations[k]);
        /* The switch looks at its devices every 10 ms, so this ends shortly before it does. */
        alone_poll(&a, 9900 * US);
        for (int i = 0; i < 30; i++) {
            alone_put(&a, 0, bytes, 1400);
        }
        a.nodes.memory->ports[a.first_port + 1].is_up = false;
        alone_poll(&a, 2 * MS);
        assert_true(sim_port_result(dp_node_sim(a.node), a.first_port + 1).n_dropped_watchdog > 0);
        assert_int_equal(sim_queue_bytes(dp_node_sim(a.node), a.first_port, 0), 0);
        assert_int_equal(sim_live_n_broken(dp_node_sim(a.node)), 0);
        assert_int_equal(alone_left(&a, 2, bytes, 1400), 30);
        alone_stop(&a);
    }
}

/* Foreign frames do not wait at a port that is down, even if they are for a host of the model,
 * whose address foreign hosts may know.  At that port a packet of a flow waits until it is up
 * again, and the frames would wait behind it. */
static void
foreign_frames_do_not_wait_behind_packets(void **state)
{
    struct sim_packet packet = { .flow = 1, .dst = 2, .bytes = 1000, .kind = SIM_DATA };
    uint8_t bytes[MAX_LEN];
    struct alone a;

    (void)state;
    alone_start(&a);
    make_foreign(bytes, 0, 7);
    packet_port_address(net_nic(&a.net, 2), 0, bytes);
    alone_put(&a, 0, bytes, 1000);
    alone_poll(&a, 20 * US);
    assert_int_equal(alone_left(&a, 2, bytes, 1000), 1);
    alone_set_device(&a, 2, false);
    alone_put_packet(&a, 1, &packet);
    alone_poll(&a, 20 * US);
    for (int i = 0; i < 20; i++) {
        alone_put(&a, 0, bytes, 1000);
    }
    alone_poll(&a, MS);
    assert_int_equal(sim_queue_bytes(dp_node_sim(a.node), a.first_port, 0), 0);
    assert_int_equal(sim_queue_bytes(dp_node_sim(a.node), a.first_port + 1, 0), 1000);
    assert_int_equal(dp_node_counts(a.node).n_without_way, 20);
    alone_stop(&a);
}

/* A host of the model sends a frame to its own address: the switch does not send it back. */
static void
foreign_frames_are_not_sent_back_to_hosts(void **state)
{
    uint8_t bytes[MAX_LEN];
    struct alone a;

    (void)state;
    alone_start(&a);
    make_foreign(bytes, 0, 7);
    packet_port_address(net_nic(&a.net, 2), 0, bytes);
    alone_put(&a, 2, bytes, 60);
    alone_poll(&a, 20 * US);
    assert_int_equal(alone_left(&a, 2, NULL, 0), 0);
    assert_int_equal(dp_node_counts(a.node).n_without_way, 1);
    alone_stop(&a);
}

/* If the cable of a foreign host is pulled, frames for the host are flooded again, until it sends a
 * frame from another port. */
static void
foreign_stations_move_with_their_cables(void **state)
{
    uint8_t bytes[MAX_LEN];
    struct alone a;

    (void)state;
    alone_start(&a);
    make_foreign(bytes, 0xff, 7);
    alone_put(&a, 1, bytes, 60);
    alone_poll(&a, 10 * US);
    a.nodes.memory->ports[a.first_port + 1].is_up = false;
    alone_poll(&a, 11 * MS);
    alone_left(&a, 3, NULL, 0);
    make_foreign(bytes, 7, 8);
    alone_put(&a, 0, bytes, 60);
    alone_poll(&a, 10 * US);
    assert_int_equal(alone_left(&a, 3, bytes, 60), 1);
    alone_stop(&a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(foreign_stations_are_flooded_and_learned),
        cmocka_unit_test(bridges_hear_each_other),
        cmocka_unit_test(copies_bring_no_credit),
        cmocka_unit_test(all_frames_are_counted),
        cmocka_unit_test(copies_are_not_changed),
        cmocka_unit_test(foreign_frames_do_not_go_back),
        cmocka_unit_test(nics_ignore_foreign_frames),
        cmocka_unit_test(foreign_frames_fill_no_port_that_is_down),
        cmocka_unit_test(foreign_frames_never_wait_where_nothing_is_connected),
        cmocka_unit_test(foreign_frames_leave_a_port_that_goes_down),
        cmocka_unit_test(foreign_frames_do_not_wait_behind_packets),
        cmocka_unit_test(foreign_frames_are_not_sent_back_to_hosts),
        cmocka_unit_test(foreign_stations_move_with_their_cables),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Nodes on real ports: in virtual time they match the simulator; in real time nothing is lost and
 * everything is counted; and they survive any input. */

#include "alone.h"

/* Three hosts at one switch: two of them send to the third, at 1 Gb/s. */
static void
start_incast(struct net *net, const char *engine, uint64_t bytes)
{
    net_start_star(net, 3, 1000000000, US);
    net_add_flow(net, 0, 2, bytes);
    net_add_flow(net, 1, 2, bytes);
    net_use(net, engine);
    net->config.run.until_ps = 4 * MS;
}

/* Nodes in virtual time. */

static void
assert_same_results(const struct net *net, const struct sim *a, const struct sim *b)
{
    for (uint32_t i = 0; i < net->config.n_flows; i++) {
        struct sim_flow_result x = sim_flow_result(a, i), y = sim_flow_result(b, i);
        assert_int_equal(x.n_received, y.n_received);
        assert_int_equal(x.last_ps, y.last_ps);
        assert_int_equal(x.sent_bytes, y.sent_bytes);
    }
    for (uint32_t i = 0; i < net->topo.n_ports; i++) {
        struct sim_port_result x = sim_port_result(a, i), y = sim_port_result(b, i);
        assert_int_equal(x.n_sent, y.n_sent);
        assert_int_equal(x.n_frames_sent, y.n_frames_sent);
        assert_int_equal(sim_queue_peak_bytes(a, i, 0), sim_queue_peak_bytes(b, i, 0));
    }
}

static void
virtual_time_is_the_simulators(void **state)
{
    static const char *const engines[] = { "pfc", "gfc-buffer", "cbfc" };

    (void)state;
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        struct nodes nodes;
        struct net net;
        struct err err;
        start_incast(&net, engines[i], MODEL_ENDLESS);
        struct sim *sim = simple_net_sim_new(&net.config, &err);
        sim_run(sim);
        nodes_start(&nodes, &net, false);
        nodes_run(&nodes, net.config.run.until_ps);
        struct sim *all = net_conserved(nodes_end(&nodes, net.config.run.until_ps));
        assert_true(sim_totals(sim).n_hops > 500);
        assert_same_results(&net, sim, all);
        nodes_stop(&nodes);
        sim_free(sim);
        net_stop(&net);
    }
}

/* A link goes down and comes up again: the node loses the same packets as the simulator, and gives
 * their frames back. */
static void
flaps_are_the_simulators(void **state)
{
    struct nodes nodes;
    struct net net;
    struct err err;

    (void)state;
    start_incast(&net, "pfc", 600000);
    const struct topo_link_event events[] = {
        { .link = 0, .at_ps = MS, .up = false },
        { .link = 0, .at_ps = 2 * MS, .up = true },
    };
    net.config.link_events = events;
    net.config.n_link_events = 2;
    net.config.run.until_ps = 60 * MS;
    struct sim *sim = simple_net_sim_new(&net.config, &err);
    sim_run(sim);
    nodes_start(&nodes, &net, false);
    uint32_t n_frames = nodes.memory->n_frames;
    nodes_run(&nodes, net.config.run.until_ps);
    struct sim *all = net_conserved(nodes_end(&nodes, net.config.run.until_ps));
    assert_true(sim_totals(sim).n_lost > 0);
    assert_int_equal(sim_totals(all).n_lost, sim_totals(sim).n_lost);
    assert_same_results(&net, sim, all);
    assert_int_equal(nodes.memory->n_frames, n_frames);
    nodes_stop(&nodes);
    sim_free(sim);
    net_stop(&net);
}

/* Nodes in real time. */

static void
assert_all_delivered(const struct nodes *nodes, const struct sim *all)
{
    for (uint32_t i = 0; i < nodes->net->config.n_flows; i++) {
        assert_int_equal(sim_flow_result(all, i).received_bytes, nodes->net->flows[i].bytes);
    }
    assert_int_equal(sim_totals(all).n_dropped, 0);
}

/* Nodes that are polled every 20 us see frames late and ask their peers late to stop, and the peers
 * stop late.  The queue becomes longer than in the simulator, and nothing is lost. */
static void
real_time_is_late_and_loses_nothing(void **state)
{
    struct nodes nodes;
    struct net net;

    (void)state;
    start_incast(&net, "pfc", 600000);
    net.config.run.until_ps = 40 * MS;
    nodes_start(&nodes, &net, true);
    nodes_poll(&nodes, 20 * MS, 20 * US);
    struct dp_counts counts = dp_node_counts(nodes.items[the_switch(&net)]);
    struct sim *all = net_conserved(nodes_end(&nodes, nodes.now));
    assert_all_delivered(&nodes, all);
    assert_int_equal(counts.polls.most_ps, 20 * US);
    assert_int_equal(counts.frames.n, 800);
    assert_true(counts.frames.most_ps > 0 && counts.frames.most_ps <= 40 * US);
    assert_int_equal(counts.n_whats[DP_PACKET], 800);
    assert_int_equal(counts.n_refused + counts.n_without_memory + counts.n_without_way, 0);
    nodes_stop(&nodes);
    net_stop(&net);
}

/* A queue of 100 KB that fills at 2 Gb/s and empties at 1 Gb/s makes PFC pause both senders.  They
 * stop after a poll, when the frame and those before it have arrived. */
static void
answers_are_measured(void **state)
{
    struct nodes nodes;
    struct net net;

    (void)state;
    start_incast(&net, "pfc", MODEL_ENDLESS);
    nodes_start(&nodes, &net, true);
    nodes_poll(&nodes, 10 * MS, 20 * US);
    struct dp_counts counts = dp_node_counts(nodes.items[the_switch(&net)]);
    assert_true(counts.answers.n > 0);
    assert_true(counts.answers.most_ps >= 20 * US && counts.answers.most_ps <= 200 * US);
    nodes_stop(&nodes);
    net_stop(&net);
}

/* If a node is not polled from some time until the end, it reports this gap as its longest time
 * between polls.  Packets that arrive in the gap are late by up to this time. */
static void
who_is_away_at_the_end_is_late(void **state)
{
    struct nodes nodes;
    struct net net;

    (void)state;
    start_incast(&net, "pfc", MODEL_ENDLESS);
    nodes_start(&nodes, &net, true);
    nodes_poll(&nodes, MS, 10 * US);
    struct dp_node *away = nodes.items[the_switch(&net)];
    struct dp_node *sender = nodes.items[net_nic(&net, 0)];
    uint64_t n_looks = dp_node_counts(away).polls.n, n_frames = dp_node_counts(away).frames.n;
    dp_node_poll(sender, 2 * MS);
    dp_node_end(away, 3 * MS);
    dp_node_drain(away);
    struct dp_counts counts = dp_node_counts(away);
    assert_int_equal(counts.polls.n, n_looks + 1);
    assert_int_equal(counts.polls.most_ps, 2 * MS);
    assert_true(counts.frames.n > n_frames);
    assert_true(counts.frames.most_ps > MS && counts.frames.most_ps <= 2 * MS + 40 * US);
    nodes_stop(&nodes);
    net_stop(&net);
}

/* A packet reaches the switch when its last bit would: after 12 us on the wire and 500 us of
 * delay. */
static void
frames_keep_their_wire_time(void **state)
{
    struct nodes nodes;
    struct net net;

    (void)state;
    net_start_star(&net, 3, 1000000000, 500 * US);
    net_add_flow(&net, 0, 2, MODEL_ENDLESS);
    net_use(&net, "none");
    nodes_start(&nodes, &net, true);
    nodes_poll(&nodes, 511 * US, US);
    assert_int_equal(dp_node_counts(nodes.items[the_switch(&net)]).n_received, 0);
    nodes_poll(&nodes, 513 * US, US);
    assert_int_equal(dp_node_counts(nodes.items[the_switch(&net)]).n_received, 1);
    nodes_stop(&nodes);
    net_stop(&net);
}

/* Tests of a single switch. */

/* Meaningless frames are counted and dropped. */
static void
garbage_is_counted(void **state)
{
    uint8_t bytes[MAX_LEN];
    struct alone a;

    (void)state;
    alone_start(&a);
    make_foreign(bytes, 7, 8);
    alone_put(&a, 0, bytes, 5);
    alone_put(&a, 0, bytes, MAX_LEN);
    memcpy(bytes, (const uint8_t[]){ 1, 0x80, 0xc2, 0, 0, 1, 2, 0, 0, 1, 0, 0, 0x88, 8, 9, 9 }, 16);
    alone_put(&a, 0, bytes, 60);
    memcpy(bytes, (const uint8_t[]){ 1, 0x80, 0xc2, 0, 0, 0x0e }, 6);
    memcpy(&bytes[12], (const uint8_t[]){ 0x88, 0xcc }, 2);
    alone_put(&a, 0, bytes, 60);
    alone_poll(&a, 10 * US);
    struct dp_counts counts = dp_node_counts(a.node);
    assert_int_equal(counts.n_received, 4);
    assert_int_equal(counts.n_whats[DP_TOO_SHORT], 1);
    assert_int_equal(counts.n_whats[DP_TOO_LONG], 1);
    assert_int_equal(counts.n_whats[DP_LINK_LOCAL], 1);
    assert_int_equal(a.nodes.memory->n_frames, a.n_frames);
    alone_stop(&a);
}

/* A frame needs two copies, and there is memory for one. */
static void
memory_may_run_dry(void **state)
{
    uint8_t bytes[MAX_LEN];
    struct alone a;

    (void)state;
    alone_start(&a);
    make_foreign(bytes, 0xff, 7);
    alone_put(&a, 0, bytes, 60);
    a.nodes.memory->max_frames = a.nodes.memory->n_frames + 1;
    alone_poll(&a, 10 * US);
    assert_int_equal(alone_left(&a, 1, bytes, 60) + alone_left(&a, 2, bytes, 60) +
                         alone_left(&a, 3, bytes, 60),
                     2);
    assert_int_equal(dp_node_counts(a.node).n_without_memory, 1);
    a.nodes.memory->max_frames = UINT32_MAX;
    alone_put(&a, 0, bytes, 60);
    alone_poll(&a, 10 * US);
    assert_int_equal(alone_left(&a, 3, bytes, 60), 1);
    alone_stop(&a);
}

/* Packets to one port have taken all memory, and there is still memory for the pauses of their
 * senders. */
static void
control_has_memory_of_its_own(void **state)
{
    uint8_t bytes[MAX_LEN];
    struct alone a;

    (void)state;
    alone_start(&a);
    make_foreign(bytes, 0xff, 7);
    alone_put(&a, 2, bytes, 60);
    alone_poll(&a, 10 * US);
    alone_left(&a, 0, NULL, 0);
    alone_left(&a, 1, NULL, 0);
    make_foreign(bytes, 7, 8);
    for (int i = 0; i < 800; i++) {
        alone_put(&a, i % 2, bytes, 1400);
    }
    a.nodes.memory->max_frames = 0;
    alone_poll(&a, 100 * US);
    assert_true(alone_left(&a, 0, NULL, 0) > 0);
    assert_true(alone_left(&a, 1, NULL, 0) > 0);
    assert_int_equal(dp_node_counts(a.node).n_without_memory, 0);
    alone_stop(&a);
}

/* A switch with few frames, whose senders do not stop in time, because its buffer has room for
 * more. Packets that it cannot hold are dropped on arrival and counted, and these drops break the
 * promise of their class. Control frames pass, devices keep memory for receiving, and all counters
 * add up. */
static void
frames_may_run_out(void **state)
{
    static const char *const engines[] = { "pfc", "cbfc" };
    enum { MAX_FRAMES = 40, MAX_HELD = 20 };

    (void)state;
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        struct nodes nodes;
        struct net net;
        start_incast(&net, engines[i], MODEL_ENDLESS);
        nodes_start(&nodes, &net, true);
        uint32_t id = the_switch(&net);
        nodes.max_frames = MAX_FRAMES;
        nodes_restart(&nodes, id);
        nodes_poll(&nodes, 3 * MS, 10 * US);
        struct dp_counts before = dp_node_counts(nodes.items[id]);
        assert_int_equal(before.max_held, MAX_HELD);
        nodes_poll(&nodes, 6 * MS, 10 * US);
        struct dp_counts after = dp_node_counts(nodes.items[id]);
        /* More than 200 packets, of 250 at 1 Gb/s. */
        assert_true(after.n_sent > before.n_sent + 200);
        assert_int_equal(after.n_without_memory, 0);
        uint64_t n_dropped_lossless = sim_live_n_broken(dp_node_sim(nodes.items[id]));
        struct sim *all = net_conserved(nodes_end(&nodes, nodes.now));
        assert_true(sim_totals(all).n_dropped_memory > 0);
        assert_int_equal(n_dropped_lossless, sim_totals(all).n_dropped_memory);
        assert_int_equal(sim_totals(all).n_dropped, sim_totals(all).n_dropped_memory);
        nodes_stop(&nodes);
        net_stop(&net);
    }
}

/* A foreign broadcast frame needs one frame of memory for each port. */
static void
floods_take_no_more_than_there_is(void **state)
{
    uint8_t bytes[MAX_LEN];
    struct alone a;

    (void)state;
    alone_start(&a);
    a.nodes.max_frames = 4;
    nodes_restart(&a.nodes, a.id);
    a.node = a.nodes.items[a.id];
    make_foreign(bytes, 0xff, 7);
    alone_put(&a, 0, bytes, 60);
    alone_poll(&a, 10 * US);
    assert_int_equal(alone_left(&a, 1, bytes, 60) + alone_left(&a, 3, bytes, 60), 0);
    assert_int_equal(sim_port_result(dp_node_sim(a.node), a.first_port).n_dropped_memory, 1);
    assert_int_equal(sim_live_n_broken(dp_node_sim(a.node)), 1);
    alone_stop(&a);
}

/* Senders without memory for frames lose packets, and continue when there is memory. */
static void
senders_without_memory_go_on(void **state)
{
    struct nodes nodes;
    struct net net;

    (void)state;
    start_incast(&net, "pfc", MODEL_ENDLESS);
    nodes_start(&nodes, &net, true);
    nodes.memory->max_frames = 0;
    nodes_poll(&nodes, MS, 10 * US);
    uint64_t n_lost = dp_node_counts(nodes.items[net_nic(&net, 0)]).n_without_memory;
    assert_true(n_lost > 50);
    nodes.memory->max_frames = UINT32_MAX;
    nodes_poll(&nodes, 2 * MS, 10 * US);
    assert_int_equal(dp_node_counts(nodes.items[net_nic(&net, 0)]).n_without_memory, n_lost);
    assert_true(dp_node_counts(nodes.items[net_nic(&net, 2)]).n_whats[DP_PACKET] > 50);
    nodes_stop(&nodes);
    net_stop(&net);
}

/* While a device takes no frames, frames wait, then some are lost and counted.  Later it takes all
 * that wait. */
static void
refusals_are_counted(void **state)
{
    uint8_t bytes[MAX_LEN];
    struct alone a;
    uint64_t n = 0;

    (void)state;
    alone_start(&a);
    make_foreign(bytes, 0xff, 7);
    alone_put(&a, 0, bytes, 60);
    alone_poll(&a, 10 * US);
    assert_int_equal(alone_left(&a, 1, bytes, 60), 1);
    a.nodes.memory->ports[a.first_port].max_waiting = 0;
    make_foreign(bytes, 7, 8);
    for (; n < DP_MAX_LEN / 2 && !dp_node_counts(a.node).n_refused; n++) {
        alone_put(&a, 1, bytes, 60);
        alone_poll(&a, US);
    }
    assert_int_equal(dp_node_counts(a.node).n_refused, 1);
    assert_int_equal(dp_node_counts(a.node).n_refused_lossless, 1);
    a.nodes.memory->ports[a.first_port].max_waiting = UINT32_MAX;
    alone_poll(&a, US);
    assert_int_equal(alone_left(&a, 0, bytes, 60), n - 1);
    alone_stop(&a);
}

/* The node counts frames that a device has dropped, except for those before its first look. */
static void
what_devices_drop_is_counted(void **state)
{
    struct alone a;

    (void)state;
    alone_start(&a);
    struct memory_port *ports = &a.nodes.memory->ports[a.first_port];
    ports[1].n_missed = 100;
    alone_poll(&a, 10 * US);
    ports[1].n_missed += 5;
    ports[2].n_missed += 1;
    alone_poll(&a, 20 * MS);
    assert_int_equal(dp_node_crossed(a.node, 0).n_missed, 0);
    assert_int_equal(dp_node_crossed(a.node, 1).n_missed, 5);
    assert_int_equal(dp_node_counts(a.node).n_missed, 6);
    alone_stop(&a);
}

/* While a device is gone, the link of its port is down: packets of flows wait, as in the simulator,
 * and foreign frames are not forwarded there. */
static void
ports_go_away_and_come_back(void **state)
{
    const struct sim_packet packet = { .flow = 0, .dst = 2, .bytes = 1500 };
    uint8_t bytes[MAX_LEN];
    struct alone a;

    (void)state;
    alone_start(&a);
    alone_set_device(&a, 2, false);
    alone_put_packet(&a, 0, &packet);
    make_foreign(bytes, 0xff, 7);
    alone_put(&a, 0, bytes, 60);
    alone_poll(&a, 11 * MS);
    assert_int_equal(alone_left(&a, 1, bytes, 60) + alone_left(&a, 3, bytes, 60), 2);
    alone_set_device(&a, 2, true);
    assert_int_equal(alone_left(&a, 2, NULL, 0),
                     1); /* The first frame of PFC. The port waits for that of its peer. */
    alone_poll(&a, 40 * MS);
    assert_int_equal(alone_left(&a, 2, NULL, 0), 1);
    alone_put(&a, 0, bytes, 60);
    alone_poll(&a, 10 * US);
    assert_int_equal(alone_left(&a, 2, bytes, 60), 1);
    assert_int_equal(dp_node_counts(a.node).n_refused, 0);
    alone_stop(&a);
}

/* A peer that never stops sending does not keep a node from ending. */
static void
floods_do_not_keep_it_from_ending(void **state)
{
    struct alone a;

    (void)state;
    alone_start(&a);
    alone_poll(&a, 10 * US);
    a.nodes.memory->ports[a.first_port].is_flooded = true;
    dp_node_end(a.node, a.nodes.now);
    dp_node_drain(a.node);
    dp_node_drain(a.node);
    assert_int_equal(dp_node_counts(a.node).n_received, DP_MAX_LATE);
    assert_int_equal(a.nodes.memory->n_frames, a.n_frames);
    alone_stop(&a);
}

/* Frames that one poll finds arrived one after the other, the last of them just now: they pass a
 * switch without waiting for each other, and none counts as having arrived before the previous
 * poll. */
static void
bursts_are_spaced_out(void **state)
{
    enum { N = 5 };
    const weir_ps wire_ps = 12 * US, seen = 100 * US;
    struct dp_frame frame = { 0 };
    struct alone a;

    (void)state;
    alone_start(&a);
    dp_node_poll(a.node, seen - 3 * wire_ps);
    for (uint32_t i = 0; i < N; i++) {
        alone_put_packet(&a, 0,
                         &(struct sim_packet){ .flow = 0, .sequence = i, .dst = 2, .bytes = 1500 });
    }
    dp_node_poll(a.node, seen);
    /* The first two frames were here when the switch looked before. */
    for (int i = 0; i < 4; i++) {
        weir_ps came = seen - (3 - i) * wire_ps;
        assert_true(memory_io_get(a.nodes.memory, a.first_port + 2, &frame));
        assert_int_equal(frame.at, came + wire_ps + US);
        memory_io_drop(a.nodes.memory, &frame);
    }
    assert_int_equal(sim_queue_peak_bytes(dp_node_sim(a.node), a.first_port, 0), 1500);
    alone_stop(&a);
}

/* More frames than a device delivers at once are also spaced out. */
static void
many_bursts_are_spaced_out(void **state)
{
    enum { N = 100 };
    const weir_ps wire_ps = 12 * US, seen = (N + 1) * wire_ps;
    struct dp_frame frame = { 0 };
    weir_ps last = 0;
    struct alone a;

    (void)state;
    alone_start(&a);
    dp_node_poll(a.node, US);
    for (uint32_t i = 0; i < N; i++) {
        alone_put_packet(&a, 0,
                         &(struct sim_packet){ .flow = 0, .sequence = i, .dst = 2, .bytes = 1500 });
    }
    dp_node_poll(a.node, seen);
    assert_int_equal(dp_node_counts(a.node).n_received, N);
    for (int i = 0; i < N; i++) {
        assert_true(memory_io_get(a.nodes.memory, a.first_port + 2, &frame));
        assert_true(frame.at >= last + wire_ps);
        last = frame.at;
        memory_io_drop(a.nodes.memory, &frame);
    }
    assert_int_equal(last, seen + wire_ps + US);
    assert_int_equal(sim_queue_peak_bytes(dp_node_sim(a.node), a.first_port, 0), 1500);
    alone_stop(&a);
}

/* Frames are also spaced out if another port has fewer or shorter frames: each port is read up to
 * the time to which all other ports have been read. */
static void
ports_are_caught_up_together(void **state)
{
    enum { N = 100, N_SHORT = 600 };
    const weir_ps wire_ps = 12 * US, seen = (N + 1) * wire_ps;
    uint8_t bytes[MAX_LEN];
    struct alone a;

    (void)state;
    alone_start(&a);
    make_foreign(bytes, 7, 9);
    alone_put(&a, 3, bytes, 60);
    dp_node_poll(a.node, US);
    for (uint32_t i = 0; i < N; i++) {
        alone_put_packet(&a, 0,
                         &(struct sim_packet){ .flow = 0, .sequence = i, .dst = 2, .bytes = 1500 });
    }
    make_foreign(bytes, 9, 8);
    for (uint32_t i = 0; i < N_SHORT; i++) {
        alone_put(&a, 1, bytes, 60);
    }
    dp_node_poll(a.node, seen);
    assert_int_equal(dp_node_counts(a.node).n_whats[DP_PACKET], N);
    assert_int_equal(sim_queue_peak_bytes(dp_node_sim(a.node), a.first_port, 0), 1500);
    alone_stop(&a);
}

/* A switch that restarts while its links stay up counts credit from 0, but its peers do not: under
 * CBFC they wait for ever.  When both ends see the links go down and up, all nodes count from 0.
 */

static uint64_t
received_by(const struct nodes *nodes, uint32_t nic)
{
    return dp_node_counts(nodes->items[net_nic(nodes->net, nic)]).n_whats[DP_PACKET];
}

static void
set_all_links(struct nodes *nodes, bool are_up)
{
    for (uint32_t i = 0; i < nodes->memory->n_ports; i++) {
        nodes->memory->ports[i].is_up = are_up;
    }
    nodes_poll(nodes, nodes->now + 30 * MS, 100 * US);
}

static void
credit_begins_anew_with_the_link(void **state)
{
    static const struct {
        const char *name;
        bool waits;
    } engines[] = { { "cbfc", true }, { "gfc-time", false }, { "pfc", false } };

    (void)state;
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        struct nodes nodes;
        struct net net;
        start_incast(&net, engines[i].name, MODEL_ENDLESS);
        net.config.run.until_ps = 1000 * MS;
        nodes_start(&nodes, &net, true);
        nodes_poll(&nodes, 30 * MS, 20 * US);
        nodes_restart(&nodes, the_switch(&net));
        nodes_poll(&nodes, 40 * MS, 20 * US);
        uint64_t n_before = received_by(&nodes, 2);
        nodes_poll(&nodes, 80 * MS, 20 * US);
        assert_int_equal(received_by(&nodes, 2) == n_before, engines[i].waits);
        set_all_links(&nodes, false);
        set_all_links(&nodes, true);
        n_before = received_by(&nodes, 2);
        nodes_poll(&nodes, nodes.now + 40 * MS, 20 * US);
        /* More than 3000 packets, of 3333 at 1 Gb/s. */
        assert_true(received_by(&nodes, 2) > n_before + 3000);
        nodes_stop(&nodes);
        net_stop(&net);
    }
}

/* A tap receives every frame that arrives and leaves, as it is on the wire, and in order, even if
 * the clock goes back. */

struct heard {
    uint32_t n_sent, n_received;
    weir_ps last;
};

static void
listen(void *arg, uint32_t port, const struct dp_frame *frame, weir_ps at, bool is_sent)
{
    struct heard *heard = arg;

    (void)port;
    assert_true(frame->len >= 14);
    assert_true(at >= heard->last);
    heard->last = at;
    heard->n_sent += is_sent;
    heard->n_received += !is_sent;
}

static void
taps_hear_all(void **state)
{
    struct heard heard = { 0 };
    struct dp_config config;
    struct nodes nodes;
    struct model model;
    struct net net;
    struct err err;

    (void)state;
    start_incast(&net, "pfc", 150000);
    nodes_start(&nodes, &net, true);
    uint32_t id = the_switch(&net);
    dp_node_free(nodes.items[id]);
    assert_true(simple_net_model(&net.config, &model, &err));
    config = (struct dp_config){ .network = nodes_network(&nodes),
                                 .io = &nodes.ios[id],
                                 .node = id,
                                 .sim = net.config.run,
                                 .model = &model,
                                 .keeps_wire_time = true,
                                 .tap = listen,
                                 .tap_arg = &heard };
    nodes.items[id] = dp_node_new(&config, &err);
    nodes_poll(&nodes, MS, 10 * US);
    nodes.now = MS / 2;
    nodes_poll(&nodes, 10 * MS, 10 * US);
    assert_int_equal(heard.n_received, 200);
    assert_true(heard.n_sent >= 200);
    /* Lateness is not measured, because nodes have different clocks. */
    assert_int_equal(dp_node_counts(nodes.items[id]).frames.n, 0);
    nodes_stop(&nodes);
    net_stop(&net);
}

/* The peer of a port pauses the first class for this number of quanta. */
static void
put_pause(struct alone *a, uint32_t port, uint16_t quanta)
{
    uint8_t bytes[PAUSE_LEN];

    make_pause(bytes, quanta);
    alone_put(a, port, bytes, sizeof bytes);
}

/* Near the end of time, frames pass, and a full queue sends a pause. A received pause is obeyed
 * until it ends. Then the clock stops and the node ends. */
static void
nodes_run_to_the_end_of_time(void **state)
{
    struct sim_packet packet = { .flow = 0, .dst = 2, .bytes = 1000, .kind = SIM_DATA };
    uint8_t bytes[MAX_LEN];
    struct alone a;

    (void)state;
    alone_start(&a);
    a.nodes.now = DP_LAST_PS - 30 * MS;
    alone_poll(&a, MS);
    make_foreign(bytes, 0xff, 7);
    alone_put(&a, 3, bytes, 60);
    alone_put_packet(&a, 0, &packet);
    alone_poll(&a, MS);
    assert_int_equal(alone_left(&a, 2, NULL, 0), 2);
    put_pause(&a, 2, 0xffff);
    alone_poll(&a, MS);
    uint32_t n = 0;
    for (; n < 1000 && !dp_node_crossed(a.node, 0).out.n_controls; n++) {
        alone_put_packet(&a, 0, &packet);
        alone_poll(&a, 10 * US);
    }
    assert_in_range(n, 10, 999);
    assert_int_equal(alone_left(&a, 2, NULL, 0), 0);
    put_pause(&a, 2, 0);
    alone_poll(&a, DP_LAST_PS - a.nodes.now);
    assert_int_equal(a.nodes.now, DP_LAST_PS);
    assert_int_equal(alone_left(&a, 2, NULL, 0), n);
    dp_node_end(a.node, DP_LAST_PS);
    assert_int_equal(sim_live_n_broken(dp_node_sim(a.node)), 0);
    alone_stop(&a);
}

/* Foreign frames arrive at any port, as broadcasts or to an unknown address. */
static void
put_foreign_frames(struct nodes *nodes, uint64_t *chance)
{
    uint8_t bytes[MAX_LEN];

    for (uint64_t n = weir_random(chance) % 6; n; n--) {
        uint8_t to = weir_random(chance) % 2 ? 0xff : (uint8_t)(weir_random(chance) % 8);
        make_foreign(bytes, to, (uint8_t)(8 + weir_random(chance) % 8));
        memory_io_put(nodes->memory, (uint32_t)(weir_random(chance) % nodes->memory->n_ports),
                      bytes, 60 + (uint32_t)(weir_random(chance) % 1400), WEIR_NEVER);
    }
}

/* Each packet of a flow is accounted for, in any kind of run. Some foreign packets are dropped,
 * some wait at the end, and some are lost because a link goes down. */
static void
frames_of_others_are_accounted_for_apart(void **state)
{
    static const char *const engines[] = { "pfc", "none", "cbfc" };
    uint64_t n_dropped = 0, n_held = 0, n_foreign = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct topo_link_event events[] = { { 0, MS, false }, { 0, MS + 200 * US, true } };
        uint64_t chance = seed;
        struct nodes nodes;
        struct net net;
        start_incast(&net, engines[seed % 3], MODEL_ENDLESS);
        net.config.buffer.reserve_bytes = 60000 + weir_random(&chance) % 60000;
        net.config.link_events = events;
        net.config.n_link_events = seed % 4 ? 0 : 2;
        nodes_start(&nodes, &net, true);
        while (nodes.now < 2 * MS) {
            put_foreign_frames(&nodes, &chance);
            nodes_poll(&nodes, nodes.now + 10 * US, 10 * US);
        }
        uint32_t id = the_switch(&net);
        n_foreign += dp_node_counts(nodes.items[id]).n_whats[DP_FOREIGN];
        struct sim *all = net_conserved(nodes_end(&nodes, nodes.now));
        n_dropped += sim_totals(all).n_dropped;
        for (uint32_t i = 0; i < net.topo.nodes[id].n_ports; i++) {
            n_held += sim_queue_bytes(all, net.topo.nodes[id].first_port + i, 0) > 0;
        }
        nodes_stop(&nodes);
        net_stop(&net);
    }
    print_message(
        "60 runs with %llu frames of others: %llu packets dropped, %llu queues with some\n",
        (unsigned long long)n_foreign, (unsigned long long)n_dropped, (unsigned long long)n_held);
    assert_true(n_foreign > 1000 && n_dropped > 100 && n_held > 10);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(virtual_time_is_the_simulators),
        cmocka_unit_test(flaps_are_the_simulators),
        cmocka_unit_test(real_time_is_late_and_loses_nothing),
        cmocka_unit_test(answers_are_measured),
        cmocka_unit_test(who_is_away_at_the_end_is_late),
        cmocka_unit_test(frames_keep_their_wire_time),
        cmocka_unit_test(garbage_is_counted),
        cmocka_unit_test(memory_may_run_dry),
        cmocka_unit_test(control_has_memory_of_its_own),
        cmocka_unit_test(frames_may_run_out),
        cmocka_unit_test(floods_take_no_more_than_there_is),
        cmocka_unit_test(senders_without_memory_go_on),
        cmocka_unit_test(refusals_are_counted),
        cmocka_unit_test(what_devices_drop_is_counted),
        cmocka_unit_test(ports_go_away_and_come_back),
        cmocka_unit_test(floods_do_not_keep_it_from_ending),
        cmocka_unit_test(bursts_are_spaced_out),
        cmocka_unit_test(many_bursts_are_spaced_out),
        cmocka_unit_test(ports_are_caught_up_together),
        cmocka_unit_test(credit_begins_anew_with_the_link),
        cmocka_unit_test(taps_hear_all),
        cmocka_unit_test(nodes_run_to_the_end_of_time),
        cmocka_unit_test(frames_of_others_are_accounted_for_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

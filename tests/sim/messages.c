/* Messages to the sender of a flow: when and where they arrive, their priority, lost messages, and
 * independence of threads.
 *
 * The engine is a probe (tests/engines): at every node that sends no flow it sends a message to the
 * sender of each packet that arrives. */

#include "engines.h"
#include "hand.h"

static const uint64_t rate_bps = 10000000000;
static const weir_ps us = 1000000;

/* A node with at least this number of bytes at an input sends a message for each packet that
 * arrives there. A sender that receives a message delays its flow by no more than a picosecond. */
static void
use_probe(struct net *net, const char *above)
{
    struct weir_stack *stack = &net->config.stack;
    struct weir_text why = { 0 };

    assert_true(weir_stack_add(stack, &probe));
    assert_true(weir_stack_set(stack, stack->n - 1, "above", above, &why));
    assert_true(weir_stack_set(stack, stack->n - 1, "slows", "no", &why));
    assert_true(weir_stack_set(stack, stack->n - 1, "rest", "1ps", &why));
}

/* The chain is: host A, switch 0, switch 1, switch 2, host C; host B is also at switch 2. */
enum { S0, S1, S2, A, B, C };

static void
start_chain(struct net *net, uint32_t n_flows)
{
    hand_start(net);
    for (int i = 0; i < 3; i++) {
        hand_switch(net);
    }
    for (int i = 0; i < 3; i++) {
        hand_nic(net);
    }
    hand_link(net, S0, S1, rate_bps, us);
    hand_link(net, S1, S2, rate_bps, us);
    hand_link(net, A, S0, rate_bps, us);
    hand_link(net, B, S2, rate_bps, us);
    hand_link(net, C, S2, rate_bps, us);
    for (uint32_t i = 0; i < net->topo.n_nodes; i++) {
        net->topo.nodes[i].part = i;
    }
    hand_finish(net, n_flows);
    for (uint32_t i = 0; i < n_flows; i++) {
        net->flows[i].from = A;
        net->flows[i].to = C;
    }
    net->config.run.notes = 1u << SIM_NOTE_MESSAGE | 1u << SIM_NOTE_HEARD;
    net->config.run.until_ps = 1000 * us;
}

static uint64_t
count_heard(const struct net *net, const struct sim *sim, uint32_t nic)
{
    return sim_port_result(sim, net->topo.nodes[nic].first_port).n_messages_received;
}

/* Three switches and the receiver send a message about one packet. The sender receives each message
 * after 64 bytes have crossed the links between, and after the response time.  The switches between
 * consume no message. */
static void
they_arrive_when_links_have_been_crossed(void **state)
{
    const weir_ps packet_ps = us + weir_wire_ps(1500, rate_bps);
    const weir_ps message_ps = us + weir_wire_ps(64, rate_bps);
    static const uint32_t nodes[] = { S0, S1, S2, C };
    struct net net;
    size_t n_notes, n_heard = 0;

    (void)state;
    start_chain(&net, 2);
    /* The number of the flow in the run then differs from its number at the NIC. */
    net.flows[0].from = B;
    net.flows[0].start_ps = 2 * net.config.run.until_ps;
    net.flows[1].bytes = 1500;
    use_probe(&net, "0B");
    struct sim *sim = hand_run(&net);
    const struct sim_note *notes = sim_take_notes(sim, &n_notes);
    assert_int_equal(n_notes, 8);
    for (size_t i = 0; i < n_notes; i++) {
        uint32_t k = notes[i].kind == SIM_NOTE_HEARD ? (uint32_t)n_heard++ : 4;
        assert_int_equal(notes[i].flow, 1);
        if (k < 4) {
            assert_int_equal(net.topo.ports[notes[i].port].node, A);
            assert_int_equal(notes[i].at_ps,
                             (k + 1) * (packet_ps + message_ps) + net.config.response_ps);
        } else {
            uint32_t n_sent = (uint32_t)(i - n_heard);
            assert_int_equal(net.topo.ports[notes[i].port].node, nodes[n_sent]);
            assert_int_equal(notes[i].at_ps, (n_sent + 1) * packet_ps);
        }
    }
    const struct weir_field *heard = weir_field_find(probe.counters, "heard");
    assert_int_equal(sim_counter(sim, A, 0, heard), 4);
    assert_int_equal(sim_port_result(sim, hand_port(&net, S0, A)).n_frames_sent, 4);
    assert_int_equal(sim_port_result(sim, hand_port(&net, S2, S1)).n_frames_sent, 2);
    sim_free(sim);
    net_stop(&net);
}

/* Two hosts send to a third: each receives the messages about its own flows. */
static void
they_find_who_sends(void **state)
{
    struct net net;

    (void)state;
    start_chain(&net, 3);
    net.flows[1].from = B;
    net.flows[0].bytes = 3 * 1500;
    net.flows[1].bytes = 5 * 1500;
    net.flows[2].bytes = 7 * 1500;
    use_probe(&net, "0B");
    struct sim *sim = hand_run(&net);
    assert_int_equal(count_heard(&net, sim, A), 4 * (3 + 7));
    assert_int_equal(count_heard(&net, sim, B), 2 * 5);
    assert_int_equal(count_heard(&net, sim, C), 0);
    sim_free(sim);
    net_stop(&net);
}

/* A host does not drain, so it pauses its switch; messages still reach the host. */
static void
they_pass_what_is_paused(void **state)
{
    struct model_stall stall = { .node = A, .classes = 1, .until_ps = 2000 * us };
    struct net net;

    (void)state;
    start_chain(&net, 2);
    net.config.stalls = &stall;
    net.config.n_stalls = 1;
    net.config.buffer.reserve_bytes = 100000;
    net.flows[0].bytes = 20 * 1500; /* A sends when the whole path to A is full. */
    net.flows[0].start_ps = 800 * us;
    net.flows[1].from = B;
    net.flows[1].to = A;
    net_use(&net, "pfc");
    use_probe(&net, "0B");
    struct sim *sim = hand_run(&net);
    assert_true(sim_gate_state(sim, hand_port(&net, S0, A), 0, 700 * us).is_paused);
    assert_true(sim_queue_bytes(sim, hand_port(&net, S0, S1), 0) > 50000);
    assert_int_equal(sim_flow_result(sim, 0).received_bytes, 20 * 1500);
    assert_int_equal(count_heard(&net, sim, A), 4 * 20);
    sim_free(sim);
    net_stop(&net);
}

/* Each packet causes four messages, with more bytes than the packet, so messages queue up before
 * the link to its sender.  PFC's headroom assumes that a frame waits for one packet only. PFC
 * frames overtake messages, so nothing is lost. */
static void
words_to_peers_go_first(void **state)
{
    struct net net;

    (void)state;
    start_chain(&net, 2);
    net.config.mtu_bytes = 64;
    net.config.buffer.reserve_bytes = 30000;
    net.flows[1].from = B;
    net_use(&net, "pfc");
    use_probe(&net, "0B");
    struct sim *sim = hand_run(&net);
    struct sim_totals t = sim_totals(sim);
    assert_true(t.n_messages_sent > t.n_messages_received + 1000);
    assert_true(sim_gate_state(sim, net.topo.nodes[A].first_port, 0, sim_now(sim)).n_pfc_pauses >
                3);
    assert_int_equal(t.n_dropped_lossless, 0);
    sim_free(sim);
    net_stop(&net);
}

/* Links go down, or lose packets: each message is received, has no route, or is lost. */
static void
all_are_accounted_for(void **state)
{
    struct net net;

    (void)state;
    for (int loses = 0; loses < 2; loses++) {
        start_chain(&net, 1);
        struct topo_link_event events[] = {
            { net.topo.ports[hand_port(&net, S0, A)].link, 100 * us, 0 },
            { net.topo.ports[hand_port(&net, S0, A)].link, 200 * us, 1 },
            { net.topo.ports[hand_port(&net, S0, S1)].link, 300 * us, 0 },
            { net.topo.ports[hand_port(&net, S0, S1)].link, 400 * us, 1 }
        };
        net.config.link_events = events;
        net.config.n_link_events = loses ? 0 : 4;
        for (size_t i = 0; loses && i < net.topo.n_links; i++) {
            net.topo.links[i].loss = WEIR_RATIO_1 / 20;
        }
        net.flows[0].bytes = 300 * 1500;
        use_probe(&net, "0B");
        struct sim *sim = hand_run(&net);
        struct sim_totals t = sim_totals(sim);
        assert_true(t.n_messages_sent > 400);
        assert_true(t.n_lost_frames > 3);
        assert_int_equal(t.n_messages_dropped > 0, !loses);
        assert_int_equal(t.n_messages_sent,
                         t.n_messages_received + t.n_messages_dropped + t.n_lost_frames);
        sim_free(sim);
        net_stop(&net);
    }
}

/* Three switches forward packets for host A in a loop.  Packets would circle for ever; messages end
 * at the maximum of the hop count, or at the hop limit. */
static void
they_do_not_go_round_for_ever(void **state)
{
    static const uint32_t limits[] = { 0, 5 };
    enum { R0, R1, R2, EDGE, SENDER, RECEIVER };
    struct net net;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        hand_start(&net);
        for (int k = 0; k < 4; k++) {
            hand_switch(&net);
        }
        hand_nic(&net);
        hand_nic(&net);
        for (uint32_t k = 0; k < 3; k++) {
            hand_link(&net, k, (k + 1) % 3, rate_bps, us);
        }
        hand_link(&net, R2, EDGE, rate_bps, us);
        hand_link(&net, EDGE, SENDER, rate_bps, us);
        hand_link(&net, R2, RECEIVER, rate_bps, us);
        hand_finish(&net, 1);
        topo_add_static(&net.topo, SENDER, hand_port(&net, R2, R0));
        topo_route(&net.topo);
        topo_add_static(&net.topo, SENDER, hand_port(&net, R0, R1));
        topo_route(&net.topo);
        net.flows[0] = (struct simple_net_flow){
            .from = SENDER, .to = RECEIVER, .bytes = 1500, .rate_bps = WEIR_UNLIMITED
        };
        net.config.hop_limit = limits[i];
        use_probe(&net, "0B");
        struct sim *sim = hand_run(&net);
        struct sim_totals t = sim_totals(sim);
        uint64_t limit = limits[i] ? limits[i] : SIM_MAX_HOPS;
        assert_int_equal(t.n_messages_sent, 3); /* EDGE, R2 and the receiver send one each. */
        assert_int_equal(t.n_messages_received, 1);
        assert_int_equal(t.n_messages_dropped, 2);
        assert_int_equal(t.n_hops, 3 + 1 + 2 * (limit + 1));
        sim_free(sim);
        net_stop(&net);
    }
}

/* The same bits with threads, and in a plain event loop. */

struct result {
    uint64_t hash, n_heard;
};

static struct result
run_as(struct net *net, uint32_t n_threads, bool is_reference)
{
    struct err err;

    net->config.run.n_threads = n_threads;
    struct sim *sim = simple_net_sim_new(&net->config, &err);
    if (!sim) {
        fail_msg("%s", err.text);
    }
    if (is_reference) {
        sim_run_reference(sim);
    } else {
        sim_run(sim);
    }
    assert_true(sim_is_conserved(sim, &err));
    struct result r = { sim_totals(sim).hash, sim_totals(sim).n_messages_received };
    sim_free(sim);
    return r;
}

static void
assert_same_however(struct net *net)
{
    struct result first = run_as(net, 1, false);

    assert_true(first.n_heard > 100);
    for (uint32_t n_threads = 1; n_threads <= 4; n_threads *= 2) {
        for (int is_reference = n_threads == 1; is_reference >= 0; is_reference--) {
            struct result r = run_as(net, n_threads, is_reference);
            assert_int_equal(r.hash, first.hash);
            assert_int_equal(r.n_heard, first.n_heard);
        }
    }
}

static void
threads_and_windows_do_not_matter(void **state)
{
    const struct topo_build tree = { .k = 4, .link = { .rate_bps = rate_bps, .delay_ps = us } };
    const struct topo_build slow = { .k = 4, .link = { .rate_bps = 1000000007, .delay_ps = 1 } };
    const struct topo_build *builds[] = { &tree, &slow };
    static const char *const blames[] = { "arrival", "packet", "byte" };
    struct weir_text why = { 0 };

    (void)state;
    for (uint32_t i = 0; i < 16; i++) {
        struct net net;
        net_start(&net, topo_build_fat_tree, builds[i % 2], MODEL_ENDLESS, i);
        net.config.kind = sim_kind_find(i / 2 % 2 ? "pipeline" : "oq");
        net.config.paths = i / 4 % 2 ? "spray" : "hash";
        net.config.run.until_ps = (i % 2 ? 3000 : 300) * us;
        net.config.response_ps = i / 8 ? 0 : 3 * us;
        for (size_t k = 0; i / 8 && k < net.topo.n_links; k++) {
            net.topo.links[k].loss = WEIR_RATIO_1 / 100;
        }
        net_use(&net, "pfc");
        use_probe(&net, "5KB");
        assert_true(weir_stack_set(&net.config.stack, 1, "blame", blames[i % 3], &why));
        assert_same_however(&net);
        net_stop(&net);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_arrive_when_links_have_been_crossed),
        cmocka_unit_test(they_find_who_sends),
        cmocka_unit_test(they_pass_what_is_paused),
        cmocka_unit_test(words_to_peers_go_first),
        cmocka_unit_test(all_are_accounted_for),
        cmocka_unit_test(they_do_not_go_round_for_ever),
        cmocka_unit_test(threads_and_windows_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

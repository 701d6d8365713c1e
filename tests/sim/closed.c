/* Closed forms, compared with the simulator: times, shares, rates and marks. Each form is derived
 * at its test; doc/correctness.md lists all of them.  Forms of the engines are in closed-engines.c.
 */

#include "hand.h"

enum { MTU = 1500, MAX_HOPS = 8 };
#define G 1000000000ull

/* Times.  A packet is on a link for its transmission time and the cable delay; a switch forwards it
 * when it has received all of it.  The gap counts as a part of the packet that goes before it. */

struct line {
    uint32_t n_hops;
    uint64_t rates_bps[MAX_HOPS];
    weir_ps delays_ps[MAX_HOPS];
};

static const struct line lines[] = {
    { 2, { 10 * G, 10 * G }, { 1000000, 1000000 } },
    { 5, { 100 * G, 100 * G, 100 * G, 100 * G, 100 * G }, { 0, 5000, 300000, 1000000, 5000 } },
    { 4, { 10 * G, 10 * G, 1 * G, 10 * G }, { 1000000, 300000, 0, 700000 } },
    { 4, { 1 * G, 100 * G, 25 * G, 40 * G }, { 5000, 5000, 5000, 5000 } },
    { 4, { 100 * G, 40 * G, 25 * G, 1 * G }, { 5000, 5000, 5000, 5000 } },
    { 3, { 33333333333, 7777777777, 12345678901 }, { 1, 12345, 999999 } },
};

static void
start_line(struct net *net, const struct line *l, uint64_t bytes, uint32_t gap_bytes)
{
    uint32_t from, to = 0;

    hand_start(net);
    from = hand_nic(net);
    for (uint32_t i = 0, at = from; i < l->n_hops; i++, at = to) {
        to = i + 1 < l->n_hops ? hand_switch(net) : hand_nic(net);
        hand_link(net, at, to, l->rates_bps[i], l->delays_ps[i]);
    }
    hand_finish(net, 1);
    net->config.gap_bytes = gap_bytes;
    net->flows[0].from = from;
    net->flows[0].to = to;
    net->flows[0].bytes = bytes;
    net->flows[0].start_ps = 777;
    net_use(net, "none");
}

static weir_ps
wire_ps(const struct line *l, uint32_t hop, uint64_t bytes)
{
    return weir_wire_ps(bytes, l->rates_bps[hop]);
}

/* The time of a flow. Packets follow each other on each hop. The critical path of n packets over h
 * hops follows the first packet up to some hop, waits there for all packets but the last, and then
 * follows the last packet.  If the last packet is smaller, the change to it may be at a later hop
 * than the wait, so the function tries every hop for the change. */
static weir_ps
flow_ps(const struct line *l, uint64_t bytes, uint32_t gap_bytes)
{
    uint64_t n = (bytes + MTU - 1) / MTU, first = (n > 1 ? MTU : bytes) + gap_bytes;
    uint64_t last = bytes - (n - 1) * MTU + gap_bytes;
    weir_ps worst = 0, cables = 0, sum = 0, slowest = 0;

    for (uint32_t change = 0; change < l->n_hops; change++) {
        weir_ps wire = wire_ps(l, change, first), rest = 0;
        slowest = wire > slowest ? wire : slowest;
        sum += wire;
        cables += l->delays_ps[change];
        for (uint32_t i = change; i < l->n_hops; i++) {
            rest += wire_ps(l, i, last);
        }
        weir_ps way = n > 1 ? sum + (weir_ps)(n - 2) * slowest + rest : rest;
        worst = way > worst ? way : worst;
    }
    return worst + cables;
}

static void
assert_flow_time(const struct line *l, uint64_t bytes, uint32_t gap_bytes)
{
    struct net net;
    weir_ps first_ps = 777 + flow_ps(l, bytes < MTU ? bytes : MTU, gap_bytes);

    start_line(&net, l, bytes, gap_bytes);
    struct sim *sim = hand_run(&net);
    struct sim_flow_result r = sim_flow_result(sim, 0);
    assert_int_equal(r.received_bytes, bytes);
    assert_int_equal(r.first_ps, first_ps);
    assert_int_equal(r.last_ps, 777 + flow_ps(l, bytes, gap_bytes));
    sim_free(sim);
    net_stop(&net);
}

static void
a_flow_alone_takes_its_time(void **state)
{
    static const uint64_t sizes[] = {
        1, 64, MTU, MTU + 1, 2 * MTU, 2 * MTU + 1, 100 * MTU - 1, 100 * MTU, 100 * MTU + 700
    };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            assert_flow_time(&lines[i], sizes[k], 0);
            assert_flow_time(&lines[i], sizes[k], 20);
        }
    }
}

/* Shares. */

/* The link to the receiver is never idle once the first packet is at the switch, so one packet
 * arrives in each wire time: goodput is C MTU / (MTU + gap).  With round robin each of n senders
 * gets every n-th packet. */
static void
assert_even_shares(uint32_t n, const char *arbitration, uint32_t gap_bytes, uint64_t slack)
{
    struct net net;
    weir_ps wire = (MTU + (weir_ps)gap_bytes) * 800, delay = 1000000;
    uint64_t all = 0;

    hand_incast(&net, n, 10 * G, delay);
    net.config.arbitration = arbitration;
    net.config.gap_bytes = gap_bytes;
    net.config.buffer.reserve_bytes = 100000;
    net.config.run.until_ps = 2 * (wire + delay) + 6000 * wire;
    net_use(&net, "pfc");
    struct sim *sim = hand_run(&net);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t n_received = sim_flow_result(sim, i).n_received;
        ASSERT_NEAR(n_received, 6001 / n, slack);
        all += n_received;
    }
    assert_int_equal(all, 6001);
    sim_free(sim);
    net_stop(&net);
}

static void
senders_to_one_share_evenly(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 8; n++) {
        assert_even_shares(n, "rr", 0, 1);
        assert_even_shares(n, "rr", 20, 1);
        assert_even_shares(n, "wfq", 20, 1);
        assert_even_shares(n, "fifo", 0, 6001 / n / 20);
    }
}

/* Two hosts at one switch and a third host at the next switch send to a fourth host there. Two
 * flows arrive on an input from a switch, and one on an input from a host.  Fills in packets
 * received, flow by flow. */
static void
run_transit(const char *arbitration, uint32_t host_share, uint64_t received[3])
{
    struct net net;
    uint32_t hosts[4];

    hand_start(&net);
    uint32_t far = hand_switch(&net), near = hand_switch(&net);
    hand_link(&net, far, near, 10 * G, 1000000);
    for (int i = 0; i < 4; i++) {
        hosts[i] = hand_nic(&net);
        hand_link(&net, hosts[i], i < 2 ? far : near, 10 * G, 1000000);
    }
    hand_finish(&net, 3);
    for (int i = 0; i < 3; i++) {
        net.flows[i].from = hosts[i];
        net.flows[i].to = hosts[3];
    }
    net.config.arbitration = arbitration;
    net.config.host_share = host_share;
    net.config.buffer.reserve_bytes = 100000;
    net.config.run.until_ps = 12000000000;
    net_use(&net, "pfc");
    struct sim *sim = hand_run(&net);
    for (uint32_t i = 0; i < 3; i++) {
        received[i] = sim_flow_result(sim, i).n_received;
    }
    sim_free(sim);
    net_stop(&net);
}

/* The host has its share of 10,000 packets in 12 ms; the two flows of the other input each get half
 * of the rest. */
static void
a_host_has_its_share(void **state)
{
    uint64_t received[3];

    (void)state;
    for (uint32_t percent = 10; percent <= 90; percent += 10) {
        run_transit("wfq", percent * WEIR_RATIO_1 / 100, received);
        ASSERT_NEAR(received[2], 100 * percent, 30);
        ASSERT_NEAR(received[0], 50 * (100 - percent), 30);
        ASSERT_NEAR(received[1], received[0], 2);
    }
}

/* A sender at a fifth of the rate has the link for itself for 2 ms, then two others start: from
 * then on these two share the rest.  Earlier service does not reduce the share of the first sender,
 * although none of its packets waits when the packets of the others arrive. */
static void
late_senders_have_no_more_than_their_share(void **state)
{
    static const uint64_t tenths[] = { 2 * 3, 4,
                                       4 }; /* Tenths of the bytes that the wire carries in 1 ms. */
    struct net net;

    (void)state;
    hand_incast(&net, 3, 10 * G, 1000000);
    net.config.arbitration = "wfq";
    net.config.buffer.reserve_bytes = 10000000;
    net.config.gap_bytes = 0;
    net.flows[0].rate_bps = 2 * G;
    net.flows[1].start_ps = net.flows[2].start_ps = 2000500000;
    net.config.run.until_ps = 3000000000;
    net_use(&net, "none");
    struct sim *sim = hand_run(&net);
    for (uint32_t i = 0; i < 3; i++) {
        ASSERT_NEAR(sim_flow_result(sim, i).received_bytes, tenths[i] * 125000, 5 * MTU);
    }
    sim_free(sim);
    net_stop(&net);
}

/* With arbitration by flow each flow has a third, whatever its input. With round robin over inputs,
 * two flows have a quarter each and one has half. Flows that share a buffer also share its pauses,
 * and may run out of packets during them, so the first values have a tolerance. */
static void
flows_share_evenly_if_they_are_looked_at(void **state)
{
    uint64_t received[3];

    (void)state;
    run_transit("flow", 0, received);
    for (int i = 0; i < 3; i++) {
        ASSERT_NEAR(received[i], 10000 / 3, 150);
    }
    run_transit("rr", 0, received);
    ASSERT_NEAR(received[0], 2500, 10);
    ASSERT_NEAR(received[2], 5000, 10);
}

/* Builds a switch with hosts 1 and 2, and flows that the test directs. */
static void
start_pair(struct net *net, uint32_t n_flows)
{
    hand_start(net);
    hand_switch(net);
    hand_link(net, hand_nic(net), 0, 10 * G, 1000000);
    hand_link(net, hand_nic(net), 0, 10 * G, 1000000);
    hand_finish(net, n_flows);
}

/* A host serves its flows round robin: the numbers of packets of n flows differ by at most one. */
static void
flows_of_a_host_take_turns(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 5; n++) {
        struct net net;
        start_pair(&net, n);
        for (uint32_t i = 0; i < n; i++) {
            net.flows[i].from = 1;
            net.flows[i].to = 2;
        }
        net.config.run.until_ps = 2 * (MTU * 800 + 1000000) + 6000ll * MTU * 800;
        net_use(&net, "pfc");
        struct sim *sim = hand_run(&net);
        for (uint32_t i = 0; i < n; i++) {
            ASSERT_NEAR(sim_flow_result(sim, i).n_received, 6001 / n, 1);
        }
        sim_free(sim);
        net_stop(&net);
    }
}

/* Three switches in a row.  Flow 'a' crosses both links; 'b' shares the first link with it; 'c' and
 * 'd' share the second. */
static void
start_parking_lot(struct net *net, uint8_t cls_of_b)
{
    static const uint32_t at[4][2] = { { 0, 2 }, { 0, 1 }, { 1, 2 }, { 1, 2 } };

    hand_start(net);
    for (uint32_t i = 0; i < 3; i++) {
        hand_switch(net);
    }
    hand_link(net, 0, 1, 10 * G, 1000000);
    hand_link(net, 1, 2, 10 * G, 1000000);
    for (uint32_t i = 0; i < 4; i++) {
        hand_link(net, hand_nic(net), at[i][0], 10 * G, 1000000);
        hand_link(net, hand_nic(net), at[i][1], 10 * G, 1000000);
    }
    hand_finish(net, 4);
    for (uint32_t i = 0; i < 4; i++) {
        net->flows[i].from = 3 + 2 * i;
        net->flows[i].to = 4 + 2 * i;
    }
    net->flows[1].cls = cls_of_b;
    net->config.n_classes = 2;
    net->config.lossless = 3;
    net->config.buffer.reserve_bytes = 60000;
    net_use(net, "pfc");
}

/* A fair share is the minimum of C / n over the links of the path: C/3, C/2, C/3, C/3. */
static void
fair_shares_are_those_of_the_worst_link(void **state)
{
    struct net net;
    uint64_t bps[4];

    (void)state;
    start_parking_lot(&net, 0);
    struct sim *sim = hand_run(&net);
    sim_fair_shares(sim, NULL, bps);
    assert_int_equal(bps[0], 10 * G / 3);
    assert_int_equal(bps[1], 10 * G / 2);
    assert_int_equal(bps[2], 10 * G / 3);
    assert_int_equal(bps[3], 10 * G / 3);
    sim_free(sim);
    net_stop(&net);
}

/* Flow 'a' has C/3 of the second link.  PFC pauses the first link as often as needed for that. If
 * 'b' is in the same class it alternates with 'a', so it also gets C/3, although its own path is
 * free. In a class of its own, 'b' gets all that 'a' leaves: 2C/3. */
static void
a_victim_gets_what_the_culprit_gets(void **state)
{
    (void)state;
    for (uint8_t cls = 0; cls < 2; cls++) {
        struct net net;
        start_parking_lot(&net, cls);
        struct sim *sim = hand_run(&net);
        ASSERT_NEAR(sim_flow_late_bps(sim, 0), 10 * G / 3, G / 50);
        ASSERT_NEAR(sim_flow_late_bps(sim, 1), (cls ? 20 : 10) * G / 3, G / 50);
        ASSERT_NEAR(sim_flow_late_bps(sim, 2), 10 * G / 3, G / 50);
        ASSERT_NEAR(sim_flow_late_bps(sim, 3), 10 * G / 3, G / 50);
        sim_free(sim);
        net_stop(&net);
    }
}

/* If n pairs of hosts share a link between two switches, each gets C/n. */
static void
pairs_share_what_is_between_them(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 5; n++) {
        struct net net;
        uint64_t bps[5];
        hand_start(&net);
        for (uint32_t i = 0; i < 2; i++) {
            hand_switch(&net);
        }
        hand_link(&net, 0, 1, 10 * G, 1000000);
        for (uint32_t i = 0; i < 2 * n; i++) {
            hand_link(&net, hand_nic(&net), i % 2, 10 * G, 1000000);
        }
        hand_finish(&net, n);
        for (uint32_t i = 0; i < n; i++) {
            net.flows[i].from = 2 + 2 * i;
            net.flows[i].to = 3 + 2 * i;
        }
        net.config.buffer.reserve_bytes = 60000;
        net_use(&net, "pfc");
        struct sim *sim = hand_run(&net);
        sim_fair_shares(sim, NULL, bps);
        for (uint32_t i = 0; i < n; i++) {
            assert_int_equal(bps[i], 10 * G / n);
            ASSERT_NEAR(sim_flow_late_bps(sim, i), 10 * G / n, G / 100);
        }
        sim_free(sim);
        net_stop(&net);
    }
}

/* Pace.  From the start, one packet leaves in each (MTU + gap) / rate, rounded up to a picosecond.
 */

static void
a_pace_is_kept(void **state)
{
    static const uint64_t rates_bps[] = { 1000000, 1 * G, 3333333333, 9999999999 };

    (void)state;
    for (size_t i = 0; i < sizeof rates_bps / sizeof *rates_bps; i++) {
        for (uint32_t gap = 0; gap <= 20; gap += 20) {
            struct net net;
            weir_ps every = weir_wire_ps(MTU + gap, rates_bps[i]);
            start_line(&net, &lines[0], MODEL_ENDLESS, gap);
            net.flows[0].rate_bps = rates_bps[i];
            net.config.run.until_ps = 50000000000;
            struct sim *sim = hand_run(&net);
            struct sim_flow_result r = sim_flow_result(sim, 0);
            weir_ps first = 777 + flow_ps(&lines[0], MTU, gap);
            assert_int_equal(r.n_received, 1 + (net.config.run.until_ps - first) / every);
            assert_int_equal(r.last_ps, first + (weir_ps)(r.n_received - 1) * every);
            sim_free(sim);
            net_stop(&net);
        }
    }
}

/* Flows of one host, whose rates together fit its link, wait for each other's packets and keep
 * their rates. */
static void
paces_beside_each_other_are_kept(void **state)
{
    static const uint64_t paces_bps[][3] = { { 5 * G, 3700000000, 0 },
                                             { 5 * G, 4900000000, 0 },
                                             { 3 * G, 3 * G, 3 * G },
                                             { 1 * G, 2 * G, 6 * G } };
    (void)state;
    for (size_t i = 0; i < sizeof paces_bps / sizeof *paces_bps; i++) {
        struct net net;
        start_pair(&net, paces_bps[i][2] ? 3 : 2);
        for (uint32_t k = 0; k < net.config.n_flows; k++) {
            net.flows[k].from = 1;
            net.flows[k].to = 2;
            net.flows[k].rate_bps = paces_bps[i][k];
        }
        net_use(&net, "none");
        struct sim *sim = hand_run(&net);
        for (uint32_t k = 0; k < net.config.n_flows; k++) {
            ASSERT_NEAR(sim_flow_late_bps(sim, k), paces_bps[i][k], 5000000);
        }
        sim_free(sim);
        net_stop(&net);
    }
}

/* Marks.  In each packet time two packets arrive, one from each sender, and one leaves.  In round j
 * >= 1 of arrivals, the queue has j - 1 packets when the first one arrives, because a packet has
 * just left.  The packet that leaves has j - 1 behind it, and the two that arrive join a queue of j
 * and of j + 1 packets (of 1 and 1 in round 0, because the link is idle).  Packets above k are
 * marked. */
static uint64_t
count_marks(const char *moment, uint64_t k, uint64_t n_rounds)
{
    struct net net;
    struct weir_text why = { 0 };
    weir_ps wire = MTU * 800, delay = 1000000;

    hand_incast(&net, 2, 10 * G, delay);
    net.config.run.until_ps = delay + (weir_ps)n_rounds * wire;
    net_use(&net, "ecn");
    hand_set(&net, "kmin", k * MTU);
    hand_set(&net, "kmax", k * MTU);
    assert_true(weir_stack_set(&net.config.stack, 0, "at", moment, &why));
    struct sim *sim = hand_run(&net);
    const struct weir_engine *ecn = weir_engine_find("ecn");
    uint64_t n = sim_counter(sim, 0, 0, weir_field_find(ecn->counters, "marked"));
    sim_free(sim);
    net_stop(&net);
    return n;
}

static void
marks_begin_at_the_threshold(void **state)
{
    (void)state;
    for (uint64_t k = 1; k <= 50; k += 7) {
        assert_int_equal(count_marks("queued", k, 100), 2 * (100 - k) - 1);
        assert_int_equal(count_marks("departed", k, 100), 100 - k - 2);
    }
}

/* A flow goes up an oversubscribed fat tree and down again. Each packet crosses six links, and all
 * but the first wait for the packet before them at the slowest links, in the core. */
static void
slower_links_up_bound_a_flow_across_pods(void **state)
{
    const struct topo_build tree = { .k = 4,
                                     .link = { .rate_bps = 10 * G, .delay_ps = 1000000 },
                                     .uplink_bps = 5 * G,
                                     .core_bps = 2 * G };
    const weir_ps host = weir_wire_ps(MTU, 10 * G), edge = weir_wire_ps(MTU, 5 * G);
    const weir_ps core = weir_wire_ps(MTU, 2 * G);
    const weir_ps expected_ps = 6 * 1000000 + 2 * (host + edge + core) + 99 * core;
    uint64_t fair_bps[16];
    struct net net;

    (void)state;
    net_start(&net, topo_build_fat_tree, &tree, 100 * MTU, 1);
    net.config.n_flows = 1;
    net.flows[0].from = net_nic(&net, 0);
    net.flows[0].to = net_nic(&net, 15);
    net.flows[0].start_ps = 0;
    struct sim *sim = net_run(&net, "none", "fifo", 1);
    sim_fair_shares(sim, NULL, fair_bps);
    assert_int_equal(sim_flow_ideal_ps(sim, 0), expected_ps);
    assert_int_equal(sim_flow_result(sim, 0).last_ps, expected_ps);
    assert_int_equal(fair_bps[0], 2 * G);
    sim_free(sim);
    net_stop(&net);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flow_alone_takes_its_time),
        cmocka_unit_test(slower_links_up_bound_a_flow_across_pods),
        cmocka_unit_test(senders_to_one_share_evenly),
        cmocka_unit_test(flows_of_a_host_take_turns),
        cmocka_unit_test(fair_shares_are_those_of_the_worst_link),
        cmocka_unit_test(a_victim_gets_what_the_culprit_gets),
        cmocka_unit_test(a_host_has_its_share),
        cmocka_unit_test(late_senders_have_no_more_than_their_share),
        cmocka_unit_test(flows_share_evenly_if_they_are_looked_at),
        cmocka_unit_test(pairs_share_what_is_between_them),
        cmocka_unit_test(a_pace_is_kept),
        cmocka_unit_test(paces_beside_each_other_are_kept),
        cmocka_unit_test(marks_begin_at_the_threshold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

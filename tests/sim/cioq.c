/* Switches with a crossbar: times of packets, computed by hand; shares of flows; and the laws that
 * all kinds of switches must obey. */

#include "net.h"

#define G 1000000000ull

enum { US = 1000000, PACKET = 1500, WIRE_PS = PACKET * 800, CABLE_PS = US };
enum { SLOTS, HELD };
enum { ISLIP, LONGEST };
enum { BY_ARRIVAL, IN_TURN };

/* Parameters of the kind 'cioq', in the order of its fields. */
struct params {
    uint64_t egress_bytes, speedup, matching, iterations, transfer, order, inner_bytes, inner_bps;
    uint64_t inner_egress_bytes, is_reliable, ack_ps;
};

static const struct params usual = { 150000, 2 * WEIR_RATIO_1, ISLIP, 2, .transfer = SLOTS };

static void
use_crossbar(struct net *net, const struct params *params)
{
    net->config.kind = sim_kind_find("cioq");
    assert_int_equal(net->config.kind->about.params_bytes, sizeof *params);
    net->config.kind_params = params;
}

/* One switch with links of 10 Gb/s. */
static void
start_star(struct net *net, uint32_t n_hosts, const struct params *params)
{
    net_start_star(net, n_hosts, 10 * G, CABLE_PS);
    use_crossbar(net, params);
}

static struct sim *
run_it(struct net *net, const char *engine)
{
    return net_conserved(net_run(net, engine, "fifo", 1));
}

/* The life of a packet. */

/* With slots, a short packet takes as long as one of the maximum size. A slot that is not a whole
 * number of picoseconds is rounded up. */
static void
one_packet_takes_a_transfer_longer(void **state)
{
    static const struct {
        uint64_t speedup, transfer, bytes;
        weir_ps inside_ps;
    } cases[] = {
        { WEIR_RATIO_1, SLOTS, PACKET, WIRE_PS },
        { 2 * WEIR_RATIO_1, SLOTS, PACKET, WIRE_PS / 2 },
        { 2 * WEIR_RATIO_1, SLOTS, 100, WIRE_PS / 2 },
        { 7 * WEIR_RATIO_1, SLOTS, PACKET, WIRE_PS / 7 + 1 },
        { 2 * WEIR_RATIO_1, HELD, PACKET, WIRE_PS / 2 },
        { 2 * WEIR_RATIO_1, HELD, 100, 40000 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct params p = { 150000, cases[i].speedup, ISLIP, 2, .transfer = cases[i].transfer };
        struct net net;
        start_star(&net, 2, &p);
        net_add_flow(&net, 0, 1, cases[i].bytes);
        struct sim *sim = run_it(&net, "pfc");
        weir_ps way = 2 * ((weir_ps)cases[i].bytes * 800 + CABLE_PS);
        assert_int_equal(sim_flow_result(sim, 0).first_ps, way + cases[i].inside_ps);
        assert_int_equal(sim_flow_ideal_ps(sim, 0),
                         way + (cases[i].transfer == SLOTS ? cases[i].inside_ps : 0));
        sim_free(sim);
        net_stop(&net);
    }
}

/* Packets that arrive at the same time for different outputs cross together. With slots, a packet
 * that arrives a picosecond later waits for the next slot; with 'held' it does not. */
static void
a_late_packet_waits_for_the_next_slot(void **state)
{
    (void)state;
    for (uint64_t transfer = SLOTS; transfer <= HELD; transfer++) {
        struct params p = usual;
        struct net net;
        p.transfer = transfer;
        start_star(&net, 6, &p);
        for (uint32_t i = 0; i < 3; i++) {
            net_add_flow(&net, i, 3 + i, PACKET);
        }
        net.flows[2].start_ps = 1;
        struct sim *sim = run_it(&net, "pfc");
        weir_ps first = 2 * (WIRE_PS + CABLE_PS) + WIRE_PS / 2;
        assert_int_equal(sim_flow_result(sim, 0).first_ps, first);
        assert_int_equal(sim_flow_result(sim, 1).first_ps, first);
        assert_int_equal(sim_flow_result(sim, 2).first_ps,
                         transfer == SLOTS ? first + WIRE_PS / 2 : first + 1);
        sim_free(sim);
        net_stop(&net);
    }
}

/* Three packets go to one output with room for one. The first packet crosses in a slot, and its
 * transmission starts; the second crosses a slot later. The third stays at its input until the
 * transmission of the second starts, and no packet is lost. */
static void
a_full_output_holds_packets_at_inputs(void **state)
{
    struct params p = usual;
    struct net net;
    const weir_ps here = WIRE_PS + CABLE_PS, slot = WIRE_PS / 2;

    (void)state;
    p.egress_bytes = PACKET;
    start_star(&net, 4, &p);
    for (uint32_t i = 0; i < 3; i++) {
        net_add_flow(&net, i, 3, PACKET);
    }
    struct sim *sim = run_it(&net, "none");
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(sim_flow_result(sim, i).first_ps, 2 * here + slot + i * (weir_ps)WIRE_PS);
    }
    assert_int_equal(sim_totals(sim).n_dropped, 0);
    sim_free(sim);
    net_stop(&net);
}

/* Adds a flow to a host that receives nothing: 300 KB wait at the host, and the rest in the switch.
 * Later another flow starts at the same source, to a host that receives everything. */
static void
add_blocked_flows(struct net *net)
{
    net_add_flow(net, 0, 1, 230 * PACKET);
    net_add_flow(net, 0, 2, 40 * PACKET);
    net->flows[1].start_ps = 600 * US;
    net->config.n_stalls = 1;
}

static struct model_stall
stall_of(const struct net *net)
{
    return (struct model_stall){ net_nic(net, 1), 1, 0, 2000 * US };
}

/* Packets of one input for a blocked output do not delay packets for another output. */
static void
no_packet_waits_for_one_that_goes_elsewhere(void **state)
{
    (void)state;
    for (uint64_t transfer = SLOTS; transfer <= HELD; transfer++) {
        struct params p = usual;
        struct net net;
        p.transfer = transfer;
        p.egress_bytes = 3000;
        start_star(&net, 3, &p);
        add_blocked_flows(&net);
        struct model_stall stall = stall_of(&net);
        net.config.stalls = &stall;
        struct sim *sim = run_it(&net, "cbfc");
        assert_true(sim_flow_result(sim, 0).n_received < 230);
        assert_int_equal(sim_flow_result(sim, 1).n_received, 40);
        sim_free(sim);
        net_stop(&net);
    }
}

/* The inner stage. */

/* A packet enters the single queue at the rate of that queue, and then crosses. */
static void
an_adapter_takes_its_time_first(void **state)
{
    static const struct {
        uint64_t bps;
        weir_ps loading_ps;
    } cases[] = { { WEIR_AUTO, PACKET * 640 }, { 20 * G, PACKET * 400 }, { 3 * G, 4 * US } };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct params p = usual;
        struct net net;
        p.inner_bytes = 3000;
        p.inner_bps = cases[i].bps;
        start_star(&net, 2, &p);
        net_add_flow(&net, 0, 1, PACKET);
        struct sim *sim = run_it(&net, "pfc");
        assert_int_equal(sim_flow_result(sim, 0).first_ps,
                         2 * (WIRE_PS + CABLE_PS) + cases[i].loading_ps + WIRE_PS / 2);
        sim_free(sim);
        net_stop(&net);
    }
}

/* Two flows of one host, the first to a host that receives nothing. With a single inner queue, by
 * FIFO or round robin, the second flow is blocked behind the first. With a queue per output it is
 * not. */
static void
the_inner_queue_is_blocked_by_its_head(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct params p = usual;
        struct net net;
        p.egress_bytes = 3000;
        p.inner_bytes = i ? 6000 : 0;
        p.inner_bps = WEIR_AUTO;
        p.order = i == 2 ? IN_TURN : BY_ARRIVAL;
        start_star(&net, 3, &p);
        add_blocked_flows(&net);
        struct model_stall stall = stall_of(&net);
        net.config.stalls = &stall;
        struct sim *sim = run_it(&net, "cbfc");
        assert_int_equal(sim_flow_result(sim, 1).n_received == 40, i == 0);
        sim_free(sim);
        net_stop(&net);
    }
}

/* Ten packets for one output come first, then ten for another.  With FIFO, the second ten leave
 * after the first ten; with round robin, packets of both alternate.
 */
static void
destinations_go_on_by_arrival_or_in_turn(void **state)
{
    weir_ps last[2];

    (void)state;
    for (uint64_t order = BY_ARRIVAL; order <= IN_TURN; order++) {
        struct params p = usual;
        struct net net;
        p.inner_bytes = 3000;
        p.inner_bps = 2 * G; /* The inner stage is slow, so packets wait at the input. */
        p.order = order;
        start_star(&net, 3, &p);
        net_add_flow(&net, 0, 1, 10 * PACKET);
        net_add_flow(&net, 0, 2, 10 * PACKET);
        net.flows[1].start_ps = 10 * (weir_ps)WIRE_PS;
        struct sim *sim = run_it(&net, "none");
        last[order] = sim_flow_result(sim, 0).last_ps;
        assert_int_equal(sim_flow_result(sim, 1).n_received, 10);
        sim_free(sim);
        net_stop(&net);
    }
    assert_true(last[IN_TURN] > last[BY_ARRIVAL] + 4 * PACKET * 4000);
}

/* Shares. */

static uint64_t
received(const struct sim *sim, uint32_t flow)
{
    return sim_flow_result(sim, flow).n_received;
}

/* Each host sends at line rate to the next one: the crossbar carries all packets without a
 * speed-up. */
static void
a_permutation_gets_all_of_it(void **state)
{
    enum { N = 6 };

    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        struct params p = { 150000, WEIR_RATIO_1 * (1 + i / 2), ISLIP, 1, .transfer = i % 2 };
        struct net net;
        start_star(&net, N, &p);
        for (uint32_t k = 0; k < N; k++) {
            net_add_flow(&net, k, (k + 1) % N, MODEL_ENDLESS);
            net.flows[k].start_ps = k * 177000;
        }
        struct sim *sim = run_it(&net, "pfc");
        for (uint32_t k = 0; k < N; k++) {
            assert_in_range(received(sim, k), 1000 * (weir_ps)US / WIRE_PS - 8,
                            1000 * (weir_ps)US / WIRE_PS);
        }
        sim_free(sim);
        net_stop(&net);
    }
}

/* Five hosts send to one, and the first of them also to another. Each of the five gets a fifth of
 * the hot output.  The test leaves out the matching 'longest', which is not fair. */
static void
a_hot_output_is_shared_by_turn(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        struct params p = { 30000, WEIR_RATIO_1 * (1 + i % 3), ISLIP, 1 + i % 2,
                            .transfer = i / 3 };
        struct net net;
        start_star(&net, 7, &p);
        for (uint32_t k = 0; k < 5; k++) {
            net_add_flow(&net, k, 5, MODEL_ENDLESS);
        }
        net_add_flow(&net, 0, 6, MODEL_ENDLESS);
        net.config.run.until_ps = 4000 * (weir_ps)US;
        struct sim *sim = run_it(&net, "pfc");
        uint64_t fair = 4000 * (weir_ps)US / WIRE_PS / 5;
        for (uint32_t k = 0; k < 5; k++) {
            assert_in_range(received(sim, k), fair - fair / 50, fair + fair / 50);
        }
        assert_int_equal(sim_totals(sim).n_dropped_lossless, 0);
        sim_free(sim);
        net_stop(&net);
    }
}

/* Two classes share an output equally, although one input sends in class 1 and two inputs send in
 * class 0. */
static void
classes_take_turns(void **state)
{
    struct params p = usual;
    struct net net;

    (void)state;
    p.egress_bytes = 6000;
    start_star(&net, 4, &p);
    net.config.n_classes = 2;
    net.config.lossless = 3;
    for (uint32_t i = 0; i < 3; i++) {
        net_add_flow(&net, i, 3, MODEL_ENDLESS);
        net.flows[i].cls = i == 0;
    }
    struct sim *sim = run_it(&net, "pfc");
    assert_in_range(received(sim, 0), received(sim, 1) + received(sim, 2) - 10,
                    received(sim, 1) + received(sim, 2) + 10);
    sim_free(sim);
    net_stop(&net);
}

/* Laws. */

static const struct params variants[] = {
    { 150000, 2 * WEIR_RATIO_1, ISLIP, 2, .transfer = SLOTS },
    { 20000, WEIR_RATIO_1, ISLIP, 1, .transfer = SLOTS },
    { 30000, 3 * WEIR_RATIO_1, LONGEST, 4, .transfer = SLOTS },
    { 30000, WEIR_RATIO_1 * 3 / 2, ISLIP, 1, .transfer = HELD },
    { 0, 2 * WEIR_RATIO_1, LONGEST, 1, .transfer = HELD },
    { 20000, 2 * WEIR_RATIO_1, ISLIP, 2, .transfer = SLOTS, BY_ARRIVAL, 6000, WEIR_AUTO },
    { 20000, WEIR_RATIO_1 * 3 / 2, ISLIP, 2, .transfer = SLOTS, IN_TURN, 9000, 12 * G },
    { 20000, 2 * WEIR_RATIO_1, ISLIP, 2, .transfer = HELD, IN_TURN, 4500, WEIR_AUTO },
    { 20000, 2 * WEIR_RATIO_1, ISLIP, 2, .transfer = SLOTS, .is_reliable = 1, .ack_ps = 2 * US },
    { 20000, 2 * WEIR_RATIO_1, ISLIP, 2, .transfer = HELD, IN_TURN, 4500, WEIR_AUTO,
      .is_reliable = 1, .ack_ps = 300000 },
};

static const char *const arbitrations[] = { "fifo", "rr", "random", "wfq" };

static void
start_variant(struct net *net, topo_builder *build, const struct topo_build *b, size_t i)
{
    net_start(net, build, b, MODEL_ENDLESS, 1);
    use_crossbar(net, &variants[i]);
    net->config.run.until_ps = 300 * (weir_ps)US;
}

static uint64_t
hash_of(struct net *net, const char *engine, const char *arbitration, uint32_t n_threads)
{
    struct sim *sim = net_conserved(net_run(net, engine, arbitration, n_threads));
    struct sim_totals t = sim_totals(sim);

    assert_true(t.n_hops > 500);
    assert_int_equal(t.n_out_of_order, 0);
    assert_int_equal(t.n_dropped_output, 0);
    sim_free(sim);
    return t.hash;
}

/* Sanitizers cost time: with them, each variant runs under every other engine only. */
#if defined(__SANITIZE_ADDRESS__)
enum { STEP = 2 };
#else
enum { STEP = 1 };
#endif

static void
assert_same(topo_builder *build, const struct topo_build *b)
{
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        struct net net;
        start_variant(&net, build, b, i);
        for (uint32_t e = 0; weir_engine_at(e); e++) {
            if ((e + i) % STEP) {
                continue;
            }
            const char *engine = weir_engine_at(e)->about.name;
            const char *arbitration = arbitrations[(e + i) % 4];
            uint64_t hash = net_reference_hash(&net, engine, arbitration);
            for (uint32_t n_threads = 1; n_threads <= 3; n_threads++) {
                assert_int_equal(hash_of(&net, engine, arbitration, n_threads), hash);
            }
        }
        net_stop(&net);
    }
}

static void
neither_threads_nor_windows_matter(void **state)
{
    static const struct topo_build tree = { .k = 4,
                                            .link = { .rate_bps = 10 * G, .delay_ps = US } };
    static const struct topo_build ring = { .switches = 5,
                                            .link = { .rate_bps = 40 * G, .delay_ps = 300000 } };

    (void)state;
    assert_same(topo_build_fat_tree, &tree);
    assert_same(topo_build_ring, &ring);
}

/* Engines that block senders lose nothing: outputs are small, and the other packets wait at inputs.
 */
static void
what_is_lossless_loses_nothing(void **state)
{
    static const char *const engines[] = { "pfc", "cbfc", "gfc-conceptual", "gfc-buffer",
                                           "gfc-time" };

    (void)state;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        for (size_t e = 0; e < sizeof engines / sizeof *engines; e++) {
            struct net net;
            start_star(&net, 8, &variants[i]);
            for (uint32_t k = 0; k < 7; k++) {
                net_add_flow(&net, k, 7, MODEL_ENDLESS);
            }
            struct sim *sim = run_it(&net, engines[e]);
            uint64_t n_received = 0;
            for (uint32_t k = 0; k < 7; k++) {
                n_received += received(sim, k);
            }
            assert_int_equal(sim_totals(sim).n_dropped, 0);
            assert_true(n_received > 700);
            sim_free(sim);
            net_stop(&net);
        }
    }
}

/* All packets are accounted for if watchdogs drop packets, a link goes down and up, and a NIC
 * stalls. */
static void
what_goes_wrong_is_accounted_for(void **state)
{
    static const struct topo_build ring = { .switches = 5,
                                            .link = { .rate_bps = 40 * G, .delay_ps = 300000 } };
    struct topo_link_event events[] = { { 7, 60 * US, false }, { 7, 150 * US, true } };
    uint64_t n_storms = 0, n_lost = 0;

    (void)state;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        struct net net;
        start_variant(&net, topo_build_ring, &ring, i);
        struct model_stall stall = { net.flows[1].to, 1, 50 * US, 200 * US };
        net.config.stalls = &stall;
        net.config.n_stalls = 1;
        net.config.link_events = events;
        net.config.n_link_events = 2;
        net.config.watchdog = (struct model_watchdog){ MODEL_DROP, 20 * US, 20 * US };
        uint64_t hash = net_reference_hash(&net, "pfc", "rr");
        assert_int_equal(hash_of(&net, "pfc", "rr", 2), hash);
        struct sim *sim = run_it(&net, "pfc");
        n_storms += sim_totals(sim).n_storms;
        n_lost += sim_totals(sim).n_lost;
        sim_free(sim);
        net_stop(&net);
    }
    assert_true(n_storms > 0);
    assert_true(n_lost > 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_packet_takes_a_transfer_longer),
        cmocka_unit_test(a_late_packet_waits_for_the_next_slot),
        cmocka_unit_test(a_full_output_holds_packets_at_inputs),
        cmocka_unit_test(no_packet_waits_for_one_that_goes_elsewhere),
        cmocka_unit_test(an_adapter_takes_its_time_first),
        cmocka_unit_test(the_inner_queue_is_blocked_by_its_head),
        cmocka_unit_test(destinations_go_on_by_arrival_or_in_turn),
        cmocka_unit_test(a_permutation_gets_all_of_it),
        cmocka_unit_test(a_hot_output_is_shared_by_turn),
        cmocka_unit_test(classes_take_turns),
        cmocka_unit_test(neither_threads_nor_windows_matter),
        cmocka_unit_test(what_is_lossless_loses_nothing),
        cmocka_unit_test(what_goes_wrong_is_accounted_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

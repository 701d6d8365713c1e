/* The same scenario gives the same results bit by bit for any number of threads, and lossless
 * classes lose nothing. */

#include "net.h"

static const struct topo_build fat_tree = {
    .k = 4, .link = { .rate_bps = 10000000000, .delay_ps = 1000000 }
};
static const struct topo_build ring = { .switches = 5,
                                        .link = { .rate_bps = 40000000000, .delay_ps = 300000 } };

static void
assert_conserved(const struct sim *sim)
{
    struct err err;
    if (!sim_is_conserved(sim, &err)) {
        fail_msg("%s", err.text);
    }
}

static uint64_t
hash_of(struct net *net, const char *engine, const char *arbitration, uint32_t n_threads)
{
    struct sim *sim = net_run(net, engine, arbitration, n_threads);
    struct sim_totals t = sim_totals(sim);

    assert_conserved(sim);
    assert_true(t.n_hops > 1000);
    assert_int_equal(t.n_no_route, 0);
    assert_int_equal(t.n_out_of_order, 0);
    sim_free(sim);
    return t.hash;
}

static void
assert_same_for_all(struct net *net)
{
    for (uint32_t e = 0; weir_engine_at(e); e++) {
        for (size_t a = 0; weir_plugin_name(&sim_arbitrations, a); a++) {
            uint64_t hash = hash_of(net, weir_engine_at(e)->about.name,
                                    weir_plugin_name(&sim_arbitrations, a), 1);
            assert_int_equal(hash_of(net, weir_engine_at(e)->about.name,
                                     weir_plugin_name(&sim_arbitrations, a), 2),
                             hash);
            assert_int_equal(hash_of(net, weir_engine_at(e)->about.name,
                                     weir_plugin_name(&sim_arbitrations, a), 3),
                             hash);
        }
    }
}

static void
threads_do_not_matter_in_a_fat_tree(void **state)
{
    struct net net;

    (void)state;
    net_start(&net, topo_build_fat_tree, &fat_tree, MODEL_ENDLESS, 1);
    assert_same_for_all(&net);
    net_stop(&net);
}

/* Frames and packets are lost, and a link goes down and up. */
static void
threads_do_not_matter_on_bad_links(void **state)
{
    struct net net;
    struct topo_build bad = ring;
    struct topo_link_event events[] = { { 7, 200000000, false }, { 7, 500000000, true } };

    (void)state;
    bad.link.loss = WEIR_RATIO_1 / 100;
    net_start(&net, topo_build_ring, &bad, MODEL_ENDLESS, 2);
    net.config.link_events = events;
    net.config.n_link_events = 2;
    for (uint32_t e = 0; weir_engine_at(e); e++) {
        struct sim *one = net_run(&net, weir_engine_at(e)->about.name, "rr", 1),
                   *two = net_run(&net, weir_engine_at(e)->about.name, "rr", 2);
        assert_true(sim_totals(one).n_lost > 0);
        assert_conserved(one);
        assert_conserved(two);
        assert_int_equal(sim_totals(one).hash, sim_totals(two).hash);
        sim_free(one);
        sim_free(two);
    }
    net_stop(&net);
}

/* Results are the same for every recovery, on links that lose packets while one link goes down and
 * up: for any number of threads, and in the plain event loop. */
static void
threads_do_not_matter_to_recoveries(void **state)
{
    struct net net;
    struct topo_build bad = ring;
    struct topo_link_event events[] = { { 7, 200000000, false }, { 7, 500000000, true } };
    uint64_t hashes[8];
    uint32_t n = 0;

    (void)state;
    bad.link.loss = WEIR_RATIO_1 / 100;
    net_start(&net, topo_build_ring, &bad, MODEL_ENDLESS, 2);
    net.config.link_events = events;
    net.config.n_link_events = 2;
    net.config.retry_ps = 50000000;
    for (; recovery_at(n); n++) {
        for (uint32_t i = 0; i < net.config.n_flows; i++) {
            net.flows[i].transport = &tp_rdma;
            net.flows[i].recovery = recovery_at(n);
        }
        struct sim *plain = net_new(&net, "pfc", "rr", 1);
        sim_run_reference(plain);
        hashes[n] = sim_totals(plain).hash;
        for (uint32_t n_threads = 1; n_threads <= 3; n_threads++) {
            assert_int_equal(hash_of(&net, "pfc", "rr", n_threads), hashes[n]);
        }
        assert_true(!n || hashes[n] != hashes[n - 1]);
        sim_free(plain);
    }
    net_stop(&net);
}

/* A packet is on a cable of 5 us when the link is down for a nanosecond: the packet is lost,
 * although the link is up again at its arrival time. */
static void
a_short_cut_is_a_cut(void **state)
{
    struct topo_build two = { .hosts = 2 };
    struct topo_link_event events[] = { { 0, 2000000, false }, { 0, 2001000, true } };
    struct net net;

    (void)state;
    two.link = (struct topo_link){ .rate_bps = 10000000000, .delay_ps = 5000000 };
    net_start(&net, topo_build_incast, &two, 1500, 1);
    net.flows[0].to = net_nic(&net, 2);
    net.flows[0].start_ps = 0;
    net.config.n_flows = 1;
    net.config.link_events = events;
    for (uint32_t n_events = 0; n_events <= 2; n_events += 2) {
        net.config.n_link_events = n_events;
        struct sim *sim = net_run(&net, "pfc", "fifo", 1);
        assert_conserved(sim);
        assert_int_equal(sim_flow_result(sim, 0).n_received, n_events ? 0 : 1);
        assert_int_equal(sim_totals(sim).n_lost, n_events ? 1 : 0);
        sim_free(sim);
    }
    net_stop(&net);
}

/* The credit that the switch sends at the start is lost as well, so nothing is sent before the
 * credit is repeated when the link is up again. */
static void
a_frame_is_cut_too(void **state)
{
    struct topo_build two = { .hosts = 2 };
    struct topo_link_event events[] = { { 0, 2000000, false }, { 0, 2001000, true } };
    const weir_ps frame_ps = 64 * 800 + 5000000 + 3000000, packet_ps = 1500 * 800 + 5000000;
    struct net net;

    (void)state;
    two.link = (struct topo_link){ .rate_bps = 10000000000, .delay_ps = 5000000 };
    net_start(&net, topo_build_incast, &two, 1500, 1);
    net.flows[0].to = net_nic(&net, 2);
    net.flows[0].start_ps = 0;
    net.config.n_flows = 1;
    net.config.link_events = events;
    for (uint32_t n_events = 0; n_events <= 2; n_events += 2) {
        net.config.n_link_events = n_events;
        struct sim *sim = net_run(&net, "cbfc", "fifo", 1);
        weir_ps promised = n_events ? events[1].at_ps : 0;
        assert_int_equal(sim_flow_result(sim, 0).first_ps, promised + frame_ps + 2 * packet_ps);
        sim_free(sim);
    }
    net_stop(&net);
}

/* Windows give the same results as a plain event loop. */
static void
windows_do_not_matter(void **state)
{
    struct net nets[2];

    (void)state;
    net_start(&nets[0], topo_build_fat_tree, &fat_tree, MODEL_ENDLESS, 4);
    net_start(&nets[1], topo_build_ring, &ring, 700000, 5);
    for (int i = 0; i < 2; i++) {
        for (uint32_t e = 0; weir_engine_at(e); e++) {
            for (size_t a = 0; weir_plugin_name(&sim_arbitrations, a); a++) {
                struct sim *plain = net_new(&nets[i], weir_engine_at(e)->about.name,
                                            weir_plugin_name(&sim_arbitrations, a), 1);
                sim_run_reference(plain);
                assert_true(sim_totals(plain).n_hops > 1000);
                assert_int_equal(sim_totals(plain).hash,
                                 hash_of(&nets[i], weir_engine_at(e)->about.name,
                                         weir_plugin_name(&sim_arbitrations, a), 1));
                sim_free(plain);
            }
        }
        net_stop(&nets[i]);
    }
}

/* Flows end in a packet of one byte, on cables without delay. This packet arrives faster than a
 * frame would, and a window must not be longer than its time. */
static void
the_smallest_packet_is_in_time(void **state)
{
    struct net net;
    struct topo_build short_ring = ring;

    (void)state;
    short_ring.link.delay_ps = 0;
    net_start(&net, topo_build_ring, &short_ring, 200 * 1500 + 1, 6);
    struct sim *plain = net_new(&net, "pfc", "fifo", 1);
    sim_run_reference(plain);
    assert_int_equal(sim_totals(plain).hash, hash_of(&net, "pfc", "fifo", 1));
    assert_int_equal(sim_totals(plain).hash, hash_of(&net, "pfc", "fifo", 2));
    for (uint32_t f = 0; f < net.config.n_flows; f++) {
        assert_int_equal(sim_flow_result(plain, f).received_bytes, 200 * 1500 + 1);
    }
    sim_free(plain);
    net_stop(&net);
}

static void
seeds_matter(void **state)
{
    struct net net;

    (void)state;
    net_start(&net, topo_build_fat_tree, &fat_tree, MODEL_ENDLESS, 1);
    uint64_t hash = hash_of(&net, "pfc", "random", 1);
    net.config.run.seed = 2;
    assert_int_not_equal(hash_of(&net, "pfc", "random", 1), hash);
    net_stop(&net);
}

/* Two hosts send to a third, each in its own class: with round robin they share the link, with
 * strict priority the higher class gets all of it.
 */
static void
classes_share_or_the_highest_rules(void **state)
{
    struct topo_build two = { .hosts = 2, .link = fat_tree.link };
    struct net net;

    (void)state;
    for (int strict = 0; strict < 2; strict++) {
        net_start(&net, topo_build_incast, &two, MODEL_ENDLESS, 1);
        for (uint8_t i = 0; i < 2; i++) {
            net.flows[i].to = net_nic(&net, 2);
            net.flows[i].cls = i;
        }
        net.config.n_flows = 2;
        net.config.n_classes = 2;
        net.config.lossless = 3;
        net.config.scheduling = strict ? "strict" : "rr";
        net.config.run.until_ps = 20000000000;
        struct sim *sim = net_run(&net, "pfc", "fifo", 1);
        uint64_t low = sim_flow_late_bps(sim, 0), high = sim_flow_late_bps(sim, 1);
        assert_int_equal(sim_totals(sim).n_dropped, 0);
        assert_in_range(high, strict ? 9900000000 : 4900000000, strict ? 10000000000 : 5100000000);
        assert_in_range(low, strict ? 0 : 4900000000, strict ? 100000000 : 5100000000);
        sim_free(sim);
        net_stop(&net);
    }
}

/* Flows of limited size have arrived completely at the end, and no packet is left anywhere. */
static void
lossless_is_lossless(void **state)
{
    static const char *const engines[] = {
        "pfc", "cbfc", "gfc-buffer", "gfc-time", "ttl", "capfc"
    };
    struct net net;

    (void)state;
    net_start(&net, topo_build_fat_tree, &fat_tree, 2000000, 3);
    net.config.run.until_ps = 30000000000;
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        struct sim *sim = net_run(&net, engines[i], "rr", 2);
        assert_int_equal(sim_totals(sim).n_dropped, 0);
        for (uint32_t f = 0; f < net.config.n_flows; f++) {
            assert_int_equal(sim_flow_result(sim, f).received_bytes, 2000000);
        }
        uint8_t n_classes = weir_engine_find(engines[i])->moves_classes ? WEIR_MAX_CLASSES : 1;
        for (uint32_t q = 0; q < net.topo.n_ports * n_classes; q++) {
            assert_int_equal(sim_queue_bytes(sim, q / n_classes, (uint8_t)(q % n_classes)), 0);
        }
        sim_free(sim);
    }
    net_stop(&net);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_matter_in_a_fat_tree),
        cmocka_unit_test(threads_do_not_matter_on_bad_links),
        cmocka_unit_test(threads_do_not_matter_to_recoveries),
        cmocka_unit_test(a_short_cut_is_a_cut),
        cmocka_unit_test(a_frame_is_cut_too),
        cmocka_unit_test(windows_do_not_matter),
        cmocka_unit_test(the_smallest_packet_is_in_time),
        cmocka_unit_test(seeds_matter),
        cmocka_unit_test(classes_share_or_the_highest_rules),
        cmocka_unit_test(lossless_is_lossless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

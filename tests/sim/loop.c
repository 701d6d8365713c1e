/* Static routes in the simulator: packets that circulate for ever, or until a hop limit drops them.
 *
 * Switches 0, 1 and 2 form a ring, and have a host each, 4 to 6. Switch 3 is behind switch 2, and
 * has host 7. Packets to host 7 circle through switches 0, 1 and 2. */

#include "hand.h"

enum { N_RING = 3, FAR = 3, FIRST_HOST = 4, TRAPPED = 0, N_FLOWS = 4 };

static const uint64_t rate_bps = 10000000000;
static const weir_ps us = 1000000;

static void
add_static(struct net *net, uint32_t at, uint32_t to, uint32_t via)
{
    topo_add_static(&net->topo, to, hand_port(net, at, via));
    topo_route(&net->topo);
}

/* Flow 0 goes to the host that is never reached; each of the others crosses a link of the loop. */
static void
start_loop(struct net *net)
{
    hand_start(net);
    for (uint32_t i = 0; i <= FAR; i++) {
        hand_switch(net);
    }
    for (uint32_t i = 0; i < N_RING; i++) {
        hand_link(net, i, (i + 1) % N_RING, rate_bps, us);
    }
    hand_link(net, 2, FAR, rate_bps, us);
    for (uint32_t i = 0; i <= FAR; i++) {
        net->topo.nodes[i].part = i;
        hand_link(net, hand_nic(net), i, rate_bps, us);
    }
    hand_finish(net, N_FLOWS);
    add_static(net, 0, FIRST_HOST + FAR, 1);
    add_static(net, 2, FIRST_HOST + FAR, 0);
    for (uint32_t i = 0; i < N_RING; i++) {
        net->flows[1 + i].from = FIRST_HOST + i;
        net->flows[1 + i].to = FIRST_HOST + (i + 1) % N_RING;
    }
    net->flows[TRAPPED].from = FIRST_HOST;
    net->flows[TRAPPED].to = FIRST_HOST + FAR;
    net->config.buffer.reserve_bytes = 300000;
    net->config.run.until_ps = 5000 * us;
}

static uint64_t
n_dropped(const struct sim *sim)
{
    struct sim_totals t = sim_totals(sim);
    return t.n_dropped + t.n_lost + t.n_no_route;
}

/* PFC and CBFC deadlock around the loop.  If packets that have crossed the most switches go first,
 * trapped packets keep the loop full and moving.  In both cases no packet arrives in the second
 * half of the run. */
static void
who_waits_dies(void **state)
{
    static const char *const engines[] = { "pfc", "cbfc" };
    struct net net;

    (void)state;
    for (size_t i = 0; weir_plugin_name(&sim_arbitrations, i / 2); i++) {
        const char *arbitration = weir_plugin_name(&sim_arbitrations, i / 2);
        bool is_dead = strcmp(arbitration, "transit");
        start_loop(&net);
        net.config.arbitration = arbitration;
        net.config.run.until_ps = 20000 * us;
        net_use(&net, engines[i % 2]);
        struct sim *sim = hand_run(&net);
        struct sim_deadlock d = sim_deadlock(sim);
        assert_int_equal(d.found, is_dead);
        assert_int_equal(d.n_cycle, is_dead ? N_RING : 0);
        assert_true(!is_dead || (d.n_flows > 0 && d.flows[0] == TRAPPED));
        for (uint32_t k = 0; k < d.n_cycle; k++) {
            assert_int_equal(net.topo.ports[d.cycle[k].port].node, k);
        }
        for (uint32_t f = 0; f < N_FLOWS; f++) {
            assert_int_equal(sim_flow_late_bps(sim, f), 0);
        }
        uint64_t sent = sim_port_result(sim, hand_port(&net, 0, 1)).sent_bytes;
        assert_true(is_dead ||
                    sent > weir_wire_bytes(net.config.run.until_ps, rate_bps) * 99 / 100);
        assert_int_equal(n_dropped(sim), 0);
        sim_free(sim);
        net_stop(&net);
    }
}

/* Without a minimum rate, as in the paper, GFC deadlocks like PFC and CBFC. */
static void
gfc_stands_still_only_at_rate_0(void **state)
{
    static const uint64_t least_bps[] = { 0, 8000 };
    struct net net;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        start_loop(&net);
        net.config.run.until_ps = 100000 * us;
        net_use(&net, "gfc-time");
        hand_set(&net, "min_rate", least_bps[i]);
        struct sim *sim = hand_run(&net);
        assert_int_equal(sim_deadlock(sim).found, least_bps[i] == 0);
        sim_free(sim);
        net_stop(&net);
    }
}

static bool
is_whole_and_old(void *n_held, const struct sim_waiting *w)
{
    assert_int_equal(w->packet->bytes, 1500);
    assert_int_equal(w->packet->n_hops, SIM_MAX_HOPS);
    ++*(uint32_t *)n_held;
    return true;
}

/* A single packet circulates at link speed, until a link is cut and the packet waits there.  The
 * count of its rounds is right. */
static void
hops_are_counted_up_to_a_byte(void **state)
{
    struct net net;

    (void)state;
    start_loop(&net);
    weir_ps hop_ps = us + weir_wire_ps(1500, rate_bps);
    struct topo_link_event cut = { net.topo.ports[hand_port(&net, 0, 1)].link, 4000 * hop_ps,
                                   false };
    net.config.link_events = &cut;
    net.config.n_link_events = 1;
    net.config.run.until_ps = 5000 * hop_ps;
    net.config.n_flows = 1;
    net.flows[TRAPPED].bytes = 1500;
    net.config.arbitration = "transit";
    net_use(&net, "pfc");
    struct sim *sim = hand_run(&net);
    assert_int_equal(sim_totals(sim).n_hops, 4000);
    uint32_t n_held = 0;
    sim_each_held(sim, 0, is_whole_and_old, &n_held);
    assert_int_equal(n_held, 1);
    sim_free(sim);
    net_stop(&net);
}

/* With a limit of n, a packet crosses n switches and is dropped at the next one. This drop breaks
 * no promise. */
static void
a_hop_limit_ends_it(void **state)
{
    struct net net;

    (void)state;
    for (uint32_t limit = 1; limit <= SIM_MAX_HOPS; limit += limit < 8 ? 1 : 31) {
        start_loop(&net);
        net.config.n_flows = 1;
        net.flows[TRAPPED].bytes = 10 * 1500;
        net.config.hop_limit = limit;
        net.config.run.notes = 1u << SIM_NOTE_EXPIRE | 1u << SIM_NOTE_DROP;
        net_use(&net, "pfc");
        struct sim *sim = hand_run(&net);
        size_t n_notes;
        const struct sim_note *notes = sim_take_notes(sim, &n_notes);
        uint32_t last =
            /* The switch that drops the packet. */
            limit % N_RING;
        uint32_t in = hand_port(&net, last, (last + 2) % N_RING);
        assert_int_equal(sim_totals(sim).n_expired, 10);
        assert_int_equal(sim_port_result(sim, in).n_expired, 10);
        assert_int_equal(sim_totals(sim).n_hops, 10 * (limit + 1));
        assert_int_equal(n_dropped(sim) + sim_totals(sim).n_dropped_lossless, 0);
        assert_int_equal(n_notes, 10);
        for (size_t i = 0; i < n_notes; i++) {
            assert_int_equal(notes[i].kind, SIM_NOTE_EXPIRE);
            assert_int_equal(notes[i].port, in);
            assert_int_equal(notes[i].value, 1500);
        }
        sim_free(sim);
        net_stop(&net);
    }
}

/* A packet that needs as many switches as the limit arrives; a packet that needs one more does not.
 */
static void
a_hop_limit_counts_switches(void **state)
{
    struct net net;

    (void)state;
    for (uint32_t limit = 1; limit <= 4; limit++) {
        start_loop(&net);
        net.config.n_flows = 1;
        /* Through switch 0 and switch 2. */
        net.flows[0].to = FIRST_HOST + 2;
        net.flows[0].bytes = 15000;
        net.config.hop_limit = limit;
        net_use(&net, "pfc");
        struct sim *sim = hand_run(&net);
        bool arrives = limit >= 2;
        assert_int_equal(sim_flow_result(sim, 0).received_bytes, arrives ? 15000 : 0);
        assert_int_equal(sim_totals(sim).n_expired, arrives ? 0 : 10);
        assert_int_equal(sim_flow_arrives(sim, 0), arrives);
        assert_int_equal(sim_flow_ideal_ps(sim, 0) > 0, arrives);
        sim_free(sim);
        net_stop(&net);
    }
}

/* An expired packet returns its credit at once, and does not count as lost on the wire. */
static void
what_expires_costs_no_credit(void **state)
{
    const struct weir_field *lost =
        weir_field_find(weir_engine_find("cbfc")->counters, "lost_blocks");
    struct net net;

    (void)state;
    start_loop(&net);
    net.config.n_flows = 1;
    net.config.hop_limit = 1;
    net.config.buffer.reserve_bytes = 100000;
    net_use(&net, "cbfc");
    struct sim *sim = hand_run(&net);
    uint64_t bytes = sim_flow_result(sim, TRAPPED).sent_bytes;
    assert_true(bytes > weir_wire_bytes(net.config.run.until_ps, rate_bps) * 98 / 100);
    for (uint32_t node = 0; node < net.topo.n_nodes; node++) {
        assert_int_equal(sim_counter(sim, node, 0, lost), 0);
    }
    sim_free(sim);
    net_stop(&net);
}

/* A trapped flow counts once in the fair share of each link that it crosses, and it never arrives.
 */
static void
shares_and_times_do_not_go_round(void **state)
{
    uint64_t bps[N_FLOWS];
    struct net net;
    struct err err;

    (void)state;
    start_loop(&net);
    net_use(&net, "pfc");
    net.flows[TRAPPED].bytes = net.flows[1].bytes = 150000;
    struct sim *sim = simple_net_sim_new(&net.config, &err);
    sim_fair_shares(sim, NULL, bps);
    for (uint32_t i = 0; i < N_FLOWS; i++) {
        assert_int_equal(bps[i], rate_bps / 2);
        assert_int_equal(sim_flow_arrives(sim, i), i != TRAPPED);
    }
    assert_int_equal(sim_flow_ideal_ps(sim, TRAPPED), -1);
    assert_int_equal(sim_flow_ideal_ps(sim, 1), 3 * us + 102 * weir_wire_ps(1500, rate_bps));
    sim_free(sim);
    net_stop(&net);
}

/* Static routes stay in force when other routes are recomputed. While the link of a static route is
 * down, packets take the computed path, and trapped packets arrive. The first of these has waited
 * for the link, and for the first message on the link, f + d + r. */
static void
static_routes_outlive_new_ones(void **state)
{
    struct net net;

    (void)state;
    start_loop(&net);
    struct topo_link_event events[] = {
        { net.topo.ports[hand_port(&net, 2, 0)].link, 1000 * us, 0 },
        { net.topo.ports[hand_port(&net, 2, 0)].link, 2000 * us, 1 },
        { net.topo.ports[hand_port(&net, 1, 5)].link, 2500 * us, 0 },
        { net.topo.ports[hand_port(&net, 1, 5)].link, 2600 * us, 1 }
    };
    net.config.link_events = events;
    net.config.n_link_events = 4;
    net.config.reroute_ps = 20 * us;
    net.config.n_flows = 1;
    /* One packet in 1.2 ms. */
    net.flows[TRAPPED].rate_bps = rate_bps / 1000;
    net.flows[TRAPPED].bytes = 4 * 1500;
    net_use(&net, "pfc");
    struct sim *sim = hand_run(&net);
    struct sim_flow_result r = sim_flow_result(sim, TRAPPED);
    /* The packets of 0 and 1.2 ms arrive; those of 2.4 and 3.6 ms circulate. */
    assert_int_equal(r.n_received, 2);
    assert_true(r.last_ps < 2020 * us);
    assert_true(sim_flow_ideal_ps(sim, TRAPPED) > 0);
    assert_false(sim_flow_arrives(sim, TRAPPED));
    assert_int_equal(sim_totals(sim).n_no_route, 0);
    sim_free(sim);
    net_stop(&net);
}

/* One of two hosts at a switch has a static route; in the second run the route is at the host's own
 * switch. */
static void
one_host_alone_is_led_astray(void **state)
{
    struct net net;

    (void)state;
    for (uint32_t own = 0; own < 2; own++) {
        hand_start(&net);
        for (uint32_t i = 0; i < 3; i++) {
            hand_switch(&net);
        }
        hand_link(&net, 0, 1, rate_bps, us);
        hand_link(&net, 1, 2, rate_bps, us);
        hand_link(&net, 2, 0, rate_bps, us);
        for (uint32_t i = 0; i < 4; i++) { /* Hosts 3 and 4 at switch 0, 5 and 6 at switch 1. */
            hand_link(&net, hand_nic(&net), i / 2, rate_bps, us);
        }
        hand_finish(&net, 3);
        add_static(&net, own ? 1 : 0, 5, 2);
        for (uint32_t i = 0; i < 3; i++) {
            net.flows[i].from = i < 2 ? 3 : 6;
            net.flows[i].to = i == 1 ? 6 : 5;
            net.flows[i].bytes = 1500;
        }
        net.config.hop_limit = 20;
        net_use(&net, "pfc");
        struct sim *sim = hand_run(&net);
        for (uint32_t i = 0; i < 3; i++) {
            bool arrives = i == 1 || !own;
            assert_int_equal(sim_flow_result(sim, i).n_received, arrives);
            assert_int_equal(sim_flow_arrives(sim, i), arrives);
        }
        weir_ps hop = us + weir_wire_ps(1500, rate_bps);
        /* The packet took the long path. */
        assert_true(own || sim_flow_result(sim, 0).first_ps == 4 * hop);
        assert_int_equal(sim_totals(sim).n_expired, own ? 2 : 0);
        sim_free(sim);
        net_stop(&net);
    }
}

/* If classes count hops, a packet has no class left after seven switches. Trapped packets expire
 * without a hop limit, and other flows keep their share of links that trapped packets cross two or
 * three times. */
static void
classes_by_hops_end_a_loop(void **state)
{
    struct net net;

    (void)state;
    for (size_t i = 0; weir_plugin_name(&sim_arbitrations, i); i++) {
        start_loop(&net);
        net.config.arbitration = weir_plugin_name(&sim_arbitrations, i);
        net.config.run.until_ps *= 10;
        net_use(&net, "ttl");
        struct sim *sim = hand_run(&net);
        assert_false(sim_deadlock(sim).found);
        assert_int_equal(n_dropped(sim), 0);
        assert_true(sim_totals(sim).n_expired > 1000);
        for (uint32_t f = 1; f < N_FLOWS; f++) {
            assert_true(sim_flow_late_bps(sim, f) > rate_bps / 5);
        }
        sim_free(sim);
        net_stop(&net);
    }
}

static uint64_t
hash_of(struct net *net, uint32_t n_threads, bool is_reference)
{
    struct err err;

    net->config.run.n_threads = n_threads;
    struct sim *sim = simple_net_sim_new(&net->config, &err);
    if (is_reference) {
        sim_run_reference(sim);
    } else {
        sim_run(sim);
    }
    if (!sim_is_conserved(sim, &err)) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(sim_totals(sim).n_out_of_order, 0);
    bool by_class = net->config.stack.layers[0].engine->moves_classes;
    assert_int_equal(sim_totals(sim).n_expired > 0, by_class || net->config.hop_limit > 0);
    uint64_t hash = sim_totals(sim).hash;
    sim_free(sim);
    return hash;
}

static void
threads_and_windows_do_not_matter(void **state)
{
    static const uint32_t limits[] = { 0, 7 };
    struct net net;

    (void)state;
    for (uint32_t e = 0; weir_engine_at(e); e++) {
        for (size_t i = 0; weir_plugin_name(&sim_arbitrations, i / 2); i++) {
            start_loop(&net);
            net.config.arbitration = weir_plugin_name(&sim_arbitrations, i / 2);
            net.config.hop_limit = limits[i % 2];
            net.config.run.until_ps = 2000 * us;
            net_use(&net, weir_engine_at(e)->about.name);
            uint64_t hash = hash_of(&net, 1, false);
            assert_int_equal(hash_of(&net, 1, true), hash);
            assert_int_equal(hash_of(&net, 2, false), hash);
            assert_int_equal(hash_of(&net, 4, false), hash);
            net_stop(&net);
        }
    }
}

/* A packet goes once around a ring with the maximum number of switches that a path may have; a path
 * with one more switch is refused. */
static void
the_longest_pinned_path(void **state)
{
    static uint16_t path[SIM_MAX_HOPS + 1];
    struct topo_build b = { .switches = SIM_MAX_HOPS + 1,
                            .link = { .rate_bps = rate_bps, .delay_ps = us } };
    struct net net;
    struct err err;

    (void)state;
    net_start(&net, topo_build_ring, &b, 15000, 1);
    for (uint32_t i = 0; i < SIM_MAX_HOPS; i++) {
        bool is_last = i + 1 == SIM_MAX_HOPS;
        uint32_t next = is_last ? net_nic(&net, i) : i + 1;
        path[i] = (uint16_t)net.topo.ports[hand_port(&net, i, next)].number;
    }
    net.config.n_flows = 1;
    net.flows[0] = (struct simple_net_flow){ .from = net_nic(&net, 0),
                                             .to = net_nic(&net, SIM_MAX_HOPS - 1),
                                             .bytes = 15000,
                                             .rate_bps = WEIR_UNLIMITED,
                                             .path = path,
                                             .n_path = SIM_MAX_HOPS };
    struct sim *sim = net_run(&net, "pfc", "transit", 1);
    weir_ps packet_ps = weir_wire_ps(1500, rate_bps), way_ps = (SIM_MAX_HOPS + 1) * us;
    assert_int_equal(sim_flow_result(sim, 0).received_bytes, 15000);
    assert_int_equal(sim_flow_ideal_ps(sim, 0), way_ps + (SIM_MAX_HOPS + 10) * packet_ps);
    assert_int_equal(sim_flow_result(sim, 0).last_ps, sim_flow_ideal_ps(sim, 0));
    sim_free(sim);
    net.flows[0].n_path = SIM_MAX_HOPS + 1;
    assert_null(simple_net_sim_new(&net.config, &err));
    assert_non_null(strstr(err.text, "at most 255 are supported"));
    net_stop(&net);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_waits_dies),
        cmocka_unit_test(gfc_stands_still_only_at_rate_0),
        cmocka_unit_test(hops_are_counted_up_to_a_byte),
        cmocka_unit_test(a_hop_limit_ends_it),
        cmocka_unit_test(a_hop_limit_counts_switches),
        cmocka_unit_test(what_expires_costs_no_credit),
        cmocka_unit_test(shares_and_times_do_not_go_round),
        cmocka_unit_test(static_routes_outlive_new_ones),
        cmocka_unit_test(one_host_alone_is_led_astray),
        cmocka_unit_test(classes_by_hops_end_a_loop),
        cmocka_unit_test(threads_and_windows_do_not_matter),
        cmocka_unit_test(the_longest_pinned_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

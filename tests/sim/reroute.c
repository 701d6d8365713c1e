/* A link fails in the middle of a run: with new routes the traffic continues, and without them it
 * waits. */

#include "net.h"

static const struct topo_build fat_tree = {
    .k = 4, .link = { .rate_bps = 10000000000, .delay_ps = 1000000 }
};

enum { DOWN_US = 200, REROUTE_US = 100, UNTIL_US = 2000 };

#define US 1000000

/* The rate of the slower of two flows, after the link from E1 to A1 has failed, which both flows
 * use. */
static uint64_t
late_goodput(weir_ps reroute_ps, uint32_t n_threads, uint64_t *hash)
{
    struct net net;
    uint64_t bps = UINT64_MAX;

    net_start(&net, topo_build_fat_tree, &fat_tree, MODEL_ENDLESS, 1);
    uint32_t e1 = topo_find_node(&net.topo, "E1"), a1 = topo_find_node(&net.topo, "A1");
    uint32_t link = net.topo.ports[topo_port_to(&net.topo, e1, a1)].link;
    struct topo_link_event down = { link, DOWN_US * (weir_ps)US, false };
    net.config.link_events = &down;
    net.config.n_link_events = 1;
    net.config.reroute_ps = reroute_ps;
    net.config.run.until_ps = UNTIL_US * (weir_ps)US;
    for (uint32_t i = 0; i < 2; i++) { /* Both hosts of E1 send to another pod. */
        net.flows[i].to = net_nic(&net, 8 + i);
    }
    net.config.n_flows = 2;
    struct sim *sim = net_run(&net, "pfc", "rr", n_threads);
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t late = sim_flow_late_bps(sim, i);
        bps = late < bps ? late : bps;
    }
    *hash = sim_totals(sim).hash;
    assert_int_equal(sim_totals(sim).n_no_route, 0);
    sim_free(sim);
    net_stop(&net);
    return bps;
}

static void
new_routes_go_round_a_failure(void **state)
{
    uint64_t hash, again;

    (void)state;
    uint64_t without = late_goodput(0, 1, &hash);
    uint64_t with = late_goodput(REROUTE_US * (weir_ps)US, 1, &hash);
    assert_true(with > 4900000000);
    assert_int_equal(without, 0);
    for (uint32_t n_threads = 2; n_threads <= 3; n_threads++) {
        assert_int_equal(late_goodput(REROUTE_US * (weir_ps)US, n_threads, &again), with);
        assert_int_equal(again, hash);
    }
}

/* A link is down for a while and splits the network, so packets have no route meanwhile. */
static void
try_cut(uint64_t seed, uint64_t *n_no_route)
{
    static const struct topo_build dumbbell = {
        .hosts = 3, .link = { .rate_bps = 10000000000, .delay_ps = 1000000 }
    };
    static const char *const engines[] = { "none", "pfc", "cbfc", "gfc-buffer", "gfc-time" };
    const struct transport *const senders[] = { &tp_raw, &tp_rdma };
    struct topo_link_event events[2];
    struct err err = { 0 };
    struct net net;

    net_start(&net, topo_build_dumbbell, &dumbbell, 150000, seed);
    uint32_t s1 = topo_find_node(&net.topo, "S1"), s2 = topo_find_node(&net.topo, "S2");
    for (uint32_t i = 0; i < 2; i++) {
        events[i].link = net.topo.ports[topo_port_to(&net.topo, s1, s2)].link;
        events[i].at_ps = (weir_ps)(weir_random(&seed) % 100 + 100 * i) * US;
        events[i].up = i > 0;
    }
    net.config.link_events = events;
    net.config.n_link_events = 2;
    net.config.reroute_ps = (weir_ps)(1 + weir_random(&seed) % 20) * US;
    net.config.run.until_ps = (weir_ps)(150 + weir_random(&seed) % 300) * US;
    net.config.retry_ps = 50 * US;
    for (uint32_t i = 0; i < net.config.n_flows; i++) {
        net.flows[i].transport = senders[seed % 2];
    }
    struct sim *sim = net_run(&net, engines[seed / 2 % 5], "fifo", 1);
    assert_true(sim_is_conserved(sim, &err));
    uint64_t n_at_ports = 0;
    for (uint32_t port = 0; port < net.topo.n_ports; port++) {
        n_at_ports += sim_port_result(sim, port).n_no_route;
    }
    assert_int_equal(n_at_ports, sim_totals(sim).n_no_route);
    *n_no_route += n_at_ports;
    sim_free(sim);
    net_stop(&net);
}

static void
packets_without_a_route_are_counted(void **state)
{
    uint64_t n_no_route = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        try_cut(seed, &n_no_route);
    }
    assert_true(n_no_route > 1000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_routes_go_round_a_failure),
        cmocka_unit_test(packets_without_a_route_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

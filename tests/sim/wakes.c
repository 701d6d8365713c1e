/* Ports that wake: all are woken, for any number of ports at several nodes in succession. */

#include "net.h"

enum { N_HOSTS = 200, N_FLOWS = 180 }; /* Hosts at each leaf, and flows in all. */

/* Thirty outputs of leaf 1 and sixty of leaf 2 have more packets than they can send, because two
 * hosts send to each. So the outputs wake in nearly every window, at times spread over the window.
 */
static void
start(struct net *net)
{
    static const struct topo_build two_leaves = {
        .leaves = 2,
        .spines = 1,
        .hosts = N_HOSTS,
        .link = { .rate_bps = 10000000000, .delay_ps = 1000000 },
    };

    net_start(net, topo_build_leaf_spine, &two_leaves, MODEL_ENDLESS, 1);
    for (uint32_t i = 0; i < N_FLOWS; i++) {
        uint32_t leaf = i >= 60, first = leaf * N_HOSTS, nth = i - 60 * leaf;
        net->flows[i].to = net_nic(net, first + nth / 2);
        net->flows[i].from = net_nic(net, first + 60 + nth);
    }
    net->config.n_flows = N_FLOWS;
    net->config.run.until_ps = 20000000;
}

static void
many_ports_wake_behind_fewer(void **state)
{
    struct net net;

    (void)state;
    start(&net);
    struct sim *sim = net_new(&net, "pfc", "fifo", 1), *plain = net_new(&net, "pfc", "fifo", 1);
    sim_run(sim);
    sim_run_reference(plain);
    assert_true(sim_totals(sim).n_hops > 10 * N_FLOWS);
    assert_int_equal(sim_totals(sim).hash, sim_totals(plain).hash);
    sim_free(sim);
    sim_free(plain);
    net_stop(&net);
}

int
main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(many_ports_wake_behind_fewer) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Rows of routes: every switch has the paths that the topology gives it, and switches with the same
 * paths share a row. */

#include "net.h"
#include "sim/routing.h"

static const struct topo_build fat_tree = {
    .k = 4, .link = { .rate_bps = 10000000000, .delay_ps = 1000000 }
};

/* Lists the ports of a path choice, which may be a single port. */
static uint32_t
list_ports(const struct sim *sim, uint32_t way, uint16_t *ports)
{
    if (way == SIM_NONE) {
        return 0;
    }
    if (!(way & SIM_ROUTE_GROUP)) {
        ports[0] = (uint16_t)way;
        return 1;
    }
    const struct topo_group *g = &sim->routing.net.groups[way & ~SIM_ROUTE_GROUP];
    memcpy(ports, sim->routing.net.choices + g->first, g->n * sizeof *ports);
    return g->n;
}

/* Compares routes with those of the topology, except for the hosts of a switch itself, which need
 * no route. */
static void
check_rows(const struct sim *sim, const struct topo *topo)
{
    for (uint32_t id = 0; id < topo->n_nodes; id++) {
        const struct topo_node *node = &topo->nodes[id];
        for (uint32_t leaf = 0; node->kind == TOPO_SWITCH && leaf < topo->n_leaves; leaf++) {
            uint32_t group = topo->routes[(size_t)node->index * topo->n_leaves + leaf];
            const struct topo_group *g = &topo->groups[group == TOPO_NONE ? 0 : group];
            uint16_t ports[16];
            if (topo->leaves[leaf] == id && topo->leaf_nics[leaf] == TOPO_NONE) {
                continue;
            }
            uint32_t n = list_ports(sim, sim_routes_of(sim, id)[leaf], ports);
            assert_int_equal(n, group == TOPO_NONE ? 0 : g->n);
            assert_memory_equal(ports, topo->choices + g->first, n * sizeof *ports);
            assert_ptr_equal(sim_node_at(sim, id)->routes, sim_routes_of(sim, id));
        }
    }
}

/* The number of rows if this number of links between E1 and the tier above has failed. */
static uint32_t
count_rows(uint32_t n_failed, uint32_t n_threads)
{
    struct net net;

    net_start(&net, topo_build_fat_tree, &fat_tree, 1500, 1);
    uint32_t e1 = topo_find_node(&net.topo, "E1");
    for (uint32_t i = 0; i < n_failed; i++) {
        uint32_t above = topo_find_node(&net.topo, i ? "A2" : "A1");
        net.topo.links[net.topo.ports[topo_port_to(&net.topo, e1, above)].link].failed = true;
    }
    topo_route(&net.topo);
    struct sim *sim = net_run(&net, "pfc", "fifo", n_threads);
    check_rows(sim, &net.topo);
    uint32_t n_rows = sim->routing.n_rows;
    sim_free(sim);
    net_stop(&net);
    return n_rows;
}

/* In a complete tree there is one row for all switches with hosts, one row above each pod, and one
 * row for the core.  With failed links there are more rows. */
static void
those_alike_share_a_row(void **state)
{
    (void)state;
    assert_int_equal(count_rows(0, 1), 4 + 2);
    assert_int_equal(count_rows(0, 3), 4 + 2);
    assert_true(count_rows(1, 1) > 4 + 2);
    assert_true(count_rows(2, 2) > 4 + 2);
}

/* If every tenth link between switches has failed, there are many rows, and many groups of ports
 * that would be equal if only their positions in a table were compared. */
static void
those_that_differ_are_kept_apart(void **state)
{
    struct topo_build large = fat_tree;
    struct net net;

    (void)state;
    large.k = 8;
    net_start(&net, topo_build_fat_tree, &large, 1500, 1);
    for (size_t i = 0; i < net.topo.n_links; i += 10) {
        struct topo_link *l = &net.topo.links[i];
        l->failed = net.topo.nodes[l->node[0]].kind == TOPO_SWITCH &&
                    net.topo.nodes[l->node[1]].kind == TOPO_SWITCH;
    }
    topo_route(&net.topo);
    struct sim *sim = net_run(&net, "pfc", "fifo", 1);
    check_rows(sim, &net.topo);
    assert_true(sim->routing.n_rows > 50 && sim->routing.net.n_groups > 400);
    sim_free(sim);
    net_stop(&net);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_alike_share_a_row),
        cmocka_unit_test(those_that_differ_are_kept_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

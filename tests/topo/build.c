/* Topologies: the links between nodes, and their rates. */

#include "net.h"

static void
leaf_spine(void **state)
{
    struct topo t = built(
        topo_build_leaf_spine,
        (struct topo_build){ .leaves = 3, .spines = 2, .hosts = 4, .uplink_bps = 40000000000 });

    (void)state;
    assert_int_equal(t.n_switches, 5);
    assert_int_equal(t.n_nics, 12);
    assert_int_equal(t.n_links, 12 + 6);
    assert_int_equal(t.links[link_named(&t, "L3", "H12")].rate_bps, 10000000000);
    assert_int_equal(t.links[link_named(&t, "L2", "H5")].rate_bps, 10000000000);
    assert_int_equal(t.links[link_named(&t, "L3", "S1")].rate_bps, 40000000000);
    topo_free(&t);
}

static void
three_tiers(void **state)
{
    struct topo t = built(topo_build_three_tier, (struct topo_build){ .pods = 2,
                                                                      .leaves = 3,
                                                                      .spines = 2,
                                                                      .cores = 4,
                                                                      .hosts = 1,
                                                                      .uplink_bps = 25000000000,
                                                                      .core_bps = 40000000000 });
    uint32_t tier[64];

    (void)state;
    assert_int_equal(t.n_switches, 6 + 4 + 4);
    assert_int_equal(t.n_links, 6 + 12 + 8);
    assert_int_equal(t.links[link_named(&t, "L4", "S3")].rate_bps, 25000000000);
    assert_int_equal(t.links[link_named(&t, "S3", "C2")].rate_bps, 40000000000);
    assert_int_equal(topo_port_to(&t, named(&t, "L4"), named(&t, "S2")), TOPO_NONE);
    assert_int_equal(topo_port_to(&t, named(&t, "S3"), named(&t, "C3")), TOPO_NONE);
    assert_int_equal(topo_find_tiers(&t, tier), 2);
    assert_int_equal(tier[named(&t, "S4")], 1);
    assert_int_equal(tier[named(&t, "C1")], 2);
    topo_add_top_roots(&t);
    assert_int_equal(t.n_roots, 4);
    assert_int_equal(t.roots[0], named(&t, "C1"));
    topo_free(&t);
}

static void
fat_tree_with_rates_by_tier(void **state)
{
    struct topo t =
        built(topo_build_fat_tree,
              (struct topo_build){ .k = 4, .uplink_bps = 5000000000, .core_bps = 2500000000 });

    (void)state;
    assert_int_equal(t.n_switches, 8 + 8 + 4);
    assert_int_equal(t.n_links, 3 * 16);
    assert_int_equal(t.links[link_named(&t, "H15", "E8")].rate_bps, 10000000000);
    assert_int_equal(t.links[link_named(&t, "E8", "A7")].rate_bps, 5000000000);
    assert_int_equal(t.links[link_named(&t, "A7", "C1")].rate_bps, 2500000000);
    topo_free(&t);
}

/* At both tiers there are half as many links up as down: four hosts or switches below, and two
 * switches above. */
static void
thin_fat_tree(void **state)
{
    struct topo t = built(topo_build_fat_tree, (struct topo_build){ .k = 8, .thin = 2 });
    const char *const ends[][2] = { { "H127", "E32" }, { "E1", "A2" },  { "E32", "A15" },
                                    { "A1", "C2" },    { "A16", "C3" }, { "A16", "C4" } };
    uint32_t tier[256];

    (void)state;
    assert_int_equal(t.n_switches, 32 + 16 + 4);
    assert_int_equal(t.n_nics, 128);
    assert_int_equal(t.n_links, 128 + 64 + 32);
    for (uint32_t i = 0; i < t.n_switches; i++) {
        assert_int_equal(t.nodes[i].n_ports, t.nodes[i].name[0] == 'C' ? 8 : 6);
    }
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        link_named(&t, ends[i][0], ends[i][1]);
    }
    assert_int_equal(topo_port_to(&t, named(&t, "E4"), named(&t, "A3")), TOPO_NONE);
    assert_int_equal(topo_port_to(&t, named(&t, "A1"), named(&t, "C3")), TOPO_NONE);
    assert_int_equal(topo_find_tiers(&t, tier), 2);
    assert_int_equal(t.nodes[named(&t, "A16")].part, 7);
    assert_int_equal(t.nodes[named(&t, "H64")].part, t.nodes[named(&t, "E17")].part);
    assert_true(topo_is_connected(&t, named(&t, "H0"), named(&t, "H127")));
    topo_free(&t);
}

/* Fig. 8 of the paper on occupancy sampling: two edges with two hosts each, and a slow link between
 * the edges. */
static void
fabric_of_edges(void **state)
{
    struct topo t =
        built(topo_build_fabric,
              (struct topo_build){ .leaves = 2, .hosts = 2, .pods = 1, .uplink_bps = 2500000000 });
    const struct topo_link *inner = &t.links[link_named(&t, "S1", "S2")];

    (void)state;
    assert_int_equal(t.n_switches, 2);
    assert_int_equal(t.n_links, 4 + 1);
    assert_true(inner->is_inner);
    assert_int_equal(inner->rate_bps, 2500000000);
    assert_false(t.links[link_named(&t, "S1", "H2")].is_inner);
    assert_int_equal(t.links[link_named(&t, "S2", "H3")].rate_bps, 10000000000);
    topo_free(&t);
    t = built(topo_build_fabric, (struct topo_build){ .leaves = 5, .hosts = 1, .pods = 1 });
    assert_int_equal(t.n_links, 5 + 10);
    assert_true(t.links[link_named(&t, "S2", "S5")].is_inner);
    topo_free(&t);
}

/* Two groups of three edges with two middles each, and two tops for each middle of a group. */
static void
fabric_of_groups(void **state)
{
    struct topo t = built(topo_build_fabric, (struct topo_build){ .leaves = 6,
                                                                  .hosts = 2,
                                                                  .pods = 2,
                                                                  .spines = 2,
                                                                  .cores = 4,
                                                                  .uplink_bps = 40000000000 });
    uint32_t n_inner = 0;

    (void)state;
    assert_int_equal(t.n_switches, 6 + 4 + 4);
    assert_int_equal(t.n_links, 12 + 6 * 2 + 4 * 2);
    for (uint32_t i = 0; i < t.n_links; i++) {
        n_inner += t.links[i].is_inner && t.links[i].rate_bps == 40000000000;
    }
    assert_int_equal(n_inner, 6 * 2 + 4 * 2);
    assert_int_not_equal(topo_port_to(&t, named(&t, "S4"), named(&t, "M3")), TOPO_NONE);
    assert_int_equal(topo_port_to(&t, named(&t, "S4"), named(&t, "M2")), TOPO_NONE);
    assert_int_not_equal(topo_port_to(&t, named(&t, "M3"), named(&t, "T2")), TOPO_NONE);
    assert_int_equal(topo_port_to(&t, named(&t, "M3"), named(&t, "T3")), TOPO_NONE);
    assert_int_equal(t.nodes[named(&t, "T1")].tier, 3);
    topo_route(&t);
    assert_true(topo_is_connected(&t, named(&t, "H1"), named(&t, "H12")));
    topo_free(&t);
}

static void
torus(void **state)
{
    struct topo t = built(topo_build_torus, (struct topo_build){ .x = 4, .y = 3, .hosts = 2 });

    (void)state;
    assert_int_equal(t.n_switches, 12);
    assert_int_equal(t.n_links, 24 + 24);
    for (uint32_t i = 0; i < t.n_switches; i++) {
        assert_int_equal(t.nodes[i].n_ports, 6);
    }
    link_named(&t, "S4", "S1");
    link_named(&t, "S12", "S9");
    link_named(&t, "S12", "S4");
    link_named(&t, "S1", "S5");
    link_named(&t, "H24", "S12");
    topo_free(&t);
}

/* 5 % of many links fail, and the same links for the same seed. */
static void
chance(void **state)
{
    struct topo t = built(topo_build_fat_tree, (struct topo_build){ .k = 16 });
    struct topo same = built(topo_build_fat_tree, (struct topo_build){ .k = 16 });
    size_t n_failed = 0, n_hosts_failed = 0;

    (void)state;
    topo_fail_randomly(&t, WEIR_RATIO_1 / 20, 7, TOPO_SWITCH_LINKS);
    for (int twice = 0; twice < 2; twice++) {
        topo_fail_randomly(&same, WEIR_RATIO_1 / 20, 7, TOPO_SWITCH_LINKS);
    }
    for (size_t i = 0; i < t.n_links; i++) {
        assert_int_equal(t.links[i].failed, same.links[i].failed);
        n_failed += t.links[i].failed;
        n_hosts_failed += t.links[i].failed && t.nodes[t.links[i].node[0]].kind == TOPO_NIC;
    }
    /* Failures among 2048 links, within three standard deviations. */
    assert_in_range(n_failed, 70, 135);
    assert_int_equal(n_hosts_failed, 0);
    topo_free(&t);
    topo_free(&same);
}

static size_t
n_failed(uint64_t probability, enum topo_links among)
{
    struct topo t = built(topo_build_fat_tree, (struct topo_build){ .k = 4 });
    size_t n = 0;

    topo_fail_randomly(&t, probability, 1, among);
    for (size_t i = 0; i < t.n_links; i++) {
        n += t.links[i].failed;
    }
    topo_free(&t);
    return n;
}

static void
certainty(void **state)
{
    (void)state;
    assert_int_equal(n_failed(0, TOPO_ALL_LINKS), 0);
    assert_int_equal(n_failed(WEIR_RATIO_1, TOPO_ALL_LINKS), 48);
    assert_int_equal(n_failed(WEIR_RATIO_1, TOPO_SWITCH_LINKS), 32);
    assert_int_equal(n_failed(WEIR_RATIO_1, TOPO_HOST_LINKS), 16);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaf_spine),
        cmocka_unit_test(three_tiers),
        cmocka_unit_test(fat_tree_with_rates_by_tier),
        cmocka_unit_test(thin_fat_tree),
        cmocka_unit_test(torus),
        cmocka_unit_test(fabric_of_edges),
        cmocka_unit_test(fabric_of_groups),
        cmocka_unit_test(chance),
        cmocka_unit_test(certainty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

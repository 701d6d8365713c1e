/* Topologies of clusters, compared with closed forms: distances, numbers of paths, links and
 * bisections. */

#include <stdio.h>

#include "measure.h"

#define GBPS UINT64_C(1000000000)

static const char *
host(char *name, uint32_t number)
{
    snprintf(name, TOPO_NAME_BYTES, "H%u", number);
    return name;
}

static struct measured
measure_hosts(const struct topo *t, uint32_t from, uint32_t to)
{
    char a[TOPO_NAME_BYTES], b[TOPO_NAME_BYTES];

    return measure(t, host(a, from), host(b, to));
}

/* Dragonflies. */

struct dragonfly {
    uint32_t groups, switches, hosts, global_links;
};

static struct topo
dragonfly_of(const struct dragonfly *d)
{
    return built(topo_build_dragonfly, (struct topo_build){ .pods = d->groups,
                                                            .switches = d->switches,
                                                            .hosts = d->hosts,
                                                            .global_links = d->global_links,
                                                            .uplink_bps = 20 * GBPS,
                                                            .core_bps = 40 * GBPS });
}

/* Whether a switch has a link to a group. Its global links are numbers j to j + global_links - 1 of
 * its group. */
static bool
has_link_to(const struct dragonfly *d, uint32_t at, uint32_t to)
{
    uint32_t group = at / d->switches, j = at % d->switches * d->global_links;
    bool has = false;

    for (uint32_t i = j; i < j + d->global_links; i++) {
        has |= (group + d->groups - 1 - i % (d->groups - 1)) % d->groups == to;
    }
    return has;
}

/* With one link between any two groups, two switches of different groups are linked if each has a
 * link to the group of the other. */
static bool
is_linked(const struct dragonfly *d, uint32_t a, uint32_t b)
{
    uint32_t x = a / d->switches, y = b / d->switches;

    return x == y ? a != b : has_link_to(d, a, y) && has_link_to(d, b, x);
}

/* The number of paths of n links between two switches. */
static uint32_t
count_paths(const struct dragonfly *d, uint32_t a, uint32_t b, uint32_t n)
{
    uint32_t sum = 0;

    for (uint32_t c = 0; n > 1 && c < d->groups * d->switches; c++) {
        sum += is_linked(d, a, c) ? count_paths(d, c, b, n - 1) : 0;
    }
    return n > 1 ? sum : n ? is_linked(d, a, b) : a == b;
}

static void
compare_paths(const struct topo *t, const struct dragonfly *d)
{
    uint32_t n = d->groups * d->switches, most = 0;

    for (uint32_t i = 0; i < n * n; i++) {
        uint32_t a = i / n, b = i % n, far = 0;
        if (a == b && d->hosts == 1) {
            continue;
        }
        while (!count_paths(d, a, b, far)) {
            far++;
        }
        struct measured m = measure_hosts(t, a * d->hosts + 1, b * d->hosts + (a == b ? 2 : 1));
        assert_int_equal(m.hops, 2 + far);
        assert_int_equal(m.paths, count_paths(d, a, b, far));
        most = far > most ? far : most;
    }
    assert_int_equal(most, 3);
}

/* With the maximum number of groups, there is one link between any two of them. */
static void
largest_dragonflies(void **state)
{
    static const struct dragonfly sizes[] = { { 9, 4, 2, 2 }, { 7, 2, 1, 3 }, { 5, 4, 3, 1 } };

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct dragonfly *d = &sizes[i];
        struct topo t = dragonfly_of(d);
        uint32_t n = d->groups * d->switches;
        assert_int_equal(t.n_switches, n);
        assert_int_equal(t.n_nics, n * d->hosts);
        assert_int_equal(t.n_links, n * d->hosts + n * (d->switches - 1) / 2 +
                                        d->groups * (d->groups - 1) / 2);
        compare_paths(&t, d);
        topo_free(&t);
    }
}

static uint32_t
count_global(const struct topo *t, uint32_t group, uint32_t other, uint32_t n_switches)
{
    uint32_t n = 0;

    for (size_t i = 0; i < t->n_links; i++) {
        const uint32_t *node = t->links[i].node;
        uint32_t a = t->nodes[node[0]].index / n_switches, b = t->nodes[node[1]].index / n_switches;
        bool is = topo_joins_switches(t, &t->links[i]) && a == group && b == other;
        assert_true(!is || t->links[i].rate_bps == (uint64_t)(a == b ? 20 : 40) * GBPS);
        n += is;
    }
    return n;
}

/* With fewer groups, there are several links between any two, and all switches have the same number
 * of ports. Half of the groups can send to the other half what the links between the halves carry.
 */
static void
smaller_dragonflies(void **state)
{
    static const struct dragonfly sizes[] = { { 2, 4, 8, 2 }, { 4, 3, 20, 3 }, { 2, 1, 4, 2 } };

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct dragonfly *d = &sizes[i];
        struct topo t = dragonfly_of(d);
        uint32_t n_each = d->switches * d->global_links / (d->groups - 1);
        for (uint32_t at = 0; at < t.n_switches; at++) {
            assert_int_equal(t.nodes[at].n_ports, d->hosts + d->switches - 1 + d->global_links);
            assert_int_equal(t.nodes[at].part, at / d->switches);
        }
        for (uint32_t a = 0; a < d->groups; a++) {
            for (uint32_t b = a + 1; b < d->groups; b++) {
                assert_int_equal(count_global(&t, a, b, d->switches), n_each);
            }
        }
        uint64_t n_halved = (uint64_t)d->groups * d->groups / 4 * n_each, n_hosts = t.n_nics / 2;
        uint64_t expected = n_halved * 40 < n_hosts * 10 ? n_halved * 40 : n_hosts * 10;
        assert_int_equal(measure_cut(&t, t.n_nics / 2), expected * GBPS);
        topo_free(&t);
    }
}

/* Shortest paths close cycles.  Up-down paths close none, and neither do classes by hops: four
 * classes are enough, one for each switch of a path. */
static void
cycles_of_dragonflies(void **state)
{
    const struct dragonfly d = { 9, 4, 1, 2 };
    struct topo t = dragonfly_of(&d);
    struct depend_traffic by_hops = all_pairs;

    (void)state;
    assert_int_equal(shortest_cycle(&t, &all_pairs), 4);
    by_hops.n_classes = 4;
    by_hops.lossless = 15;
    by_hops.hop_classes = true;
    assert_false(is_cyclic(&t, &by_hops));
    topo_add_root(&t, 0);
    topo_route(&t);
    assert_false(is_cyclic(&t, &all_pairs));
    topo_free(&t);
}

/* A torus in three dimensions. The distance is the sum of the distances in three rings, and paths
 * are the orders of the steps. Half way around a ring with an even number of switches, there are
 * two directions. */

static uint32_t
ring_distance(uint32_t a, uint32_t b, uint32_t n)
{
    uint32_t d = a > b ? a - b : b - a;

    return d < n - d ? d : n - d;
}

static uint32_t
factorial(uint32_t n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

static void
torus_in_three_dimensions(void **state)
{
    static const uint32_t sizes[3] = { 4, 3, 6 };
    struct topo t =
        built(topo_build_torus, (struct topo_build){ .x = 4, .y = 3, .z = 6, .hosts = 1 });

    (void)state;
    assert_int_equal(t.n_switches, 72);
    assert_int_equal(t.n_links, 72 + 3 * 72);
    assert_int_equal(t.n_parts, 6);
    for (uint32_t a = 0; a < t.n_switches; a++) {
        assert_int_equal(t.nodes[a].n_ports, 7);
        for (uint32_t b = 0; b < t.n_switches; b++) {
            uint32_t far = 0, paths = 1, orders = 1;
            for (uint32_t axis = 0, x = a, y = b; axis < 3;
                 x /= sizes[axis], y /= sizes[axis], axis++) {
                uint32_t n = sizes[axis], d = ring_distance(x % n, y % n, n);
                far += d;
                orders *= factorial(d);
                paths *= 2 * d == n ? 2 : 1;
            }
            struct measured m = measure_hosts(&t, a + 1, b + 1);
            if (a != b) {
                assert_int_equal(m.hops, far + 2);
                assert_int_equal(m.paths, paths * factorial(far) / orders);
            }
        }
    }
    topo_free(&t);
}

/* The bisection has two cuts through the rings of z, and each cut crosses one link of every ring.
 */
static void
bisection_of_torus(void **state)
{
    struct topo t =
        built(topo_build_torus, (struct topo_build){ .x = 3, .y = 3, .z = 4, .hosts = 2 });

    (void)state;
    assert_int_equal(measure_cut(&t, t.n_nics / 2), 2 * 3 * 3 * 10 * GBPS);
    topo_free(&t);
}

/* Edge switches have more hosts than uplinks: half of the pods send over k/2 links of each of their
 * edge switches. */
static void
fat_tree_with_more_hosts(void **state)
{
    struct topo t = built(topo_build_fat_tree, (struct topo_build){ .k = 4, .hosts = 6 });

    (void)state;
    assert_int_equal(t.n_switches, 8 + 8 + 4);
    assert_int_equal(t.n_nics, 8 * 6);
    assert_int_equal(t.n_links, 48 + 2 * 16);
    link_named(&t, "H47", "E8");
    assert_int_equal(t.nodes[named(&t, "H12")].part, 1);
    assert_paths(&t, "H0", "H5", 2, 1);
    assert_paths(&t, "H0", "H6", 4, 2);
    assert_paths(&t, "H0", "H47", 6, 4);
    assert_int_equal(measure_cut(&t, 24), 4 * 2 * 10 * GBPS);
    topo_free(&t);
}

/* Rails: six servers in one or two groups of leaves. */

static struct topo
rails_of(uint64_t per_leaf, uint64_t n_spines, uint64_t gpu_bps)
{
    return built(topo_build_rail, (struct topo_build){ .servers = 6,
                                                       .rails = 2,
                                                       .per_leaf = per_leaf,
                                                       .spines = n_spines,
                                                       .uplink_bps = 8 * GBPS,
                                                       .gpu_bps = gpu_bps,
                                                       .gpu_delay_ps = 7 });
}

static void
rails_without_scale_up(void **state)
{
    struct topo t = rails_of(3, 4, 0);

    (void)state;
    assert_int_equal(t.n_switches, 4 + 4);
    assert_int_equal(t.n_nics, 12);
    assert_int_equal(t.n_links, 12 + 4 * 4);
    assert_int_equal(t.n_multi, 0);
    link_named(&t, "H3:1", "L2");
    link_named(&t, "H4:0", "L3");
    assert_paths(&t, "H1:0", "H3:0", 2, 1);
    assert_paths(&t, "H1:0", "H4:0", 4, 4);
    assert_paths(&t, "H1:0", "H1:1", 4, 4);
    assert_false(is_cyclic(&t, &all_pairs));
    assert_paths(&t, "H1:0", "H6:1", 4, 4);
    assert_int_equal(measure_cut(&t, 6), 2 * 3 * 10 * GBPS);
    topo_free(&t);
    t = rails_of(3, 2, 0);
    assert_int_equal(measure_cut(&t, 6), 2 * 2 * 8 * GBPS);
    topo_free(&t);
}

/* Traffic within a server stays there, and paths to other servers are those without scale-up. */
static void
rails_with_scale_up(void **state)
{
    struct topo t = rails_of(3, 4, 90 * GBPS);
    const struct topo_link *inside;

    (void)state;
    assert_int_equal(t.n_switches, 4 + 4 + 6);
    assert_int_equal(t.n_links, 2 * 12 + 4 * 4);
    assert_int_equal(t.n_multi, 12);
    for (uint32_t i = 0; i < t.n_multi; i++) {
        uint32_t port = t.nodes[t.multi[i]].first_port;
        assert_int_equal(t.nodes[topo_beyond(&t, port)].name[0], 'L');
        assert_int_equal(t.nodes[topo_beyond(&t, port + 1)].name[0], 'V');
    }
    inside = &t.links[link_named(&t, "H6:1", "V6")];
    assert_int_equal(inside->rate_bps, 90 * GBPS);
    assert_int_equal(inside->delay_ps, 7);
    assert_paths(&t, "H1:0", "H1:1", 2, 1);
    assert_paths(&t, "H1:0", "H3:0", 2, 1);
    assert_paths(&t, "H1:0", "H4:0", 4, 4);
    assert_paths(&t, "H1:0", "H6:1", 4, 4);
    assert_int_equal(measure_cut(&t, 6), 2 * 3 * 10 * GBPS);
    assert_false(is_cyclic(&t, &all_pairs));
    topo_add_top_roots(&t);
    topo_route(&t);
    assert_int_equal(t.n_roots, 4);
    assert_paths(&t, "H1:0", "H1:1", 2, 1);
    assert_paths(&t, "H1:0", "H6:1", 4, 4);
    topo_free(&t);
}

/* Without spines, a NIC reaches the other NICs of its rail and of its server, and no others. */
static void
rails_alone(void **state)
{
    struct topo t = rails_of(WEIR_AUTO, 0, 90 * GBPS);

    (void)state;
    assert_int_equal(t.n_switches, 2 + 6);
    assert_paths(&t, "H1:0", "H6:0", 2, 1);
    assert_paths(&t, "H1:0", "H1:1", 2, 1);
    assert_paths(&t, "H1:0", "H6:1", 0, 0);
    assert_int_equal(measure_cut(&t, 6), 2 * 3 * 10 * GBPS);
    topo_free(&t);
}

/* Pairs of switches with three spines per plane. */
static struct topo
pairs_of(uint64_t n_planes)
{
    return built(topo_build_dual_tor, (struct topo_build){ .pods = 4,
                                                           .hosts = 5,
                                                           .rails = 1,
                                                           .spines = 3,
                                                           .planes = n_planes,
                                                           .uplink_bps = 2 * GBPS });
}

static void
dual_tors(void **state)
{
    (void)state;
    for (uint32_t planes = 1; planes <= 2; planes++) {
        struct topo t = pairs_of(planes);
        assert_int_equal(t.n_switches, 8 + 3 * planes);
        assert_int_equal(t.n_multi, 20);
        assert_int_equal(t.n_links, 2 * 20 + 8 * 3);
        assert_int_equal(t.nodes[named(&t, "S1")].n_ports, planes == 2 ? 4 : 8);
        assert_int_equal(topo_beyond(&t, port_named(&t, "H6", "T3") + 1), named(&t, "T4"));
        assert_paths(&t, "H1", "H5", 2, 2);
        assert_paths(&t, "H1", "H20", 4, planes == 2 ? 2 * 3 : 2 * 3 * 2);
        assert_int_equal(measure_cut(&t, 10), 2 * 2 * 3 * 2 * GBPS);
        assert_false(is_cyclic(&t, &all_pairs));
        topo_free(&t);
    }
}

/* As in Alibaba's HPN, a server has a NIC for each rail, whose two ports are in two planes. */
static void
dual_tors_with_rails(void **state)
{
    struct topo t =
        built(topo_build_dual_tor,
              (struct topo_build){ .pods = 2, .hosts = 4, .rails = 3, .spines = 5, .planes = 2 });

    (void)state;
    assert_int_equal(t.n_switches, 2 * 2 * 3 + 2 * 5);
    assert_int_equal(t.n_multi, 2 * 4 * 3);
    assert_int_equal(t.n_links, 2 * 24 + 12 * 5);
    assert_int_equal(topo_beyond(&t, port_named(&t, "H1:2", "T5") + 1), named(&t, "T6"));
    link_named(&t, "H5:0", "T7");
    assert_paths(&t, "H1:2", "H4:2", 2, 2);
    assert_paths(&t, "H1:2", "H5:2", 4, 2 * 5);
    assert_paths(&t, "H1:2", "H1:0", 4, 2 * 5);
    assert_int_equal(measure_cut(&t, 12), 2 * 3 * 4 * 10 * GBPS);
    topo_free(&t);
}

/* GPUs of a server reach each other over its scale-up switch, and others as before. */
static void
dual_tors_with_scale_up(void **state)
{
    struct topo t = built(topo_build_dual_tor, (struct topo_build){ .pods = 2,
                                                                    .hosts = 4,
                                                                    .rails = 3,
                                                                    .spines = 5,
                                                                    .planes = 2,
                                                                    .gpu_bps = 100 * GBPS,
                                                                    .gpu_delay_ps = 5 });
    uint32_t inside = link_named(&t, "H8:1", "V8");

    (void)state;
    assert_int_equal(t.n_switches, 2 * 2 * 3 + 2 * 5 + 8);
    assert_int_equal(t.n_links, 3 * 24 + 12 * 5);
    assert_int_equal(t.links[inside].rate_bps, 100 * GBPS);
    assert_int_equal(t.links[inside].delay_ps, 5);
    assert_int_equal(topo_beyond(&t, port_named(&t, "H1:2", "T5") + 2), named(&t, "V1"));
    assert_paths(&t, "H1:2", "H1:0", 2, 1);
    assert_paths(&t, "H1:2", "H4:2", 2, 2);
    assert_paths(&t, "H1:2", "H5:2", 4, 2 * 5);
    assert_paths(&t, "H1:2", "H5:0", 4, 2 * 5);
    assert_false(is_cyclic(&t, &all_pairs));
    topo_free(&t);
}

/* If a host loses its link to the first plane, others reach it over the second. */
static void
lost_link_of_a_pair(void **state)
{
    struct topo t = pairs_of(2);

    (void)state;
    t.links[link_named(&t, "H20", "T7")].failed = true;
    topo_route(&t);
    assert_paths(&t, "H1", "H20", 4, 3);
    assert_paths(&t, "H16", "H20", 2, 1);
    assert_int_equal(topo_nic_ports(&t, named(&t, "H1"), t.nodes[named(&t, "H20")].leaf), 2);
    topo_free(&t);
}

static void
planes(void **state)
{
    struct topo t =
        built(topo_build_multi_plane,
              (struct topo_build){
                  .planes = 3, .leaves = 4, .spines = 2, .hosts = 5, .uplink_bps = 4 * GBPS });

    (void)state;
    assert_int_equal(t.n_switches, 3 * (4 + 2));
    assert_int_equal(t.n_nics, 3 * 4 * 5);
    assert_int_equal(t.n_links, 3 * (20 + 4 * 2));
    link_named(&t, "H6:0", "L2");
    link_named(&t, "H6:2", "L10");
    link_named(&t, "L10", "S6");
    assert_paths(&t, "H1:1", "H5:1", 2, 1);
    assert_paths(&t, "H1:1", "H20:1", 4, 2);
    assert_paths(&t, "H1:1", "H20:2", 0, 0);
    assert_int_equal(measure_cut(&t, 30), 3 * 2 * 2 * 4 * GBPS);
    assert_false(is_cyclic(&t, &all_pairs));
    topo_free(&t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fat_tree_with_more_hosts),
        cmocka_unit_test(rails_without_scale_up),
        cmocka_unit_test(rails_with_scale_up),
        cmocka_unit_test(rails_alone),
        cmocka_unit_test(dual_tors),
        cmocka_unit_test(dual_tors_with_rails),
        cmocka_unit_test(dual_tors_with_scale_up),
        cmocka_unit_test(lost_link_of_a_pair),
        cmocka_unit_test(planes),
        cmocka_unit_test(largest_dragonflies),
        cmocka_unit_test(smaller_dragonflies),
        cmocka_unit_test(cycles_of_dragonflies),
        cmocka_unit_test(torus_in_three_dimensions),
        cmocka_unit_test(bisection_of_torus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

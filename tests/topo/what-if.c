/* Failures of single links and of pairs: the incremental search must find the same as a check of
 * each network as a whole. */

#include "plain.h"

struct count {
    size_t n_trials, n_cyclic, n_with_new_deps, n_whole;
};

/* Compares trials in the order in which the search lists them: by the second link, then by the
 * first. */
static void
compare(struct topo *t, const struct depend_traffic *traffic, uint32_t n_links, struct count *c)
{
    struct depend_what_if what = {
        .topo = t, .traffic = traffic, .n_links = n_links, .n_threads = 1 + t->n_switches % 3
    };
    struct depend_failures found;
    size_t n = 0, n_trials = 0;

    depend_try_failures(&what, &found);
    for (uint32_t j = 0; j < t->n_links; j++) {
        for (uint32_t i = 0; i < (n_links == 1 ? 1 : j); i++) {
            uint32_t first = n_links == 1 ? j : i;
            if (!may_fail(t, j) || !may_fail(t, first)) {
                continue;
            }
            t->links[first].failed = t->links[j].failed = true;
            bool is_in = is_cyclic(t, traffic);
            t->links[first].failed = t->links[j].failed = false;
            n_trials++;
            assert_true(!is_in || n < found.n);
            if (n < found.n && found.items[n].links[0] == first &&
                found.items[n].links[1] == (n_links == 1 ? TOPO_NONE : j)) {
                assert_true(is_in);
                n++;
            } else {
                assert_false(is_in);
            }
        }
    }
    assert_int_equal(found.n, n);
    assert_int_equal(found.n_trials, n_trials);
    *c = (struct count){ c->n_trials + n_trials, c->n_cyclic + n,
                         c->n_with_new_deps + found.n_with_new_deps, c->n_whole + found.n_whole };
    depend_free_failures(&found);
}

static void
compare_both(struct topo *t, const struct depend_traffic *traffic, struct count *c)
{
    compare(t, traffic, 1, c);
    compare(t, traffic, 2, c);
}

/* Most trials are decided without a check of the whole network, and both verdicts occur. */
static void
is_telling(const struct count *c)
{
    assert_in_range(c->n_cyclic, 1, c->n_trials - 1);
    assert_in_range(c->n_with_new_deps, 1, c->n_trials);
    assert_in_range(c->n_whole, 0, c->n_trials / 5);
}

static void
random_networks(void **state)
{
    struct count c = { 0 };

    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct topo t = draw(seed, 1 + (uint32_t)(seed % 3));
        compare_both(&t, &all_pairs, &c);
        topo_free(&t);
    }
    is_telling(&c);
}

/* Networks with only a few links more than a tree, so that a failed link causes long detours. */
static void
sparse_networks(void **state)
{
    struct count c = { 0 };

    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        uint64_t chance = seed * 7919;
        struct topo t = { 0 };
        struct topo_link like = { .rate_bps = 1000000000, .delay_ps = 1000 };
        uint32_t n = 6 + (uint32_t)below(&chance, 12);
        for (uint32_t i = 0; i < n; i++) {
            topo_add_node(&t, TOPO_SWITCH, "S");
        }
        for (uint32_t i = 1; i < n + n / 3; i++) {
            uint32_t a = i < n ? i : (uint32_t)below(&chance, n);
            uint32_t b = (uint32_t)below(&chance, i < n ? i : n);
            topo_add_link(&t, a, a == b ? (b + 1) % n : b, &like); /* Some links are parallel. */
        }
        for (uint32_t i = 0; i < n; i++) {
            if (i < 2 || one_in(&chance, 2)) {
                topo_add_link(&t, topo_add_node(&t, TOPO_NIC, "H"), i, &like);
            }
        }
        finish(&t);
        compare_both(&t, &all_pairs, &c);
        topo_free(&t);
    }
    is_telling(&c);
}

/* The topologies of builders, as they are and with links that have failed already. */
static void
built_networks(void **state)
{
    const struct {
        topo_builder *build;
        struct topo_build b;
    } nets[] = {
        { topo_build_fat_tree, { .k = 4 } },
        { topo_build_leaf_spine, { .leaves = 4, .spines = 3, .hosts = 2 } },
        { topo_build_leaf_spine, { .leaves = 5, .spines = 2, .hosts = 1 } },
        { topo_build_three_tier, { .pods = 3, .leaves = 2, .spines = 2, .cores = 4, .hosts = 1 } },
        { topo_build_ring, { .switches = 5 } },
        { topo_build_torus, { .x = 3, .y = 3, .hosts = 1 } },
        { topo_build_dragonfly, { .pods = 3, .switches = 2, .hosts = 1, .global_links = 1 } },
        { topo_build_rail,
          { .servers = 4, .rails = 2, .per_leaf = 2, .spines = 2, .gpu_bps = 1000000000 } },
        { topo_build_dual_tor, { .pods = 3, .hosts = 2, .rails = 1, .spines = 2, .planes = 1 } },
        { topo_build_dual_tor, { .pods = 2, .hosts = 2, .rails = 2, .spines = 2, .planes = 2 } },
    };
    struct count c = { 0 };

    (void)state;
    for (size_t i = 0; i < N_OF(nets); i++) {
        for (uint64_t seed = 0; seed < 6; seed++) {
            struct topo t = built(nets[i].build, nets[i].b);
            topo_fail_randomly(&t, seed ? WEIR_RATIO_1 / 10 : 0, seed, TOPO_ALL_LINKS);
            compare_both(&t, &all_pairs, &c);
            topo_free(&t);
        }
    }
    is_telling(&c);
}

/* With a choice of three switches, two failures leave one, so no network is checked as a whole. */
static void
fat_tree_of_six(void **state)
{
    struct topo t = built(topo_build_fat_tree, (struct topo_build){ .k = 6 });
    struct depend_what_if what = {
        .topo = &t, .traffic = &all_pairs, .n_links = 2, .n_threads = 2
    };
    struct depend_failures found;

    (void)state;
    depend_try_failures(&what, &found);
    assert_int_equal(found.n_trials, 108 * 107 / 2);
    assert_int_equal(found.n, 0);
    assert_int_equal(found.n_with_new_deps, 0);
    depend_free_failures(&found);
    topo_fail_randomly(&t, WEIR_RATIO_1 / 8, 3, TOPO_SWITCH_LINKS);
    compare_both(&t, &all_pairs, &(struct count){ 0 });
    topo_free(&t);
}

static uint32_t
some_nic(const struct topo *t, uint64_t *chance)
{
    return t->n_switches + (uint32_t)below(chance, t->n_nics);
}

/* Flows of several classes, some of them lossy; some flows have their own paths. */
static void
some_flows(void **state)
{
    struct count c = { 0 };

    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t chance = seed * 31;
        struct topo t = draw(seed, 2);
        struct depend_flow flows[10];
        uint16_t path[2];
        uint8_t waits[MAX_SWITCHES];
        struct depend_traffic traffic = { .flows = flows,
                                          .n_flows = 1 + below(&chance, 10),
                                          .n_classes = 3,
                                          .lossless = 5,
                                          .all_pairs = one_in(&chance, 3),
                                          .waits = one_in(&chance, 2) ? waits : NULL };
        for (uint32_t i = 0; i < MAX_SWITCHES; i++) {
            waits[i] = one_in(&chance, 5) ? DEPEND_FOR_NOTHING : DEPEND_FOR_OUTPUT;
        }
        for (size_t i = 0; i < traffic.n_flows; i++) {
            flows[i] = (struct depend_flow){ .from = some_nic(&t, &chance),
                                             .to = some_nic(&t, &chance),
                                             .cls = (uint8_t)below(&chance, 3) };
        }
        uint32_t at = topo_switch_of(&t, flows[0].from), to = topo_switch_of(&t, flows[0].to);
        uint32_t port = topo_port_to(&t, at, to);
        if (port != TOPO_NONE) {
            path[0] = (uint16_t)t.ports[port].number;
            path[1] = (uint16_t)t.ports[topo_port_to(&t, to, flows[0].to)].number;
            flows[0].path = path;
            flows[0].n_path = 2;
        }
        compare_both(&t, &traffic, &c);
        topo_free(&t);
    }
    assert_in_range(c.n_cyclic, 1, c.n_trials - 1);
}

/* The first port of the second switch. The first two switches have hosts. */
static uint32_t
some_port(const struct topo *t)
{
    return t->nodes[1].first_port;
}

/* With up-down routes, no network is checked as a whole. */
static void
up_and_down(void **state)
{
    struct count c = { 0 };

    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct topo t = draw(seed, 1);
        topo_add_root(&t, 0);
        topo_add_root(&t, (uint32_t)(seed % t.n_switches));
        compare_both(&t, &all_pairs, &c);
        topo_free(&t);
    }
    assert_int_equal(c.n_whole, 0);
}

/* Cases that failure-deps cannot decide are checked as whole networks: static routes, pipelines,
 * classes by hops, roots next to paths of flows. */
static void
all_else_as_a_whole(void **state)
{
    struct count c = { 0 };

    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct topo t = draw(seed, 1);
        uint8_t waits[MAX_SWITCHES] = { DEPEND_FOR_ALL };
        struct depend_traffic traffic = all_pairs;
        const struct depend_flow own = {
            t.n_switches, t.n_switches + 1, 0, (uint16_t[]){ 0 }, 1, false, 0
        };
        if (seed % 4 == 0) {
            topo_add_root(&t, 0);
            traffic.flows = &own;
            traffic.n_flows = 1;
        } else if (seed % 4 == 1) {
            topo_add_static(&t, 0, some_port(&t));
        } else if (seed % 4 == 2) {
            traffic.waits = waits;
        } else {
            traffic.hop_classes = true;
            traffic.n_classes = 2;
            traffic.lossless = 3;
        }
        compare_both(&t, &traffic, &c);
        topo_free(&t);
    }
    assert_int_equal(c.n_whole, c.n_trials);
    assert_in_range(c.n_cyclic, 1, c.n_trials - 1);
}

/* Similar failures of two links in a fat tree of four are grouped. */
static void
kinds_of_failures(void **state)
{
    struct topo t = built(topo_build_fat_tree, (struct topo_build){ .k = 4 });
    struct depend_what_if what = {
        .topo = &t, .traffic = &all_pairs, .n_links = 2, .n_threads = 1
    };
    struct depend_failures found;
    struct depend_alike *groups;

    (void)state;
    depend_try_failures(&what, &found);
    size_t n = depend_group_failures(&t, &found, &groups);
    assert_int_equal(found.n, 56);
    /* Failures in two pods, each of a link to what the other pod has lost; and failures in one pod.
     */
    assert_int_equal(n, 2);
    assert_int_equal(groups[0].n, 48);
    assert_int_equal(groups[1].n, 8);
    assert_int_equal(found.items[groups[1].item].links[0], link_named(&t, "E1", "A2"));
    assert_int_equal(found.items[groups[1].item].links[1], link_named(&t, "E2", "A1"));
    free(groups);
    depend_free_failures(&found);
    topo_free(&t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_networks), cmocka_unit_test(sparse_networks),
        cmocka_unit_test(built_networks),  cmocka_unit_test(fat_tree_of_six),
        cmocka_unit_test(some_flows),      cmocka_unit_test(all_else_as_a_whole),
        cmocka_unit_test(up_and_down),     cmocka_unit_test(kinds_of_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Cyclic dependencies that were found by hand, or that a paper reports. */

#include "net.h"

static struct topo
ring_of(uint64_t n)
{
    return built(topo_build_ring, (struct topo_build){ .switches = n });
}

static struct topo
fat_tree_of(uint64_t k)
{
    return built(topo_build_fat_tree, (struct topo_build){ .k = k });
}

/* In a ring of three switches no shortest path crosses a third switch. From four switches on, paths
 * around the ring meet and close a cycle. */
static void
rings(void **state)
{
    static const uint32_t expected[] = { [3] = 0, [4] = 4, [5] = 5, [6] = 6, [7] = 7 };

    (void)state;
    for (uint32_t n = 3; n <= 7; n++) {
        struct topo t = ring_of(n);
        assert_int_equal(shortest_cycle(&t, &all_pairs), expected[n]);
        topo_free(&t);
    }
}

/* Three flows, each over two links of a ring of three, all in the same direction. */
static void
ring_with_clockwise_routes(void **state)
{
    struct topo t = ring_of(3);
    struct depend_flow flows[3];
    uint16_t paths[3][3];
    char name[4][3] = { "H1", "H2", "H3", "" };

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t s[3] = { i, (i + 1) % 3, (i + 2) % 3 };
        flows[i] = (struct depend_flow){
            named(&t, name[i]), named(&t, name[s[2]]), 0, paths[i], 3, false, 0
        };
        paths[i][0] = (uint16_t)t.ports[topo_port_to(&t, s[0], s[1])].number;
        paths[i][1] = (uint16_t)t.ports[topo_port_to(&t, s[1], s[2])].number;
        paths[i][2] = (uint16_t)t.ports[topo_port_to(&t, s[2], flows[i].to)].number;
    }
    struct depend_traffic traffic = { .flows = flows, .n_flows = 3, .n_classes = 1, .lossless = 1 };
    assert_int_equal(shortest_cycle(&t, &traffic), 3);
    traffic.n_flows = 2;
    assert_int_equal(shortest_cycle(&t, &traffic), 0);

    traffic = (struct depend_traffic){
        .all_pairs = true, .flows = flows, .n_flows = 3, .n_classes = 1, .lossless = 1
    };
    assert_int_equal(shortest_cycle(&t, &traffic), 3);
    flows[1].cls = 1;
    traffic.n_classes = 2;
    traffic.lossless = 3;
    /* Two flows are in one class, and one is in the other. */
    assert_int_equal(shortest_cycle(&t, &traffic), 0);
    flows[0].cls = flows[2].cls = 1;
    assert_int_equal(shortest_cycle(&t, &traffic), 3);
    traffic.lossless = 1;
    assert_int_equal(shortest_cycle(&t, &traffic), 0); /* Packets of a lossy class do not wait. */
    topo_free(&t);
}

static void
healthy_clos_networks_have_none(void **state)
{
    (void)state;
    for (uint64_t k = 4; k <= 8; k += 2) {
        struct topo t = fat_tree_of(k);
        assert_false(is_cyclic(&t, &all_pairs));
        topo_free(&t);
    }
    struct topo two =
        built(topo_build_leaf_spine, (struct topo_build){ .leaves = 5, .spines = 3, .hosts = 2 });
    assert_false(is_cyclic(&two, &all_pairs));
    topo_free(&two);
    struct topo three =
        built(topo_build_three_tier,
              (struct topo_build){ .pods = 3, .leaves = 2, .spines = 2, .cores = 4, .hosts = 1 });
    assert_false(is_cyclic(&three, &all_pairs));
    topo_free(&three);
}

/* Shortest paths in a torus make turns of all kinds, so four switches in a square close a cycle.
 * Up-down paths close none. */
static void
tori(void **state)
{
    (void)state;
    for (uint64_t x = 3; x <= 6; x++) {
        struct topo t = built(topo_build_torus, (struct topo_build){ .x = x, .y = 4, .hosts = 1 });
        assert_int_equal(shortest_cycle(&t, &all_pairs), 4);
        topo_add_top_roots(&t);
        assert_int_equal(t.n_roots, 1);
        assert_false(is_cyclic(&t, &all_pairs));
        topo_free(&t);
    }
}

/* The cycle of GFC's Fig. 11. */

static bool
has_paper_cycle(const struct topo *t, const struct depend_traffic *traffic)
{
    struct depend *d = depend_new(t, traffic);
    bool has = depends(d, t, "C1", "A3", "C2") && depends(d, t, "A3", "C2", "A7") &&
               depends(d, t, "C2", "A7", "C1") && depends(d, t, "A7", "C1", "A3");

    assert_true(!has || depend_is_cyclic(d));
    depend_free(d);
    return has;
}

static void
gfc_fat_tree(void **state)
{
    static const char *const failed[3][2] = { { "A1", "C2" }, { "A5", "C1" }, { "E1", "A2" } };
    struct topo t = fat_tree_of(4);

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_false(has_paper_cycle(&t, &all_pairs));
        t.links[link_named(&t, failed[i][0], failed[i][1])].failed = true;
    }
    assert_true(has_paper_cycle(&t, &all_pairs));
    assert_int_equal(shortest_cycle(&t, &all_pairs), 4);
    topo_add_root(&t, named(&t, "C1"));
    assert_false(is_cyclic(&t, &all_pairs));
    topo_free(&t);
}

static uint32_t
n_triples_with_paper_cycle(const struct depend_traffic *traffic)
{
    struct topo t = fat_tree_of(4);
    uint32_t links[64], n = 0, n_tried = 0, n_found = 0;

    for (uint32_t i = 0; i < t.n_links; i++) {
        if (t.nodes[t.links[i].node[0]].kind == TOPO_SWITCH &&
            t.nodes[t.links[i].node[1]].kind == TOPO_SWITCH) {
            links[n++] = i;
        }
    }
    assert_int_equal(n, 32);
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = a + 1; b < n; b++) {
            for (uint32_t c = b + 1; c < n; c++, n_tried++) {
                bool *out[3] = { &t.links[links[a]].failed, &t.links[links[b]].failed,
                                 &t.links[links[c]].failed };
                *out[0] = *out[1] = *out[2] = true;
                n_found += has_paper_cycle(&t, traffic);
                *out[0] = *out[1] = *out[2] = false;
            }
        }
    }
    assert_int_equal(n_tried, 4960);
    topo_free(&t);
    return n_found;
}

/* Four triples of failed links between switches allow the cycle with the paper's four flows: A1-C2
 * and A5-C1, or A1-C1 and A5-C2, with E1-A2 or E5-A6.  With hosts also at E2 and E6, there are
 * twice as many, also with E2-A2 or E6-A6. */
static void
triples_that_allow_it(void **state)
{
    static const char *const ends[4][2] = {
        { "H0", "H8" }, { "H4", "H12" }, { "H9", "H1" }, { "H13", "H5" }
    };
    struct topo t = fat_tree_of(4);
    struct depend_flow flows[4] = { 0 };

    (void)state;
    for (int i = 0; i < 4; i++) {
        flows[i].from = named(&t, ends[i][0]);
        flows[i].to = named(&t, ends[i][1]);
    }
    topo_free(&t);
    struct depend_traffic four = { .flows = flows, .n_flows = 4, .n_classes = 1, .lossless = 1 };
    assert_int_equal(n_triples_with_paper_cycle(&four), 4);
    assert_int_equal(n_triples_with_paper_cycle(&all_pairs), 8);
}

/* No failure of a single link of a fat tree closes a cycle; some failures of two links do. */
static void
what_if_links_fail(void **state)
{
    struct topo t = fat_tree_of(4);
    struct depend_what_if what = {
        .topo = &t, .traffic = &all_pairs, .n_links = 1, .n_threads = 1
    };
    struct depend_failures found, again;

    (void)state;
    depend_try_failures(&what, &found);
    assert_int_equal(found.n_trials, 32);
    assert_int_equal(found.n, 0);
    depend_free_failures(&found);
    t.links[link_named(&t, "A1", "C2")].failed = t.links[link_named(&t, "A5", "C1")].failed = true;
    depend_try_failures(&what, &found);
    what.n_threads = 3;
    depend_try_failures(&what, &again);
    assert_int_equal(found.n_trials, 30);
    assert_int_equal(again.n, found.n);
    bool has_paper_link = false;
    for (size_t i = 0; i < found.n; i++) {
        assert_memory_equal(&again.items[i], &found.items[i], sizeof found.items[i]);
        has_paper_link |= found.items[i].links[0] == link_named(&t, "E1", "A2");
        assert_int_equal(found.items[i].links[1], TOPO_NONE);
    }
    assert_true(has_paper_link);
    depend_free_failures(&found);
    depend_free_failures(&again);
    topo_free(&t);
}

/* The cycle of Fig. 11 at other switches, so that the last link of all, A8-C4, is in a pair. */
static void
what_if_two_fail(void **state)
{
    struct topo t = fat_tree_of(4);
    struct depend_what_if what = {
        .topo = &t, .traffic = &all_pairs, .n_links = 2, .n_threads = 2
    };
    struct depend_failures found;
    size_t n_plain = 0;
    bool has_last = false;

    (void)state;
    t.links[link_named(&t, "A2", "C3")].failed = true;
    depend_try_failures(&what, &found);
    assert_int_equal(found.n_trials, 31 * 30 / 2);
    for (uint32_t i = 0; i < t.n_links; i++) {
        for (uint32_t j = i + 1; j < t.n_links; j++) {
            bool both = t.nodes[t.links[i].node[0]].kind == TOPO_SWITCH &&
                        t.nodes[t.links[j].node[0]].kind == TOPO_SWITCH && !t.links[i].failed &&
                        !t.links[j].failed;
            if (both) {
                t.links[i].failed = t.links[j].failed = true;
                n_plain += is_cyclic(&t, &all_pairs);
                t.links[i].failed = t.links[j].failed = false;
            }
        }
    }
    assert_true(n_plain > 0);
    assert_int_equal(found.n, n_plain);
    for (size_t i = 0; i < found.n; i++) {
        uint32_t *links = found.items[i].links;
        assert_true(links[0] < links[1]);
        has_last |= links[0] == link_named(&t, "E1", "A1") && links[1] == t.n_links - 1;
        t.links[links[0]].failed = t.links[links[1]].failed = true;
        assert_true(is_cyclic(&t, &all_pairs));
        t.links[links[0]].failed = t.links[links[1]].failed = false;
    }
    assert_true(has_last);
    depend_free_failures(&found);
    topo_free(&t);
}

/* The class of a packet is its number of hops to go. */
static void
classes_by_hops(void **state)
{
    struct topo t = built(topo_build_torus, (struct topo_build){ .x = 5, .y = 5, .hosts = 1 });
    struct depend_traffic traffic = { .all_pairs = true, .lossless = 0xff, .hop_classes = true };

    (void)state;
    for (traffic.n_classes = 1; traffic.n_classes <= 6; traffic.n_classes++) {
        /* The farthest leaf is 4 hops away, so a packet waits in buffers with 3, 2, 1 and 0 hops
         * left.
         */
        bool expected = traffic.n_classes <= 3;
        assert_int_equal(is_cyclic(&t, &traffic), expected);
    }
    topo_free(&t);
}

/* A host whose link has failed sends nothing. */
static void
only_live_hosts_count(void **state)
{
    struct topo t = ring_of(4);

    (void)state;
    assert_true(is_cyclic(&t, &all_pairs));
    t.links[link_named(&t, "H1", "S1")].failed = true;
    assert_false(is_cyclic(&t, &all_pairs));
    topo_free(&t);
}

static void
cut_networks_are_counted(void **state)
{
    struct topo t = ring_of(4);

    (void)state;
    t.links[link_named(&t, "S1", "S2")].failed = true;
    t.links[link_named(&t, "S3", "S4")].failed = true;
    struct depend *d = depend_new(&t, &all_pairs);
    assert_int_equal(depend_n_cut(d), 8);
    depend_free(d);
    topo_free(&t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings),
        cmocka_unit_test(ring_with_clockwise_routes),
        cmocka_unit_test(healthy_clos_networks_have_none),
        cmocka_unit_test(tori),
        cmocka_unit_test(gfc_fat_tree),
        cmocka_unit_test(triples_that_allow_it),
        cmocka_unit_test(what_if_links_fail),
        cmocka_unit_test(what_if_two_fail),
        cmocka_unit_test(classes_by_hops),
        cmocka_unit_test(only_live_hosts_count),
        cmocka_unit_test(cut_networks_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

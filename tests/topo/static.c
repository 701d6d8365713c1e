/* Static routes: examples by hand, and small random networks, compared with the plain reference. */

#include "plain.h"

static void
add_static(struct topo *t, const char *at, const char *to, const char *via)
{
    topo_add_static(t, named(t, to), port_named(t, at, via));
    topo_route(t);
}

/* The name of the only next hop from a switch to a host; "" if there is none. */
static const char *
way(const struct topo *t, const char *at, const char *to)
{
    const struct topo_node *s = &t->nodes[named(t, at)];
    uint32_t group = t->routes[(size_t)s->index * t->n_leaves + t->nodes[named(t, to)].leaf];

    if (group == TOPO_NONE) {
        return "";
    }
    assert_int_equal(t->groups[group].n, 1);
    uint32_t port = s->first_port + t->choices[t->groups[group].first];
    return t->nodes[t->ports[t->ports[port].peer].node].name;
}

/* Checks a loop to 'to', by the names of its nodes, as in "S1 S2 S3". */
static void
assert_loop(const struct topo *t, const struct topo_loop *loop, const char *to, const char *nodes)
{
    char text[200] = "";

    for (uint32_t i = 0; i < loop->n; i++) {
        strcat(text, i ? " " : "");
        strcat(text, t->nodes[loop->nodes[i]].name);
    }
    assert_string_equal(text, nodes);
    assert_int_equal(loop->leaf, t->nodes[named(t, to)].leaf);
}

static size_t
n_loops(const struct topo *t)
{
    struct topo_loops loops;

    topo_find_loops(t, &loops);
    size_t n = loops.n;
    topo_free_loops(&loops);
    return n;
}

/* Packets to H4 circulate through S1, S2 and S3, wherever they start; a single destination is
 * enough for a cycle. */
static void
a_loop_is_a_cyclic_dependency(void **state)
{
    struct topo t = built(topo_build_ring, (struct topo_build){ .switches = 4 });
    struct depend_flow flow = { .from = named(&t, "H2"), .to = named(&t, "H4") };
    struct depend_traffic one = { .flows = &flow, .n_flows = 1, .n_classes = 1, .lossless = 1 };
    struct depend_cycles cycles;
    struct topo_loops loops;

    (void)state;
    assert_false(is_cyclic(&t, &one));
    add_static(&t, "S1", "H4", "S2");
    add_static(&t, "S2", "H4", "S3");
    add_static(&t, "S3", "H4", "S2");
    topo_find_loops(&t, &loops);
    assert_int_equal(loops.n, 1);
    assert_loop(&t, &loops.items[0], "H4", "S2 S3");
    topo_free_loops(&loops);

    struct depend *d = depend_new(&t, &one);
    depend_find_cycles(d, 1, &cycles);
    assert_int_equal(cycles.n, 1);
    assert_int_equal(cycles.cycles[0].n, 2);
    assert_int_equal(depend_n_edges(d), 2);
    assert_true(depends(d, &t, "S2", "S3", "S2") && depends(d, &t, "S3", "S2", "S3"));
    depend_free_cycles(&cycles);
    depend_free(d);
    flow.from = named(&t, "H4");
    flow.to = named(&t, "H2");
    assert_false(is_cyclic(&t, &one));
    topo_free(&t);
}

/* A static route to one host does not change the routes to another host of its switch, and has
 * priority over a route to its switch. */
static void
one_host_of_a_switch(void **state)
{
    struct topo t =
        built(topo_build_leaf_spine, (struct topo_build){ .leaves = 3, .spines = 2, .hosts = 2 });

    (void)state;
    assert_int_equal(n_loops(&t), 0);
    add_static(&t, "L1", "H3", "S2");
    assert_string_equal(way(&t, "L1", "H3"), "S2");
    assert_string_equal(way(&t, "L2", "H3"), "H3");
    assert_int_equal(t.groups[t.routes[t.nodes[named(&t, "H4")].leaf]].n, 2);
    add_static(&t, "L1", "L2", "S1");
    assert_string_equal(way(&t, "L1", "H3"), "S2");
    assert_string_equal(way(&t, "L1", "H4"), "S1");
    assert_int_equal(n_loops(&t), 0);
    for (uint32_t from = t.n_switches; from < t.n_nodes; from++) {
        for (uint32_t to = t.n_switches; to < t.n_nodes; to++) {
            assert_true(topo_is_connected(&t, from, to));
        }
    }
    t.links[link_named(&t, "L1", "S2")].failed = true; /* Routes to the host's switch remain. */
    topo_route(&t);
    assert_string_equal(way(&t, "L1", "H3"), "S1");
    t.links[link_named(&t, "L1", "S1")].failed = true;
    topo_route(&t);
    assert_string_equal(way(&t, "L1", "H3"), "");
    topo_free(&t);
}

/* A host has moved: its old switch forwards packets for it, but the other switches still send these
 * packets to the old switch. */
static void
a_switch_loses_its_own_host(void **state)
{
    struct topo t =
        built(topo_build_leaf_spine, (struct topo_build){ .leaves = 2, .spines = 1, .hosts = 2 });
    struct topo_loops loops;

    (void)state;
    add_static(&t, "L2", "H3", "S1");
    topo_find_loops(&t, &loops);
    assert_int_equal(loops.n, 1);
    assert_loop(&t, &loops.items[0], "H3", "L2 S1");
    topo_free_loops(&loops);
    assert_int_equal(shortest_cycle(&t, &all_pairs), 2);

    struct depend_flow flows[] = { { .from = named(&t, "H1"), .to = named(&t, "H4") },
                                   { .from = named(&t, "H4"), .to = named(&t, "H3") } };
    struct depend_traffic traffic = { .flows = flows, .n_classes = 1, .lossless = 1 };
    traffic.n_flows = 1;
    assert_false(is_cyclic(&t, &traffic));
    traffic.n_flows = 2; /* The second flow comes from a host at the same switch. */
    assert_true(is_cyclic(&t, &traffic));
    topo_free(&t);
}

/* Random networks with random static routes. */

static bool
has_static(const struct topo *t, uint32_t at, uint32_t to)
{
    bool has = false;

    for (size_t i = 0; i < t->n_statics; i++) {
        has |= t->statics[i].to == to && t->ports[t->statics[i].port].node == at;
    }
    return has;
}

/* Draws static routes to hosts and to switches with hosts, over live links and failed ones. */
static struct topo
draw_static(uint64_t seed)
{
    struct topo t = draw(seed, 2);
    uint64_t random = seed * 7919;

    for (uint64_t n = below(&random, 8); n; n--) {
        uint32_t port = (uint32_t)below(&random, t.n_ports), at = t.ports[port].node;
        uint32_t nic = t.n_switches + (uint32_t)below(&random, t.n_nics);
        uint32_t to = below(&random, 2) ? nic : topo_switch_of(&t, nic);
        if (at < t.n_switches && t.ports[t.ports[port].peer].node < t.n_switches && at != to &&
            !has_static(&t, at, to)) {
            topo_add_static(&t, to, port);
        }
    }
    topo_route(&t);
    return t;
}

static bool
is_offered(const struct topo *t, uint32_t at, uint32_t leaf, uint32_t next)
{
    uint32_t group = t->routes[(size_t)at * t->n_leaves + leaf];
    bool is = false;

    for (uint32_t i = 0; group != TOPO_NONE && i < t->groups[group].n; i++) {
        uint32_t port = t->nodes[at].first_port + t->choices[t->groups[group].first + i];
        is |= t->ports[t->ports[port].peer].node == next;
    }
    return is;
}

static void
compare_tables(const struct plain *p)
{
    const struct topo *t = p->t;

    for (uint32_t nic = p->n; nic < t->n_nodes; nic++) {
        for (uint32_t at = 0; at < p->n; at++) {
            uint32_t leaf = t->nodes[nic].leaf;
            bool is_end = at == topo_switch_of(t, nic) && plain_static(p, at, nic) == TOPO_NONE;
            bool has_port = t->leaf_nics[leaf] == nic;
            for (uint32_t next = 0; next < p->n; next++) {
                assert_int_equal(is_offered(t, at, leaf, next), plain_choice(p, at, next, nic));
            }
            assert_int_equal(is_offered(t, at, leaf, nic), is_end && has_port);
        }
    }
}

/* Fills in the switches that packets to a NIC visit twice. */
static void
find_loops_plainly(const struct plain *p, uint32_t nic, bool *is_looping)
{
    bool leads[MAX_SWITCHES][MAX_SWITCHES] = { { false } };

    for (uint32_t i = 0; i < p->n * p->n; i++) {
        leads[i / p->n][i % p->n] = plain_choice(p, i / p->n, i % p->n, nic);
    }
    for (uint32_t k = 0; k < p->n; k++) {
        for (uint32_t i = 0; i < p->n * p->n; i++) {
            leads[i / p->n][i % p->n] |= leads[i / p->n][k] && leads[k][i % p->n];
        }
    }
    for (uint32_t at = 0; at < p->n; at++) {
        bool is_reached = false;
        for (uint32_t from = p->n; from < p->t->n_nodes; from++) {
            uint32_t first = topo_switch_of(p->t, from);
            is_reached |= from != nic && plain_live(p, from) && plain_live(p, nic) &&
                          (first == at || leads[first][at]);
        }
        is_looping[at] = is_reached && leads[at][at];
    }
}

/* Every switch of a loop is in a reported loop, and no other switch is. */
static size_t
compare_loops(const struct plain *p)
{
    const struct topo *t = p->t;
    struct topo_loops loops;

    topo_find_loops(t, &loops);
    for (uint32_t nic = p->n; nic < t->n_nodes; nic++) {
        bool expected[MAX_SWITCHES], told[MAX_SWITCHES] = { false };
        find_loops_plainly(p, nic, expected);
        for (size_t i = 0; i < loops.n; i++) {
            const struct topo_loop *loop = &loops.items[i];
            for (uint32_t j = 0; loop->leaf == t->nodes[nic].leaf && j < loop->n; j++) {
                uint32_t next = loop->nodes[(j + 1) % loop->n];
                assert_true(plain_choice(p, loop->nodes[j], next, nic));
                told[loop->nodes[j]] |= plain_live(p, nic);
            }
        }
        assert_memory_equal(told, expected, p->n);
    }
    size_t n = loops.n;
    topo_free_loops(&loops);
    return n;
}

static void
all_pairs_with_static_routes(void **state)
{
    uint32_t n_cyclic = 0, n_looping = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= N_NETWORKS; seed++) {
        struct topo t = draw_static(seed);
        struct plain *p = plain_of(&t);
        add_all_pairs(p);
        struct depend *d = depend_new(&t, &all_pairs);
        compare_tables(p);
        compare_edges(p, d);
        compare_cycles(p, d);
        bool loops = compare_loops(p);
        assert_true(!loops || depend_is_cyclic(d));
        n_cyclic += depend_is_cyclic(d);
        n_looping += loops;
        depend_free(d);
        free(p);
        topo_free(&t);
    }
    assert_in_range(n_looping, N_NETWORKS / 20, n_cyclic);
    assert_in_range(n_cyclic, N_NETWORKS / 20, N_NETWORKS - N_NETWORKS / 20);
}

enum { MAX_FLOWS = 6 };

static void
flows_with_static_routes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= N_NETWORKS; seed++) {
        uint64_t random = seed * 977;
        struct topo t = draw_static(seed);
        struct plain *p = plain_of(&t);
        struct depend_flow flows[MAX_FLOWS];
        struct depend_traffic traffic = { .flows = flows, .n_classes = 1, .lossless = 1 };
        while (traffic.n_flows < MAX_FLOWS) {
            uint32_t from = p->n + (uint32_t)below(&random, t.n_nics);
            uint32_t to = p->n + (uint32_t)below(&random, t.n_nics);
            if (from != to) {
                flows[traffic.n_flows++] = (struct depend_flow){ .from = from, .to = to };
                add_pair(p, from, to);
            }
        }
        struct depend *d = depend_new(&t, &traffic);
        compare_edges(p, d);
        compare_cycles(p, d);
        depend_free(d);
        free(p);
        topo_free(&t);
    }
}

/* Classes by hops to go. */

/* The classes that a packet for a NIC can have at a switch, as bits: for each path from there, its
 * number of hops, or the highest class if there are more. */
static uint64_t
plain_classes(const struct plain *p, uint32_t at, uint32_t nic, uint32_t n_hops, uint32_t highest)
{
    uint64_t classes = 0;
    bool is_end = true;

    if (n_hops > highest) { /* Longer paths do not exist, or are endless. */
        return UINT64_C(1) << highest;
    }
    for (uint32_t next = 0; next < p->n; next++) {
        if (plain_choice(p, at, next, nic)) {
            classes |= plain_classes(p, next, nic, n_hops + 1, highest);
            is_end = false;
        }
    }
    return is_end ? UINT64_C(1) << n_hops : classes;
}

enum { MAX_CLASSES = 4 };

struct classed { /* [from][at][next]: bit c is set if packets that arrived in class c wait. */
    uint8_t edges[MAX_SWITCHES][MAX_SWITCHES][MAX_SWITCHES];
};

/* Adds the classes in which packets to a NIC wait, at the buffers that the last walk has visited.
 */
static void
add_classes(const struct plain *p, uint32_t nic, uint32_t highest, struct classed *c)
{
    for (uint32_t i = 0; i < p->n * p->n * p->n; i++) {
        uint32_t from = i / (p->n * p->n), at = i / p->n % p->n, next = i % p->n;
        if (p->seen[from][at] && plain_choice(p, at, next, nic)) {
            uint64_t there = plain_classes(p, next, nic, 0, highest);
            uint64_t here = there << 1 | (there & UINT64_C(1) << highest);
            c->edges[from][at][next] |= (uint8_t)(here & ((UINT64_C(2) << highest) - 1));
        }
    }
}

static void
compare_classes(struct plain *p, uint32_t n_classes)
{
    struct depend_traffic traffic = {
        .all_pairs = true, .lossless = ~0u, .n_classes = n_classes, .hop_classes = true
    };
    struct depend *d = depend_new(p->t, &traffic);
    struct classed c = { 0 };

    for (uint32_t from = p->n; from < p->t->n_nodes; from++) {
        for (uint32_t to = p->n; to < p->t->n_nodes; to++) {
            add_pair(p, from, to);
            add_classes(p, to, n_classes - 1, &c);
        }
    }
    for (uint32_t i = 0; i < p->n * p->n * p->n * n_classes; i++) {
        uint32_t from = i / n_classes / (p->n * p->n), at = i / n_classes / p->n % p->n;
        uint32_t next = i / n_classes % p->n, in = topo_port_to(p->t, at, from);
        uint32_t out = topo_port_to(p->t, at, next);
        uint8_t cls = (uint8_t)(i % n_classes);
        bool has = in != TOPO_NONE && out != TOPO_NONE &&
                   (depend_has_edge(d, in, out, cls, cls) ||
                    (cls && depend_has_edge(d, in, out, cls, (uint8_t)(cls - 1))));
        assert_int_equal(has, c.edges[from][at][next] >> cls & 1);
    }
    depend_free(d);
}

static void
classes_with_static_routes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= N_NETWORKS; seed++) {
        struct topo t = draw_static(seed);
        struct depend_traffic traffic = { .all_pairs = true, .lossless = ~0u, .hop_classes = true };
        bool before = is_cyclic(&t, &all_pairs);
        for (traffic.n_classes = 1; traffic.n_classes <= 64; traffic.n_classes++) {
            bool now = is_cyclic(&t, &traffic);
            assert_true(traffic.n_classes == 1 ? now == before : before || !now);
            before = now;
        }
        assert_int_equal(before,
                         n_loops(&t) > 0); /* A packet in a loop stays in the highest class. */
        struct plain *p = plain_of(&t);
        compare_classes(p, 1 + seed % MAX_CLASSES);
        free(p);
        topo_free(&t);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_is_a_cyclic_dependency),
        cmocka_unit_test(one_host_of_a_switch),
        cmocka_unit_test(a_switch_loses_its_own_host),
        cmocka_unit_test(all_pairs_with_static_routes),
        cmocka_unit_test(flows_with_static_routes),
        cmocka_unit_test(classes_with_static_routes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

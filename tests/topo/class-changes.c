/* Class tables on small random networks, compared with an explicit list of every route and every
 * turn. */

#include "topo/class-changes.h"
#include "plain.h"

enum { N_CLASSES = 3 };

/* Class tables: classes by hops, or random ones, in which a class may also stay. */

static void
fill_by_hops(const struct topo *t, uint8_t *table)
{
    for (uint32_t i = 0; i < t->n_ports * N_CLASSES; i++) {
        table[i] = (uint8_t)(i % N_CLASSES + 1u < N_CLASSES ? i % N_CLASSES + 1 : TOPO_NO_CLASS);
    }
}

static void
fill_by_chance(const struct topo *t, uint8_t *table, uint64_t seed)
{
    for (uint32_t i = 0; i < t->n_ports * N_CLASSES; i++) {
        uint64_t draw = below(&seed, 8);
        table[i] = (uint8_t)(draw < 3   ? i % N_CLASSES
                             : draw < 6 ? below(&seed, N_CLASSES)
                                        : TOPO_NO_CLASS);
    }
}

/* The reference. */

struct brute {
    const struct topo *t;
    const uint8_t *table;
    /* [port][class]: 1 if the search is still below it, 2 if the search is done with it. */
    uint8_t colour[1000];
};

static uint8_t
class_at(const struct brute *p, uint32_t in, uint32_t cls)
{
    return p->table[in * N_CLASSES + cls];
}

static bool
is_nic(const struct brute *p, uint32_t port)
{
    return p->t->nodes[p->t->ports[port].node].kind == TOPO_NIC;
}

/* Whether all further routes of the packets that arrive at a port have a class. */
static bool
routes_are_long(const struct brute *p, uint32_t in, uint8_t cls, uint32_t leaf)
{
    const struct topo *t = p->t;
    uint32_t at = t->ports[in].node, group = t->routes[t->nodes[at].index * t->n_leaves + leaf];
    bool are_long = true;

    if (at == t->leaves[leaf] || group == TOPO_NONE) {
        return true;
    }
    for (uint32_t i = 0; are_long && i < t->groups[group].n; i++) {
        uint32_t out = t->nodes[at].first_port + t->choices[t->groups[group].first + i];
        uint32_t next = t->ports[out].peer;
        uint8_t there = class_at(p, next, cls);
        are_long = there != TOPO_NO_CLASS && routes_are_long(p, next, there, leaf);
    }
    return are_long;
}

static bool
brute_is_short(const struct brute *p)
{
    const struct topo *t = p->t;
    bool is_short = false;

    for (uint32_t from = 0; from < t->n_ports; from++) {
        for (uint32_t to = 0; to < t->n_ports; to++) {
            uint32_t in = t->ports[from].peer;
            bool counts = is_nic(p, from) && is_nic(p, to) &&
                          !t->links[t->ports[from].link].failed &&
                          !t->links[t->ports[to].link].failed;
            uint8_t cls = class_at(p, in, 0);
            is_short |= counts && cls != TOPO_NO_CLASS &&
                        !routes_are_long(p, in, cls, t->nodes[t->ports[to].node].leaf);
        }
    }
    return is_short;
}

/* Whether a cycle can be closed by any turns at any switches. */
static bool
brute_closes(struct brute *p, uint32_t in, uint8_t cls)
{
    const struct topo_node *at = &p->t->nodes[p->t->ports[in].node];
    uint8_t *colour = &p->colour[in * N_CLASSES + cls];
    bool closes = *colour == 1;

    if (*colour) {
        return closes;
    }
    *colour = 1;
    for (uint32_t out = at->first_port; out < at->first_port + at->n_ports; out++) {
        uint32_t next = p->t->ports[out].peer;
        uint8_t there = class_at(p, next, cls);
        closes =
            closes || (!is_nic(p, next) && there != TOPO_NO_CLASS && brute_closes(p, next, there));
    }
    *colour = 2;
    return closes;
}

static bool
brute_can_cycle(struct brute *p)
{
    bool can = false;

    memset(p->colour, 0, sizeof p->colour);
    for (uint32_t port = 0; port < p->t->n_ports; port++) {
        uint32_t in = p->t->ports[port].peer;
        uint8_t cls = class_at(p, in, 0);
        can = can || (is_nic(p, port) && cls != TOPO_NO_CLASS && brute_closes(p, in, cls));
    }
    return can;
}

/* Checks that a reported path is valid: each node is linked to the next, and the class ends as
 * reported. */
static void
assert_is_way(const struct brute *p, const struct topo_path *w)
{
    uint8_t cls = 0;

    assert_true(w->n_good > 0 && w->n_good + 1 < w->n);
    for (size_t i = 0; i + 1 < w->n; i++) {
        for (size_t j = 0; j < i; j++) {
            assert_int_not_equal(w->nodes[i], w->nodes[j]);
        }
        uint32_t out = topo_port_to(p->t, w->nodes[i], w->nodes[i + 1]);
        assert_int_not_equal(out, TOPO_NONE);
        if (i < w->n_good) {
            assert_int_not_equal(cls, TOPO_NO_CLASS);
            cls = class_at(p, p->t->ports[out].peer, cls);
        }
    }
    assert_int_equal(cls, TOPO_NO_CLASS);
    assert_int_equal(p->t->nodes[w->nodes[0]].kind, TOPO_NIC);
    assert_int_equal(p->t->nodes[w->nodes[w->n - 1]].kind, TOPO_NIC);
}

static void
compare(const struct topo *t, const uint8_t *table, uint32_t *n_short, uint32_t *n_cyclic)
{
    struct brute p = { .t = t, .table = table };
    struct topo_class_changes m = { t, N_CLASSES, table, 1, NULL };
    struct topo_path way;

    assert_true(t->n_ports * N_CLASSES <= sizeof p.colour);
    bool is_short = topo_class_changes_find_short(&m, TOPO_NONE, TOPO_NONE, &way);
    assert_int_equal(is_short, brute_is_short(&p));
    if (is_short) {
        assert_is_way(&p, &way);
    }
    topo_path_free(&way);
    bool can_cycle = topo_class_changes_can_cycle(&m);
    assert_int_equal(can_cycle, brute_can_cycle(&p));
    *n_short += is_short;
    *n_cyclic += can_cycle;
}

static void
random_networks_agree_with_the_reference(void **state)
{
    uint32_t n_short = 0, n_cyclic = 0, n_hops_short = 0, n_hops_cyclic = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= N_NETWORKS; seed++) {
        struct topo t = draw(seed, 2);
        uint8_t *table = calloc(t.n_ports, N_CLASSES);
        fill_by_chance(&t, table, seed);
        compare(&t, table, &n_short, &n_cyclic);
        fill_by_hops(&t, table);
        compare(&t, table, &n_hops_short, &n_hops_cyclic);
        free(table);
        topo_free(&t);
    }
    printf("    random: %u short, %u cyclic; by hops: %u short\n", n_short, n_cyclic, n_hops_short);
    assert_true(n_short > N_NETWORKS / 10 && n_short < N_NETWORKS * 9 / 10);
    assert_true(n_cyclic > N_NETWORKS / 10 && n_cyclic < N_NETWORKS * 9 / 10);
    assert_true(n_hops_short > N_NETWORKS / 10 && n_hops_short < N_NETWORKS * 9 / 10);
    assert_int_equal(n_hops_cyclic, 0);
}

/* Packets in a loop cross more switches than three classes allow. They reach no host, so no path is
 * reported. */
static void
a_loop_is_no_way(void **state)
{
    struct topo t = { 0 };
    struct topo_build three = { .switches = 3, .link = { .rate_bps = 1000000000 } };
    struct err err;

    (void)state;
    topo_build_ring(&t, &three);
    assert_true(topo_finish(&t, &err));
    topo_add_static(&t, named(&t, "H3"), port_named(&t, "S1", "S2"));
    topo_add_static(&t, named(&t, "H3"), port_named(&t, "S2", "S1"));
    topo_route(&t);
    uint8_t *table = calloc(t.n_ports, N_CLASSES);
    struct topo_class_changes m = { &t, N_CLASSES, table, 1, NULL };
    struct topo_path way;
    fill_by_hops(&t, table);
    assert_false(topo_class_changes_find_short(&m, TOPO_NONE, TOPO_NONE, &way));
    topo_path_free(&way);
    assert_false(topo_class_changes_can_cycle(&m));
    free(table);
    topo_free(&t);
}

/* A pinned path over three switches runs out of three classes, because hosts use the first class. A
 * pinned path over two switches does not. */
static void
a_path_of_its_own_may_be_short(void **state)
{
    struct topo t = built(topo_build_ring, (struct topo_build){ .switches = 4 });
    uint8_t *table = calloc(t.n_ports, N_CLASSES);
    struct topo_class_changes m = { &t, N_CLASSES, table, 1, NULL };
    struct topo_path way;
    uint16_t path[3];

    (void)state;
    fill_by_hops(&t, table);
    path[0] = (uint16_t)t.ports[port_named(&t, "S1", "S2")].number;
    path[1] = (uint16_t)t.ports[port_named(&t, "S2", "S3")].number;
    path[2] = (uint16_t)t.ports[port_named(&t, "S3", "H3")].number;
    assert_true(topo_class_changes_is_short(&m, named(&t, "H1"), path, 3, &way));
    assert_int_equal(way.n, 5);
    assert_int_equal(way.nodes[way.n_good], named(&t, "S3"));
    assert_int_equal(way.nodes[4], named(&t, "H3"));
    topo_path_free(&way);
    path[1] = (uint16_t)t.ports[port_named(&t, "S2", "H2")].number;
    assert_false(topo_class_changes_is_short(&m, named(&t, "H1"), path, 2, &way));
    topo_path_free(&way);

    assert_true(topo_class_changes_find_short(&m, named(&t, "H1"), named(&t, "H3"), &way));
    assert_int_equal(way.nodes[0], named(&t, "H1"));
    topo_path_free(&way);
    assert_false(topo_class_changes_find_short(&m, named(&t, "H1"), named(&t, "H2"), &way));
    topo_path_free(&way);
    free(table);
    topo_free(&t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_networks_agree_with_the_reference),
        cmocka_unit_test(a_loop_is_no_way),
        cmocka_unit_test(a_path_of_its_own_may_be_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

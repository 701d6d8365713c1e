/* Small random networks, compared with a plain reference that lists every pair of hosts and every
 * path. */

#include "plain.h"

static void
all_pairs_as_written_out(void **state)
{
    uint32_t n_cyclic = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= N_NETWORKS; seed++) {
        struct topo t = draw(seed, 1);
        struct plain *p = plain_of(&t);
        add_all_pairs(p);
        struct depend *d = depend_new(&t, &all_pairs);
        compare_edges(p, d);
        compare_cycles(p, d);
        n_cyclic += depend_is_cyclic(d);
        depend_free(d);
        free(p);
        topo_free(&t);
    }
    /* Networks with and without cycles occur. */
    assert_in_range(n_cyclic, N_NETWORKS / 20, N_NETWORKS - N_NETWORKS / 20);
}

/* Some flows, half of which have their own paths. */

enum { MAX_FLOWS = 12, MAX_HOPS = 6 };

struct walks {
    struct depend_flow flows[MAX_FLOWS];
    uint16_t paths[MAX_FLOWS][MAX_HOPS + 1];
    uint32_t n;
};

/* Adds any walk over live links, which may return to a switch and may end anywhere. */
static void
add_walk(struct walks *w, struct plain *p, uint32_t nic, uint64_t *random)
{
    uint32_t at = p->t->leaves[p->t->nodes[nic].leaf], before = TOPO_NONE, n = 0;
    uint16_t *path = w->paths[w->n];
    uint32_t hosts[MAX_SWITCHES];

    for (uint32_t i = 0; i < MAX_SWITCHES; i++) {
        hosts[i] = TOPO_NONE;
    }
    for (uint32_t i = p->n; i < p->t->n_nodes; i++) {
        hosts[p->t->leaves[p->t->nodes[i].leaf]] = i;
    }
    uint32_t nodes[MAX_HOPS + 1];
    nodes[n++] = at;
    for (uint32_t tries = 0; tries < 40 && n < MAX_HOPS; tries++) {
        uint32_t next = (uint32_t)below(random, p->n);
        if (p->linked[at][next]) {
            nodes[n++] = at = next;
        }
    }
    while (n && hosts[nodes[n - 1]] == TOPO_NONE) {
        n--;
    }
    uint32_t to = hosts[nodes[n - 1]];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t next = i + 1 < n ? nodes[i + 1] : to;
        path[i] = (uint16_t)p->t->ports[topo_port_to(p->t, nodes[i], next)].number;
    }
    w->flows[w->n++] = (struct depend_flow){ nic, to, 0, path, n, false, 0 };
    bool is_live = !p->t->links[p->t->ports[p->t->nodes[nic].first_port].link].failed &&
                   !p->t->links[p->t->ports[p->t->nodes[to].first_port].link].failed;
    for (uint32_t i = 1; i < n && is_live; i++) {
        if (before != TOPO_NONE) {
            p->edge[buffer(before, nodes[i - 1])][buffer(nodes[i - 1], nodes[i])] = true;
        }
        before = nodes[i - 1];
    }
}

static void
flows_as_written_out(void **state)
{
    uint32_t n_cyclic = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= N_NETWORKS; seed++) {
        uint64_t random = seed * 977;
        struct topo t = draw(seed, 1);
        struct plain *p = plain_of(&t);
        struct walks w = { .n = 0 };
        uint32_t n = 1 + (uint32_t)below(&random, MAX_FLOWS);
        while (w.n < n) {
            uint32_t from = p->n + (uint32_t)below(&random, t.n_nics);
            uint32_t to = p->n + (uint32_t)below(&random, t.n_nics);
            if (below(&random, 2)) {
                add_walk(&w, p, from, &random);
            } else {
                add_pair(p, from, to);
                w.flows[w.n++] = (struct depend_flow){ .from = from, .to = to };
            }
        }
        struct depend_traffic traffic = {
            .flows = w.flows, .n_flows = w.n, .n_classes = 1, .lossless = 1
        };
        struct depend *d = depend_new(&t, &traffic);
        compare_edges(p, d);
        compare_cycles(p, d);
        n_cyclic += depend_is_cyclic(d);
        depend_free(d);
        free(p);
        topo_free(&t);
    }
    assert_in_range(n_cyclic, N_NETWORKS / 20, N_NETWORKS - N_NETWORKS / 20);
}

/* Up-down routes. */

/* Fills in the order that a plain search from the root gives. */
static void
rank_plainly(const struct plain *p, uint32_t root, uint32_t *rank)
{
    uint32_t queue[MAX_SWITCHES], n = 0;

    for (uint32_t i = 0; i < p->n; i++) {
        rank[i] = TOPO_NONE;
    }
    rank[root] = 0;
    queue[n++] = root;
    for (uint32_t head = 0; head < n; head++) {
        const struct topo_node *at = &p->t->nodes[queue[head]];
        for (uint32_t port = at->first_port; port < at->first_port + at->n_ports; port++) {
            uint32_t next = p->t->ports[p->t->ports[port].peer].node;
            if (next < p->n && p->linked[queue[head]][next] && rank[next] == TOPO_NONE) {
                rank[next] = n;
                queue[n++] = next;
            }
        }
    }
}

/* Every path of the tables leads to the leaf, and never goes up after it went down. */
static void
follow(const struct plain *p, const uint32_t *rank, uint32_t at, uint32_t leaf, bool is_down,
       uint32_t n_hops)
{
    uint32_t group = p->t->routes[(size_t)at * p->t->n_leaves + leaf];

    assert_true(n_hops < 2 * MAX_SWITCHES);
    if (at == p->t->leaves[leaf]) {
        return;
    }
    assert_int_not_equal(group, TOPO_NONE);
    for (uint32_t i = 0; i < p->t->groups[group].n; i++) {
        uint16_t choice = p->t->choices[p->t->groups[group].first + i];
        uint32_t out = p->t->nodes[at].first_port + choice;
        uint32_t next = p->t->ports[p->t->ports[out].peer].node;
        assert_true(p->linked[at][next]);
        bool goes_down = rank[next] > rank[at];
        assert_true(goes_down || !is_down);
        follow(p, rank, next, leaf, goes_down, n_hops + 1);
    }
}

static void
up_and_then_down(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= N_NETWORKS; seed++) {
        struct topo t = draw(seed, 1);
        struct plain *p = plain_of(&t);
        uint32_t root = (uint32_t)(seed % p->n), rank[MAX_SWITCHES];
        topo_add_root(&t, root);
        topo_route(&t);
        assert_false(is_cyclic(&t, &all_pairs));
        rank_plainly(p, root, rank);
        for (uint32_t at = 0; at < p->n; at++) {
            for (uint32_t leaf = 0; leaf < t.n_leaves; leaf++) {
                bool is_linked = p->distance[at][t.leaves[leaf]] < 1000;
                if (is_linked && rank[at] != TOPO_NONE) {
                    follow(p, rank, at, leaf, false, 0);
                } else if (at != t.leaves[leaf] && !is_linked) {
                    assert_int_equal(t.routes[(size_t)at * t.n_leaves + leaf], TOPO_NONE);
                }
            }
        }
        free(p);
        topo_free(&t);
    }
}

/* Several roots may leave pairs of hosts without a path, but never close a cycle. */
static void
several_roots(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= N_NETWORKS; seed++) {
        struct topo t = draw(seed, 1);
        topo_add_root(&t, 0);
        topo_add_root(&t, t.n_switches - 1);
        topo_add_root(&t, 1);
        assert_false(is_cyclic(&t, &all_pairs));
        topo_free(&t);
    }
}

/* One class is like no classes, a class for every distance prevents every cycle, and more classes
 * never close a cycle. */
static void
classes_by_hops(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= N_NETWORKS; seed++) {
        struct topo t = draw(seed, 1);
        struct depend_traffic traffic = { .all_pairs = true,
                                          .lossless = 0xff,
                                          .hop_classes = true };
        bool before = is_cyclic(&t, &all_pairs);
        for (traffic.n_classes = 1; traffic.n_classes <= MAX_SWITCHES; traffic.n_classes++) {
            bool now = is_cyclic(&t, &traffic);
            assert_true(traffic.n_classes == 1 ? now == before : before || !now);
            before = now;
        }
        assert_false(before);
        topo_free(&t);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs_as_written_out), cmocka_unit_test(flows_as_written_out),
        cmocka_unit_test(up_and_then_down),         cmocka_unit_test(several_roots),
        cmocka_unit_test(classes_by_hops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Small random networks against a plain reference: every pair of hosts, every path, written out. */

#include <stdio.h>

#include "net.h"

enum { MAX_SWITCHES = 8, MAX_BUFFERS = MAX_SWITCHES * MAX_SWITCHES, N_NETWORKS = 4000 };

static uint64_t
below(uint64_t *random, uint64_t n)
{
    return weir_random(random) % n;
}

/* A network without regard for shape: it may be cut, and hosts may be anywhere. */
static struct topo
draw(uint64_t seed)
{
    struct topo t = { 0 };
    struct topo_link like = { .rate_bps = 1000000000, .delay_ps = 1000 };
    uint32_t n = 3 + (uint32_t)below(&seed, MAX_SWITCHES - 2),
             density = 2 + (uint32_t)below(&seed, 6);
    char name[8];

    for (uint32_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "S%u", i);
        topo_add_node(&t, TOPO_SWITCH, name);
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = i + 1; j < n; j++) {
            if (below(&seed, 8) < density) {
                like.failed = !below(&seed, 8);
                topo_add_link(&t, i, j, &like);
            }
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        if (i < 2 || below(&seed, 2)) {
            snprintf(name, sizeof name, "H%u", i);
            like.failed = !below(&seed, 10);
            topo_add_link(&t, topo_add_node(&t, TOPO_NIC, name), i, &like);
        }
    }
    finish(&t);
    return t;
}

/* The reference.  A buffer is (from, at). */

struct plain {
    const struct topo *t;
    uint32_t n;
    bool linked[MAX_SWITCHES][MAX_SWITCHES];
    uint32_t distance[MAX_SWITCHES][MAX_SWITCHES];
    bool edge[MAX_BUFFERS][MAX_BUFFERS];
};

static uint32_t
buffer(uint32_t from, uint32_t at)
{
    return from * MAX_SWITCHES + at;
}

static void
measure(struct plain *p)
{
    for (uint32_t i = 0; i < p->t->n_links; i++) {
        const struct topo_link *l = &p->t->links[i];
        if (!l->failed && l->node[0] < p->n && l->node[1] < p->n) {
            p->linked[l->node[0]][l->node[1]] = p->linked[l->node[1]][l->node[0]] = true;
        }
    }
    for (uint32_t i = 0; i < p->n; i++) {
        for (uint32_t j = 0; j < p->n; j++) {
            p->distance[i][j] = i == j ? 0 : p->linked[i][j] ? 1 : 1000;
        }
    }
    for (uint32_t k = 0; k < p->n; k++) {
        for (uint32_t i = 0; i < p->n; i++) {
            for (uint32_t j = 0; j < p->n; j++) {
                uint32_t by_k = p->distance[i][k] + p->distance[k][j];
                p->distance[i][j] = by_k < p->distance[i][j] ? by_k : p->distance[i][j];
            }
        }
    }
}

static void
walk(struct plain *p, uint32_t before, uint32_t from, uint32_t at, uint32_t to)
{
    if (before != TOPO_NONE) {
        p->edge[buffer(before, from)][buffer(from, at)] = true;
    }
    for (uint32_t next = 0; next < p->n && at != to; next++) {
        if (p->linked[at][next] && p->distance[next][to] + 1 == p->distance[at][to]) {
            walk(p, from, at, next, to);
        }
    }
}

static void
add_pair(struct plain *p, uint32_t from_nic, uint32_t to_nic)
{
    uint32_t from = p->t->leaves[p->t->nodes[from_nic].leaf];
    uint32_t to = p->t->leaves[p->t->nodes[to_nic].leaf];

    if (p->t->links[p->t->ports[p->t->nodes[from_nic].first_port].link].failed ||
        p->t->links[p->t->ports[p->t->nodes[to_nic].first_port].link].failed) {
        return;
    }
    for (uint32_t next = 0; next < p->n && from != to && p->distance[from][to] < 1000; next++) {
        if (p->linked[from][next] && p->distance[next][to] + 1 == p->distance[from][to]) {
            walk(p, TOPO_NONE, from, next, to);
        }
    }
}

static struct plain *
plain_of(const struct topo *t)
{
    struct plain *p = calloc(1, sizeof *p);

    p->t = t;
    p->n = t->n_switches;
    measure(p);
    return p;
}

/* 0: there is none. */
static uint32_t
plain_shortest_cycle(const struct plain *p)
{
    static uint32_t far[MAX_BUFFERS][MAX_BUFFERS];
    uint32_t least = 1000;

    for (uint32_t i = 0; i < MAX_BUFFERS; i++) {
        for (uint32_t j = 0; j < MAX_BUFFERS; j++) {
            far[i][j] = p->edge[i][j] ? 1 : 1000;
        }
    }
    for (uint32_t k = 0; k < MAX_BUFFERS; k++) {
        for (uint32_t i = 0; i < MAX_BUFFERS; i++) {
            for (uint32_t j = 0; far[i][k] < 1000 && j < MAX_BUFFERS; j++) {
                uint32_t by_k = far[i][k] + far[k][j];
                far[i][j] = by_k < far[i][j] ? by_k : far[i][j];
            }
        }
    }
    for (uint32_t i = 0; i < MAX_BUFFERS; i++) {
        least = far[i][i] < least ? far[i][i] : least;
    }
    return least == 1000 ? 0 : least;
}

/* Comparing. */

static void
compare_edges(const struct plain *p, const struct depend *d)
{
    size_t n = 0;

    for (uint32_t a = 0; a < p->n; a++) {
        for (uint32_t b = 0; b < p->n; b++) {
            for (uint32_t c = 0; c < p->n; c++) {
                if (!p->linked[a][b] || !p->linked[b][c]) {
                    continue;
                }
                bool expected = p->edge[buffer(a, b)][buffer(b, c)];
                assert_int_equal(
                    depend_has_edge(d, topo_port_to(p->t, b, a), topo_port_to(p->t, b, c), 0),
                    expected);
                n += expected;
            }
        }
    }
    assert_int_equal(depend_n_edges(d), n);
}

/* The example leads from host to host, by links that are there, over the edge. */
static void
check_route(const struct topo *t, const struct depend_edge *e)
{
    uint32_t at = t->ports[e->in].node, a = t->ports[t->ports[e->in].peer].node;
    uint32_t c = t->ports[t->ports[e->out].peer].node;
    bool has_edge = false;

    assert_true(e->n_route >= 5);
    assert_int_equal(t->nodes[e->route[0]].kind, TOPO_NIC);
    assert_int_equal(t->nodes[e->route[e->n_route - 1]].kind, TOPO_NIC);
    for (uint32_t i = 1; i < e->n_route; i++) {
        uint32_t port = topo_port_to(t, e->route[i - 1], e->route[i]);
        assert_true(port != TOPO_NONE && !t->links[t->ports[port].link].failed);
        has_edge |= i > 1 && e->route[i - 2] == a && e->route[i - 1] == at && e->route[i] == c;
    }
    assert_true(has_edge);
}

static void
compare_cycles(const struct plain *p, struct depend *d)
{
    struct depend_cycles cycles;
    uint32_t expected = plain_shortest_cycle(p);

    depend_find_cycles(d, 100, &cycles);
    assert_int_equal(depend_is_cyclic(d), expected != 0);
    assert_int_equal(cycles.n, cycles.n_knots);
    assert_int_equal(cycles.n ? cycles.cycles[0].n : 0, expected);
    for (size_t i = 0; i < cycles.n; i++) {
        const struct depend_cycle *c = &cycles.cycles[i];
        for (uint32_t j = 0; j < c->n; j++) {
            const struct depend_edge *e = &c->edges[j], *next = &c->edges[(j + 1) % c->n];
            assert_int_equal(p->t->ports[e->out].peer, next->in);
            assert_true(depend_has_edge(d, e->in, e->out, 0));
            check_route(p->t, e);
        }
    }
    depend_free_cycles(&cycles);
}

static void
all_pairs_as_written_out(void **state)
{
    uint32_t n_cyclic = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= N_NETWORKS; seed++) {
        struct topo t = draw(seed);
        struct plain *p = plain_of(&t);
        for (uint32_t i = p->n; i < t.n_nodes; i++) {
            for (uint32_t j = p->n; j < t.n_nodes; j++) {
                add_pair(p, i, j);
            }
        }
        struct depend *d = depend_new(&t, &all_pairs);
        compare_edges(p, d);
        compare_cycles(p, d);
        n_cyclic += depend_is_cyclic(d);
        depend_free(d);
        free(p);
        topo_free(&t);
    }
    assert_in_range(n_cyclic, N_NETWORKS / 20, N_NETWORKS - N_NETWORKS / 20); /* Both are tried. */
}

/* Some flows, half of them on walks of their own. */

enum { MAX_FLOWS = 12, MAX_HOPS = 6 };

struct walks {
    struct depend_flow flows[MAX_FLOWS];
    uint16_t paths[MAX_FLOWS][MAX_HOPS + 1];
    uint32_t n;
};

/* Any walk over live links, even one that comes back; it ends where it ends. */
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
    w->flows[w->n++] = (struct depend_flow){ nic, to, 0, path, n };
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
        struct topo t = draw(seed);
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

/* Up and down. */

/* The order that a plain search from the root gives. */
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

/* Every way that the tables offer leads to the leaf, and never up after down. */
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
        struct topo t = draw(seed);
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

/* Several roots may cut, but never close a cycle. */
static void
several_roots(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= N_NETWORKS; seed++) {
        struct topo t = draw(seed);
        topo_add_root(&t, 0);
        topo_add_root(&t, t.n_switches - 1);
        topo_add_root(&t, 1);
        assert_false(is_cyclic(&t, &all_pairs));
        topo_free(&t);
    }
}

/* One class is as none; with a class for every distance there is no cycle; more classes never close
 * one. */
static void
classes_by_hops(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= N_NETWORKS; seed++) {
        struct topo t = draw(seed);
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

/* Small random networks, and a plain reference for them: an explicit list of every pair of hosts
 * and every hop. */

#ifndef TESTS_TOPO_PLAIN_H
#define TESTS_TOPO_PLAIN_H

#include <stdio.h>

#include "../chance.h"
#include "net.h"

enum { MAX_SWITCHES = 8, MAX_BUFFERS = MAX_SWITCHES * MAX_SWITCHES, N_NETWORKS = 4000 };

/* Draws a network of any shape. It may be disconnected, and each switch has up to 'max_hosts'
 * hosts. With 'multi' some hosts have further links, to the same switch or to others. */
static inline struct topo
draw_hosts(uint64_t seed, uint32_t max_hosts, bool multi)
{
    struct topo t = { 0 };
    struct topo_link like = { .rate_bps = 1000000000, .delay_ps = 1000 };
    uint32_t n = 3 + (uint32_t)below(&seed, MAX_SWITCHES - 2),
             density = 2 + (uint32_t)below(&seed, 6);
    char name[12];

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
    for (uint32_t i = 0; i < n * max_hosts; i++) {
        if (i < 2 || below(&seed, 2)) {
            snprintf(name, sizeof name, "H%u", i);
            like.failed = !below(&seed, 10);
            uint32_t nic = topo_add_node(&t, TOPO_NIC, name);
            topo_add_link(&t, nic, i % n, &like);
            while (multi && !below(&seed, 4)) {
                like.failed = !below(&seed, 6);
                topo_add_link(&t, nic, (uint32_t)below(&seed, n), &like);
            }
        }
    }
    finish(&t);
    return t;
}

static inline struct topo
draw(uint64_t seed, uint32_t max_hosts)
{
    return draw_hosts(seed, max_hosts, false);
}

/* Links between switches, and links of hosts that have another one. */
static inline bool
may_fail(const struct topo *t, uint32_t link)
{
    const struct topo_link *l = &t->links[link];
    const struct topo_node *nic = &t->nodes[l->node[t->nodes[l->node[0]].kind == TOPO_NIC ? 0 : 1]];
    uint32_t n_live = 0;

    for (uint32_t p = nic->first_port; p < nic->first_port + nic->n_ports; p++) {
        n_live += topo_is_live(t, p);
    }
    return !l->failed && (topo_joins_switches(t, l) || n_live > 1);
}

/* The reference.  A buffer is identified by (from, at). */

struct plain {
    const struct topo *t;
    uint32_t n;
    bool linked[MAX_SWITCHES][MAX_SWITCHES];
    uint32_t distance[MAX_SWITCHES][MAX_SWITCHES];
    bool seen[MAX_SWITCHES][MAX_SWITCHES]; /* The buffers that one walk has visited. */
    bool edge[MAX_BUFFERS][MAX_BUFFERS];
};

static inline uint32_t
buffer(uint32_t from, uint32_t at)
{
    return from * MAX_SWITCHES + at;
}

static inline void
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

/* The next switch by a live static route; TOPO_NONE without such a route. */
static inline uint32_t
plain_static(const struct plain *p, uint32_t at, uint32_t nic)
{
    const struct topo *t = p->t;
    uint32_t next = TOPO_NONE;
    bool is_to_nic = false;

    for (size_t i = 0; i < t->n_statics; i++) {
        const struct topo_port *port = &t->ports[t->statics[i].port];
        uint32_t to = t->statics[i].to;
        if (port->node == at && !t->links[port->link].failed &&
            (to == nic || (to == topo_switch_of(t, nic) && !is_to_nic))) {
            next = t->ports[port->peer].node;
            is_to_nic = to == nic;
        }
    }
    return next;
}

/* The number of links from a switch to the nearest switch to which a NIC has a live link. */
static inline uint32_t
plain_far(const struct plain *p, uint32_t at, uint32_t nic)
{
    const struct topo_node *n = &p->t->nodes[nic];
    uint32_t least = 1000;

    for (uint32_t port = n->first_port; port < n->first_port + n->n_ports; port++) {
        uint32_t far = p->distance[at][topo_beyond(p->t, port)];
        bool counts = n->n_ports == 1 || topo_is_live(p->t, port);
        least = counts && far < least ? far : least;
    }
    return least;
}

/* Whether packets to a NIC may go from one switch to another. */
static inline bool
plain_choice(const struct plain *p, uint32_t at, uint32_t next, uint32_t nic)
{
    uint32_t set = plain_static(p, at, nic), far = plain_far(p, at, nic);

    return set != TOPO_NONE
               ? set == next
               : p->linked[at][next] && far < 1000 && plain_far(p, next, nic) + 1 == far;
}

/* The ports through which a NIC sends to another, as bits. */
static inline uint32_t
plain_ports(const struct plain *p, uint32_t from, uint32_t to)
{
    const struct topo_node *n = &p->t->nodes[from];
    uint32_t ports = 0, least = 1000;

    for (uint32_t i = 0; i < n->n_ports; i++) {
        uint32_t port = n->first_port + i, far = plain_far(p, topo_beyond(p->t, port), to);
        if (topo_is_live(p->t, port) && far <= least && far < 1000) {
            ports = (far < least ? 0 : ports) | 1u << i;
            least = far;
        }
    }
    return ports;
}

static inline void
walk(struct plain *p, uint32_t from, uint32_t at, uint32_t nic)
{
    if (p->seen[from][at]) {
        return;
    }
    p->seen[from][at] = true;
    for (uint32_t next = 0; next < p->n; next++) {
        if (plain_choice(p, at, next, nic)) {
            p->edge[buffer(from, at)][buffer(at, next)] = true;
            walk(p, at, next, nic);
        }
    }
}

static inline bool
plain_live(const struct plain *p, uint32_t nic)
{
    return topo_nic_is_live(p->t, nic);
}

static inline void
add_pair(struct plain *p, uint32_t from_nic, uint32_t to_nic)
{
    const struct topo_node *n = &p->t->nodes[from_nic];
    uint32_t ports = n->n_ports == 1 ? 1 : plain_ports(p, from_nic, to_nic);

    memset(p->seen, 0, sizeof p->seen);
    if (from_nic == to_nic || !plain_live(p, from_nic) || !plain_live(p, to_nic)) {
        return;
    }
    for (; ports; ports &= ports - 1) {
        uint32_t from = topo_beyond(p->t, n->first_port + (uint32_t)__builtin_ctz(ports));
        for (uint32_t next = 0; next < p->n; next++) {
            if (plain_choice(p, from, next, to_nic)) {
                walk(p, from, next, to_nic);
            }
        }
    }
}

static inline void
add_all_pairs(struct plain *p)
{
    for (uint32_t i = p->n; i < p->t->n_nodes; i++) {
        for (uint32_t j = p->n; j < p->t->n_nodes; j++) {
            add_pair(p, i, j);
        }
    }
}

static inline struct plain *
plain_of(const struct topo *t)
{
    struct plain *p = calloc(1, sizeof *p);

    p->t = t;
    p->n = t->n_switches;
    measure(p);
    return p;
}

/* The length of the shortest cycle; 0 if there is none. */
static inline uint32_t
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

/* Comparisons with the reference. */

static inline void
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
                    depend_has_edge(d, topo_port_to(p->t, b, a), topo_port_to(p->t, b, c), 0, 0),
                    expected);
                n += expected;
            }
        }
    }
    assert_int_equal(depend_n_edges(d), n);
}

static inline bool
has_live_link(const struct topo *t, uint32_t a, uint32_t b)
{
    const struct topo_node *n = &t->nodes[a];
    bool has = false;

    for (uint32_t p = n->first_port; p < n->first_port + n->n_ports; p++) {
        has |= topo_beyond(t, p) == b && topo_is_live(t, p);
    }
    return has;
}

/* Checks that an example leads from host to host, or in a loop, over live links and across the edge
 * of the graph. */
static inline void
check_route(const struct topo *t, const struct depend_edge *e)
{
    uint32_t at = t->ports[e->in].node, a = t->ports[t->ports[e->in].peer].node;
    uint32_t c = t->ports[t->ports[e->out].peer].node;
    bool has_edge = false;

    assert_true(e->n_route >= 4);
    assert_int_equal(t->nodes[e->route[0]].kind, TOPO_NIC);
    bool ends = t->nodes[e->route[e->n_route - 1]].kind == TOPO_NIC;
    for (uint32_t i = 1; i < e->n_route; i++) {
        ends |= i + 1 < e->n_route && e->route[i] == e->route[e->n_route - 1];
        assert_true(has_live_link(t, e->route[i - 1], e->route[i]));
        has_edge |= i > 1 && e->route[i - 2] == a && e->route[i - 1] == at && e->route[i] == c;
    }
    assert_true(has_edge && ends);
}

static inline void
compare_cycles(const struct plain *p, struct depend *d)
{
    struct depend_cycles cycles;
    uint32_t expected = plain_shortest_cycle(p);

    depend_find_cycles(d, 100, &cycles);
    assert_int_equal(depend_is_cyclic(d), expected != 0);
    assert_int_equal(cycles.n, cycles.n_components);
    assert_int_equal(cycles.n ? cycles.cycles[0].n : 0, expected);
    for (size_t i = 0; i < cycles.n; i++) {
        const struct depend_cycle *c = &cycles.cycles[i];
        for (uint32_t j = 0; j < c->n; j++) {
            const struct depend_edge *e = &c->edges[j], *next = &c->edges[(j + 1) % c->n];
            assert_int_equal(p->t->ports[e->out].peer, next->in);
            assert_true(depend_has_edge(d, e->in, e->out, 0, 0));
            check_route(p->t, e);
        }
    }
    depend_free_cycles(&cycles);
}

#endif

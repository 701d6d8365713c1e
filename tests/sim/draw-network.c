/* Random networks: topologies, links, and parts for threads. */

#include "draw-parts.h"

#include <stdio.h>

#include "../chance.h"

static const uint64_t rates_bps[] = { 1000000000,  10000000000,  25000000000,
                                      40000000000, 100000000000, 33333333333 };
static const weir_ps delays_ps[] = { 0, 5000, 300000, 1000000, 1020000, 5000000 };

/* Each random choice is a statement of its own, because the order in which a compiler fills in a
 * struct must not change the scenario of a seed. */
static struct topo_link
draw_link(struct draw *d)
{
    struct topo_link link = { .rate_bps = ONE_OF(&d->chance, rates_bps) };
    link.delay_ps = ONE_OF(&d->chance, delays_ps);
    return link;
}

static void
draw_ring(struct draw *d)
{
    struct topo_build b = { .switches = (d->is_trap ? 5 : 3) + below(&d->chance, 3) };
    b.link = draw_link(d);
    topo_build_ring(&d->topo, &b);
}

static void
draw_incast(struct draw *d)
{
    struct topo_build b = { .hosts = 2 + below(&d->chance, 6) };
    b.link = draw_link(d);
    topo_build_incast(&d->topo, &b);
}

static void
draw_dumbbell(struct draw *d)
{
    struct topo_build b = { .hosts = 1 + below(&d->chance, 4) };
    b.link = draw_link(d);
    topo_build_dumbbell(&d->topo, &b);
}

static void
draw_fat_tree(struct draw *d)
{
    struct topo_build b = { .k = 4, .link = draw_link(d) };
    topo_build_fat_tree(&d->topo, &b);
}

static uint32_t
add_node(struct draw *d, enum topo_kind kind)
{
    char name[TOPO_NAME_BYTES];
    snprintf(name, sizeof name, "%c%zu", kind == TOPO_NIC ? 'H' : 'S', d->topo.n_nodes);
    return topo_add_node(&d->topo, kind, name);
}

/* Adds further links of a host, to the same switch or to any other. */
static void
add_homes(struct draw *d, uint32_t host, uint32_t n_switches)
{
    while (one_in(&d->chance, 2) && d->topo.nodes[host].n_ports < 4) {
        struct topo_link link = draw_link(d);
        topo_add_link(&d->topo, host, (uint32_t)below(&d->chance, n_switches), &link);
    }
}

/* Draws a tree of switches with some more links, and one to three hosts at each switch. Every link
 * has its own rate and delay. */
static void
draw_switches_and_hosts(struct draw *d, bool has_homes)
{
    uint32_t n = 2 + (uint32_t)below(&d->chance, 7), n_more = (uint32_t)below(&d->chance, n);

    for (uint32_t i = 0; i < n; i++) {
        struct topo_link link = draw_link(d);
        add_node(d, TOPO_SWITCH);
        if (i) {
            topo_add_link(&d->topo, i, (uint32_t)below(&d->chance, i), &link);
        }
    }
    for (uint32_t i = 0; i < n_more; i++) {
        struct topo_link link = draw_link(d);
        uint32_t a = (uint32_t)below(&d->chance, n);
        topo_add_link(&d->topo, a, (a + 1 + (uint32_t)below(&d->chance, n - 1)) % n, &link);
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint64_t hosts = 1 + below(&d->chance, 3); hosts; hosts--) {
            struct topo_link link = draw_link(d);
            uint32_t host = add_node(d, TOPO_NIC);
            topo_add_link(&d->topo, host, i, &link);
            if (has_homes) {
                add_homes(d, host, n);
            }
        }
    }
}

static void
draw_graph(struct draw *d)
{
    draw_switches_and_hosts(d, false);
}

/* Draws hosts with several ports, and parallel links. */
static void
draw_homes(struct draw *d)
{
    draw_switches_and_hosts(d, true);
    if (one_in(&d->chance, 2)) {
        topo_make_parallel(&d->topo, 2);
    }
}

static const struct {
    const char *name;
    void (*build)(struct draw *);
    bool is_loop_free;
} networks[] = {
    { "ring", draw_ring, false }, /* The first, because traps are rings. */
    { "incast", draw_incast, true },     { "dumbbell", draw_dumbbell, true },
    { "fat-tree", draw_fat_tree, true }, { "graph", draw_graph, false },
    { "homes", draw_homes, false },
};

/* Parts are random, too, because the assignment of nodes to threads must not change results. */
void
draw_network(struct draw *d)
{
    size_t kind = d->is_trap ? 0 : below(&d->chance, N_OF(networks));
    struct err err;

    d->network = networks[kind].name;
    d->is_loop_free = networks[kind].is_loop_free;
    networks[kind].build(d);
    for (size_t i = 0; i < d->topo.n_nodes; i++) {
        d->topo.nodes[i].part = (uint32_t)below(&d->chance, 4);
    }
    d->is_lossy = one_in(&d->chance, 6);
    for (size_t i = 0; d->is_lossy && i < d->topo.n_links; i++) {
        d->topo.links[i].loss = one_in(&d->chance, 2) ? below(&d->chance, WEIR_RATIO_1 / 20) : 0;
    }
    if (networks[kind].build == draw_fat_tree &&
        /* No single failed link cuts a fat tree. */
        one_in(&d->chance, 2)) {
        d->topo.links[d->topo.n_nics + below(&d->chance, d->topo.n_links - d->topo.n_nics)].failed =
            true;
    }
    if (!topo_finish(&d->topo, &err)) {
        fprintf(stderr, "%s\n", err.text);
    }
    topo_route(&d->topo);
}

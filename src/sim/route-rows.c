/* Rows of routes: a row has the route of a switch to every leaf.
 *
 * Switches with equal routes share one row.  In a tree most switches have equal routes, for example
 * all switches above the same leaves.  So the rows that packets look up stay in the cache, and a
 * table of switches times leaves shrinks to a few rows.  This works for any network: rows are
 * compared, and if no two are equal, each switch has its own row. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/routing.h"

/* A hash table of the items seen so far. */
struct seen {
    uint32_t *items; /* SIM_NONE: the entry is free. */
    size_t mask;
};

static struct seen
seen_new(size_t max)
{
    struct seen s = { .mask = 15 };

    while (s.mask < 2 * max) {
        s.mask = 2 * s.mask + 1;
    }
    s.items = array_new(s.mask + 1, sizeof *s.items);
    memset(s.items, 0xff, (s.mask + 1) * sizeof *s.items);
    return s;
}

/* Hashes two bytes at a time: both choices and routes have an even number of bytes. */
static uint64_t
hash_bytes(const void *bytes, size_t n)
{
    uint64_t hash = n;

    for (size_t i = 0; i < n; i += sizeof(uint16_t)) {
        uint16_t two;
        memcpy(&two, (const char *)bytes + i, sizeof two);
        hash = (hash ^ two) * 0x9e3779b97f4a7c15;
    }
    return hash ^ hash >> 32;
}

/* The first group with the same choices. */
static uint32_t
first_such_group(struct seen *s, const struct topo *net, uint32_t group)
{
    const struct topo_group *g = &net->groups[group];
    size_t bytes = g->n * sizeof *net->choices;
    size_t at = hash_bytes(&net->choices[g->first], bytes) & s->mask;

    for (; s->items[at] != SIM_NONE; at = (at + 1) & s->mask) {
        const struct topo_group *other = &net->groups[s->items[at]];
        if (other->n == g->n &&
            !memcmp(&net->choices[other->first], &net->choices[g->first], bytes)) {
            return s->items[at];
        }
    }
    return s->items[at] = group;
}

/* Lists the route of each group, [group].  If a group has only one port, as on all paths down a
 * tree, the route is that port. */
static uint32_t *
list_routes(const struct topo *net)
{
    struct seen seen = seen_new(net->n_groups);
    uint32_t *routes = array_new(net->n_groups, sizeof *routes);

    for (uint32_t i = 0; i < net->n_groups; i++) {
        const struct topo_group *g = &net->groups[i];
        routes[i] =
            g->n == 1 ? net->choices[g->first] : SIM_ROUTE_GROUP | first_such_group(&seen, net, i);
    }
    free(seen.items);
    return routes;
}

/* Fills in the row of a switch. The switch does not use the entry for its own hosts, so this entry
 * is copied from the neighbouring leaf, which makes more rows equal. */
static void
fill_row(const struct topo *net, const uint32_t *routes, uint32_t at, uint32_t own_leaf,
         uint32_t *row)
{
    const uint32_t *groups = net->routes + (size_t)at * net->n_leaves;

    for (uint32_t leaf = 0; leaf < net->n_leaves; leaf++) {
        row[leaf] = groups[leaf] == TOPO_NONE ? SIM_NONE : routes[groups[leaf]];
    }
    if (own_leaf != SIM_NONE && net->n_leaves > 1) {
        row[own_leaf] = row[own_leaf ? own_leaf - 1 : 1];
    }
}

/* Lists the leaf of the own hosts of each switch, [switch], or SIM_NONE. */
static uint32_t *
list_own_leaves(const struct topo *net)
{
    uint32_t *own = array_new(net->n_switches, sizeof *own);

    memset(own, 0xff, net->n_switches * sizeof *own);
    for (uint32_t leaf = 0; leaf < net->n_leaves; leaf++) {
        if (net->leaf_nics[leaf] == TOPO_NONE) {
            own[net->nodes[net->leaves[leaf]].index] = leaf;
        }
    }
    return own;
}

/* Finds a row that equals the new row after the last one; if there is none, keeps the new row. */
static uint32_t
keep_row(struct sim *sim, struct seen *s)
{
    size_t n = sim->routing.net.n_leaves, bytes = n * sizeof *sim->routing.routes;
    const uint32_t *row = sim->routing.routes + sim->routing.n_rows * n;
    size_t at = hash_bytes(row, bytes) & s->mask;

    for (; s->items[at] != SIM_NONE; at = (at + 1) & s->mask) {
        if (!memcmp(sim->routing.routes + s->items[at] * n, row, bytes)) {
            return s->items[at];
        }
    }
    return s->items[at] = sim->routing.n_rows++;
}

static void
make_room_for_row(struct sim *sim)
{
    size_t n = sim->routing.net.n_leaves;

    while (sim->routing.max_routes < (sim->routing.n_rows + 1) * n) {
        sim->routing.routes = array_room(sim->routing.routes, sim->routing.max_routes,
                                         &sim->routing.max_routes, sizeof *sim->routing.routes);
    }
}

void
sim_take_routes(struct sim *sim)
{
    const struct topo *net = &sim->routing.net;
    uint32_t *routes = list_routes(net), *own_leaves = list_own_leaves(net);
    struct seen seen = seen_new(net->n_switches);

    sim->routing.n_rows = 0;
    for (uint32_t at = 0; at < net->n_switches; at++) {
        make_room_for_row(sim);
        fill_row(net, routes, at, own_leaves[at],
                 sim->routing.routes + (size_t)sim->routing.n_rows * net->n_leaves);
        sim->routing.row_of[at] = keep_row(sim, &seen);
    }
    free(seen.items);
    free(own_leaves);
    free(routes);
}

const uint32_t *
sim_routes_of(const struct sim *sim, uint32_t node)
{
    uint32_t row = sim->routing.row_of[sim->model.topo->nodes[node].index];

    return sim->routing.routes + (size_t)row * sim->routing.net.n_leaves;
}

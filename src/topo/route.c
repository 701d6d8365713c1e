/* Route tables.  A search to each leaf gives every switch its choices; equal sets of choices at one
 * switch are one group. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/need.h"
#include "topo/search.h"

/* A leaf that is one NIC alone is no more at its switch than elsewhere: its port is a route. */
static uint32_t
list_choices(const struct topo *t, const struct topo_search *s, uint32_t at, uint32_t leaf,
             uint16_t *choices)
{
    uint32_t nic = t->leaf_nics[leaf], n = 0;

    if (topo_search_is_end(s, at) && nic != TOPO_NONE) {
        choices[n++] = (uint16_t)t->ports[t->ports[t->nodes[nic].first_port].peer].number;
    }
    for (uint32_t h = s->first[at]; h < s->first[at + 1]; h++) {
        if (topo_search_is_choice(s, at, h)) {
            choices[n++] = (uint16_t)t->ports[s->hops[h].port].number;
        }
    }
    return n;
}

/* The group with these choices, among those that the switch has from 'first' on; made if new. */
static uint32_t
find_group(struct topo *t, size_t first, const uint16_t *choices, uint32_t n)
{
    for (size_t g = first; g < t->n_groups; g++) {
        if (t->groups[g].n == n &&
            !memcmp(&t->choices[t->groups[g].first], choices, n * sizeof *choices)) {
            return (uint32_t)g;
        }
    }
    ARRAY_PUSH(t->groups, t->n_groups, t->max_groups) =
        (struct topo_group){ (uint32_t)t->n_choices, n };
    for (uint32_t i = 0; i < n; i++) {
        ARRAY_PUSH(t->choices, t->n_choices, t->max_choices) = choices[i];
    }
    return (uint32_t)t->n_groups - 1;
}

/* What searches to all leaves have found: rows of the search, [leaf][switch]. */
struct table {
    uint32_t *distance, *fixed;
};

static struct table
search_all(struct topo_search *s)
{
    size_t n_leaves = s->topo->n_leaves, n_cells = n_leaves * s->n_switches;
    struct table all = { .distance = array_new(n_cells, sizeof *all.distance) };

    all.fixed = s->fixed ? array_new(n_cells, sizeof *all.fixed) : NULL;
    for (uint32_t leaf = 0; leaf < n_leaves; leaf++) {
        size_t row = (size_t)leaf * s->n_switches;
        topo_search_to(s, leaf);
        memcpy(all.distance + row, s->distance, s->n_switches * sizeof *s->distance);
        if (s->fixed) {
            memcpy(all.fixed + row, s->fixed, s->n_switches * sizeof *s->fixed);
        }
    }
    return all;
}

static struct topo_search
as_found(const struct topo_search *s, const struct table *all, uint32_t leaf)
{
    struct topo_search to_leaf = *s;
    size_t row = (size_t)leaf * s->n_switches;

    to_leaf.end = s->topo->nodes[s->topo->leaves[leaf]].index;
    to_leaf.distance = all->distance + row;
    to_leaf.fixed = all->fixed ? all->fixed + row : NULL;
    return to_leaf;
}

/* Groups of one switch must stand together to be found, so searches to all leaves come first. */
void
topo_route(struct topo *t)
{
    uint16_t *choices = array_new(t->n_ports, sizeof *choices);
    uint64_t n_cells = (uint64_t)t->n_switches * t->n_leaves;
    struct topo_search s;

    need_memory(n_cells * 3 * sizeof *t->routes, "routes from %u switches to %u places",
                t->n_switches, t->n_leaves);
    free(t->routes);
    t->routes = array_new((size_t)t->n_switches * t->n_leaves, sizeof *t->routes);
    t->n_groups = t->n_choices = 0;
    topo_search_init(&s, t);
    struct table all = search_all(&s);
    for (uint32_t at = 0; at < t->n_switches; at++) {
        size_t first = t->n_groups;
        for (uint32_t leaf = 0; leaf < t->n_leaves; leaf++) {
            struct topo_search to_leaf = as_found(&s, &all, leaf);
            uint32_t n = list_choices(t, &to_leaf, at, leaf, choices);
            t->routes[(size_t)at * t->n_leaves + leaf] =
                n ? find_group(t, first, choices, n) : TOPO_NONE;
        }
    }
    topo_search_free(&s);
    free(choices);
    free(all.distance);
    free(all.fixed);
}

bool
topo_is_connected(const struct topo *t, uint32_t from, uint32_t to)
{
    const struct topo_node *a = &t->nodes[from], *b = &t->nodes[to];
    uint32_t first = topo_switch_of(t, from);
    size_t row = t->nodes[first].index;

    if (t->links[t->ports[a->first_port].link].failed ||
        t->links[t->ports[b->first_port].link].failed) {
        return false;
    }
    return first == topo_switch_of(t, to) || t->routes[row * t->n_leaves + b->leaf] != TOPO_NONE;
}

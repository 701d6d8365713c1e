/* Route tables.  A search to each leaf gives every switch its choices; equal sets of choices at one
 * switch are one group. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "topo/search.h"

static uint32_t
list_choices(const struct topo *t, const struct topo_search *s, uint32_t at, uint16_t *choices)
{
    uint32_t n = 0;

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

/* Groups of one switch must stand together to be found, so distances of all leaves come first. */
void
topo_route(struct topo *t)
{
    size_t n_cells = (size_t)t->n_switches * t->n_leaves;
    uint16_t *choices = array_new(t->n_ports, sizeof *choices);
    uint32_t *distances = array_new(n_cells, sizeof *distances);
    struct topo_search s;

    free(t->routes);
    t->routes = array_new(n_cells, sizeof *t->routes);
    t->n_groups = t->n_choices = 0;
    topo_search_init(&s, t);
    for (uint32_t leaf = 0; leaf < t->n_leaves; leaf++) {
        topo_search_to(&s, t->nodes[t->leaves[leaf]].index);
        memcpy(distances + (size_t)leaf * t->n_switches, s.distance,
               t->n_switches * sizeof *distances);
    }
    for (uint32_t at = 0; at < t->n_switches; at++) {
        size_t first = t->n_groups;
        for (uint32_t leaf = 0; leaf < t->n_leaves; leaf++) {
            struct topo_search to_leaf = s;
            to_leaf.distance = distances + (size_t)leaf * t->n_switches;
            uint32_t n = list_choices(t, &to_leaf, at, choices);
            t->routes[(size_t)at * t->n_leaves + leaf] =
                n ? find_group(t, first, choices, n) : TOPO_NONE;
        }
    }
    topo_search_free(&s);
    free(choices);
    free(distances);
}

bool
topo_is_connected(const struct topo *t, uint32_t from, uint32_t to)
{
    const struct topo_node *a = &t->nodes[from], *b = &t->nodes[to];
    size_t row = t->nodes[t->leaves[a->leaf]].index;

    if (t->links[t->ports[a->first_port].link].failed ||
        t->links[t->ports[b->first_port].link].failed) {
        return false;
    }
    return a->leaf == b->leaf || t->routes[row * t->n_leaves + b->leaf] != TOPO_NONE;
}

/* Computes route tables: a search to each leaf gives every switch its choices, and equal sets of
 * choices at a switch are one group. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/out-of-memory.h"
#include "topo/search.h"

/* A leaf that is a single NIC also has a route at its own switch: the NIC's port. */
static uint32_t
list_ports_to(const struct topo *t, uint32_t node, uint32_t nic, uint16_t *choices)
{
    const struct topo_node *to = &t->nodes[nic];
    uint32_t n = 0;

    for (uint32_t p = to->first_port; p < to->first_port + to->n_ports; p++) {
        if (topo_beyond(t, p) == node && (to->n_ports == 1 || topo_is_live(t, p))) {
            choices[n++] = t->ports[t->ports[p].peer].number;
        }
    }
    return n;
}

static uint32_t
list_choices(const struct topo *t, const struct topo_search *s, uint32_t at, uint32_t leaf,
             uint16_t *choices)
{
    uint32_t nic = t->leaf_nics[leaf], n = 0;

    if (nic != TOPO_NONE && topo_search_is_end(s, at)) {
        n = list_ports_to(t, s->node[at], nic, choices);
    }
    for (uint32_t h = s->first[at]; h < s->first[at + 1]; h++) {
        if (topo_search_is_choice(s, at, h)) {
            choices[n++] = (uint16_t)t->ports[s->hops[h].port].number;
        }
    }
    return n;
}

/* The groups found so far; the groups of one switch form a list.  Most leaves have the same next
 * hops as the previous leaf, so the last group found is tried first. */
struct chains {
    uint32_t *first; /* [switch]: its last group, or TOPO_NONE. */
    uint32_t *next;  /* [group]: the next of its switch, or TOPO_NONE. */
    size_t n_next, max_next;
};

static bool
has_choices(const struct topo *t, uint32_t group, const uint16_t *choices, uint32_t n)
{
    const struct topo_group *g = &t->groups[group];

    return g->n == n && !memcmp(&t->choices[g->first], choices, n * sizeof *choices);
}

static uint32_t
add_group(struct topo *t, struct chains *c, const uint16_t *choices, uint32_t n)
{
    ARRAY_PUSH(t->groups, t->n_groups, t->max_groups) =
        (struct topo_group){ (uint32_t)t->n_choices, n };
    for (uint32_t i = 0; i < n; i++) {
        ARRAY_PUSH(t->choices, t->n_choices, t->max_choices) = choices[i];
    }
    ARRAY_PUSH(c->next, c->n_next, c->max_next) = TOPO_NONE;
    return (uint32_t)t->n_groups - 1;
}

/* The group of a switch with these choices; a new group if there is none. */
static uint32_t
find_group(struct topo *t, struct chains *c, uint32_t at, const uint16_t *choices, uint32_t n)
{
    uint32_t group = c->first[at], before = TOPO_NONE;

    while (group != TOPO_NONE && !has_choices(t, group, choices, n)) {
        before = group;
        group = c->next[group];
    }
    if (group != TOPO_NONE && before == TOPO_NONE) {
        return group;
    }
    if (group == TOPO_NONE) {
        group = add_group(t, c, choices, n);
    } else {
        c->next[before] = c->next[group];
    }
    c->next[group] = c->first[at];
    return c->first[at] = group;
}

/* Adds the routes from all switches to the leaf of the search. */
static void
route_to(struct topo *t, const struct topo_search *s, uint32_t leaf, struct chains *c,
         uint16_t *choices)
{
    for (uint32_t at = 0; at < t->n_switches; at++) {
        uint32_t n = list_choices(t, s, at, leaf, choices);
        t->routes[(size_t)at * t->n_leaves + leaf] =
            n ? find_group(t, c, at, choices, n) : TOPO_NONE;
        if (t->far) {
            t->far[(size_t)at * t->n_leaves + leaf] = topo_search_far(s, at);
        }
    }
}

void
topo_route(struct topo *t)
{
    uint16_t *choices = array_new(t->n_ports, sizeof *choices);
    uint64_t n_cells = (uint64_t)t->n_switches * t->n_leaves;
    struct chains c = { .first = array_new(t->n_switches, sizeof *c.first) };
    struct topo_search s;

    oom_check(n_cells * sizeof *t->routes, "routes from %u switches to %u destinations",
              t->n_switches, t->n_leaves);
    memset(c.first, 0xff, t->n_switches * sizeof *c.first);
    topo_forget_routes(t);
    t->routes = array_new((size_t)t->n_switches * t->n_leaves, sizeof *t->routes);
    free(t->far);
    t->far = t->n_multi ? array_new(n_cells, sizeof *t->far) : NULL;
    t->n_groups = t->n_choices = 0;
    topo_search_init(&s, t);
    for (uint32_t leaf = 0; leaf < t->n_leaves; leaf++) {
        topo_search_to(&s, leaf);
        route_to(t, &s, leaf, &c, choices);
    }
    topo_search_free(&s);
    free(choices);
    free(c.first);
    free(c.next);
}

void
topo_forget_routes(struct topo *t)
{
    free(t->routes);
    t->routes = NULL;
}

bool
topo_is_connected(const struct topo *t, uint32_t from, uint32_t to)
{
    const struct topo_node *a = &t->nodes[from], *b = &t->nodes[to];
    bool is = false;

    if (!topo_nic_is_live(t, from) || !topo_nic_is_live(t, to)) {
        return false;
    }
    for (uint32_t ports = topo_nic_ports(t, from, b->leaf); ports && !is; ports &= ports - 1) {
        uint32_t at = topo_beyond(t, a->first_port + (uint32_t)__builtin_ctz(ports));
        size_t row = t->nodes[at].index;
        is = (b->n_ports == 1 && at == topo_switch_of(t, to)) ||
             t->routes[row * t->n_leaves + b->leaf] != TOPO_NONE;
    }
    return is;
}

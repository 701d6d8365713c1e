/* Searches all shortest paths to one leaf. */

#include "topo/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static void
list_hops(struct topo_search *s, const struct topo *t)
{
    uint32_t *hop_of = array_new(t->n_ports, sizeof *hop_of);
    uint32_t n = 0;

    for (uint32_t at = 0; at < s->n_switches; at++) {
        const struct topo_node *node = &t->nodes[s->node[at]];
        s->first[at] = n;
        for (uint32_t p = node->first_port; p < node->first_port + node->n_ports; p++) {
            const struct topo_link *l = &t->links[t->ports[p].link];
            if (!l->failed && topo_joins_switches(t, l)) {
                s->hops[n] =
                    (struct topo_hop){ t->nodes[topo_beyond(t, p)].index, TOPO_NONE, p, false };
                hop_of[p] = n++;
            }
        }
    }
    s->first[s->n_switches] = n;
    for (uint32_t h = 0; h < n; h++) {
        s->hops[h].back = hop_of[t->ports[s->hops[h].port].peer];
    }
    free(hop_of);
}

static void
meet(struct topo_search *s, uint32_t at)
{
    if (s->rank[at] == TOPO_NONE) {
        s->rank[at] = s->n_order;
        s->order[s->n_order++] = at;
    }
}

/* Sets the rank of each switch: its position in a search from the roots.  Switches that the roots
 * do not reach are searched from the first such switch. */
static void
rank_switches(struct topo_search *s, const struct topo *t)
{
    uint32_t head = 0;

    s->n_order = 0;
    memset(s->rank, 0xff, s->n_switches * sizeof *s->rank);
    for (size_t i = 0; i < t->n_roots; i++) {
        meet(s, t->nodes[t->roots[i]].index);
    }
    for (uint32_t other = 0; other < s->n_switches; other++) {
        for (; head < s->n_order; head++) {
            uint32_t at = s->order[head];
            for (uint32_t h = s->first[at]; h < s->first[at + 1]; h++) {
                if (!s->hops[h].is_down) {
                    meet(s, s->hops[h].next);
                }
            }
        }
        meet(s, other);
    }
}

void
topo_search_init(struct topo_search *s, const struct topo *t)
{
    *s = (struct topo_search){ .topo = t, .n_switches = t->n_switches };
    s->node = arena_new(&s->memory, t->n_switches, sizeof *s->node);
    s->first = arena_new(&s->memory, t->n_switches + 1, sizeof *s->first);
    s->hops = arena_new(&s->memory, t->n_ports, sizeof *s->hops);
    s->distance = arena_new(&s->memory, t->n_switches, sizeof *s->distance);
    s->order = arena_new(&s->memory, t->n_switches, sizeof *s->order);
    for (uint32_t i = 0; i < t->n_nodes; i++) {
        if (t->nodes[i].kind == TOPO_SWITCH) {
            s->node[t->nodes[i].index] = i;
        }
    }
    if (t->n_statics) {
        s->fixed = arena_new(&s->memory, t->n_switches, sizeof *s->fixed);
    }
    list_hops(s, t);
    if (t->n_roots) {
        s->rank = arena_new(&s->memory, t->n_switches, sizeof *s->rank);
        rank_switches(s, t);
    }
}

void
topo_search_links_changed(struct topo_search *s)
{
    for (uint32_t h = 0; h < s->first[s->n_switches]; h++) {
        s->hops[h].is_down = !topo_is_live(s->topo, s->hops[h].port);
    }
    if (s->rank) {
        rank_switches(s, s->topo);
    }
}

void
topo_search_free(struct topo_search *s)
{
    arena_free(&s->memory);
}

static void
give(struct topo_search *s, uint32_t at, uint32_t distance)
{
    s->distance[at] = distance;
    s->order[s->n_order++] = at;
}

/* Searches backwards from the leaf over all hops.  With ranks it only moves upwards, so that paths
 * to the leaf only go down. */
static void
search_down(struct topo_search *s)
{
    for (uint32_t head = 0; head < s->n_order; head++) {
        uint32_t at = s->order[head];
        for (uint32_t h = s->first[at]; h < s->first[at + 1]; h++) {
            uint32_t before = s->hops[h].next;
            if (s->distance[before] == TOPO_NONE && !s->hops[h].is_down &&
                (!s->rank || s->rank[before] < s->rank[at])) {
                give(s, before, s->distance[at] + 1);
            }
        }
    }
}

/* Finds paths of the other switches, which must go up first.  There are two queues, both sorted by
 * distance: switches that go down, from 'down' on, and switches that go up, which are appended
 * after them. */
static void
search_up(struct topo_search *s)
{
    uint32_t down = 0, n_down = s->n_order, up = n_down;

    while (down < n_down || up < s->n_order) {
        bool take_up = up < s->n_order &&
                       (down == n_down ||
                        topo_search_hops(s, s->order[up]) < topo_search_hops(s, s->order[down]));
        uint32_t at = s->order[take_up ? up++ : down++];
        for (uint32_t h = s->first[at]; h < s->first[at + 1]; h++) {
            uint32_t before = s->hops[h].next;
            if (s->distance[before] == TOPO_NONE && !s->hops[h].is_down &&
                s->rank[before] > s->rank[at]) {
                give(s, before, (topo_search_hops(s, at) + 1) | TOPO_GOES_UP);
            }
        }
    }
}

static void
fix_choices(struct topo_search *s, uint32_t to)
{
    const struct topo *t = s->topo;

    for (size_t i = 0; i < t->n_statics; i++) {
        const struct topo_port *port = &t->ports[t->statics[i].port];
        if (t->statics[i].to == to && !t->links[port->link].failed) {
            s->fixed[t->nodes[port->node].index] = t->statics[i].port;
            s->is_fixed = true;
        }
    }
}

/* Sets the static routes to a leaf.  Routes to one NIC take precedence over routes to all NICs at
 * its switch.  A NIC with several ports belongs to no single switch. */
static void
use_statics(struct topo_search *s, uint32_t leaf)
{
    s->is_fixed = false;
    if (s->fixed) {
        memset(s->fixed, 0xff, s->n_switches * sizeof *s->fixed);
        if (topo_multi_of(s->topo, leaf) == TOPO_NONE) {
            fix_choices(s, s->topo->leaves[leaf]);
        }
        fix_choices(s, s->topo->leaf_nics[leaf]);
    }
}

/* Sets the distance of the last switches: the switch of the leaf; for a NIC with several ports, all
 * its switches with live links. */
static void
give_ends(struct topo_search *s, uint32_t leaf)
{
    const struct topo *t = s->topo;
    uint32_t nic = topo_multi_of(t, leaf);

    if (nic == TOPO_NONE) {
        give(s, t->nodes[t->leaves[leaf]].index, 0);
        return;
    }
    const struct topo_node *n = &t->nodes[nic];
    for (uint32_t p = n->first_port; p < n->first_port + n->n_ports; p++) {
        uint32_t at = t->nodes[topo_beyond(t, p)].index;
        if (topo_is_live(t, p) && s->distance[at] == TOPO_NONE) {
            give(s, at, 0);
        }
    }
}

void
topo_search_to(struct topo_search *s, uint32_t leaf)
{
    memset(s->distance, 0xff, s->n_switches * sizeof *s->distance);
    s->n_order = 0;
    use_statics(s, leaf);
    give_ends(s, leaf);
    search_down(s);
    if (s->rank) {
        search_up(s);
    }
}

/* Finds routing loops. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "topo/search.h"

struct hunt {
    struct topo_search s;
    bool *is_reached, *is_found; /* [switch]. */
    uint32_t *queue, n_queue;
    uint32_t *before; /* [switch]: the previous switch of the search; the switch itself if the
                       * search began there. */
};

static void
begin(struct hunt *h)
{
    h->n_queue = 0;
    memset(h->before, 0xff, h->s.n_switches * sizeof *h->before);
}

static void
meet(struct hunt *h, uint32_t at, uint32_t before)
{
    if (h->before[at] == TOPO_NONE) {
        h->before[at] = before;
        h->queue[h->n_queue++] = at;
    }
}

/* Searches breadth first over all choices of the visited switches, until one leads to 'goal'.
 */
static uint32_t
search_for(struct hunt *h, uint32_t goal)
{
    for (uint32_t i = 0; i < h->n_queue; i++) {
        uint32_t at = h->queue[i];
        for (uint32_t hop = h->s.first[at]; hop < h->s.first[at + 1]; hop++) {
            if (topo_search_is_choice(&h->s, at, hop)) {
                if (h->s.hops[hop].next == goal) {
                    return at;
                }
                meet(h, h->s.hops[hop].next, at);
            }
        }
    }
    return TOPO_NONE;
}

/* Finds the switches that packets from any host to the leaf reach. */
static void
reach(struct hunt *h, uint32_t leaf)
{
    const struct topo *t = h->s.topo;

    begin(h);
    for (uint32_t i = 0; i < t->n_nodes; i++) {
        const struct topo_node *nic = &t->nodes[i];
        uint32_t ports =
            nic->kind == TOPO_NIC && i != t->leaf_nics[leaf] ? topo_search_nic_ports(&h->s, i) : 0;
        for (; ports; ports &= ports - 1) {
            uint32_t port = nic->first_port + (uint32_t)__builtin_ctz(ports);
            uint32_t at = t->nodes[topo_beyond(t, port)].index;
            meet(h, at, at);
        }
    }
    search_for(h, TOPO_NONE);
    memset(h->is_reached, 0, h->s.n_switches * sizeof *h->is_reached);
    for (uint32_t i = 0; i < h->n_queue; i++) {
        h->is_reached[h->queue[i]] = true;
    }
}

static void
add_loop(struct hunt *h, uint32_t leaf, uint32_t last, struct topo_loops *loops)
{
    struct topo_loop loop = { .leaf = leaf, .n = 1 };

    for (uint32_t at = last; h->before[at] != at; at = h->before[at]) {
        loop.n++;
    }
    loop.nodes = array_new(loop.n, sizeof *loop.nodes);
    for (uint32_t i = loop.n, at = last; i-- > 0; at = h->before[at]) {
        loop.nodes[i] = h->s.node[at];
        h->is_found[at] = true;
    }
    ARRAY_PUSH(loops->items, loops->n, loops->max) = loop;
}

/* Finds the shortest loop of each switch that is not in a loop found before. */
static void
find_loops_to(struct hunt *h, uint32_t leaf, struct topo_loops *loops)
{
    memset(h->is_found, 0, h->s.n_switches * sizeof *h->is_found);
    for (uint32_t at = 0; at < h->s.n_switches; at++) {
        if (h->is_reached[at] && !h->is_found[at]) {
            begin(h);
            meet(h, at, at);
            uint32_t last = search_for(h, at);
            if (last != TOPO_NONE) {
                add_loop(h, leaf, last, loops);
            }
        }
    }
}

static bool
has_live_nic(const struct topo *t, uint32_t leaf)
{
    const struct topo_node *s = &t->nodes[t->leaves[leaf]];
    uint32_t nic = topo_multi_of(t, leaf);
    bool has = nic != TOPO_NONE && topo_nic_is_live(t, nic);

    for (uint32_t p = s->first_port; p < s->first_port + s->n_ports; p++) {
        const struct topo_node *peer = &t->nodes[topo_beyond(t, p)];
        has |= peer->kind == TOPO_NIC && peer->leaf == leaf && topo_is_live(t, p);
    }
    return has;
}

/* Only static routes can loop, so networks without them have no loops. */
void
topo_find_loops(const struct topo *t, struct topo_loops *loops)
{
    struct arena memory = { 0 };
    struct hunt h = { .is_reached = arena_new(&memory, t->n_switches, sizeof *h.is_reached),
                      .is_found = arena_new(&memory, t->n_switches, sizeof *h.is_found),
                      .queue = arena_new(&memory, t->n_switches, sizeof *h.queue),
                      .before = arena_new(&memory, t->n_switches, sizeof *h.before) };

    *loops = (struct topo_loops){ 0 };
    topo_search_init(&h.s, t);
    for (uint32_t leaf = 0; t->n_statics && leaf < t->n_leaves; leaf++) {
        topo_search_to(&h.s, leaf);
        if (h.s.is_fixed && has_live_nic(t, leaf)) {
            reach(&h, leaf);
            find_loops_to(&h, leaf, loops);
        }
    }
    topo_search_free(&h.s);
    arena_free(&memory);
}

void
topo_free_loops(struct topo_loops *loops)
{
    for (size_t i = 0; i < loops->n; i++) {
        free(loops->items[i].nodes);
    }
    free(loops->items);
    *loops = (struct topo_loops){ 0 };
}

/* The paths to one leaf, from which route tables and buffer dependencies are computed.
 *
 * Only live links between switches count, and switches are identified by their index.  Each such
 * link is two hops, one for each direction; the hops of a switch are adjacent.  A search to a leaf
 * gives every switch its distance.  A hop is a choice if it leads one step nearer and the routing
 * allows it.  A static route is the only choice of its switch while its link is live.  Other
 * switches choose as if it did not exist.  Without static routes, all choices together have no
 * cycle; with static routes they may.
 *
 *     struct topo_search s;
 *     topo_search_init(&s, topo);
 *     topo_search_to(&s, leaf);
 *     for (each switch 'at', each hop h from s.first[at] up to s.first[at + 1])
 *         if (topo_search_is_choice(&s, at, h)) ...
 *     topo_search_free(&s);
 *
 * Routing is shortest paths, or, if the topology has roots, up and then down: doc/decisions/0007
 * explains why the choices below do not depend on where a packet came from. */

#ifndef TOPO_SEARCH_H
#define TOPO_SEARCH_H

#include "base/arena.h"
#include "topo/topo.h"

struct topo_hop {
    uint32_t next; /* The switch to which the hop leads. */
    uint32_t back; /* The hop of that switch in the opposite direction. */
    uint32_t port; /* A port of this switch, as a global number. */
    bool is_down;  /* Its link has failed since topo_search_init(). */
};

struct topo_search {
    const struct topo *topo;
    struct arena memory;
    uint32_t n_switches;
    uint32_t *node;  /* [switch]: its node. */
    uint32_t *first; /* [switch]: the index of its first hop; the last entry is the number of
                      * hops. */
    struct topo_hop *hops;
    uint32_t *rank;     /* [switch]: up is towards lower ranks.  Null: all shortest paths. */
    uint32_t *distance; /* [switch]: the distance, or TOPO_NONE; TOPO_GOES_UP is set if the path
                         * begins upwards. */
    uint32_t *order;    /* The switches that have a path, in the order in which they were found. */
    uint32_t n_order;
    uint32_t *fixed; /* [switch]: port of a static route, or TOPO_NONE; null: there are no static
                        routes. */
    bool is_fixed;   /* A switch has a static route to this leaf. */
};

#define TOPO_GOES_UP 0x40000000u

void topo_search_init(struct topo_search *, const struct topo *);
void topo_search_free(struct topo_search *);

/* Call this after links that were live at the start have failed or come back; hops keep their
 * numbers. */
void topo_search_links_changed(struct topo_search *);

/* Searches the paths to a leaf, given by its number. */
void topo_search_to(struct topo_search *, uint32_t leaf);

/* The number of hops left from a switch that has a path without static routes. */
static inline uint32_t
topo_search_hops(const struct topo_search *s, uint32_t at)
{
    return s->distance[at] & ~TOPO_GOES_UP;
}

/* Hot: once per hop and leaf. */
static inline bool
topo_search_is_choice(const struct topo_search *s, uint32_t at, uint32_t hop)
{
    uint32_t here = s->distance[at], next = s->hops[hop].next, there = s->distance[next];

    if (s->fixed && s->fixed[at] != TOPO_NONE) {
        return s->hops[hop].port == s->fixed[at];
    }
    if (here == TOPO_NONE || there == TOPO_NONE || s->hops[hop].is_down) {
        return false;
    }
    if (!s->rank) {
        return there + 1 == here;
    }
    bool is_up = s->rank[next] < s->rank[at];
    return here & TOPO_GOES_UP ? is_up && (there & ~TOPO_GOES_UP) + 1 == (here & ~TOPO_GOES_UP)
                               : !is_up && there + 1 == here;
}

/* Whether packets for the leaf leave the switches here. */
static inline bool
topo_search_is_end(const struct topo_search *s, uint32_t at)
{
    return s->distance[at] == 0 && !(s->fixed && s->fixed[at] != TOPO_NONE);
}

/* nic-ports.c.  The first function returns the ports through which a NIC sends to the leaf, one bit
 * each.  The second returns the distance of the leaf from a switch, as in struct topo. */
uint32_t topo_search_nic_ports(const struct topo_search *, uint32_t nic);
uint8_t topo_search_far(const struct topo_search *, uint32_t at);

#endif

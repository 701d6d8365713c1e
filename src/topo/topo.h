/* Networks: nodes, links between their ports, and routes.
 *
 * A topology is built once and then only read.  A builder adds nodes and links; the finish numbers
 * the ports: those of one node are adjacent, in the order in which its links were added.
 *
 *     struct topo t = { 0 };
 *     uint32_t s = topo_add_node(&t, TOPO_SWITCH, "S1");
 *     uint32_t h = topo_add_node(&t, TOPO_NIC, "H1");
 *     topo_add_link(&t, h, s, &(struct topo_link){ .rate_bps = ..., .delay_ps = ... });
 *     if (!topo_finish(&t, &err)) ...
 *     topo_route(&t);                      all shortest paths, or up and down if there are roots
 *
 * Routes lead to leaves, so that their table grows with switches times leaves and not with hosts. A
 * leaf represents the NICs of one switch, or one NIC alone if a static route leads to it or if it
 * has several ports.  A NIC does not forward packets.  It sends by those of its live ports that are
 * nearest to the leaf.
 *
 * Static routes override what was computed.  Static routes are not checked: as in a real network,
 * they may form a loop. */

#ifndef TOPO_H
#define TOPO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "weir/units.h"

enum topo_kind { TOPO_SWITCH, TOPO_NIC };

enum { TOPO_NAME_BYTES = 24 };

#define TOPO_NONE UINT32_MAX

enum { TOPO_MAX_NIC_PORTS = 16 };

struct topo_node {
    char name[TOPO_NAME_BYTES];
    enum topo_kind kind;
    uint32_t first_port; /* In ports, after topo_finish(). */
    uint32_t n_ports;
    uint32_t leaf;  /* For a NIC: the leaf of routes to it. */
    uint32_t index; /* Among the nodes of its kind. */
    uint32_t part;  /* Nodes of one part talk mostly to each other: a pod, say. */
    uint32_t tier;  /* Links to the nearest host, failed ones too; TOPO_NONE: none is reached. */
};

struct topo_link {
    uint32_t node[2]; /* The ends, */
    uint32_t port[2]; /* and their ports, after topo_finish(). */
    uint64_t rate_bps;
    weir_ps delay_ps;
    uint64_t loss;     /* Ratio of frames and packets lost on it. */
    uint64_t is_inner; /* 0 or 1: inside a switching fabric. */
    bool failed;       /* There, but not used. */
    char *name;        /* Null: it has none.  The topology frees it. */
};

struct topo_link_event { /* A link goes down or comes up. */
    uint32_t link;
    weir_ps at_ps;
    bool up;
};

/* From a time on one end of a link sends at another rate, never more than the link has. */
struct topo_slowing {
    uint32_t link, end;
    weir_ps at_ps;
    uint64_t rate_bps;
};

struct topo_port {
    uint32_t node, peer; /* The port at the other end. */
    uint32_t link;
    uint16_t number;  /* Within its node. */
    bool is_parallel; /* Its node has several links to the same peer. */
};

struct topo_name {
    const char *name;
    uint32_t node;
};

struct topo_group { /* Ports of a switch that are as good as each other. */
    uint32_t first; /* In choices. */
    uint32_t n;
};

struct topo_static { /* A static route: packets to a node leave a switch by this port. */
    uint32_t to;     /* A NIC, or a switch: all NICs there. */
    uint32_t port;   /* As a global number. */
};

struct topo {
    struct topo_node *nodes;
    size_t n_nodes, max_nodes;
    struct topo_link *links;
    size_t n_links, max_links;
    struct topo_port *ports;
    size_t n_ports;
    uint32_t n_switches, n_nics, n_leaves, n_parts;
    uint32_t *leaves;    /* [leaf]: its switch; the first, if it is a NIC with several ports. */
    uint32_t *leaf_nics; /* [leaf]: the NIC that it is; TOPO_NONE: all there that are none. */
    size_t max_leaves, max_leaf_nics;
    struct topo_name *by_name; /* All nodes, or null. */
    uint32_t *multi;           /* The NICs that have several ports. */
    size_t n_multi, max_multi;

    uint32_t *roots; /* Nodes; with any, routes go up towards them and then down. */
    size_t n_roots, max_roots;
    struct topo_static *statics;
    size_t n_statics, max_statics;
    uint32_t *routes; /* [switch index][leaf]: which group, or TOPO_NONE. */
    struct topo_group *groups;
    size_t n_groups, max_groups;
    uint16_t *choices; /* Port numbers within the switch. */
    size_t n_choices, max_choices;
    uint8_t *far; /* [switch index][leaf]: links to the leaf, or TOPO_NO_WAY; null: no NIC has
                   * several ports. */
};

#define TOPO_NO_WAY UINT8_MAX

uint32_t topo_add_node(struct topo *, enum topo_kind, const char *name);
uint32_t topo_add_link(struct topo *, uint32_t a, uint32_t b, const struct topo_link *like);

/* Replaces each link between switches by so many, which are adjacent.  Before topo_finish(). */
void topo_make_parallel(struct topo *, uint32_t n);

/* So that nodes can be found by name; topo_finish() does it too. */
void topo_index_names(struct topo *);
bool topo_finish(struct topo *, struct err *);
void topo_free(struct topo *);

/* TOPO_NONE if there is none; the first if there are several. */
uint32_t topo_find_node(const struct topo *, const char *name);

/* The first port of 'node' that leads to 'next', or TOPO_NONE; as a global number. */
uint32_t topo_port_to(const struct topo *, uint32_t node, uint32_t next);

/* How many links each switch is from the nearest one with hosts, [node], failed links included;
 * NICs and switches that no host reaches have TOPO_NONE.  Returns the largest. */
uint32_t topo_find_tiers(const struct topo *, uint32_t *tier);

/* Routes go up towards the roots, as a search from them over live links finds the switches, and
 * then down, never up again: such networks have no cyclic dependency.  One root reaches everything;
 * the whole top tier keeps all shortest paths of a healthy Clos network. */
void topo_add_root(struct topo *, uint32_t node);

/* The top tier; where all switches have hosts, the first switch alone. */
void topo_add_top_roots(struct topo *);

/* After topo_finish() and before topo_route(), one for each (switch, 'to'): packets to a NIC, or to
 * all NICs of another switch, leave the port's switch by it while its link is live.  A switch may
 * lose the path to a NIC of its own in this way, too. */
void topo_add_static(struct topo *, uint32_t to, uint32_t port);

/* Fills in routes: all that the routing offers without failed links.  Can be called again. */
void topo_route(struct topo *);

/* Frees the tables that grow with switches times leaves, once a caller has made something smaller
 * of them; the groups of ports stay. */
void topo_forget_routes(struct topo *);

/* Bit i: the NIC sends to the leaf by its port i, after topo_route(). */
uint32_t topo_nic_ports(const struct topo *, uint32_t nic, uint32_t leaf);

/* Whether a link leads from the NIC to a node; whether some link of it is used. */
bool topo_nic_is_at(const struct topo *, uint32_t nic, uint32_t node);
bool topo_nic_is_live(const struct topo *, uint32_t nic);

/* Bits: the live ports of a NIC that lead to the nearest switches, given how far each is,
 * TOPO_NONE: there is no way. */
typedef uint32_t topo_far(const void *arg, uint32_t node);
uint32_t topo_nearest_ports(const struct topo *, uint32_t nic, topo_far *, const void *arg);

static inline bool
topo_is_multi(const struct topo *t, uint32_t nic)
{
    return t->nodes[nic].n_ports > 1;
}

/* The NIC that a leaf is, if that has several ports; else TOPO_NONE. */
static inline uint32_t
topo_multi_of(const struct topo *t, uint32_t leaf)
{
    uint32_t nic = t->leaf_nics[leaf];

    return nic != TOPO_NONE && topo_is_multi(t, nic) ? nic : TOPO_NONE;
}

/* The switch of a NIC; the first, if it has several ports. */
static inline uint32_t
topo_switch_of(const struct topo *t, uint32_t nic)
{
    return t->leaves[t->nodes[nic].leaf];
}

/* The node at the other end of a port's link, and whether that link is used. */
static inline uint32_t
topo_beyond(const struct topo *t, uint32_t port)
{
    return t->ports[t->ports[port].peer].node;
}

static inline bool
topo_is_live(const struct topo *t, uint32_t port)
{
    return !t->links[t->ports[port].link].failed;
}

static inline bool
topo_joins_switches(const struct topo *t, const struct topo_link *l)
{
    return t->nodes[l->node[0]].kind == TOPO_SWITCH && t->nodes[l->node[1]].kind == TOPO_SWITCH;
}

/* The ports, by their numbers at a switch, that its routes offer to a leaf, after topo_route();
 * returns their number. */
static inline uint32_t
topo_choices(const struct topo *t, uint32_t at, uint32_t leaf, const uint16_t **choices)
{
    uint32_t group = t->routes[(size_t)t->nodes[at].index * t->n_leaves + leaf];

    *choices = group == TOPO_NONE ? NULL : &t->choices[t->groups[group].first];
    return group == TOPO_NONE ? 0 : t->groups[group].n;
}

/* Whether the first switch knows a way from one NIC to another, after topo_route(). */
bool topo_is_connected(const struct topo *, uint32_t from, uint32_t to);

/* A path from host to host. */
struct topo_path {
    uint32_t *nodes; /* Hosts included. */
    size_t n, max;
    size_t n_good; /* For class-changes.h: the first that has no class for its packets. */
};

void topo_path_add(struct topo_path *, uint32_t node);
void topo_path_free(struct topo_path *);

/* Routing loops: switches that pass packets for a leaf around, so that they may never arrive; only
 * where packets of hosts come.  Every switch that packets can come back to is in one of them. */
struct topo_loop {
    uint32_t leaf;
    uint32_t *nodes, n; /* The last leads to the first. */
};

struct topo_loops {
    struct topo_loop *items;
    size_t n, max;
};

void topo_find_loops(const struct topo *, struct topo_loops *);
void topo_free_loops(struct topo_loops *);

/* Each link fails with this probability, a ratio.  The draw of a link depends on the seed and its
 * number only, so links that have failed already change nothing. */
enum topo_links { TOPO_SWITCH_LINKS, TOPO_HOST_LINKS, TOPO_ALL_LINKS };
void topo_fail_randomly(struct topo *, uint64_t probability, uint64_t seed, enum topo_links);

/* Builders of networks by a few numbers: topology.h.  Hosts are H1, H2, ... or as the paper at hand
 * has them, switches S1, S2, ...
 *
 * These topologies share a struct, and each uses some of its members.  A topology with other
 * parameters brings a struct of its own, which begins with the link, too. */
struct topo_build {
    struct topo_link link; /* The template of every link. */
    uint64_t switches, hosts, k;
    uint64_t thin; /* For a fat tree: the ratio of links down to links up; 0 is 1. */
    uint64_t pods, leaves, spines, cores;
    uint64_t x, y;
    uint64_t uplink_bps, core_bps; /* Rates of links from leaves to spines, from spines to cores. */
};

typedef void topo_builder(struct topo *, const void *params);

topo_builder topo_build_ring;     /* A host at each switch. */
topo_builder topo_build_incast;   /* Hosts, and one more, at one switch. */
topo_builder topo_build_dumbbell; /* Hosts at either of two switches. */
topo_builder topo_build_fat_tree; /* k^3/4 hosts, H0 first; thin must divide k/2. */

/* Leaves L1.., spines S1.. linked to all of them, hosts at each leaf. */
topo_builder topo_build_leaf_spine;

/* Pods of leaves L1.. and spines S1.., all linked within a pod.  Cores C1.. come in as many groups
 * as a pod has spines, which must divide them, and one group is linked to the same spine of each
 * pod. */
topo_builder topo_build_three_tier;

/* Rows of x switches, y of them, each linked to its neighbours around in both directions; S1.. row
 * by row.
 */
topo_builder topo_build_torus;

/* One switch from outside, several inside: edges S1.. with hosts, and inner links among them.
 * Without middles they are joined directly, each with each; with middles M1.. through these, and
 * groups of edges that have middles each through tops T1.. above them. */
topo_builder topo_build_fabric;

#endif

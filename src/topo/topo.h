/* Networks: nodes, links between their ports, and routes.
 *
 * A topology is built once and then only read.  A builder adds nodes and links. topo_finish()
 * numbers the ports: the ports of a node are adjacent, in the order in which its links were added.
 *
 *     struct topo t = { 0 };
 *     uint32_t s = topo_add_node(&t, TOPO_SWITCH, "S1");
 *     uint32_t h = topo_add_node(&t, TOPO_NIC, "H1");
 *     topo_add_link(&t, h, s, &(struct topo_link){ .rate_bps = ..., .delay_ps = ... });
 *     if (!topo_finish(&t, &err)) ...
 *     topo_route(&t);                      all shortest paths, or up and down if there are roots
 *
 * Routes lead to leaves, so their table grows with switches times leaves, not with hosts.  A leaf
 * represents the NICs of one switch, or one NIC alone if a static route leads to it or if it has
 * several ports.  A NIC does not forward packets.  It sends through its live ports with the
 * shortest distance to the leaf.
 *
 * Static routes override computed routes.  Static routes are not checked: as in a real network,
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
    uint32_t first_port; /* The index of its first port in 'ports', after topo_finish(). */
    uint32_t n_ports;
    uint32_t leaf;  /* For a NIC: the leaf to which its routes lead. */
    uint32_t index; /* The index of the node among nodes of the same kind. */
    uint32_t part;  /* The number of its part, such as a pod: nodes that communicate mostly with
                     * each other. */
    uint32_t tier;  /* The distance to the nearest host in links, including failed ones; TOPO_NONE:
                     * no host is reached. */
};

struct topo_link {
    uint32_t node[2]; /* The nodes at its ends. */
    uint32_t port[2]; /* The ports at its ends, after topo_finish(). */
    uint64_t rate_bps;
    weir_ps delay_ps;
    uint64_t loss;     /* The ratio of frames and packets lost on the link. */
    uint64_t is_inner; /* 0 or 1: inside a switching fabric. */
    bool failed;       /* The link exists, but is not used. */
    char *name;        /* Null: it has none.  The topology frees it. */
};

struct topo_link_event { /* A link goes down or comes up. */
    uint32_t link;
    weir_ps at_ps;
    bool up;
};

/* From a given time on, one end of a link sends at another rate, at most the rate of the link. */
struct topo_slowing {
    uint32_t link, end;
    weir_ps at_ps;
    uint64_t rate_bps;
};

struct topo_port {
    uint32_t node, peer; /* 'peer' is the port at the other end. */
    uint32_t link;
    uint16_t number;  /* The number of the port within its node. */
    bool is_parallel; /* The node has several links to the same peer. */
};

struct topo_name {
    const char *name;
    uint32_t node;
};

struct topo_group { /* Ports of a switch that are equally good next hops. */
    uint32_t first; /* The index of its first port in 'choices'. */
    uint32_t n;
};

struct topo_static { /* A static route: packets to a node leave a switch through this port. */
    uint32_t to;     /* A NIC, or a switch for all its NICs. */
    uint32_t port;   /* The port of the switch, as a global number. */
};

struct topo {
    struct topo_node *nodes;
    size_t n_nodes, max_nodes;
    struct topo_link *links;
    size_t n_links, max_links;
    struct topo_port *ports;
    size_t n_ports;
    uint32_t n_switches, n_nics, n_leaves, n_parts;
    uint32_t *leaves;    /* [leaf]: its switch; the first switch for a NIC with several ports. */
    uint32_t *leaf_nics; /* [leaf]: the NIC, if the leaf is a single NIC; TOPO_NONE: all other NICs
                          * of the switch. */
    size_t max_leaves, max_leaf_nics;
    struct topo_name *by_name; /* All nodes, sorted by name; or null. */
    uint32_t *multi;           /* The NICs that have several ports. */
    size_t n_multi, max_multi;

    uint32_t *roots; /* Root nodes; if there are any, routes go up towards them and then down. */
    size_t n_roots, max_roots;
    struct topo_static *statics;
    size_t n_statics, max_statics;
    uint32_t *routes; /* [switch index][leaf]: a group, or TOPO_NONE. */
    struct topo_group *groups;
    size_t n_groups, max_groups;
    uint16_t *choices; /* Port numbers within the switch. */
    size_t n_choices, max_choices;
    uint8_t *far; /* [switch index][leaf]: the distance to the leaf in links, or TOPO_NO_WAY; null:
                   * no NIC has several ports. */
};

#define TOPO_NO_WAY UINT8_MAX

uint32_t topo_add_node(struct topo *, enum topo_kind, const char *name);
uint32_t topo_add_link(struct topo *, uint32_t a, uint32_t b, const struct topo_link *like);

/* Replaces each link between switches by 'n' parallel links with adjacent numbers.  Before
 * topo_finish(). */
void topo_make_parallel(struct topo *, uint32_t n);

/* Makes it possible to find nodes by name; topo_finish() does this, too. */
void topo_index_names(struct topo *);
bool topo_finish(struct topo *, struct err *);
void topo_free(struct topo *);

/* The first node with that name; TOPO_NONE: there is none. */
uint32_t topo_find_node(const struct topo *, const char *name);

/* The first port of 'node' that leads to 'next', or TOPO_NONE; as a global number. */
uint32_t topo_port_to(const struct topo *, uint32_t node, uint32_t next);

/* The distance in links of each switch to the nearest switch with hosts, [node], including failed
 * links; TOPO_NONE for NICs and for switches that no host reaches.  Returns the largest. */
uint32_t topo_find_tiers(const struct topo *, uint32_t *tier);

/* Adds a root of up-down routing.  Routes go up towards the roots, by the order of a search from
 * them over live links, and then down, never up again.  Such networks have no cyclic dependency.
 * One root is enough to reach all nodes; with the whole top tier as roots, a healthy Clos network
 * keeps all its shortest paths. */
void topo_add_root(struct topo *, uint32_t node);

/* The default roots: the top tier, or the first switch if all switches have hosts. */
void topo_add_top_roots(struct topo *);

/* Adds a static route, at most one for each (switch, 'to'), after topo_finish() and before
 * topo_route().  Packets to a NIC, or to all NICs of another switch, leave the port's switch
 * through this port while its link is live.  Such a route can also cut off a switch from one of its
 * own NICs. */
void topo_add_static(struct topo *, uint32_t to, uint32_t port);

/* Fills in all routes that the routing offers without failed links.  Can be called again. */
void topo_route(struct topo *);

/* Frees the tables that grow with switches times leaves, after a caller has made a smaller form of
 * them; the groups of ports stay. */
void topo_forget_routes(struct topo *);

/* Returns a bitmap, after topo_route(); bit i: the NIC sends to the leaf through its port i. */
uint32_t topo_nic_ports(const struct topo *, uint32_t nic, uint32_t leaf);

/* The first function returns whether a link leads from the NIC to a node. The second returns
 * whether any link of the NIC is used. */
bool topo_nic_is_at(const struct topo *, uint32_t nic, uint32_t node);
bool topo_nic_is_live(const struct topo *, uint32_t nic);

/* Whether two NICs have links to the same switch. */
bool topo_nics_meet(const struct topo *, uint32_t nic, uint32_t other);

/* Returns the live ports of a NIC that lead to the nearest switches, one bit each.  'far' gives the
 * distance of a switch; TOPO_NONE: there is no path. */
typedef uint32_t topo_far(const void *arg, uint32_t node);
uint32_t topo_nearest_ports(const struct topo *, uint32_t nic, topo_far *, const void *arg);

static inline bool
topo_is_multi(const struct topo *t, uint32_t nic)
{
    return t->nodes[nic].n_ports > 1;
}

/* The NIC of a leaf that is a NIC with several ports; else TOPO_NONE. */
static inline uint32_t
topo_multi_of(const struct topo *t, uint32_t leaf)
{
    uint32_t nic = t->leaf_nics[leaf];

    return nic != TOPO_NONE && topo_is_multi(t, nic) ? nic : TOPO_NONE;
}

/* The switch of a NIC; the first switch if it has several ports. */
static inline uint32_t
topo_switch_of(const struct topo *t, uint32_t nic)
{
    return t->leaves[t->nodes[nic].leaf];
}

/* The first function returns the node at the other end of a port's link. The second returns whether
 * that link is used. */
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

/* Finds the ports through which the routes of a switch lead to a leaf, as port numbers of the
 * switch; returns how many.  Call topo_route() first. */
static inline uint32_t
topo_choices(const struct topo *t, uint32_t at, uint32_t leaf, const uint16_t **choices)
{
    uint32_t group = t->routes[(size_t)t->nodes[at].index * t->n_leaves + leaf];

    *choices = group == TOPO_NONE ? NULL : &t->choices[t->groups[group].first];
    return group == TOPO_NONE ? 0 : t->groups[group].n;
}

/* Whether the first switch has a route from one NIC to another, after topo_route(). */
bool topo_is_connected(const struct topo *, uint32_t from, uint32_t to);

/* A path from host to host. */
struct topo_path {
    uint32_t *nodes; /* The nodes of the path, including the hosts. */
    size_t n, max;
    size_t n_good; /* For class-changes.h: the first node that has no class for the packets. */
};

void topo_path_add(struct topo_path *, uint32_t node);
void topo_path_free(struct topo_path *);

/* Routing loops: switches that forward packets to a leaf in a circle, so that the packets may never
 * arrive.  Only switches that packets from hosts reach count.  Every switch to which packets can
 * return is in one of these loops. */
struct topo_loop {
    uint32_t leaf;
    uint32_t *nodes, n; /* The last switch leads to the first. */
};

struct topo_loops {
    struct topo_loop *items;
    size_t n, max;
};

void topo_find_loops(const struct topo *, struct topo_loops *);
void topo_free_loops(struct topo_loops *);

/* Each link fails with this probability, a ratio.  The random number of a link depends only on the
 * seed and its number, so it does not depend on which links have already failed. */
enum topo_links { TOPO_SWITCH_LINKS, TOPO_HOST_LINKS, TOPO_ALL_LINKS };
void topo_fail_randomly(struct topo *, uint64_t probability, uint64_t seed, enum topo_links);

/* Builders make a network from a few numbers: topology.h.  Hosts are named H1, H2, ... or as in a
 * paper, and switches S1, S2, ...
 *
 * These topologies share a struct, of which each uses some members.  A topology with other
 * parameters has its own struct, which also begins with the link. */
struct topo_build {
    struct topo_link link; /* The template of every link. */
    uint64_t switches, hosts, k;
    uint64_t thin; /* For a fat tree: the ratio of links down to links up; 0 is 1. */
    uint64_t pods, leaves, spines, cores;
    uint64_t x, y, z;                  /* For a torus; z 0 is 1. */
    uint64_t global_links;             /* For a dragonfly: the number of global links of each
                                        * switch. */
    uint64_t planes;                   /* For dual-ToR and multi-plane networks. */
    uint64_t servers, rails, per_leaf; /* For rails and dual-ToR networks; per_leaf WEIR_AUTO: all
                                        * servers. */
    uint64_t gpu_bps, gpu_delay_ps;    /* For rails: links inside servers; rate 0: none. */
    uint64_t uplink_bps, core_bps; /* The rates of links from leaves to spines, and from spines to
                                    * cores. */
};

typedef void topo_builder(struct topo *, const void *params);

topo_builder topo_build_ring;     /* One host at each switch. */
topo_builder topo_build_incast;   /* One switch with the given number of hosts and one more. */
topo_builder topo_build_dumbbell; /* Two switches with this number of hosts at each. */

/* A fat tree with hosts from H0 on: k/2 at each edge switch, or 'hosts' unless that is 0 or
 * WEIR_AUTO; thin must divide k/2. */
topo_builder topo_build_fat_tree;

/* Leaves L1.., spines S1.. linked to all of them, hosts at each leaf. */
topo_builder topo_build_leaf_spine;

/* Pods of leaves L1.. and spines S1.., all linked within a pod.  Cores C1.. form as many groups as
 * a pod has spines, so their number must be a multiple of that.  Each group is linked to the same
 * spine of each pod. */
topo_builder topo_build_three_tier;

/* A torus of z planes of y rows of x switches, each linked to its neighbours with wrap-around in
 * all directions; S1.. row by row, and plane by plane. */
topo_builder topo_build_torus;

/* A dragonfly: groups (pods) of switches, in which every switch is linked to every other.  Between
 * every two groups there are equally many global links; their arrangement is palmtree. */
topo_builder topo_build_dragonfly;

/* Servers H1.. with a NIC for each rail: H1:0, H1:1 and so on.  Leaves L1.. each have the NICs of
 * one rail, of per_leaf servers; L1 is the first leaf of the first rail, L2 that of the second rail
 * and so on.  Spines S1.. are linked to all leaves.  With a rate for links inside servers, the
 * second port of each NIC leads to the switch V1.. of its server. */
topo_builder topo_build_rail;

/* Pairs of switches, T1 and T2, T3 and T4 and so on.  A host has a port to each switch of its pair;
 * or, with several rails, NICs H1:0, H1:1 and so on, each at a pair of its own.  Spines S1.. are
 * linked to all switches; or they form two planes, one for the first switch of each pair and one
 * for the second. */
topo_builder topo_build_dual_tor;

/* Planes, each of leaves L1.. and spines S1.. that are linked to all of its leaves.  Host H1 has a
 * NIC for each plane: H1:0, H1:1 and so on. */
topo_builder topo_build_multi_plane;

/* Several switches that act as one: edges S1.. with hosts, and inner links among them.  Without
 * middles, all edges are linked to each other.  With middles M1.., edges are joined through these;
 * several groups, each of edges and middles, are joined through tops T1... */
topo_builder topo_build_fabric;

#endif

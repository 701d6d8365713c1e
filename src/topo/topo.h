/* Networks: nodes, links between their ports, and routes.
 *
 * A topology is built once and then only read.  A builder adds nodes and links by hand; the finish
 * numbers the ports: those of one node stand together, in the order in which its links were added.
 *
 *     struct topo t = { 0 };
 *     uint32_t s = topo_add_node(&t, TOPO_SWITCH, "S1");
 *     uint32_t h = topo_add_node(&t, TOPO_NIC, "H1");
 *     topo_add_link(&t, h, s, &(struct topo_link){ .rate_bps = ..., .delay_ps = ... });
 *     if (!topo_finish(&t, &err)) ...
 *     topo_route(&t);                      all shortest paths
 *
 * A NIC has one port.  Its switch is its leaf; routes lead to leaves, so that their table grows
 * with switches times leaves and not with hosts. */

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

struct topo_node {
    char name[TOPO_NAME_BYTES];
    enum topo_kind kind;
    uint32_t first_port; /* In ports, after topo_finish(). */
    uint32_t n_ports;
    uint32_t leaf;  /* Of a NIC: the number of its switch among leaves. */
    uint32_t index; /* Among the nodes of its kind. */
    uint32_t part;  /* Nodes of one part talk mostly to each other: a pod, say. */
};

struct topo_link {
    uint32_t node[2]; /* The ends, */
    uint32_t port[2]; /* and their ports, after topo_finish(). */
    uint64_t rate_bps;
    weir_ps delay_ps;
    uint64_t loss; /* Ratio of frames and packets lost on it. */
    bool failed;   /* There, but not used. */
};

struct topo_port {
    uint32_t node, peer; /* The port at the other end. */
    uint32_t link;
    uint32_t number; /* Within its node. */
};

struct topo_name {
    const char *name;
    uint32_t node;
};

struct topo_group { /* Ports of a switch that are as good as each other. */
    uint32_t first; /* In choices. */
    uint32_t n;
};

struct topo {
    struct topo_node *nodes;
    size_t n_nodes, max_nodes;
    struct topo_link *links;
    size_t n_links, max_links;
    struct topo_port *ports;
    size_t n_ports;
    uint32_t n_switches, n_nics, n_leaves, n_parts;
    uint32_t *leaves;          /* The nodes that are leaves. */
    struct topo_name *by_name; /* All nodes, or null. */

    uint32_t *routes; /* [switch index][leaf]: which group, or TOPO_NONE. */
    struct topo_group *groups;
    size_t n_groups, max_groups;
    uint16_t *choices; /* Port numbers within the switch. */
    size_t n_choices, max_choices;
};

uint32_t topo_add_node(struct topo *, enum topo_kind, const char *name);
uint32_t topo_add_link(struct topo *, uint32_t a, uint32_t b, const struct topo_link *like);

/* So that nodes can be found by name; topo_finish() does it too. */
void topo_index_names(struct topo *);
bool topo_finish(struct topo *, struct err *);
void topo_free(struct topo *);

/* TOPO_NONE if there is none; the first if there are several. */
uint32_t topo_find_node(const struct topo *, const char *name);

/* The port of 'node' that leads to 'next', or TOPO_NONE; as a global number. */
uint32_t topo_port_to(const struct topo *, uint32_t node, uint32_t next);

/* Fills in routes: all shortest paths that do not use failed links.  Can be called again. */
void topo_route(struct topo *);

/* Whether any path leads from one NIC to another, after topo_route(). */
bool topo_is_connected(const struct topo *, uint32_t from, uint32_t to);

/* Builders.  Hosts are H1, H2, ... or as the paper at hand has them, switches S1, S2, ... */
struct topo_build {
    uint64_t switches, hosts, k;
    struct topo_link link;
};

void topo_build_ring(struct topo *, const struct topo_build *);   /* A host at each switch. */
void topo_build_incast(struct topo *, const struct topo_build *); /* Hosts, and one more, at one. */
void topo_build_dumbbell(struct topo *, const struct topo_build *); /* Hosts at either of two. */
void topo_build_fat_tree(struct topo *, const struct topo_build *); /* k^3/4 hosts, H0 first. */

#endif

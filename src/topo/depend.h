/* Buffers that wait for buffers: finds out whether a network can deadlock, before anything runs.
 *
 * In a lossless network a packet occupies the input buffer of a switch until the next switch has
 * room for it.  So the buffer at b for packets from a depends on the buffer at c for packets from b
 * if some route leads from a over b to c.  If buffers depend on each other in a cycle, all may
 * become full, and then no packet ever moves.  This is a cyclic buffer dependency, or credit loop
 * in InfiniBand.  Without such a cycle there is no deadlock, for any traffic.
 *
 *     struct depend_traffic traffic = { .all_pairs = true, .n_classes = 1, .lossless = 1 };
 *     struct depend *d = depend_new(topo, &traffic);
 *     depend_find_cycles(d, 8, &cycles);       a shortest cycle of each component of buffers
 *     depend_free_cycles(&cycles);
 *     depend_free(d);
 *
 * In some switches inputs wait for more than their outputs, or for less (enum depend_wait).  If all
 * packets pass one pipeline, which stops while any output is full, every input waits for the
 * pipeline.  The pipeline waits for every output to which any packet of the switch goes, in any
 * class.  So a network whose routes have no cycle can still deadlock.  Such pipelines are vertices
 * of the graph like the buffers, and a cycle may lead through them.
 *
 * Routes lead to leaves, so the number of hosts does not matter.  One search per leaf finds all
 * dependencies: a bit matrix from inputs to outputs at each switch.  Buffers for packets from hosts
 * cannot be in a cycle, and buffers of hosts never fill, so neither are in the graph.
 *
 * Buffers are (link, class).  By default packets keep their class.  With hop_classes, a packet with
 * h hops left to its last switch is in class h. If there are fewer classes, or if its path has no
 * end, it is in the highest class.  With more classes than hops there is no cycle, for any routes.
 *
 * If links go down or come up, switches notice this and routes change.  A packet on an old route
 * continues on a new route from where it is, and a packet that waits for long still occupies its
 * buffer.  So the graph has the edges of all routes of all epochs, and of paths that begin on old
 * routes and end on newer ones. */

#ifndef TOPO_DEPEND_H
#define TOPO_DEPEND_H

#include "topo/topo.h"

struct depend_flow {
    uint32_t from, to; /* The NICs at its ends. */
    uint8_t cls;
    const uint16_t *path; /* The ports through which it leaves switches; null: it uses all
                           * routes. */
    uint32_t n_path;
    bool is_answer; /* The flow stands for the ACKs and other feedback of a receiver; an edge names
                     * it only if no other flow makes the edge. */
    uint8_t from_port; /* With a path: the port through which the sender sends. */
};

struct depend_change { /* A link goes down or comes up. */
    uint32_t link;
    bool up;
    weir_ps known_ps; /* When all switches have new routes; WEIR_NEVER: routes do not change. */
};

/* The reason why the inputs of a switch do not drain. */
enum depend_wait {
    DEPEND_FOR_OUTPUT,  /* Packets at an input wait for their own outputs. */
    DEPEND_FOR_ALL,     /* The pipeline waits for any output to which packets go. */
    DEPEND_FOR_NOTHING, /* Inputs always drain, because a full output drops packets. */
};

struct depend_traffic {
    bool all_pairs; /* Also traffic between all pairs of hosts, in every class. */
    const struct depend_flow *flows;
    size_t n_flows;
    uint32_t n_classes;
    uint32_t lossless;                   /* Bit c: class c is lossless. */
    bool hop_classes;                    /* Classes count hops; only if routes do not change. */
    const struct depend_change *changes; /* The changes, sorted by time; changes with equal times
                                          * happen together. */
    size_t n_changes;
    const uint8_t *waits; /* [switch], enum depend_wait; null: all wait for outputs. */
};

/* An edge: packets that arrived on a port of a switch leave through another port, and have class
 * 'next_cls' at the next switch.  With a pipeline in between there are two edges, and one end of
 * each is TOPO_NONE, which means the pipeline of 'at'. */
struct depend_edge {
    uint32_t at;      /* The switch, a node. */
    uint32_t in, out; /* Ports of the switch, as global numbers. */
    uint8_t cls, next_cls;
    uint32_t flow;   /* The flow that makes the edge, or TOPO_NONE: see route. */
    weir_ps from_ps; /* When the route begins to exist; 0: at the start. */
    uint32_t *route; /* An example of a route: nodes from NIC to NIC.  A loop ends at the first node
                      * that is visited twice. */
    uint32_t n_route;
};

struct depend_cycle {
    struct depend_edge *edges; /* Each edge begins where the previous one ends. */
    uint32_t n;
};

struct depend_cycles {
    struct depend_cycle *cycles; /* The cycles, the shortest first. */
    size_t n;
    size_t n_components; /* The number of components: sets of buffers that all wait for each other,
                          * with one cycle for each. */
    size_t n_buffers, n_pipelines; /* The numbers of buffers and pipelines in all components. */
};

struct depend;

/* The topology needs no route tables, but must outlive the graph.  'traffic' must stay valid during
 * this call and depend_find_cycles(). */
struct depend *depend_new(const struct topo *, const struct depend_traffic *);
void depend_free(struct depend *);

size_t depend_n_buffers(const struct depend *);   /* The number of directed links between switches,
                                                   * times the number of classes. */
size_t depend_n_pipelines(const struct depend *); /* The number of pipelines that inputs wait
                                                   * for. */
size_t depend_n_edges(const struct depend *);
size_t depend_n_reroutes(const struct depend *); /* The number of times that routes change. */

/* Whether packets that arrived on a port in a class wait for packets that leave through another
 * port of the switch in class 'next_cls', directly or through a pipeline. */
bool depend_has_edge(const struct depend *, uint32_t in, uint32_t out, uint8_t cls,
                     uint8_t next_cls);

/* The number of pairs without a path from the first to the second: of switches with hosts that have
 * one port, and of hosts with several ports. */
size_t depend_n_cut(const struct depend *);

bool depend_is_cyclic(const struct depend *);
void depend_find_cycles(struct depend *, size_t max_cycles, struct depend_cycles *);
void depend_free_cycles(struct depend_cycles *);

/* Finds the failures of single live links, or of pairs of them, that would close a cycle.  It tries
 * links between switches and links of hosts with several live links; the latter are left out if
 * each failure must be tried as a whole, which is rarely necessary (failure-deps.h).  The result
 * does not depend on the number of threads. */
struct depend_what_if {
    const struct topo *topo;
    const struct depend_traffic *traffic;
    uint32_t n_links; /* Links that fail together: 1 or 2. */
    uint32_t n_threads;
    void (*progress)(void *arg, size_t n_tried, size_t n_trials); /* Called on the caller's thread;
                                                                   * or null. */
    void *arg;
};

struct depend_failure {
    uint32_t links[2]; /* The second is TOPO_NONE if one link is enough. */
};

struct depend_failures {
    struct depend_failure *items; /* The failures that close a cycle. */
    size_t n, max;
    size_t n_trials;
    size_t n_with_new_deps; /* The number of trials in which packets take new paths that add
                             * dependencies. */
    size_t n_whole;         /* The number of trials that needed a separate graph. */
};

void depend_try_failures(const struct depend_what_if *, struct depend_failures *);
void depend_free_failures(struct depend_failures *);

/* Similar failures: links between the same kinds of switches, at the same distances (alike.c).
 * Groups are sorted by size, the largest first; returns the number of groups.  The caller frees
 * them. */
struct depend_alike {
    size_t item; /* The index of the first failure of the group. */
    size_t n;
};

size_t depend_group_failures(const struct topo *, const struct depend_failures *,
                             struct depend_alike **);

#endif

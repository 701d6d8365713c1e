/* Buffers that wait for buffers: finds out whether a network can deadlock, before anything runs.
 *
 * In a lossless network a packet holds its place in the input buffer of a switch until the next
 * switch has a place for it.  So the buffer at b for packets from a depends on the buffer at c for
 * packets from b if some route leads a, b, c.  Buffers that depend on each other in a ring may all
 * be full, and then none ever moves: a cyclic buffer dependency, InfiniBand's credit loop. Without
 * one there is no deadlock, for any traffic.
 *
 *     struct depend_traffic traffic = { .all_pairs = true, .n_classes = 1, .lossless = 1 };
 *     struct depend *d = depend_new(topo, &traffic);
 *     depend_find_cycles(d, 8, &cycles);       a shortest cycle of each component of buffers
 *     depend_free_cycles(&cycles);
 *     depend_free(d);
 *
 * In some switches inputs wait for more than that, or for less (enum depend_wait).  Where all
 * packets pass one pipeline, and it stands still while one output is full, every input waits for
 * the pipeline.  The pipeline waits for every output that any packet there goes to, in any class.
 * So a network whose routes have no cycle can still deadlock.  Pipelines then are vertices of the
 * graph like the buffers, and a cycle may lead through them.
 *
 * Routes lead to leaves, so hosts do not count, and one search a leaf finds all dependencies: at
 * each switch a matrix of bits, from inputs to outputs.  Buffers for what comes from hosts are in
 * no ring, and buffers of hosts never fill; neither is kept.
 *
 * Buffers are (link, class).  Packets keep their class, or, with hop_classes, a packet with h hops
 * to go to its last switch is in class h.  It is in the highest class if there are fewer, or if its
 * path has no end.  With more classes than hops there is no cycle, for any routes.
 *
 * Where links go down and come up, switches learn of it and routes change.  A packet that was sent
 * on old routes continues on new ones from its place, and one that waits for long still occupies
 * its buffer.  So the graph has the edges of all routes of all epochs, and of paths that begin on
 * some and end on later ones. */

#ifndef TOPO_DEPEND_H
#define TOPO_DEPEND_H

#include "topo/topo.h"

struct depend_flow {
    uint32_t from, to; /* NICs. */
    uint8_t cls;
    const uint16_t *path; /* The ports to leave switches by; null: all that the routing offers. */
    uint32_t n_path;
    bool is_answer; /* The answers of a receiver: an edge is shown with these if nothing else makes
                     * it. */
};

struct depend_change { /* A link goes down or comes up. */
    uint32_t link;
    bool up;
    weir_ps known_ps; /* When all switches have new routes; WEIR_NEVER: they keep theirs. */
};

/* The reason that keeps the inputs of a switch from draining. */
enum depend_wait {
    DEPEND_FOR_OUTPUT,  /* Packets in them wait for their outputs. */
    DEPEND_FOR_ALL,     /* Its pipeline: any output that packets there go to. */
    DEPEND_FOR_NOTHING, /* They drain: an output that is full drops what comes. */
};

struct depend_traffic {
    bool all_pairs; /* In addition to the flows, of every class. */
    const struct depend_flow *flows;
    size_t n_flows;
    uint32_t n_classes;
    uint32_t lossless;                   /* Bit c: class c waits for buffers. */
    bool hop_classes;                    /* Only where routes do not change. */
    const struct depend_change *changes; /* Sorted by time; those of one time happen at once. */
    size_t n_changes;
    const uint8_t *waits; /* [switch], enum depend_wait; null: for outputs, all of them. */
};

/* One edge: packets that came in by a port of a switch leave by another, to where 'next_cls' is
 * their class.  Where there is a pipeline in between it is two, and one end of each is TOPO_NONE:
 * the pipeline of 'at'. */
struct depend_edge {
    uint32_t at;      /* The switch, a node. */
    uint32_t in, out; /* Ports of it, as global numbers. */
    uint8_t cls, next_cls;
    uint32_t flow;   /* The flow that makes the edge, or TOPO_NONE: see route. */
    weir_ps from_ps; /* When the route is there; 0: it is there from the beginning on. */
    uint32_t *route; /* Nodes from NIC to NIC, an example; one that leads round ends where it is
                      * for the second time. */
    uint32_t n_route;
};

struct depend_cycle {
    struct depend_edge *edges; /* The next begins where one leads. */
    uint32_t n;
};

struct depend_cycles {
    struct depend_cycle *cycles; /* Shortest first. */
    size_t n;
    size_t n_components; /* Sets of buffers all of which wait for each other; a cycle each. */
    size_t n_buffers, n_pipelines; /* In all components. */
};

struct depend;

/* The topology, which need not have route tables, must outlive it; traffic only the call and the
 * finding of cycles. */
struct depend *depend_new(const struct topo *, const struct depend_traffic *);
void depend_free(struct depend *);

size_t depend_n_buffers(const struct depend *);   /* Links between switches, times classes. */
size_t depend_n_pipelines(const struct depend *); /* Pipelines that inputs wait for. */
size_t depend_n_edges(const struct depend *);
size_t depend_n_reroutes(const struct depend *); /* How often routes change. */

/* Whether what came in by a port, in a class, waits for what leaves by another of the same switch
 * and is in 'next_cls' then: itself, or by a pipeline. */
bool depend_has_edge(const struct depend *, uint32_t in, uint32_t out, uint8_t cls,
                     uint8_t next_cls);

/* Pairs of leaves that have hosts and no way between them. */
size_t depend_n_cut(const struct depend *);

bool depend_is_cyclic(const struct depend *);
void depend_find_cycles(struct depend *, size_t max_cycles, struct depend_cycles *);
void depend_free_cycles(struct depend_cycles *);

/* The failures that would close a cycle: of each live link between switches, or of each pair of
 * them, though few are tried as a whole (failure-deps.h).  The answer does not depend on the number
 * of threads. */
struct depend_what_if {
    const struct topo *topo;
    const struct depend_traffic *traffic;
    uint32_t n_links; /* Links that fail together: 1 or 2. */
    uint32_t n_threads;
    void (*progress)(void *arg, size_t n_tried, size_t n_trials); /* On the caller's thread. */
    void *arg;
};

struct depend_failure {
    uint32_t links[2]; /* The second TOPO_NONE if one is enough. */
};

struct depend_failures {
    struct depend_failure *items; /* Failures that close a cycle. */
    size_t n, max;
    size_t n_trials;
    size_t n_with_new_deps; /* Those that lead packets over paths on which none depended before, */
    size_t n_whole;         /* and those that had to be tried each as a network of its own. */
};

void depend_try_failures(const struct depend_what_if *, struct depend_failures *);
void depend_free_failures(struct depend_failures *);

/* Similar failures: of links between the same kinds of switches, equally far from each other
 * (alike.c).  Sorted by number, largest first; returns the number of them. The caller frees them.
 */
struct depend_alike {
    size_t item; /* The first of them. */
    size_t n;
};

size_t depend_group_failures(const struct topo *, const struct depend_failures *,
                             struct depend_alike **);

#endif

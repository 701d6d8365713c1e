/* The path DAG of a flow: a single path, if switches choose by flow or the scenario sets the path;
 * else all paths that its packets may take.
 *
 *              ,- S2 -.
 *     H1 -- S1         S4 -- H2        stops 0 to 5, in levels 0 to 4; hops between them
 *              `- S3 -'
 *
 * A stop is a node at a distance from the sender given by its level; a hop is a port through which
 * packets may leave it.  Both are sorted by level, so a loop over the hops sees all hops that lead
 * to a stop before the hops that leave it.
 *
 *     struct sim_path_dag dag;
 *     sim_path_dag_open(&dag, sim, flow);
 *     for (size_t i = 0; i < dag.n_hops; i++) ...
 *     sim_path_dag_close(&dag); */

#ifndef SIM_PATH_DAG_H
#define SIM_PATH_DAG_H

#include "sim/sim.h"

#define SIM_PATH_DAG_WHOLE ((uint64_t)1 << 32) /* The weight of all packets of a flow. */

struct sim_stop {
    uint32_t node, level;
    uint64_t weight; /* The share of the flow that arrives here, if each switch divides it
                      * evenly. */
    weir_ps inside_ps, period_ps; /* The time through the node's pipeline, and the time between two
                                   * packets that enter it. */
};

struct sim_hop {
    uint32_t port;     /* A port of the topology. */
    uint32_t from, to; /* The stops at its two ends, by index. */
    uint64_t weight;
    const struct topo_link *link;
};

struct sim_path_dag {
    const struct sim *sim;
    uint32_t flow;
    struct sim_stop *stops;
    struct sim_hop *hops;
    size_t n_stops, n_hops, max_stops, max_hops;
    uint32_t *stop_of; /* [switch], then the receiver: the index of its stop plus 1; 0: it is not a
                        * stop. */
    bool arrives;      /* At least one path arrives. */
    bool splits;       /* There are several paths. */
    bool is_even;      /* All paths to a stop have the same number of links, so there is no loop. */
};

/* The first function makes the path DAG of a flow by the current routes; the second frees it. */
void sim_path_dag_open(struct sim_path_dag *, const struct sim *, uint32_t flow);
void sim_path_dag_close(struct sim_path_dag *);

#endif

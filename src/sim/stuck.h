/* The part of the network that may be stuck: the transmit queues that are shut, and the queues that
 * each of them waits for.
 *
 * The rank that runs the node at the other end of a queue's port describes the queue, because it
 * waits for queues of that node (wait-for.c).  The search for a deadlock (stuck.c) reads the
 * descriptions of all ranks, and no data of nodes.
 *
 * A queue of a description is a number: its port of the topology, times the number of classes, plus
 * its class.  So queues are sorted by node, port and class. */

#ifndef SIM_STUCK_H
#define SIM_STUCK_H

#include "sim/ranks.h"
#include "sim/sim.h"

struct sim_queues {
    uint32_t *items;
    size_t n, max;
};

/* A queue that is shut, and two lists of queues that it waits for.  The queue is stuck if the first
 * list is not empty and all its queues are stuck, or if any queue of the second list is stuck. */
struct sim_waits {
    uint32_t queue;
    uint32_t n_all, n_any; /* The lengths of the first and the second list, which follow. */
    uint32_t next;         /* The queue of the first list through which a cycle continues. */
    uint32_t why; /* enum sim_wait: why the queue waits for the first list.  It waits for the second
                   * list because the node blocks it for an output. */
};

/* wait-for.c: finds queues of nodes on this rank that are shut, have something to send, and have
 * sent nothing for a while. */
void sim_find_shut(const struct sim *, weir_ps now, struct sim_queues *);

/* Describes those queues in 'asked' that wait for a shut queue; their peers are on this rank.  Each
 * description is a struct sim_waits, followed by the queues that it waits for.  'shut' lists all
 * shut queues to these peers. */
void sim_describe_waits(const struct sim *, weir_ps now, const struct sim_queues *shut,
                        const struct sim_queues *asked, struct sim_parcel *);

/* A queue of a cycle, as known to the process that runs its node; deadlock.c. */
struct sim_cycle_queue {
    weir_ps last_ps; /* The last time at which it sent something. */
    uint32_t flows[SIM_MAX_HELD], n_flows;
};

struct sim_node;
struct sim_cycle_queue sim_cycle_queue(const struct sim_node *, uint32_t slot);

/* deadlock.c: records the result of a search: a cycle, with the state of its queues in the order of
 * the cycle, or that there is no cycle. */
void sim_deadlock_is_found(struct sim *, const struct sim_deadlock *,
                           const struct sim_cycle_queue *);

/* stuck.c: searches the descriptions of all ranks for a cycle.  Returns the number of stuck queues,
 * and the queues of the cycle, but neither the time nor the flows. */
struct sim_deadlock sim_find_cycle(const struct sim *, const struct sim_parcel *);

#endif

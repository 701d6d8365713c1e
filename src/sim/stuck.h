/* The part of the network that may be stuck: the transmit queues that are shut, and the queues that
 * each of them waits for.
 *
 * The rank that runs the node at the other end of a queue's port describes it, as it waits for
 * queues of that node (wait-for.c).  The search for a deadlock (stuck.c) reads the descriptions of
 * all ranks together, and needs no node.
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

/* A queue that is shut, and two lists of queues that it waits for. It is stuck if the first list is
 * not empty and all of it is stuck, or if any queue of the second list is stuck. */
struct sim_waits {
    uint32_t queue;
    uint32_t n_all, n_any; /* Lengths of the first and the second list, which follow. */
    uint32_t next;         /* The queue of the first list through which a cycle continues. */
    uint32_t why; /* enum sim_wait: why it waits for the first list. It waits for the second because
                     its node blocks it for an output. */
};

/* wait-for.c: queues of nodes that are here, which are shut, have something to send, and have not
 * moved for a while. */
void sim_find_shut(const struct sim *, weir_ps now, struct sim_queues *);

/* Describes queues whose peers are here, unless they wait for nothing that is shut, one behind the
 * other: each is a struct sim_waits and the queues that it waits for.  'shut' has all queues of
 * these peers that are shut. */
void sim_describe_waits(const struct sim *, weir_ps now, const struct sim_queues *shut,
                        const struct sim_queues *asked, struct sim_parcel *);

/* A queue of a cycle, as known to the process that runs its node; deadlock.c. */
struct sim_cycle_queue {
    weir_ps last_ps; /* It sent something then, and has not since. */
    uint32_t flows[SIM_MAX_HELD], n_flows;
};

struct sim_node;
struct sim_cycle_queue sim_cycle_queue(const struct sim_node *, uint32_t slot);

/* deadlock.c: the state of a cycle's queues, in its order; or that there is none. */
void sim_deadlock_is_found(struct sim *, const struct sim_deadlock *,
                           const struct sim_cycle_queue *);

/* stuck.c: looks for a cycle in the descriptions of all ranks. Returns the number of stuck queues,
 * and those of the cycle; but not since when, nor with whose packets. */
struct sim_deadlock sim_find_cycle(const struct sim *, const struct sim_parcel *);

#endif

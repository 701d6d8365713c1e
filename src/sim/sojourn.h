/* Wait accounting: how long packets wait at a node before they leave it, and for what.
 *
 * Only in runs that ask for it (config.why); then each node has a struct sim_sojourns, and short
 * cuts past queues are not taken.  A packet waits for the output that it leaves by, so each
 * transmit queue has three clocks.  They run while its gate is shut: by a pause or a hold, for want
 * of credit, by a rate.  At each instant one of them runs at most, the first that can.  A packet
 * reads the clocks when it begins to wait, and again when it leaves: the differences are the times
 * that it was blocked, and the rest of its wait is the queue.  That takes a constant number of
 * steps for any length of the queue.
 *
 * Clocks go on only when they are read.  So each knows the state of its gate since it was last
 * read, and is called when that changes: when an engine has written the gate, and when a packet was
 * sent.
 *
 * At a NIC one packet of a flow is next at a time.  It waits from when the one before it is out, or
 * from when the flow has something to send.  An application with a rate of its own provides packets
 * one by one, and until then none waits.  The time that its own gate (rate and window of its
 * control, or an engine that limits this flow) adds to the clocks comes before the queue.
 *
 * A packet does not wait while it is carried through a pipeline or a crossbar, unless the pipeline
 * stands still. (doc/decisions/0062-who-was-held-back.md) */

#ifndef SIM_SOJOURN_H
#define SIM_SOJOURN_H

#include "sim/sim.h"

enum { SIM_BY_PAUSE, SIM_BY_CREDIT, SIM_BY_RATE, SIM_N_CLOCKS };

/* A packet has no output yet, as that is chosen behind a pipeline; it waits for its output; it is
 * carried through a crossbar, and its readings are less the time and the clocks when that began.
 */
enum sim_sojourn_state { SIM_SOJOURN_WITHOUT_OUTPUT, SIM_SOJOURN_WAITS, SIM_SOJOURN_CARRIED };

/* The clocks that one packet has read. */
struct sim_sojourn {
    weir_ps came_ps;
    weir_ps since_ps;                /* It waits since then, except while it was carried; */
    weir_ps clocks_ps[SIM_N_CLOCKS]; /* and the clocks then. */
    weir_ps opened_ps;               /* For a flow: the time when its window last opened. */
    enum sim_sojourn_state state;

    /* For a flow: it reads the clocks when 'since_ps' comes, as others do after it. */
    bool is_to_read;
    struct sim_sojourn *next;
};

struct sim_clocks { /* The clocks of a transmit queue. */
    weir_ps at_ps;  /* Their progress so far. */
    weir_ps held_ps[SIM_N_CLOCKS];

    /* The gate since then: */
    weir_ps paused_until_ps;
    weir_ps paced_from_ps, paced_until_ps; /* Shut by its rate, from when its last packet is out. */
    bool lacks_credit;                     /* For a packet of full size. */

    /* At a NIC: flows that read the clocks when their next packet is due, by that time. */
    struct sim_sojourn *first, *last;
};

struct sim_sojourns {             /* The wait accounting of a node. */
    struct sim_clocks *clocks;    /* [slot]. */
    struct sim_sojourn *sojourns; /* [place in the pool], of a switch. */
    size_t max_sojourns;

    struct sim_flow_wait *rows; /* Ports by their numbers here. */
    size_t n_rows, max_rows;
    uint32_t *table, n_table; /* Rows by (flow, slot): a power of two; SIM_NONE: free. */

    uint64_t *bytes_for; /* [input slot][output port], of a switch: bytes that came in there, and
                          * are still here. */
    uint32_t *blamed;    /* [input slot]: the output last noted; SIM_NONE: none yet. */
};

/* At the end of the run, once: what still waits is counted. */
void sim_end_sojourns(struct sim *);

/* Rows of a node that is here, with ports of the topology. */
struct sim_flow_wait sim_wait_of(const struct sim *, const struct sim_node *, size_t row);

#endif

/* Wait accounting: how long packets wait at a node before they leave it, and for what.
 *
 * It is used only in runs that request it (config.why).  Each node then has a struct sim_sojourns.
 * Switches of kind oq have fast paths for it ('is_timed').  A packet waits for the output through
 * which it leaves, so each transmit queue has three clocks.  One runs while a pause or a hold shuts
 * the gate, one while credit is missing, and one while the rate shuts the gate.  At most one of
 * them runs at a time; if several could, the first one does.  A packet reads the clocks when it
 * begins to wait, and again when it leaves: the differences are the times that it was blocked, and
 * the rest of its wait is the queue.  This takes a constant number of steps for any length of the
 * queue.
 *
 * Clocks advance only when they are read.  So each clock keeps the state of its gate since the last
 * reading.  It is updated when the gate changes: after an engine has written the gate, and after a
 * packet was sent.
 *
 * At a NIC, one packet of each flow is the next one.  It waits from the time at which the previous
 * packet has left, or at which the flow has something to send.  An application with its own rate
 * provides packets one by one, and a packet does not wait before that.  A flow's own gate (the rate
 * and window of its control, or an engine that limits this flow) adds to the clocks.  That time
 * counts before the time in the queue.
 *
 * A packet does not wait while a pipeline or a crossbar carries it, unless the pipeline is blocked.
 * (doc/decisions/0062-who-was-held-back.md) */

#ifndef SIM_SOJOURN_H
#define SIM_SOJOURN_H

#include "sim/sim.h"

enum { SIM_BY_PAUSE, SIM_BY_CREDIT, SIM_BY_RATE, SIM_N_CLOCKS };

/* The state of a packet. It has no output yet, because the output is chosen after a pipeline; it
 * waits for its output; or a crossbar carries it. In the last state, the time and the clocks at the
 * start of the transfer are subtracted from its readings. */
enum sim_sojourn_state { SIM_SOJOURN_WITHOUT_OUTPUT, SIM_SOJOURN_WAITS, SIM_SOJOURN_CARRIED };

/* The clocks that one packet has read. */
struct sim_sojourn {
    weir_ps came_ps;
    weir_ps since_ps;                /* The time at which the packet began to wait, later by the
                                      * time for which a crossbar carried it. */
    weir_ps clocks_ps[SIM_N_CLOCKS]; /* The readings of the clocks at 'since_ps'. */
    weir_ps opened_ps;               /* For a flow: the time when its window last opened. */
    uint32_t row;                    /* For a flow: the row that counted its last wait, if any. */
    uint8_t state;                   /* enum sim_sojourn_state. */

    /* For a flow: it reads the clocks at 'since_ps'; the next flow in the list reads them later. */
    bool is_to_read;
    struct sim_sojourn *next;
};

_Static_assert(sizeof(struct sim_sojourn) == 64, "sojourn");

struct sim_clocks { /* The clocks of a transmit queue. */
    weir_ps at_ps;  /* The time of the last reading; 'held_ps' is their progress until then. */
    weir_ps held_ps[SIM_N_CLOCKS];

    /* The state of the gate since 'at_ps'. */
    weir_ps shut_until_ps; /* The clocks stand still after this time. */
    weir_ps paused_until_ps;
    weir_ps paced_from_ps, paced_until_ps; /* The rate shuts the gate, from the end of its last
                                            * packet on. */
    bool lacks_credit;                     /* The gate lacks credit for a packet of the maximum
                                            * size. */

    /* At a NIC: flows that will read the clocks when their next packet is due, sorted by that
     * time. */
    struct sim_sojourn *first, *last;
};

struct sim_wait_row { /* The waits of a flow for a transmit queue: one cache line, which most
                       * packets read from memory. */
    uint32_t flow, slot;
    uint64_t n_packets;
    weir_ps last_ps;
    weir_ps held_ps[SIM_N_CLOCKS], control_ps, queue_ps; /* As in struct sim_flow_wait. */
};

_Static_assert(sizeof(struct sim_wait_row) == 64, "row");

struct sim_wait_key {
    uint32_t flow, slot;
    uint32_t row; /* The row of the flow and slot; SIM_NONE: this entry is free. */
};

struct sim_sojourns {             /* The wait accounting of a node. */
    struct sim_clocks *clocks;    /* [slot]. */
    struct sim_sojourn *sojourns; /* [index in the pool], of a switch. */
    size_t max_sojourns;

    struct sim_wait_row *rows;
    weir_ps *first_ps; /* [row]: the time at which the first packet began to wait. */
    size_t n_rows, max_rows;
    struct sim_wait_key *keys; /* A hash table of rows, whose size is a power of two.  It hashes
                                * only the flow, so that the entry can be prefetched before the slot
                                * is known. */
    uint32_t n_keys;

    uint64_t *bytes_for; /* [input slot][output port], of a switch: bytes that arrived there and are
                          * still at the node. */
    uint32_t *blamed;    /* [input slot]: the output that was noted last; SIM_NONE: no output
                          * yet. */
};

/* sojourn-rows.c. The first function returns the row of a flow for a transmit queue, and makes it
 * if it does not exist yet. The second frees the rows of a node. */
uint32_t sim_wait_row(struct sim_sojourns *, uint32_t flow, uint32_t slot, weir_ps since_ps);
void sim_free_wait_rows(struct sim_sojourns *);

/* The entry at which the search for the row of a flow begins; the table must not be empty. */
static inline struct sim_wait_key *
sim_wait_place(const struct sim_sojourns *s, uint32_t flow)
{
    uint64_t hash = flow * UINT64_C(0x9e3779b97f4a7c15);

    return &s->keys[(uint32_t)(hash >> 32) & (s->n_keys - 1)];
}

/* Called once at the end of the run, to count packets that still wait. */
void sim_end_sojourns(struct sim *);

/* The rows of a node of this rank, with ports of the topology. */
struct sim_flow_wait sim_wait_of(const struct sim *, const struct sim_node *, size_t row);

#endif

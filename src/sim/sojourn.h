/* Wait accounting: how long packets wait at a node before they leave it, and for what.
 *
 * It is used only in runs that request it (config.why).  Each node then has a struct sim_sojourns.
 * Switches of kind oq have fast paths for it ('is_timed').  A packet waits for the output that it
 * leaves by, so each transmit queue has three clocks.  One runs while a pause or a hold shuts the
 * gate, one while credit is missing, and one while the rate shuts the gate.  At most one of them
 * runs at a time; if several could, the first one does.  A packet reads the clocks when it begins
 * to wait, and again when it leaves: the differences are the times that it was blocked, and the
 * rest of its wait is the queue.  This takes a constant number of steps for any length of the
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

/* A packet has no output yet, because the output is chosen after a pipeline; it waits for its
 * output; or a crossbar carries it, and then its readings have the time and the clocks at the start
 * subtracted. */
enum sim_sojourn_state { SIM_SOJOURN_WITHOUT_OUTPUT, SIM_SOJOURN_WAITS, SIM_SOJOURN_CARRIED };

/* The clocks that one packet has read. */
struct sim_sojourn {
    weir_ps came_ps;
    weir_ps since_ps;                /* The packet waits since then, except while it was carried; */
    weir_ps clocks_ps[SIM_N_CLOCKS]; /* and the clocks then. */
    weir_ps opened_ps;               /* For a flow: the time when its window last opened. */
    uint32_t row;                    /* For a flow: the row that counted its last wait, if any. */
    uint8_t state;                   /* enum sim_sojourn_state. */

    /* For a flow: it reads the clocks at 'since_ps'; the next flow in the list reads them later. */
    bool is_to_read;
    struct sim_sojourn *next;
};

_Static_assert(sizeof(struct sim_sojourn) == 64, "sojourn");

struct sim_clocks { /* The clocks of a transmit queue. */
    weir_ps at_ps;  /* Their progress so far. */
    weir_ps held_ps[SIM_N_CLOCKS];

    /* The gate since then: */
    weir_ps shut_until_ps; /* The clocks stand still after this time. */
    weir_ps paused_until_ps;
    weir_ps paced_from_ps, paced_until_ps; /* The rate shuts the gate, from the end of its last
                                            * packet on. */
    bool lacks_credit;                     /* For a packet of the maximum size. */

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
    uint32_t row; /* Their row; SIM_NONE: this place is free. */
};

struct sim_sojourns {             /* The wait accounting of a node. */
    struct sim_clocks *clocks;    /* [slot]. */
    struct sim_sojourn *sojourns; /* [place in the pool], of a switch. */
    size_t max_sojourns;

    struct sim_wait_row *rows;
    weir_ps *first_ps; /* [row]: when the first packet began to wait. */
    size_t n_rows, max_rows;
    struct sim_wait_key *keys; /* A hash table of rows, of a power of two.  The hash is that of the
                                * flow, so that it can be prefetched before the slot is known. */
    uint32_t n_keys;

    uint64_t *bytes_for; /* [input slot][output port], of a switch: bytes that arrived there and are
                          * still at the node. */
    uint32_t *blamed;    /* [input slot]: the output last noted; SIM_NONE: none yet. */
};

/* sojourn-rows.c: the row of a flow for a transmit queue, made if it does not exist yet; and the
 * memory of the rows of a node. */
uint32_t sim_wait_row(struct sim_sojourns *, uint32_t flow, uint32_t slot, weir_ps since_ps);
void sim_free_wait_rows(struct sim_sojourns *);

/* Where the search for the row of a flow begins; the table must not be empty. */
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

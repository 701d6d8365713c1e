/* What there is of a flow: its sender's side, which belongs to the NIC that sends, and its sink,
 * which belongs to the one that receives.  The core only reads them, for results. */

#ifndef SIM_FLOW_STATE_H
#define SIM_FLOW_STATE_H

#include "sim/sim.h"

struct sim_sender { /* A flow at its sender: first what every packet needs. */
    uint64_t sent_bytes;
    uint32_t n_packets;  /* All; UINT32_MAX: endless. */
    uint32_t sequence;   /* The next to be sent, */
    uint32_t n_acked;    /* and how many have arrived for certain. */
    uint32_t last_bytes; /* Of the last packet. */
    uint32_t dst;        /* Index among NICs. */
    uint32_t next;       /* In the ring of its class, */
    bool in_ring;        /* as long as it has something to send. */
    bool is_reliable;
    bool has_gate;    /* It is held back by its own gate, too. */
    bool has_mind;    /* Its transport sets that. */
    weir_ps heard_ps; /* Something new was acknowledged; */
    weir_ps retry_ps; /* a SIM_RETRY is on its way for then; WEIR_NEVER: none. */
    struct weir_gate gate __attribute__((aligned(64)));
};

_Static_assert(sizeof(struct sim_sender) == 128, "flow");

struct sim_pacer { /* What the transport of a flow wants. */
    struct tp_limits limits;
    weir_ps mailed_ps; /* The earliest SIM_PACE on its way. */
    uint64_t state[TP_STATE_MAX / sizeof(uint64_t)];
} __attribute__((aligned(64)));

struct sim_sink { /* A flow at its receiver. */
    uint32_t expected;
    uint32_t n_packets;
    uint16_t n_unacked, ack_every;
    bool is_reliable;
    bool has_complained; /* Of the one expected. */
    bool is_marked;      /* Something that was not acknowledged yet. */
    weir_ps notified_ps; /* The last CNP. */
    uint64_t received_bytes, n_received, discarded_bytes;
    weir_ps first_ps, last_ps;
} __attribute__((aligned(64)));

#endif

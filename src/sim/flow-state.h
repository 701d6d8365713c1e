/* The state of a flow: its sender's side, which belongs to the NIC that sends, and its sink, which
 * belongs to the one that receives.  The core only reads them, for results. */

#ifndef SIM_FLOW_STATE_H
#define SIM_FLOW_STATE_H

#include "sim/nodes/packets.h"
#include "sim/sim.h"

struct sim_sender { /* A flow at its sender: the state that every packet needs, one line of the
                     * cache. */
    uint64_t sent_bytes;
    struct rc_sender progress;
    uint32_t dst : SIM_DST_BITS; /* Index among NICs. */
    bool is_plain : 1;           /* It has no gate, its recovery, if it has one, only counts, and
                                  * nobody asks how long it waits. */
    bool is_at_work : 1;         /* It has sent a packet, and has memory of its own for that until
                                  * it has ended (flow-memory.c).  Never of a plain flow. */
    bool in_ring : 1;            /* It has something to send. */
    bool is_reliable : 1;
    bool has_gate : 1;      /* Its own gate limits it, too; see 'gate'. */
    bool is_controlled : 1; /* Its transport sets that. */
    bool awaits_retry : 1;  /* A NIC_RETRY is on its way for sim_retry_ps(). */
    uint32_t next, prev;    /* In the ring of its class. */
    weir_ps heard_ps;       /* Something new was acknowledged. */
    struct weir_gate *gate; /* Null: it has none, or has sent nothing yet and may send. */
};

_Static_assert(sizeof(struct sim_sender) == 64, "flow");

struct sim_turn { /* A flow in the tree of its ring, if that is large: nic/ring.c. */
    uint32_t left, right, parent;
    weir_ps at_ps;    /* When its gate opens, */
    weir_ps first_ps; /* and the first of those below it, or itself. */
};

/* Telemetry next to packets.  A packet that is a probe has a place in the track of its flow, by its
 * number modulo the size of the track.  The node that holds the packet may write there, as a packet
 * is at one node at a time, and windows end with a barrier.  The sender makes a packet a probe only
 * if the place is free: the last probe there has arrived or was lost, a window ago or more.  That
 * time is all that two nodes may touch at once, and events in the same window mean the same to the
 * sender: not free. */
struct sim_probe {
    weir_ps sent_ps;          /* When packet 'sequence' was sent, if it was sent once; else -1. */
    _Atomic(weir_ps) gone_ps; /* When the probe arrived or was lost; WEIR_NEVER: it flies. */
    uint32_t sequence;        /* RC_NONE: none that waits for an answer. */
    uint32_t probe;  /* The packet that is or was a probe; RC_NONE: its stamps were read. */
    uint32_t n_hops; /* Stamps that it has; 0, too, if it was lost. */
};

struct sim_track { /* For a flow whose control asks for round trips or telemetry. */
    uint32_t mask;
    uint32_t n_new;    /* Packets from this one on have never been sent. */
    uint32_t max_hops; /* Hops that a probe has room for. */
    struct sim_probe *probes;
    struct tp_hop *hops; /* [probe][max_hops]; null: its control needs no telemetry. */
};

struct sim_pacer { /* The limits that the control of a flow sets. */
    struct tp_limits limits;
    weir_ps mailed_ps;       /* The earliest NIC_PACE on its way. */
    struct sim_track *track; /* Null: it wants neither round trips nor telemetry. */
    uint64_t state[];        /* As many bytes as its transport has. */
};

struct sim_sink { /* A flow at its receiver. */
    struct rc_receiver progress;
    uint32_t n_received;
    uint32_t src : SIM_DST_BITS; /* Index among NICs: the receiver of answers, */
    uint32_t answer_cls : 3;     /* and in which class. */
    bool is_reliable : 1;
    bool only_counts : 1; /* Its recovery, as long as all goes well. */
    bool is_notified : 1; /* CNPs report marked packets. */
    bool is_marked : 1;   /* Something that was not acknowledged yet. */
    uint64_t received_bytes, discarded_bytes;
    weir_ps first_ps, last_ps;
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct sim_sink) == 64, "sink");

struct sim_notifier { /* At the receiver of a flow that is notified. */
    weir_ps least_ps; /* Between two CNPs. */
    weir_ps last_ps;  /* The last; -1: none yet. */
};

struct sim_marks { /* Counters of marks, at the receiver of a flow. */
    uint64_t n_marked, n_cnps;
};

#endif

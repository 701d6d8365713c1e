/* Recoveries: how losses are noticed and retransmitted.
 *
 * A recovery has two halves.  At the sender it decides which packet of a flow comes next and which
 * are retransmitted; at the receiver, whether a packet is accepted, and the answer.  Like a control
 * (transport.h) it is a pure state machine: its host calls it with events, and packets, timers and
 * wires are its host's concern.
 *
 *          next   sent   answered   timed_out   looked        host -> sender's half
 *          took                                               host -> receiver's half
 *
 * Both halves count packets of a flow from 0.  The counters of every recovery are in rc_sender and
 * rc_receiver, near to what a host needs for each packet; further state is the recovery's own, and
 * its host brings the memory. */

#ifndef TRANSPORT_RECOVERY_H
#define TRANSPORT_RECOVERY_H

#include <stdbool.h>

#include "weir/field.h"
#include "weir/plugin.h"
#include "weir/units.h"

#define RC_NONE UINT32_MAX

struct rc_sender {       /* A flow at its sender. */
    uint32_t n_packets;  /* All; UINT32_MAX: endless. */
    uint32_t sequence;   /* The next to be sent for the first time, */
    uint32_t n_acked;    /* and how many have arrived without a gap. */
    uint32_t last_bytes; /* The size of the last packet. */
    void *own;           /* Null: the next to be sent is always 'sequence', as it is before the
                          * first packet. */
};

struct rc_receiver {    /* A flow at its receiver. */
    uint32_t expected;  /* The first that has not come. */
    uint32_t n_packets; /* All. */
    uint16_t n_unacked, ack_every;
    bool has_complained; /* It complained about the one expected. */
    void *own;           /* Null as long as every packet has come in order. */
};

/* The defaults that a control sets for its recovery. */
struct rc_wishes {
    uint32_t reorder; /* Packets that may overtake one before it counts as lost. */
    uint32_t span;    /* Packets that the receiver can keep, at least; 0: it does not mind. */
};

struct rc_env { /* Constants of a flow. */
    uint64_t line_bps;
    uint32_t mtu_bytes;
    weir_ps rtt_ps;     /* The RTT of an empty path. */
    uint32_t n_packets; /* UINT32_MAX: endless. */
    struct rc_wishes wishes;
};

/* The answers of a receiver.  ACK: all before a packet have arrived.  NACK: the same, and that
 * packet is missed.  SACK: that packet has arrived, though not all before it. */
enum rc_answer { RC_ACK, RC_NACK, RC_SACK };

/* Actions of a receiver on a packet, or'ed. */
enum rc_reply { RC_TAKE = 1, RC_SEND_ACK = 2, RC_SEND_NACK = 4, RC_SEND_SACK = 8 };

struct rc_news {        /* The conclusions of a sender's half from an answer. */
    uint32_t n_arrived; /* Packets that are known to have arrived, and were not before; */
    bool has_last;      /* the last of the flow is one of them; */
    uint32_t cause;     /* The packet whose arrival this answers; RC_NONE if unknown. */
    uint32_t n_lost;    /* Packets newly marked for retransmission; */
    uint32_t first;     /* the first of them. */
    weir_ps look_ps;    /* When it wants to look again; 0: it does not ask. */
};

#define RC_PARAMS_MAX 32 /* Bytes. */

struct recovery {
    struct weir_plugin about;
    bool is_reliable; /* Its receiver answers; else nothing is retransmitted, and no hook is
                       * called. */
    bool needs_order; /* It takes packets out of order for a loss. */
    bool only_counts; /* The state without losses; a host may then handle packets itself, by
                         rc_is_plain_ack() and rc_take_next(), and calls the hooks for the rest. */

    /* Bytes of its state for a flow, at the sender and at the receiver; and their initialisation,
     * from zeroed memory, each half where it is not null.  The size is bounded by the packets of
     * the flow and by what may be in flight.  Null: none.
     *
     * The host takes the sender's memory before the first packet, and the receiver's before the
     * first packet that comes out of order.  It gives both back when the flow has ended. */
    void (*size)(const struct rc_env *, const void *params, size_t *sender, size_t *receiver);
    void (*start)(const struct rc_env *, const void *params, struct rc_sender *,
                  struct rc_receiver *);

    /* next: the packet to send, or RC_NONE if none may be sent before an answer comes.  sent: it
     * has been sent.  flying: the number of packets on their way, and whether the last of the flow
     * is among them.  Null: packets from 'n_acked' to 'sequence' are on their way, and that one is
     * the next. */
    uint32_t (*next)(const struct rc_sender *);
    void (*sent)(struct rc_sender *, uint32_t sequence);
    uint32_t (*flying)(const struct rc_sender *, bool *has_last);

    /* Events: an answer has arrived; nothing new has arrived for long; the time that it asked for
     * is here. */
    struct rc_news (*answered)(struct rc_sender *, enum rc_answer, uint32_t sequence, weir_ps now);
    struct rc_news (*timed_out)(struct rc_sender *);
    struct rc_news (*looked)(struct rc_sender *, weir_ps now);

    /* A packet has arrived: enum rc_reply. */
    unsigned (*took)(struct rc_receiver *, uint32_t sequence);
};

extern const struct recovery rc_none, rc_go_back_n, rc_selective;

WEIR_REGISTRY(struct recovery, recoveries, recovery)

/* A packet that a receiver was waiting for is taken: it acknowledges every few, and the last. */
static inline unsigned
rc_take_expected(struct rc_receiver *r)
{
    bool is_due = ++r->n_unacked >= r->ack_every || r->expected == r->n_packets;

    return RC_TAKE | (is_due ? RC_SEND_ACK : 0u);
}

/* For recoveries that only count.  The packet that a receiver was waiting for has arrived: enum
 * rc_reply. */
static inline unsigned
rc_take_next(struct rc_receiver *r)
{
    r->expected++;
    r->has_complained = false;
    return rc_take_expected(r);
}

/* Whether an ACK acknowledges some packets, none of which was to be retransmitted: then 'n_acked'
 * becomes its number, and that is all. */
static inline bool
rc_is_plain_ack(const struct rc_sender *s, uint32_t sequence)
{
    return sequence > s->n_acked && sequence <= s->sequence;
}

#endif

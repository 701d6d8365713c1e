/* Recoveries: how losses are noticed and retransmitted.
 *
 * A recovery has two halves.  The sender's half decides which packet of a flow is sent next and
 * which packets are retransmitted.  The receiver's half decides whether a packet is accepted, and
 * whether it sends an ACK, a NACK or a SACK.  Like a control (transport.h), a recovery is a pure
 * state machine.  Its host calls it with events, and handles packets, timers and wires itself.
 *
 *          next   sent   answered   timed_out   looked        host -> sender's half
 *          took                                               host -> receiver's half
 *
 * Both halves count packets of a flow from 0.  The counters of every recovery are in rc_sender and
 * rc_receiver, close to data that a host needs for each packet.  A recovery may have more state,
 * whose memory the host provides. */

#ifndef TRANSPORT_RECOVERY_H
#define TRANSPORT_RECOVERY_H

#include <stdbool.h>

#include "weir/field.h"
#include "weir/plugin.h"
#include "weir/units.h"

#define RC_NONE UINT32_MAX

struct rc_sender {       /* A flow at its sender. */
    uint32_t n_packets;  /* The number of packets of the flow; UINT32_MAX: endless. */
    uint32_t sequence;   /* The next packet to be sent for the first time. */
    uint32_t n_acked;    /* The number of packets that have arrived before the first gap. */
    uint32_t last_bytes; /* The size of the last packet. */
    void *own;           /* Null: the next packet to send is always 'sequence', as it is before the
                          * first packet. */
};

struct rc_receiver {    /* A flow at its receiver. */
    uint32_t expected;  /* The first packet that has not arrived. */
    uint32_t n_packets; /* The number of packets of the flow. */
    uint16_t n_unacked, ack_every;
    bool has_complained; /* It has reported the expected packet as missing. */
    void *own;           /* Null as long as every packet has arrived in order. */
};

/* The defaults that a control sets for its recovery. */
struct rc_wishes {
    uint32_t reorder; /* The number of packets that may overtake a packet before it counts as
                       * lost. */
    uint32_t span;    /* The minimum number of packets that the receiver can keep; 0: any. */
};

struct rc_env { /* Constants of a flow. */
    uint64_t line_bps;
    uint32_t mtu_bytes;
    weir_ps rtt_ps;     /* The RTT of an empty path. */
    uint32_t n_packets; /* The number of packets of the flow; UINT32_MAX: endless. */
    struct rc_wishes wishes;
};

/* The kinds of acknowledgements.  ACK: all packets before the given packet have arrived.  NACK: all
 * packets before the given packet have arrived, and that packet is missing.  SACK: the given packet
 * has arrived, but not all packets before it. */
enum rc_answer { RC_ACK, RC_NACK, RC_SACK };

/* The state of a packet that has been sent, as its sender knows it: on its way, arrived, or to be
 * retransmitted. */
enum rc_state { RC_FLYING, RC_ARRIVED, RC_LOST };

/* Actions of a receiver on a packet, or'ed. */
enum rc_reply { RC_TAKE = 1, RC_SEND_ACK = 2, RC_SEND_NACK = 4, RC_SEND_SACK = 8 };

struct rc_news {        /* The conclusions of a sender's half from an acknowledgement. */
    uint32_t n_arrived; /* The number of packets newly known to have arrived. */
    bool has_last;      /* Whether the last packet of the flow is one of them. */
    uint32_t cause;     /* The packet whose arrival caused the acknowledgement; RC_NONE if
                         * unknown. */
    uint32_t n_lost;    /* The number of packets newly marked for retransmission. */
    uint32_t first;     /* The first of the packets newly marked for retransmission. */
    weir_ps look_ps;    /* When 'looked' must be called; 0: no call is needed. */
};

#define RC_PARAMS_MAX 32 /* The maximum size of a recovery's parameters, in bytes. */

struct recovery {
    struct weir_plugin about;
    bool is_reliable; /* The receiver acknowledges packets.  If false, nothing is retransmitted, and
                       * no hook is called. */
    bool needs_order; /* The recovery treats reordering as a loss. */
    bool only_counts; /* Without losses, the recovery only counts.  A host may then handle packets
                       * itself, by rc_is_plain_ack() and rc_take_next(), and call the hooks only in
                       * other cases. */

    /* The sizes of the state for a flow, at the sender and at the receiver.  'start' initialises
     * each half that is not null, from zeroed memory.  The size is bounded by the packets of the
     * flow and by what may be in flight.  Null: none.
     *
     * The host allocates the sender's memory before the first packet, and the receiver's before the
     * first packet that arrives out of order.  It frees both when the flow has ended. */
    void (*size)(const struct rc_env *, const void *params, size_t *sender, size_t *receiver);
    void (*start)(const struct rc_env *, const void *params, struct rc_sender *,
                  struct rc_receiver *);

    /* 'next' returns the packet to send, or RC_NONE if none may be sent before an acknowledgement
     * arrives.  'sent' reports that a packet has been sent.  'flying' returns the number of packets
     * on their way, and whether the last packet of the flow is one of them.  If null, packets from
     * 'n_acked' to before 'sequence' are on their way, and 'sequence' is the next packet. */
    uint32_t (*next)(const struct rc_sender *);
    void (*sent)(struct rc_sender *, uint32_t sequence);
    uint32_t (*flying)(const struct rc_sender *, bool *has_last);

    /* The state of a packet from 'n_acked' to before 'sequence'.  Null if 'flying' is null: all are
     * on their way. */
    enum rc_state (*state)(const struct rc_sender *, uint32_t sequence);

    /* Events: an acknowledgement has arrived; no new acknowledgement has arrived for the timeout;
     * the time 'look_ps' has come. */
    struct rc_news (*answered)(struct rc_sender *, enum rc_answer, uint32_t sequence, weir_ps now);
    struct rc_news (*timed_out)(struct rc_sender *);
    struct rc_news (*looked)(struct rc_sender *, weir_ps now);

    /* A packet has arrived; returns enum rc_reply, or'ed. */
    unsigned (*took)(struct rc_receiver *, uint32_t sequence);
};

extern const struct recovery rc_none, rc_go_back_n, rc_selective;

WEIR_REGISTRY(struct recovery, recoveries, recovery)

/* Accepts the packet that a receiver expects.  The receiver acknowledges every few packets, and the
 * last packet. */
static inline unsigned
rc_take_expected(struct rc_receiver *r)
{
    bool is_due = ++r->n_unacked >= r->ack_every || r->expected == r->n_packets;

    return RC_TAKE | (is_due ? RC_SEND_ACK : 0u);
}

/* For recoveries that only count.  The packet that a receiver expects has arrived; returns enum
 * rc_reply, or'ed. */
static inline unsigned
rc_take_next(struct rc_receiver *r)
{
    r->expected++;
    r->has_complained = false;
    return rc_take_expected(r);
}

/* Whether an ACK acknowledges new packets, none of which waits to be retransmitted.  Then the host
 * only has to set 'n_acked' to its number. */
static inline bool
rc_is_plain_ack(const struct rc_sender *s, uint32_t sequence)
{
    return sequence > s->n_acked && sequence <= s->sequence;
}

#endif

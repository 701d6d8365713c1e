/* Transports: the reaction of a sender to acknowledgements, marks and losses.
 *
 * A transport is a control, which decides how fast a flow may send and how much of it may be on its
 * way, and a recovery (recovery.h), which retransmits losses.  The receiver does what the recovery
 * asks.  Any recovery can stand under any control.
 *
 * Like an engine a control is a pure state machine that its host calls with events and their times,
 * and that answers with limits; packets and acknowledgements are its host's concern.
 *
 *        sent   acked   lost   notified   slowed   timer     host -> control
 *           \      \      |      /        /       /
 *            `------`--> state <-------'-------'
 *                          |
 *               rate   window   next timer                  control -> host
 *
 * Facts of a control say which input it needs: round trips and telemetry cost nothing unless it
 * needs them.  Telemetry is what each switch on a packet's way knew when the packet left it; it
 * comes back with the packet's acknowledgement.
 *
 * All numbers are whole: a run is the same on every machine. */

#ifndef TRANSPORT_H
#define TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "transport/recovery.h"
#include "weir/field.h"
#include "weir/gate.h"
#include "weir/plugin.h"
#include "weir/units.h"

struct tp_env { /* Constants of a flow. */
    uint64_t line_bps;
    uint32_t mtu_bytes;
    weir_ps rtt_ps; /* The RTT of an empty path. */
};

struct tp_limits {
    uint64_t rate_bps;     /* WEIR_UNLIMITED: line rate. */
    uint64_t window_bytes; /* Bytes that may be on their way; WEIR_UNLIMITED: any. */
    weir_ps timer_ps;      /* When it wants to be called; WEIR_NEVER: not. */

    /* All bytes that are not acknowledged count as lost this long after their first packet was
     * sent, or became the first, as those before it were acknowledged. 0: the scenario decides. */
    weir_ps timeout_ps;
};

enum { TP_MAX_HOPS = 8 }; /* Switches beyond these report nothing. */

struct tp_hop { /* A port as a packet leaves by it. */
    weir_ps at_ps;
    uint64_t sent_bytes;  /* Bytes through it so far, without the packet and without gaps. */
    uint64_t rate_bps;    /* The rate of its link. */
    uint32_t queue_bytes; /* Bytes that wait for it, without the packet. */
    uint32_t port;        /* Its number among all ports: another on another path. */
};

struct tp_ack {
    weir_ps now;
    uint64_t bytes;        /* New ones, some at least. */
    uint64_t flying_bytes; /* Bytes that were on their way when it came: these, too, unless they
                            * counted as lost. */
    uint32_t n_acked;      /* Packets that have arrived without a gap, */
    uint32_t n_sent;       /* and that were sent: those before the next new one. */
    bool is_marked;
    weir_ps rtt_ps; /* The RTT of the packet that was answered; 0: not known, as it was sent twice,
                     * or the answer covers several. */
    const struct tp_hop *hops; /* The hops of that packet, in order. */
    uint32_t n_hops;           /* 0: not known. */
};

struct tp_loss {
    weir_ps now;
    uint32_t n_packets;       /* Packets that will be retransmitted. */
    uint64_t flying_bytes;    /* Bytes that were on their way, as far as was known, these among
                               * them. */
    uint32_t n_acked, n_sent; /* As for an ACK. */
    bool has_timed_out;       /* No answer came for long; else an answer reported a gap. */
};

/* Time without a new ACK after which a sender retransmits, unless a scenario sets it: 4.096 us
 * times 2^14, the common setting of NICs (InfiniBand's local ACK timeout of 14). */
#define TP_TIMEOUT_PS (4096000 * ((weir_ps)1 << 14))

#define TP_STATE_MAX  272 /* Bytes. */
#define TP_PARAMS_MAX 128

struct transport {
    struct weir_plugin about;
    const struct recovery *recovery; /* Unless another is chosen. */
    bool wants_marks; /* It uses ECN marks alone: without a switch that marks it does nothing. */
    bool wants_rtt;
    bool wants_telemetry;
    bool acks_each;          /* It must receive every packet at once. */
    struct rc_wishes wishes; /* For a recovery under it. */
    const char *timeout;     /* It sets its own, not less than this parameter; null: it does not. */

    /* True if the parameters, each in its range, fit together at a NIC of that rate. Otherwise
     * returns the reason, and names by %P the one to change.  Text that it adds although they fit
     * is warnings, a line each.  Null: they do. */
    bool (*check)(const void *params, uint64_t line_bps, struct weir_text *);

    /* The least time between two notifications (CNPs) that the receiver of a flow sends for marked
     * packets.  Null: it sends none. */
    weir_ps (*notify_ps)(const void *params);

    /* Size of the state of a flow, at most TP_STATE_MAX.  The host takes that memory when the flow
     * sends its first packet, and gives it back when the flow has ended. */
    size_t state_bytes;

    /* A null hook leaves the limits as they are.  A control without 'start' is never called.  The
     * limits at the start depend on the arguments alone, so that a host may call 'start' twice. */
    void (*start)(void *state, const struct tp_env *, const void *params, struct tp_limits *);
    void (*sent)(void *state, weir_ps now, uint32_t bytes, struct tp_limits *);
    void (*acked)(void *state, const struct tp_ack *, struct tp_limits *);
    void (*lost)(void *state, const struct tp_loss *, struct tp_limits *);
    void (*notified)(void *state, weir_ps now, struct tp_limits *);
    void (*timer)(void *state, weir_ps now, struct tp_limits *);

    /* Flow control asks all senders of a NIC to slow down: go on at 'factor' (a ratio, under 1)
     * times the present rate or window.  From there on it continues as after a congestion of its
     * own, but not under its own floor.  Null: it does not care. */
    void (*slowed)(void *state, weir_ps now, uint64_t factor, struct tp_limits *);
};

extern const struct transport tp_raw, tp_rdma, tp_dcqcn, tp_dctcp, tp_tcp, tp_timely, tp_hpcc;

WEIR_REGISTRY(struct transport, transports, transport)

/* The recovery of a transport, where 'chosen' is that of the scenario, or null: a transport that
 * sends everything once does so in any case.  Null is a transport of that kind, too. */
static inline const struct recovery *
transport_recovery(const struct transport *t, const struct recovery *chosen)
{
    if (!t || !t->recovery->is_reliable) {
        return &rc_none;
    }
    return chosen ? chosen : t->recovery;
}

/* Whether a receiver sends anything back: acknowledgements, or notifications. */
static inline bool
transport_is_answered(const struct transport *t, const struct recovery *chosen)
{
    return transport_recovery(t, chosen)->is_reliable || (t && t->notify_ps);
}

#endif

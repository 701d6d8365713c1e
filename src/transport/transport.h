/* Transports: the reaction of a sender to acknowledgements, marks and losses.
 *
 * A transport is a control, which decides how fast a flow may send and how much of it may be on its
 * way, and a recovery (recovery.h), which retransmits losses.  The receiver obeys the recovery.
 * Any recovery can be combined with any control.
 *
 * Like an engine, a control is a pure state machine.  Its host calls it with events and their
 * times, and it returns limits.  The host handles packets and acknowledgements.
 *
 *        sent   acked   lost   notified   slowed   timer     host -> control
 *           \      \      |      /        /       /
 *            `------`--> state <-------'-------'
 *                          |
 *               rate   window   next timer                  control -> host
 *
 * A control declares which input it needs, so round trips and telemetry cost nothing unless they
 * are needed.  Telemetry is the state of each switch on a packet's path when the packet left it;
 * the packet's acknowledgement carries it back.
 *
 * All numbers are integers, so a run is the same on every machine. */

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
    uint64_t window_bytes; /* Bytes that may be on their way; WEIR_UNLIMITED: no limit. */
    weir_ps timer_ps;      /* When 'timer' must be called; WEIR_NEVER: no call is needed. */

    /* The timeout after which all unacknowledged bytes count as lost.  It counts from when their
     * first packet was sent, or became the first because earlier packets were acknowledged.  0: the
     * scenario decides. */
    weir_ps timeout_ps;
};

/* The maximum number of hops of telemetry; later switches on the path report nothing. */
enum { TP_MAX_HOPS = 8 };

struct tp_hop { /* Telemetry: the state of a port when a packet leaves through it. */
    weir_ps at_ps;
    uint64_t sent_bytes;  /* The bytes that the port has sent before the packet, without gaps. */
    uint64_t rate_bps;    /* The rate of its link. */
    uint32_t queue_bytes; /* The bytes that wait for the port after the packet. */
    uint32_t port;        /* The index of the port among all ports of the network, by which the
                           * control notices a new path. */
};

struct tp_ack {
    weir_ps now;
    uint64_t bytes;        /* Newly acknowledged bytes, at least one. */
    uint64_t flying_bytes; /* Bytes on their way when the ACK arrived, including the new ones unless
                            * they counted as lost. */
    uint32_t n_acked;      /* The number of packets before the first gap. */
    uint32_t n_sent;       /* The number of packets sent at least once. */
    bool is_marked;
    weir_ps rtt_ps; /* The RTT of the acknowledged packet; 0: unknown, because it was sent twice, or
                     * the ACK covers several packets. */
    const struct tp_hop *hops; /* The hops of that packet, in order. */
    uint32_t n_hops;           /* The number of hops; 0: not known. */
};

struct tp_loss {
    weir_ps now;
    uint32_t n_packets;       /* The number of packets that will be retransmitted. */
    uint64_t flying_bytes;    /* Bytes believed to be on their way, including the lost ones. */
    uint32_t n_acked, n_sent; /* As in struct tp_ack. */
    bool has_timed_out;       /* The timeout expired; if false, a NACK or SACK reported a gap. */
};

/* The default time without a new ACK after which a sender retransmits: 4.096 us times 2^14, the
 * common setting of NICs (InfiniBand's local ACK timeout of 14). */
#define TP_TIMEOUT_PS (4096000 * ((weir_ps)1 << 14))

#define TP_STATE_MAX  272 /* The maximum sizes of a control's state and parameters, in bytes. */
#define TP_PARAMS_MAX 128

struct transport {
    struct weir_plugin about;
    const struct recovery *recovery; /* The recovery, unless the scenario chooses another. */
    bool wants_marks; /* The control uses only ECN marks, so it does nothing unless a switch
                       * marks. */
    bool wants_rtt;
    bool wants_telemetry;
    bool acks_each;          /* The receiver must acknowledge every packet at once. */
    struct rc_wishes wishes; /* Defaults for its recovery. */
    const char *timeout;     /* It sets its own timeout, at least this parameter; null: it sets
                              * none. */

    /* Returns true if the parameters, each in its range, fit together at a NIC of the given rate.
     * Otherwise 'text' has the reason, and names by %P the parameter to change.  If they fit,
     * 'text' may have warnings, one on each line.  Null: all parameters fit. */
    bool (*check)(const void *params, uint64_t line_bps, struct weir_text *);

    /* The minimum time between two notifications (CNPs) that the receiver of a flow sends for
     * marked packets.  Null: it sends none. */
    weir_ps (*notify_ps)(const void *params);

    /* The size of the state of a flow, at most TP_STATE_MAX.  The host allocates this memory when
     * the flow sends its first packet, and frees it when the flow has ended. */
    size_t state_bytes;

    /* A null hook leaves the limits as they are.  A control without 'start' is never called.  The
     * initial limits depend only on the arguments, so a host may call 'start' twice. */
    void (*start)(void *state, const struct tp_env *, const void *params, struct tp_limits *);
    void (*sent)(void *state, weir_ps now, uint32_t bytes, struct tp_limits *);
    void (*acked)(void *state, const struct tp_ack *, struct tp_limits *);
    void (*lost)(void *state, const struct tp_loss *, struct tp_limits *);
    void (*notified)(void *state, weir_ps now, struct tp_limits *);
    void (*timer)(void *state, weir_ps now, struct tp_limits *);

    /* Flow control asks all senders of a NIC to slow down: continue at 'factor' (a ratio, below 1)
     * times the current rate or window.  After that, the control continues as after any congestion,
     * but not below its own minimum.  Null: the control ignores this. */
    void (*slowed)(void *state, weir_ps now, uint64_t factor, struct tp_limits *);
};

extern const struct transport tp_raw, tp_rdma, tp_dcqcn, tp_dctcp, tp_tcp, tp_timely, tp_hpcc;

WEIR_REGISTRY(struct transport, transports, transport)

/* The recovery of a transport, where 'chosen' is the recovery of the scenario, or null.  A
 * transport that sends everything only once ignores 'chosen'.  A null transport also sends
 * everything only once. */
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

/* Transports: what a sender does with what it hears.
 *
 * A transport decides how fast a flow may send and how much of it may be on its way.  Like an
 * engine it is a pure state machine that is told what happened, and when, and answers with limits;
 * packets, acknowledgements and sending again are its host's concern.
 *
 *        sent   acked   notified   timer               host -> transport
 *           \      \       |       /
 *            `------`--> state <--'
 *                          |
 *               rate   window   next timer             transport -> host
 *
 * A transport that is reliable asks its receiver to acknowledge; one that is notified has it send a
 * notification (a CNP) for marked packets, no more often than 'notify_ps' of its parameters say.
 *
 * All numbers are whole: a run is the same on every machine. */

#ifndef TRANSPORT_H
#define TRANSPORT_H

#include <stdbool.h>

#include "weir/field.h"
#include "weir/gate.h"
#include "weir/plugin.h"
#include "weir/units.h"

struct tp_env { /* Of a flow: constant. */
    uint64_t line_bps;
    uint32_t mtu_bytes;
    weir_ps rtt_ps; /* Of an empty path. */
};

struct tp_limits {
    uint64_t rate_bps;     /* WEIR_UNLIMITED: line rate. */
    uint64_t window_bytes; /* WEIR_UNLIMITED: any. */
    weir_ps timer_ps;      /* When it wants to be called; WEIR_NEVER: not. */
};

struct tp_ack {
    weir_ps now;
    uint64_t bytes; /* New ones. */
    bool is_marked;
};

#define TP_STATE_MAX  256 /* Bytes. */
#define TP_PARAMS_MAX 128

struct transport {
    struct weir_plugin about; /* The field "notify", if it is notified, is notify_ps. */
    bool is_reliable;
    bool is_notified;
    bool acks_each; /* It must hear of every packet at once. */

    /* Null: the limits stay as they are. */
    void (*start)(void *state, const struct tp_env *, const void *params, struct tp_limits *);
    void (*sent)(void *state, weir_ps now, uint32_t bytes, struct tp_limits *);
    void (*acked)(void *state, const struct tp_ack *, struct tp_limits *);
    void (*notified)(void *state, weir_ps now, struct tp_limits *);
    void (*timer)(void *state, weir_ps now, struct tp_limits *);
};

extern const struct transport tp_raw, tp_rdma, tp_dcqcn, tp_dctcp;
extern const struct weir_field tp_dcqcn_fields[], tp_dctcp_fields[];

extern const struct weir_registry transports;

/* The one with a number in the registry, null past the last; and the one with a name, or null. */
const struct transport *transport_at(uint64_t i);
const struct transport *transport_find(const char *name);

#endif

/* Transmit gates.
 *
 * A gate belongs to one transmit queue and determines when its next packet may start.  Flow control
 * can limit a queue by time, by rate and by credit, and a gate has one limit for each; a packet may
 * start when all three allow it:
 *
 *     pause    no packet starts before 'open_ps'          PFC
 *     rate     packets are spaced to 'rate_bps'           GFC
 *     credit   'sent_bytes' never passes 'limit_bytes'    CBFC
 *
 * Engines rarely write the limits.  The host's scheduler reads the gate inline for every packet,
 * and learns when it may send.  So no scheduler polls a blocked queue:
 *
 *     weir_ps at = weir_gate_ready(gate, now, bytes);
 *     if (at <= now) { start(packet); weir_gate_sent(gate, now, bytes); }
 *     else           wake_up_at(at);          if WEIR_NEVER, wait for an engine's next change
 *
 * The rate limit follows GFC (section 5.3): after a packet that took the time t to send, the queue
 * waits for t (C - R) / R. So the next packet starts one packet time at rate R after the last one
 * started, whatever C is.  A new rate also changes the end of a wait that has already begun, so a
 * long wait from a low rate never delays a new, high rate.  A gate on hold waits for its first rate
 * until a given time, and after that time it sends at line rate.
 *
 * Both credit counters only grow, so a credit message may be lost, repeated or late without damage.
 *
 * A packet has at least one byte, and time does not go back: both are asserted.  A gate belongs to
 * one node, and only that node's thread uses it. */

#ifndef WEIR_GATE_H
#define WEIR_GATE_H

#include <assert.h>
#include <stdbool.h>

#include "units.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A rate or credit without limit. */
#define WEIR_UNLIMITED UINT64_MAX

/* The limits and the progress of one transmit queue. */
struct weir_gate {
    /* Limits, written by engines. */
    weir_ps open_ps;      /* The gate is shut before this time. */
    uint64_t rate_bps;    /* WEIR_UNLIMITED: line rate.  0: shut until the rate changes. */
    uint64_t limit_bytes; /* WEIR_UNLIMITED: no credits in use. */
    uint32_t grain_bytes; /* Credit is spent in multiples of this, a power of two. */
    uint32_t gap_bytes;   /* Preamble and gap. The rate counts them, because they take time on the
                           * wire. */

    /* Progress, written by weir_gate_sent(). */
    uint64_t sent_bytes; /* All credit spent so far. */
    weir_ps last_ps;     /* The start of the last packet; a new rate applies from then on. */
    uint32_t last_bytes; /* The size of the last packet. */
    weir_ps next_ps;     /* The earliest start that the rate allows. */
};

/* Makes a gate without limits. */
void weir_gate_init(struct weir_gate *, uint32_t gap_bytes);
/* Sets the rate of a gate. */
void weir_gate_set_rate(struct weir_gate *, uint64_t rate_bps);

/* Puts the gate on hold: no packet starts before 'until_ps' or the next weir_gate_set_rate(). After
 * 'until_ps' the rate is the line rate. */
void weir_gate_hold(struct weir_gate *, weir_ps until_ps);

/* Shifts all times of the gate after the clock was set back. */
void weir_gate_rebase(struct weir_gate *, weir_ps by_ps);

/* Whether the gate is on hold and has no rate yet. */
static inline bool
weir_gate_is_held(const struct weir_gate *g, weir_ps now)
{
    return g->rate_bps == WEIR_UNLIMITED && g->next_ps > now;
}

/* The credit that a packet needs, rounded up to a multiple of the grain. */
static inline uint64_t
weir_gate_cost(const struct weir_gate *g, uint32_t bytes)
{
    uint64_t mask = (uint64_t)g->grain_bytes - 1;
    return (bytes + mask) & ~mask;
}

/* Returns the earliest time, 'now' or later, at which a packet of 'bytes' may start; WEIR_NEVER
 * when only a message from the peer can open the gate.    Hot: once per packet. */
static inline weir_ps
weir_gate_ready(const struct weir_gate *g, weir_ps now, uint32_t bytes)
{
    assert(bytes);
    if (g->limit_bytes != WEIR_UNLIMITED &&
        g->sent_bytes + weir_gate_cost(g, bytes) > g->limit_bytes) {
        return WEIR_NEVER;
    }
    weir_ps at = now;
    if (at < g->open_ps) {
        at = g->open_ps;
    }
    if (at < g->next_ps) {
        at = g->next_ps;
    }
    return at;
}

/* Whether a packet of 'bytes' may start now.    Hot: once per packet. */
static inline bool
weir_gate_is_open(const struct weir_gate *g, weir_ps now, uint32_t bytes)
{
    assert(bytes);
    return g->open_ps <= now && g->next_ps <= now &&
           (g->limit_bytes == WEIR_UNLIMITED ||
            g->sent_bytes + weir_gate_cost(g, bytes) <= g->limit_bytes);
}

/* The time at which the last packet would end if it were sent at the gate's rate. */
static inline weir_ps
weir_gate_spaced(const struct weir_gate *g)
{
    if (!g->rate_bps) {
        return WEIR_NEVER;
    }
    return weir_after(g->last_ps,
                      weir_wire_ps((uint64_t)g->last_bytes + g->gap_bytes, g->rate_bps));
}

/* Accounts for a packet of 'bytes' that starts now.    Hot: once per packet. */
static inline void
weir_gate_sent(struct weir_gate *g, weir_ps now, uint32_t bytes)
{
    assert(bytes && now >= g->last_ps);
    g->sent_bytes += weir_gate_cost(g, bytes);
    g->last_bytes = bytes;
    g->last_ps = now;
    if (g->rate_bps != WEIR_UNLIMITED) {
        g->next_ps = weir_gate_spaced(g);
    }
}

#ifdef __cplusplus
}
#endif

#endif

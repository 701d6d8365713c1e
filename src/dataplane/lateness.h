/* Lateness of events, and response times of peers to pauses.
 *
 * The response time is the tau of a real link as its receiver measures it: from the frame that
 * requests a pause to the last packet of the class that arrives before the pause ends. If no packet
 * arrives in this time, tau is unknown; otherwise tau is at least this time. */

#ifndef DATAPLANE_LATENESS_H
#define DATAPLANE_LATENESS_H

#include "dataplane/node.h"
#include "weir/wire.h"

/* Records that an event was late by this time. A frame that arrived too early counts as not late.
 * Hot: once per packet. */
void dp_was_late(struct dp_lateness *, weir_ps late_ps);

/* A class at a port whose peer was asked to pause. A zeroed struct has no pause. */
struct dp_asked {
    weir_ps from_ps;
    weir_ps until_ps; /* The end of the pause; 0: no pause was requested. */
    weir_ps took_ps;  /* The time from 'from_ps' to the last arrival in this pause. */
    bool has_come;    /* A packet has arrived in this pause, so 'took_ps' is valid. */
};

/* Records the pauses that a departing frame requests. 'asked' is indexed by class, and 'rate_bps'
 * is the rate of the port. */
void dp_asked(struct dp_asked *, const struct weir_frame *, uint64_t rate_bps, weir_ps now,
              struct dp_lateness *);

/* Records the response time to a pause, which need not have ended. */
void dp_answered(const struct dp_asked *, struct dp_lateness *);

/* Sets back the times of a pause, when the clock, which shows 'now', is set back. */
void dp_asked_rebase(struct dp_asked *, weir_ps now, weir_ps by_ps, struct dp_lateness *);

/* Records the arrival of a packet of the class.  Hot. */
static inline void
dp_came(struct dp_asked *a, weir_ps now)
{
    if (__builtin_expect(now < a->until_ps, 0)) {
        a->took_ps = now - a->from_ps;
        a->has_come = true;
    }
}

#endif

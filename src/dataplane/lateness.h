/* Lateness of events that were due at a time, and response times of peers to pauses.
 *
 * The latter is tau of a real link, as its receiver sees it: from a frame that asks for a pause to
 * the last packet of that class that comes before the pause ends.  If none came, nothing is known;
 * if one came, tau was at least that. */

#ifndef DATAPLANE_LATENESS_H
#define DATAPLANE_LATENESS_H

#include "dataplane/node.h"
#include "weir/wire.h"

/* Due by so much earlier; a frame that came too early was not late.  Hot: once per packet. */
void dp_was_late(struct dp_lateness *, weir_ps late_ps);

struct dp_asked { /* A class at a port whose peer was asked to pause.  Begins as zeros. */
    weir_ps from_ps;
    weir_ps until_ps; /* The pause ends; 0: no pause was requested. */
    weir_ps took_ps;  /* From 'from_ps' until the last packet came, */
    bool has_come;    /* if one has. */
};

/* A frame leaves by a port of that rate, [class]. */
void dp_asked(struct dp_asked *, const struct weir_frame *, uint64_t rate_bps, weir_ps now,
              struct dp_lateness *);

/* The state of a pause that may still last. */
void dp_answered(const struct dp_asked *, struct dp_lateness *);

/* The clock, which shows 'now', is set back. */
void dp_asked_rebase(struct dp_asked *, weir_ps now, weir_ps by_ps, struct dp_lateness *);

/* A packet of that class has arrived.  Hot. */
static inline void
dp_came(struct dp_asked *a, weir_ps now)
{
    if (__builtin_expect(now < a->until_ps, 0)) {
        a->took_ps = now - a->from_ps;
        a->has_come = true;
    }
}

#endif

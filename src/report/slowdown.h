/* How many times longer flows took than they would have alone, by their size.
 *
 * The field draws it so: flows in order of size, in bins of equally many, and of each bin the
 * median and the tail.  A bin ends only where the size changes, so that flows of one size are never
 * told apart. */

#ifndef REPORT_SLOWDOWN_H
#define REPORT_SLOWDOWN_H

#include <stddef.h>

#include "record/rows.h"

enum { REP_MAX_BINS = 20, REP_CDF_POINTS = 200 };

struct rep_finished {
    uint64_t bytes;
    double slowdown;
};

struct rep_bin {
    uint64_t bytes; /* The largest flow in it. */
    uint64_t n;
    double p50, p95, p99;
};

struct rep_slowdown {
    struct rep_finished *flows;
    size_t n, max;
    struct rep_bin bins[REP_MAX_BINS];
    uint32_t n_bins;
    double cdf[REP_CDF_POINTS + 1]; /* [i]: what i / REP_CDF_POINTS of all do not exceed. */
};

/* Those that have not ended, or have no end, do not count. */
void rep_slowdown_add(struct rep_slowdown *, const struct rec_flow *);
void rep_slowdown_finish(struct rep_slowdown *);
void rep_slowdown_free(struct rep_slowdown *);

#endif

/* Draws series of a run as lines of figures over time, and selects the series that are drawn. */

#ifndef REPORT_OVER_TIME_H
#define REPORT_OVER_TIME_H

#include "report/gather.h"
#include "report/plot.h"
#include "report/series-name.h"

/* Times are drawn in milliseconds. */
#define REP_PS_PER_MS 1e9

enum { REP_N_OVER_TIME = 9 };

enum rep_queues { REP_NO_QUEUES, REP_AT_INPUTS, REP_AT_OUTPUTS };

/* A kind of figure of series of a run. */
struct rep_over_time {
    const char *name;
    /* The titles of figures with the largest series, and with chosen ones. */
    const char *title, *chosen;
    const char *y_title, *object, *quantity;
    double unit;            /* The unit of drawn values; 0: a counter, which is drawn as a rate. */
    enum rep_queues queues; /* The queue that thresholds are compared with. */
};

/* A run that is being drawn. */
struct rep_drawn {
    const struct rep_run *run;
    const struct rep_samples *samples;
    const bool *is_chosen; /* [port]; null: the series with the largest peaks are drawn. */
};

struct rep_candidate {
    uint32_t series; /* The index of the series in the samples. */
    uint64_t peak;
};

extern const struct rep_over_time rep_over_time[REP_N_OVER_TIME];

/* The series to draw, the largest first; freed by the caller. */
struct rep_candidate *rep_find_series(const struct rep_drawn *, const struct rep_over_time *,
                                      size_t *n);

/* Adds a line for a series, and the thresholds of its queue. */
void rep_add_series(struct plot *, const struct rep_drawn *, const struct rep_over_time *,
                    uint32_t series, const char *label);

void rep_drawn_place(const struct rep_run *, uint32_t series, char place[REP_PLACE_BYTES]);

#endif

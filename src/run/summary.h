/* The summary of a run of a sweep: numbers that fit a pipe. */

#ifndef RUN_SUMMARY_H
#define RUN_SUMMARY_H

#include "run/collect.h"
#include "run/intervals.h"
#include "run/outcome.h"
#include "run/worker-pool.h"

enum summary_status {
    SUMMARY_COMPLETE,
    SUMMARY_STOPPED,
    SUMMARY_SKIPPED,
    SUMMARY_REFUSED,
    SUMMARY_FAILED,
    SUMMARY_N
};

extern const char *const summary_names[SUMMARY_N]; /* As the results file has them. */

struct summary {
    enum summary_status status;
    struct collected collected;
    double wall_s;                /* Negative: not known. */
    double own[SCN_MAX_MEASURES]; /* The study's measures; negative: none. */
    char warning[256];            /* About workloads that it says little about; or empty. */
    char why[WORKER_POOL_HARM_BYTES + WORKER_POOL_SAID_BYTES + 2];
};

/* Nothing is known: the run did not come to its end. */
void summary_clear(struct summary *, enum summary_status);

/* The run came to its end, or was stopped. */
void summary_fill(struct summary *, const struct outcome *, struct intervals *);

#endif

/* What a run of a sweep comes to: numbers that fit a pipe, and a row. */

#ifndef RUN_SUMMARY_H
#define RUN_SUMMARY_H

#include "record/rows.h"
#include "run/backpressure-of.h"
#include "run/by-workload.h"
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
    struct rec_summary row;       /* Its texts mean nothing: it has crossed a pipe. */
    double own[SCN_MAX_MEASURES]; /* The study's measures; negative: none. */
    struct by_workload workloads; /* The same holds of these; none: nothing is known. */
    char warning[256];            /* Of workloads that it says little about; or empty. */
    char most_paused_link[BACKPRESSURE_LINK_BYTES]; /* Empty: none was paused. */
    char why[WORKER_POOL_HARM_BYTES + WORKER_POOL_SAID_BYTES + 2];
};

/* Nothing is known: of a run that did not come to its end. */
struct summary summary_empty(enum summary_status);

/* Of a run that has come to its end, or was stopped. */
struct summary summary_of(const struct outcome *, struct intervals *);

#endif

/* Completion times of a run: of all measured flows, and of each workload.
 *
 * A flow counts if it has a size, was not stopped and did not start in the warm-up. */

#ifndef RUN_BY_WORKLOAD_H
#define RUN_BY_WORKLOAD_H

#include "answer/completion.h"
#include "record/rows.h"
#include "run/outcome.h"

enum { BY_WORKLOAD_MAX = 1 + SCN_MAX_WORKLOADS };

_Static_assert((int)BY_WORKLOAD_MAX == (int)REC_WORKLOADS_OF_RUN, "rows have room for all");

struct by_workload {
    struct rec_workload rows[BY_WORKLOAD_MAX]; /* The first: all; names are null. */
    char names[BY_WORKLOAD_MAX][SCN_WORKLOAD_BYTES];
    size_t n;
};

/* All flows that count, by their ids; freed by the caller. */
struct completion by_workload_gather(const struct outcome *);

void by_workload_fill(struct by_workload *, const struct outcome *, const struct completion *);

#endif

/* Completion times of a run: of all measured flows, and of each workload.
 *
 * A flow counts if it has a size and did not start in the warm-up.  One that has not ended took
 * longer than all that have: percentiles know that, and the longest time is then not known. */

#ifndef RUN_BY_WORKLOAD_H
#define RUN_BY_WORKLOAD_H

#include "record/rows.h"
#include "run/outcome.h"

enum { BY_WORKLOAD_MAX = 1 + SCN_MAX_WORKLOADS };

_Static_assert((int)BY_WORKLOAD_MAX == (int)REC_WORKLOADS_OF_RUN, "rows have room for all");

struct by_workload {
    struct rec_workload rows[BY_WORKLOAD_MAX]; /* The first: all; names are null. */
    char names[BY_WORKLOAD_MAX][SCN_WORKLOAD_BYTES];
    size_t n;
};

/* Whether a flow counts, for all (0) or for a workload by its number from 1 on. */
bool by_workload_counts(const struct outcome *, uint32_t flow, uint32_t workload);

void by_workload_fill(struct by_workload *, const struct outcome *);

#endif

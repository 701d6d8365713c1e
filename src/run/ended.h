/* Slowdowns and completion times of flows that have ended, for a study's own measures: of flows of
 * a workload or of all, of some sizes, for some port, that start between two times.
 *
 *     struct ended ended = { .o = &outcome };
 *     ended_value(&ended, measure, group)
 *     ended_free(&ended);
 *
 * A flow that has not ended took longer than all that have: then there is no mean and no most, and
 * percentiles only as far as they are of flows that have ended. */

#ifndef RUN_ENDED_H
#define RUN_ENDED_H

#include "run/outcome.h"
#include "scenario/study.h"

struct ended {
    const struct outcome *o;
    double *slowdowns; /* By flow, found when first asked for. */
};

/* Negative: there is none. */
double ended_value(struct ended *, const struct scn_study_measure *, uint32_t group);
void ended_free(struct ended *);

#endif

/* Slowdowns and completion times of flows that have ended, for a study's own measures: of flows of
 * a workload or of all, of some sizes, for some port, that start between two times.
 *
 * A flow that has not ended took longer than all that have: then there is no mean and no maximum,
 * and only those percentiles that fall on flows that have ended. */

#ifndef RUN_FCT_MEASURE_H
#define RUN_FCT_MEASURE_H

#include "answer/completion.h"
#include "run/outcome.h"
#include "scenario/study.h"

/* The measure over the flows of collect_flows(); negative: there is none. */
double fct_measure_value(const struct outcome *, const struct completion *,
                         const struct scn_study_measure *, uint32_t group);

#endif

/* Times of the flows of a run once it is over: of those of some sizes, of a workload or a port, as
 * a study's own measure asks for them. */

#ifndef RUN_ENDED_H
#define RUN_ENDED_H

#include "run/outcome.h"
#include "scenario/study.h"

/* Of the flows that count (a size of their own, started after the warm-up).  Negative: there are
 * none, or it is not known, as some have not ended. */
double ended_value(const struct scn_study_measure *, const struct outcome *);

#endif

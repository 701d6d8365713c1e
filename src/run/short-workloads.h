/* Warns of workloads that a run says little about: all their flows start in the warm-up, or the
 * run ends before the job that they make up is done. */

#ifndef RUN_SHORT_WORKLOADS_H
#define RUN_SHORT_WORKLOADS_H

#include "run/outcome.h"

/* Adds a sentence for each such workload; no text: there is none. */
void short_workloads_warn(const struct outcome *, struct weir_text *);

#endif

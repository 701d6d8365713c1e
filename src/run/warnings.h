/* Warnings about a run, to read before trusting it: settings that have no effect, or an unintended
 * one, and what to do about it. */

#ifndef RUN_WARNINGS_H
#define RUN_WARNINGS_H

#include "run/outcome.h"

enum { WARNINGS_CONFIG_MAX = 29, WARNINGS_MAX = 34 + OUTCOME_MAX_WARNED };

/* Warnings that need only the configuration, before the run.  Sentences; returns how many. */
size_t warnings_of_config(const struct scenario *, const struct model *,
                          struct weir_text warnings[WARNINGS_CONFIG_MAX]);

/* Writes one warning of a model as a sentence, with its location in the scenario and its node. */
void warnings_write(const struct scenario *, const struct model *, const struct model_warning *,
                    struct weir_text *);

/* Writes the same warnings, and those about the results of the run. */
size_t warnings_list(const struct outcome *, struct weir_text warnings[WARNINGS_MAX]);

/* Writes a sentence for each workload that the run measures too briefly (short-workloads.c). */
void short_workloads_warn(const struct outcome *, struct weir_text *);

#endif

/* Makes a model from a scenario: every value that was not set is determined here, once.
 *
 * All code that runs, checks, plans or explains a scenario calls it first.  An error names its
 * location in the file. */

#ifndef BIND_H
#define BIND_H

#include "model/model.h"
#include "scenario/scenario.h"

/* Makes a model, which the caller frees even on failure.  The scenario must outlive the model. */
bool bind_model(const struct scenario *, struct model *, struct err *);

/* Frees the flows of workloads in the scenario. From then on only the model stores them, so the
 * model must outlive the scenario.
 */
void bind_leave_flows(struct scenario *, const struct model *);

/* Makes the jobs of a model whose flows are bound (bind-jobs.c). */
bool bind_jobs(const struct scenario *, struct model *, struct err *);

/* The chosen recovery, or the default of the flow's transport. */
const struct recovery *bind_recovery_of(const struct scenario *, const struct scn_flow *);

#endif

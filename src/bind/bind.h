/* From a scenario to a model: every value that was left open is settled here, once.
 *
 * All code that runs, checks, plans or explains a scenario calls it first.  An error names the
 * place in the file that is to blame. */

#ifndef BIND_H
#define BIND_H

#include "model/model.h"
#include "scenario/scenario.h"

/* The scenario must outlive the model, which is to be freed; also if this fails. */
bool bind_model(const struct scenario *, struct model *, struct err *);

/* The model of this scenario alone keeps the flows of workloads from now on, and must outlive it.
 */
void bind_leave_flows(struct scenario *, const struct model *);

/* The recovery that was chosen, or what the flow's transport has by itself. */
const struct recovery *bind_recovery_of(const struct scenario *, const struct scn_flow *);

#endif

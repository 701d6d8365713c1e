/* From a scenario to a plant: every value that was left open is settled here, once.
 *
 * Whoever runs, checks, plans or explains a scenario binds it first.  What does not fit is refused
 * with the place in the file that is to blame. */

#ifndef BIND_H
#define BIND_H

#include "plant/plant.h"
#include "scenario/scenario.h"

/* The scenario must outlive the plant, which is to be freed; also if this fails. */
bool bind_plant(const struct scenario *, struct plant *, struct err *);

/* The plant of this scenario alone keeps the flows of workloads from now on, and must outlive it.
 */
void bind_leave_flows(struct scenario *, const struct plant *);

/* The recovery that was chosen, or what the flow's transport has by itself. */
const struct recovery *bind_recovery_of(const struct scenario *, const struct scn_flow *);

#endif

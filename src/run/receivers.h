/* The ports by which flows of a workload come to their hosts, while they are under way: the
 * outputs that an incast makes hot.
 *
 *     struct receivers *r = receivers_new(&scenario, group);
 *     for (receivers_rewind(r); receivers_next(r, sim, &port);) ...
 *     receivers_free(r);
 *
 * Each port comes once, whatever the number of flows to its host. */

#ifndef RUN_RECEIVERS_H
#define RUN_RECEIVERS_H

#include "scenario/scenario.h"
#include "sim/sim.h"

struct receivers;

struct receivers *receivers_new(const struct scenario *, uint32_t group);
void receivers_rewind(struct receivers *);
bool receivers_next(struct receivers *, const struct sim *, uint32_t *port);
void receivers_free(struct receivers *);

#endif

/* The exchange between ranks, as the parts of the simulator use it: on the first thread, while the
 * others wait, and on all ranks at the same times.  A process that runs alone exchanges nothing,
 * and all of this is then true at once. */

#ifndef SIM_EXCHANGE_H
#define SIM_EXCHANGE_H

#include "sim/ranks.h"

struct sim;

uint32_t sim_rank(const struct sim *); /* 0, alone. */
uint32_t sim_n_ranks(const struct sim *);

/* The first rank gets what each has: in[i] is that of rank i, at rank 0; elsewhere, and in[0], are
 * left alone.  False: the run is broken off. */
bool sim_gather(struct sim *, const struct sim_parcel *own, struct sim_parcel *in);

/* Everybody gets what the first rank has, in the same parcel. */
bool sim_tell(struct sim *, struct sim_parcel *);

/* Everybody gets what each has; in[own rank] is left alone. */
bool sim_agree(struct sim *, const struct sim_parcel *own, struct sim_parcel *in);

#endif

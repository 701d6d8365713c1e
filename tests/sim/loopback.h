/* Ranks as threads of one process, each with its own simulator, so that tests, sanitizers and
 * debuggers see several ranks at once, without any program that starts processes.
 *
 *     struct sim *sims[4];
 *     struct loopback *l = loopback_new(4);
 *     loopback_run(l, loopback_simple_net, &config, sims);
 *     ... sims[0] has the results ...               sim_free() each
 *     loopback_free(l); */

#ifndef TESTS_SIM_LOOPBACK_H
#define TESTS_SIM_LOOPBACK_H

#include "simple-net/simple-net.h"

struct loopback;

struct loopback *loopback_new(uint32_t n_ranks);
void loopback_free(struct loopback *);
const struct sim_ranks *loopback_rank(struct loopback *, uint32_t rank);

/* Makes one rank after the other, with a call for each, and then runs all at once, each on a
 * thread. Runs none if one cannot be made. */
typedef struct sim *loopback_make(void *arg, const struct sim_ranks *);

bool loopback_run(struct loopback *, loopback_make *, void *arg, struct sim **sims);

/* Makes a rank of a struct simple_net. */
struct sim *loopback_simple_net(void *config, const struct sim_ranks *);

/* Makes a rank disappear after this number of swaps: no swap of any rank succeeds from then on. */
void loopback_break(struct loopback *, uint32_t rank, uint64_t n_swaps);

uint64_t loopback_n_swaps(const struct loopback *);
uint64_t loopback_n_bytes(const struct loopback *); /* The bytes of all exchanges. */

#endif

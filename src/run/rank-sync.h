/* Messages between the ranks of one run outside of the simulator: success of the start, and the
 * result.  All ranks call the same function at the same time; with null there is only one rank. */

#ifndef RUN_RANK_SYNC_H
#define RUN_RANK_SYNC_H

#include "run/exit.h"
#include "sim/ranks.h"

/* True of the one that prints and writes files. */
bool rank_sync_is_first(const struct sim_ranks *);

/* Each has an exit code and, if it is not EXIT_GOOD, why; and something that must be the same for
 * all, as the hash of what was read.  Returns the code of the first rank that has a bad one, with
 * its message in 'err'; the message names the rank if the first would have gone on. */
int rank_sync_agree(const struct sim_ranks *, int code, uint64_t same, struct err *);

/* All ranks get the first rank's bytes.  False: a rank is gone. */
bool rank_sync_broadcast(const struct sim_ranks *, void *bytes, size_t n, struct err *);

/* Everybody gets what each has, 'n' bytes from each, at bytes[rank * n] of 'all'.  Not alone. */
bool rank_sync_gather(const struct sim_ranks *, const void *own, size_t n, void *all, struct err *);

#endif

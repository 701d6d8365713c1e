/* Messages between the ranks of one run outside of the simulator: they agree on whether the start
 * succeeded, and exchange results. All ranks call the same function at the same time. Null instead
 * of ranks means that there is only one. */

#ifndef RUN_RANK_SYNC_H
#define RUN_RANK_SYNC_H

#include "run/exit.h"
#include "sim/ranks.h"

/* Whether this is the first rank, which prints and writes files. */
bool rank_sync_is_first(const struct sim_ranks *);

/* Each rank passes an exit code, with the error if it is not EXIT_GOOD. It also passes 'same', such
 * as a hash of its input, which must be equal on all ranks.  Returns the code of the first rank
 * that failed, with its message in 'err'.  The message names the rank if rank 0 did not fail. */
int rank_sync_agree(const struct sim_ranks *, int code, uint64_t same, struct err *);

/* Sends the first rank's bytes to all.  Returns false if a rank is lost. */
bool rank_sync_broadcast(const struct sim_ranks *, void *bytes, size_t n, struct err *);

/* Sends 'n' bytes of every rank to all ranks, at rank * n in 'all'.  There must be several
 * ranks. */
bool rank_sync_gather(const struct sim_ranks *, const void *own, size_t n, void *all, struct err *);

#endif

/* Ranks by MPI: processes on one machine or many that run one network together.
 *
 *     struct mpi_launch launch;
 *     mpi_launch_read(&launch, &err);              launch.h: whether a launcher has started us
 *     struct mpi *mpi = mpi_begin(&launch, &err);  loads MPI, and meets the other ranks
 *     config.ranks = mpi_ranks(mpi);
 *     ...
 *     mpi_end(mpi);                                waits for all ranks, unless one is lost
 *
 * A swap is one message to each other rank and one from each; bytes that do not fit into the first
 * message follow in a second.  A waiting rank yields its core, so that there may be more ranks than
 * cores.  It checks from time to time whether the ranks that it waits for are still alive (decision
 * 0054). */

#ifndef MPI_MPI_H
#define MPI_MPI_H

#include "mpi/launch.h"
#include "sim/ranks.h"

struct mpi;

/* Connects the ranks. Returns null if this build has no MPI, MPI is not installed, or the ranks
 * differ in their builds or numbers. */
struct mpi *mpi_begin(const struct mpi_launch *, struct err *);
const struct sim_ranks *mpi_ranks(const struct mpi *);

/* The number of ranks that share cores of this machine with this rank, including it. */
uint32_t mpi_n_sharing(const struct mpi *);

/* Called in a signal handler: the launcher has asked this process to end, and will soon kill it.
 * From then on, a rank of another machine that does not respond soon counts as lost. */
void mpi_hurry(struct mpi *);

/* The rank that is lost; -1: no rank is lost. */
int64_t mpi_gone(const struct mpi *);

struct mpi_counts {
    uint64_t n_swaps, n_messages, n_bytes; /* 'n_messages', 'n_bytes': those that this rank sent. */
    double waited_s; /* The time spent waiting for other ranks in all swaps. */
};

struct mpi_counts mpi_counts(const struct mpi *);

void mpi_end(struct mpi *);

/* Whether this build supports MPI. */
bool mpi_is_built_in(void);

#endif

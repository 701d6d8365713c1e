/* Ranks by MPI: processes on one machine or many that run one network together.
 *
 *     struct mpi_launch launch;
 *     mpi_launch_read(&launch, &err);                  launch.h: a launcher has started us, or not
 *     struct mpi *mpi = mpi_begin(&launch, &err);      loads MPI, and meets the other ranks
 *     config.ranks = mpi_ranks(mpi);
 *     ...
 *     mpi_end(mpi);                                    waits for all, unless one is gone
 *
 * A swap is one message to each of the others and one from each; bytes that do not fit into the
 * first follow in a second.  A rank that waits gives the core away, so that there may be more ranks
 * than cores, and checks now and then whether the ranks that it waits for still live (decision
 * 0054). */

#ifndef MPI_MPI_H
#define MPI_MPI_H

#include "mpi/launch.h"
#include "sim/ranks.h"

struct mpi;

/* Null: this build has no MPI, MPI is not installed, or the ranks do not fit together. */
struct mpi *mpi_begin(const struct mpi_launch *, struct err *);
const struct sim_ranks *mpi_ranks(const struct mpi *);

/* How many of the ranks may use the same cores of this machine, with this one. */
uint32_t mpi_n_sharing(const struct mpi *);

/* From a signal handler: the launcher wants us to end, and will soon kill us.  A rank of another
 * machine that does not answer soon then counts as gone. */
void mpi_hurry(struct mpi *);

/* The rank that is gone; -1: none is. */
int64_t mpi_gone(const struct mpi *);

struct mpi_counts {
    uint64_t n_swaps, n_messages, n_bytes; /* Messages and bytes that this rank has sent. */
    double waited_s;                       /* Waiting for other ranks, in all swaps. */
};

struct mpi_counts mpi_counts(const struct mpi *);

void mpi_end(struct mpi *);

/* Whether this build can do it. */
bool mpi_is_built_in(void);

#endif

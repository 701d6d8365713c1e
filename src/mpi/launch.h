/* Finds the launcher that started the program, the rank of this process and the number of
 * processes. Launchers set these in the environment.
 *
 * This happens before MPI is loaded, so that a program without a launcher starts as quickly as
 * without MPI. */

#ifndef MPI_LAUNCH_H
#define MPI_LAUNCH_H

#include <stdint.h>

#include "base/err.h"

struct mpi_launch {
    const char *by; /* The launcher, such as "mpirun"; null: the process runs alone. */
    uint32_t rank;  /* From 0. */
    uint32_t n;     /* The number of processes; 0: only MPI knows it. */
};

/* Reads the environment. Returns false if a launcher has set an invalid number. */
bool mpi_launch_read(struct mpi_launch *, struct err *);

#endif

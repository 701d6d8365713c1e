/* The launcher that started the program, and its rank and number of processes: launchers write
 * these into the environment.
 *
 * It is called before anything of MPI is loaded, so that a program without a launcher starts as
 * quickly as if there were no MPI. */

#ifndef MPI_LAUNCH_H
#define MPI_LAUNCH_H

#include <stdint.h>

#include "base/err.h"

struct mpi_launch {
    const char *by; /* "mpirun"; null: it runs alone. */
    uint32_t rank;  /* From 0. */
    uint32_t n;     /* How many there are; 0: only MPI knows. */
};

/* False: a launcher has left a number that is none, or one that cannot be. */
bool mpi_launch_read(struct mpi_launch *, struct err *);

#endif

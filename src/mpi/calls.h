/* The functions of MPI that Weir uses, as a table.
 *
 * The functions are in a module of their own, weir-mpi.so, which is loaded only when a launcher has
 * started the program.  The libraries of MPI take time to load, and a machine that has none of them
 * runs the same program.  The module knows messages and nothing of simulations.
 *
 * A transfer is a message on its way.  Each has a number, from 0 to n_transfers - 1, that the
 * caller chooses; it is free again when test() reports that it is done.  One thread calls all of
 * it, the one that began. */

#ifndef MPI_CALLS_H
#define MPI_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum transfer_state { TRANSFER_UNDER_WAY, TRANSFER_DONE, TRANSFER_BROKEN };

enum { TRANSFER_MOST_BYTES = 1 << 30 }; /* The size of one message: MPI counts in int. */

struct mpi_calls {
    const char *build; /* The version of Weir that it belongs to. */

    /* False: MPI does not start, and prints its own error. */
    bool (*begin)(uint32_t *rank, uint32_t *n);
    void (*prepare)(uint32_t n_transfers);
    void (*send)(uint32_t transfer, const void *bytes, size_t n, uint32_t to, int tag);
    void (*receive)(uint32_t transfer, void *bytes, size_t most, uint32_t from, int tag);
    enum transfer_state (*test)(uint32_t transfer);
    void (*end)(void); /* Waits until all ranks end. */
};

/* The name of the table in the module. */
#define MPI_CALLS_NAME "weir_mpi_calls"

#endif

/* The functions of MPI that Weir uses, as a table.
 *
 * The functions are in a separate module, weir-mpi.so, which is loaded only if a launcher has
 * started the program.  The libraries of MPI take time to load, and the program also runs on
 * machines without them.  The module handles messages and knows nothing of simulations.
 *
 * A transfer is a message on its way.  The caller gives each a number from 0 to n_transfers - 1,
 * which can be reused when test() reports that the transfer is done.  Only the thread that called
 * begin() may call these functions. */

#ifndef MPI_CALLS_H
#define MPI_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum transfer_state { TRANSFER_UNDER_WAY, TRANSFER_DONE, TRANSFER_BROKEN };

/* The maximum size of one message, because MPI counts bytes in int. */
enum { TRANSFER_MOST_BYTES = 1 << 30 };

struct mpi_calls {
    const char *build; /* The version of Weir that the module belongs to. */

    /* Starts MPI. Returns false if MPI does not start; MPI then prints its own error. */
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

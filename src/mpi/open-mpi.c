/* The module that calls MPI, weir-mpi.so. The rest of src/mpi is linked into the program itself. */

#include <mpi.h>
#include <stdlib.h>

#include "mpi/calls.h"

static MPI_Request *transfers;

static bool
begin(uint32_t *rank, uint32_t *n)
{
    int given, own, all;

    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS ||
        given < MPI_THREAD_FUNNELED) {
        return false;
    }
    /* Errors are returned, so that a waiting rank can report a lost one. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    *rank = (uint32_t)own;
    *n = (uint32_t)all;
    return true;
}

static void
prepare(uint32_t n_transfers)
{
    transfers = malloc(n_transfers * sizeof *transfers);
}

/* Keeps a transfer that was begun. If the call failed, there is no transfer to test, and the next
 * test reports the failure. */
static void
keep_if_good(uint32_t transfer, int code)
{
    if (code != MPI_SUCCESS) {
        transfers[transfer] = MPI_REQUEST_NULL;
    }
}

static void
send_bytes(uint32_t transfer, const void *bytes, size_t n, uint32_t to, int tag)
{
    keep_if_good(transfer, MPI_Isend(bytes, (int)n, MPI_BYTE, (int)to, tag, MPI_COMM_WORLD,
                                     &transfers[transfer]));
}

static void
receive_bytes(uint32_t transfer, void *bytes, size_t most, uint32_t from, int tag)
{
    keep_if_good(transfer, MPI_Irecv(bytes, (int)most, MPI_BYTE, (int)from, tag, MPI_COMM_WORLD,
                                     &transfers[transfer]));
}

static enum transfer_state
test(uint32_t transfer)
{
    int is_done = 0;

    if (transfers[transfer] == MPI_REQUEST_NULL ||
        MPI_Test(&transfers[transfer], &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
        return TRANSFER_BROKEN;
    }
    return is_done ? TRANSFER_DONE : TRANSFER_UNDER_WAY;
}

static void
end(void)
{
    free(transfers);
    MPI_Finalize();
}

extern const struct mpi_calls weir_mpi_calls;

__attribute__((visibility("default"))) const struct mpi_calls weir_mpi_calls = {
    .build = WEIR_VERSION,
    .begin = begin,
    .prepare = prepare,
    .send = send_bytes,
    .receive = receive_bytes,
    .test = test,
    .end = end,
};

/* Declarations shared by the files of src/mpi: the ranks, and the state of each. */

#ifndef MPI_PAIRS_H
#define MPI_PAIRS_H

#include <stdatomic.h>
#include <sys/types.h>

#include "mpi/calls.h"
#include "mpi/mpi.h"

/* The identity of a rank.  Every rank sends it to all others when it begins. */
struct mpi_card {
    char build[32], host[64];
    uint64_t cores;   /* Equal for ranks of one machine that may use the same cores. */
    uint64_t machine; /* Equal for processes that can see each other's process ids. */
    int64_t pid;
};

/* The state of a swap between this rank and one other. */
struct mpi_pair {
    char *first_out, *first_in;   /* Buffers of MPI_FIRST_BYTES each. */
    uint64_t n_out, n_in;         /* The total numbers of bytes. */
    uint64_t handed, taken;       /* The numbers of bytes that were sent, and that have arrived. */
    uint64_t piece_out, piece_in; /* The numbers of bytes in the current messages. */
    bool is_sending, is_receiving;
    bool is_first; /* The next message has the length. */
};

/* The first message of a pair has the number of bytes, and as many of them as fit. */
enum { MPI_FIRST_BYTES = 32768, MPI_FIRST_ROOM = MPI_FIRST_BYTES - sizeof(uint64_t) };

struct mpi {
    struct sim_ranks ranks;
    const struct mpi_calls *calls;
    struct mpi_card *cards; /* [rank]. */
    struct mpi_pair *pairs; /* [rank]. */
    struct mpi_counts counts;
    int64_t gone;
    atomic_bool hurries;
};

/* The swap() of struct sim_ranks (swap.c). */
bool mpi_swap(void *arg, const struct sim_parcel *out, struct sim_parcel *in, struct err *);

/* The waiting of a rank for others, and its limits (waiting.c). */

struct mpi_wait {
    double since_s, looked_s, hurried_s; /* 'hurried_s': the time of mpi_hurry(); or 0. */
    unsigned n_idle;
};

struct mpi_wait mpi_wait_begin(void);

/* Yields the core for a while.  Returns false if one of the awaited ranks is lost. */
bool mpi_wait_on(struct mpi *, struct mpi_wait *, struct err *);

/* The card of this rank. */
struct mpi_card mpi_own_card(void);

/* Records that a rank is lost, with the reason. Returns false. */
bool mpi_lose(struct mpi *, uint32_t rank, const char *why, struct err *);

#endif

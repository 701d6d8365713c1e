/* Parcels of all lengths, exchanged among ranks: check-mpi starts several processes of this
 * program.
 *
 * The lengths are close to those at which a second message is needed.  The content of a parcel
 * follows from its round, sender and receiver, so that a late or misdirected parcel is noticed. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "mpi/pairs.h"

enum { N_ROUNDS = 60 };

static const size_t lengths[] = {
    0, 1, 1000, MPI_FIRST_ROOM - 1, MPI_FIRST_ROOM, MPI_FIRST_ROOM + 1, 2 * MPI_FIRST_BYTES, 1000000
};

static size_t
length(uint32_t round, uint32_t from, uint32_t to)
{
    return lengths[(round + 3 * from + 5 * to) % (sizeof lengths / sizeof *lengths)];
}

static unsigned char
byte(uint32_t round, uint32_t from, uint32_t to, size_t i)
{
    return (unsigned char)(round * 7 + from * 31 + to * 101 + i * 13 + i / 251);
}

static void
fill(struct sim_parcel *p, uint32_t round, uint32_t from, uint32_t to)
{
    size_t n = length(round, from, to);
    unsigned char *bytes = (sim_parcel_room(p, n), n ? sim_parcel_more(p, n) : NULL);

    for (size_t i = 0; i < n; i++) {
        bytes[i] = byte(round, from, to, i);
    }
}

static bool
is_right(const struct sim_parcel *p, uint32_t round, uint32_t from, uint32_t to)
{
    const unsigned char *bytes = p->bytes;
    bool is = p->n == length(round, from, to);

    for (size_t i = 0; is && i < p->n; i++) {
        is = bytes[i] == byte(round, from, to, i);
    }
    return is;
}

static uint32_t
count_wrong(const struct sim_ranks *ranks)
{
    struct sim_parcel *in = array_new(ranks->n, sizeof *in);
    struct sim_parcel *out = array_new(ranks->n, sizeof *out);
    uint32_t n_wrong = 0;
    struct err err;

    for (uint32_t round = 0; round < N_ROUNDS; round++) {
        for (uint32_t i = 0; i < ranks->n; i++) {
            fill(&out[i], round, ranks->rank, i);
        }
        n_wrong += !ranks->swap(ranks->arg, out, in, &err);
        for (uint32_t i = 0; i < ranks->n; i++) {
            n_wrong += i != ranks->rank && !is_right(&in[i], round, i, ranks->rank);
        }
    }
    for (uint32_t i = 0; i < ranks->n; i++) {
        sim_parcel_free(&in[i]);
        sim_parcel_free(&out[i]);
    }
    free(in);
    free(out);
    return n_wrong;
}

/* The required number of messages: a second one if the parcel does not fit into the first. */
static uint64_t
count_messages(const struct sim_ranks *ranks)
{
    uint64_t n = ranks->n - 1; /* One message to each other rank at the start. */

    for (uint32_t round = 0; round < N_ROUNDS; round++) {
        for (uint32_t i = 0; i < ranks->n; i++) {
            bool is_long = length(round, ranks->rank, i) > MPI_FIRST_ROOM;
            n += i == ranks->rank ? 0 : is_long ? 2 : 1;
        }
    }
    return n;
}

int
main(void)
{
    struct mpi_launch launch;
    struct err err;
    struct mpi *mpi = mpi_launch_read(&launch, &err) ? mpi_begin(&launch, &err) : NULL;

    if (!mpi) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    const struct sim_ranks *ranks = mpi_ranks(mpi);
    uint32_t n_wrong = count_wrong(ranks);
    bool counts = mpi_counts(mpi).n_messages == count_messages(ranks);
    printf("rank %u of %u: %u wrong, messages %s\n", ranks->rank, ranks->n, n_wrong,
           counts ? "counted" : "miscounted");
    mpi_end(mpi);
    return n_wrong || !counts;
}

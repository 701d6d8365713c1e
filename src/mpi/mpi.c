/* Loads MPI, connects to the other ranks, and ends the connection. */

#include "mpi/mpi.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/module.h"
#include "mpi/pairs.h"

bool
mpi_is_built_in(void)
{
    return MPI_IS_BUILT_IN;
}

static const struct mpi_calls *
load(struct err *err)
{
    struct err why;

    if (!mpi_is_built_in()) {
        err_set(err, "this program was built without MPI; install Open MPI (libopenmpi-dev on "
                     "Debian) and build it again");
        return NULL;
    }
    const struct mpi_calls *calls = module_load("weir-mpi.so", MPI_CALLS_NAME, WEIR_VERSION, &why);
    if (!calls) {
        err_set(err, "cannot load MPI: %s", why.text);
    }
    return calls;
}

static void
make_pairs(struct mpi *m)
{
    uint32_t n = m->ranks.n;

    m->cards = array_new(n, sizeof *m->cards);
    m->pairs = array_new(n, sizeof *m->pairs);
    for (uint32_t i = 0; i < n; i++) {
        m->pairs[i].first_in = array_new(MPI_FIRST_BYTES, 1);
        m->pairs[i].first_out = array_new(MPI_FIRST_BYTES, 1);
    }
    m->calls->prepare(2 * n);
}

/* Takes the card of a rank. The version is compared first, because cards of other versions may
 * differ. */
static bool
take_card(struct mpi *m, uint32_t rank, const struct sim_parcel *in, struct err *err)
{
    struct mpi_card *card = &m->cards[rank];

    memcpy(card, in->bytes, in->n < sizeof *card ? in->n : sizeof *card);
    card->build[sizeof card->build - 1] = '\0';
    card->host[sizeof card->host - 1] = '\0';
    return !strcmp(card->build, WEIR_VERSION) ||
           err_set(err,
                   "rank %u on %s runs version %s of the program, and rank %u version " WEIR_VERSION
                   "; all must run the same",
                   rank, card->host, card->build, m->ranks.rank);
}

/* Sends the card of this rank to all other ranks, and receives theirs. */
static bool
meet(struct mpi *m, struct err *err)
{
    uint32_t n = m->ranks.n;
    struct sim_parcel *in = array_new(n, sizeof *in), *out = array_new(n, sizeof *out);
    struct mpi_card own = mpi_own_card();

    m->cards[m->ranks.rank] = own;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = (struct sim_parcel){ .bytes = &own, .n = sizeof own };
    }
    bool good = mpi_swap(m, out, in, err);
    for (uint32_t i = 0; i < n; i++) {
        if (good && i != m->ranks.rank) {
            good = take_card(m, i, &in[i], err);
        }
        sim_parcel_free(&in[i]);
    }
    free(in);
    free(out);
    return good;
}

struct mpi *
mpi_begin(const struct mpi_launch *launch, struct err *err)
{
    const struct mpi_calls *calls = load(err);
    struct mpi *m = calls ? array_new(1, sizeof *m) : NULL;
    uint32_t rank, n;

    if (!m) {
        return NULL;
    }
    if (!calls->begin(&rank, &n)) {
        err_set(err, "MPI does not start");
    } else if (launch->n && n != launch->n) {
        err_set(err,
                "%s has started %u processes, but they cannot reach each other by MPI; with Slurm, "
                "try srun --mpi=pmix or mpirun",
                launch->by, launch->n);
    } else {
        m->calls = calls;
        m->gone = -1;
        m->ranks = (struct sim_ranks){ .rank = rank, .n = n, .arg = m, .swap = mpi_swap };
        make_pairs(m);
        if (meet(m, err)) {
            return m;
        }
    }
    free(m);
    return NULL;
}

const struct sim_ranks *
mpi_ranks(const struct mpi *m)
{
    return &m->ranks;
}

uint32_t
mpi_n_sharing(const struct mpi *m)
{
    const struct mpi_card *own = &m->cards[m->ranks.rank];
    uint32_t n = 0;

    for (uint32_t i = 0; i < m->ranks.n; i++) {
        n += m->cards[i].cores == own->cores && !strcmp(m->cards[i].host, own->host);
    }
    return n;
}

void
mpi_hurry(struct mpi *m)
{
    atomic_store_explicit(&m->hurries, true, memory_order_relaxed);
}

int64_t
mpi_gone(const struct mpi *m)
{
    return m->gone;
}

struct mpi_counts
mpi_counts(const struct mpi *m)
{
    return m->counts;
}

void
mpi_end(struct mpi *m)
{
    if (m->gone < 0) {
        m->calls->end();
    }
    for (uint32_t i = 0; i < m->ranks.n; i++) {
        free(m->pairs[i].first_in);
        free(m->pairs[i].first_out);
    }
    free(m->pairs);
    free(m->cards);
    free(m);
}

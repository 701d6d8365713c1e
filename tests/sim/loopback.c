/* A swap in memory: everybody shows what it has, takes copies when all have, and goes on when all
 * have taken theirs. */

#include "loopback.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct loopback {
    uint32_t n;
    struct member {
        struct sim_ranks ranks;
        struct loopback *loopback;
        const struct sim_parcel *out; /* What it shows. */
        uint64_t n_swaps, n_bytes;
    } * members;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    uint32_t n_here;
    uint64_t generation;
    uint32_t gone; /* A rank that goes, after so many swaps; UINT32_MAX: none. */
    uint64_t goes_after;
    bool is_gone;
};

/* False: somebody is gone, and nobody waits any more.  With the mutex held. */
static bool
meet_all(struct loopback *l)
{
    uint64_t generation = l->generation;

    if (++l->n_here == l->n) {
        l->n_here = 0;
        l->generation++;
        pthread_cond_broadcast(&l->changed);
    }
    while (l->generation == generation && !l->is_gone) {
        pthread_cond_wait(&l->changed, &l->mutex);
    }
    return !l->is_gone;
}

static void
take_from_all(struct member *m, struct sim_parcel *in)
{
    for (uint32_t i = 0; i < m->ranks.n; i++) {
        if (i != m->ranks.rank) {
            const struct sim_parcel *from = &m->loopback->members[i].out[m->ranks.rank];
            sim_parcel_room(&in[i], from->n);
            sim_parcel_add(&in[i], from->bytes, from->n);
            m->n_bytes += from->n;
        }
    }
}

static bool
swap(void *arg, const struct sim_parcel *out, struct sim_parcel *in, struct err *err)
{
    struct member *m = arg;
    struct loopback *l = m->loopback;

    pthread_mutex_lock(&l->mutex);
    if (m->ranks.rank == l->gone && m->n_swaps == l->goes_after) {
        l->is_gone = true;
        pthread_cond_broadcast(&l->changed);
    }
    m->n_swaps++;
    m->out = out;
    bool is_good = meet_all(l);
    pthread_mutex_unlock(&l->mutex);
    if (is_good) {
        take_from_all(m, in);
        pthread_mutex_lock(&l->mutex);
        is_good = meet_all(l);
        pthread_mutex_unlock(&l->mutex);
    }
    return is_good || err_set(err, "rank %u is gone", l->gone);
}

struct loopback *
loopback_new(uint32_t n_ranks)
{
    struct loopback *l = array_new(1, sizeof *l);

    l->n = n_ranks;
    l->gone = UINT32_MAX;
    l->members = array_new(n_ranks, sizeof *l->members);
    for (uint32_t i = 0; i < n_ranks; i++) {
        struct member *m = &l->members[i];
        m->loopback = l;
        m->ranks = (struct sim_ranks){ .rank = i, .n = n_ranks, .arg = m, .swap = swap };
    }
    pthread_mutex_init(&l->mutex, NULL);
    pthread_cond_init(&l->changed, NULL);
    return l;
}

void
loopback_free(struct loopback *l)
{
    pthread_mutex_destroy(&l->mutex);
    pthread_cond_destroy(&l->changed);
    free(l->members);
    free(l);
}

const struct sim_ranks *
loopback_rank(struct loopback *l, uint32_t rank)
{
    return &l->members[rank].ranks;
}

static void *
run_one(void *arg)
{
    sim_run(arg);
    return NULL;
}

bool
loopback_run(struct loopback *l, loopback_make *make, void *arg, struct sim **sims)
{
    pthread_t *handles = array_new(l->n, sizeof *handles);
    bool are_made = true;

    for (uint32_t i = 0; i < l->n; i++) {
        sims[i] = make(arg, &l->members[i].ranks);
        are_made &= sims[i] != NULL;
    }
    for (uint32_t i = 0; are_made && i < l->n; i++) {
        pthread_create(&handles[i], NULL, run_one, sims[i]);
    }
    for (uint32_t i = 0; are_made && i < l->n; i++) {
        pthread_join(handles[i], NULL);
    }
    free(handles);
    return are_made;
}

void
loopback_break(struct loopback *l, uint32_t rank, uint64_t n_swaps)
{
    l->gone = rank;
    l->goes_after = n_swaps;
}

uint64_t
loopback_n_swaps(const struct loopback *l)
{
    return l->members[0].n_swaps;
}

uint64_t
loopback_n_bytes(const struct loopback *l)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < l->n; i++) {
        n += l->members[i].n_bytes;
    }
    return n;
}

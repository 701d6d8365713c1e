/* An exchange in memory. Each rank publishes a copy of its bytes, and reads the copies of the
 * others when all have published theirs.  A copy stays visible until the second next exchange,
 * which begins only after all ranks have read the copies. */

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
        struct sim_parcel *shown; /* [parity of its swaps][rank]. */
        uint64_t n_swaps, n_bytes;
    } * members;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    uint32_t n_here;
    uint64_t generation;
    uint32_t gone; /* This rank disappears after 'goes_after' swaps; UINT32_MAX: no rank does. */
    uint64_t goes_after;
    bool is_gone;
};

/* Waits for all ranks, with the mutex held. Returns false if a rank is gone; then no other rank
 * waits any longer. */
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
copy(struct sim_parcel *to, const struct sim_parcel *from)
{
    sim_parcel_room(to, from->n);
    sim_parcel_add(to, from->bytes, from->n);
}

static void
show_to_all(struct member *m, const struct sim_parcel *out)
{
    struct sim_parcel *shown = &m->shown[m->n_swaps % 2 * m->ranks.n];

    for (uint32_t i = 0; i < m->ranks.n; i++) {
        if (i != m->ranks.rank) {
            copy(&shown[i], &out[i]);
        }
    }
}

static void
take_from_all(struct member *m, struct sim_parcel *in)
{
    for (uint32_t i = 0; i < m->ranks.n; i++) {
        if (i != m->ranks.rank) {
            const struct member *other = &m->loopback->members[i];
            copy(&in[i], &other->shown[m->n_swaps % 2 * m->ranks.n + m->ranks.rank]);
            m->n_bytes += in[i].n;
        }
    }
}

static bool
swap(void *arg, const struct sim_parcel *out, struct sim_parcel *in, struct err *err)
{
    struct member *m = arg;
    struct loopback *l = m->loopback;

    show_to_all(m, out);
    pthread_mutex_lock(&l->mutex);
    if (m->ranks.rank == l->gone && m->n_swaps == l->goes_after) {
        l->is_gone = true;
        pthread_cond_broadcast(&l->changed);
    }
    bool is_good = meet_all(l);
    pthread_mutex_unlock(&l->mutex);
    if (is_good) {
        take_from_all(m, in);
    }
    m->n_swaps++;
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
        m->shown = array_new(2 * (size_t)n_ranks, sizeof *m->shown);
        m->ranks = (struct sim_ranks){ .rank = i, .n = n_ranks, .arg = m, .swap = swap };
    }
    pthread_mutex_init(&l->mutex, NULL);
    pthread_cond_init(&l->changed, NULL);
    return l;
}

void
loopback_free(struct loopback *l)
{
    for (uint32_t i = 0; i < 2 * l->n * l->n; i++) {
        sim_parcel_free(&l->members[i / (2 * l->n)].shown[i % (2 * l->n)]);
    }
    for (uint32_t i = 0; i < l->n; i++) {
        free(l->members[i].shown);
    }
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

struct sim *
loopback_simple_net(void *config, const struct sim_ranks *ranks)
{
    struct simple_net of_rank = *(const struct simple_net *)config;
    struct err err;

    of_rank.run.ranks = ranks;
    return simple_net_sim_new(&of_rank, &err);
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

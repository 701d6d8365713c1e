/* The barrier at which the threads of a run wait for each other.  A thread first spins and then
 * sleeps. */

#include "sim/barrier.h"

#include <sched.h>
#include <stdbool.h>

#include "base/core-count.h"

/* If each thread has its own core, a waiting thread first spins, and then yields the core between
 * two checks.  With fewer cores than threads, other threads need the core, so the thread yields it
 * at once.  After a few checks the missing threads are probably busy for longer. */
enum { SPINS = 2000, YIELDS = 500, YIELDS_ON_FEW_CORES = 50 };

void
sim_barrier_init(struct sim_barrier *b, unsigned n_threads)
{
    b->n_threads = n_threads;
    b->spins = n_threads <= core_count() ? SPINS : 0;
    b->max_looks = b->spins + (b->spins ? YIELDS : YIELDS_ON_FEW_CORES);
    pthread_mutex_init(&b->mutex, NULL);
    pthread_cond_init(&b->has_opened, NULL);
    atomic_init(&b->n_here, 0);
    atomic_init(&b->generation, 0);
    atomic_init(&b->n_asleep, 0);
}

void
sim_barrier_free(struct sim_barrier *b)
{
    pthread_cond_destroy(&b->has_opened);
    pthread_mutex_destroy(&b->mutex);
}

/* The order of the two atomic operations matters.  Either this call sees that a thread sleeps, or
 * that thread sees that the barrier is open before it falls asleep. */
static void
open_for_all(struct sim_barrier *b)
{
    atomic_store_explicit(&b->n_here, 0, memory_order_relaxed);
    atomic_fetch_add(&b->generation, 1);
    if (atomic_load(&b->n_asleep)) {
        pthread_mutex_lock(&b->mutex);
        pthread_cond_broadcast(&b->has_opened);
        pthread_mutex_unlock(&b->mutex);
    }
}

static void
sleep_until_open(struct sim_barrier *b, unsigned generation)
{
    atomic_fetch_add(&b->n_asleep, 1);
    pthread_mutex_lock(&b->mutex);
    while (atomic_load(&b->generation) == generation) {
        pthread_cond_wait(&b->has_opened, &b->mutex);
    }
    pthread_mutex_unlock(&b->mutex);
    atomic_fetch_sub(&b->n_asleep, 1);
}

static bool
poll_until_open(const struct sim_barrier *b, unsigned generation)
{
    for (unsigned looks = 0; looks < b->max_looks; looks++) {
        if (atomic_load_explicit(&b->generation, memory_order_acquire) != generation) {
            return true;
        }
        if (looks >= b->spins) {
            sched_yield();
        }
    }
    return false;
}

void
sim_barrier_wait(struct sim_barrier *b)
{
    unsigned generation = atomic_load_explicit(&b->generation, memory_order_acquire);

    if (atomic_fetch_add(&b->n_here, 1) + 1 == b->n_threads) {
        open_for_all(b);
        return;
    }
    if (!poll_until_open(b, generation)) {
        sleep_until_open(b, generation);
    }
}

/* The barrier at which the threads of a run wait for each other after each window.
 *
 * A window takes microseconds, so a thread that has a core of its own looks again and again.  In a
 * run with more threads than cores looking delays those that it waits for: it gives the core away,
 * and soon sleeps. */

#ifndef SIM_BARRIER_H
#define SIM_BARRIER_H

#include <pthread.h>
#include <stdatomic.h>

struct sim_barrier {
    unsigned n_threads;
    unsigned spins, max_looks; /* Looks without giving the core away, and all before it sleeps. */
    pthread_mutex_t mutex;
    pthread_cond_t has_opened;
    _Alignas(64) atomic_uint n_here;
    _Alignas(64) atomic_uint generation; /* How often it has opened. */
    atomic_uint n_asleep;
};

void sim_barrier_init(struct sim_barrier *b, unsigned n_threads);
void sim_barrier_free(struct sim_barrier *b);

/* Returns after all threads have called it. */
void sim_barrier_wait(struct sim_barrier *b);

#endif

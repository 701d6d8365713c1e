/* The barrier at which the threads of a run wait for each other after each window.
 *
 * A window takes microseconds, so a thread that has its own core spins.  With more threads than
 * cores, spinning would delay the other threads, so the thread yields its core and soon sleeps. */

#ifndef SIM_BARRIER_H
#define SIM_BARRIER_H

#include <pthread.h>
#include <stdatomic.h>

struct sim_barrier {
    unsigned n_threads;
    unsigned spins, max_looks; /* Checks without a yield, and all checks before the thread
                                * sleeps. */
    pthread_mutex_t mutex;
    pthread_cond_t has_opened;
    _Alignas(64) atomic_uint n_here;
    _Alignas(64) atomic_uint generation; /* The number of times that the barrier has opened. */
    atomic_uint n_asleep;
};

void sim_barrier_init(struct sim_barrier *b, unsigned n_threads);
void sim_barrier_free(struct sim_barrier *b);

/* Returns after all threads have called it. */
void sim_barrier_wait(struct sim_barrier *b);

#endif

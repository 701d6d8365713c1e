/* A pool of worker processes: each gets the number of a job, does it, and sends back an answer of
 * fixed size.
 *
 *     struct worker_pool *pool = worker_pool_new(n_workers, sizeof (struct answer), work, arg);
 *     while (worker_pool_has_idle(pool)) { worker_pool_give(pool, number, &err); }
 *     while (worker_pool_wait(pool, 200, &done)) ...     a job is done, or its process crashed
 *     worker_pool_free(pool);                            busy processes are killed
 *
 * Workers are processes, not threads, so that a crash loses one job only; another worker takes its
 * place.  The pool keeps what a crashed worker wrote to standard error.  Workers die with the
 * process that started them, however it ends. */

#ifndef RUN_WORKER_POOL_H
#define RUN_WORKER_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* In the worker.  The answer is zeroed. */
typedef void worker_pool_work(void *arg, uint64_t number, void *answer);

struct worker_pool;

enum {
    WORKER_POOL_HARM_BYTES = 100,
    WORKER_POOL_SAID_BYTES = 400,
    WORKER_POOL_MAX_ANSWER_BYTES = 61440
};

struct worker_pool_done {
    uint64_t number;
    const void *answer; /* Valid until the next call; null: the worker crashed, with */
    char harm[WORKER_POOL_HARM_BYTES]; /* a description of its end, */
    int code;                          /* its exit code, or -1 for a signal, */
    char said[WORKER_POOL_SAID_BYTES]; /* and its last message. */
};

struct worker_pool *worker_pool_new(size_t n_workers, size_t answer_bytes, worker_pool_work *,
                                    void *arg);
void worker_pool_free(struct worker_pool *);

/* Asks busy workers by SIGTERM to end soon and answer.  Only workers that have enabled it obey
 * (stopping.h). */
void worker_pool_stop(struct worker_pool *);

bool worker_pool_has_idle(const struct worker_pool *);
bool worker_pool_is_busy(const struct worker_pool *);
bool worker_pool_give(struct worker_pool *, uint64_t number, struct err *);

/* Returns false if nothing came for this many milliseconds, or if a signal came. */
bool worker_pool_wait(struct worker_pool *, int timeout_ms, struct worker_pool_done *);

#endif

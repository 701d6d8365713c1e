/* A pool of worker processes: each gets the number of a job, does it, and sends back a result of
 * fixed size ("answer").
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

/* Called in the worker, which sends the answer back. The answer is zeroed before the call. */
typedef void worker_pool_work(void *arg, uint64_t number, void *answer);

struct worker_pool;

enum {
    WORKER_POOL_HARM_BYTES = 100,
    WORKER_POOL_SAID_BYTES = 400,
    WORKER_POOL_MAX_ANSWER_BYTES = 61440
};

struct worker_pool_done {
    uint64_t number;
    /* The answer, valid until the next call. Null: the worker crashed, and the next three members
     * are set. */
    const void *answer;
    char harm[WORKER_POOL_HARM_BYTES]; /* Describes how the worker ended. */
    int code;                          /* The exit code of the worker; -1: a signal ended it. */
    char said[WORKER_POOL_SAID_BYTES]; /* The end of the worker's standard error. */
};

struct worker_pool *worker_pool_new(size_t n_workers, size_t answer_bytes, worker_pool_work *,
                                    void *arg);
void worker_pool_free(struct worker_pool *);

/* Sends SIGTERM to busy workers, so that they end soon and send their answers. Only workers that
 * have enabled it obey (stopping.h). */
void worker_pool_stop(struct worker_pool *);

bool worker_pool_has_idle(const struct worker_pool *);
bool worker_pool_is_busy(const struct worker_pool *);
bool worker_pool_give(struct worker_pool *, uint64_t number, struct err *);

/* Waits until a job is done, or its worker has crashed. Returns false if that does not happen
 * within so many milliseconds, or if a signal arrives first. */
bool worker_pool_wait(struct worker_pool *, int timeout_ms, struct worker_pool_done *);

#endif

/* Processes that work beside each other: each is given the number of a job, does it, and sends an
 * answer of fixed size back.
 *
 *     struct crew *crew = crew_new(n_workers, sizeof (struct answer), work, arg);
 *     while (crew_has_idle(crew)) { crew_give(crew, number, &err); }
 *     while (crew_wait(crew, 200, &done)) ...         a job is done, or its process came to harm
 *     crew_free(crew);                                those at work are killed
 *
 * Processes and not threads, so that one that comes to harm takes its own job with it and no other;
 * another takes its place.  What a worker writes to standard error is kept apart, as
 * its last words.  Workers die with the process that made them, however it ends. */

#ifndef RUN_CREW_H
#define RUN_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* In the worker.  The answer is zeroed. */
typedef void crew_work(void *arg, uint64_t number, void *answer);

struct crew;

enum { CREW_HARM_BYTES = 100, CREW_SAID_BYTES = 400, CREW_MAX_ANSWER_BYTES = 49152 };

struct crew_done {
    uint64_t number;
    const void *answer;         /* Until the next call; null: it came to harm, and */
    char harm[CREW_HARM_BYTES]; /* how it ended in words, */
    int code;                   /* with which exit code, or -1 by a signal, */
    char said[CREW_SAID_BYTES]; /* and what it last said. */
};

struct crew *crew_new(size_t n_workers, size_t answer_bytes, crew_work *, void *arg);
void crew_free(struct crew *);

/* Asks those at work to end soon, and answer: by SIGTERM, which only workers hear that have said
 * so (stopping.h). */
void crew_stop(struct crew *);

bool crew_has_idle(const struct crew *);
bool crew_is_busy(const struct crew *);
bool crew_give(struct crew *, uint64_t number, struct err *);

/* False: nothing came for this many milliseconds, or a signal did. */
bool crew_wait(struct crew *, int timeout_ms, struct crew_done *);

#endif

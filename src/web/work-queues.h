/* Makes slow answers in separate threads, while the connection sleeps.
 *
 * A lane is one kind of work with its own threads and queue, so that requests of one kind do not
 * delay those of another.  A queue has a limit: a request is refused with a message if the queue is
 * full, or if it has waited too long. */

#ifndef WEB_WORK_QUEUES_H
#define WEB_WORK_QUEUES_H

#include <stdint.h>

#include "web/reply.h"

enum lane {
    LANE_NONE,    /* No work: the answer is immediate. */
    LANE_STATE,   /* The contents of the folder. */
    LANE_REPORTS, /* Results that are read. */
    LANE_FORMS,   /* Processes that are asked. */
    LANE_N
};

/* A unit of work, which the caller owns and must keep until it is woken. */
struct work {
    struct reply (*answer)(const struct ask *);
    struct ask ask;
    void (*wake)(void *arg); /* Called once, from any thread, when the reply is complete. */
    void *arg;
    struct reply reply;
    int64_t since_ms; /* The members from here on belong to the lanes. */
    struct work *next;
};

struct work_queues;

/* Ends the program if its threads cannot be had (base/out-of-memory.h). */
struct work_queues *work_queues_new(void);

void work_queues_add(struct work_queues *, enum lane, struct work *);

/* Refuses requests that have waited too long. */
void work_queues_tick(struct work_queues *);

/* Refuses all waiting and new requests, and waits for the answers in progress. */
void work_queues_end(struct work_queues *);
void work_queues_free(struct work_queues *);

#endif

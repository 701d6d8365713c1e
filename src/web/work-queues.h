/* Answers that take time: made by threads of their own, while the connection sleeps.
 *
 * A lane is one kind of work with its own threads and its own queue, so that many requests of one
 * kind hold up none of another.  A queue has a limit: a request that comes when it is full is
 * refused at once, and one that has waited too long is refused then, both with a message. */

#ifndef WEB_WORK_QUEUES_H
#define WEB_WORK_QUEUES_H

#include <stdint.h>

#include "web/reply.h"

enum lane {
    LANE_NONE,    /* No work: answered on the spot. */
    LANE_STATE,   /* The contents of the folder. */
    LANE_REPORTS, /* Results that are read. */
    LANE_FORMS,   /* Processes that are asked. */
    LANE_N
};

/* Kept by the caller, until it is woken. */
struct work {
    struct reply (*answer)(const struct ask *);
    struct ask ask;
    void (*wake)(void *arg); /* Called once, from any thread: the reply is there. */
    void *arg;
    struct reply reply;
    int64_t since_ms; /* From here on of the lanes. */
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

/* Makes slow responses in separate threads, while the connection sleeps.
 *
 * A lane is one kind of work with its own threads and queue, so that requests of one kind do not
 * delay those of another. A queue has a limit: a request is refused with a message if the queue is
 * full, or if it has waited too long. */

#ifndef WEB_WORK_QUEUES_H
#define WEB_WORK_QUEUES_H

#include <stdint.h>

#include "web/reply.h"

enum lane {
    LANE_NONE,    /* No work: the response is made at once. */
    LANE_STATE,   /* Reading the contents of the folder. */
    LANE_REPORTS, /* Reading results. */
    LANE_FORMS,   /* Waiting for processes. */
    LANE_N
};

/* A unit of work. The caller owns it, and must keep it until it is woken. */
struct work {
    struct reply (*answer)(const struct ask *);
    struct ask ask;
    void (*wake)(void *arg); /* Called once, from any thread, when the response is complete. */
    void *arg;
    struct reply reply;
    int64_t since_ms; /* This member and the next one belong to the queue. */
    struct work *next;
};

struct work_queues;

/* Creates the queues and their threads. Ends the program if there is no memory for them
 * (base/out-of-memory.h). */
struct work_queues *work_queues_new(void);

void work_queues_add(struct work_queues *, enum lane, struct work *);

/* Refuses requests that have waited too long. */
void work_queues_tick(struct work_queues *);

/* Refuses all waiting and new requests, and waits until responses in progress are complete. */
void work_queues_end(struct work_queues *);
void work_queues_free(struct work_queues *);

#endif

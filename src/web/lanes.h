/* Answers that take time: made by threads of their own, while the connection sleeps.
 *
 * A lane is one kind of work with its own threads and its own queue, so that whoever asks for much
 * of one kind holds up nobody who asks for another.  A queue has an end: who comes when it is full
 * is told so at once, and who has waited too long is told so then, both in words. */

#ifndef WEB_LANES_H
#define WEB_LANES_H

#include <stdint.h>

#include "web/reply.h"

enum lane {
    LANE_NONE,    /* No work: answered on the spot. */
    LANE_STATE,   /* What there is in the folder. */
    LANE_REPORTS, /* Results that are read. */
    LANE_FORMS,   /* Processes that are asked. */
    LANE_N
};

/* Kept by who asks, until it is woken. */
struct work {
    struct reply (*answer)(const struct ask *);
    struct ask ask;
    void (*wake)(void *arg); /* Called once, from any thread: the reply is there. */
    void *arg;
    struct reply reply;
    int64_t since_ms; /* From here on of the lanes. */
    struct work *next;
};

struct lanes;

/* Ends the program if its threads cannot be had (base/need.h). */
struct lanes *lanes_new(void);

void lanes_add(struct lanes *, enum lane, struct work *);

/* Tells those who have waited for too long. */
void lanes_tick(struct lanes *);

/* Refuses all that wait or come, and waits for what is being made. */
void lanes_end(struct lanes *);
void lanes_free(struct lanes *);

#endif

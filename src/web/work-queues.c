/* Bounded queues of work, and the threads that process them. */

#include "web/work-queues.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/moment.h"
#include "base/out-of-memory.h"

enum { MAX_THREADS = 2, WAIT_MS = 10000, BUSY = 503 };

static const struct limits {
    const char *what;
    unsigned n_threads, max_waiting;
} limits[LANE_N] = {
    [LANE_STATE] = { "the contents of the folder", 2, 64 },
    [LANE_REPORTS] = { "results", 2, 32 },
    [LANE_FORMS] = { "forms", 2, 16 },
};

struct queue {
    struct work_queues *all;
    const struct limits *limits;
    struct work *first, *last;
    unsigned n_waiting;
    pthread_cond_t come;
    pthread_t threads[MAX_THREADS];
};

struct work_queues {
    pthread_mutex_t mutex; /* Guards all queues. */
    bool is_ending;
    struct queue queues[LANE_N];
};

static struct work *
take_first(struct queue *q)
{
    struct work *w = q->first;

    if (w) {
        q->first = w->next;
        q->last = q->first ? q->last : NULL;
        q->n_waiting--;
    }
    return w;
}

static void
put_last(struct queue *q, struct work *w)
{
    w->next = NULL;
    *(q->last ? &q->last->next : &q->first) = w;
    q->last = w;
    q->n_waiting++;
}

/* Completes a unit of work. The caller may free it as soon as it is woken. */
static void
finish(struct work *w, struct reply reply)
{
    w->reply = reply;
    w->wake(w->arg);
}

static void *
work_off(void *arg)
{
    struct queue *q = arg;
    struct work_queues *l = q->all;

    pthread_mutex_lock(&l->mutex);
    while (!l->is_ending) {
        struct work *w = take_first(q);
        if (!w) {
            pthread_cond_wait(&q->come, &l->mutex);
            continue;
        }
        pthread_mutex_unlock(&l->mutex);
        finish(w, w->answer(&w->ask));
        pthread_mutex_lock(&l->mutex);
    }
    pthread_mutex_unlock(&l->mutex);
    return NULL;
}

static void
start_threads(struct queue *q)
{
    for (unsigned i = 0; i < q->limits->n_threads; i++) {
        int why = pthread_create(&q->threads[i], NULL, work_off, q);
        if (why) {
            oom_fail("cannot start thread %u of %u that answer requests for %s: %s", i + 1,
                     q->limits->n_threads, q->limits->what, strerror(why));
        }
    }
}

struct work_queues *
work_queues_new(void)
{
    struct work_queues *l = array_new(1, sizeof *l);

    pthread_mutex_init(&l->mutex, NULL);
    for (size_t i = 0; i < LANE_N; i++) {
        struct queue *q = &l->queues[i];
        *q = (struct queue){ .all = l, .limits = &limits[i] };
        pthread_cond_init(&q->come, NULL);
        start_threads(q);
    }
    return l;
}

/* Reasons for refusing work. */

static struct reply
refuse_ending(void)
{
    return reply_error(BUSY, "the server is about to end");
}

static struct reply
refuse_full(const struct limits *full)
{
    return reply_error(BUSY,
                       "the server is busy: %u requests for %s are waiting already; ask again in a "
                       "moment",
                       full->max_waiting, full->what);
}

static struct reply
refuse_late(const struct limits *late)
{
    return reply_error(BUSY,
                       "the server is busy: requests for %s came faster than it can answer them; "
                       "ask again in a moment",
                       late->what);
}

void
work_queues_add(struct work_queues *l, enum lane lane, struct work *w)
{
    struct queue *q = &l->queues[lane];

    pthread_mutex_lock(&l->mutex);
    bool is_ending = l->is_ending, is_full = q->n_waiting >= q->limits->max_waiting;
    if (!is_ending && !is_full) {
        w->since_ms = moment_ms();
        put_last(q, w);
        pthread_cond_signal(&q->come);
    }
    pthread_mutex_unlock(&l->mutex);
    if (is_ending || is_full) {
        finish(w, is_ending ? refuse_ending() : refuse_full(q->limits));
    }
}

/* Takes the first unit of work from a queue, if it was added before 'before_ms'; else returns
 * null. */
static struct work *
take_late(struct queue *q, int64_t before_ms)
{
    pthread_mutex_lock(&q->all->mutex);
    struct work *w = q->first && q->first->since_ms < before_ms ? take_first(q) : NULL;
    pthread_mutex_unlock(&q->all->mutex);
    return w;
}

void
work_queues_tick(struct work_queues *l)
{
    int64_t before_ms = moment_ms() - WAIT_MS;

    for (size_t i = 0; i < LANE_N; i++) {
        for (struct work *w; (w = take_late(&l->queues[i], before_ms));) {
            finish(w, refuse_late(&limits[i]));
        }
    }
}

void
work_queues_end(struct work_queues *l)
{
    pthread_mutex_lock(&l->mutex);
    l->is_ending = true;
    for (size_t i = 0; i < LANE_N; i++) {
        pthread_cond_broadcast(&l->queues[i].come);
    }
    pthread_mutex_unlock(&l->mutex);
    for (size_t i = 0; i < LANE_N; i++) {
        for (struct work *w; (w = take_late(&l->queues[i], INT64_MAX));) {
            finish(w, refuse_ending());
        }
    }
    for (size_t i = 0; i < LANE_N; i++) {
        for (unsigned k = 0; k < limits[i].n_threads; k++) {
            pthread_join(l->queues[i].threads[k], NULL);
        }
    }
}

void
work_queues_free(struct work_queues *l)
{
    for (size_t i = 0; i < LANE_N; i++) {
        pthread_cond_destroy(&l->queues[i].come);
    }
    pthread_mutex_destroy(&l->mutex);
    free(l);
}

/* Queues with an end, and threads that work them off. */

#include "web/lanes.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "web/moment.h"

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
    struct lanes *all;
    const struct limits *limits;
    struct work *first, *last;
    unsigned n_waiting, n_threads;
    pthread_cond_t come;
    pthread_t threads[MAX_THREADS];
};

struct lanes {
    pthread_mutex_t mutex; /* Of all queues. */
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

/* Who is woken may be gone at once. */
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
    struct lanes *l = q->all;

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

struct lanes *
lanes_new(void)
{
    struct lanes *l = array_new(1, sizeof *l);

    pthread_mutex_init(&l->mutex, NULL);
    for (size_t i = 0; i < LANE_N; i++) {
        struct queue *q = &l->queues[i];
        *q = (struct queue){ .all = l, .limits = &limits[i] };
        pthread_cond_init(&q->come, NULL);
        while (q->n_threads < limits[i].n_threads &&
               !pthread_create(&q->threads[q->n_threads], NULL, work_off, q)) {
            q->n_threads++;
        }
    }
    return l;
}

void
lanes_add(struct lanes *l, enum lane lane, struct work *w)
{
    struct queue *q = &l->queues[lane];

    pthread_mutex_lock(&l->mutex);
    bool is_full = l->is_ending || !q->n_threads || q->n_waiting >= q->limits->max_waiting;
    if (!is_full) {
        w->since_ms = moment_ms();
        put_last(q, w);
        pthread_cond_signal(&q->come);
    }
    pthread_mutex_unlock(&l->mutex);
    if (is_full) {
        finish(w, reply_error(BUSY,
                              "the server is busy: %u requests for %s are waiting already; ask "
                              "again in a moment",
                              q->limits->max_waiting, q->limits->what));
    }
}

/* The longest in line, if all are to go or it came before 'before_ms'; null: none. */
static struct work *
take_late(struct queue *q, int64_t before_ms)
{
    pthread_mutex_lock(&q->all->mutex);
    bool is_late = q->first && (q->all->is_ending || q->first->since_ms < before_ms);
    struct work *w = is_late ? take_first(q) : NULL;
    pthread_mutex_unlock(&q->all->mutex);
    return w;
}

void
lanes_tick(struct lanes *l)
{
    int64_t before_ms = moment_ms() - WAIT_MS;

    for (size_t i = 0; i < LANE_N; i++) {
        for (struct work *w; (w = take_late(&l->queues[i], before_ms));) {
            finish(w, reply_error(BUSY,
                                  "the server is busy: requests for %s came faster than it "
                                  "can answer them; ask again in a moment",
                                  limits[i].what));
        }
    }
}

void
lanes_end(struct lanes *l)
{
    pthread_mutex_lock(&l->mutex);
    l->is_ending = true;
    for (size_t i = 0; i < LANE_N; i++) {
        pthread_cond_broadcast(&l->queues[i].come);
    }
    pthread_mutex_unlock(&l->mutex);
    lanes_tick(l);
    for (size_t i = 0; i < LANE_N; i++) {
        for (; l->queues[i].n_threads; l->queues[i].n_threads--) {
            pthread_join(l->queues[i].threads[l->queues[i].n_threads - 1], NULL);
        }
    }
}

void
lanes_free(struct lanes *l)
{
    for (size_t i = 0; i < LANE_N; i++) {
        pthread_cond_destroy(&l->queues[i].come);
    }
    pthread_mutex_destroy(&l->mutex);
    free(l);
}

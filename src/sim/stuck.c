/* Deadlock detection: finds a cycle of queues that wait for each other, in a description of what
 * all queues wait for (stuck.h).
 *
 * To find the largest set of stuck queues, begin with all queues of the description.  Remove queues
 * that do not wait for the set, until no such queue is left.  The queues that remain are stuck for
 * ever, because they wait only for each other.  From any of them, following the waits leads into a
 * cycle.  At a pipeline the cycle may enter in one class and leave in another. */

#include "sim/stuck.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/exchange.h"

struct stuck_queue {
    const struct sim_waits *waits;
    const uint32_t *for_queues;
    bool is_crossed_out;
};

struct stuck {
    struct stuck_queue *items; /* The queues of the set, sorted by number. */
    size_t n, max;
    uint32_t n_left;
};

static int
by_queue(const void *a, const void *b)
{
    uint32_t x = ((const struct stuck_queue *)a)->waits->queue;
    uint32_t y = ((const struct stuck_queue *)b)->waits->queue;
    return (x > y) - (x < y);
}

static void
add_described(struct stuck *s, const struct sim_parcel *p)
{
    for (size_t at = 0; at < p->n;) {
        const struct sim_waits *w = (const void *)((const char *)p->bytes + at);
        ARRAY_PUSH(s->items, s->n, s->max) =
            (struct stuck_queue){ .waits = w, .for_queues = (const uint32_t *)(w + 1) };
        at += sizeof *w + (w->n_all + w->n_any) * sizeof(uint32_t);
    }
}

/* The queue with a given number, if it is in the set; else null. */
static const struct stuck_queue *
find(const struct stuck *s, uint32_t queue)
{
    size_t low = 0;

    ARRAY_SEARCH(low, s->n, s->items[middle].waits->queue < queue);
    bool is_found = low < s->n && s->items[low].waits->queue == queue;
    return is_found && !s->items[low].is_crossed_out ? &s->items[low] : NULL;
}

/* A queue for which another queue waits, and the reason. */
struct wait {
    uint32_t queue;
    enum sim_wait why;
};

/* Whether the first list of a queue is not empty, and all its queues are in the set. */
static bool
waits_for_all(const struct stuck *s, const struct stuck_queue *q)
{
    bool are_in_set = q->waits->n_all;

    for (uint32_t i = 0; are_in_set && i < q->waits->n_all; i++) {
        are_in_set = find(s, q->for_queues[i]);
    }
    return are_in_set;
}

/* Whether a queue waits for the set, as struct sim_waits defines it; 'wait' gets one queue that it
 * waits for. */
static bool
waits_for_stuck(const struct stuck *s, const struct stuck_queue *q, struct wait *wait)
{
    if (waits_for_all(s, q)) {
        *wait = (struct wait){ q->waits->next, (enum sim_wait)q->waits->why };
        return true;
    }
    for (uint32_t i = 0; i < q->waits->n_any; i++) {
        uint32_t queue = q->for_queues[q->waits->n_all + i];
        if (find(s, queue)) {
            *wait = (struct wait){ queue, SIM_WAITS_FOR_OUTPUT };
            return true;
        }
    }
    return false;
}

static void
cross_out(struct stuck *s)
{
    bool has_changed = true;

    s->n_left = (uint32_t)s->n;
    while (has_changed && s->n_left) {
        has_changed = false;
        for (size_t i = 0; i < s->n; i++) {
            struct wait wait;
            if (!s->items[i].is_crossed_out && !waits_for_stuck(s, &s->items[i], &wait)) {
                s->items[i].is_crossed_out = has_changed = true;
                s->n_left--;
            }
        }
    }
}

/* The index of a queue in the trail; n if it is not there. */
static uint32_t
find_on_trail(const struct wait *trail, uint32_t n, uint32_t queue)
{
    uint32_t i = 0;

    while (i < n && trail[i].queue != queue) {
        i++;
    }
    return i;
}

/* Follows the waits from a stuck queue until it reaches a queue for the second time; from that
 * queue on, the trail is the cycle. */
static void
trace_cycle(const struct stuck *s, const struct stuck_queue *from, uint32_t n_classes,
            struct sim_deadlock *d)
{
    struct wait trail[SIM_MAX_CYCLE * 4], wait = { .queue = from->waits->queue };
    uint32_t n_trail = 0, start = 0;

    while (n_trail < SIM_MAX_CYCLE * 4) {
        start = find_on_trail(trail, n_trail, wait.queue);
        if (start < n_trail) {
            trail[start].why = wait.why; /* The reason why the previous queue of the cycle waits for
                                          * this one. */
            break;
        }
        trail[n_trail++] = wait;
        waits_for_stuck(s, find(s, wait.queue), &wait);
    }
    for (uint32_t i = start; i < n_trail && d->n_cycle < SIM_MAX_CYCLE; i++) {
        d->cycle[d->n_cycle++] = (struct sim_stuck){ .port = trail[i].queue / n_classes,
                                                     .cls = (uint8_t)(trail[i].queue % n_classes),
                                                     .wait = (uint8_t)trail[i].why };
    }
}

struct sim_deadlock
sim_find_cycle(const struct sim *sim, const struct sim_parcel *parcels)
{
    struct stuck s = { 0 };
    struct sim_deadlock d = { 0 };

    for (uint32_t i = 0; i < sim_n_ranks(sim); i++) {
        add_described(&s, &parcels[i]);
    }
    array_sort(s.items, s.n, sizeof *s.items, by_queue);
    cross_out(&s);
    for (size_t i = 0; s.n_left && !d.found && i < s.n; i++) {
        if (!s.items[i].is_crossed_out) {
            d.found = true;
            d.n_stuck = s.n_left;
            trace_cycle(&s, &s.items[i], sim_model(sim)->n_classes, &d);
        }
    }
    free(s.items);
    return d;
}

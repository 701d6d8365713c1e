/* Mail: all future events.
 *
 * A thread keeps the mail of its own nodes in inboxes, one for each node and each coming window;
 * later mail waits in a heap. outbox.c handles mail for nodes of other threads.
 *
 * The mail of an inbox is stored in small chunks, next to each other, so that it enters the cache
 * together. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/out-of-memory.h"
#include "sim/events.h"
#include "sim/scheduler.h"
#include "sim/wires.h"

/* The heap of later mail, in the order in which mail is run: by time, and at one node by kind,
 * port, and number of the timer or flow. */

static bool
runs_before(const struct sim_mail *a, const struct sim_mail *b)
{
    if (a->at != b->at) {
        return a->at < b->at;
    }
    if (a->node != b->node) {
        return a->node < b->node;
    }
    if (a->event != b->event) {
        return a->event < b->event;
    }
    return a->port != b->port ? a->port < b->port : !sim_is_frame_mail(a) && a->key < b->key;
}

void
sim_far_push(struct sim_log *h, const struct sim_mail *m)
{
    size_t i = h->n;

    ARRAY_PUSH(h->items, h->n, h->max) = *m;
    while (i && runs_before(m, &h->items[(i - 1) / 2])) {
        h->items[i] = h->items[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    h->items[i] = *m;
}

struct sim_mail
sim_far_pop(struct sim_log *h)
{
    struct sim_mail top = h->items[0], last = h->items[--h->n];
    size_t i = 0;

    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= h->n) {
            break;
        }
        if (child + 1 < h->n && runs_before(&h->items[child + 1], &h->items[child])) {
            child++;
        }
        if (!runs_before(&h->items[child], &last)) {
            break;
        }
        h->items[i] = h->items[child];
        i = child;
    }
    h->items[i] = last;
    return top;
}

/* These functions handle chunks. */

enum { MAX_CHUNKS = SIM_NO_MAIL / SIM_CHUNK };

void
sim_grow_chunks(struct sim_thread *t)
{
    uint32_t max = t->max_chunks ? 2 * t->max_chunks : 64;

    if (t->max_chunks == MAX_CHUNKS) {
        oom_fail(
            "more than %u packets, timers and starts of flows are due at nearly the same time, "
            "which is the maximum of one thread; use more threads, or let flows start over time",
            MAX_CHUNKS * SIM_CHUNK);
    }
    max = max < MAX_CHUNKS ? max : MAX_CHUNKS;
    struct sim_mail *mails = arena_large((size_t)max * SIM_CHUNK * sizeof *mails);
    if (t->max_chunks) {
        memcpy(mails, t->mails, (size_t)t->max_chunks * SIM_CHUNK * sizeof *mails);
    }
    free(t->mails);
    t->mails = mails;
    t->chunk_next = array_larger(t->chunk_next, t->max_chunks, max, sizeof *t->chunk_next);
    for (uint32_t i = max; i-- > t->max_chunks;) {
        t->chunk_next[i] = t->chunk_free;
        t->chunk_free = i;
    }
    t->max_chunks = max;
}

void
sim_free_chunks(struct sim_thread *t, struct sim_inbox *inbox)
{
    for (uint32_t left = inbox->n; left; left -= left > SIM_CHUNK ? SIM_CHUNK : left) {
        uint32_t chunk = inbox->chunk;
        inbox->chunk = t->chunk_next[chunk];
        t->chunk_next[chunk] = t->chunk_free;
        t->chunk_free = chunk;
    }
}

/* Moves the mail of an inbox, of the node 'id', into the heap. */
void
sim_put_off(struct sim_thread *t, struct sim_inbox *inbox, uint32_t id)
{
    uint32_t chunk = inbox->chunk;

    for (uint32_t left = inbox->n; left;) {
        uint32_t n_here = (left - 1) % SIM_CHUNK + 1; /* The first chunk may be partly empty. */
        for (uint32_t i = chunk * SIM_CHUNK; i < chunk * SIM_CHUNK + n_here; i++) {
            t->mails[i].node = id;
            sim_far_push(&t->far, &t->mails[i]);
        }
        left -= n_here;
        chunk = t->chunk_next[chunk];
    }
    sim_empty_inbox(t, inbox);
}

void
sim_post_first(struct sim *sim, const struct sim_mail *m)
{
    if (sim_is_here(sim, m->node)) {
        sim_post(&sim->threads[sim->places[m->node].thread], m);
    }
}

void
sim_post_to_end(struct sim *sim, uint32_t link, uint32_t end, struct sim_mail m)
{
    const struct topo *topo = sim->model.topo;

    m.node = topo->links[link].node[end];
    m.port = (uint16_t)topo->ports[topo->links[link].port[end]].number;
    sim_post_first(sim, &m);
}

/* These functions handle frames. */

uint32_t
sim_frame_new(struct sim_thread *t, const struct sim_frame *like)
{
    uint32_t i = t->frames_free;
    if (i != SIM_NONE) {
        t->frames_free = t->frames[i].next;
    } else {
        i = (uint32_t)t->n_frames;
        ARRAY_PUSH(t->frames, t->n_frames, t->max_frames) = (struct sim_frame){ .next = SIM_NONE };
    }
    t->frames[i] = *like;
    t->frames[i].next = SIM_NONE;
    return i;
}

void
sim_frame_free(struct sim_thread *t, uint32_t frame)
{
    t->frames[frame].next = t->frames_free;
    t->frames_free = frame;
}

/* The scheduler: mail for nodes, by windows, on all threads. */

#ifndef SIM_SCHEDULER_H
#define SIM_SCHEDULER_H

#include "sim/run-state.h"

enum { SIM_CHUNK = 4 }; /* The number of items of mail in a chunk of an inbox. */

/* The start of the window that contains a time.  Times after the end of the run belong to its last
 * window. */
static inline weir_ps
sim_window_start(const struct sim *sim, weir_ps at)
{
    return at >> sim->window_bits << sim->window_bits;
}

/* window.c: runs the current window of a thread. */
void sim_run_window(struct sim_thread *);

/* events.c: adds mail, or a port that wakes, for the node being run in the current window. */
void sim_insert_event(struct sim_thread *, uint32_t mail);
void sim_insert_wake(struct sim_thread *, uint32_t port, weir_ps at);
void sim_free_events(struct sim_thread *);

/* reference.c: from now on all mail of a thread goes through its heap. */
void sim_use_heap(struct sim_thread *);

/* outbox.c. sim_take_posted_mail() takes the mail that other threads have posted. sim_take_mail()
 * takes one item of mail from another rank, with the items after it that hold a frame, and returns
 * the number of all these items. */
void sim_post_elsewhere(struct sim_thread *, const struct sim_mail *);
void sim_take_posted_mail(struct sim_thread *);
size_t sim_take_mail(struct sim_thread *, const struct sim_mail *items);

/* These functions are in mail.c. */
void sim_put_off(struct sim_thread *, struct sim_inbox *, uint32_t id);
void sim_grow_chunks(struct sim_thread *);
void sim_free_chunks(struct sim_thread *, struct sim_inbox *);
void sim_far_push(struct sim_log *, const struct sim_mail *);
struct sim_mail sim_far_pop(struct sim_log *);

/* Whether the mail has a frame in the pool of frames. */
static inline bool
sim_is_frame_mail(const struct sim_mail *m)
{
    return (1u << SIM_FRAME | 1u << SIM_MESSAGE | 1u << SIM_NOTICE) >> m->event & 1;
}

static inline void
sim_set_busy(struct sim_due *due, uint32_t local)
{
    due->busy[local / 64] |= (uint64_t)1 << local % 64;
    due->is_busy = true;
}

/* Each outbox has two halves: one round writes a half, and the next round reads it. */
static inline uint64_t
sim_parity(const struct sim_thread *t)
{
    return t->round & 1;
}

/* Returns the index of a free item for mail to a node of this thread, in the newest chunk of its
 * inbox or in a new chunk; a chunk must be free.  The busy bit is set with the first mail of a
 * chunk. */
static inline uint32_t
sim_inbox_place(struct sim_thread *t, struct sim_due *due, uint32_t local)
{
    struct sim_inbox *inbox = &due->inboxes[local];
    uint32_t in_chunk = inbox->n++ % SIM_CHUNK, chunk = inbox->chunk;

    if (!in_chunk) {
        uint32_t before = chunk;
        chunk = t->chunk_free;
        t->chunk_free = t->chunk_next[chunk];
        t->chunk_next[chunk] = before;
        inbox->chunk = chunk;
        sim_set_busy(due, local);
    }
    return chunk * SIM_CHUNK + in_chunk;
}

/* Fast path: usually an inbox has only one chunk. */
static inline void
sim_empty_inbox(struct sim_thread *t, struct sim_inbox *inbox)
{
    if (inbox->n - 1u < SIM_CHUNK) {
        t->chunk_next[inbox->chunk] = t->chunk_free;
        t->chunk_free = inbox->chunk;
    } else {
        sim_free_chunks(t, inbox);
    }
    *inbox = (struct sim_inbox){ SIM_NONE, 0 };
}

/* Puts mail for a node of this thread into its inbox; returns its index in 'mails'. */
static inline uint32_t
sim_put_in_inbox(struct sim_thread *t, const struct sim_mail *m, uint32_t local)
{
    if (t->chunk_free == SIM_NONE) {
        sim_grow_chunks(t);
    }
    struct sim_due *due = &t->due[(m->at >> t->window_bits) & t->ring_mask];
    uint32_t at = sim_inbox_place(t, due, local);
    t->mails[at] = *m;
    return at;
}

/* mail.c: before the run, the first function posts mail for a node if it is on this rank; the
 * second posts mail for the node at an end of a link. */
void sim_post_first(struct sim *, const struct sim_mail *);
void sim_post_to_end(struct sim *, uint32_t link, uint32_t end, struct sim_mail);

/* Hot: once per packet-hop.  Mail that is not for a coming window of a node of this thread takes
 * the slow path, with a copy, so that the fast path needs no copy. */
static inline void
sim_post(struct sim_thread *t, const struct sim_mail *m)
{
    struct sim_partition place = t->places[m->node];
    int64_t ahead = (m->at >> t->window_bits) - t->window;

    if (place.thread == t->id && ahead > 0 && ahead < t->reach) {
        sim_put_in_inbox(t, m, place.local);
    } else {
        struct sim_mail copy = *m;
        sim_post_elsewhere(t, &copy);
    }
}

#endif

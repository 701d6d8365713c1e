/* Outboxes: mail for nodes of other threads, which they take over at the beginning of the next
 * window: nothing arrives sooner than that. */

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "sim/internal.h"

static struct sim_log *
outbox_to(struct sim_thread *t, uint32_t thread, uint64_t parity)
{
    return &t->out[2 * thread + parity];
}

enum { CARRIED = offsetof(struct sim_frame, next) }; /* Bytes of a frame that go with it. */

_Static_assert(CARRIED > sizeof(struct sim_mail) && CARRIED <= 2 * sizeof(struct sim_mail),
               "a frame is carried in two mails");

/* A frame moves from the sender's pool to the receiver's: its mail carries it in the outbox behind.
 */
static void
post_abroad(struct sim_thread *t, const struct sim_mail *m, uint32_t thread)
{
    struct sim_log *out = outbox_to(t, thread, sim_parity(t));

    ARRAY_PUSH(out->items, out->n, out->max) = *m;
    if (sim_is_frame_mail(m)) {
        for (int half = 0; half < 2; half++) {
            struct sim_mail carried = { 0 };
            memcpy(&carried, (char *)&t->frames[m->key] + half * sizeof carried,
                   half ? CARRIED - sizeof carried : sizeof carried);
            ARRAY_PUSH(out->items, out->n, out->max) = carried;
        }
        sim_frame_free(t, m->key);
    }
}

/* Posts what does not go to a coming window of a node of this thread. */
void
sim_post_elsewhere(struct sim_thread *t, const struct sim_mail *m)
{
    struct sim_place place = t->places[m->node];
    int64_t ahead = (m->at >> t->window_bits) - t->window;

    assert(ahead >= (place.thread != t->id)); /* To other threads: in a later window. */
    if (place.thread != t->id) {
        post_abroad(t, m, place.thread);
    } else if (ahead >= t->reach) {
        sim_far_push(&t->far, m);
    } else {
        sim_insert_event(t, sim_put_in_inbox(t, m, place.local));
    }
}

/* Takes what other threads have posted, before a window is run. */
void
sim_take_posted_mail(struct sim_thread *t)
{
    for (uint32_t from = 0; from < t->sim->n_threads; from++) {
        if (from == t->id) {
            continue;
        }
        struct sim_log *in = outbox_to(&t->sim->threads[from], t->id, 1 - sim_parity(t));
        for (size_t i = 0; i < in->n; i++) {
            struct sim_mail m = in->items[i];
            if (sim_is_frame_mail(&m)) {
                struct sim_frame frame = { .next = SIM_NONE };
                memcpy(&frame, &in->items[i + 1], sizeof m);
                memcpy((char *)&frame + sizeof m, &in->items[i + 2], CARRIED - sizeof m);
                m.key = sim_frame_new(t, &frame.frame);
                t->frames[m.key] = frame;
                i += 2;
            }
            if ((m.at >> t->window_bits) - t->window < t->reach) {
                sim_put_in_inbox(t, &m, t->places[m.node].local);
            } else {
                sim_far_push(&t->far, &m);
            }
        }
        in->n = 0;
    }
}

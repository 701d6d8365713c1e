/* Handles outboxes: mail for nodes of other threads.  Those threads read it at the beginning of the
 * next window, because no mail arrives earlier than that.  Mail for nodes of other ranks waits
 * until the ranks meet. */

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/array.h"
#include "sim/exchange.h"
#include "sim/scheduler.h"
#include "sim/wires.h"

static struct sim_log *
outbox_to(struct sim_thread *t, uint32_t thread, uint64_t parity)
{
    return &t->out[2 * thread + parity];
}

static struct sim_log *
outbox_abroad(struct sim_thread *t, const struct sim_mail *m, uint32_t rank)
{
    t->abroad_ps = m->at < t->abroad_ps ? m->at : t->abroad_ps;
    return &t->abroad[rank].mail;
}

/* The number of bytes of a frame that follow its mail. */
enum { CARRIED = offsetof(struct sim_frame, next) };

_Static_assert(CARRIED > sizeof(struct sim_mail) && CARRIED <= 2 * sizeof(struct sim_mail),
               "a frame is carried in two mails");

/* Puts mail into an outbox. A frame moves from the pool of the sender's thread to the pool of the
 * receiver's thread; in the outbox its bytes follow its mail. */
static void
put_in_outbox(struct sim_thread *t, const struct sim_mail *m, struct sim_log *out)
{
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

/* Posts mail that is not for a coming window of a node of this thread. */
void
sim_post_elsewhere(struct sim_thread *t, const struct sim_mail *m)
{
    struct sim_partition place = t->places[m->node];
    int64_t ahead = (m->at >> t->window_bits) - t->window;

    assert(ahead >= (place.thread != t->id)); /* Mail to other threads arrives in a later window. */
    if (place.thread >= SIM_ABROAD) {
        assert(m->at >= t->epoch_end_ps);
        put_in_outbox(t, m, outbox_abroad(t, m, place.thread - SIM_ABROAD));
    } else if (place.thread != t->id) {
        put_in_outbox(t, m, outbox_to(t, place.thread, sim_parity(t)));
    } else if (ahead >= t->reach) {
        sim_far_push(&t->far, m);
    } else {
        sim_insert_event(t, sim_put_in_inbox(t, m, place.local));
    }
}

size_t
sim_take_mail(struct sim_thread *t, const struct sim_mail *items)
{
    struct sim_mail m = items[0];
    size_t n = 1;

    if (sim_is_frame_mail(&m)) {
        struct sim_frame frame = { .next = SIM_NONE };
        memcpy(&frame, &items[1], sizeof m);
        memcpy((char *)&frame + sizeof m, &items[2], CARRIED - sizeof m);
        m.key = sim_frame_new(t, &frame);
        n = 3;
    }
    if ((m.at >> t->window_bits) - t->window < t->reach) {
        sim_put_in_inbox(t, &m, t->places[m.node].local);
    } else {
        sim_far_push(&t->far, &m);
    }
    return n;
}

/* Takes the mail that other threads have posted, before a window is run. */
void
sim_take_posted_mail(struct sim_thread *t)
{
    for (uint32_t from = 0; from < t->sim->n_threads; from++) {
        struct sim_log *in = outbox_to(&t->sim->threads[from], t->id, 1 - sim_parity(t));
        if (from == t->id) {
            continue;
        }
        for (size_t i = 0; i < in->n;) {
            i += sim_take_mail(t, &in->items[i]);
        }
        in->n = 0;
    }
}

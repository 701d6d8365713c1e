/* Runs the work of a thread in a window.
 *
 * To run a window a thread goes from node to node: it sorts the events of the node by time, and
 * runs them while the state of the node is in the cache.  Meanwhile it prefetches the state of the
 * next nodes, because a read from memory takes as long as running a node. */

#include <string.h>

#include "sim/events.h"
#include "sim/scheduler.h"
#include "sim/sojourn.h"
#include "sim/wires.h"

/* Keeps the events after the end of the run, which is within its last window: packets that would
 * have arrived later are still on their way. */
static void
keep_the_rest(struct sim_thread *t, uint32_t node)
{
    for (const uint64_t *event = t->mails_due.next; *event != UINT64_MAX; event++) {
        struct sim_mail m = t->mails[sim_event_mail(*event)];
        m.node = node;
        sim_far_push(&t->far, &m);
    }
}

static inline void
run_mail(struct sim_thread *t, struct sim_node *n, uint32_t mail)
{
    struct sim_mail m = t->mails[mail]; /* A copy, because more events may be added meanwhile. */

    if (m.event == SIM_PACKET) {
        sim_node_take(t, n, &m);
    } else {
        sim_node_run(t, n, &m);
    }
}

/* Runs the next event of a node, if it comes before 'limit'.
 *
 * Hot: twice per packet-hop. */
static inline bool
run_next(struct sim_thread *t, struct sim_node *n, uint64_t limit)
{
    uint64_t mail = *t->mails_due.next, wake = *t->wakes_due.next;

    if (mail < wake) {
        if (mail >= limit) {
            return false;
        }
        t->mails_due.next++;
        run_mail(t, n, sim_event_mail(mail));
    } else {
        if (wake >= limit) {
            return false;
        }
        t->wakes_due.next++;
        sim_node_wake(t, n, sim_event_port(t, wake), sim_event_ps(t, wake));
    }
    t->n_run++;
    return true;
}

/* The alarm of a node as an event if it is in the window; else an event later than all others. */
static inline uint64_t
alarm_event(const struct sim_thread *t, const struct sim_node *n)
{
    bool is_here = n->alarm_ps >> t->window_bits == t->window;

    return is_here ? sim_event(t, n->alarm_ps, SIM_ALARM, 0, 0) : UINT64_MAX;
}

/* Runs a node whose kind has an alarm.  Any event may set the alarm, and at equal times the alarm
 * comes before mail. */
static void
run_with_alarm(struct sim_thread *t, struct sim_node *n)
{
    for (;;) {
        uint64_t alarm = alarm_event(t, n), limit = alarm < t->limit ? alarm : t->limit;
        if (run_next(t, n, limit)) {
            continue;
        }
        if (alarm >= t->limit) {
            break;
        }
        t->n_run++;
        sim_node_check_alarm(t, n, sim_event_ps(t, alarm));
    }
}

/* Prefetches the rows that will count the waits of the packets of this window, by the places of
 * these rows in the table of the node.  In a window with more packets, the others are read when
 * they arrive. */
static __attribute__((noinline)) void
fetch_rows(const struct sim_thread *t, const struct sim_sojourns *s)
{
    enum { MOST = 64 };
    const struct sim_wait_key *places[MOST];
    size_t n = 0, n_mails = s->n_rows ? t->mails_due.n : 0;

    for (size_t i = 0; i < n_mails && i < MOST; i++) {
        const struct sim_mail *m = &t->mails[sim_event_mail(t->mails_due.next[i])];
        /* If the mail is no packet, 'flow' is any number, and the entry is not used. */
        places[n] = sim_wait_place(s, m->packet.flow);
        __builtin_prefetch(places[n]);
        n += m->event == SIM_PACKET && sim_is_data(m->packet.kind);
    }
    for (size_t i = 0; i < n; i++) {
        if (places[i]->row < s->n_rows) {
            __builtin_prefetch(&s->rows[places[i]->row], 1);
        }
    }
}

static void
run_node(struct sim_thread *t, struct sim_due *due, uint32_t local)
{
    struct sim_node *n = &t->own[local];

    sim_list_mails(t, &due->inboxes[local]);
    sim_list_wakes(t, n, &due->wakes[n->first_word]);
    if (n->is_timed) {
        fetch_rows(t, n->sojourns);
    }
    if (n->kind->alarm) {
        run_with_alarm(t, n);
    } else {
        while (run_next(t, n, t->limit)) {
        }
    }
    if (t->limit != UINT64_MAX) {
        keep_the_rest(t, n->id);
    }
    sim_empty_inbox(t, &due->inboxes[local]);
}

/* Prefetching has three steps: the node and its mail; the data that this mail needs; and the
 * packets that its ports will send.  A small network is in the cache anyway. */

enum { AHEAD_NODE = 6, AHEAD_MAIL = 3, AHEAD_HEADS = 1, LINE = 64 };

static void
fetch_node(const struct sim_thread *t, const struct sim_due *due, uint32_t i)
{
    const char *n = (const char *)&t->own[i];

    for (size_t at = 0; at < SIM_NODE_ENGINES_BYTES; at += LINE) {
        __builtin_prefetch(n + at);
    }
    for (size_t at = offsetof(struct sim_node, ports); at < SIM_NODE_HOT_BYTES; at += LINE) {
        __builtin_prefetch(n + at);
    }
    if (due->inboxes[i].n) {
        const struct sim_mail *mails = &t->mails[due->inboxes[i].chunk * SIM_CHUNK];
        __builtin_prefetch(mails);
        __builtin_prefetch(mails + SIM_CHUNK / 2);
    }
}

/* Prefetches a frame, and the data of the engine that will obey it. */
static inline void
fetch_for_frame(const struct sim_thread *t, const struct sim_node *n, const struct sim_mail *m)
{
    uint32_t slot = m->port * n->n_classes;

    __builtin_prefetch(&t->frames[m->key]);
    __builtin_prefetch(&n->shape.ports);
    __builtin_prefetch(&n->weir.ctx.gates[slot]);
    __builtin_prefetch(&n->holds[slot]);
    __builtin_prefetch(&n->far_ps[m->port]);
}

static inline void
fetch_for_frames(const struct sim_thread *t, const struct sim_node *n, const struct sim_mail *mails,
                 uint32_t n_mails)
{
    for (const struct sim_mail *m = mails; m < mails + n_mails; m++) {
        if (m->event == SIM_FRAME) {
            fetch_for_frame(t, n, m);
        }
    }
}

static void
prepare_mails(struct sim_thread *t, const struct sim_due *due, uint32_t i)
{
    struct sim_node *n = &t->own[i];
    uint32_t chunk = due->inboxes[i].chunk;

    for (uint32_t left = due->inboxes[i].n; left;) {
        uint32_t n_here = (left - 1) % SIM_CHUNK + 1;
        n->kind->prepare(t, n, &t->mails[chunk * SIM_CHUNK], n_here);
        fetch_for_frames(t, n, &t->mails[chunk * SIM_CHUNK], n_here);
        left -= n_here;
        chunk = t->chunk_next[chunk];
    }
}

/* Prefetches for the i-th busy node, ahead of the node being run.  A value below 0 wraps to a large
 * number and means no node. */
static void
fetch_ahead(struct sim_thread *t, const struct sim_due *due, uint32_t i)
{
    if (i < t->n_busy) {
        fetch_node(t, due, t->busy[i]);
    }
    i -= AHEAD_NODE - AHEAD_MAIL;
    if (i < t->n_busy) {
        uint32_t local = t->busy[i];
        const struct sim_node *n = &t->own[local];
        prepare_mails(t, due, local);
        n->kind->fetch_ports(n, due->wakes[t->first_word[local]]);
    }
    i -= AHEAD_MAIL - AHEAD_HEADS;
    if (i < t->n_busy) {
        uint32_t local = t->busy[i];
        const struct sim_node *n = &t->own[local];
        if (n->kind->fetch_heads) {
            n->kind->fetch_heads(n, due->wakes[t->first_word[local]]);
        }
    }
}

static void
list_busy(struct sim_thread *t, const struct sim_due *due)
{
    t->n_busy = 0;
    for (uint32_t word = 0; word <= t->n_nodes / 64; word++) {
        for (uint64_t bits = due->busy[word]; bits; bits &= bits - 1) {
            t->busy[t->n_busy++] = 64 * word + (uint32_t)__builtin_ctzll(bits);
        }
    }
}

/* Runs mail of the heap that is due in this window. */
static void
take_far_mail(struct sim_thread *t, weir_ps end)
{
    while (t->far.n && t->far.items[0].at < end) {
        struct sim_mail m = sim_far_pop(&t->far);
        sim_put_in_inbox(t, &m, t->places[m.node].local);
    }
}

void
sim_run_window(struct sim_thread *t)
{
    struct sim_due *due = &t->due[t->window & t->ring_mask];
    weir_ps end = t->start_ps + ((weir_ps)1 << t->window_bits), until = t->sim->config.until_ps;

    t->limit = until < end - 1 ? sim_event(t, until + 1, 0, 0, 0) : UINT64_MAX;
    sim_make_room_for_events(t);
    take_far_mail(t, end);
    list_busy(t, due);
    for (uint32_t i = 0; t->is_large && i < AHEAD_NODE; i++) {
        fetch_ahead(t, due, i);
    }
    for (uint32_t i = 0; i < t->n_busy; i++) {
        if (t->is_large) {
            fetch_ahead(t, due, i + AHEAD_NODE);
        }
        run_node(t, due, t->busy[i]);
    }
    due->is_busy = false;
    memset(due->busy, 0, (t->n_nodes / 64 + 1) * sizeof *due->busy);
}

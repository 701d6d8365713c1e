/* What a thread does in a window.
 *
 * To run a window a thread goes from node to node: it sorts what the node has to do by time, and
 * runs it while the state of the node is in the cache.  While it does, what the next nodes will
 * touch is fetched already: from far memory that takes as long as running a node does. */

#include <stdlib.h>
#include <string.h>

#include "sim/internal.h"

/* What a node has to do in a window, in order. */

static uint64_t
event_key(const struct sim_thread *t, weir_ps at, enum sim_event kind, uint32_t port, uint32_t mail)
{
    uint64_t key = (uint64_t)(at - t->start_ps) << SIM_KIND_BITS | kind;
    return (key << t->port_bits | port) << SIM_MAIL_BITS | mail;
}

static weir_ps
time_of(const struct sim_thread *t, uint64_t event)
{
    return t->start_ps + (weir_ps)(event >> (SIM_MAIL_BITS + t->port_bits + SIM_KIND_BITS));
}

static uint32_t
port_of(const struct sim_thread *t, uint64_t event)
{
    return (uint32_t)(event >> SIM_MAIL_BITS) & ((1u << t->port_bits) - 1);
}

static uint32_t
mail_of(uint64_t event)
{
    return event & SIM_NO_MAIL;
}

static void
make_room(struct sim_thread *t, size_t n)
{
    while (t->max_events < n) {
        t->events = array_room(t->events, t->max_events, &t->max_events, sizeof *t->events);
    }
}

static void
list_mails(struct sim_thread *t, const struct sim_inbox *inbox)
{
    uint32_t chunk = inbox->chunk;

    make_room(t, inbox->n);
    for (uint32_t left = inbox->n; left;) {
        uint32_t n_here = (left - 1) % SIM_CHUNK + 1; /* The first may not be full. */
        for (uint32_t i = chunk * SIM_CHUNK; i < chunk * SIM_CHUNK + n_here; i++) {
            const struct sim_mail *m = &t->mails[i];
            t->events[t->n_events++] = event_key(t, m->at, m->event, m->port, i);
        }
        left -= n_here;
        chunk = t->chunk_next[chunk];
    }
}

/* Ports that wake, if they still do. */
static void
list_wakes(struct sim_thread *t, const struct sim_node *n, uint64_t bits, uint32_t first_port)
{
    make_room(t, t->n_events + 64);
    for (; bits; bits &= bits - 1) {
        uint32_t port = first_port + (uint32_t)__builtin_ctzll(bits);
        weir_ps at = n->ports[port].wake_ps;
        t->events[t->n_events] = event_key(t, at, SIM_TX, port, SIM_NO_MAIL);
        t->n_events += at >> t->window_bits == t->window;
    }
}

/* Timers and flows have no port of their own: at one time they come by their number.  Where their
 * mail stands must not decide, for that depends on who wrote first. */
static bool
comes_after(const struct sim_thread *t, uint64_t a, uint64_t b)
{
    bool is_tied = (a ^ b) >> SIM_MAIL_BITS == 0;

    if (is_tied && mail_of(a) != SIM_NO_MAIL && mail_of(b) != SIM_NO_MAIL) {
        return t->mails[mail_of(a)].key > t->mails[mail_of(b)].key;
    }
    return a > b;
}

/* Moves the event at 'i' forward, at most to 'first', to where it belongs. */
static void
move_forward(struct sim_thread *t, size_t i, size_t first)
{
    uint64_t event = t->events[i];

    for (; i > first && comes_after(t, t->events[i - 1], event); i--) {
        t->events[i] = t->events[i - 1];
    }
    t->events[i] = event;
}

static int
by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

enum { FEW = 48 };

static void
sort_events(struct sim_thread *t)
{
    uint64_t *events = t->events;
    size_t n = t->n_events;

    if (n > FEW) {
        qsort(events, n, sizeof *events, by_number);
    }
    for (size_t i = 1; i < n && n <= FEW; i++) {
        uint64_t event = events[i];
        size_t at = i;
        for (; at && events[at - 1] > event; at--) {
            events[at] = events[at - 1];
        }
        events[at] = event;
    }
    for (size_t i = 1; i < n; i++) {
        if ((events[i] ^ events[i - 1]) >> SIM_MAIL_BITS == 0) {
            move_forward(t, i, 0);
        }
    }
}

/* Into the events of the node being run, behind the one that runs now. */
void
sim_insert_event(struct sim_thread *t, uint32_t mail)
{
    const struct sim_mail *m = &t->mails[mail];

    make_room(t, t->n_events + 1);
    t->events[t->n_events++] = event_key(t, m->at, m->event, m->port, mail);
    move_forward(t, t->n_events - 1, t->i_event + 1);
}

static void
list_events(struct sim_thread *t, const struct sim_due *due, uint32_t i)
{
    const struct sim_node *n = &t->own[i];

    t->n_events = 0;
    list_mails(t, &due->inboxes[i]);
    for (uint32_t word = t->first_word[i]; word < t->first_word[i + 1]; word++) {
        list_wakes(t, n, due->wakes[word], 64 * (word - t->first_word[i]));
        due->wakes[word] = 0;
    }
    sort_events(t);
}

/* The run ends within its last window: what would have come after it is still on its way. */
static void
keep_the_rest(struct sim_thread *t, uint32_t node)
{
    for (; t->i_event < t->n_events; t->i_event++) {
        uint32_t mail = mail_of(t->events[t->i_event]);
        if (mail != SIM_NO_MAIL) {
            struct sim_mail m = t->mails[mail];
            m.node = node;
            sim_far_push(&t->far, &m);
        }
    }
}

static inline void
run_event(struct sim_thread *t, struct sim_node *n, uint64_t event, weir_ps at)
{
    uint32_t mail = mail_of(event);

    t->n_run++;
    if (mail == SIM_NO_MAIL) {
        sim_node_wake(t, n, port_of(t, event), at);
    } else {
        struct sim_mail m = t->mails[mail]; /* A copy: there may be more meanwhile. */
        sim_node_run(t, n, &m);
    }
}

static void
run_node(struct sim_thread *t, struct sim_node *n)
{
    for (t->i_event = 0; t->i_event < t->n_events; t->i_event++) {
        uint64_t event = t->events[t->i_event];
        weir_ps at = time_of(t, event);
        if (at > t->sim->config.until_ps) {
            keep_the_rest(t, n->id);
            break;
        }
        run_event(t, n, event, at);
    }
}

/* The alarm of a node as an event, if it comes in the window; else later than all. */
static inline uint64_t
alarm_event(const struct sim_thread *t, const struct sim_node *n)
{
    bool is_here = n->alarm_ps >> t->window_bits == t->window;

    return is_here ? event_key(t, n->alarm_ps, SIM_ALARM, 0, 0) : UINT64_MAX;
}

/* The same for a node whose kind has an alarm, which comes before mail that was written for it,
 * wherever that stands.  While that runs, 'i_event' is the last event that has run, so that what is
 * inserted may become the next. */
static void
run_node_with_alarm(struct sim_thread *t, struct sim_node *n)
{
    for (t->i_event = SIZE_MAX;;) {
        size_t next = t->i_event + 1;
        uint64_t event = next < t->n_events ? t->events[next] : UINT64_MAX;
        uint64_t alarm = alarm_event(t, n), first = alarm < event ? alarm : event;
        weir_ps at = time_of(t, first);
        if (first == UINT64_MAX) {
            break;
        }
        if (at > t->sim->config.until_ps) {
            t->i_event = next;
            keep_the_rest(t, n->id);
            break;
        }
        if (alarm <= event) {
            t->n_run++;
            sim_node_look_at_alarm(t, n, at);
        } else {
            t->i_event = next;
            run_event(t, n, event, at);
        }
    }
}

/* Fetching ahead, in three steps: the node and its mails; what these lead to; and the packets that
 * its ports will send.  A small network is in the cache anyway. */

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

static void
prepare_mails(struct sim_thread *t, const struct sim_due *due, uint32_t i)
{
    struct sim_node *n = &t->own[i];
    uint32_t chunk = due->inboxes[i].chunk;

    for (uint32_t left = due->inboxes[i].n; left;) {
        uint32_t n_here = (left - 1) % SIM_CHUNK + 1;
        n->kind->prepare(t, n, &t->mails[chunk * SIM_CHUNK], n_here);
        left -= n_here;
        chunk = t->chunk_next[chunk];
    }
}

/* 'i' counts nodes that are busy, and runs ahead of the one that is run; under 0 it is large, and
 * so none. */
static void
look_ahead(struct sim_thread *t, const struct sim_due *due, uint32_t i)
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

void
sim_run_window(struct sim_thread *t)
{
    struct sim_due *due = &t->due[t->window & t->ring_mask];
    weir_ps end = t->start_ps + ((weir_ps)1 << t->window_bits);

    while (t->far.n && t->far.items[0].at < end) {
        struct sim_mail m = sim_far_pop(&t->far);
        sim_put_in_inbox(t, &m, t->places[m.node].local);
    }
    list_busy(t, due);
    for (uint32_t i = 0; t->is_large && i < AHEAD_NODE; i++) {
        look_ahead(t, due, i);
    }
    for (uint32_t i = 0; i < t->n_busy; i++) {
        uint32_t local = t->busy[i];
        if (t->is_large) {
            look_ahead(t, due, i + AHEAD_NODE);
        }
        list_events(t, due, local);
        struct sim_node *n = &t->own[local];
        if (n->kind->alarm) {
            run_node_with_alarm(t, n);
        } else {
            run_node(t, n);
        }
        sim_empty_inbox(t, &due->inboxes[local]);
    }
    due->n = 0;
    memset(due->busy, 0, (t->n_nodes / 64 + 1) * sizeof *due->busy);
}

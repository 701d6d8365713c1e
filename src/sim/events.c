/* The events of a node in a window: the node lists and sorts them, and adds some while they run. */

#include "sim/events.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/scheduler.h"

/* Makes room for this many events and for the end mark after them. */
static inline void
make_room(struct sim_events *e, size_t n)
{
    while (e->max <= n) {
        e->items = array_room(e->items, e->max, &e->max, sizeof *e->items);
    }
}

static inline void
begin_list(struct sim_events *e, size_t n)
{
    e->next = e->items;
    e->n = n;
    e->items[n] = UINT64_MAX;
}

static inline void
sort_few(uint64_t *events, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t event = events[i];
        size_t at = i;
        for (; at && events[at - 1] > event; at--) {
            events[at] = events[at - 1];
        }
        events[at] = event;
    }
}

enum { FEW = 20, SPREAD_BITS = 6, N_SPREAD = 1 << SPREAD_BITS };

/* Allocates room for a few items of mail and for a wake-up of every port. */
void
sim_make_room_for_events(struct sim_thread *t)
{
    make_room(&t->mails_due, FEW);
    make_room(&t->wakes_due, ((size_t)1 << t->port_bits) + 64);
}

/* Computes where the events of each part of the window begin, if events are spread over the window.
 * Returns false if one part has too many. */
static bool
find_places(const uint64_t *events, size_t n, int shift, uint32_t *place)
{
    uint32_t first = 0, most = 0;

    memset(place, 0, N_SPREAD * sizeof *place);
    for (size_t i = 0; i < n; i++) {
        place[events[i] >> shift]++;
    }
    for (size_t i = 0; i < N_SPREAD; i++) {
        uint32_t here = place[i];
        place[i] = first;
        first += here;
        most = here > most ? here : most;
    }
    return most <= FEW;
}

/* Puts each event near its final position, by its time, and then sorts neighbours. */
static __attribute__((noinline)) void
sort_many(struct sim_thread *t, struct sim_events *e, size_t n)
{
    int bits = t->window_bits + SIM_KIND_BITS + t->port_bits + SIM_MAIL_BITS;
    int shift = bits > SPREAD_BITS ? bits - SPREAD_BITS : 0;
    uint32_t place[N_SPREAD];

    if (!find_places(e->items, n, shift, place)) {
        array_sort_u64(e->items, n);
        return;
    }
    make_room(&t->spare, e->max - 1); /* This array becomes the list, so it must be equally
                                       * large. */
    for (size_t i = 0; i < n; i++) {
        t->spare.items[place[e->items[i] >> shift]++] = e->items[i];
    }
    struct sim_events sorted = t->spare;
    t->spare = *e;
    *e = sorted;
    sort_few(e->items, n);
}

/* Timers and flows have no port, so those due at the same time are sorted by number.  The index of
 * their mail must not decide, because it depends on which thread wrote first. */
static bool
comes_after(const struct sim_thread *t, uint64_t a, uint64_t b)
{
    bool is_tied = (a ^ b) >> SIM_MAIL_BITS == 0;

    return is_tied ? t->mails[sim_event_mail(a)].key > t->mails[sim_event_mail(b)].key : a > b;
}

/* Moves the mail at 'i' forward to its position in the order, at most to 'first'. */
static void
move_forward(struct sim_thread *t, size_t i, size_t first)
{
    uint64_t *events = t->mails_due.items, event = events[i];

    for (; i > first && comes_after(t, events[i - 1], event); i--) {
        events[i] = events[i - 1];
    }
    events[i] = event;
}

static __attribute__((noinline)) void
order_ties(struct sim_thread *t, size_t n)
{
    const uint64_t *events = t->mails_due.items;

    for (size_t i = 1; i < n; i++) {
        if ((events[i] ^ events[i - 1]) >> SIM_MAIL_BITS == 0) {
            move_forward(t, i, 0);
        }
    }
}

/* Lists the events of one chunk, and returns the bits that are set in the kinds of all of them. */
static inline uint32_t
list_chunk(const struct sim_thread *t, uint64_t *events, uint32_t first, uint32_t n)
{
    uint32_t kinds = SIM_PACKET;

    for (uint32_t i = 0; i < n; i++) {
        const struct sim_mail *m = &t->mails[first + i];
        events[i] = sim_event(t, m->at, m->event, m->port, first + i);
        kinds &= m->event;
    }
    return kinds;
}

static __attribute__((noinline)) uint32_t
list_many_mails(struct sim_thread *t, const struct sim_inbox *inbox)
{
    uint32_t chunk = inbox->chunk, kinds = SIM_PACKET;

    make_room(&t->mails_due, inbox->n);
    for (uint32_t left = inbox->n; left; chunk = t->chunk_next[chunk]) {
        uint32_t before = (left - 1) / SIM_CHUNK * SIM_CHUNK; /* The newest chunk may be partly
                                                               * empty. */
        kinds &= list_chunk(t, t->mails_due.items + before, chunk * SIM_CHUNK, left - before);
        left = before;
    }
    if (inbox->n <= FEW) {
        sort_few(t->mails_due.items, inbox->n);
    } else {
        sort_many(t, &t->mails_due, inbox->n);
    }
    return kinds;
}

/* Two packets never have equal keys, because a port receives one packet at a time.
 *
 * Hot: once for each node that has work. */
void
sim_list_mails(struct sim_thread *t, const struct sim_inbox *inbox)
{
    uint32_t n = inbox->n, kinds;

    if (n <= SIM_CHUNK) {
        kinds = list_chunk(t, t->mails_due.items, inbox->chunk * SIM_CHUNK, n);
        sort_few(t->mails_due.items, n);
    } else {
        kinds = list_many_mails(t, inbox);
    }
    if (kinds != SIM_PACKET) {
        order_ties(t, n);
    }
    begin_list(&t->mails_due, n);
}

/* Lists the ports that wake, if they still have to.
 *
 * Hot: once for each node that has work. */
void
sim_list_wakes(struct sim_thread *t, const struct sim_node *node, uint64_t *wakes)
{
    uint64_t *events = t->wakes_due.items;
    size_t n = 0;

    assert(t->wakes_due.max > node->n_ports);
    for (uint32_t first = 0; first < node->n_ports; first += 64) {
        for (uint64_t bits = *wakes; bits; bits &= bits - 1) {
            uint32_t port = first + (uint32_t)__builtin_ctzll(bits);
            weir_ps at = node->ports[port].wake_ps;
            events[n] = sim_event(t, at, SIM_TX, port, SIM_NO_MAIL);
            n += at >> t->window_bits == t->window;
        }
        *wakes++ = 0;
    }
    if (n <= FEW) {
        sort_few(events, n);
    } else {
        sort_many(t, &t->wakes_due, n);
    }
    begin_list(&t->wakes_due, n);
}

/* Appends an event to the list. */
static inline size_t
append(struct sim_events *e, uint64_t event)
{
    if (e->max <= e->n + 1) {
        ptrdiff_t next = e->next - e->items;
        make_room(e, e->n + 1);
        e->next = e->items + next;
    }
    e->items[e->n] = event;
    e->items[e->n + 1] = UINT64_MAX;
    return e->n++;
}

/* Adds mail to the node being run, after the events that have been run. */
void
sim_insert_event(struct sim_thread *t, uint32_t mail)
{
    const struct sim_mail *m = &t->mails[mail];
    size_t at = append(&t->mails_due, sim_event(t, m->at, m->event, m->port, mail));

    move_forward(t, at, (size_t)(t->mails_due.next - t->mails_due.items));
}

/* Hot: once per packet, if many packets are sent in a window. */
void
sim_insert_wake(struct sim_thread *t, uint32_t port, weir_ps at)
{
    struct sim_events *e = &t->wakes_due;
    uint64_t event = sim_event(t, at, SIM_TX, port, SIM_NO_MAIL);

    if (*e->next == UINT64_MAX) { /* Events that have been run are discarded. */
        begin_list(e, 0);
    }
    size_t last = append(e, event);
    uint64_t *place = e->items + last;
    for (; place > e->next && place[-1] > event; place--) {
        place[0] = place[-1];
    }
    *place = event;
}

void
sim_free_events(struct sim_thread *t)
{
    free(t->mails_due.items);
    free(t->wakes_due.items);
    free(t->spare.items);
}

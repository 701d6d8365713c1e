/* Invariants between two windows: functions that compute them, and asserts that check them, in
 * builds with -Dinvariants=true.
 *
 * Without these checks, a kind of node that leaks a packet, a port that never wakes, or mail in the
 * wrong window shows only in results, and late.  With them the run ends in the window of the error,
 * and the assert prints the name of the violated invariant.  A thread checks only its own nodes,
 * after it has run a window and before it reports that, so no other thread writes to them. */

#include <assert.h>

#include "sim/invariants.h"
#include "sim/nodes/handles.h"
#include "sim/scheduler.h"
#include "sim/wires.h"

#ifdef SIM_INVARIANTS

/* These functions check a node. */

/* Every entry of the pool is either on the list of free entries or holds a packet. */
static bool
pool_adds_up(const struct sim_node *n)
{
    uint32_t n_free = 0, n_held = 0;

    for (uint32_t i = n->pool_free; i != SIM_NONE; i = n->pool[i].next) {
        if (i >= n->n_pool || n->pool[i].packet.bytes || ++n_free > n->n_pool) {
            return false;
        }
    }
    for (uint32_t i = 0; i < n->n_pool; i++) {
        n_held += n->pool[i].packet.bytes > 0;
    }
    return n_free + n_held == n->n_pool;
}

/* Above the reserves, the slots of each class add up to the bytes of the class.  Bytes that do not
 * fit into its partition are in the shared part. */
static bool
shared_part_adds_up(const struct weir_buffer *b)
{
    uint64_t of_class[WEIR_MAX_CLASSES] = { 0 }, shared = 0;

    for (uint32_t slot = 0; slot < b->n_slots; slot++) {
        of_class[slot % b->n_classes] += b->slots[slot].shared_bytes;
    }
    for (uint32_t cls = 0; cls < b->n_classes; cls++) {
        uint64_t own = b->plan.classes[cls].partition_bytes;
        if (of_class[cls] != b->class_bytes[cls]) {
            return false;
        }
        shared += of_class[cls] > own ? of_class[cls] - own : 0;
    }
    return shared == b->shared_used_bytes && shared <= b->shared_size_bytes;
}

/* The slots add up to the buffer; without stages, the bytes at inputs equal the bytes at
 * outputs. */
static bool
buffer_adds_up(const struct sim_node *n)
{
    const struct weir_buffer *b = &n->buffer;
    uint64_t in = 0, out = 0;

    for (uint32_t slot = 0; slot < b->n_slots; slot++) {
        const struct weir_buffer_slot *s = &b->slots[slot];
        uint64_t stored = b->stored ? b->stored[slot] : s->in_bytes;
        if (s->shared_bytes + s->headroom_bytes > stored) {
            return false;
        }
        in += s->in_bytes;
        out += s->out_bytes;
    }
    bool has_stages = weir_has_stages(&n->shape);
    return b->used_bytes == (has_stages ? in + out + b->passing_bytes : in) &&
           (has_stages || in == out) && shared_part_adds_up(b);
}

/* If a port will wake, it has a bit in the window of that time, or mail that arrives no later. */
static bool
wake_is_on_its_way(const struct sim_thread *t, const struct sim_node *n, uint32_t port)
{
    int64_t window = n->ports[port].wake_ps >> t->window_bits;
    uint32_t word = t->first_word[t->places[n->id].local] + port / 64;
    bool has_bit =
        window - t->window < t->reach && t->due[window & t->ring_mask].wakes[word] >> port % 64 & 1;

    return has_bit || n->far_ps[port] <= n->ports[port].wake_ps;
}

/* No port wakes in the past.  A port that is sending wakes when its wire is free, if it has more to
 * send. */
static bool
ports_will_wake(const struct sim_thread *t, const struct sim_node *n, weir_ps end)
{
    for (uint32_t i = 0; i < n->n_ports; i++) {
        const struct sim_port *p = &n->ports[i];
        bool has_more = p->up && (p->active || p->frames_head != SIM_NONE);
        if (p->wake_ps != WEIR_NEVER && (p->wake_ps < end || !wake_is_on_its_way(t, n, i))) {
            return false;
        }
        if (has_more && p->busy_ps >= end && p->wake_ps != p->busy_ps) {
            return false;
        }
    }
    return true;
}

static bool
timer_will_fire(const struct sim_timer *timer, weir_ps end)
{
    return timer->mailed_ps <= timer->at_ps && timer->mailed_ps >= end;
}

static bool
timers_will_fire(const struct sim_thread *t, const struct sim_node *n, weir_ps end)
{
    const struct model *model = &t->sim->model;
    uint32_t n_timers = model->engines[model->nodes[n->id].engines].needs.n_timers;
    bool good = true;

    for (uint32_t key = 0; key < n_timers; key++) {
        good = good && timer_will_fire(&n->timers[key], end);
    }
    for (uint32_t slot = 0; n->watchdogs && slot < n->n_ports * n->n_classes; slot++) {
        good = good && timer_will_fire(&n->watchdogs[slot].timer, end);
    }
    return good;
}

static void
check_node(const struct sim_thread *t, const struct sim_node *n, weir_ps end)
{
    assert(pool_adds_up(n));
    assert(buffer_adds_up(n));
    assert(sim_node_is_conserved(t->sim, n, &(struct err){ 0 }));
    assert(units_hold(n));
    assert(ports_will_wake(t, n, end));
    assert(timers_will_fire(t, n, end));
    assert(n->alarm_ps >= end);
    assert(!n->kind->holds || n->kind->holds(n));
}

/* These functions check a thread. */

/* All mail of an inbox belongs to its window, and its chunks end after the last item. */
static bool
inbox_is_in_time(const struct sim_thread *t, const struct sim_inbox *inbox, int64_t window)
{
    uint32_t chunk = inbox->chunk;

    for (uint32_t left = inbox->n; left;) {
        uint32_t n_here = (left - 1) % SIM_CHUNK + 1;
        for (uint32_t i = chunk * SIM_CHUNK; i < chunk * SIM_CHUNK + n_here; i++) {
            if (t->mails[i].at >> t->window_bits != window) {
                return false;
            }
        }
        left -= n_here;
        chunk = t->chunk_next[chunk];
    }
    return chunk == SIM_NONE;
}

static bool
some_port_wakes(const struct sim_thread *t, const struct sim_due *due, uint32_t local)
{
    uint64_t bits = 0;

    for (uint32_t word = t->first_word[local]; word < t->first_word[local + 1]; word++) {
        bits |= due->wakes[word];
    }
    return bits;
}

/* A node has its bit if it has mail, a port that wakes, or an alarm in the window.  The bit may
 * stay although the alarm has since moved to an earlier window. */
static bool
window_is_filed(const struct sim_thread *t, int64_t window)
{
    const struct sim_due *due = &t->due[window & t->ring_mask];

    for (uint32_t local = 0; local < t->n_nodes; local++) {
        const struct sim_kind *kind = t->own[local].kind;
        bool has_work = due->inboxes[local].n || some_port_wakes(t, due, local);
        bool is_busy = due->busy[local / 64] >> local % 64 & 1;
        if (has_work ? !is_busy || !due->is_busy : is_busy && !kind->alarm) {
            return false;
        }
        if (!inbox_is_in_time(t, &due->inboxes[local], window)) {
            return false;
        }
    }
    return true;
}

/* Every chunk is either free or in an inbox. */
static bool
chunks_add_up(const struct sim_thread *t)
{
    uint64_t n = 0;

    for (uint32_t chunk = t->chunk_free; chunk != SIM_NONE && n <= t->max_chunks; n++) {
        chunk = t->chunk_next[chunk];
    }
    for (uint32_t k = 0; k < t->sim->ring; k++) {
        for (uint32_t local = 0; local < t->n_nodes; local++) {
            n += (t->due[k].inboxes[local].n + SIM_CHUNK - 1) / SIM_CHUNK;
        }
    }
    return n == t->max_chunks;
}

/* The heap is in order, and no mail in it is late. */
static bool
heap_is_in_order(const struct sim_log *far, weir_ps end)
{
    for (size_t i = 0; i < far->n; i++) {
        if (far->items[i].at < far->items[i ? (i - 1) / 2 : 0].at || far->items[i].at < end) {
            return false;
        }
    }
    return true;
}

static void
check_thread(const struct sim_thread *t, weir_ps end)
{
    for (int64_t ahead = 0; ahead < t->reach; ahead++) {
        assert(window_is_filed(t, t->window + ahead));
    }
    assert(chunks_add_up(t));
    assert(heap_is_in_order(&t->far, end));
}

/* The cost of a check grows with the size of a node: its ports, slots and pool entries.  An event
 * costs far less than a check of a large node.  So a thread checks a fixed number of these items
 * for each event that it has run.  A broken invariant usually stays broken, and is found some
 * windows later. */
enum { PLACES_AN_EVENT = 8 };

static bool
may_check(struct sim_thread *t, uint64_t n_places)
{
    if (t->n_looked > PLACES_AN_EVENT * t->n_run) {
        return false;
    }
    t->n_looked += n_places;
    return true;
}

void
sim_check_window(struct sim_thread *t)
{
    weir_ps end = t->start_ps + ((weir_ps)1 << t->window_bits);

    if (end > t->sim->config.until_ps) { /* The run ended within the window; events that are left
                                          * are late, and are kept. */
        return;
    }
    assert(t->outbox.n == 0);
    for (uint32_t i = 0; i < t->n_busy; i++) {
        uint32_t local = t->busy[(i + t->round) % t->n_busy]; /* The checks do not always start with
                                                               * the same nodes. */
        const struct sim_node *n = &t->own[local];
        if (may_check(t, (uint64_t)n->n_ports * n->n_classes + n->n_pool)) {
            check_node(t, n, end);
        }
    }
    if (may_check(t, (uint64_t)t->sim->ring * t->n_nodes + t->max_chunks + t->far.n)) {
        check_thread(t, end);
    }
}

/* Finds the first inbox that has mail in a coming window. */
static const struct sim_inbox *
find_mail(const struct sim_thread *t)
{
    for (uint32_t k = 0; k < t->sim->ring * t->n_nodes; k++) {
        const struct sim_inbox *inbox = &t->due[k / t->n_nodes].inboxes[k % t->n_nodes];
        if (inbox->n) {
            return inbox;
        }
    }
    return NULL;
}

void
sim_break(struct sim *sim, enum sim_breakage what)
{
    struct sim_thread *t = &sim->threads[0];
    const struct sim_inbox *inbox = find_mail(t);

    switch (what) {
    case SIM_BREAK_INBOX:
        t->mails[inbox->chunk * SIM_CHUNK].at += (weir_ps)1 << t->window_bits;
        break;
    case SIM_BREAK_BUSY:
        t->due[(t->window + 1) & t->ring_mask].busy[0] ^= 1;
        break;
    case SIM_BREAK_CHUNKS:
        t->chunk_free = SIM_NONE;
        break;
    case SIM_BREAK_HEAP:
        sim_far_push(&t->far, &(struct sim_mail){ .at = t->start_ps });
        break;
    }
    check_thread(t, t->start_ps + ((weir_ps)1 << t->window_bits));
}

#endif

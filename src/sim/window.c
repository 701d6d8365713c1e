/* Windows, threads and mail.
 *
 * Everything that will happen is a mail to a node.  A thread keeps the mail of its own nodes in
 * logs, one a window, for as many windows as a link is long; what comes later waits in a heap.  To
 * run a window it sorts the log by node, and each node's few mails by time, and runs node after
 * node, each while its state is in the cache.  Mail for nodes of other threads stands in outboxes,
 * which they take over at the beginning of the next window: nothing arrives sooner than that.
 *
 * The next window is the one in which the earliest mail of any thread falls, so quiet times cost
 * nothing.  One barrier a window, and two more when there is something to watch. */

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/internal.h"

/* A barrier that spins a little before it gives the core away. */

struct sim_barrier {
    _Alignas(64) atomic_uint n_here;
    _Alignas(64) atomic_uint generation;
};

static void
wait_for_all(struct sim *sim)
{
    struct sim_barrier *b = sim->barrier;
    if (sim->n_threads == 1) {
        return;
    }
    unsigned generation = atomic_load_explicit(&b->generation, memory_order_acquire);

    if (atomic_fetch_add(&b->n_here, 1) + 1 == sim->n_threads) {
        atomic_store_explicit(&b->n_here, 0, memory_order_relaxed);
        atomic_store_explicit(&b->generation, generation + 1, memory_order_release);
        return;
    }
    for (unsigned spins = 0;
         atomic_load_explicit(&b->generation, memory_order_acquire) == generation; spins++) {
        if (spins > 2000) {
            sched_yield();
        }
    }
}

/* The heap of far mail, in the order in which mail is run: by time, and at one node by kind, port
 * and which timer or flow. */

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
    return a->port != b->port ? a->port < b->port : a->event != SIM_FRAME && a->a < b->a;
}

static void
far_push(struct sim_log *h, const struct sim_mail *m)
{
    size_t i = h->n;

    ARRAY_PUSH(h->items, h->n, h->max) = *m;
    while (i && runs_before(m, &h->items[(i - 1) / 2])) {
        h->items[i] = h->items[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    h->items[i] = *m;
}

static struct sim_mail
far_pop(struct sim_log *h)
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

/* Posting. */

static struct sim_ordered
ordered(const struct sim_thread *t, const struct sim_mail *m, size_t index)
{
    uint64_t key = (uint64_t)(m->at - t->start_ps) << 20 | (uint64_t)m->event << 16 | m->port;
    return (struct sim_ordered){ key, m->event == SIM_FRAME ? 0 : m->a, (uint32_t)index };
}

static bool
comes_after(const struct sim_ordered *a, const struct sim_ordered *b)
{
    return a->key > b->key || (a->key == b->key && a->tie > b->tie);
}

/* Into the events of the node being run, behind the one that runs now. */
static void
insert_event(struct sim_thread *t, const struct sim_mail *m, size_t index)
{
    struct sim_ordered event = ordered(t, m, index);
    size_t i = t->n_events;

    ARRAY_PUSH(t->events, t->n_events, t->max_events) = event;
    while (i > t->i_event + 1 && comes_after(&t->events[i - 1], &event)) {
        t->events[i] = t->events[i - 1];
        i--;
    }
    t->events[i] = event;
}

/* To a node of this thread. */
static void
post_own(struct sim_thread *t, const struct sim_mail *m)
{
    int64_t ahead = (m->at >> t->sim->window_bits) - t->window;

    if (ahead >= t->sim->reach) {
        far_push(&t->far, m);
    } else if (ahead > 0) {
        sim_file(t, m, t->sim->places[m->node].local);
    } else {
        struct sim_log *log = &t->logs[t->window & (t->sim->ring - 1)];
        ARRAY_PUSH(log->items, log->n, log->max) = *m;
        insert_event(t, m, log->n - 1);
    }
}

static struct sim_log *
outbox_to(struct sim_thread *t, uint32_t thread, uint64_t parity)
{
    return &t->out[2 * thread + parity];
}

static uint64_t
parity(const struct sim_thread *t)
{
    return t->round & 1;
}

/* A frame moves from the sender's pool to the receiver's: its mail carries it in the outbox behind.
 */
static void
post_abroad(struct sim_thread *t, const struct sim_mail *m, uint32_t thread)
{
    struct sim_log *out = outbox_to(t, thread, parity(t));

    ARRAY_PUSH(out->items, out->n, out->max) = *m;
    if (m->event == SIM_FRAME) {
        for (int half = 0; half < 2; half++) {
            struct sim_mail carried;
            memcpy(&carried, (char *)&t->frames[m->a].frame + half * sizeof carried,
                   half ? sizeof(struct weir_frame) - sizeof carried : sizeof carried);
            ARRAY_PUSH(out->items, out->n, out->max) = carried;
        }
        sim_frame_free(t, m->a);
    }
}

void
sim_post_slowly(struct sim_thread *t, const struct sim_mail *m)
{
    uint32_t thread = t->sim->places[m->node].thread;
    if (thread == t->id) {
        post_own(t, m);
    } else {
        post_abroad(t, m, thread);
    }
}

/* Before a window is run: what falls into it is still to be sorted with the rest. */
static void
file_or_keep(struct sim_thread *t, const struct sim_mail *m)
{
    if ((m->at >> t->sim->window_bits) - t->window < t->sim->reach) {
        sim_file(t, m, t->sim->places[m->node].local);
    } else {
        far_push(&t->far, m);
    }
}

static void
take_over(struct sim_thread *t)
{
    for (uint32_t from = 0; from < t->sim->n_threads; from++) {
        if (from == t->id) {
            continue;
        }
        struct sim_log *in = outbox_to(&t->sim->threads[from], t->id, 1 - parity(t));
        for (size_t i = 0; i < in->n; i++) {
            struct sim_mail m = in->items[i];
            if (m.event == SIM_FRAME) {
                struct weir_frame frame;
                memcpy(&frame, &in->items[i + 1], sizeof m);
                memcpy((char *)&frame + sizeof m, &in->items[i + 2], sizeof frame - sizeof m);
                m.a = sim_frame_new(t, &frame);
                i += 2;
            }
            file_or_keep(t, &m);
        }
        in->n = 0;
    }
}

/* Pools. */

uint32_t
sim_frame_new(struct sim_thread *t, const struct weir_frame *frame)
{
    uint32_t i = t->frames_free;
    if (i != SIM_NONE) {
        t->frames_free = t->frames[i].next;
    } else {
        i = (uint32_t)t->n_frames;
        ARRAY_PUSH(t->frames, t->n_frames, t->max_frames) = (struct sim_frame){ .next = SIM_NONE };
    }
    t->frames[i] = (struct sim_frame){ *frame, SIM_NONE };
    return i;
}

void
sim_frame_free(struct sim_thread *t, uint32_t frame)
{
    t->frames[frame].next = t->frames_free;
    t->frames_free = frame;
}

uint32_t
sim_pool_grow(struct sim_node *n)
{
    if (n->n_pool == n->max_pool) {
        size_t max = n->max_pool;
        n->pool = array_room(n->pool, max, &max, sizeof *n->pool);
        n->max_pool = (uint32_t)max;
    }
    return n->n_pool++;
}

/* Running a window. */

static void
sort_events(struct sim_ordered *events, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct sim_ordered e = events[i];
        size_t j = i;
        for (; j && comes_after(&events[j - 1], &e); j--) {
            events[j] = events[j - 1];
        }
        events[j] = e;
    }
}

static int
by_key(const void *a, const void *b)
{
    return comes_after(a, b) - comes_after(b, a);
}

/* The mails of a node in the window, 'last' and those before it. */
static void
list_events(struct sim_thread *t, const struct sim_log *log, uint32_t last)
{
    size_t n = 0;

    for (uint32_t i = last; i != SIM_NONE; i = log->items[i].node) {
        if (n == t->max_events) {
            t->events = array_room(t->events, n, &t->max_events, sizeof *t->events);
        }
        t->events[n++] = ordered(t, &log->items[i], i);
    }
    t->n_events = n;
    if (n < 48) {
        sort_events(t->events, n);
    } else {
        qsort(t->events, n, sizeof *t->events, by_key);
    }
}

static void
run_node(struct sim_thread *t, struct sim_node *n, struct sim_log *log, uint32_t last)
{
    list_events(t, log, last);
    for (t->i_event = 0; t->i_event < t->n_events; t->i_event++) {
        struct sim_mail m = log->items[t->events[t->i_event].mail];
        if (m.at > t->sim->config.until_ps) {
            break;
        }
        t->n_run++;
        sim_node_run(t, n, &m);
    }
}

/* What the next nodes will touch first is fetched while the one before them runs: from memory it
 * takes as long as running a node does.  First the node itself, then what its mails lead to.  A
 * small network is in the cache anyway. */

enum { FETCH_NODE = 5, FETCH_PORTS = 3, FETCH_HEADS = 1, LINE = 64, MANY_NODES = 512 };

static void
fetch_node(const struct sim_node *n)
{
    __builtin_prefetch(n);
    __builtin_prefetch((const char *)n + LINE);
    __builtin_prefetch((const char *)n + 2 * LINE);
    __builtin_prefetch(&n->buffer.plan);
    __builtin_prefetch(&n->buffer.slots);
    __builtin_prefetch(&n->shape);
}

static void
fetch_ports(const struct sim_node *n, const struct sim_log *log, uint32_t last)
{
    for (uint32_t i = last; i != SIM_NONE; i = log->items[i].node) {
        const struct sim_mail *m = &log->items[i];
        uint32_t slot = m->port * n->n_classes + m->cls;
        __builtin_prefetch(&n->ports[m->port]);
        if (m->event == SIM_PACKET) {
            __builtin_prefetch(&n->buffer.slots[slot]);
        } else {
            __builtin_prefetch(&n->weir.ctx.gates[slot]);
            __builtin_prefetch((const struct sim_queue *)n->queues + slot);
        }
    }
}

/* The packet that a port will send: the head of a fifo.  Elsewhere this fetches for nothing. */
static void
fetch_heads(const struct sim_node *n, const struct sim_log *log, uint32_t last)
{
    for (uint32_t i = last; !n->is_nic && i != SIM_NONE; i = log->items[i].node) {
        const struct sim_mail *m = &log->items[i];
        if (m->event == SIM_TX) {
            const struct sim_queue *q =
                (const struct sim_queue *)n->queues + m->port * n->n_classes + m->cls;
            __builtin_prefetch(&n->pool[q->head]);
        }
    }
}

static void
fetch_ahead(const struct sim_thread *t, const struct sim_log *log, const uint32_t *heads,
            uint32_t i)
{
    const struct sim_node *nodes = t->sim->nodes;

    if (i + FETCH_NODE < t->n_nodes) {
        fetch_node(&nodes[t->nodes[i + FETCH_NODE]]);
    }
    if (i + FETCH_PORTS < t->n_nodes) {
        fetch_ports(&nodes[t->nodes[i + FETCH_PORTS]], log, heads[i + FETCH_PORTS]);
    }
    if (i + FETCH_HEADS < t->n_nodes) {
        fetch_heads(&nodes[t->nodes[i + FETCH_HEADS]], log, heads[i + FETCH_HEADS]);
    }
}

/* The run ends within its last window: what would have come after it is still on its way. */
static void
keep_what_comes_later(struct sim_log *log, weir_ps until_ps)
{
    size_t n = log->n;

    log->n = 0;
    for (size_t i = 0; i < n; i++) {
        if (log->items[i].at > until_ps) {
            log->items[log->n++] = log->items[i];
        }
    }
}

static void
run_window(struct sim_thread *t)
{
    uint32_t ring = (uint32_t)t->window & (t->sim->ring - 1);
    struct sim_log *log = &t->logs[ring];
    uint32_t *heads = t->heads + ring * t->n_nodes;
    weir_ps end = t->start_ps + ((weir_ps)1 << t->sim->window_bits);

    while (t->far.n && t->far.items[0].at < end) {
        struct sim_mail m = far_pop(&t->far);
        sim_file(t, &m, t->sim->places[m.node].local);
    }
    for (uint32_t i = 0; i < t->n_nodes; i++) {
        if (t->n_nodes >= MANY_NODES) {
            fetch_ahead(t, log, heads, i);
        }
        if (heads[i] != SIM_NONE) {
            run_node(t, &t->sim->nodes[t->nodes[i]], log, heads[i]);
            heads[i] = SIM_NONE;
        }
    }
    if (end > t->sim->config.until_ps) {
        keep_what_comes_later(log, t->sim->config.until_ps);
    } else {
        log->n = 0;
    }
}

/* The earliest that this thread knows of, its outboxes included. */
static weir_ps
find_next(const struct sim_thread *t)
{
    weir_ps next = t->far.n ? t->far.items[0].at : WEIR_NEVER;

    for (uint32_t ahead = 1; ahead < t->sim->ring; ahead++) {
        if (t->logs[(t->window + ahead) & (t->sim->ring - 1)].n) {
            weir_ps start = (weir_ps)((t->window + ahead) << t->sim->window_bits);
            next = start < next ? start : next;
            break;
        }
    }
    for (uint32_t to = 0; to < t->sim->n_threads; to++) {
        const struct sim_log *out = &t->out[2 * to + parity(t)];
        for (size_t i = 0; i < out->n; i++) {
            next = out->items[i].at < next ? out->items[i].at : next;
            i += out->items[i].event == SIM_FRAME ? 2 : 0;
        }
    }
    return next;
}

/* What was said before the last barrier; what is said next goes to the other half. */
static weir_ps
earliest_of_all(const struct sim_thread *t)
{
    weir_ps next = WEIR_NEVER;
    for (uint32_t i = 0; i < t->sim->n_threads; i++) {
        weir_ps at = t->sim->threads[i].next_ps[parity(t)];
        next = at < next ? at : next;
    }
    return next;
}

/* Before the barrier each thread says what it knows of; the first one also whether to stop. */
static void
say(struct sim_thread *t)
{
    uint64_t next_half = (t->round + 1) & 1;

    t->next_ps[next_half] = find_next(t);
    if (t->id == 0) {
        atomic_store_explicit(&t->sim->progress_ps, t->start_ps, memory_order_relaxed);
        t->sim->stops[next_half] =
            atomic_load_explicit(&t->sim->asked_to_stop, memory_order_relaxed);
    }
}

/* All threads see the same 'next', and so agree on when to watch; while one does, the others wait.
 */
static void
watch_if_due(struct sim_thread *t, weir_ps next)
{
    if (next < t->sim->next_watch_ps) {
        return;
    }
    wait_for_all(t->sim);
    if (t->id == 0) {
        sim_watch(t->sim, next);
    }
    wait_for_all(t->sim);
}

static void *
run_thread(void *arg)
{
    struct sim_thread *t = arg;
    struct sim *sim = t->sim;

    for (;;) {
        weir_ps next = earliest_of_all(t);
        if (next > sim->config.until_ps || sim->stops[parity(t)]) {
            break;
        }
        watch_if_due(t, next);
        t->window = next >> sim->window_bits;
        t->start_ps = (weir_ps)(t->window << sim->window_bits);
        take_over(t);
        run_window(t);
        say(t);
        t->round++;
        wait_for_all(sim);
    }
    return NULL;
}

void
sim_run(struct sim *sim)
{
    pthread_t *handles = array_new(sim->n_threads, sizeof *handles);

    for (uint32_t i = 1; i < sim->n_threads; i++) {
        pthread_create(&handles[i], NULL, run_thread, &sim->threads[i]);
    }
    run_thread(&sim->threads[0]);
    for (uint32_t i = 1; i < sim->n_threads; i++) {
        pthread_join(handles[i], NULL);
    }
    free(handles);
    bool is_stopped = sim->stops[parity(&sim->threads[0])];
    sim->n_windows = sim->threads[0].round;
    sim->now_ps = is_stopped ? sim_progress(sim) : sim->config.until_ps;
}

void
sim_stop(struct sim *sim)
{
    atomic_store_explicit(&sim->asked_to_stop, true, memory_order_relaxed);
}

weir_ps
sim_progress(const struct sim *sim)
{
    return atomic_load_explicit(&sim->progress_ps, memory_order_relaxed);
}

/* All mail goes into the heap; what stands in the logs from the start, too. */
static void
empty_logs(struct sim_thread *t)
{
    for (uint32_t i = 0; i < t->sim->ring * t->n_nodes; i++) {
        struct sim_log *log = &t->logs[i / t->n_nodes];
        while (t->heads[i] != SIM_NONE) {
            struct sim_mail m = log->items[t->heads[i]];
            t->heads[i] = m.node;
            m.node = t->nodes[i % t->n_nodes];
            far_push(&t->far, &m);
        }
    }
    for (uint32_t i = 0; i < t->sim->ring; i++) {
        t->logs[i].n = 0;
    }
    t->sim->reach = INT64_MIN;
}

void
sim_run_plainly(struct sim *sim)
{
    struct sim_thread *t = &sim->threads[0];

    empty_logs(t);
    while (t->far.n && t->far.items[0].at <= sim->config.until_ps) {
        struct sim_mail m = far_pop(&t->far);
        t->n_run++;
        sim_node_run(t, &sim->nodes[m.node], &m);
    }
    sim->now_ps = sim->config.until_ps;
}

/* The reference executor: see reference.h.  At each instant, it first ends what ends, and then
 * starts the lowest task that can start, until none can. */

#include "reference.h"

#include <stdlib.h>

#include "base/array.h"

void
reference_init(struct reference *f, const struct graph *g, host_network *network, void *context)
{
    *f = (struct reference){ .ranks = array_new(g->n_ranks, sizeof *f->ranks),
                             .n_ranks = g->n_ranks,
                             .network = network,
                             .context = context };
    for (uint32_t i = 0; i < g->n_ranks; i++) {
        const struct graph_rank *from = &g->ranks[i];
        struct ref_rank *r = &f->ranks[i];
        r->n_tasks = (uint32_t)from->n_tasks;
        r->tasks = array_new(r->n_tasks, sizeof *r->tasks);
        for (uint32_t k = 0; k < r->n_tasks; k++) {
            const struct graph_task *t = &from->tasks[k];
            r->tasks[k] =
                (struct ref_task){ *t, WEIR_NEVER, WEIR_NEVER, WEIR_NEVER, 0, false, false, false };
            r->matches_arrived |=
                t->kind == GRAPH_RECV && (t->peer == GRAPH_ANY || t->tag == GRAPH_ANY);
        }
        for (size_t k = 0; k < from->n_edges; k++) {
            uint32_t after = from->edges[k].after;
            ARRAY_PUSH(r->edges, r->n_edges, r->max_edges) =
                (struct ref_edge){ after & ~GRAPH_ON_START, from->edges[k].before,
                                   after & GRAPH_ON_START ? GRAPH_AFTER_START : GRAPH_AFTER_END };
        }
    }
}

void
reference_free(struct reference *f)
{
    for (uint32_t i = 0; i < f->n_ranks; i++) {
        free(f->ranks[i].tasks);
        free(f->ranks[i].edges);
    }
    free(f->ranks);
    free(f->messages);
    free(f->queue);
}

static bool
can_start(const struct ref_rank *r, uint32_t task)
{
    for (size_t i = 0; i < r->n_edges; i++) {
        const struct ref_edge *e = &r->edges[i];
        const struct ref_task *before = &r->tasks[e->before];
        if (e->task == task &&
            !(e->when == GRAPH_AFTER_END ? before->is_ended : before->start != WEIR_NEVER)) {
            return false;
        }
    }
    return true;
}

static bool
takes_cpu(const struct ref_task *t)
{
    return t->task.kind == GRAPH_CALC || t->task.flags & GRAPH_TAKES_CPU;
}

static bool
is_cpu_busy(const struct ref_rank *r, uint8_t cpu)
{
    for (uint32_t i = 0; i < r->n_tasks; i++) {
        const struct ref_task *t = &r->tasks[i];
        bool has_it = t->has_cpu || t->start != WEIR_NEVER;
        if (takes_cpu(t) && t->task.cpu == cpu && has_it && !t->is_ended) {
            return true;
        }
    }
    return false;
}

/* The task that has waited longest for a cpu, or null. */
static struct ref_task *
first_waiting(struct reference *f, uint32_t rank, uint8_t cpu)
{
    for (size_t i = 0; i < f->n_queue; i++) {
        struct ref_task *t = &f->ranks[rank].tasks[f->queue[i].task];
        if (f->queue[i].rank == rank && takes_cpu(t) && t->task.cpu == cpu &&
            t->start == WEIR_NEVER) {
            return t;
        }
    }
    return NULL;
}

/* A send has ended that had a cpu.  The next task may start, but only when its number is next. */
static void
pass_cpu(struct reference *f, uint32_t rank, const struct ref_task *before)
{
    struct ref_task *next = first_waiting(f, rank, before->task.cpu);

    if (next && before->task.flags & GRAPH_TAKES_CPU) {
        next->has_cpu = true;
    }
}

static bool
accepts(const struct ref_task *receive, const struct ref_message *m)
{
    return (receive->task.peer == GRAPH_ANY || receive->task.peer == m->from) &&
           (receive->task.tag == GRAPH_ANY || receive->task.tag == m->tag);
}

static int
by_number(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Messages of a rank to itself are last at an instant, in the order in which they started. */
static int
by_arrival(const struct ref_message *a, const struct ref_message *b)
{
    bool is_own = a->from == a->to, other_is_own = b->from == b->to;

    if (a->arrived != b->arrived) {
        return a->arrived < b->arrived ? -1 : 1;
    }
    if (is_own || other_is_own) {
        return is_own - other_is_own;
    }
    return a->from != b->from ? by_number(a->from, b->from)
           : a->tag != b->tag ? by_number(a->tag, b->tag)
                              : by_number(a->order, b->order);
}

/* The message that arrived first, of those that have arrived and that a receive accepts; or null.
 */
static struct ref_message *
first_message(struct reference *f, uint32_t rank, const struct ref_task *receive, weir_ps now)
{
    struct ref_message *first = NULL;

    for (size_t i = 0; i < f->n_messages; i++) {
        struct ref_message *m = &f->messages[i];
        if (m->to == rank && !m->is_taken && m->arrived <= now &&
            (receive ? accepts(receive, m) : true) && (!first || by_arrival(m, first) < 0)) {
            first = m;
        }
    }
    return first;
}

static void
take(struct ref_rank *r, struct ref_task *receive, struct ref_message *m, weir_ps now)
{
    m->is_taken = true;
    receive->is_ended = true;
    receive->end = now;
    receive->sent = m->from == m->to ? WEIR_NEVER : m->sent;
    r->end = now;
}

/* Ends a receive that matches by order. */
static bool
try_order(struct reference *f, uint32_t rank, struct ref_task *receive, weir_ps now)
{
    for (size_t i = 0; i < f->n_messages; i++) {
        struct ref_message *m = &f->messages[i];
        if (m->to == rank && !m->is_taken && m->arrived <= now && accepts(receive, m) &&
            m->order == receive->order) {
            take(&f->ranks[rank], receive, m, now);
            return true;
        }
    }
    return false;
}

/* One message at a time, oldest first, to the oldest receive that accepts it. */
static bool
match_by_message(struct reference *f, uint32_t rank, weir_ps now)
{
    struct ref_rank *r = &f->ranks[rank];
    struct ref_message *best = NULL;
    struct ref_task *best_task = NULL;

    for (size_t k = 0; k < f->n_messages; k++) {
        struct ref_message *m = &f->messages[k];
        if (m->to != rank || m->is_taken || m->arrived != now ||
            (best && by_arrival(m, best) > 0)) {
            continue;
        }
        for (size_t i = 0; i < f->n_queue; i++) {
            struct ref_task *t = &r->tasks[f->queue[i].task];
            if (f->queue[i].rank == rank && t->task.kind == GRAPH_RECV && !t->is_ended &&
                accepts(t, m)) {
                best = m;
                best_task = t;
                break;
            }
        }
    }
    if (best) {
        take(r, best_task, best, now);
    }
    return best;
}

static void
end_due(struct reference *f, uint32_t rank, weir_ps now)
{
    struct ref_rank *r = &f->ranks[rank];

    for (uint32_t i = 0; i < r->n_tasks; i++) {
        struct ref_task *t = &r->tasks[i];
        if (t->start == WEIR_NEVER || t->is_ended) {
            continue;
        }
        if (t->task.kind != GRAPH_RECV && t->end == now) {
            t->is_ended = true;
            r->end = now;
            pass_cpu(f, rank, t);
        } else if (t->task.kind == GRAPH_RECV && !r->matches_arrived) {
            try_order(f, rank, t, now);
        }
    }
    while (r->matches_arrived && match_by_message(f, rank, now)) {
    }
}

static void
start(struct ref_rank *r, struct ref_task *t, weir_ps now, weir_ps duration)
{
    t->start = now;
    t->end = now + duration;
    if (!duration) {
        t->is_ended = true;
        r->end = now;
    }
}

/* Cpus that are free take what has waited longest.  Calculations start at once. */
static bool
start_queued(struct reference *f, uint32_t rank, weir_ps now)
{
    struct ref_rank *r = &f->ranks[rank];

    for (size_t i = 0; i < f->n_queue; i++) {
        struct ref_task *t = &r->tasks[f->queue[i].task];
        if (f->queue[i].rank != rank || !takes_cpu(t) || t->start != WEIR_NEVER ||
            is_cpu_busy(r, t->task.cpu)) {
            continue;
        }
        t->has_cpu = true;
        if (t->task.kind == GRAPH_CALC) {
            start(r, t, now, (weir_ps)t->task.amount);
        }
        return true;
    }
    return false;
}

/* How many sends or receives with the peer and tag of this one have started. */
static uint32_t
count_started(const struct ref_rank *r, const struct ref_task *t)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < r->n_tasks; i++) {
        const struct ref_task *o = &r->tasks[i];
        n += o->start != WEIR_NEVER && o->task.kind == t->task.kind &&
             o->task.peer == t->task.peer && o->task.tag == t->task.tag;
    }
    return n;
}

static void
start_send(struct reference *f, uint32_t rank, uint32_t task, weir_ps now)
{
    struct ref_rank *r = &f->ranks[rank];
    struct ref_task *t = &r->tasks[task];
    struct host_times times = { now, now };

    t->order = count_started(r, t);
    if (t->task.peer != rank) {
        struct executor_send s = {
            .bytes = t->task.amount, .tag = t->task.tag, .to = t->task.peer, .order = t->order
        };
        times = f->network(f->context, rank, &s, now);
    }
    start(r, t, now, times.sent_ps - now);
    if (t->is_ended) {
        pass_cpu(f, rank, t);
    }
    ARRAY_PUSH(f->messages, f->n_messages, f->max_messages) =
        (struct ref_message){ rank,     task, t->task.peer,     t->task.tag,
                              t->order, now,  times.arrived_ps, false };
    if (t->task.peer != rank) {
        return;
    }
    if (r->matches_arrived) {
        match_by_message(f, rank, now);
        return;
    }
    for (uint32_t i = 0; i < r->n_tasks; i++) {
        if (r->tasks[i].task.kind == GRAPH_RECV && r->tasks[i].start != WEIR_NEVER &&
            !r->tasks[i].is_ended) {
            try_order(f, rank, &r->tasks[i], now);
        }
    }
}

static void
start_receive(struct reference *f, uint32_t rank, uint32_t task, weir_ps now)
{
    struct ref_rank *r = &f->ranks[rank];
    struct ref_task *t = &r->tasks[task];

    t->order = count_started(r, t);
    t->start = now;
    if (r->matches_arrived) {
        struct ref_message *m = first_message(f, rank, t, now);
        if (m) {
            take(r, t, m, now);
        }
    } else {
        try_order(f, rank, t, now);
    }
}

static void
start_task(struct reference *f, uint32_t rank, uint32_t task, weir_ps now)
{
    struct ref_rank *r = &f->ranks[rank];
    struct ref_task *t = &r->tasks[task];

    switch (t->task.kind) {
    case GRAPH_SEND:
        start_send(f, rank, task, now);
        break;
    case GRAPH_RECV:
        start_receive(f, rank, task, now);
        break;
    default:
        start(r, t, now, (weir_ps)t->task.amount);
        break;
    }
}

/* A task whose requirements are met and which, if it needs a cpu, has it or has to wait for it. */
static bool
is_next(const struct ref_rank *r, uint32_t task)
{
    const struct ref_task *t = &r->tasks[task];

    return t->is_posted ? t->has_cpu && t->start == WEIR_NEVER : can_start(r, task);
}

/* Starts the lowest task that can start; returns false if there is none. */
static bool
start_lowest(struct reference *f, uint32_t rank, weir_ps now)
{
    struct ref_rank *r = &f->ranks[rank];
    uint32_t task = 0;

    while (task < r->n_tasks && !is_next(r, task)) {
        task++;
    }
    if (task == r->n_tasks) {
        return false;
    }
    struct ref_task *t = &r->tasks[task];
    if (!t->is_posted) {
        t->is_posted = true;
        ARRAY_PUSH(f->queue, f->n_queue, f->max_queue) = (struct ref_wait){ rank, task };
    }
    if (!takes_cpu(t) || t->has_cpu) { /* Else it waits for its cpu, which may be free. */
        start_task(f, rank, task, now);
    }
    return true;
}

/* Time accounting, from the definition: what the instants between two ends count as. */
static void
account(struct ref_rank *r, uint32_t rank, weir_ps from, weir_ps to)
{
    bool computes = false, sends = false, receives = false;
    weir_ps sent = WEIR_NEVER;

    for (uint32_t i = 0; i < r->n_tasks; i++) {
        const struct ref_task *t = &r->tasks[i];
        bool covers = t->start != WEIR_NEVER && t->start <= from && t->end >= to && to > from;
        computes |= covers && t->task.kind == GRAPH_CALC;
        sends |= covers && t->task.kind == GRAPH_SEND && t->task.peer != rank;
        if (covers && t->task.kind == GRAPH_RECV && t->end == to && t->sent != WEIR_NEVER) {
            receives = true;
            sent = t->sent < sent ? t->sent : sent;
        }
    }
    sent = sent < from ? from : sent;
    if (computes) {
        r->times.computing_ps += to - from;
    } else if (sends) {
        r->times.network_ps += to - from;
    } else if (receives) {
        r->times.peer_ps += sent - from;
        r->times.network_ps += to - sent;
    } else {
        r->times.delayed_ps += to - from;
    }
}

static void
account_rank(struct ref_rank *r, uint32_t rank)
{
    for (weir_ps from = r->begin; from < r->end;) {
        weir_ps to = r->end;
        for (uint32_t i = 0; i < r->n_tasks; i++) {
            const struct ref_task *t = &r->tasks[i];
            to = t->is_ended && t->end > from && t->end < to ? t->end : to;
        }
        account(r, rank, from, to);
        from = to;
    }
}

static weir_ps
next_time(const struct reference *f, weir_ps now)
{
    weir_ps next = WEIR_NEVER;

    for (size_t i = 0; i < f->n_messages; i++) {
        weir_ps at = f->messages[i].arrived;
        next = at > now && at < next ? at : next;
    }
    for (uint32_t i = 0; i < f->n_ranks; i++) {
        for (uint32_t k = 0; k < f->ranks[i].n_tasks; k++) {
            const struct ref_task *t = &f->ranks[i].tasks[k];
            next = t->start != WEIR_NEVER && t->end > now && t->end < next ? t->end : next;
        }
    }
    return next;
}

void
reference_run(struct reference *f, weir_ps begin)
{
    for (uint32_t i = 0; i < f->n_ranks; i++) {
        f->ranks[i].begin = f->ranks[i].end = begin;
    }
    for (weir_ps now = begin; now != WEIR_NEVER; now = next_time(f, now)) {
        for (uint32_t i = 0; i < f->n_ranks; i++) {
            end_due(f, i, now);
        }
        for (uint32_t i = 0; i < f->n_ranks; i++) {
            while (start_queued(f, i, now) || start_lowest(f, i, now)) {
            }
        }
    }
    for (uint32_t i = 0; i < f->n_ranks; i++) {
        account_rank(&f->ranks[i], i);
    }
}

/* The executor: tasks start when their requirements are met, and their ends let others start. */

#include "graph/executor.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "graph/executor-state.h"

void
executor_init(struct executor *x, struct graph *g, uint32_t rank, unsigned options)
{
    struct graph_rank *r = &g->ranks[rank];
    struct executor_state *s = array_new(1, sizeof *s);

    assert(r->is_finished);
    s->free_step = s->free_collective = GRAPH_NONE;
    s->free_early = s->any_first = s->any_last = GRAPH_NONE;
    s->any_early_first = s->any_early_last = GRAPH_NONE;
    s->wait_sent_ps = WEIR_NEVER;
    s->cpus = array_new(r->n_cpus, sizeof *s->cpus);
    for (uint32_t i = 0; i < r->n_cpus; i++) {
        s->cpus[i] = (struct executor_cpu){ GRAPH_NONE, GRAPH_NONE, GRAPH_NONE };
    }
    *x = (struct executor){ .graph = g,
                            .rank = r,
                            .me = rank,
                            .n_left = (uint32_t)r->n_tasks,
                            .wake_ps = WEIR_NEVER,
                            .begin_ps = WEIR_NEVER,
                            .end_ps = WEIR_NEVER,
                            .misfit_task = GRAPH_NONE,
                            .state = s };
    if (options & EXECUTOR_RECORDS) {
        x->records = array_new(r->n_tasks, sizeof *x->records);
        for (size_t i = 0; i < r->n_tasks; i++) {
            x->records[i] =
                (struct executor_record){ WEIR_NEVER, WEIR_NEVER, WEIR_NEVER, GRAPH_NONE,
                                          GRAPH_NONE, GRAPH_NONE, false };
        }
    }
}

void
executor_free(struct executor *x)
{
    executor_match_free(x);
    executor_steps_free(x->state);
    free(x->state->ready);
    free(x->state->cpus);
    free(x->state->timers);
    free(x->state->ends);
    free(x->state);
    free(x->records);
    *x = (struct executor){ 0 };
}

/* Ready tasks. */

void
executor_add_ready(struct executor_state *s, uint32_t task)
{
    ARRAY_ROOM(s->ready, s->n_ready, s->max_ready);
    size_t i = s->n_ready++;
    for (; i > 0 && s->ready[(i - 1) / 2] > task; i = (i - 1) / 2) {
        s->ready[i] = s->ready[(i - 1) / 2];
    }
    s->ready[i] = task;
}

/* Large heaps are rare, at the beginning of a phase of a job, and are not kept. */
static void
ready_shrink(struct executor_state *s)
{
    if (!s->n_ready && s->max_ready > 1024) {
        free(s->ready);
        s->ready = NULL;
        s->max_ready = 0;
    }
}

static uint32_t
ready_pop(struct executor_state *s)
{
    uint32_t lowest = s->ready[0], last = s->ready[--s->n_ready];
    size_t i = 0;

    for (size_t child; (child = 2 * i + 1) < s->n_ready; i = child) {
        child += child + 1 < s->n_ready && s->ready[child + 1] < s->ready[child];
        if (last <= s->ready[child]) {
            break;
        }
        s->ready[i] = s->ready[child];
    }
    s->ready[i] = last;
    ready_shrink(s);
    return lowest;
}

/* The lowest task that can start, or GRAPH_NONE.  At the begin, tasks without requirements come one
 * after the other without a heap. */
static uint32_t
next_ready(struct executor *x)
{
    struct executor_state *s = x->state;
    const struct graph_rank *r = x->rank;

    while (s->next_root < r->n_tasks && r->tasks[s->next_root].n_before) {
        s->next_root++;
    }
    if (s->next_root < r->n_tasks && (!s->n_ready || s->next_root < s->ready[0])) {
        return s->next_root++;
    }
    return s->n_ready ? ready_pop(s) : GRAPH_NONE;
}

/* Timers. */

static bool
is_earlier(struct executor_timer a, struct executor_timer b)
{
    return a.at < b.at || (a.at == b.at && a.task < b.task);
}

static void
timers_push(struct executor_state *s, struct executor_timer timer)
{
    ARRAY_ROOM(s->timers, s->n_timers, s->max_timers);
    size_t i = s->n_timers++;
    for (; i > 0 && is_earlier(timer, s->timers[(i - 1) / 2]); i = (i - 1) / 2) {
        s->timers[i] = s->timers[(i - 1) / 2];
    }
    s->timers[i] = timer;
}

static uint32_t
timers_pop(struct executor_state *s)
{
    struct executor_timer first = s->timers[0], last = s->timers[--s->n_timers];
    size_t i = 0;

    for (size_t child; (child = 2 * i + 1) < s->n_timers; i = child) {
        child += child + 1 < s->n_timers && is_earlier(s->timers[child + 1], s->timers[child]);
        if (!is_earlier(s->timers[child], last)) {
            break;
        }
        s->timers[i] = s->timers[child];
    }
    s->timers[i] = last;
    return first.task;
}

/* Starts and ends of tasks. */

/* Notes what a task waited for last.  At one instant the lowest one counts, so that the order of
 * events does not matter. */
static void
record_cause(struct executor *x, uint32_t task, uint32_t cause, weir_ps now)
{
    struct executor_record *r = &x->records[task];

    if (r->ready_ps != now || cause < r->after) {
        r->ready_ps = now;
        r->after = cause;
    }
}

/* A task has started (GRAPH_ON_START) or ended (0): those that waited for this only can start. */
static void
release(struct executor *x, uint32_t task, uint32_t on_start, weir_ps now)
{
    const struct graph_rank *r = x->rank;

    for (uint32_t i = r->tasks[task].first_after; i < r->tasks[task + 1].first_after; i++) {
        uint32_t dependent = r->after[i] & ~GRAPH_ON_START;
        if ((r->after[i] & GRAPH_ON_START) != on_start) {
            continue;
        }
        if (x->records) {
            record_cause(x, dependent, task | on_start, now);
        }
        if (--r->tasks[dependent].n_before == 0 && dependent < x->state->next_root) {
            executor_add_ready(x->state, dependent);
        }
    }
}

void
executor_start_task(struct executor *x, uint32_t task, weir_ps now)
{
    x->rank->tasks[task].flags |= GRAPH_IS_STARTED;
    if (x->records) {
        x->records[task].start_ps = now;
    }
    release(x, task, GRAPH_ON_START, now);
}

/* The first task that waits for a free cpu gets it.  Returns GRAPH_NONE if none waits. */
static uint32_t
pop_waiting(struct executor *x, struct executor_cpu *cpu)
{
    uint32_t task = cpu->first;

    if (task != GRAPH_NONE) {
        cpu->first = x->rank->tasks[task].next;
        cpu->last = cpu->first == GRAPH_NONE ? GRAPH_NONE : cpu->last;
    }
    return task;
}

static void
record_cpu(struct executor *x, uint32_t task, uint32_t before)
{
    if (x->records) {
        x->records[task].after = before;
        x->records[task].waited_for_cpu = true;
    }
}

/* A send or collective no longer needs its cpu.  The next task starts in executor_run(), as only
 * that may start tasks. */
static void
pass_cpu(struct executor *x, uint32_t before)
{
    struct executor_cpu *cpu = &x->state->cpus[x->rank->tasks[before].cpu];

    cpu->running = pop_waiting(x, cpu);
    if (cpu->running != GRAPH_NONE) {
        record_cpu(x, cpu->running, before);
        executor_add_ready(x->state, cpu->running);
    }
}

/* Whether a task has its cpu; if not, it waits for it. */
static bool
take_cpu(struct executor *x, uint32_t task)
{
    struct graph_task *tasks = x->rank->tasks;
    struct executor_cpu *cpu = &x->state->cpus[tasks[task].cpu];

    if (cpu->running == GRAPH_NONE || cpu->running == task) {
        cpu->running = task;
        return true;
    }
    tasks[task].next = GRAPH_NONE;
    *(cpu->first == GRAPH_NONE ? &cpu->first : &tasks[cpu->last].next) = task;
    cpu->last = task;
    return false;
}

bool
executor_waits_for_cpu(struct executor *x, uint32_t task)
{
    return x->rank->tasks[task].flags & GRAPH_TAKES_CPU && !take_cpu(x, task);
}

void
executor_end_task(struct executor *x, uint32_t task, weir_ps now)
{
    struct graph_task *t = &x->rank->tasks[task];
    struct executor_state *s = x->state;

    t->flags |= GRAPH_IS_ENDED;
    x->n_left--;
    x->end_ps = now;
    if (x->records) {
        x->records[task].end_ps = now;
    }
    if (t->flags & GRAPH_REPORT) {
        weir_ps start_ps = t->kind == GRAPH_COLLECTIVE ? s->running[t->n_before].start_ps
                           : x->records                ? x->records[task].start_ps
                                                       : WEIR_NEVER;
        ARRAY_PUSH(s->ends, s->n_ends, s->max_ends) = (struct executor_end){ task, start_ps, now };
    }
    if (t->flags & GRAPH_TAKES_CPU) {
        pass_cpu(x, task);
    }
    release(x, task, 0, now);
}

/* Calculations and delays. */

static void
set_timer(struct executor *x, uint32_t task, weir_ps now)
{
    weir_ps at = weir_after(now, (weir_ps)x->rank->tasks[task].amount);

    timers_push(x->state, (struct executor_timer){ at, task });
}

/* Runs a calculation that has its cpu, and returns whether it goes on. */
static bool
run_calc(struct executor *x, uint32_t task, weir_ps now)
{
    executor_start_task(x, task, now);
    if (!x->rank->tasks[task].amount) {
        executor_end_task(x, task, now);
        return false;
    }
    x->state->n_running++;
    set_timer(x, task, now);
    return true;
}

/* A calculation no longer needs its cpu.  The next ones that take no time end at once.  Sends and
 * collectives start with their hosts' answers. */
static void
take_next(struct executor *x, uint32_t before, weir_ps now)
{
    const struct graph_task *tasks = x->rank->tasks;
    struct executor_cpu *cpu = &x->state->cpus[tasks[before].cpu];

    while ((cpu->running = pop_waiting(x, cpu)) != GRAPH_NONE) {
        record_cpu(x, cpu->running, before);
        before = cpu->running;
        if (tasks[before].kind != GRAPH_CALC) {
            executor_add_ready(x->state, before);
            return;
        }
        if (run_calc(x, before, now)) {
            return;
        }
    }
}

static void
start_calc(struct executor *x, uint32_t task, weir_ps now, struct executor_out *out)
{
    (void)out;
    if (take_cpu(x, task) && !run_calc(x, task, now)) {
        take_next(x, task, now);
    }
}

static void
start_delay(struct executor *x, uint32_t task, weir_ps now, struct executor_out *out)
{
    (void)out;
    executor_start_task(x, task, now);
    if (x->rank->tasks[task].amount) {
        set_timer(x, task, now);
    } else {
        executor_end_task(x, task, now);
    }
}

static void
end_timer(struct executor *x, uint32_t task, weir_ps now)
{
    executor_account(x, now, EXECUTOR_BY_TIMER, 0);
    executor_end_task(x, task, now);
    if (x->rank->tasks[task].kind == GRAPH_CALC) {
        x->state->n_running--;
        take_next(x, task, now);
    }
}

/* Sends and receives. */

/* Counts a send or receive that starts now; its task keeps the order. */
static void
count(struct executor *x, uint32_t task)
{
    struct graph_task *t = &x->rank->tasks[task];

    t->n_before = t->flags & GRAPH_IS_ONLY ? 0 : executor_count(x, t->peer, t->tag, t->kind);
}

void
executor_check_size(struct executor *x, uint32_t task, uint64_t bytes,
                    const struct executor_message *m)
{
    if (bytes != GRAPH_UNKNOWN_BYTES && bytes != m->bytes && x->n_misfits++ == 0) {
        x->misfit_task = task;
        x->misfit_bytes = m->bytes;
    }
}

static void
end_receive(struct executor *x, uint32_t task, const struct executor_message *m, weir_ps now)
{
    executor_check_size(x, task, x->rank->tasks[task].amount, m);
    if (x->records) {
        x->records[task].source = m->source;
        x->records[task].source_task = m->task;
    }
    executor_end_task(x, task, now);
}

static void
start_receive(struct executor *x, uint32_t task, weir_ps now, struct executor_out *out)
{
    struct executor_message m;

    (void)out;
    count(x, task);
    executor_start_task(x, task, now);
    if (executor_take_early(x, task, &m)) {
        end_receive(x, task, &m, now);
    }
}

/* A message of this rank to itself. */
static void
send_to_itself(struct executor *x, uint32_t task, weir_ps now)
{
    const struct graph_task *t = &x->rank->tasks[task];
    struct executor_message m = { t->amount, t->tag, now, x->me, t->n_before, task };
    uint32_t receive = executor_take_posted(x, &m);

    if (receive != GRAPH_NONE) {
        end_receive(x, receive, &m, now);
    }
    executor_end_task(x, task, now);
}

static void
start_send(struct executor *x, uint32_t task, weir_ps now, struct executor_out *out)
{
    if (executor_waits_for_cpu(x, task)) {
        return;
    }
    count(x, task);
    executor_start_task(x, task, now);
    if (x->rank->tasks[task].peer == x->me) {
        send_to_itself(x, task, now);
        return;
    }
    x->state->n_unsent++;
    ARRAY_PUSH(out->sends, out->n_sends, out->max_sends) = executor_send_of(x, task);
}

/* The interface. */

static struct executor_send
send_of_step(const struct executor *x, uint32_t token)
{
    const struct executor_step *s = &x->state->steps[token & ~EXECUTOR_STEP];
    uint32_t task = x->state->running[s->collective].task;

    return (struct executor_send){ .bytes = s->bytes,
                                   .tag = s->tag,
                                   .token = token,
                                   .to = s->peer,
                                   .order = s->order,
                                   .task = task,
                                   .channel = s->channel,
                                   .nic = x->rank->tasks[task].nic };
}

struct executor_send
executor_send_of(const struct executor *x, uint32_t token)
{
    if (executor_is_step(token)) {
        return send_of_step(x, token);
    }
    const struct graph_task *t = &x->rank->tasks[token];
    return (struct executor_send){ .bytes = t->amount,
                                   .tag = t->tag,
                                   .token = token,
                                   .to = t->peer,
                                   .order = t->n_before,
                                   .task = token,
                                   .nic = t->nic };
}

uint32_t *
executor_link(struct executor *x, uint32_t token)
{
    return executor_is_step(token) ? &x->state->steps[token & ~EXECUTOR_STEP].next
                                   : &x->rank->tasks[token].next;
}

void
executor_begin(struct executor *x, weir_ps now)
{
    assert(x->begin_ps == WEIR_NEVER);
    x->begin_ps = x->end_ps = x->state->since_ps = now;
    for (size_t i = 0; x->records && i < x->rank->n_tasks; i++) {
        x->records[i].ready_ps = x->rank->tasks[i].n_before ? WEIR_NEVER : now;
    }
}

void
executor_sent(struct executor *x, uint32_t token, weir_ps now)
{
    executor_account(x, now, EXECUTOR_BY_SENT, 0);
    x->state->n_unsent--;
    if (executor_is_step(token)) {
        executor_end_step(x, token, NULL, now);
    } else {
        executor_end_task(x, token, now);
    }
}

/* A message meets its receive, or waits for it. */
static void
deliver(struct executor *x, const struct executor_message *m, weir_ps now)
{
    uint32_t unit = executor_take_posted(x, m);

    if (unit == GRAPH_NONE) {
        return;
    }
    executor_account(x, now, EXECUTOR_BY_MESSAGE, m->sent_ps);
    if (executor_is_step(unit)) {
        executor_end_step(x, unit, m, now);
    } else {
        end_receive(x, unit, m, now);
    }
}

void
executor_arrived(struct executor *x, const struct executor_message *m, weir_ps now)
{
    struct executor_state *s = x->state;

    if (executor_matches_by_arrival(x, m->tag)) {
        ARRAY_PUSH(s->arrived, s->n_arrived, s->max_arrived) = *m;
    } else {
        deliver(x, m, now);
    }
}

static void
deliver_arrived(struct executor *x, weir_ps now)
{
    struct executor_state *s = x->state;

    executor_sort_arrived(s);
    for (size_t i = 0; i < s->n_arrived; i++) {
        deliver(x, &s->arrived[i], now);
    }
    s->n_arrived = 0;
}

static void
report_ends(struct executor_state *s, struct executor_out *out)
{
    for (size_t i = 0; i < s->n_ends; i++) {
        ARRAY_PUSH(out->ends, out->n_ends, out->max_ends) = s->ends[i];
    }
    s->n_ends = 0;
}

void
executor_run(struct executor *x, weir_ps now, struct executor_out *out)
{
    static void (*const starts[GRAPH_N_KINDS])(struct executor *, uint32_t task, weir_ps,
                                               struct executor_out *) = {
        [GRAPH_SEND] = start_send,
        [GRAPH_RECV] = start_receive,
        [GRAPH_CALC] = start_calc,
        [GRAPH_DELAY] = start_delay,
        [GRAPH_COLLECTIVE] = executor_run_collective,
    };
    struct executor_state *s = x->state;

    if (x->begin_ps == WEIR_NEVER) {
        return;
    }
    deliver_arrived(x, now);
    while (s->n_timers && s->timers[0].at <= now) {
        end_timer(x, timers_pop(s), now);
    }
    for (uint32_t task; (task = next_ready(x)) != GRAPH_NONE;) {
        assert(s->since_ps == now); /* Tasks start at the instant that lets them start. */
        starts[x->rank->tasks[task].kind](x, task, now, out);
    }
    report_ends(s, out);
    x->wake_ps = s->n_timers ? s->timers[0].at : WEIR_NEVER;
}

void
executor_out_clear(struct executor_out *out)
{
    out->n_sends = out->n_ends = 0;
}

void
executor_out_free(struct executor_out *out)
{
    free(out->sends);
    free(out->ends);
    *out = (struct executor_out){ 0 };
}

/* Names what unfinished tasks wait for. */

#include <inttypes.h>
#include <stdio.h>

#include "graph/executor-state.h"

/* The wait of a task that has not ended. */
static struct executor_stuck
wait_of(const struct executor *x, uint32_t task)
{
    static const enum executor_wait started[GRAPH_N_KINDS] = {
        [GRAPH_SEND] = EXECUTOR_WAITS_SENT,
        [GRAPH_RECV] = EXECUTOR_WAITS_MESSAGE,
        [GRAPH_CALC] = EXECUTOR_WAITS_TIME,
        [GRAPH_DELAY] = EXECUTOR_WAITS_TIME,
    };
    const struct graph_task *t = &x->rank->tasks[task];
    struct executor_stuck s = { .task = task, .peer = t->peer, .tag = t->tag };

    if (t->flags & GRAPH_IS_STARTED) {
        s.wait = started[t->kind];
        s.order = t->n_before;
    } else {
        s.wait = t->n_before ? EXECUTOR_WAITS_TASKS : EXECUTOR_WAITS_CPU;
        s.n_before = t->n_before;
    }
    return s;
}

/* Finds the next step of a collective; the iterator has the task below, and the slot above. */
static bool
next_step(const struct executor *x, struct executor_stuck *s)
{
    uint32_t task = (uint32_t)s->at;

    for (uint64_t slot = s->at >> 32; slot < x->state->n_steps; slot++) {
        const struct executor_step *step = &x->state->steps[slot];
        if (step->collective != x->rank->tasks[task].n_before) {
            continue;
        }
        *s = (struct executor_stuck){
            .task = task,
            .wait = step->is_send ? EXECUTOR_WAITS_SENT : EXECUTOR_WAITS_MESSAGE,
            .peer = step->peer,
            .tag = step->tag,
            .order = step->order,
            .at = (slot + 1) << 32 | task,
        };
        return true;
    }
    return false;
}

bool
executor_next_stuck(const struct executor *x, struct executor_stuck *s)
{
    for (uint64_t task = s->at & UINT32_MAX; task < x->rank->n_tasks; s->at = ++task) {
        const struct graph_task *t = &x->rank->tasks[task];
        if (t->flags & GRAPH_IS_ENDED) {
            continue;
        }
        if (t->kind == GRAPH_COLLECTIVE && t->flags & GRAPH_IS_STARTED) {
            if (next_step(x, s)) {
                return true;
            }
            continue;
        }
        *s = wait_of(x, (uint32_t)task);
        s->at = task + 1;
        return true;
    }
    return false;
}

static void
add_wait(const struct executor_stuck *s, char *text, size_t bytes)
{
    switch (s->wait) {
    case EXECUTOR_WAITS_MESSAGE:
        if (s->peer == GRAPH_ANY) {
            snprintf(text, bytes, "waits for a message of any rank");
        } else {
            snprintf(text, bytes, "waits for a message of rank %" PRIu32, s->peer);
        }
        break;
    case EXECUTOR_WAITS_SENT:
        snprintf(text, bytes, "waits until its message to rank %" PRIu32 " has left", s->peer);
        break;
    case EXECUTOR_WAITS_TIME:
        snprintf(text, bytes, "is not over");
        break;
    case EXECUTOR_WAITS_CPU:
        snprintf(text, bytes, "waits for its cpu");
        break;
    case EXECUTOR_WAITS_TASKS:
        snprintf(text, bytes, "waits for %" PRIu32 " other task%s of its rank", s->n_before,
                 s->n_before == 1 ? "" : "s");
        break;
    }
}

const char *
executor_stuck_text(const struct executor *x, const struct executor_stuck *s,
                    char text[EXECUTOR_TEXT_BYTES])
{
    char task[GRAPH_TEXT_BYTES];
    int n = snprintf(text, EXECUTOR_TEXT_BYTES, "rank %" PRIu32 ": task %" PRIu32 " (%s) ", x->me,
                     s->task, graph_task_text(&x->rank->tasks[s->task], task));

    add_wait(s, text + n, EXECUTOR_TEXT_BYTES - (size_t)n);
    return text;
}

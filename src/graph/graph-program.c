/* Executors as programs: their answers become messages of a job. */

#include "graph/graph-program.h"

#include "base/array.h"
#include "graph/executor.h"

static void
start_rank(void *state, void *what, uint32_t rank)
{
    const struct graph_job *job = what;

    executor_init(state, job->graph, rank, job->options);
}

static void
stop_rank(void *state)
{
    executor_free(state);
}

static void
begin_rank(void *state, weir_ps now)
{
    executor_begin(state, now);
}

static void
message_sent(void *state, uint32_t token, weir_ps now)
{
    executor_sent(state, token, now);
}

static void
message_arrived(void *state, const struct program_message *m, weir_ps now)
{
    executor_arrived(state,
                     &(struct executor_message){ .bytes = m->bytes,
                                                 .tag = m->tag,
                                                 .sent_ps = m->sent_ps,
                                                 .source = m->source,
                                                 .order = m->order,
                                                 .task = m->label },
                     now);
}

/* Tasks choose a connection by the number of their NIC, and collectives by their channel. */
static weir_ps
run_rank(void *state, weir_ps now, struct program_out *out)
{
    struct executor *x = state;
    struct executor_out answers = { 0 };

    executor_run(x, now, &answers);
    for (size_t i = 0; i < answers.n_sends; i++) {
        const struct executor_send *s = &answers.sends[i];
        ARRAY_PUSH(out->sends, out->n_sends, out->max_sends) =
            (struct program_send){ .bytes = s->bytes,
                                   .tag = s->tag,
                                   .token = s->token,
                                   .to = s->to,
                                   .order = s->order,
                                   .label = s->task,
                                   .channel = s->channel + s->nic };
    }
    executor_out_free(&answers);
    return x->wake_ps;
}

static bool
rank_is_done(const void *state)
{
    return executor_is_done(state);
}

/* Names a cause, if the rank is not done. */
static void
name_cause(const struct executor *x, char text[PROGRAM_TEXT_BYTES])
{
    struct executor_stuck stuck = { 0 };

    _Static_assert((int)EXECUTOR_TEXT_BYTES <= (int)PROGRAM_TEXT_BYTES, "a sentence has room");
    while (executor_next_stuck(x, &stuck)) {
        if (stuck.wait != EXECUTOR_WAITS_TASKS) {
            executor_stuck_text(x, &stuck, text);
            return;
        }
    }
}

static void
report_rank(const void *state, struct program_report *to)
{
    const struct executor *x = state;

    to->begin_ps = x->begin_ps;
    to->end_ps = executor_is_done(x) ? x->end_ps : -1;
    to->computing_ps = x->times.computing_ps;
    to->network_ps = x->times.network_ps;
    to->peer_ps = x->times.peer_ps;
    to->delayed_ps = x->times.delayed_ps;
    name_cause(x, to->waits_for);
}

/* The spans are tasks with GRAPH_REPORT, in their order. */
static void
list_spans(const void *state, struct program_span *spans, size_t n)
{
    const struct executor *x = state;
    size_t n_found = 0;

    for (size_t i = 0; i < x->rank->n_tasks && n_found < n; i++) {
        if (x->rank->tasks[i].flags & GRAPH_REPORT) {
            const struct executor_record *r = &x->records[i];
            spans[n_found++] = (struct program_span){ r->start_ps == WEIR_NEVER ? -1 : r->start_ps,
                                                      r->end_ps == WEIR_NEVER ? -1 : r->end_ps };
        }
    }
}

const struct program graph_program = { .name = "graph",
                                       .state_bytes = sizeof(struct executor),
                                       .start = start_rank,
                                       .stop = stop_rank,
                                       .begin = begin_rank,
                                       .sent = message_sent,
                                       .arrived = message_arrived,
                                       .run = run_rank,
                                       .is_done = rank_is_done,
                                       .report = report_rank,
                                       .list_spans = list_spans };

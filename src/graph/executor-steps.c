/* Collectives: a generator produces sends and receives, the steps, which start and end like tasks
 * but are kept only while they run. */

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "graph/executor-state.h"

/* This rank's place in a group. */
static struct executor_member *
member_of(struct executor *x, uint32_t group)
{
    struct executor_state *s = x->state;

    for (size_t i = 0; i < s->n_members; i++) {
        if (s->members[i].group == group) {
            return &s->members[i];
        }
    }
    uint32_t me = graph_index_in_group(&x->graph->groups[group], x->me);
    assert(me != GRAPH_NONE);
    ARRAY_PUSH(s->members, s->n_members, s->max_members) = (struct executor_member){ group, me, 0 };
    return &s->members[s->n_members - 1];
}

static uint32_t
new_collective(struct executor_state *s, struct executor_running r)
{
    uint32_t i = s->free_collective;

    if (i == GRAPH_NONE) {
        i = (uint32_t)s->n_collectives;
        ARRAY_PUSH(s->running, s->n_collectives, s->max_collectives) = r;
    } else {
        s->free_collective = s->running[i].next;
        s->running[i] = r;
    }
    return i;
}

static void
start_collective(struct executor *x, uint32_t task, weir_ps now)
{
    struct graph_task *t = &x->rank->tasks[task];
    const struct graph_collective *c = &x->graph->collectives[t->peer];
    struct executor_member *member = member_of(x, c->group);
    struct executor_running r = { .params = c->params,
                                  .task = task,
                                  .group = c->group,
                                  .order = member->n_started++,
                                  .start_ps = now,
                                  .arrived_ps = WEIR_NEVER,
                                  .source = GRAPH_NONE,
                                  .source_task = GRAPH_NONE };

    r.params.n = x->graph->groups[c->group].n;
    r.params.bytes = t->amount;
    r.state = array_new(coll_state_bytes(&r.params), 1);
    coll_start(&r.params, r.state, member->me);
    t->n_before = new_collective(x->state, r);
    executor_start_task(x, task, now);
}

static void
end_collective(struct executor *x, uint32_t i, weir_ps now)
{
    struct executor_running *r = &x->state->running[i];

    if (x->records) {
        x->records[r->task].source = r->source;
        x->records[r->task].source_task = r->source_task;
    }
    executor_end_task(x, r->task, now);
    free(r->state);
    r->state = NULL;
    r->next = x->state->free_collective;
    x->state->free_collective = i;
}

static uint32_t
new_step(struct executor_state *s, struct executor_step step)
{
    uint32_t i = s->free_step;

    if (i == GRAPH_NONE) {
        i = (uint32_t)s->n_steps;
        ARRAY_PUSH(s->steps, s->n_steps, s->max_steps) = step;
    } else {
        s->free_step = s->steps[i].next;
        s->steps[i] = step;
    }
    return i | EXECUTOR_STEP;
}

/* A message counts as the last one if it came later, or at the same time from a lower rank, so that
 * the order of events does not matter. */
static void
note_message(struct executor_running *r, const struct executor_message *m, weir_ps now)
{
    if (r->arrived_ps != now || m->source < r->source) {
        r->arrived_ps = now;
        r->source = m->source;
        r->source_task = m->task;
    }
}

void
executor_end_step(struct executor *x, uint32_t unit, const struct executor_message *m, weir_ps now)
{
    struct executor_state *s = x->state;
    uint32_t i = unit & ~EXECUTOR_STEP;
    struct executor_step *step = &s->steps[i];
    struct executor_running *r = &s->running[step->collective];

    if (m) {
        executor_check_size(x, r->task, step->bytes, m);
        note_message(r, m, now);
    }
    coll_ended(&r->params, r->state, step->token);
    if (!r->is_ready) {
        r->is_ready = true;
        executor_add_ready(s, r->task);
    }
    step->collective = GRAPH_NONE;
    step->next = s->free_step;
    s->free_step = i;
}

static void
start_step(struct executor *x, uint32_t i, const struct coll_step *c, weir_ps now,
           struct executor_out *out)
{
    const struct executor_running *r = &x->state->running[i];
    uint32_t unit =
        new_step(x->state, (struct executor_step){
                               .bytes = c->bytes,
                               .tag = EXECUTOR_COLLECTIVE | (uint64_t)r->group << 32 | c->tag,
                               .peer = x->graph->groups[r->group].ranks[c->peer],
                               .order = r->order,
                               .collective = i,
                               .token = c->token,
                               .channel = c->channel,
                               .is_send = c->kind == COLL_SEND,
                           });
    struct executor_message m;

    if (c->kind == COLL_SEND) {
        x->state->n_unsent++;
        ARRAY_PUSH(out->sends, out->n_sends, out->max_sends) = executor_send_of(x, unit);
    } else if (executor_take_early(x, unit, &m)) {
        executor_end_step(x, unit, &m, now);
    }
}

void
executor_run_collective(struct executor *x, uint32_t task, weir_ps now, struct executor_out *out)
{
    struct graph_task *t = &x->rank->tasks[task];
    struct coll_step step;

    if (!(t->flags & GRAPH_IS_STARTED)) {
        if (executor_waits_for_cpu(x, task)) {
            return;
        }
        start_collective(x, task, now);
    }
    struct executor_running *r = &x->state->running[t->n_before];
    r->is_ready = true; /* Steps that end at once need not wake it. */
    while (coll_next(&r->params, r->state, &step)) {
        start_step(x, t->n_before, &step, now, out);
    }
    r->is_ready = false;
    if (coll_is_done(r->state)) {
        end_collective(x, t->n_before, now);
    }
}

void
executor_steps_free(struct executor_state *s)
{
    for (size_t i = 0; i < s->n_collectives; i++) {
        free(s->running[i].state);
    }
    free(s->running);
    free(s->steps);
    free(s->members);
}

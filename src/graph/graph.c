/* Task graphs: tasks, requirements, groups and collectives are added, described and freed. */

#include "graph/graph.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

_Static_assert(sizeof(struct graph_task) == 32, "a run may have 100 million tasks");

void
graph_init(struct graph *g, uint32_t n_ranks)
{
    *g = (struct graph){ .n_ranks = n_ranks,
                         .ranks = array_new(n_ranks, sizeof(struct graph_rank)) };
}

void
graph_free_rank(struct graph *g, uint32_t rank)
{
    struct graph_rank *r = &g->ranks[rank];

    free(r->tasks);
    free(r->after);
    free(r->edges);
    *r = (struct graph_rank){ 0 };
}

void
graph_free(struct graph *g)
{
    for (uint32_t rank = 0; rank < g->n_ranks; rank++) {
        graph_free_rank(g, rank);
    }
    for (size_t i = 0; i < g->n_groups; i++) {
        free(g->groups[i].ranks);
    }
    free(g->ranks);
    free(g->groups);
    free(g->collectives);
    *g = (struct graph){ 0 };
}

static bool
is_valid(const struct graph *g, const struct graph_task *t)
{
    switch ((enum graph_kind)t->kind) {
    case GRAPH_SEND:
        return t->peer < g->n_ranks && t->tag != GRAPH_ANY && t->amount <= GRAPH_MAX_BYTES;
    case GRAPH_RECV:
        return (t->peer < g->n_ranks || t->peer == GRAPH_ANY) &&
               (t->amount <= GRAPH_MAX_BYTES || t->amount == GRAPH_UNKNOWN_BYTES);
    case GRAPH_COLLECTIVE:
        return t->peer < g->n_collectives && t->amount <= GRAPH_MAX_BYTES;
    case GRAPH_CALC:
    case GRAPH_DELAY:
        return t->amount <= GRAPH_MAX_PS;
    case GRAPH_N_KINDS:
        break;
    }
    return false;
}

static bool
may_take_cpu(const struct graph_task *t)
{
    return t->kind == GRAPH_SEND || t->kind == GRAPH_COLLECTIVE;
}

uint32_t
graph_add(struct graph *g, uint32_t rank, struct graph_task task)
{
    struct graph_rank *r = &g->ranks[rank];

    assert(rank < g->n_ranks && !r->is_finished && r->n_tasks < GRAPH_MAX_TASKS);
    assert(is_valid(g, &task));
    task.flags &= may_take_cpu(&task) ? GRAPH_REPORT | GRAPH_TAKES_CPU : GRAPH_REPORT;
    task.first_after = task.n_before = 0;
    task.next = GRAPH_NONE;
    if ((task.kind == GRAPH_CALC || task.flags & GRAPH_TAKES_CPU) && task.cpu >= r->n_cpus) {
        r->n_cpus = task.cpu + 1u;
    }
    r->matches_arrived |=
        task.kind == GRAPH_RECV && (task.peer == GRAPH_ANY || task.tag == GRAPH_ANY);
    ARRAY_PUSH(r->tasks, r->n_tasks, r->max_tasks) = task;
    return (uint32_t)(r->n_tasks - 1);
}

void
graph_require(struct graph *g, uint32_t rank, uint32_t task, uint32_t before, enum graph_after when)
{
    struct graph_rank *r = &g->ranks[rank];

    assert(!r->is_finished && task < r->n_tasks && before < r->n_tasks);
    ARRAY_PUSH(r->edges, r->n_edges, r->max_edges) = (struct graph_edge){
        .before = before,
        .after = task | (when == GRAPH_AFTER_START ? GRAPH_ON_START : 0),
    };
}

uint32_t
graph_add_group(struct graph *g, const uint32_t *ranks, uint32_t n)
{
    struct graph_group group = { array_new(n, sizeof *ranks), n };

    if (n) {
        memcpy(group.ranks, ranks, n * sizeof *ranks);
    }
    ARRAY_PUSH(g->groups, g->n_groups, g->max_groups) = group;
    return (uint32_t)(g->n_groups - 1);
}

uint32_t
graph_add_collective(struct graph *g, struct graph_collective collective)
{
    assert(collective.group < g->n_groups);
    ARRAY_PUSH(g->collectives, g->n_collectives, g->max_collectives) = collective;
    return (uint32_t)(g->n_collectives - 1);
}

uint32_t
graph_index_in_group(const struct graph_group *group, uint32_t rank)
{
    for (uint32_t i = 0; i < group->n; i++) {
        if (group->ranks[i] == rank) {
            return i;
        }
    }
    return GRAPH_NONE;
}

/* The other end of a message: " to rank 2, tag 5". */
static void
add_peer(const struct graph_task *t, char *text, size_t bytes)
{
    const char *way = t->kind == GRAPH_SEND ? "to" : "from";
    int n = t->peer == GRAPH_ANY ? snprintf(text, bytes, " from any rank")
                                 : snprintf(text, bytes, " %s rank %" PRIu32, way, t->peer);

    if (t->tag == GRAPH_ANY) {
        snprintf(text + n, bytes - (size_t)n, ", any tag");
    } else {
        snprintf(text + n, bytes - (size_t)n, ", tag %" PRIu32, t->tag);
    }
}

const char *
graph_task_text(const struct graph_task *t, char text[GRAPH_TEXT_BYTES])
{
    static const struct {
        const char *format;
        uint64_t unit;
    } kinds[GRAPH_N_KINDS] = {
        [GRAPH_SEND] = { "send of %" PRIu64 " B", 1 },
        [GRAPH_RECV] = { "recv of %" PRIu64 " B", 1 },
        [GRAPH_CALC] = { "calc of %" PRIu64 " ns", 1000 },
        [GRAPH_DELAY] = { "delay of %" PRIu64 " ns", 1000 },
        [GRAPH_COLLECTIVE] = { "collective of %" PRIu64 " B", 1 },
    };
    int n = t->kind == GRAPH_RECV && t->amount == GRAPH_UNKNOWN_BYTES
                ? snprintf(text, GRAPH_TEXT_BYTES, "recv of any size")
                : snprintf(text, GRAPH_TEXT_BYTES, kinds[t->kind].format,
                           t->amount / kinds[t->kind].unit);

    if (t->kind == GRAPH_SEND || t->kind == GRAPH_RECV) {
        add_peer(t, text + n, GRAPH_TEXT_BYTES - (size_t)n);
    }
    return text;
}

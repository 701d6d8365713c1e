/* Writes GOAL files: see goal-write.h, and src/graph/goal.h for the formats. */

#include "goal-write.h"

#include <inttypes.h>

enum { HEAD_BYTES = 14, PLACE_BYTES = 16, RANK_BYTES = 8, TASK_BYTES = 39 };

static void
write_any(FILE *out, const char *before, uint32_t value)
{
    if (value == GRAPH_ANY) {
        fprintf(out, "%s-1", before);
    } else {
        fprintf(out, "%s%" PRIu32, before, value);
    }
}

static void
write_text_task(FILE *out, const struct graph_task *t, size_t number)
{
    if (t->kind == GRAPH_CALC) {
        fprintf(out, "t%zu: calc %" PRIu64 " cpu %d\n", number, t->amount / 1000, t->cpu);
        return;
    }
    fprintf(out, "t%zu: %s %" PRIu64 "b", number, t->kind == GRAPH_SEND ? "send" : "recv",
            t->amount);
    write_any(out, t->kind == GRAPH_SEND ? " to " : " from ", t->peer);
    write_any(out, " tag ", t->tag);
    fprintf(out, " cpu %d nic %d\n", t->cpu, t->nic);
}

static void
write_text_rank(FILE *out, const struct graph_rank *r)
{
    for (size_t i = 0; i < r->n_tasks; i++) {
        write_text_task(out, &r->tasks[i], i);
    }
    for (size_t i = 0; i < r->n_tasks; i++) {
        for (uint32_t k = r->tasks[i].first_after; k < r->tasks[i + 1].first_after; k++) {
            fprintf(out, "t%" PRIu32 " %s t%zu\n", r->after[k] & ~GRAPH_ON_START,
                    r->after[k] & GRAPH_ON_START ? "irequires" : "requires", i);
        }
    }
}

void
goal_write_text(FILE *out, const struct graph *g)
{
    fprintf(out, "num_ranks %" PRIu32 "\n", g->n_ranks);
    for (uint32_t rank = 0; rank < g->n_ranks; rank++) {
        fprintf(out, "rank %" PRIu32 " {\n", rank);
        write_text_rank(out, &g->ranks[rank]);
        fprintf(out, "}\n");
    }
}

static void
put(FILE *out, uint64_t value, int n_bytes)
{
    for (int i = 0; i < n_bytes; i++) {
        putc((int)(value >> 8 * i & 0xff), out);
    }
}

static uint32_t
count_roots(const struct graph_rank *r)
{
    uint32_t n = 0;

    for (size_t i = 0; i < r->n_tasks; i++) {
        n += !r->tasks[i].n_before;
    }
    return n;
}

/* How many dependents of a task wait for its start (GRAPH_ON_START) or end (0). */
static uint32_t
count_dependents(const struct graph_rank *r, size_t task, uint32_t on_start)
{
    uint32_t n = 0;

    for (uint32_t k = r->tasks[task].first_after; k < r->tasks[task + 1].first_after; k++) {
        n += (r->after[k] & GRAPH_ON_START) == on_start;
    }
    return n;
}

/* Where a task has no dependents, LogGOPSim's writer leaves any number. */
static void
put_dependents(FILE *out, uint32_t n, uint32_t *first)
{
    put(out, n, 4);
    put(out, n ? *first : 999, 4);
    *first += n;
}

static void
put_tasks(FILE *out, const struct graph_rank *r)
{
    static const uint8_t kinds[] = { [GRAPH_SEND] = 1, [GRAPH_RECV] = 2, [GRAPH_CALC] = 3 };
    uint32_t first = 0;

    for (size_t i = 0; i < r->n_tasks; i++) {
        const struct graph_task *t = &r->tasks[i];
        put(out, t->n_before, 4);
        put(out, kinds[t->kind], 1);
        put(out, t->peer, 4);
        put(out, t->kind == GRAPH_CALC ? t->amount / 1000 : t->amount, 8);
        put(out, t->tag, 4);
        put(out, t->cpu, 1);
        put(out, t->nic, 1);
        put_dependents(out, count_dependents(r, i, 0), &first);
        put_dependents(out, count_dependents(r, i, GRAPH_ON_START), &first);
    }
}

static void
put_list(FILE *out, const struct graph_rank *r, size_t task, uint32_t on_start)
{
    for (uint32_t k = r->tasks[task].first_after; k < r->tasks[task + 1].first_after; k++) {
        if ((r->after[k] & GRAPH_ON_START) == on_start) {
            put(out, r->after[k] & ~GRAPH_ON_START, 4);
        }
    }
}

static void
put_rank(FILE *out, const struct graph_rank *r)
{
    put(out, r->n_tasks, 4);
    put(out, count_roots(r), 4);
    for (size_t i = 0; i < r->n_tasks; i++) {
        if (!r->tasks[i].n_before) {
            put(out, i, 4);
        }
    }
    put_tasks(out, r);
    for (size_t i = 0; i < r->n_tasks; i++) {
        put_list(out, r, i, 0);
        put_list(out, r, i, GRAPH_ON_START);
    }
}

static void
put_places(FILE *out, const struct graph *g)
{
    uint64_t at = HEAD_BYTES - 8 + (uint64_t)PLACE_BYTES * g->n_ranks;

    for (uint32_t rank = 0; rank < g->n_ranks; rank++) {
        const struct graph_rank *r = &g->ranks[rank];
        put(out, at, 8);
        at += RANK_BYTES + 4 * count_roots(r) + TASK_BYTES * r->n_tasks + 4 * r->n_after;
        put(out, at, 8);
    }
}

static uint8_t
highest(const struct graph *g, size_t offset)
{
    uint8_t max = 0;

    for (uint32_t rank = 0; rank < g->n_ranks; rank++) {
        for (size_t i = 0; i < g->ranks[rank].n_tasks; i++) {
            uint8_t value = ((const uint8_t *)&g->ranks[rank].tasks[i])[offset];
            max = value > max ? value : max;
        }
    }
    return max;
}

void
goal_write_binary(FILE *out, const struct graph *g)
{
    put(out, 4223, 8);
    put(out, g->n_ranks, 4);
    put(out, highest(g, offsetof(struct graph_task, cpu)), 1);
    put(out, highest(g, offsetof(struct graph_task, nic)), 1);
    put_places(out, g);
    for (uint32_t rank = 0; rank < g->n_ranks; rank++) {
        put_rank(out, &g->ranks[rank]);
    }
}

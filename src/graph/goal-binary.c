/* Binary GOAL files; goal.h has the format. */

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "graph/goal-format.h"

enum { MAGIC_BYTES = 8, HEAD_BYTES = 14, PLACE_BYTES = 16, RANK_BYTES = 8, TASK_BYTES = 39 };

static uint64_t
number_at(const uint8_t *at, int n_bytes)
{
    uint64_t value = 0;

    for (int i = n_bytes - 1; i >= 0; i--) {
        value = value << 8 | at[i];
    }
    return value;
}

static uint32_t
u32_at(const uint8_t *at)
{
    return (uint32_t)number_at(at, 4);
}

static bool
refuse_truncated(const struct goal *g, uint64_t offset, const char *what, struct err *err)
{
    return err_set_of_content(err,
                              "%s: byte %" PRIu64 ": the file of %" PRIu64 " bytes ends within %s",
                              g->file.name, offset, g->file.size, what);
}

/* Ranks follow each other in the file, so that they take no more memory than the file. */
static bool
read_place(struct goal *g, const uint8_t *at, uint32_t rank, uint64_t *end, struct err *err)
{
    struct goal_place p = { .from = number_at(at, 8), .to = number_at(at + 8, 8) };
    uint64_t offset = HEAD_BYTES + (uint64_t)rank * PLACE_BYTES;

    if (p.from > g->file.size - MAGIC_BYTES || p.to > g->file.size - MAGIC_BYTES) {
        return err_set_of_content(
            err,
            "%s: byte %" PRIu64 ": rank %" PRIu32 " is from byte %" PRIu64 " to %" PRIu64
            " (both counted from byte 8), but the file has %" PRIu64 " bytes; it may be truncated",
            g->file.name, offset, rank, p.from, p.to, g->file.size);
    }
    p.from += MAGIC_BYTES;
    p.to += MAGIC_BYTES;
    if (p.from < *end || p.to < p.from + RANK_BYTES) {
        return err_set_of_content(err,
                                  "%s: byte %" PRIu64 ": rank %" PRIu32 " is from byte %" PRIu64
                                  " to %" PRIu64 "; expected at least %d bytes from byte %" PRIu64,
                                  g->file.name, offset, rank, p.from, p.to, RANK_BYTES, *end);
    }
    *end = p.to;
    g->places[rank] = p;
    return true;
}

static bool
open_binary(struct goal *g, struct err *err)
{
    uint8_t head[HEAD_BYTES], place[PLACE_BYTES];

    if (trace_read(&g->file, 0, head, sizeof head) < sizeof head) {
        return refuse_truncated(g, 0, "its head of 14 bytes", err);
    }
    g->n_ranks = u32_at(head + MAGIC_BYTES);
    uint64_t end = HEAD_BYTES + (uint64_t)g->n_ranks * PLACE_BYTES;
    if (!g->n_ranks) {
        return err_set_of_content(err, "%s: byte 8: the file has no ranks", g->file.name);
    }
    if (end + (uint64_t)g->n_ranks * RANK_BYTES > g->file.size) {
        return refuse_truncated(g, MAGIC_BYTES, "its ranks", err);
    }
    g->places = array_new(g->n_ranks, sizeof *g->places);
    for (uint32_t rank = 0; rank < g->n_ranks; rank++) {
        uint64_t offset = HEAD_BYTES + (uint64_t)rank * PLACE_BYTES;
        if (trace_read(&g->file, offset, place, sizeof place) < sizeof place) {
            return refuse_truncated(g, offset, "its list of ranks", err);
        }
        if (!read_place(g, place, rank, &end, err)) {
            return false;
        }
    }
    return true;
}

/* One rank, in memory. */
struct binary_rank {
    const struct goal *goal;
    struct graph *graph;
    uint32_t rank;
    uint64_t from; /* Its offset in the file. */
    uint8_t *bytes;
    uint32_t n_tasks, n_roots;
    const uint8_t *roots, *tasks, *after;
    uint64_t n_after;
    uint64_t n_used; /* Dependents that tasks have named. */
    struct err *err;
};

static bool refuse(const struct binary_rank *b, const uint8_t *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool
refuse(const struct binary_rank *b, const uint8_t *at, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return err_set_of_content(b->err, "%s: byte %" PRIu64 ": rank %" PRIu32 ": %s",
                              b->goal->file.name, b->from + (uint64_t)(at - b->bytes), b->rank,
                              text);
}

/* Finds the parts of the rank, which must fit. */
static bool
find_parts(struct binary_rank *b, uint64_t n)
{
    b->n_tasks = u32_at(b->bytes);
    b->n_roots = u32_at(b->bytes + 4);
    uint64_t used = RANK_BYTES + 4 * (uint64_t)b->n_roots + TASK_BYTES * (uint64_t)b->n_tasks;
    if (used > n || b->n_tasks > GRAPH_MAX_TASKS) {
        return refuse(b, b->bytes,
                      "%" PRIu32 " tasks and %" PRIu32 " roots take %" PRIu64
                      " bytes, but the rank has %" PRIu64,
                      b->n_tasks, b->n_roots, used, n);
    }
    b->roots = b->bytes + RANK_BYTES;
    b->tasks = b->roots + 4 * (uint64_t)b->n_roots;
    b->after = b->tasks + TASK_BYTES * (uint64_t)b->n_tasks;
    b->n_after = (n - used) / 4;
    return true;
}

static bool
check_peer(const struct binary_rank *b, const uint8_t *at, const struct graph_task *t)
{
    bool may_be_any = t->kind == GRAPH_RECV;

    if (t->peer >= b->goal->n_ranks && !(may_be_any && t->peer == GRAPH_ANY)) {
        return refuse(b, at + 5, "rank %" PRIu32 " does not exist; ranks are 0 to %" PRIu32,
                      t->peer, b->goal->n_ranks - 1);
    }
    if (t->tag == GRAPH_ANY && !may_be_any) {
        return refuse(b, at + 17, "a send has the tag %" PRIu32 ", which means any tag", t->tag);
    }
    if (t->amount > GRAPH_MAX_BYTES) {
        return refuse(b, at + 9, "%" PRIu64 " bytes are more than a message can have: %" PRIu64,
                      t->amount, GRAPH_MAX_BYTES);
    }
    return true;
}

static bool
check_calc(const struct binary_rank *b, const uint8_t *at, struct graph_task *t)
{
    if (t->amount > GRAPH_MAX_PS / 1000) {
        return refuse(b, at + 9, "a calc of %" PRIu64 " ns is longer than %" PRIu64 " ns",
                      t->amount, GRAPH_MAX_PS / 1000);
    }
    t->amount *= 1000;
    return true;
}

static bool
read_task(struct binary_rank *b, const uint8_t *at)
{
    static const uint8_t kinds[] = { [1] = GRAPH_SEND, [2] = GRAPH_RECV, [3] = GRAPH_CALC };

    if (at[4] < 1 || at[4] > 3) {
        return refuse(b, at + 4, "a task of kind %d; expected 1 (send), 2 (receive) or 3 (calc)",
                      at[4]);
    }
    struct graph_task t = { .kind = kinds[at[4]],
                            .peer = u32_at(at + 5),
                            .amount = number_at(at + 9, 8),
                            .tag = u32_at(at + 17),
                            .cpu = at[21],
                            .nic = at[22] };
    if (!(t.kind == GRAPH_CALC ? check_calc(b, at, &t) : check_peer(b, at, &t))) {
        return false;
    }
    graph_add(b->graph, b->rank, t);
    return true;
}

/* Reads the dependents of a task; 'at' is their number and where the first of them is. */
static bool
read_dependents(struct binary_rank *b, uint32_t task, const uint8_t *at, enum graph_after when)
{
    uint64_t n = u32_at(at), first = u32_at(at + 4);

    if (!n) {
        return true; /* Then 'first' is undefined. */
    }
    if (first + n > b->n_after) {
        return refuse(b, at, "dependents %" PRIu64 " to %" PRIu64 ", but the rank has %" PRIu64,
                      first, first + n - 1, b->n_after);
    }
    b->n_used += n;
    if (b->n_used > b->n_after || b->n_used > UINT32_MAX) {
        return refuse(b, at, "tasks share dependents: more than the %" PRIu64 " of the rank",
                      b->n_after);
    }
    for (uint64_t i = first; i < first + n; i++) {
        uint32_t dependent = u32_at(b->after + 4 * i);
        if (dependent >= b->n_tasks) {
            return refuse(b, b->after + 4 * i,
                          "dependent %" PRIu32 " of task %" PRIu32
                          " does not exist; tasks are 0 to %" PRIu32,
                          dependent, task, b->n_tasks - 1);
        }
        graph_require(b->graph, b->rank, dependent, task, when);
    }
    return true;
}

static bool
read_tasks(struct binary_rank *b)
{
    bool good = true;

    for (uint32_t i = 0; good && i < b->n_tasks; i++) {
        good = read_task(b, b->tasks + (uint64_t)TASK_BYTES * i);
    }
    for (uint32_t i = 0; good && i < b->n_tasks; i++) {
        const uint8_t *at = b->tasks + (uint64_t)TASK_BYTES * i;
        good = read_dependents(b, i, at + 23, GRAPH_AFTER_END) &&
               read_dependents(b, i, at + 31, GRAPH_AFTER_START);
    }
    return good;
}

static bool
finish(struct binary_rank *b)
{
    struct graph_cycle c;

    if (graph_finish_rank(b->graph, b->rank, &c)) {
        return true;
    }
    const uint8_t *at = b->tasks + (uint64_t)TASK_BYTES * c.tasks[0];
    if (c.n == 1) {
        return refuse(b, at, "task %" PRIu32 " waits for itself", c.tasks[0]);
    }
    return refuse(b, at,
                  "%" PRIu32 " tasks wait for each other in a cycle: %" PRIu32 ", %" PRIu32 "%s",
                  c.n, c.tasks[0], c.tasks[1], c.n > 2 ? ", ..." : "");
}

/* Compares the file's numbers of requirements, and its roots, with the dependents. */
static bool
check_counts(struct binary_rank *b)
{
    const struct graph_task *tasks = b->graph->ranks[b->rank].tasks;
    uint32_t n_roots = 0;

    for (uint32_t i = 0; i < b->n_tasks; i++) {
        const uint8_t *at = b->tasks + (uint64_t)TASK_BYTES * i;
        n_roots += !tasks[i].n_before;
        if (tasks[i].n_before != u32_at(at)) {
            return refuse(b, at,
                          "task %" PRIu32 " has %" PRIu32
                          " requirements, but is a dependent of %" PRIu32 " tasks",
                          i, u32_at(at), tasks[i].n_before);
        }
    }
    for (uint32_t i = 0; i < b->n_roots; i++) {
        uint32_t root = u32_at(b->roots + 4 * (uint64_t)i);
        if (root >= b->n_tasks || tasks[root].n_before) {
            return refuse(b, b->roots + 4 * (uint64_t)i,
                          "task %" PRIu32 " is listed as a root, but %s", root,
                          root < b->n_tasks ? "has requirements" : "does not exist");
        }
    }
    if (n_roots != b->n_roots) {
        return refuse(b, b->bytes + 4,
                      "%" PRIu32 " roots are listed, but %" PRIu32 " tasks have no requirements",
                      b->n_roots, n_roots);
    }
    return true;
}

static bool
load_binary(const struct goal *g, struct graph *graph, uint32_t rank, struct goal_place *next,
            struct err *err)
{
    struct goal_place p = g->places[rank];
    uint64_t n = p.to - p.from;
    struct binary_rank b = { .goal = g, .graph = graph, .rank = rank, .from = p.from, .err = err };

    (void)next;
    b.bytes = array_new(n, 1);
    bool good =
        trace_read(&g->file, p.from, b.bytes, n) == n || refuse_truncated(g, p.from, "a rank", err);
    good = good && find_parts(&b, n) && read_tasks(&b) && finish(&b) && check_counts(&b);
    free(b.bytes);
    return good;
}

const struct goal_format goal_binary = { open_binary, load_binary };

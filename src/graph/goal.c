/* GOAL files are opened, checked rank by rank, and loaded. */

#include "graph/goal.h"

#include <stdlib.h>

#include "base/array.h"
#include "graph/goal-format.h"

enum { MAGIC = 4223, MAGIC_INVALID = 2342, MAGIC_BYTES = 8 };

static const struct goal_format *
format_of(const struct goal *g)
{
    return g->is_binary ? &goal_binary : &goal_text;
}

/* Text cannot begin with the bytes of these numbers: three of them are zero. */
static bool
find_format(struct goal *g, struct err *err)
{
    uint8_t bytes[MAGIC_BYTES] = { 0 };
    uint64_t magic = 0;

    if (!g->file.size) {
        return err_set_of_content(err, "%s: the file is empty; a GOAL file begins with 'num_ranks'",
                                  g->file.name);
    }
    if (trace_read(&g->file, 0, bytes, sizeof bytes) == sizeof bytes) {
        for (int i = MAGIC_BYTES - 1; i >= 0; i--) {
            magic = magic << 8 | bytes[i];
        }
    }
    if (magic == MAGIC_INVALID) {
        return err_set_of_content(err,
                                  "%s: byte 0: a run of LogGOPSim with --save-mem has invalidated "
                                  "this file; write it again with txt2bin",
                                  g->file.name);
    }
    g->is_binary = magic == MAGIC;
    return true;
}

/* An error of one rank or of several, with the name of the file. */
static bool
refuse_named(const struct goal *g, struct err *err)
{
    struct err plain = *err;

    return err_set_of_content(err, "%s: %s", g->file.name, plain.text);
}

/* Loads each rank alone. */
static bool
for_each_rank(struct goal *g, struct graph *one, struct graph_balance *b,
              void (*visit)(struct graph_balance *, uint32_t rank), struct err *err)
{
    for (uint32_t rank = 0; rank < g->n_ranks; rank++) {
        struct goal_place next = { 0 };
        if (!format_of(g)->load(g, one, rank, &next, err)) {
            return false;
        }
        if (!g->is_binary && rank + 1 < g->n_ranks) {
            g->places[rank + 1] = next;
        }
        visit(b, rank);
        graph_free_rank(one, rank);
    }
    return true;
}

/* Reads all ranks, and compares their sends and receives. */
static bool
check_ranks(struct goal *g, struct err *err)
{
    struct graph one;
    struct graph_balance balance;

    graph_init(&one, g->n_ranks);
    graph_balance_init(&balance, &one);
    bool good = for_each_rank(g, &one, &balance, graph_balance_add, err);
    if (good && !graph_balance_is_even(&balance)) {
        good = false;
        if (for_each_rank(g, &one, &balance, graph_balance_search, err)) {
            graph_balance_describe(&balance, err);
            refuse_named(g, err);
        }
    }
    graph_balance_free(&balance);
    graph_free(&one);
    return good;
}

static bool
open_file(struct goal *g, struct err *err)
{
    bool good = find_format(g, err) && format_of(g)->open(g, err) && check_ranks(g, err);

    if (!good) {
        goal_close(g);
    }
    return good;
}

bool
goal_open(struct goal *g, int file, const char *name, struct err *err)
{
    *g = (struct goal){ .file = { .file = -1 } };
    return trace_open(&g->file, file, name, err) && open_file(g, err);
}

bool
goal_open_bytes(struct goal *g, const void *bytes, size_t n, const char *name, struct err *err)
{
    *g = (struct goal){ .file = { .file = -1 } };
    trace_open_bytes(&g->file, bytes, n, name);
    return open_file(g, err);
}

void
goal_close(struct goal *g)
{
    trace_close(&g->file);
    free(g->places);
    *g = (struct goal){ .file = { .file = -1 } };
}

bool
goal_load(const struct goal *g, struct graph *graph, uint32_t rank, struct err *err)
{
    struct goal_place next;

    return format_of(g)->load(g, graph, rank, &next, err);
}

/* Any bytes as a GOAL file: refused, or a graph that can be written and read again, and that runs
 * until it ends or until the tasks that are left wait for something. */

#include <stdio.h>
#include <stdlib.h>

#include "../graph/goal-write.h"
#include "../graph/host.h"
#include "graph/goal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct host_times
network(void *context, uint32_t from, const struct executor_send *s, weir_ps now)
{
    (void)context;
    weir_ps sent = weir_after(now, 1 + (weir_ps)(s->bytes & 7));
    return (struct host_times){ sent, weir_after(sent, (weir_ps)((from ^ s->tag) & 3)) };
}

static void
load_all(const struct goal *goal, struct graph *g)
{
    struct err err;

    graph_init(g, goal->n_ranks);
    for (uint32_t rank = 0; rank < goal->n_ranks; rank++) {
        if (!goal_load(goal, g, rank, &err)) {
            abort(); /* goal_open() has read it. */
        }
    }
}

static void
check_written(void (*write)(FILE *, const struct graph *), const struct graph *g)
{
    struct goal goal;
    struct graph again;
    struct err err;
    char *bytes;
    size_t n;
    FILE *out = open_memstream(&bytes, &n);

    write(out, g);
    fclose(out);
    if (!goal_open_bytes(&goal, bytes, n, "again", &err)) {
        abort();
    }
    load_all(&goal, &again);
    for (uint32_t rank = 0; rank < g->n_ranks; rank++) {
        if (g->ranks[rank].n_tasks != again.ranks[rank].n_tasks ||
            g->ranks[rank].n_after != again.ranks[rank].n_after) {
            abort();
        }
    }
    graph_free(&again);
    goal_close(&goal);
    free(bytes);
}

static void
check_end(const struct executor *x)
{
    const struct executor_times *t = &x->times;
    uint32_t n = 0;
    char text[EXECUTOR_TEXT_BYTES];

    for (struct executor_stuck s = { 0 }; executor_next_stuck(x, &s);) {
        executor_stuck_text(x, &s, text);
        n++;
    }
    if (n != x->n_left ||
        t->computing_ps + t->network_ps + t->peer_ps + t->delayed_ps != x->end_ps - x->begin_ps) {
        abort();
    }
}

static void
run_graph(struct graph *g)
{
    struct host h;

    host_init(&h, g, network, NULL);
    host_run(&h, 0);
    for (uint32_t rank = 0; rank < g->n_ranks; rank++) {
        check_end(&h.ranks[rank]);
    }
    host_free(&h);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct goal goal;
    struct graph g;
    struct err err;

    if (!goal_open_bytes(&goal, data, size, "fuzzed", &err)) {
        return 0;
    }
    load_all(&goal, &g);
    goal_close(&goal);
    check_written(goal_write_text, &g);
    check_written(goal_write_binary, &g);
    run_graph(&g);
    graph_free(&g);
    return 0;
}

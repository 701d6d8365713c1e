/* Any bytes as a SimAI workload: refused, or graphs of some ranks whose collectives have these
 * ranks as members. */

#include <stdlib.h>

#include "graph/simai.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_RANKS = 1000 };

static void
check_rank(const struct graph *g, uint32_t rank)
{
    const struct graph_rank *r = &g->ranks[rank];

    for (size_t i = 0; i < r->n_tasks; i++) {
        if (r->tasks[i].kind != GRAPH_COLLECTIVE) {
            continue;
        }
        uint32_t group = g->collectives[r->tasks[i].peer].group;
        if (graph_index_in_group(&g->groups[group], rank) == GRAPH_NONE) {
            abort();
        }
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct simai simai;
    struct graph g;
    struct err err;

    if (!simai_open_bytes(&simai, data, size, "fuzzed", NULL, &err)) {
        return 0;
    }
    if (simai.n_ranks <= MAX_RANKS) {
        uint32_t step = 1 + simai.n_ranks / 7;
        simai_begin(&simai, &g);
        for (uint32_t rank = 0; rank < simai.n_ranks; rank += step) {
            if (!simai_load(&simai, &g, rank, &err)) {
                abort();
            }
            check_rank(&g, rank);
        }
        graph_free(&g);
    }
    simai_close(&simai);
    return 0;
}

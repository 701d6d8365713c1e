/* Opens, loads and closes traces of each kind. */

#include "graph/trace.h"

const char *const trace_kinds[] = {
    [TRACE_GOAL] = "goal", [TRACE_CHAKRA] = "chakra", [TRACE_SIMAI] = "simai", 0
};

bool
trace_open_goal(struct trace *t, int file, const char *name, struct err *err)
{
    t->kind = TRACE_GOAL;
    if (!goal_open(&t->goal, file, name, err)) {
        return false;
    }
    t->n_ranks = t->goal.n_ranks;
    t->name = t->goal.file.name;
    return true;
}

bool
trace_open_simai(struct trace *t, int file, const char *name, struct err *err)
{
    t->kind = TRACE_SIMAI;
    if (!simai_open(&t->simai, file, name, NULL, err)) {
        return false;
    }
    t->n_ranks = t->simai.n_ranks;
    t->name = t->simai.file.name;
    return true;
}

bool
trace_open_chakra(struct trace *t, const struct chakra_source *source, struct err *err)
{
    t->kind = TRACE_CHAKRA;
    if (!chakra_open(&t->chakra, source, err)) {
        return false;
    }
    t->n_ranks = t->chakra.n_ranks;
    t->name = t->chakra.prefix;
    return true;
}

void
trace_end(struct trace *t)
{
    switch (t->kind) {
    case TRACE_GOAL:
        goal_close(&t->goal);
        break;
    case TRACE_CHAKRA:
        chakra_close(&t->chakra);
        break;
    default:
        simai_close(&t->simai);
    }
}

void
trace_begin(const struct trace *t, struct graph *g)
{
    switch (t->kind) {
    case TRACE_GOAL:
        graph_init(g, t->n_ranks);
        break;
    case TRACE_CHAKRA:
        chakra_begin(&t->chakra, g);
        break;
    default:
        simai_begin(&t->simai, g);
    }
}

bool
trace_load(const struct trace *t, struct graph *g, uint32_t rank, struct err *err)
{
    switch (t->kind) {
    case TRACE_GOAL:
        return goal_load(&t->goal, g, rank, err);
    case TRACE_CHAKRA:
        return chakra_load(&t->chakra, g, rank, err);
    default:
        return simai_load(&t->simai, g, rank, err);
    }
}

/* SimAI workloads are opened, and the tasks of a rank made of their layers. */

#include "graph/simai.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "graph/simai-text.h"

/* Numbers the groups and collectives that are used. */
static void
number_groups(struct simai *s)
{
    uint32_t n_groups = 0, n_collectives = 0;

    for (int kind = 0; kind < SIMAI_N_GROUPS; kind++) {
        struct simai_groups *g = &s->groups[kind];
        uint32_t n = s->n_ranks / g->size;
        g->first = n_groups;
        n_groups += g->is_used ? n : 0;
        for (int op = 0; op < COLL_N_OPS; op++) {
            if (g->collectives[op] != GRAPH_NONE) {
                g->collectives[op] = n_collectives;
                n_collectives += n;
            }
        }
    }
}

static bool
open_file(struct simai *s, const struct trace_collectives *c, struct err *err)
{
    s->collectives = c ? *c : trace_collectives_default();
    for (int kind = 0; kind < SIMAI_N_GROUPS; kind++) {
        memset(s->groups[kind].collectives, 0xff, sizeof s->groups[kind].collectives);
    }
    if (!simai_read(s, err)) {
        simai_close(s);
        return false;
    }
    number_groups(s);
    return true;
}

bool
simai_open(struct simai *s, int file, const char *name, const struct trace_collectives *c,
           struct err *err)
{
    *s = (struct simai){ .file = { .file = -1 } };
    return trace_open(&s->file, file, name, err) && open_file(s, c, err);
}

bool
simai_open_bytes(struct simai *s, const void *bytes, size_t n, const char *name,
                 const struct trace_collectives *c, struct err *err)
{
    *s = (struct simai){ .file = { .file = -1 } };
    trace_open_bytes(&s->file, bytes, n, name);
    return open_file(s, c, err);
}

void
simai_close(struct simai *s)
{
    trace_close(&s->file);
    free(s->layers);
    *s = (struct simai){ .file = { .file = -1 } };
}

/* The number of the group of a kind to which a rank belongs. */
static uint32_t
group_of(const struct simai *s, enum simai_group kind, uint32_t rank)
{
    uint32_t stride = s->groups[SIMAI_DP].stride, ep = s->groups[SIMAI_EP].size;
    uint32_t place = rank / stride, first = rank % stride; /* In its data group; the group. */

    switch (kind) {
    case SIMAI_TP:
        return rank / s->groups[SIMAI_TP].size;
    case SIMAI_DP:
        return first;
    case SIMAI_EP:
        return place / ep * stride + first;
    default:
        return place % ep * stride + first;
    }
}

/* Adds the groups of a kind: the first rank of each is the lowest one that belongs to it. */
static void
add_groups(const struct simai *s, enum simai_group kind, struct graph *g)
{
    const struct simai_groups *from = &s->groups[kind];
    uint32_t n_groups = s->n_ranks / from->size, *ranks = array_new(from->size, sizeof *ranks);
    uint32_t *first = array_new(n_groups, sizeof *first);

    for (uint32_t rank = s->n_ranks; rank-- > 0;) {
        first[group_of(s, kind, rank)] = rank;
    }
    for (uint32_t i = 0; i < n_groups; i++) {
        for (uint32_t k = 0; k < from->size; k++) {
            ranks[k] = first[i] + k * from->stride;
        }
        graph_add_group(g, ranks, from->size);
    }
    free(first);
    free(ranks);
}

void
simai_begin(const struct simai *s, struct graph *g)
{
    graph_init(g, s->n_ranks);
    for (int kind = 0; kind < SIMAI_N_GROUPS; kind++) {
        if (s->groups[kind].is_used) {
            add_groups(s, (enum simai_group)kind, g);
        }
    }
    for (int kind = 0; kind < SIMAI_N_GROUPS; kind++) {
        const struct simai_groups *from = &s->groups[kind];
        for (int op = 0; op < COLL_N_OPS; op++) {
            uint32_t n = from->collectives[op] == GRAPH_NONE ? 0 : s->n_ranks / from->size;
            for (uint32_t i = 0; i < n; i++) {
                graph_add_collective(
                    g, (struct graph_collective){ from->first + i, s->collectives.params[op] });
            }
        }
    }
}

/* A rank, and the last task for which the next one waits. */
struct simai_rank {
    const struct simai *simai;
    struct graph *graph;
    uint32_t rank, last;
};

/* Adds a task that waits for another; returns its number. */
static uint32_t
add_after(const struct simai_rank *r, uint32_t before, struct graph_task t)
{
    uint32_t task = graph_add(r->graph, r->rank, t);

    if (before != GRAPH_NONE) {
        graph_require(r->graph, r->rank, task, before, GRAPH_AFTER_END);
    }
    return task;
}

static void
compute(struct simai_rank *r, const struct simai_part *part)
{
    if (part->ps) {
        r->last =
            add_after(r, r->last, (struct graph_task){ .kind = GRAPH_CALC, .amount = part->ps });
    }
}

/* Adds the collective of a part, and the update after it; returns the last task. */
static uint32_t
communicate(const struct simai_rank *r, const struct simai_layer *layer,
            const struct simai_part *part)
{
    const struct simai_groups *g = &r->simai->groups[part->group];
    uint32_t last = r->last;

    if (part->op == COLL_N_OPS) {
        return last;
    }
    uint32_t group = group_of(r->simai, (enum simai_group)part->group, r->rank);
    last = add_after(r, last,
                     (struct graph_task){ .kind = GRAPH_COLLECTIVE,
                                          .amount = part->bytes,
                                          .peer = g->collectives[part->op] + group });
    if (layer->update_ps) {
        last = add_after(r, last,
                         (struct graph_task){ .kind = GRAPH_DELAY, .amount = layer->update_ps });
    }
    return last;
}

static void
go_forward(struct simai_rank *r, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const struct simai_layer *layer = &r->simai->layers[i];
        compute(r, &layer->parts[SIMAI_FWD]);
        r->last = communicate(r, layer, &layer->parts[SIMAI_FWD]);
    }
}

static void
go_backward(struct simai_rank *r, size_t i)
{
    const struct simai_layer *layer = &r->simai->layers[i];

    if (layer->initiates) {
        go_forward(r, layer->from, i);
    }
    compute(r, &layer->parts[SIMAI_IG]);
    r->last = communicate(r, layer, &layer->parts[SIMAI_IG]);
    compute(r, &layer->parts[SIMAI_WG]);
    communicate(r, layer, &layer->parts[SIMAI_WG]);
}

bool
simai_load(const struct simai *s, struct graph *g, uint32_t rank, struct err *err)
{
    struct simai_rank r = { .simai = s, .graph = g, .rank = rank, .last = GRAPH_NONE };
    struct graph_cycle none;

    go_forward(&r, 0, s->n_layers);
    for (size_t i = s->n_layers; i-- > 0;) {
        go_backward(&r, i);
    }
    return graph_finish_rank(g, rank, &none) || err_set(err, "%s: layers in a cycle", s->file.name);
}

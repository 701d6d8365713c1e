/* Short forms of tasks and requirements, for tests that write graphs by hand. */

#ifndef TESTS_GRAPH_TASKS_H
#define TESTS_GRAPH_TASKS_H

#include "graph/graph.h"

static inline uint32_t
add_send(struct graph *g, uint32_t rank, uint32_t to, uint64_t bytes, uint32_t tag)
{
    return graph_add(
        g, rank,
        (struct graph_task){ .kind = GRAPH_SEND, .amount = bytes, .peer = to, .tag = tag });
}

static inline uint32_t
add_recv(struct graph *g, uint32_t rank, uint32_t from, uint64_t bytes, uint32_t tag)
{
    return graph_add(
        g, rank,
        (struct graph_task){ .kind = GRAPH_RECV, .amount = bytes, .peer = from, .tag = tag });
}

static inline uint32_t
add_calc(struct graph *g, uint32_t rank, uint64_t ps, uint8_t cpu)
{
    return graph_add(g, rank, (struct graph_task){ .kind = GRAPH_CALC, .amount = ps, .cpu = cpu });
}

static inline uint32_t
add_delay(struct graph *g, uint32_t rank, uint64_t ps)
{
    return graph_add(g, rank, (struct graph_task){ .kind = GRAPH_DELAY, .amount = ps });
}

static inline uint32_t
add_collective(struct graph *g, uint32_t rank, uint32_t collective, uint64_t bytes)
{
    return graph_add(
        g, rank,
        (struct graph_task){ .kind = GRAPH_COLLECTIVE, .amount = bytes, .peer = collective });
}

/* 'task' waits for the end of 'before'. */
static inline void
require(struct graph *g, uint32_t rank, uint32_t task, uint32_t before)
{
    graph_require(g, rank, task, before, GRAPH_AFTER_END);
}

#endif

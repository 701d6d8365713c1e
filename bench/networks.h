/* Networks for benchmarks: two hosts at one switch, and stacks of engines from their names. */

#ifndef BENCH_NETWORKS_H
#define BENCH_NETWORKS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simple-net/simple-net.h"

/* Links the switch, node 0, to the hosts, nodes 1 and 2, with a delay of 1 us. */
static inline void
bench_link_hosts(struct topo *topo, uint64_t rate_bps)
{
    struct topo_link link = { .rate_bps = rate_bps, .delay_ps = 1000000 };
    struct err err;

    topo_add_node(topo, TOPO_SWITCH, "S");
    topo_add_node(topo, TOPO_NIC, "A");
    topo_add_node(topo, TOPO_NIC, "B");
    topo_add_link(topo, 1, 0, &link);
    topo_add_link(topo, 2, 0, &link);
    if (!topo_finish(topo, &err)) {
        fprintf(stderr, "bench: %s\n", err.text);
        exit(1);
    }
    topo_route(topo);
}

/* Makes a stack from names separated by '+'; exits if an engine does not exist. */
static inline struct weir_stack
bench_find_engines(const char *names)
{
    struct weir_stack stack = { 0 };
    char buffer[64];

    snprintf(buffer, sizeof buffer, "%s", names);
    for (char *name = strtok(buffer, "+"); name; name = strtok(NULL, "+")) {
        const struct weir_engine *engine = weir_engine_find(name);
        if (!engine || !weir_stack_add(&stack, engine)) {
            fprintf(stderr, "bench: no engine '%s', or too many\n", name);
            exit(1);
        }
    }
    return stack;
}

static inline bool
bench_moves_classes(const struct weir_stack *stack)
{
    bool moves = false;

    for (uint32_t i = 0; i < stack->n; i++) {
        moves |= stack->layers[i].engine->moves_classes;
    }
    return moves;
}

#endif

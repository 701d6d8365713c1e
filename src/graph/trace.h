/* A trace of any kind: a GOAL file, Chakra execution traces, or a SimAI workload.
 *
 *     struct trace trace;
 *     if (!trace_open_simai(&trace, file, "llama.txt", &err)) ...
 *     trace_begin(&trace, &graph);
 *     for each rank: if (!trace_load(&trace, &graph, rank, &err)) ...
 *     trace_end(&trace); */

#ifndef GRAPH_TRACE_H
#define GRAPH_TRACE_H

#include "graph/chakra.h"
#include "graph/goal.h"
#include "graph/simai.h"

enum trace_kind { TRACE_GOAL, TRACE_CHAKRA, TRACE_SIMAI, TRACE_N_KINDS };

extern const char *const trace_kinds[]; /* "goal", ...; ends with null. */

struct trace {
    enum trace_kind kind;
    uint32_t n_ranks;
    const char *name; /* The name of the file, or what names of files begin with. */
    union {
        struct goal goal;
        struct chakra chakra;
        struct simai simai;
    };
};

/* Take an open file, and close it also on failure. */
bool trace_open_goal(struct trace *, int file, const char *name, struct err *);
bool trace_open_simai(struct trace *, int file, const char *name, struct err *);
bool trace_open_chakra(struct trace *, const struct chakra_source *, struct err *);
void trace_end(struct trace *);

/* Initializes a graph; adds the tasks of a rank and finishes the rank. */
void trace_begin(const struct trace *, struct graph *);
bool trace_load(const struct trace *, struct graph *, uint32_t rank, struct err *);

#endif

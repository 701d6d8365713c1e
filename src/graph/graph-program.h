/* The program of jobs that run a graph of tasks: each rank has an executor (executor.h).
 *
 *     struct graph_job what = { .graph = &graph };
 *     struct model_job job = { .program = &graph_program, .what = &what, ... };
 *
 * The spans of a rank are its tasks with GRAPH_REPORT, which need the option EXECUTOR_RECORDS.
 *
 * A run changes the tasks of its graph, so each run needs its own graph.  If several processes run
 * a network, each of them has the graph. */

#ifndef GRAPH_GRAPH_PROGRAM_H
#define GRAPH_GRAPH_PROGRAM_H

#include "graph/graph.h"
#include "model/program.h"

struct graph_job {
    struct graph *graph; /* Finished. */
    unsigned options;    /* Options of executor_init(). */
};

extern const struct program graph_program;

#endif

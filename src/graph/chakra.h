/* Chakra execution traces of MLCommons: task graphs with one file for each rank, PREFIX.0.et,
 * PREFIX.1.et, and so on, in Protocol Buffers, plain or compressed by gzip.
 *
 *     struct chakra_source source = { .prefix = "traces/llama", .open = ..., .exists = ... };
 *     struct chakra chakra;
 *     struct graph graph;
 *     if (!chakra_open(&chakra, &source, &err)) ...
 *     chakra_begin(&chakra, &graph);
 *     for each rank: if (!chakra_load(&chakra, &graph, rank, &err)) ...
 *     chakra_close(&chakra);
 *
 * chakra_open() reads all files twice and checks them, with one rank in memory at a time.
 * chakra_load() reads one rank; several threads may load different ranks.
 *
 * A node becomes the task of the same number in its file, from 0.  It starts when all nodes of its
 * data_deps have ended.
 *
 *   Metadata (1): takes no time.  Its inputs may define groups (chakra-groups.h), for the nodes
 *     after it.
 *   Memory load and store (2, 3): the time duration_micros, like a communication.
 *   Computation (4): the time duration_micros, on the CPU (is_cpu_op) or on the GPU.
 *   Send and receive (5, 6): comm_size bytes with comm_tag, to comm_dst or from comm_src.
 *   Collective (7): comm_type and comm_size in the group pg_name; "", "0" or no name: all ranks.
 *     A node with is_cpu_op and no comm_type launches a collective: it is a computation.
 *
 * comm_size is what each rank gives to a collective: an all-gather of n ranks collects n times as
 * many bytes.  Reduce, gather and scatter are refused.  A broadcast comes from the first rank of
 * its group, as the format does not name the source.
 *
 * As in ASTRA-sim, a rank runs one CPU operation, one GPU computation and one GPU communication at
 * a time: they have the cpus CHAKRA_CPU, CHAKRA_GPU and CHAKRA_NET.  Receives wait for none of
 * them.  Deviates: waiting nodes start in the order in which they could start, not by their ids. */

#ifndef GRAPH_CHAKRA_H
#define GRAPH_CHAKRA_H

#include "graph/chakra-groups.h"
#include "graph/graph.h"
#include "graph/trace-collectives.h"
#include "graph/trace-file.h"

enum { CHAKRA_CPU, CHAKRA_GPU, CHAKRA_NET };

/* Where the files are.  The functions may be called by several threads. */
struct chakra_source {
    const char *prefix;
    const char *groups; /* The name of a file with groups; null: there is none. */
    bool (*exists)(void *context, const char *name);
    bool (*open)(void *context, const char *name, struct trace_file *, struct err *);
    void *context;
    const struct trace_collectives *collectives; /* Null: trace_collectives_default(). */
};

struct chakra {
    struct chakra_source source;
    char *prefix, *groups; /* Copies of the source's. */
    struct trace_collectives collectives;
    uint32_t n_ranks;
    struct chakra_groups named; /* Groups of the file. */
    struct chakra_groups used;  /* Groups with collectives, which graphs have. */
    struct chakra_use *uses;    /* For each group that is used: the numbers of its collectives. */
    size_t n_uses, max_uses;
    uint32_t n_collectives;
};

bool chakra_open(struct chakra *, const struct chakra_source *, struct err *);
void chakra_close(struct chakra *);

/* Initializes a graph, with the groups and collectives of all ranks. */
void chakra_begin(const struct chakra *, struct graph *);

/* Adds the tasks of a rank to a graph that has none for it, and finishes the rank. */
bool chakra_load(const struct chakra *, struct graph *, uint32_t rank, struct err *);

#endif

/* SimAI workloads: one step of training, as text that AICB writes.
 *
 *     struct simai simai;
 *     struct graph graph;
 *     if (!simai_open(&simai, file, "llama.txt", NULL, &err)) ...
 *     simai_begin(&simai, &graph);
 *     for each rank: if (!simai_load(&simai, &graph, rank, &err)) ...
 *     simai_close(&simai);
 *
 * simai_open() reads and checks the file, and keeps its layers.  simai_load() makes the tasks of
 * one rank; several threads may load different ranks.
 *
 *     HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: 1 all_gpus: 8
 *     2
 *     attention -1 1000 ALLGATHER 8192 500 REDUCESCATTER 8192 500 NONE 0 100
 *     moe       -1 2000 ALLTOALL_EP 4096 900 ALLTOALL_EP 4096 900 ALLREDUCE 1000000 100
 *
 * The first line also has vpp, ga and pp_comm, which are not used, and checkpoints and
 * checkpoint_initiates, each with a number of layers and these layers, from 0.  Other words are
 * ignored.  The second line is the number of layers.  A layer has its name; a dependency, which is
 * not used; three times in nanoseconds, each with a collective and its bytes: forward pass (fwd),
 * input gradient (ig), weight gradient (wg); and the time of an update.  With HYBRID_CUSTOMIZED a
 * policy follows, which is not used.
 *
 * Groups.  N ranks have tensor groups of TP consecutive ranks, and data groups of
 * DP = N / (TP * pp) ranks with a stride of N / DP.  An expert group (_EP) consists of ep ranks
 * that follow each other in a data group.  A group _DP_EP has the ranks of a data group with the
 * same place in their expert groups.  A collective without such a suffix is of the tensor group in
 * fwd and ig, and of the data group in wg.  In a group of one rank there is none.
 *
 * Order.  All layers forward, from the first: the computation, then the collective, for which the
 * next layer waits.  Its size is at least 4096 bytes, unless it is 0.  Then all layers backward,
 * from the last: the computation of ig, its collective, for which the rest waits; the computation
 * of wg, and its collective, for which nothing waits.  The update of a layer takes its time after
 * each of its collectives, as a part of them.  Before a layer of checkpoint_initiates goes
 * backward, the layers from the nearest checkpoint up to it run forward again.
 *
 * Deviates: SimAI's simulator of packets takes pp as 1 for its groups; its analysis does not.  With
 * HYBRID_CUSTOMIZED it lets the collective of ig overlap with the computation of wg.
 *
 * Pipelines.  The file does not say which ranks exchange what, so that all ranks run the layers,
 * and no messages pass between stages. */

#ifndef GRAPH_SIMAI_H
#define GRAPH_SIMAI_H

#include "graph/graph.h"
#include "graph/trace-collectives.h"
#include "graph/trace-file.h"

enum simai_group { SIMAI_TP, SIMAI_DP, SIMAI_EP, SIMAI_DP_EP, SIMAI_N_GROUPS };
enum simai_phase { SIMAI_FWD, SIMAI_IG, SIMAI_WG, SIMAI_N_PHASES };

struct simai_layer {
    struct simai_part {
        uint64_t ps;    /* Computation. */
        uint64_t bytes; /* As graph tasks have it. */
        uint8_t op;     /* enum coll_op; COLL_N_OPS: no collective. */
        uint8_t group;
    } parts[SIMAI_N_PHASES];
    uint64_t update_ps;
    uint32_t from; /* The checkpoint from which layers run again before this one goes backward. */
    bool is_checkpoint, initiates;
};

struct simai {
    struct trace_file file;
    struct trace_collectives collectives;
    uint32_t n_ranks;
    struct simai_layer *layers;
    size_t n_layers, max_layers;
    struct simai_groups {
        uint32_t size, stride;
        uint32_t first;                   /* The number of the first such group in graphs. */
        uint32_t collectives[COLL_N_OPS]; /* The number of the first one; GRAPH_NONE: none. */
        bool is_used;
    } groups[SIMAI_N_GROUPS];
};

/* Takes an open file, and closes it also on failure; 'name' is used in errors.  The collectives
 * may be null: trace_collectives_default(). */
bool simai_open(struct simai *, int file, const char *name, const struct trace_collectives *,
                struct err *);

/* Reads from memory, which the caller keeps. */
bool simai_open_bytes(struct simai *, const void *bytes, size_t n, const char *name,
                      const struct trace_collectives *, struct err *);
void simai_close(struct simai *);

/* Initializes a graph, with the groups and collectives of all ranks. */
void simai_begin(const struct simai *, struct graph *);

/* Adds the tasks of a rank to a graph that has none for it, and finishes the rank. */
bool simai_load(const struct simai *, struct graph *, uint32_t rank, struct err *);

#endif

/* GOAL files, which LogGOPSim and ATLAHS write and read: task graphs as text or binary.
 *
 *     struct goal goal;
 *     struct graph graph;
 *     if (!goal_open(&goal, file, "all-reduce.goal", &err)) ...
 *     graph_init(&graph, goal.n_ranks);
 *     for each rank: if (!goal_load(&goal, &graph, rank, &err)) ...
 *     goal_close(&goal);
 *
 * goal_open() reads the whole file once, checks it, and notes where each rank begins.  It has one
 * rank in memory at a time.  goal_load() reads one rank; several threads may load different ranks.
 *
 * Text:
 *
 *     num_ranks 2
 *     rank 0 {
 *     // A comment has a line of its own.
 *     a: calc 2000 cpu 1
 *     b: send 80b to 1 tag 7 cpu 0 nic 0
 *     b requires a
 *     }
 *     rank 1 {
 *     recv 80b from 0 tag 7
 *     }
 *
 * The time of calc is in nanoseconds.  The options tag, cpu and nic may be absent, and then are 0.
 * A receive from -1 is from any rank, and tag -1 is any tag.  'irequires' waits for the start of a
 * task.  Text after the last rank is ignored.
 *
 * Binary: little endian, no padding; the numbers of bytes are in front.
 *
 *     8  4223; LogGOPSim writes 2342 into files that it has used up
 *     4  number of ranks
 *     1  highest cpu
 *     1  highest nic
 *     for each rank, both counted from byte 8:
 *     8  offset of its first byte
 *     8  offset of the byte after its last one
 *
 * A rank:
 *
 *     4  number of tasks
 *     4  number of roots: tasks without requirements
 *     4  for each root: its number
 *     39 for each task:
 *         4  number of requirements
 *         1  kind: 1 send, 2 receive, 3 calc
 *         4  peer; all bits set: any rank
 *         8  bytes, or nanoseconds
 *         4  tag; all bits set: any tag
 *         1  cpu
 *         1  nic
 *         4  number of dependents that wait for its end
 *         4  index of the first of these in the list below
 *         4  number of dependents that wait for its start
 *         4  index of the first of these
 *     4  for each dependent: its task */

#ifndef GRAPH_GOAL_H
#define GRAPH_GOAL_H

#include "graph/graph.h"
#include "graph/trace-file.h"

struct goal {
    struct trace_file file;
    bool is_binary;
    uint32_t n_ranks;
    struct goal_place *places; /* For each rank. */
};

/* Takes an open file, and closes it also on failure; 'name' is used in errors. */
bool goal_open(struct goal *, int file, const char *name, struct err *);

/* Reads from memory, which the caller keeps. */
bool goal_open_bytes(struct goal *, const void *bytes, size_t n, const char *name, struct err *);
void goal_close(struct goal *);

/* Adds the tasks of a rank to a graph that has none for it, and finishes the rank. */
bool goal_load(const struct goal *, struct graph *, uint32_t rank, struct err *);

#endif

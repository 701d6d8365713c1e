/* Task graphs: what the ranks of a job send, receive and compute, and in which order.
 *
 * A task belongs to one rank, and is a send, a receive, a calculation, a delay or this rank's part
 * of a collective.  It starts when all tasks of its rank that it requires have ended, or have
 * started for requirements of kind GRAPH_AFTER_START.  Readers of trace files and traffic patterns
 * build graphs; an executor (executor.h) runs the tasks of one rank.
 *
 *     struct graph graph;
 *     graph_init(&graph, n_ranks);
 *     uint32_t a = graph_add(&graph, rank, (struct graph_task){ .kind = GRAPH_RECV, ... });
 *     uint32_t b = graph_add(&graph, rank, (struct graph_task){ .kind = GRAPH_SEND, ... });
 *     graph_require(&graph, rank, b, a, GRAPH_AFTER_END);        b waits for the end of a
 *     if (!graph_finish(&graph, &err)) ...
 *     graph_free(&graph);
 *
 * Tasks have numbers per rank, in the order of graph_add().  The order of numbers need not be an
 * order in which tasks can run.
 *
 * graph_finish() refuses tasks of a rank that wait for each other in a cycle, receives that no rank
 * sends, and sends that no rank receives.  Large files are read and finished rank by rank:
 * graph_finish_rank() after each, and struct graph_balance to compare sends with receives.
 *
 * A finished rank takes 32 bytes a task and 4 bytes a requirement.  A graph has no locks: two
 * threads may add to, run and free different ranks at the same time. */

#ifndef GRAPH_GRAPH_H
#define GRAPH_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "graph/collective.h"
#include "weir/units.h"

enum graph_kind {
    GRAPH_SEND,       /* 'amount' bytes to the rank 'peer', with 'tag'. */
    GRAPH_RECV,       /* 'amount' bytes from the rank 'peer', with 'tag'. */
    GRAPH_CALC,       /* 'amount' picoseconds on 'cpu'. */
    GRAPH_DELAY,      /* 'amount' picoseconds on no cpu; the rank does not compute. */
    GRAPH_COLLECTIVE, /* This rank's part of the collective with the number 'peer'. */
    GRAPH_N_KINDS
};

enum graph_after { GRAPH_AFTER_END, GRAPH_AFTER_START };

#define GRAPH_NONE          UINT32_MAX /* No task. */
#define GRAPH_ANY           UINT32_MAX /* The peer of a receive from any rank; the tag of any tag. */
#define GRAPH_UNKNOWN_BYTES UINT64_MAX            /* The amount of a receive that takes any size. */
#define GRAPH_MAX_TASKS     0x7fffffffu           /* Per rank. */
#define GRAPH_MAX_BYTES     ((uint64_t)1 << 50)   /* Per message or collective. */
#define GRAPH_MAX_PS        ((uint64_t)WEIR_LATE) /* Per calculation or delay. */
#define GRAPH_ON_START      0x80000000u /* In 'after': the dependent waits for the start. */

/* Flags of a task.  The caller of graph_add() may set GRAPH_REPORT and GRAPH_TAKES_CPU. */
enum {
    GRAPH_REPORT = 1,     /* The executor reports the end of the task to its host. */
    GRAPH_IS_STARTED = 2, /* Set by the executor. */
    GRAPH_IS_ENDED = 4,   /* Set by the executor. */
    GRAPH_IS_ONLY = 8,    /* No other send or receive of its rank has the same peer and tag, so
                           * that nothing is counted to match it.  Set by graph_finish(). */
    GRAPH_TAKES_CPU = 16, /* A send or collective that has its cpu to itself until it ends, as a
                           * calculation does. */
};

struct graph_task { /* 32 bytes: a run may have 100 million. */
    uint64_t amount;
    uint32_t peer, tag;
    uint32_t first_after; /* Its dependents in 'after' of the rank: from here to the next task's. */
    uint32_t n_before;    /* The requirements that it waits for; once started, its order. */
    uint32_t next;        /* Links tasks in queues of the executor, and sent ones in its host's. */
    uint8_t kind, cpu, nic, flags;
};

/* A requirement, until the rank is finished. */
struct graph_edge {
    uint32_t before, after; /* 'after' with GRAPH_ON_START. */
};

struct graph_rank {
    struct graph_task *tasks; /* Once finished, one more than n_tasks: the end of 'after'. */
    size_t n_tasks, max_tasks;
    uint32_t *after; /* Dependents of all tasks, some with GRAPH_ON_START. */
    size_t n_after;
    struct graph_edge *edges; /* Until the rank is finished. */
    size_t n_edges, max_edges;
    uint32_t n_cpus; /* One more than the highest cpu that a task takes. */
    bool is_finished;
    bool matches_arrived; /* It has a receive from any rank or of any tag: executor.h. */
};

/* The ranks of a communicator, in their order there. */
struct graph_group {
    uint32_t *ranks;
    uint32_t n;
};

/* A collective, which tasks of the ranks of its group share; repeats share it, too.  'n' and
 * 'bytes' of its parameters are not used: they follow from the group and from each task. */
struct graph_collective {
    uint32_t group;
    struct coll_params params;
};

struct graph {
    uint32_t n_ranks;
    struct graph_rank *ranks;
    struct graph_group *groups;
    size_t n_groups, max_groups;
    struct graph_collective *collectives;
    size_t n_collectives, max_collectives;
};

void graph_init(struct graph *, uint32_t n_ranks);
void graph_free(struct graph *);

/* Adds a task and returns its number.  Only kind, amount, peer, tag, cpu, nic, and of
 * 'flags' the two that a caller may set, are read.  The caller has checked the values: peers exist,
 * amounts are at most the maximum, and only receives have GRAPH_ANY. */
uint32_t graph_add(struct graph *, uint32_t rank, struct graph_task);

/* Lets 'task' wait for the end or the start of 'before'. */
void graph_require(struct graph *, uint32_t rank, uint32_t task, uint32_t before, enum graph_after);

/* Add a group, whose ranks are copied and differ, or a collective, which coll_check() has accepted
 * for all tasks; and return its number. */
uint32_t graph_add_group(struct graph *, const uint32_t *ranks, uint32_t n);
uint32_t graph_add_collective(struct graph *, struct graph_collective);

/* The index of a rank in a group, or GRAPH_NONE. */
uint32_t graph_index_in_group(const struct graph_group *, uint32_t rank);

/* Tasks that wait for each other: each waits for the next one, and the last for the first. */
struct graph_cycle {
    uint32_t tasks[8]; /* The first ones. */
    uint32_t n;        /* All of them. */
};

/* Finishes one rank: lists dependents, and returns false if tasks wait for each other. */
bool graph_finish_rank(struct graph *, uint32_t rank, struct graph_cycle *);

/* Finishes all ranks, and compares sends with receives. */
bool graph_finish(struct graph *, struct err *);

/* Frees the tasks of a rank, when nothing uses them any more. */
void graph_free_rank(struct graph *, uint32_t rank);

/* Describes a task: "send of 80 B to rank 2, tag 5". */
enum { GRAPH_TEXT_BYTES = 96 };
const char *graph_task_text(const struct graph_task *, char text[GRAPH_TEXT_BYTES]);

/* Compares sends with receives, and the tasks of a group's members, in two passes over the ranks:
 *
 *     struct graph_balance balance;
 *     graph_balance_init(&balance, &graph);
 *     for each rank, loaded: graph_balance_add(&balance, rank);
 *     if (!graph_balance_is_even(&balance)) {
 *         for each rank, loaded again: graph_balance_search(&balance, rank);
 *         graph_balance_describe(&balance, &err);
 *     }
 *     graph_balance_free(&balance);
 *
 * The first pass keeps a few words for each rank: a sum of hashes, in which a send and its receive
 * cancel out.  The second pass keeps the messages of one receiver only. */
struct graph_balance {
    const struct graph *graph;
    struct graph_incoming *incoming; /* For each rank. */
    struct graph_member *members;    /* For each group. */
    struct graph_message *messages;  /* Second pass: those to the rank 'wrong'. */
    size_t n_messages, max_messages;
    uint32_t wrong, wrong_group; /* The first ones, or GRAPH_NONE. */
};

void graph_balance_init(struct graph_balance *, const struct graph *);
void graph_balance_free(struct graph_balance *);
void graph_balance_add(struct graph_balance *, uint32_t rank);
bool graph_balance_is_even(struct graph_balance *);
void graph_balance_search(struct graph_balance *, uint32_t rank);
bool graph_balance_describe(struct graph_balance *, struct err *); /* Always false. */

#endif

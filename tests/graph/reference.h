/* A second executor, written from the rules alone: it looks at all tasks at each instant. */

#ifndef TESTS_GRAPH_REFERENCE_H
#define TESTS_GRAPH_REFERENCE_H

#include "host.h"

struct ref_task {
    struct graph_task task;
    weir_ps start, end; /* WEIR_NEVER: not yet. */
    weir_ps sent;       /* When the message that ended a receive was sent by another rank. */
    uint32_t order;
    bool is_posted; /* It has started, or waits for its cpu. */
    bool has_cpu;   /* It has waited for its cpu, and has it since. */
    bool is_ended;
};

struct ref_edge {
    uint32_t task, before;
    enum graph_after when;
};

struct ref_rank {
    struct ref_task *tasks;
    uint32_t n_tasks;
    struct ref_edge *edges;
    size_t n_edges, max_edges;
    bool matches_arrived;
    struct executor_times times;
    weir_ps begin, end; /* When its last task has ended so far. */
};

struct ref_message {
    uint32_t from, task, to, tag, order;
    weir_ps sent, arrived;
    bool is_taken;
};

/* An item of a queue: a calculation for a cpu, or a receive that matches by arrival. */
struct ref_wait {
    uint32_t rank, task;
};

struct reference {
    struct ref_rank *ranks;
    uint32_t n_ranks;
    struct ref_message *messages;
    size_t n_messages, max_messages;
    struct ref_wait *queue; /* Posted calculations and receives of all ranks, oldest first. */
    size_t n_queue, max_queue;
    host_network *network;
    void *context;
};

/* Copies the tasks of a graph, before it is finished, and runs them. */
void reference_init(struct reference *, const struct graph *, host_network *, void *context);
void reference_run(struct reference *, weir_ps begin);
void reference_free(struct reference *);

#endif

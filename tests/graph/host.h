/* A host of executors for tests: ranks, a network that is a function, and events in order of time.
 *
 * The events of one instant are reported in an order that 'shuffle' draws, since results must not
 * depend on it.  executor_run() follows once per instant. */

#ifndef TESTS_GRAPH_HOST_H
#define TESTS_GRAPH_HOST_H

#include "graph/executor.h"

/* When a message that starts now has left its sender, and has arrived.  Both are later than now. */
struct host_times {
    weir_ps sent_ps, arrived_ps;
};

typedef struct host_times host_network(void *context, uint32_t from, const struct executor_send *,
                                       weir_ps now);

/* When a message that reaches its receiver now has arrived there completely; at least now. */
typedef weir_ps host_receive(void *context, uint32_t to, const struct executor_message *,
                             weir_ps now);

struct host_event {
    weir_ps at;
    uint32_t rank;
    bool is_arrival, has_reached;    /* It arrives, and 'receive' has been called. */
    uint32_t token;                  /* A send that has left, */
    struct executor_message message; /* or a message that arrives. */
};

struct host {
    struct graph *graph;
    struct executor *ranks;
    struct executor_out out;
    host_network *network;
    host_receive *receive; /* Null: a message that reaches its receiver has arrived. */
    void *context;
    uint64_t shuffle;
    struct host_event *events;
    size_t n_events, max_events;
    weir_ps now;
};

/* All ranks begin at the time 'begin'. */
void host_init(struct host *, struct graph *, host_network *, void *context);
void host_run(struct host *, weir_ps begin); /* Until no event is left. */
void host_free(struct host *);

#endif

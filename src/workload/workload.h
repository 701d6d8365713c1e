/* Workloads: flows over time, generated before the network runs.
 *
 * A pattern sets senders, receivers and times of flows.  Its flows depend only on the seed, the
 * pattern and the network, so all schemes that are compared get the same flows.
 *
 *     struct wl_spec spec = { .topo = &topo, .hosts = hosts, .n_hosts = n, .params = ..., ... };
 *     struct wl_flows flows = { 0 };
 *     if (!wl_pattern_find("poisson")->draw(&spec, &flows, &err)) ...         pattern.h has them
 *     wl_flows_free(&flows);
 *
 * The end of a flow depends on the network.  If a host starts a flow after its previous one, or
 * after receiving one, the flow has the number of the flow that it waits for. */

#ifndef WORKLOAD_H
#define WORKLOAD_H

#include "topo/topo.h"
#include "workload/sizes.h"

#define WL_NONE     UINT32_MAX
#define WL_ENDLESS  UINT64_MAX
#define WL_MESSAGES (UINT64_MAX - 1) /* A connection, which sends the messages of a job. */

enum { WL_MAX_FLOWS = 20000000 }; /* The maximum number of flows in a run. */

struct trace;

struct wl_flow {
    uint32_t from, to; /* Both are nodes of the topology. */
    uint32_t after;    /* The flow starts when that flow has been sent or received by its sender. */
    uint64_t bytes;    /* The size, or WL_ENDLESS, or WL_MESSAGES. */
    weir_ps start_ps;  /* The start; with 'after' it counts from then. */
};

struct wl_flows {
    struct wl_flow *items;
    size_t n, max;
};

struct wl_spec {
    const struct topo *topo; /* The network, with its routes. */
    const uint32_t *hosts;   /* The nodes that take part. */
    uint32_t n_hosts;
    uint32_t to; /* The receiver, if the pattern accepts one; TOPO_NONE: any host. */
    const struct wl_sizes *sizes; /* Null: the pattern decides the size of flows. */
    const void *params;           /* The parameters of the pattern. */
    const struct trace *trace;    /* The trace of a pattern that needs one; else null. */
    /* The groups of a collective; a size of 0: one group of all hosts. */
    uint64_t group_size, group_stride;
    weir_ps start_ps, end_ps; /* No flow starts before start_ps, and none at end_ps or later. */
    size_t max_flows;         /* The number of flows that the workload may add: WL_MAX_FLOWS
                               * minus the existing flows. */
    uint64_t seed;
    uint32_t number; /* The number of this workload, by which equal workloads differ. */
};

void wl_flows_free(struct wl_flows *);
void wl_flows_trim(struct wl_flows *); /* Frees the unused memory. */

#endif

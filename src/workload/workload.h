/* Workloads: flows over time, drawn before the network runs.
 *
 * A pattern sets senders, receivers and times of flows.  Its flows depend on the seed, the pattern
 * and the network alone: all schemes that are compared get the same flows, whatever they make of
 * them.
 *
 *     struct wl_spec spec = { .topo = &topo, .hosts = hosts, .n_hosts = n, .params = ..., ... };
 *     struct wl_flows flows = { 0 };
 *     if (!wl_pattern_find("poisson")->draw(&spec, &flows, &err)) ...         pattern.h has them
 *     wl_flows_free(&flows);
 *
 * When a flow ends is the network's concern.  Where a host sends its next flow after its last, or
 * after receiving one, a flow has the number of the one that it waits for. */

#ifndef WORKLOAD_H
#define WORKLOAD_H

#include "topo/topo.h"
#include "workload/sizes.h"

#define WL_NONE    UINT32_MAX
#define WL_ENDLESS UINT64_MAX

enum { WL_MAX_FLOWS = 20000000 }; /* The maximum in a run. */

struct wl_flow {
    uint32_t from, to; /* Nodes of the topology. */
    uint32_t after;    /* Starts when that flow has been sent from here, or received here. */
    uint64_t bytes;    /* WL_ENDLESS. */
    weir_ps start_ps;  /* With 'after': from then on. */
};

struct wl_flows {
    struct wl_flow *items;
    size_t n, max;
};

struct wl_spec {
    const struct topo *topo; /* With its routes. */
    const uint32_t *hosts;   /* Nodes that take part. */
    uint32_t n_hosts;
    uint32_t to; /* The receiver; TOPO_NONE: any host.  Where the pattern takes it. */
    const struct wl_sizes *sizes; /* Null: the pattern decides the size of flows. */
    const void *params;           /* Parameters of the pattern. */
    weir_ps start_ps, end_ps;     /* No flow starts before, none at or after. */
    size_t max_flows;             /* WL_MAX_FLOWS, less those that there are. */
    uint64_t seed;
    uint32_t number; /* The number of this workload, so that two alike differ. */
};

void wl_flows_free(struct wl_flows *);
void wl_flows_trim(struct wl_flows *); /* Frees the unused memory. */

#endif

/* Workloads: flows over time, drawn before the network runs.
 *
 * A pattern says who sends to whom and when.  What it draws depends on the seed, the pattern and
 * the network alone: every scheme that is compared gets the same flows, whatever it makes of them.
 *
 *     struct wl_spec spec = { .topo = &topo, .hosts = hosts, .n_hosts = n, .load = ..., ... };
 *     struct wl_flows flows = { 0 };
 *     if (!wl_poisson(&spec, &flows, &err)) ...               too many flows, nobody to send to
 *     wl_flows_free(&flows);
 *
 * When a flow ends is the network's concern.  Where a host sends its next flow after its last, or
 * after what it has received, a flow has the number of the one that it waits for.  Of closed loops
 * enough flows are drawn that no host can come to the end of its own before the time is over: bytes
 * for a full link, and a flow more. */

#ifndef WORKLOAD_H
#define WORKLOAD_H

#include "topo/topo.h"
#include "workload/sizes.h"

#define WL_NONE    UINT32_MAX
#define WL_ENDLESS UINT64_MAX

enum { WL_MAX_FLOWS = 20000000 }; /* Of a run. */

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
    const uint32_t *hosts;   /* Nodes: who takes part. */
    uint32_t n_hosts;
    const struct wl_sizes *sizes; /* Null: every flow has 'bytes'. */
    uint64_t bytes;
    uint64_t load;            /* Ratio of what the hosts' links carry. */
    uint32_t senders;         /* Of an incast. */
    uint32_t chunks;          /* Of an all-reduce. */
    bool is_other_rack;       /* Destinations stand at another switch. */
    weir_ps start_ps, end_ps; /* No flow starts before, none at or after. */
    size_t max_flows;         /* WL_MAX_FLOWS, less those that there are. */
    uint64_t seed;
    uint32_t number; /* Of this workload, so that two alike differ. */
};

typedef bool wl_pattern(const struct wl_spec *, struct wl_flows *, struct err *);

/* Each host by itself, at chance times, to a host drawn each time.  A host that the network is cut
 * from is not drawn, and one that reaches nobody is silent. */
wl_pattern wl_poisson;

/* The same without pauses: when a flow has been sent the host starts the next. */
wl_pattern wl_closed;

/* Each host sends to one other, and receives from one. */
wl_pattern wl_permutation;

/* At chance times, a host drawn each time receives from many at once. */
wl_pattern wl_incast;

wl_pattern wl_all_to_all;

/* Hosts in a ring, each sending to the next, in 2 (n - 1) steps, a share of 'bytes': bytes / n, cut
 * into chunks that go round independently.  A chunk goes on when it has come in from the host
 * before. */
wl_pattern wl_ring_allreduce;

void wl_flows_free(struct wl_flows *);

#endif

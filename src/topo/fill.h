/* Flows that fill a cycle of buffers: turns a cycle of depend.h into traffic for a run.
 *
 * Each edge of a cycle has an example of a route.  A flow on that route holds two buffers of the
 * cycle or more, and waits for the last of them.  Routes that other flows already cover are left
 * out.  Hosts are spread, so that no two flows end at one host while another is free.  So flows
 * wait for the cycle, not for a receiver.
 *
 *     struct topo_fill fill;
 *     topo_fill_cycle(topo, &loops, &cycle, &(struct topo_fill_options){ 0 }, &fill);
 *     for (each fill.flows[i]) ... from, to, and the ports via[0 .. n_via) of its path
 *     topo_fill_free(&fill);
 *
 * Whether these flows fill the cycle depends on how switches share their outputs.  If a flow in the
 * cycle and a flow that enters get the same share, neither queue grows.  So the option 'all' adds
 * flows on the routes of all edges.  The option 'each_port' adds flows that enter at the same
 * switch as each flow, one from every port over which routes lead there. */

#ifndef TOPO_FILL_H
#define TOPO_FILL_H

#include "topo/depend.h"

struct topo_fill_options {
    bool all;       /* Use the routes of all edges, even if other flows cover some of them. */
    bool each_port; /* Add flows that enter at the same switch as each flow. */
};

struct topo_fill_flow {
    uint32_t from, to; /* The NICs at its ends. */
    uint8_t cls;
    uint32_t *via; /* The ports through which it leaves the switches of its path; null: it follows
                    * the routes, which form a loop. */
    uint32_t n_via;
};

struct topo_fill {
    struct topo_fill_flow *flows;
    size_t n, max;
};

/* The topology must have routes.  'loops' are the loops of the topology; if a route is a loop, they
 * name the host to which its packets are sent. */
void topo_fill_cycle(const struct topo *, const struct topo_loops *loops,
                     const struct depend_cycle *, const struct topo_fill_options *,
                     struct topo_fill *);
void topo_fill_free(struct topo_fill *);

#endif

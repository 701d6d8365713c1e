/* Flows that fill a cycle of buffers: a cycle of depend.h, made traffic that can be run.
 *
 * Each edge of a ring has a route that makes it.  A flow on that route holds two buffers of the
 * ring or more, and waits for the last of them.  Routes that other flows cover anyway are left out,
 * and hosts are spread, so that no two flows end at one host while another is free.  Then flows
 * wait for the cycle, and not for a receiver.
 *
 *     struct topo_fill fill;
 *     topo_fill_cycle(topo, &loops, &cycle, &(struct topo_fill_options){ 0 }, &fill);
 *     for (each fill.flows[i]) ... from, to, by the ports via[0 .. n_via)
 *     topo_fill_free(&fill);
 *
 * Whether they fill it depends on how switches share their outputs: where a flow that passes and
 * one that enters get the same share, neither queue grows.  So it can also be filled with more
 * flows: on the routes of all edges. Each flow gets others that enter at its switch, one from every
 * port by which the routes lead there. */

#ifndef TOPO_FILL_H
#define TOPO_FILL_H

#include "topo/depend.h"

struct topo_fill_options {
    bool all;    /* The routes of all edges, though other flows cover some. */
    bool beside; /* With others that enter where each does. */
};

struct topo_fill_flow {
    uint32_t from, to; /* NICs. */
    uint8_t cls;
    uint32_t *via; /* The ports by which it leaves the switches of its path; null: the routes, which
                    * form a loop. */
    uint32_t n_via;
};

struct topo_fill {
    struct topo_fill_flow *flows;
    size_t n, max;
};

/* The topology must have routes.  'loops' are those of the topology: where a route is circular they
 * have the host that its packets are sent to. */
void topo_fill_cycle(const struct topo *, const struct topo_loops *loops,
                     const struct depend_cycle *, const struct topo_fill_options *,
                     struct topo_fill *);
void topo_fill_free(struct topo_fill *);

#endif

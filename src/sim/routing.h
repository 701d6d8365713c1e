/* Routes: the ports by which packets may leave a switch, now and after links have failed. */

#ifndef SIM_ROUTING_H
#define SIM_ROUTING_H

#include "sim/run-state.h"

#define SIM_ROUTE_GROUP 0x80000000u /* Marks a route as a group; without a path it is SIM_NONE. */

/* forward.c: whether a packet of a flow that has a path of its own can be at a switch. */
bool sim_is_on_path(const struct sim *, const struct sim_node *, const struct sim_packet *);

/* forward.c: the ports by which a packet may leave a switch.  The call changes no state: a later
 * packet goes where it would have gone. */
struct sim_next_ports {
    const uint16_t *several; /* A packet may take any of these; null if there is one or none. */
    uint32_t only, n;
};

struct sim_next_ports sim_next_ports(const struct sim *, uint32_t node, const struct sim_packet *);

static inline uint32_t
sim_next_port(const struct sim_next_ports *w, uint32_t i)
{
    return w->several ? w->several[i] : w->only;
}

/* The port by which a message leaves a switch: towards a NIC as a packet of its flow, towards a
 * switch that has hosts as to these; or SIM_NONE. */
uint32_t sim_message_port(const struct sim *, struct sim_node *, const struct sim_frame *);

/* route-rows.c, reroute.c */
void sim_take_routes(struct sim *); /* The network as its switches believe it to be. */
const uint32_t *sim_routes_of(const struct sim *, uint32_t node); /* A switch: [leaf]. */

/* Whether they change in this run, now or later. */
bool sim_routes_change(const struct sim *);
void sim_reroute(struct sim *, weir_ps now);

#endif

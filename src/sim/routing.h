/* Routes: the ports through which packets may leave a switch, now and after links have failed. */

#ifndef SIM_ROUTING_H
#define SIM_ROUTING_H

#include "sim/run-state.h"

/* Marks a route as a group of ports; a route without a path is SIM_NONE. */
#define SIM_ROUTE_GROUP 0x80000000u

/* forward.c: whether a packet can be at a switch, if the scenario sets the path of its flow. */
bool sim_is_on_path(const struct sim *, const struct sim_node *, const struct sim_packet *);

/* forward.c: the ports through which a packet may leave a switch.  The call changes no state, so it
 * does not affect the route of later packets. */
struct sim_next_ports {
    const uint16_t *several; /* The ports, any of which a packet may take; null if there is at most
                              * one. */
    uint32_t only, n;
};

struct sim_next_ports sim_next_ports(const struct sim *, uint32_t node, const struct sim_packet *);

static inline uint32_t
sim_next_port(const struct sim_next_ports *w, uint32_t i)
{
    return w->several ? w->several[i] : w->only;
}

/* The port through which a message leaves a switch, or SIM_NONE.  A message to a NIC takes the
 * route of a packet of its flow; a message to a switch with hosts takes the route to these
 * hosts. */
uint32_t sim_message_port(const struct sim *, struct sim_node *, const struct sim_frame *);

/* forward.c: the port through which a NIC sends packets of a flow to the NIC with the index 'dst':
 * its first port, or one of the ports nearest to that NIC, chosen by the hash of the flow. */
uint32_t sim_nic_port(const struct sim *, uint32_t nic, uint32_t dst, uint32_t flow);

/* These functions are in route-rows.c and reroute.c. */
void sim_take_routes(struct sim *); /* Takes the routes that the switches know at the start. */
const uint32_t *sim_routes_of(const struct sim *, uint32_t node); /* The row of a switch, [leaf]. */

/* Whether routes change in this run. */
bool sim_routes_change(const struct sim *);
void sim_reroute(struct sim *, weir_ps now);

#endif

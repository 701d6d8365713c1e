/* How much memory a plant will take, before any of it is taken.
 *
 * Counted is what is there from the start, which is nearly all of it: flows at both ends, ports and
 * the state of engines, queues of switches that have many, tables of routes, the mail that starts
 * the flows.  Packets on their way, copies and places in an index come on top, and are few beside
 * it. */

#include "base/need.h"
#include "sim/internal.h"
#include "sim/nodes/handles.h"

static uint64_t
flow_bytes(const struct plant *c)
{
    uint64_t bytes = sizeof(struct sim_sender) + sizeof(struct sim_sink) + sizeof(uint64_t) +
                     sizeof(weir_ps) + sizeof(struct sim_turn);
    bool is_controlled = false;

    for (uint32_t i = 0; i < c->n_flows && !is_controlled; i++) {
        is_controlled = c->flows[i].transport && c->flows[i].transport->start;
    }
    /* Twice, as the room for mail doubles when it is full. */
    return bytes + 2 * sizeof(struct sim_mail) + (is_controlled ? sizeof(struct sim_pacer) : 0);
}

static uint64_t
node_bytes(const struct plant *c, uint32_t id)
{
    const struct weir_shape *shape = &c->nodes[id].shape;
    const struct weir_needs *needs = &c->engines[c->nodes[id].engines].needs;
    const struct plant_role *role = plant_role_at(c, id);
    const struct sim_arbitration *arbitration = role->arbitration;
    uint64_t a_port = sizeof(struct sim_port) + sizeof *((struct sim_node *)0)->results +
                      sizeof *((struct sim_node *)0)->losses + 2 * sizeof(weir_ps) +
                      sizeof *((struct sim_node *)0)->line_bps;
    uint64_t a_slot =
        2 * (sizeof *((struct sim_node *)0)->peaks + sizeof *((struct sim_node *)0)->sums) +
        sizeof *((struct sim_node *)0)->holds;

    return sizeof(struct sim_node) + shape->n_ports * a_port + weir_n_slots(shape) * a_slot +
           needs->state_bytes + needs->n_timers * sizeof(struct sim_timer) +
           weir_buffer_memory(shape->n_ports, shape->n_classes) +
           units_bytes(shape, needs->services) +
           (role->kind->bytes ? role->kind->bytes(role->kind_params, shape->n_ports,
                                                  shape->n_classes, c->topo->n_leaves)
                              : 0) +
           (arbitration ? arbitration->bytes(shape->n_ports, shape->n_classes) : 0);
}

void
sim_need_memory(const struct plant *c)
{
    uint64_t bytes =
        c->n_flows * flow_bytes(c) +
        (uint64_t)c->topo->n_switches * c->topo->n_leaves * sizeof *((struct sim *)0)->routes +
        sim_numbers_bytes(c);

    for (uint32_t id = 0; id < c->topo->n_nodes; id++) {
        bytes += node_bytes(c, id);
    }
    need_memory(bytes, "%u flows among %zu nodes", c->n_flows, c->topo->n_nodes);
}

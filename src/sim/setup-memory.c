/* How much memory a plant will take, before any of it is taken.
 *
 * Counted is what is there from the start, which is nearly all of it: flows at both ends, ports and
 * the state of engines, queues of switches that have many, tables of routes, the mail that starts
 * the flows, and where it is asked for, who waits.  Packets on their way, copies and places in an
 * index come on top, and are few beside it. */

#include "base/need.h"
#include "sim/internal.h"
#include "sim/nodes/handles.h"
#include "sim/stays.h"

static uint64_t
flow_bytes(const struct sim *sim)
{
    const struct plant *c = &sim->plant;
    uint64_t a_sink = sizeof(struct sim_sink) + sizeof(uint64_t);
    /* Mail twice, as the room for it doubles when it is full. */
    uint64_t a_sender = sizeof(struct sim_sender) + sizeof(weir_ps) + sizeof(struct sim_turn) +
                        2 * sizeof(struct sim_mail);
    uint64_t known = sim->sender_slots ? 3 * sizeof *sim->sender_slots : 0;
    bool is_controlled = false;

    for (uint32_t i = 0; i < c->n_flows && !is_controlled; i++) {
        is_controlled = c->flows[i].transport && c->flows[i].transport->start;
    }
    a_sender += is_controlled ? sizeof(struct sim_pacer) : 0;
    return c->n_flows * known + sim->n_senders * a_sender + sim->n_sinks * a_sink;
}

static uint64_t
node_bytes(const struct plant *c, uint32_t id)
{
    const struct weir_shape *shape = plant_shape_like(c, id);
    const struct weir_needs *needs = &c->engines[c->nodes[id].engines].needs;
    const struct plant_role *role = plant_role_at(c, id);
    const struct sim_arbitration *arbitration = role->arbitration;
    uint64_t a_port = sizeof(struct sim_port) + sizeof *((struct sim_node *)0)->results +
                      sizeof *((struct sim_node *)0)->losses + 2 * sizeof(weir_ps) +
                      sizeof *((struct sim_node *)0)->line_bps;
    uint64_t a_slot = sizeof *((struct sim_node *)0)->past + sizeof *((struct sim_node *)0)->holds;

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
sim_need_memory(const struct sim *sim)
{
    const struct topo *topo = sim->plant.topo;
    uint64_t bytes = flow_bytes(sim) + sim_numbers_bytes(sim) + sim_stays_bytes(sim) +
                     (uint64_t)topo->n_switches * topo->n_leaves * sizeof *sim->routes;

    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        bytes += sim_is_here(sim, id) ? node_bytes(&sim->plant, id) : 0;
    }
    need_memory(bytes, "%u flows among %u nodes", sim->plant.n_flows, sim->n_nodes);
}

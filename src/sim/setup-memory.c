/* Computes how much memory a model will take, before it is allocated.
 *
 * The count has the memory that is allocated at the start, which is nearly all of it.  These are
 * flows at both ends, ports and the state of engines, queues of switches that have many, tables of
 * routes, and wait accounting if it is enabled.  Packets on their way, active flows, copies and
 * units of an index need more, but little in comparison. */

#include "base/out-of-memory.h"
#include "sim/connection-ends.h"
#include "sim/flow-ends.h"
#include "sim/nodes/handles.h"
#include "sim/setup.h"
#include "sim/watch.h"
#include "sim/wires.h"

/* Which memory any flow of a model needs; it is then allocated for all flows. */
struct has {
    bool control, gate, answers;
};

static struct has
some_flow_has(const struct model *c)
{
    struct has has = { 0 };

    for (uint32_t i = 0; i < c->n_flows; i++) {
        const struct model_flow *f = &c->flows[i];
        has.control |= f->terms->transport && f->terms->transport->start;
        has.gate |= f->terms->rate_bps != WEIR_UNLIMITED;
        has.answers |= transport_recovery(f->terms->transport, f->terms->recovery)->is_reliable;
    }
    has.gate |= has.control;
    return has;
}

/* The memory of inactive flows; an active flow needs more (flow-memory.c). */
static uint64_t
flow_bytes(const struct sim *sim)
{
    const struct model *c = &sim->model;
    const struct has has = some_flow_has(c);
    uint64_t a_sink = sizeof(struct sim_sink) + sizeof *sim->watch->middle_bytes;
    uint64_t a_sender = sizeof(struct sim_sender) + sizeof *sim->flows.started_ps +
                        sizeof *sim->flows.next_start + sizeof *sim->flows.keys;
    uint64_t known = sim->flows.sender_slots ? 3 * sizeof *sim->flows.sender_slots : 0;

    a_sender += has.answers ? sizeof *sim->flows.n_first + sizeof *sim->flows.retry_ps : 0;
    a_sender += has.control ? sizeof *sim->flows.pacers : 0;
    a_sender += has.gate ? sizeof *sim->flows.turns : 0;
    a_sender += c->n_jobs ? sizeof *sim->flows.outgoing : 0;
    a_sink += c->n_jobs ? sizeof *sim->flows.incoming : 0;
    return c->n_flows * known + sim->flows.n_senders * a_sender + sim->flows.n_sinks * a_sink;
}

static uint64_t
node_bytes(const struct model *c, uint32_t id)
{
    const struct weir_shape *shape = model_shape_like(c, id);
    const struct weir_needs *needs = &c->engines[c->nodes[id].engines].needs;
    const struct model_role *role = model_role_at(c, id);
    const struct sim_arbitration *arbitration = role->arbitration;
    uint64_t a_port = sizeof(struct sim_port) + sizeof *((struct sim_node *)0)->results +
                      sizeof *((struct sim_node *)0)->losses + 2 * sizeof(weir_ps) +
                      sizeof *((struct sim_node *)0)->line_bps;
    uint64_t a_slot = sizeof *((struct sim_node *)0)->past +
                      sizeof *((struct sim_node *)0)->silent_ps +
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

static uint64_t
job_bytes(const struct sim *sim)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < sim->model.n_jobs; i++) {
        const struct model_job *job = &sim->model.jobs[i];
        bytes += job->n_ranks * (sizeof *sim->jobs.members + job->program->state_bytes);
    }
    return bytes;
}

void
sim_oom_check(const struct sim *sim)
{
    const struct topo *topo = sim->model.topo;
    uint64_t bytes = flow_bytes(sim) + job_bytes(sim) + sim_numbers_bytes(sim) +
                     sim_sojourns_bytes(sim) +
                     (uint64_t)topo->n_switches * topo->n_leaves * sizeof *sim->routing.routes;

    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        bytes += sim_is_here(sim, id) ? node_bytes(&sim->model, id) : 0;
    }
    oom_check(bytes, "%u flows among %u nodes", sim->model.n_flows, sim->n_nodes);
}

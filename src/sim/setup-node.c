/* Makes a node of the simulator from a node of the model, with ports, memory and engines, and frees
 * it.  State that packets use is apart from the rest. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/nodes/handles.h"
#include "sim/routing.h"
#include "sim/setup.h"
#include "sim/wires.h"

static bool
is_captured(const struct sim *sim, uint32_t port)
{
    return sim->config.captured && sim->config.captured[port];
}

static void
set_ports(struct sim *sim, struct sim_node *n, const struct topo_node *node)
{
    const struct topo *topo = sim->model.topo;
    struct sim_thread *t = &sim->threads[sim->places[n->id].thread];

    n->ports = arena_new(&t->hot, n->n_ports, sizeof *n->ports);
    n->results = arena_new(&t->cold, n->n_ports, sizeof *n->results);
    n->losses = arena_new(&t->cold, n->n_ports, sizeof *n->losses);
    n->line_bps = arena_new(&t->cold, n->n_ports, sizeof *n->line_bps);
    n->up_ps = arena_new(&t->cold, n->n_ports, sizeof *n->up_ps);
    n->far_ps = arena_new(&t->cold, n->n_ports, sizeof *n->far_ps);
    n->emptied = SIM_NONE;
    n->last_frame = arena_new(&t->cold, n->n_ports, sizeof *n->last_frame);
    for (uint32_t i = 0; i < n->n_ports; i++) {
        const struct topo_port *port = &topo->ports[node->first_port + i];
        const struct topo_link *link = &topo->links[port->link];
        const struct topo_port *peer = &topo->ports[port->peer];
        struct sim_partition place = sim->places[peer->node];
        bool is_near = place.thread == sim->places[n->id].thread;

        n->ports[i] = (struct sim_port){ .wake_ps = WEIR_NEVER,
                                         .delay_ps = link->delay_ps,
                                         .peer_node = peer->node,
                                         .peer_local = is_near ? place.local : SIM_NONE,
                                         .peer_port = (uint16_t)peer->number,
                                         .frames_head = SIM_NONE,
                                         .is_captured = is_captured(sim, node->first_port + i) };
        n->losses[i] = link->loss;
        sim_port_set_rate(n, i, link->rate_bps);
        sim_port_set_up(n, i, !link->failed);
        n->far_ps[i] = WEIR_NEVER;
        sim->has_cuts |= link->failed;
    }
}

/* The memory of the node's kind, arbitration and scheduling. */
static void
set_kind(struct sim *sim, struct sim_node *n)
{
    const struct model_role *role = model_role_at(&sim->model, n->id);
    struct sim_thread *t = &sim->threads[sim->places[n->id].thread];

    if (n->scheduling->bytes) {
        n->schedule = arena_new(&t->hot, 1, n->scheduling->bytes(weir_n_slots(&n->shape)));
    }
    if (n->scheduling->init) {
        n->scheduling->init(n, role->scheduling_params, role->weights);
    }
    if (n->path_choice) {
        n->routes = sim_routes_of(sim, n->id);
    }
    if (n->arbitration) {
        n->queues = arena_new(&t->hot, 1, n->arbitration->bytes(n->n_ports, n->n_classes));
        n->arbitration->init(n, role->arbitration_params);
    }
    if (n->kind->init) {
        n->kind->init(t, n, role->kind_params);
    }
}

/* Starts the services that engines need, and the index of inputs if packets are looked up by
 * flow. */
static uint32_t
services_at(const struct sim *sim, const struct sim_node *n, const struct weir_needs *needs)
{
    uint32_t wanted = sim->config.units ? WEIR_SERVICE_UNITS : 0;
    bool is_switch = sim->model.topo->nodes[n->id].kind == TOPO_SWITCH;

    return needs->services | (is_switch ? wanted & n->shape.services : 0);
}

static void
lend_memory(struct sim *sim, struct sim_node *n, const struct weir_needs *needs)
{
    uint32_t n_slots = weir_n_slots(&n->shape);
    struct sim_thread *t = &sim->threads[sim->places[n->id].thread];

    n->memory = arena_new(&t->hot, 1, needs->state_bytes);
    n->buffer_memory =
        arena_new(&t->hot, 1, weir_buffer_memory(n->shape.n_ports, n->shape.n_classes));
    n->past = arena_new(&t->hot, n_slots, sizeof *n->past);
    n->timers = arena_new(&t->cold, needs->n_timers, sizeof *n->timers);
    n->silent_ps = arena_new(&t->cold, n_slots, sizeof *n->silent_ps);
    n->holds = arena_new(&t->cold, n_slots, sizeof *n->holds);
    for (uint32_t slot = 0; slot < n_slots; slot++) {
        n->holds[slot].rate_bps = n->holds[slot].least_bps = WEIR_UNLIMITED;
    }
    for (uint32_t key = 0; key < needs->n_timers; key++) {
        n->timers[key] = (struct sim_timer){ WEIR_NEVER, WEIR_NEVER };
    }
    weir_buffer_init(&n->buffer, &n->shape.buffer, n->shape.n_ports, n->shape.n_classes,
                     n->buffer_memory);
    units_start(n, services_at(sim, n, needs));
    set_kind(sim, n);
}

/* Sets the parts of the node as the model describes them. */
static void
choose_parts(const struct sim *sim, struct sim_node *n)
{
    const struct model_role *role = model_role_at(&sim->model, n->id);

    n->kind = role->kind;
    n->arbitration = role->arbitration;
    n->path_choice = role->path_choice;
    n->path_params = role->path_params;
    n->scheduling = role->scheduling;
    n->is_prepared = sim->threads[sim->places[n->id].thread].is_large && n->path_choice &&
                     n->path_choice->is_fixed;
}

void
sim_set_node(struct sim *sim, uint32_t id, struct weir_outbox *out)
{
    const struct model *c = &sim->model;
    const struct model_engines *engines = &c->engines[c->nodes[id].engines];
    struct sim_partition place = sim->places[id];
    struct sim_node *n = sim_node_at(sim, id);

    *n = (struct sim_node){ .id = id,
                            .local = place.local,
                            .first_word = sim->threads[place.thread].first_word[place.local],
                            .n_ports = c->topo->nodes[id].n_ports,
                            .n_classes = c->n_classes,
                            .shape = model_shape_of(c, id),
                            .gap_bytes = c->gap_bytes,
                            .hop_limit = c->hop_limit ? (uint8_t)c->hop_limit : SIM_MAX_HOPS,
                            .drops_late = c->hop_limit > 0,
                            .pool_free = SIM_NONE,
                            .alarm_ps = WEIR_NEVER,
                            .leaf = SIM_NONE,
                            .salt = sim_salt(id),
                            .flow_keys = sim->flows.keys,
                            .chance = sim_node_seed(sim->config.seed, id) };
    choose_parts(sim, n);
    set_ports(sim, n, &c->topo->nodes[id]);
    sim_start_sojourns(sim, n);
    lend_memory(sim, n, &engines->needs);
    if (model_is_watched(c, id)) {
        sim_watchdog_start(n, &model_role_at(c, id)->watchdog);
    }
    weir_node_init(&n->weir, &engines->stack, &n->shape, &n->buffer, out, n->memory, 0);
    n->tells_queued = model_minds_outputs(c) || n->buffer.output_index;
    bool is_bare = n->arbitration && n->arbitration->is_fifo && !n->units && !n->is_watched;
    n->is_bare = is_bare && !n->sojourns;
    n->is_timed = is_bare && n->sojourns;
}

void
sim_free_node(struct sim_node *n)
{
    if (n->kind && n->kind->release) {
        n->kind->release(n);
    }
    units_stop(n);
    sim_free_sojourns(n);
    free(n->watchdogs);
    free(n->pool);
}

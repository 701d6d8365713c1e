/* Makes threads, windows and nodes from the model.  Everything is checked here; after this nothing
 * can fail. */

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "sim/connection-ends.h"
#include "sim/exchange.h"
#include "sim/flow-ends.h"
#include "sim/live.h"
#include "sim/scheduler.h"
#include "sim/setup.h"
#include "sim/sojourn.h"
#include "sim/watch.h"
#include "sim/wires.h"

/* Sets the windows: their length follows from the fastest link, and their number from the
 * slowest. */
static bool
set_windows(struct sim *sim, struct err *err)
{
    const struct topo *topo = sim->model.topo;

    if (!topo->n_links) {
        return err_set(err, "the network has no links");
    }
    weir_ps longest = sim_slowest_reaction_ps(sim);
    sim->port_bits = sim_port_bits(topo);
    sim->window_bits = sim_window_bits(&sim->model);
    sim->ring = 4;
    while (sim->ring < 1024 && (weir_ps)(sim->ring - 1) << sim->window_bits < longest) {
        sim->ring *= 2;
    }
    return true;
}

/* The number of destinations for ports: a node that is run alone may get packets for its ports,
 * whose destinations have numbers after those of NICs. */
static uint32_t
n_live_ports(const struct sim *sim)
{
    const struct sim_live *live = sim->config.live;

    return live && live->node != SIM_NONE ? sim->model.topo->nodes[live->node].n_ports : 0;
}

static void
set_nics(struct sim *sim)
{
    const struct topo *topo = sim->model.topo;

    sim->routing.dst_leaf =
        array_new(topo->n_nics + n_live_ports(sim), sizeof *sim->routing.dst_leaf);
    sim->routing.dst_port =
        array_new(topo->n_nics + n_live_ports(sim), sizeof *sim->routing.dst_port);
    sim->routing.leaf_of = array_new(topo->n_switches, sizeof *sim->routing.leaf_of);
    memset(sim->routing.leaf_of, 0xff, topo->n_switches * sizeof *sim->routing.leaf_of);
    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        const struct topo_node *node = &topo->nodes[id];
        if (node->kind == TOPO_NIC) {
            sim->routing.dst_leaf[node->index] = node->leaf;
            sim->routing.dst_port[node->index] =
                (uint16_t)topo->ports[topo->ports[node->first_port].peer].number;
        }
    }
    for (uint32_t leaf = 0; leaf < topo->n_leaves; leaf++) {
        uint32_t node = topo->leaves[leaf];
        if (topo->leaf_nics[leaf] != TOPO_NONE) {
            continue;
        }
        sim->routing.leaf_of[topo->nodes[node].index] = leaf;
        if (sim_is_here(sim, node)) {
            sim_node_at(sim, node)->leaf = leaf;
        }
    }
    for (uint32_t port = 0; port < n_live_ports(sim); port++) {
        sim->routing.dst_leaf[topo->n_nics + port] = sim->threads[0].own[0].leaf;
        sim->routing.dst_port[topo->n_nics + port] = (uint16_t)port;
    }
}

/* Each kind of node posts its first mail, once for all nodes of that kind. */
static void
begin_kinds(struct sim *sim)
{
    const struct model_role *roles = sim->model.roles;

    for (uint32_t i = 0; i < sim->model.n_roles; i++) {
        uint32_t first = 0;
        while (roles[first].kind != roles[i].kind) {
            first++;
        }
        if (first == i && roles[i].kind->begin) {
            roles[i].kind->begin(sim);
        }
    }
}

/* Keeps the round-trip times with the routes at the start: if routes change, they still decide the
 * memory of a flow at both ends. */
static void
set_first_round_trips(struct sim *sim)
{
    if (sim->routing.next_change_ps != WEIR_NEVER) {
        weir_ps *rtt_ps = array_new(sim->model.n_flows, sizeof *rtt_ps);
        for (uint32_t i = 0; i < sim->model.n_flows; i++) {
            bool is_here = sim_sender_is_here(sim, i) || sim_sink_is_here(sim, i);
            rtt_ps[i] = is_here ? sim_flow_rtt_ps(sim, i) : 0;
        }
        sim->flows.first_rtt_ps = rtt_ps;
    }
}

/* Posts the first mail: the first timers and frames of engines, the starts of flows, and link
 * events. */
static void
post_first(struct sim *sim)
{
    const struct model *c = &sim->model;

    for (uint32_t i = 0; i < c->n_flows; i++) { /* These values are needed when the first flow is
                                                 * set up. */
        sim->routing.has_paths |= c->flows[i].terms->path != NULL;
    }
    for (uint32_t i = 0; i < c->n_flows; i++) {
        sim_set_flow(sim, i);
    }
    set_first_round_trips(sim);
    begin_kinds(sim);
    sim->has_cuts |= c->n_link_events > 0;
    for (uint32_t i = 0; i < c->n_link_events; i++) {
        const struct topo_link_event *e = &c->link_events[i];
        for (uint32_t end = 0; end < 2; end++) {
            sim_post_to_end(
                sim, e->link, end,
                (struct sim_mail){ .at = e->at_ps, .event = SIM_LINK, .key = i, .up = e->up });
        }
    }
    sim_post_reroutes(sim);
    sim_post_slowings(sim);
}

static uint32_t
most_emits(const struct model *model)
{
    uint32_t most = 0;
    for (size_t i = 0; i < model->n_engines; i++) {
        uint32_t n = model->engines[i].needs.max_emits;
        most = n > most ? n : most;
    }
    return most;
}

/* All nodes of a thread share an outbox, which has room for the answers of any node. */
static void
set_nodes(struct sim *sim)
{
    uint32_t max_emits = most_emits(&sim->model);

    for (uint32_t i = 0; i < sim->n_threads; i++) {
        struct weir_outbox *out = &sim->threads[i].outbox;
        out->emits = array_new(max_emits, sizeof *out->emits);
        out->max = max_emits;
    }
    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        if (sim_is_here(sim, id)) {
            struct sim_thread *t = &sim->threads[sim->places[id].thread];
            sim_set_node(sim, id, &t->outbox);
            sim_node_obey(t, sim_node_at(sim, id), 0);
        }
    }
}

static uint64_t
fastest_bps(const struct topo *topo)
{
    uint64_t bps = 0;
    for (size_t i = 0; i < topo->n_links; i++) {
        bps = topo->links[i].rate_bps > bps ? topo->links[i].rate_bps : bps;
    }
    return bps;
}

/* Whether the nodes of this process send flows. A switch that runs alone has no flows of its own,
 * so it may run for ever. */
static bool
has_senders(const struct sim *sim)
{
    const struct sim_live *live = sim->config.live;

    return !live || live->node == SIM_NONE || sim->model.topo->nodes[live->node].kind == TOPO_NIC;
}

/* Checks the limits of the simulator's data structures. */
static bool
fits_records(struct sim *sim, struct err *err)
{
    const struct model *c = &sim->model;

    if (has_senders(sim) &&
        weir_wire_bytes(sim->config.until_ps, fastest_bps(c->topo)) / c->mtu_bytes >= UINT32_MAX) {
        return err_set(err,
                       "a flow could send more packets than can be counted; make the run shorter");
    }
    if (c->topo->n_nics > SIM_MAX_DST) {
        return err_set(err, "the network has %u hosts; at most %d are supported", c->topo->n_nics,
                       SIM_MAX_DST);
    }
    if (c->hop_limit > SIM_MAX_HOPS) {
        return err_set(err, "the hop limit is %u; at most %d is supported", c->hop_limit,
                       SIM_MAX_HOPS);
    }
    if (c->mtu_bytes > UINT16_MAX) {
        return err_set(err, "the MTU is %u bytes; at most %u is supported", c->mtu_bytes,
                       UINT16_MAX);
    }
    for (uint32_t i = 0; i < c->n_flows; i++) {
        if (model_is_finite(c->flows[i].bytes) && c->flows[i].bytes / c->mtu_bytes >= UINT32_MAX) {
            return err_set(err, "flow %u has more packets than can be counted", i);
        }
        if (c->flows[i].terms->transport && c->flows[i].terms->transport->acked &&
            !transport_recovery(c->flows[i].terms->transport, c->flows[i].terms->recovery)
                 ->is_reliable) {
            return err_set(
                err, "flow %u: transport %s needs acknowledgements, but recovery 'none' sends none",
                i, c->flows[i].terms->transport->about.name);
        }
        if (c->flows[i].terms->n_path > SIM_MAX_HOPS) {
            return err_set(err, "the path of flow %u has %u switches; at most %d are supported", i,
                           c->flows[i].terms->n_path, SIM_MAX_HOPS);
        }
    }
    if (!sim_slowings_fit(c, err)) {
        return false;
    }
    for (uint32_t i = 0; i < c->n_stalls; i++) {
        if (c->topo->nodes[c->stalls[i].node].kind != TOPO_NIC) {
            return err_set(err, "%s is a switch; only hosts can stall",
                           c->topo->nodes[c->stalls[i].node].name);
        }
    }
    return true;
}

/* Sets up the state of flows at the ends on this rank. */
static void
allocate_ends(struct sim *sim)
{
    const struct model *c = &sim->model;
    size_t n_senders = (size_t)sim->flows.n_senders + 1, n_sinks = (size_t)sim->flows.n_sinks + 1;

    sim->flows.senders = arena_compact(n_senders * sizeof *sim->flows.senders);
    sim->flows.sinks = arena_compact(n_sinks * sizeof *sim->flows.sinks);
    sim->watch->middle_bytes = array_new(n_sinks, sizeof *sim->watch->middle_bytes);
    sim->flows.marks = model_marks(c) ? array_new(n_sinks, sizeof *sim->flows.marks) : NULL;
    sim->flows.started_ps = array_new(n_senders, sizeof *sim->flows.started_ps);
    sim->flows.out_ports = c->topo->n_multi ? array_new(n_senders, 1) : NULL;
    sim->watch->sender_sojourns =
        sim->config.why ? arena_compact(n_senders * sizeof *sim->watch->sender_sojourns) : NULL;
    for (uint32_t slot = 0; slot < sim->flows.n_senders; slot++) {
        const struct model_flow *f = &c->flows[sim_flow_of_sender(sim, slot)];
        sim->flows.started_ps[slot] = -1;
        if (!sim->flows.n_first &&
            transport_recovery(f->terms->transport, f->terms->recovery)->is_reliable) {
            sim->flows.n_first = array_new(n_senders, sizeof *sim->flows.n_first);
            sim->flows.retry_ps = array_new(n_senders, sizeof *sim->flows.retry_ps);
        }
        if (f->terms->transport && f->terms->transport->start && !sim->flows.pacers) {
            sim->flows.pacers = array_new(n_senders, sizeof *sim->flows.pacers);
        }
    }
}

/* If routes change, computes ideal times with the routes at the start, on the rank that reports
 * results. */
static void
set_ideal_times(struct sim *sim)
{
    if (sim->routing.next_change_ps != WEIR_NEVER && sim_rank(sim) == 0) {
        sim->flows.ideal_ps = array_new(sim->model.n_flows, sizeof *sim->flows.ideal_ps);
        for (uint32_t i = 0; i < sim->model.n_flows; i++) {
            sim->flows.ideal_ps[i] = sim_flow_ideal_now_ps(sim, i);
        }
    }
}

/* Builds all nodes, flows and connections; after this only the paths of flows can be wrong. */
static void
build(struct sim *sim)
{
    sim_set_ends(sim);
    sim_oom_check(sim);
    sim_set_threads(sim);
    allocate_ends(sim);
    sim_set_exchange(sim);
    sim_set_keys(sim);
    sim_set_numbers(sim);
    sim_set_routes(sim);
    set_nodes(sim);
    set_nics(sim);
    sim_set_connections(sim);
    sim_set_classes(sim);
    sim_start_view(sim);
    sim_start_run_out(sim);
    post_first(sim);
}

struct sim *
sim_new(const struct sim_config *config, struct model *model, struct err *err)
{
    struct sim *sim = array_new(1, sizeof *sim);

    sim->config = *config;
    sim->model = *model;
    sim->watch = array_new(1, sizeof *sim->watch);
    *model = (struct model){ 0 };
    if (!sim_set_live(sim, err) || !fits_records(sim, err) || !sim_check_jobs(&sim->model, err) ||
        !set_windows(sim, err) || !sim_set_order(sim, err) || !sim_set_partition(sim, err)) {
        sim_free(sim);
        return NULL;
    }
    build(sim);
    if (!sim_check_path_classes(sim, err)) {
        sim_free(sim);
        return NULL;
    }
    set_ideal_times(sim);
    sim_start_watch(sim);
    sim_start_capture(sim);
    sim->watch->next_sample_ps = sim->config.sample_ps ? 0 : WEIR_NEVER;
    if (sim->config.live) {
        sim_use_heap(&sim->threads[0]);
    }
    return sim;
}

static void
free_log(struct sim_log *log)
{
    free(log->items);
}

static void
free_thread(struct sim_thread *t)
{
    for (uint32_t k = 0; t->due && k < t->sim->ring; k++) {
        free(t->due[k].inboxes);
        free(t->due[k].wakes);
        free(t->due[k].busy);
    }
    for (uint32_t k = 0; t->out && k < 2 * t->sim->n_threads; k++) {
        free_log(&t->out[k]);
    }
    for (uint32_t rank = 0; t->abroad && rank < sim_n_ranks(t->sim); rank++) {
        free_log(&t->abroad[rank].mail);
        sim_parcel_free(&t->abroad[rank].words);
    }
    free_log(&t->far);
    free(t->abroad);
    free(t->due);
    free(t->mails);
    free(t->chunk_next);
    free(t->out);
    free(t->nodes);
    free(t->busy);
    free(t->first_word);
    free(t->notes);
    free(t->crossings);
    free(t->frames);
    sim_free_events(t);
    arena_free(&t->hot);
    arena_free(&t->cold);
    free(t->outbox.emits);
    free(t->sends.sends);
}

static void
free_ends(struct sim *sim)
{
    for (uint32_t i = 0; sim->flows.senders && i < sim->flows.n_senders; i++) {
        free(sim->flows.senders[i].progress.own);
        free(sim->flows.senders[i].gate);
        if (sim->flows.pacers && sim->flows.pacers[i]) {
            sim_track_free(sim->flows.pacers[i]->track);
            free(sim->flows.pacers[i]);
        }
    }
    for (uint32_t i = 0; sim->flows.sinks && i < sim->flows.n_sinks; i++) {
        free(sim->flows.sinks[i].progress.own);
    }
    free(sim->flows.senders);
    free(sim->flows.sinks);
    free(sim->flows.pacers);
    free(sim->flows.notifiers);
    free(sim->flows.marks);
    free(sim->flows.turns);
    free(sim->flows.next_start);
    free(sim->flows.n_first);
    free(sim->flows.retry_ps);
    free(sim->flows.started_ps);
    free(sim->flows.out_ports);
    free(sim->watch->sender_sojourns);
    free(sim->watch->middle_bytes);
    free(sim->flows.sender_slots);
    free(sim->flows.sink_slots);
    free(sim->flows.sender_flows);
}

void
sim_free(struct sim *sim)
{
    for (uint32_t i = 0; sim->nodes && i < sim->n_here; i++) {
        sim_free_node(&sim->nodes[i]);
    }
    for (uint32_t i = 0; sim->threads && i < sim->n_threads; i++) {
        free_thread(&sim->threads[i]);
    }
    free(sim->nodes);
    free(sim->places);
    free(sim->threads);
    sim_free_routes(sim);
    free(sim->routing.dst_leaf);
    free(sim->routing.dst_port);
    free(sim->routing.leaf_of);
    sim_free_view(sim);
    sim_free_classes(sim);
    sim_free_connections(sim);
    free_ends(sim);
    sim_free_exchange(sim);
    sim_free_run_out(sim);
    sim_free_numbers(sim->flows.numbers);
    free(sim->flows.keys);
    free(sim->flows.ideal_ps);
    free(sim->flows.first_rtt_ps);
    free(sim->flows.first_after);
    free(sim->flows.next_after);
    free(sim->watch->notes);
    free(sim->watch->waits);
    free(sim->watch->crossings);
    free(sim->watch);
    model_free(&sim->model);
    free(sim);
}

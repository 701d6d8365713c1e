/* The plant becomes threads, windows and nodes.  Everything is checked here; past this nothing can
 * fail. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/need.h"
#include "plant/demand.h"
#include "sim/internal.h"
#include "topo/cut.h"

/* The windows: as long as the quickest link, and as many as the longest takes. */

static bool
set_windows(struct sim *sim, struct err *err)
{
    const struct topo *topo = sim->plant.topo;
    weir_ps quickest = WEIR_PS_PER_S, longest = 0;
    uint32_t packet = plant_least_bytes(&sim->plant);

    for (size_t i = 0; i < topo->n_links; i++) {
        const struct topo_link *l = &topo->links[i];
        weir_ps least = l->delay_ps + weir_wire_ps(packet, l->rate_bps);
        weir_ps most = l->delay_ps + sim->plant.response_ps +
                       2 * weir_wire_ps(sim->plant.mtu_bytes + sim->plant.gap_bytes, l->rate_bps);
        quickest = least < quickest ? least : quickest;
        longest = most > longest ? most : longest;
    }
    longest = sim_slowest_way_ps(sim, longest);
    if (!topo->n_links) {
        return err_set(err, "the network has no links");
    }
    for (size_t i = 0; i < topo->n_nodes; i++) {
        while (topo->nodes[i].n_ports > 1u << sim->port_bits) {
            sim->port_bits++;
        }
    }
    int max_bits = 64 - SIM_KIND_BITS - SIM_MAIL_BITS - sim->port_bits; /* Of an event. */
    while ((weir_ps)2 << sim->window_bits <= quickest && sim->window_bits < max_bits) {
        sim->window_bits++;
    }
    sim->ring = 4;
    while (sim->ring < 1024 && (weir_ps)(sim->ring - 1) << sim->window_bits < longest) {
        sim->ring *= 2;
    }
    return true;
}

enum { MANY_NODES = 512 }; /* A network with fewer is in the cache anyway. */

/* For each window of the ring: every node's mail, and which of its ports wake. */
static void
set_inboxes(struct sim_thread *t)
{
    const struct topo *topo = t->sim->plant.topo;
    t->is_large = t->n_nodes >= MANY_NODES;
    t->chunk_free = SIM_NONE;
    t->first_word = array_new((size_t)t->n_nodes + 1, sizeof *t->first_word);
    for (uint32_t i = 0; i < t->n_nodes; i++) {
        t->first_word[i + 1] = t->first_word[i] + (topo->nodes[t->nodes[i]].n_ports + 63) / 64;
    }
    t->due = array_new(t->sim->ring, sizeof *t->due);
    for (uint32_t i = 0; i < t->sim->ring; i++) {
        t->due[i].wakes = array_new(t->first_word[t->n_nodes], sizeof *t->due[i].wakes);
        t->due[i].busy = array_new(t->n_nodes / 64 + 1, sizeof *t->due[i].busy);
        t->due[i].inboxes = array_new(t->n_nodes, sizeof *t->due[i].inboxes);
        for (uint32_t k = 0; k < t->n_nodes; k++) {
            t->due[i].inboxes[k].chunk = SIM_NONE;
        }
    }
}

static void
set_threads(struct sim *sim, const uint32_t *thread_of)
{
    uint64_t a_node = sim->ring * (sizeof(struct sim_inbox) + sizeof(uint64_t));

    need_memory(sim->n_nodes * a_node, "the next %u windows of %u nodes", sim->ring, sim->n_nodes);
    for (uint32_t i = 0; i < sim->n_threads; i++) {
        struct sim_thread *t = &sim->threads[i];
        t->sim = sim;
        t->id = i;
        t->window_bits = sim->window_bits;
        t->port_bits = sim->port_bits;
        t->ring_mask = sim->ring - 1;
        t->reach = sim->ring;
        t->places = sim->places;
        t->out = array_new(2 * (size_t)sim->n_threads, sizeof *t->out);
        for (uint32_t k = 0; k < 2 * sim->n_threads; k++) {
            t->out[k].carries_frames = true;
        }
        t->nodes = array_new(sim->n_nodes, sizeof *t->nodes);
        t->busy = array_new(sim->n_nodes, sizeof *t->busy);
        t->frames_free = SIM_NONE;
        t->window = -1;
    }
    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        struct sim_thread *t = &sim->threads[thread_of[id]];
        sim->places[id] = (struct sim_place){ t->id, t->n_nodes };
        t->nodes[t->n_nodes++] = id;
    }
    struct sim_node *own = sim->nodes;
    for (uint32_t i = 0; i < sim->n_threads; i++) {
        sim->threads[i].own = own;
        own += sim->threads[i].n_nodes;
        set_inboxes(&sim->threads[i]);
    }
}

/* Divides the nodes among the threads. */
static bool
share_out(struct sim *sim, struct err *err)
{
    uint32_t *thread_of = array_new(sim->n_nodes, sizeof *thread_of);
    bool good = sim->n_threads == 1 || plant_cut(&sim->plant, sim->n_threads, thread_of, err);

    if (good) {
        set_threads(sim, thread_of);
    }
    free(thread_of);
    return good;
}

static void
set_nics(struct sim *sim)
{
    const struct topo *topo = sim->plant.topo;

    sim->dst_leaf = array_new(topo->n_nics, sizeof *sim->dst_leaf);
    sim->dst_port = array_new(topo->n_nics, sizeof *sim->dst_port);
    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        const struct topo_node *node = &topo->nodes[id];
        if (node->kind == TOPO_NIC) {
            sim->dst_leaf[node->index] = node->leaf;
            sim->dst_port[node->index] =
                (uint16_t)topo->ports[topo->ports[node->first_port].peer].number;
        }
    }
    for (uint32_t leaf = 0; leaf < topo->n_leaves; leaf++) {
        if (topo->leaf_nics[leaf] == TOPO_NONE) {
            sim_node_at(sim, topo->leaves[leaf])->leaf = leaf;
        }
    }
}

/* Each kind of node that there is writes its first mail, once for all of its nodes. */
static void
begin_kinds(struct sim *sim)
{
    const struct plant_role *roles = sim->plant.roles;

    for (uint32_t i = 0; i < sim->plant.n_roles; i++) {
        uint32_t first = 0;
        while (roles[first].kind != roles[i].kind) {
            first++;
        }
        if (first == i && roles[i].kind->begin) {
            roles[i].kind->begin(sim);
        }
    }
}

/* What engines answered at their start, flows and links that change: the first mail. */
static void
post_first(struct sim *sim)
{
    const struct plant *c = &sim->plant;

    for (uint32_t i = 0; i < c->n_flows; i++) { /* Asked for when the first flow is set. */
        sim->has_paths |= c->flows[i].path != NULL;
    }
    for (uint32_t i = 0; i < c->n_flows; i++) {
        sim_set_flow(sim, i);
    }
    begin_kinds(sim);
    sim->has_cuts |= c->n_link_events > 0;
    for (uint32_t i = 0; i < c->n_link_events; i++) {
        const struct topo_link *l = &c->topo->links[c->link_events[i].link];
        for (int end = 0; end < 2; end++) {
            sim_post(&sim->threads[sim->places[l->node[end]].thread],
                     &(struct sim_mail){ .at = c->link_events[i].at_ps,
                                         .node = l->node[end],
                                         .port = (uint16_t)c->topo->ports[l->port[end]].number,
                                         .event = SIM_LINK,
                                         .key = i,
                                         .up = c->link_events[i].up });
        }
    }
    sim_post_slowings(sim);
}

static uint32_t
most_emits(const struct plant *plant)
{
    uint32_t most = 0;
    for (size_t i = 0; i < plant->n_engines; i++) {
        uint32_t n = plant->engines[i].needs.max_emits;
        most = n > most ? n : most;
    }
    return most;
}

/* All nodes of a thread share an outbox, which has room for the answers of any. */
static void
set_nodes(struct sim *sim)
{
    uint32_t max_emits = most_emits(&sim->plant);

    for (uint32_t i = 0; i < sim->n_threads; i++) {
        struct weir_outbox *out = &sim->threads[i].outbox;
        out->emits = array_new(max_emits, sizeof *out->emits);
        out->max = max_emits;
    }
    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        struct sim_thread *t = &sim->threads[sim->places[id].thread];
        sim_set_node(sim, id, &t->outbox);
        sim_node_obey(t, sim_node_at(sim, id), 0);
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

/* What the records of the simulator can hold. */
static bool
fits_records(struct sim *sim, struct err *err)
{
    const struct plant *c = &sim->plant;

    if (weir_wire_bytes(sim->config.until_ps, fastest_bps(c->topo)) / c->mtu_bytes >= UINT32_MAX) {
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
        if (c->flows[i].bytes != PLANT_ENDLESS && c->flows[i].bytes / c->mtu_bytes >= UINT32_MAX) {
            return err_set(err, "flow %u has more packets than can be counted", i);
        }
        if (c->flows[i].transport && c->flows[i].transport->acked &&
            !transport_recovery(c->flows[i].transport, c->flows[i].recovery)->is_reliable) {
            return err_set(
                err, "flow %u: transport %s needs acknowledgements, but recovery 'none' sends none",
                i, c->flows[i].transport->about.name);
        }
        if (c->flows[i].n_path > SIM_MAX_HOPS) {
            return err_set(err, "the path of flow %u has %u switches; at most %d are supported", i,
                           c->flows[i].n_path, SIM_MAX_HOPS);
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

static void
allocate(struct sim *sim)
{
    const struct plant *c = &sim->plant;

    sim->nodes = arena_large(c->topo->n_nodes * sizeof *sim->nodes);
    sim->n_nodes = (uint32_t)c->topo->n_nodes;
    sim->places = array_new(sim->n_nodes, sizeof *sim->places);
    sim->threads = array_new(sim->n_threads, sizeof *sim->threads);
    sim->barrier = array_new_aligned(64, 256);
    memset(sim->barrier, 0, 256);
    sim->senders = array_new_aligned(64, (c->n_flows + 1) * sizeof *sim->senders);
    sim->sinks = array_new_aligned(64, (c->n_flows + 1) * sizeof *sim->sinks);
    memset(sim->senders, 0, (c->n_flows + 1) * sizeof *sim->senders);
    memset(sim->sinks, 0, (c->n_flows + 1) * sizeof *sim->sinks);
    sim->middle_bytes = array_new(c->n_flows, sizeof *sim->middle_bytes);
    sim->started_ps = array_new(c->n_flows, sizeof *sim->started_ps);
    for (uint32_t i = 0; i < c->n_flows; i++) {
        *sim_started_ps(sim, i) = -1;
        if (!sim->n_first &&
            transport_recovery(c->flows[i].transport, c->flows[i].recovery)->is_reliable) {
            sim->n_first = array_new(c->n_flows, sizeof *sim->n_first);
        }
        if (c->flows[i].transport && c->flows[i].transport->start && !sim->pacers) {
            sim->pacers = array_new_aligned(64, c->n_flows * sizeof *sim->pacers);
            memset(sim->pacers, 0, c->n_flows * sizeof *sim->pacers);
        }
    }
}

struct sim *
sim_new(const struct sim_config *config, struct plant *plant, struct err *err)
{
    struct sim *sim = array_new(1, sizeof *sim);
    uint32_t n_parts = topo_cut_max(plant->topo);

    sim->config = *config;
    sim->plant = *plant;
    *plant = (struct plant){ 0 };
    sim_need_memory(&sim->plant);
    sim->n_threads = config->n_threads < n_parts ? config->n_threads : n_parts;
    allocate(sim);
    if (!fits_records(sim, err) || !set_windows(sim, err) || !sim_set_order(sim, err) ||
        !share_out(sim, err)) {
        sim_free(sim);
        return NULL;
    }
    sim_set_keys(sim);
    sim_set_numbers(sim);
    sim_set_routes(sim);
    set_nodes(sim);
    set_nics(sim);
    sim_start_run_out(sim);
    post_first(sim);
    if (!sim_check_ways(sim, err)) {
        sim_free(sim);
        return NULL;
    }
    if (sim->next_reroute_ps != WEIR_NEVER) {
        sim->ideal_ps = array_new(sim->plant.n_flows, sizeof *sim->ideal_ps);
        for (uint32_t i = 0; i < sim->plant.n_flows; i++) {
            sim->ideal_ps[i] = sim_flow_ideal_now_ps(sim, i);
        }
    }
    sim_start_watch(sim);
    sim_start_capture(sim);
    sim->next_sample_ps = sim->config.sample_ps ? 0 : WEIR_NEVER;
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
    free_log(&t->far);
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
}

void
sim_free(struct sim *sim)
{
    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        sim_free_node(&sim->nodes[id]);
    }
    for (uint32_t i = 0; i < sim->n_threads && sim->threads[i].sim; i++) {
        free_thread(&sim->threads[i]);
    }
    free(sim->nodes);
    free(sim->places);
    free(sim->threads);
    free(sim->barrier);
    sim_free_routes(sim);
    free(sim->dst_leaf);
    free(sim->dst_port);
    for (uint32_t i = 0; i < sim->plant.n_flows; i++) {
        free(sim_sender(sim, i)->progress.own);
        free(sim_sink(sim, i)->progress.own);
        sim_track_free(sim->pacers ? sim_pacer(sim, i)->track : NULL);
    }
    free(sim->senders);
    free(sim->sinks);
    free(sim->pacers);
    free(sim->notifiers);
    free(sim->turns);
    sim_free_numbers(sim->numbers);
    free(sim->flow_keys);
    free(sim->n_first);
    free(sim->started_ps);
    free(sim->ideal_ps);
    free(sim->first_after);
    free(sim->next_after);
    free(sim->notes);
    free(sim->crossings);
    free(sim->middle_bytes);
    plant_free(&sim->plant);
    free(sim);
}

/* Config -> nodes.  Everything is checked here; past this nothing can fail. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/internal.h"

/* A NIC drains at once: it never holds more than the packet that has just come. */
static struct weir_buffer_class
buffer_of(const struct sim_config *c, enum topo_kind kind)
{
    struct weir_buffer_class buffer = c->buffer;
    if (kind == TOPO_NIC) {
        buffer.partition_bytes = 0;
        buffer.reserve_bytes =
            buffer.reserve_bytes < c->mtu_bytes ? c->mtu_bytes : buffer.reserve_bytes;
    }
    return buffer;
}

static uint8_t
tier_of(const struct sim_config *c, uint32_t id)
{
    uint32_t tier = c->topo->nodes[id].tier;
    return (uint8_t)(tier < UINT8_MAX ? tier : UINT8_MAX);
}

struct weir_shape
sim_shape(const struct sim_config *c, uint32_t id, struct weir_port *ports)
{
    const struct topo_node *node = &c->topo->nodes[id];
    struct weir_buffer_class buffer = buffer_of(c, node->kind);
    uint64_t of_port = buffer.reserve_bytes + buffer.headroom_bytes;
    struct weir_shape shape = { .ports = ports,
                                .n_ports = (uint16_t)node->n_ports,
                                .n_classes = c->n_classes,
                                .lossless = c->lossless,
                                .mtu_bytes = c->mtu_bytes,
                                .gap_bytes = c->gap_bytes,
                                .response_ps = c->response_ps,
                                .node_id = id,
                                .tier = tier_of(c, id) };

    for (uint32_t i = 0; i < node->n_ports; i++) {
        const struct topo_port *port = &c->topo->ports[node->first_port + i];
        const struct topo_link *l = &c->topo->links[port->link];
        ports[i] = (struct weir_port){ .rate_bps = l->rate_bps,
                                       .cable_ps = l->delay_ps,
                                       .peer_tier = tier_of(c, c->topo->ports[port->peer].node) };
    }
    for (uint8_t cls = 0; cls < c->n_classes; cls++) {
        shape.buffer.classes[cls] = buffer;
    }
    shape.buffer.size_bytes = (of_port * node->n_ports + buffer.partition_bytes) * c->n_classes +
                              (node->kind == TOPO_NIC ? 0 : c->shared_bytes);
    return shape;
}

static bool
is_captured(const struct sim *sim, uint32_t port)
{
    return sim->config.captured && sim->config.captured[port];
}

static void
set_ports(struct sim *sim, struct sim_node *n, const struct topo_node *node)
{
    const struct topo *topo = sim->config.topo;

    n->ports = array_new_aligned(64, n->n_ports * sizeof *n->ports);
    n->weir_ports = array_new(n->n_ports, sizeof *n->weir_ports);
    n->results = array_new(n->n_ports, sizeof *n->results);
    n->losses = array_new(n->n_ports, sizeof *n->losses);
    n->up_ps = array_new(n->n_ports, sizeof *n->up_ps);
    n->far_ps = array_new(n->n_ports, sizeof *n->far_ps);
    for (uint32_t i = 0; i < n->n_ports; i++) {
        const struct topo_port *port = &topo->ports[node->first_port + i];
        const struct topo_link *link = &topo->links[port->link];
        const struct topo_port *peer = &topo->ports[port->peer];
        uint64_t byte_ps = 8 * (uint64_t)WEIR_PS_PER_S / link->rate_bps;
        bool exact =
            byte_ps <= UINT32_MAX && byte_ps * link->rate_bps == 8 * (uint64_t)WEIR_PS_PER_S;

        n->ports[i] = (struct sim_port){ .wake_ps = WEIR_NEVER,
                                         .delay_ps = link->delay_ps,
                                         .byte_ps = exact ? (uint32_t)byte_ps : 0,
                                         .peer_node = peer->node,
                                         .peer_port = (uint16_t)peer->number,
                                         .frames_head = SIM_NONE,
                                         .is_captured = is_captured(sim, node->first_port + i) };
        n->losses[i] = link->loss;
        sim_port_set_up(n, i, !link->failed);
        n->far_ps[i] = WEIR_NEVER;
        sim->has_cuts |= link->failed;
    }
}

/* A number for a node that does not follow the one before. */
static uint64_t
mix(uint64_t seed, uint64_t id)
{
    uint64_t state = seed * 0x9e3779b97f4a7c15 + id;
    return weir_random(&state);
}

/* The memory of its kind, its arbitration and its scheduling. */
static void
set_kind(struct sim *sim, struct sim_node *n)
{
    const struct topo *topo = sim->config.topo;

    if (n->scheduling->bytes) {
        n->schedule = array_new(1, n->scheduling->bytes(weir_n_slots(&n->shape)));
        n->scheduling->init(n, sim->config.weights);
    }
    if (n->arbitration) {
        uint64_t share = sim->config.host_share ? sim->config.host_share : WEIR_RATIO_1 / 2;
        n->queues = array_new(1, n->arbitration->bytes(n->n_ports, n->n_classes));
        n->routes = sim->routes + (size_t)topo->nodes[n->id].index * topo->n_leaves;
        n->arbitration->init(n, &share);
    }
    if (n->kind->init) {
        n->kind->init(&sim->threads[sim->places[n->id].thread], n);
    }
}

static void
lend_memory(struct sim *sim, struct sim_node *n, const struct weir_needs *needs)
{
    uint32_t n_slots = weir_n_slots(&n->shape);
    n->memory = array_new_aligned(WEIR_MEMORY_ALIGN, needs->state_bytes);
    n->buffer_memory = array_new(1, weir_buffer_memory(n->shape.n_ports, n->shape.n_classes));
    n->timers = array_new(needs->n_timers, sizeof *n->timers);
    n->peaks = array_new(n_slots, sizeof *n->peaks);
    n->sums = array_new(n_slots, sizeof *n->sums);
    n->holds = array_new(n_slots, sizeof *n->holds);
    for (uint32_t slot = 0; slot < n_slots; slot++) {
        n->holds[slot].rate_bps = n->holds[slot].least_bps = WEIR_UNLIMITED;
    }
    for (uint32_t key = 0; key < needs->n_timers; key++) {
        n->timers[key] = (struct sim_timer){ WEIR_NEVER, WEIR_NEVER };
    }
    weir_buffer_init(&n->buffer, &n->shape.buffer, n->shape.n_ports, n->shape.n_classes,
                     n->buffer_memory);
    set_kind(sim, n);
}

/* A switch has a watchdog if there are pauses to be watched. */
static bool
has_watchdog(const struct sim *sim, const struct sim_node *n)
{
    return n->kind->is_watched && sim->config.watchdog.action != SIM_NO_WATCHDOG &&
           weir_stack_limits(&sim->config.stack) & WEIR_LIMIT_OPEN;
}

static void
choose_parts(const struct sim *sim, struct sim_node *n, enum topo_kind kind)
{
    const struct sim_config *c = &sim->config;

    n->scheduling = sim_scheduling_find(c->scheduling ? c->scheduling : "rr");
    n->kind = &sim_end_kind;
    if (kind == TOPO_SWITCH) {
        n->kind = sim_kind_find(c->switch_kind ? c->switch_kind : "oq");
        n->arbitration = sim_arbitration_find(c->arbitration);
        n->path_choice = sim_path_choice_find("hash");
        n->is_prepared = sim->threads[sim->places[n->id].thread].is_large;
    }
}

static bool
set_node(struct sim *sim, uint32_t id, struct weir_outbox *out, struct weir_needs *needs,
         struct err *err)
{
    const struct sim_config *c = &sim->config;
    const struct topo_node *node = &c->topo->nodes[id];
    struct sim_node *n = &sim->nodes[id];
    struct weir_stack stack = sim->config.stack;
    struct weir_text said = { 0 };

    *n = (struct sim_node){ .id = id,
                            .n_ports = node->n_ports,
                            .n_classes = sim->config.n_classes,
                            .hop_limit = c->hop_limit ? (uint8_t)c->hop_limit : SIM_MAX_HOPS,
                            .drops_late = c->hop_limit > 0,
                            .pool_free = SIM_NONE,
                            .leaf = SIM_NONE,
                            .salt = (uint32_t)mix(77, id) | 1,
                            .chance = mix(sim->config.seed, id) };
    choose_parts(sim, n, node->kind);
    set_ports(sim, n, node);
    n->shape = sim_shape(&sim->config, id, n->weir_ports);
    if (!weir_stack_resolve(&stack, &n->shape, needs, &said)) {
        return err_set(err, "%s: %s", node->name, said.s);
    }
    if (said.len && !sim->warning.len) {
        weir_text_add(&sim->warning, "%s: %s", node->name, said.s);
    }
    lend_memory(sim, n, needs);
    if (has_watchdog(sim, n)) {
        sim_watchdog_start(n);
    }
    weir_node_init(&n->weir, &stack, &n->shape, &n->buffer, out, n->memory, 0);
    for (uint32_t i = 0; i < stack.n; i++) {
        n->tells_queued |= stack.layers[i].engine->queued != NULL;
    }
    return true;
}

/* The windows: as long as the quickest link, and as many as the longest takes. */

/* The smallest thing that is sent: a frame, or the rest of a flow, which is not padded. */
static uint32_t
least_bytes(const struct sim_config *c)
{
    uint32_t least = WEIR_CONTROL_BYTES;

    for (uint32_t i = 0; c->mtu_bytes && i < c->n_flows; i++) {
        uint32_t rest = (uint32_t)(c->flows[i].bytes % c->mtu_bytes);
        bool ends_small = c->flows[i].bytes != SIM_ENDLESS && rest && rest < least;
        least = ends_small ? rest : least;
    }
    return least;
}

static bool
set_windows(struct sim *sim, struct err *err)
{
    const struct topo *topo = sim->config.topo;
    weir_ps quickest = WEIR_PS_PER_S, longest = 0;
    uint32_t packet = least_bytes(&sim->config);

    for (size_t i = 0; i < topo->n_links; i++) {
        const struct topo_link *l = &topo->links[i];
        weir_ps least = l->delay_ps + weir_wire_ps(packet, l->rate_bps);
        weir_ps most = l->delay_ps + sim->config.response_ps +
                       2 * weir_wire_ps(sim->config.mtu_bytes + sim->config.gap_bytes, l->rate_bps);
        quickest = least < quickest ? least : quickest;
        longest = most > longest ? most : longest;
    }
    if (!topo->n_links) {
        return err_set(err, "a network without links");
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
    const struct topo *topo = t->sim->config.topo;
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
set_threads(struct sim *sim)
{
    const struct topo *topo = sim->config.topo;

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
        uint32_t i = (uint32_t)((uint64_t)topo->nodes[id].part * sim->n_threads / topo->n_parts);
        struct sim_thread *t = &sim->threads[i];
        sim->places[id] = (struct sim_place){ i, t->n_nodes };
        t->nodes[t->n_nodes++] = id;
    }
    for (uint32_t i = 0; i < sim->n_threads; i++) {
        set_inboxes(&sim->threads[i]);
    }
}

static void
set_nics(struct sim *sim)
{
    const struct topo *topo = sim->config.topo;

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
            sim->nodes[topo->leaves[leaf]].leaf = leaf;
        }
    }
}

static struct rc_receiver
receiver_of(const struct sim_config *c, const struct sim_flow *f, uint32_t n_packets)
{
    bool acks_each = f->transport && f->transport->acks_each;

    return (struct rc_receiver){ .n_packets = n_packets,
                                 .ack_every = acks_each ? 1 : (uint16_t)c->ack_every };
}

/* Memory that its recovery needs of its own. */
static void
start_recovery(struct sim *sim, uint32_t flow, const struct recovery *recovery)
{
    const struct sim_flow *f = &sim->config.flows[flow];
    struct rc_sender *sender = &sim->senders[flow].progress;
    struct rc_receiver *receiver = &sim->sinks[flow].progress;
    struct rc_env env = { .line_bps = sim->nodes[f->from].weir_ports[0].rate_bps,
                          .mtu_bytes = sim->config.mtu_bytes,
                          .rtt_ps = sim_flow_rtt_ps(sim, flow) };
    uint64_t defaults[RC_PARAMS_MAX / sizeof(uint64_t)];
    size_t sender_bytes, receiver_bytes;

    weir_fields_default(recovery->about.params, defaults);
    const void *params = f->recovery_params ? f->recovery_params : defaults;
    recovery->size(&env, params, &sender_bytes, &receiver_bytes);
    sender->own = array_new(1, sender_bytes);
    receiver->own = array_new(1, receiver_bytes);
    recovery->start(&env, params, sender, receiver);
}

static void
start_notifier(struct sim *sim, uint32_t flow)
{
    const struct sim_flow *f = &sim->config.flows[flow];

    if (!sim->notifiers) {
        sim->notifiers = array_new(sim->config.n_flows, sizeof *sim->notifiers);
    }
    sim->sinks[flow].is_notified = true;
    sim->notifiers[flow] =
        (struct sim_notifier){ .least_ps = f->transport->notify_ps(f->transport_params),
                               .last_ps = -1 };
}

static void
set_flow(struct sim *sim, uint32_t flow)
{
    const struct sim_config *c = &sim->config;
    const struct sim_flow *f = &c->flows[flow];
    const struct recovery *recovery = transport_recovery(f->transport, f->recovery);
    struct sim_sender *to = &sim->senders[flow];
    uint64_t n_packets = (f->bytes + c->mtu_bytes - 1) / c->mtu_bytes;
    bool is_controlled = f->transport && f->transport->start;

    *to = (struct sim_sender){ .progress = { .n_packets = UINT32_MAX, .last_bytes = c->mtu_bytes },
                               .dst = c->topo->nodes[f->to].index,
                               .has_gate = f->rate_bps != WEIR_UNLIMITED || is_controlled,
                               .is_controlled = is_controlled,
                               .is_reliable = recovery->is_reliable,
                               .retry_ps = WEIR_NEVER };
    if (f->bytes != SIM_ENDLESS) {
        to->progress.n_packets = (uint32_t)n_packets;
        to->progress.last_bytes = (uint32_t)(f->bytes - (n_packets - 1) * c->mtu_bytes);
    }
    weir_gate_init(&to->gate, c->gap_bytes);
    weir_gate_set_rate(&to->gate, f->rate_bps);
    sim->sinks[flow] = (struct sim_sink){ .progress = receiver_of(c, f, to->progress.n_packets),
                                          .is_reliable = recovery->is_reliable,
                                          .first_ps = -1,
                                          .last_ps = -1 };
    if (recovery->size) {
        start_recovery(sim, flow, recovery);
    }
    if (f->transport && f->transport->notify_ps) {
        start_notifier(sim, flow);
    }
    if (is_controlled && (f->transport->wants_rtt || f->transport->wants_telemetry)) {
        sim_track_new(sim, flow);
    }
}

static bool
set_order(struct sim *sim, struct err *err)
{
    const struct sim_config *c = &sim->config;

    for (uint32_t i = 0; i < c->n_flows; i++) {
        uint32_t after = c->flows[i].after - 1;
        if (!c->flows[i].after) {
            continue;
        }
        if (after >= c->n_flows ||
            (c->flows[after].from != c->flows[i].from && c->flows[after].to != c->flows[i].from)) {
            return err_set(err, "flow %u waits for a flow that its sender knows nothing of", i);
        }
        if (!sim->first_after) {
            sim->first_after = array_new(c->n_flows, sizeof *sim->first_after);
            sim->next_after = array_new(c->n_flows, sizeof *sim->next_after);
            memset(sim->first_after, 0xff, c->n_flows * sizeof *sim->first_after);
        }
        sim->next_after[i] = sim->first_after[after];
        sim->first_after[after] = i;
    }
    return true;
}

/* What engines answered at their start, flows and links that change: the first mail. */
static void
post_first(struct sim *sim)
{
    const struct sim_config *c = &sim->config;

    for (uint32_t i = 0; i < c->n_flows; i++) {
        set_flow(sim, i);
        sim->has_paths |= c->flows[i].path != NULL;
    }
    sim_end_kind.begin(sim);
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
}

/* Nodes start one after the other, and answer into an outbox that is large enough for any. */
static bool
start_nodes(struct sim *sim, struct weir_outbox *first, uint32_t *max_emits, struct err *err)
{
    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        struct sim_thread *t = &sim->threads[sim->places[id].thread];
        struct weir_needs needs;

        if (!set_node(sim, id, first, &needs, err)) {
            return false;
        }
        *max_emits = needs.max_emits > *max_emits ? needs.max_emits : *max_emits;
        t->outbox = *first;
        sim_node_obey(t, &sim->nodes[id], 0);
        t->outbox = (struct weir_outbox){ 0 };
    }
    return true;
}

static bool
set_nodes(struct sim *sim, struct err *err)
{
    struct weir_outbox first = { .max = 1 << 16 };
    uint32_t max_emits = 0;

    first.emits = array_new(first.max, sizeof *first.emits);
    bool good = start_nodes(sim, &first, &max_emits, err);
    free(first.emits);
    for (uint32_t i = 0; good && i < sim->n_threads; i++) {
        struct sim_thread *t = &sim->threads[i];
        t->outbox.emits = array_new(max_emits, sizeof *t->outbox.emits);
        t->outbox.max = max_emits;
        for (uint32_t k = 0; k < t->n_nodes; k++) {
            sim->nodes[t->nodes[k]].weir.ctx.out = &t->outbox;
        }
    }
    return good;
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

/* Names become lines of tables. */
static bool
find_parts(struct sim *sim, struct err *err)
{
    const struct sim_config *c = &sim->config;

    if (!sim_arbitration_find(c->arbitration)) {
        return err_set(err, "unknown arbitration '%s'", c->arbitration);
    }
    if (c->scheduling && !sim_scheduling_find(c->scheduling)) {
        return err_set(err, "unknown scheduling '%s'", c->scheduling);
    }
    if (c->switch_kind && !sim_kind_find(c->switch_kind)) {
        return err_set(err, "unknown kind of switch '%s'", c->switch_kind);
    }
    if (weir_wire_bytes(c->until_ps, fastest_bps(c->topo)) / c->mtu_bytes >= UINT32_MAX) {
        return err_set(err, "a flow could send more packets in the run than can be counted");
    }
    if (c->topo->n_nics > SIM_MAX_DST) {
        return err_set(err, "a network of %u hosts; %d are the most", c->topo->n_nics, SIM_MAX_DST);
    }
    if (c->hop_limit > SIM_MAX_HOPS) {
        return err_set(err, "a hop limit of %u; %d is the highest", c->hop_limit, SIM_MAX_HOPS);
    }
    if (c->mtu_bytes > UINT16_MAX) {
        return err_set(err, "packets of %u bytes; a packet has at most %u", c->mtu_bytes,
                       UINT16_MAX);
    }
    for (uint32_t i = 0; i < c->n_flows; i++) {
        if (c->flows[i].bytes != SIM_ENDLESS && c->flows[i].bytes / c->mtu_bytes >= UINT32_MAX) {
            return err_set(err, "flow %u has too many packets to be counted", i);
        }
        if (c->flows[i].transport && c->flows[i].transport->acked &&
            !transport_recovery(c->flows[i].transport, c->flows[i].recovery)->is_reliable) {
            return err_set(err, "flow %u: %s goes by acknowledgements, and recovery none has none",
                           i, c->flows[i].transport->about.name);
        }
        if (c->flows[i].n_path > SIM_MAX_HOPS) {
            return err_set(err, "the path of flow %u has %u switches; %d are the most", i,
                           c->flows[i].n_path, SIM_MAX_HOPS);
        }
    }
    for (uint32_t i = 0; i < c->n_stalls; i++) {
        if (c->topo->nodes[c->stalls[i].node].kind != TOPO_NIC) {
            return err_set(err, "%s is a switch; hosts stall",
                           c->topo->nodes[c->stalls[i].node].name);
        }
    }
    return true;
}

static void
fill_in(struct sim_config *c)
{
    uint32_t sum = 0;

    for (uint32_t cls = 0; cls < c->n_classes; cls++) {
        sum += c->weights[cls];
    }
    for (uint32_t cls = 0; !sum && cls < c->n_classes; cls++) {
        c->weights[cls] = 1;
    }
    c->ack_every = c->ack_every ? c->ack_every : 1;
    c->retry_ps = c->retry_ps ? c->retry_ps : WEIR_PS_PER_S / 1000;
}

static void
allocate(struct sim *sim)
{
    const struct sim_config *c = &sim->config;

    sim->nodes = array_new_aligned(64, c->topo->n_nodes * sizeof *sim->nodes);
    memset(sim->nodes, 0, c->topo->n_nodes * sizeof *sim->nodes);
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
        sim->started_ps[i] = -1;
        if (c->flows[i].transport && c->flows[i].transport->start && !sim->pacers) {
            sim->pacers = array_new_aligned(64, c->n_flows * sizeof *sim->pacers);
            memset(sim->pacers, 0, c->n_flows * sizeof *sim->pacers);
        }
    }
}

struct sim *
sim_new(const struct sim_config *config, struct err *err)
{
    struct sim *sim = array_new(1, sizeof *sim);

    sim->config = *config;
    fill_in(&sim->config);
    sim->n_threads = config->n_threads ? config->n_threads : 1;
    sim->n_threads =
        sim->n_threads < config->topo->n_parts ? sim->n_threads : config->topo->n_parts;
    allocate(sim);
    if (!find_parts(sim, err) || !set_windows(sim, err) || !set_order(sim, err)) {
        sim_free(sim);
        return NULL;
    }
    set_threads(sim);
    sim_set_routes(sim);
    if (!set_nodes(sim, err)) {
        sim_free(sim);
        return NULL;
    }
    set_nics(sim);
    post_first(sim);
    if (!sim_check_ways(sim, err)) {
        sim_free(sim);
        return NULL;
    }
    if (sim->next_reroute_ps != WEIR_NEVER) {
        sim->ideal_ps = array_new(config->n_flows, sizeof *sim->ideal_ps);
        for (uint32_t i = 0; i < config->n_flows; i++) {
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
free_node(struct sim_node *n)
{
    if (n->kind && n->kind->release) {
        n->kind->release(n);
    }
    free(n->ports);
    free(n->weir_ports);
    free(n->results);
    free(n->memory);
    free(n->buffer_memory);
    free(n->timers);
    free(n->watchdogs);
    free(n->peaks);
    free(n->sums);
    free(n->schedule);
    free(n->holds);
    free(n->losses);
    free(n->up_ps);
    free(n->far_ps);
    free(n->queues);
    free(n->pool);
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
    free(t->events);
    free(t->outbox.emits);
}

void
sim_free(struct sim *sim)
{
    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        free_node(&sim->nodes[id]);
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
    for (uint32_t i = 0; i < sim->config.n_flows; i++) {
        free(sim->senders[i].progress.own);
        free(sim->sinks[i].progress.own);
        sim_track_free(sim->pacers ? sim->pacers[i].track : NULL);
    }
    free(sim->senders);
    free(sim->sinks);
    free(sim->pacers);
    free(sim->notifiers);
    free(sim->turns);
    free(sim->started_ps);
    free(sim->ideal_ps);
    free(sim->first_after);
    free(sim->next_after);
    free(sim->notes);
    free(sim->crossings);
    free(sim->middle_bytes);
    free(sim);
}

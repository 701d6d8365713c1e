/* The switch with a shared memory and queues at its outputs.
 *
 *     packet -> route -> admit -> engines: arrived -> queue -> start -> engines: departed -> wire
 *
 * A packet is counted at its input when its last bit is here, and released when it starts onto the
 * output wire. */

#include "sim/internal.h"

uint32_t
sim_route(const struct sim *sim, const struct sim_node *n, uint32_t flow, uint32_t dst,
          uint32_t n_hops)
{
    const struct topo *topo = sim->config.topo;

    if (sim->has_paths && sim->config.flows[flow].path) {
        const struct sim_flow *f = &sim->config.flows[flow];
        if (dst == topo->nodes[f->to].index) { /* What is acknowledged is not pinned. */
            return n_hops < f->n_path ? f->path[n_hops] : SIM_NONE;
        }
    }
    uint32_t leaf = sim->nic_leaf[dst];
    if (leaf == n->leaf) {
        return sim->nic_port[dst];
    }
    uint32_t way = n->routes[leaf];
    if (!(way & SIM_MANY_WAYS) || way == SIM_NONE) {
        return way;
    }
    const struct topo_group *g = &sim->net.groups[way & ~SIM_MANY_WAYS];
    uint32_t hash = flow * n->salt;
    hash = (hash ^ hash >> 15) * 0x2c1b3c6d;
    return sim->net.choices[g->first + ((hash >> 16) * g->n >> 16)];
}

/* A packet's way out, and what it will touch there. */
static void
oq_prepare(const struct sim_thread *t, const struct sim_node *n, struct sim_mail *mails,
           uint32_t n_mails)
{
    for (struct sim_mail *m = mails; m < mails + n_mails; m++) {
        uint32_t port = SIM_NONE;
        if (m->event == SIM_PACKET) {
            m->node = port = sim_route(t->sim, n, m->packet.flow, m->packet.dst, m->packet.n_hops);
        }
        if (port != SIM_NONE) {
            uint32_t slot = port * n->n_classes + m->packet.cls;
            __builtin_prefetch(&n->buffer.slots[m->port * n->n_classes + m->packet.cls]);
            __builtin_prefetch(&n->buffer.slots[slot]);
            __builtin_prefetch(&n->ports[port]);
            __builtin_prefetch(&n->weir.ctx.gates[slot]);
            __builtin_prefetch((const struct sim_queue *)n->queues + slot);
        }
    }
}

static void
note_drop(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m,
          enum sim_note_kind kind)
{
    n->results[m->port].dropped_bytes += m->packet.bytes;
    if (sim_wants_note(t, kind)) {
        sim_note(t, n,
                 &(struct sim_note){ .at_ps = m->at,
                                     .port = m->port,
                                     .flow = m->packet.flow,
                                     .value = m->packet.bytes,
                                     .kind = (uint8_t)kind,
                                     .cls = m->packet.cls });
    }
}

/* A packet that is not to go on takes no room, but its sender counted on some: engines hear that it
 * came, and that it is gone. */
static __attribute__((noinline)) void
turn_away(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m,
          enum sim_note_kind kind)
{
    struct weir_pkt pkt = {
        .bytes = m->packet.bytes, .in_port = m->port, .out_port = m->port, .cls = m->packet.cls
    };

    weir_node_arrived(&n->weir, m->at, &pkt);
    sim_node_obey(t, n, m->at);
    weir_node_departed(&n->weir, m->at, &pkt);
    sim_node_obey(t, n, m->at);
    note_drop(t, n, m, kind);
}

static void oq_arrive(struct sim_thread *, struct sim_node *, const struct sim_mail *);

/* It has crossed as many switches as it may; or, without a limit, as many as are counted.  Apart,
 * so that others pay for one comparison. */
static __attribute__((noinline)) void
arrive_late(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    struct sim_mail uncounted = *m;

    uncounted.packet.n_hops--;
    if (t->sim->config.hop_limit) {
        n->results[m->port].n_expired++;
        turn_away(t, n, m, SIM_NOTE_EXPIRE);
    } else {
        oq_arrive(t, n, &uncounted);
    }
}

void
sim_refuse(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m,
           enum weir_admission how)
{
    n->results[m->port].n_dropped[how]++;
    t->n_broken += weir_is_lossless(&n->shape, m->packet.cls);
    note_drop(t, n, m, SIM_NOTE_DROP);
}

/* A packet stands at an output, and can go. */
static inline void
stand(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t cls, weir_ps now)
{
    n->ports[port].active |= (uint8_t)(1u << cls);
    if (n->is_watched) {
        sim_watchdog_queued(t, n, port * n->n_classes + cls, now);
        return;
    }
    sim_port_kick(t, n, port, now);
}

/* Hot: once a packet-hop. */
static void
oq_arrive(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    if (m->packet.n_hops >= t->hop_limit) {
        arrive_late(t, n, m);
        return;
    }
    uint32_t out_port = t->is_large
                            ? m->node
                            : sim_route(t->sim, n, m->packet.flow, m->packet.dst, m->packet.n_hops);
    if (out_port == SIM_NONE) {
        t->n_unroutable++;
        turn_away(t, n, m, SIM_NOTE_DROP);
        return;
    }
    uint32_t cls = m->packet.cls;
    uint32_t in_slot = m->port * n->n_classes + cls, out_slot = out_port * n->n_classes + cls;
    enum weir_admission how = weir_buffer_admit(&n->buffer, in_slot, out_slot, m->packet.bytes);
    if (how != WEIR_ADMITTED) {
        sim_refuse(t, n, m, how);
        return;
    }
    uint64_t held = n->buffer.slots[in_slot].in_bytes;
    if (held > n->peaks[in_slot]) {
        n->peaks[in_slot] = held;
    }
    struct weir_pkt pkt = { .bytes = m->packet.bytes,
                            .in_port = m->port,
                            .out_port = (uint16_t)out_port,
                            .cls = m->packet.cls,
                            .ecn = m->packet.ecn };
    weir_node_arrived(&n->weir, m->at, &pkt);
    sim_node_obey(t, n, m->at);
    if (t->sim->tells_queued) {
        weir_node_queued(&n->weir, m->at, &pkt);
        sim_node_obey(t, n, m->at);
    }
    uint32_t index = sim_packet_new(n);
    struct sim_held *here = &n->pool[index];
    *here = (struct sim_held){ .packet = m->packet,
                               .in_port = m->port,
                               .out_port = (uint16_t)out_port };
    here->packet.ecn = pkt.ecn & 3u;
    here->packet.n_hops++;
    if (t->sim->arbitration->push(n, out_slot, index)) {
        stand(t, n, out_port, cls, m->at);
    }
}

/* An input that offers one packet at a time has sent it when the wire is free again. */
static void
busy_input(struct sim_thread *t, struct sim_node *n, uint32_t in_slot, weir_ps until)
{
    sim_post(t, &(struct sim_mail){ .at = until,
                                    .node = n->id,
                                    .port = (uint16_t)(in_slot / n->n_classes),
                                    .event = SIM_INPUT,
                                    .key = in_slot });
}

void
sim_oq_free_input(struct sim_thread *t, struct sim_node *n, uint32_t in_slot, weir_ps now)
{
    uint32_t out_slot = t->sim->arbitration->free_input(n, in_slot);

    if (out_slot != SIM_NONE) {
        stand(t, n, out_slot / n->n_classes, out_slot % n->n_classes, now);
    }
}

/* Takes a packet out of the memory; the input slot that it came by. */
static inline uint32_t
release(struct sim_node *n, uint32_t port, uint32_t slot, struct sim_held *held, weir_ps now)
{
    struct sim_packet *packet = &held->packet;
    struct weir_pkt pkt = { .bytes = packet->bytes,
                            .in_port = held->in_port,
                            .out_port = (uint16_t)port,
                            .cls = packet->cls,
                            .ecn = packet->ecn };
    uint32_t in_slot = held->in_port * n->n_classes + packet->cls;

    weir_buffer_release(&n->buffer, in_slot, slot, packet->bytes);
    weir_node_departed(&n->weir, now, &pkt);
    packet->ecn = pkt.ecn & 3u;
    return in_slot;
}

static void
depart(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t slot, uint32_t index,
       weir_ps now)
{
    struct sim_held *held = &n->pool[index];

    weir_gate_sent(&n->weir.ctx.gates[slot], now, held->packet.bytes);
    uint32_t in_slot = release(n, port, slot, held, now);
    sim_port_send(t, n, port, &held->packet, now);
    sim_packet_free(n, index);
    if (t->sim->arbitration->free_input) {
        busy_input(t, n, in_slot, n->ports[port].busy_ps);
    }
    sim_node_obey(t, n, now);
}

/* As if it had been sent in no time, but for the gate and the wire. */
void
sim_oq_discard(struct sim_thread *t, struct sim_node *n, uint32_t slot, weir_ps now)
{
    uint32_t port = slot / n->n_classes, index = t->sim->arbitration->peek(n, slot);
    struct sim_held held = n->pool[index];
    const struct sim_packet *packet = &held.packet;

    if (!t->sim->arbitration->pop(n, slot)) {
        n->ports[port].active &= (uint8_t) ~(1u << slot % n->n_classes);
    }
    uint32_t in_slot = release(n, port, slot, &held, now);
    sim_packet_free(n, index);
    n->results[port].n_discarded++;
    n->results[port].dropped_bytes += packet->bytes;
    t->n_broken += weir_is_lossless(&n->shape, packet->cls);
    if (sim_wants_note(t, SIM_NOTE_DISCARD)) {
        sim_note(t, n,
                 &(struct sim_note){ .at_ps = now,
                                     .port = port,
                                     .flow = packet->flow,
                                     .value = packet->bytes,
                                     .kind = SIM_NOTE_DISCARD,
                                     .cls = packet->cls });
    }
    if (t->sim->arbitration->free_input) {
        busy_input(t, n, in_slot, now);
    }
    sim_node_obey(t, n, now);
}

static weir_ps
oq_send(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t cls, weir_ps now)
{
    const struct sim_arbitration *arbitration = t->sim->arbitration;
    uint32_t slot = port * n->n_classes + cls;
    uint32_t packet = arbitration->peek(n, slot), bytes = n->pool[packet].packet.bytes;
    weir_ps at = weir_gate_ready(&n->weir.ctx.gates[slot], now, bytes);

    if (at > now) {
        return at;
    }
    if (!arbitration->pop(n, slot)) {
        n->ports[port].active &= (uint8_t) ~(1u << cls);
    }
    if (n->n_classes > 1) {
        t->sim->scheduling->served(n, port, cls, bytes);
    }
    depart(t, n, port, slot, packet, now);
    return now;
}

/* A packet that has come too far: its class was the last. */
static void
expire(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    n->results[m->port].n_expired++;
    note_drop(t, n, m, SIM_NOTE_EXPIRE);
}

static void
oq_arrive_by_class(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    struct sim_mail here = *m;

    here.packet.cls = weir_class_here(&n->weir.ctx, m->port, m->packet.cls);
    if (here.packet.cls == WEIR_NO_CLASS) {
        expire(t, n, m);
    } else {
        oq_arrive(t, n, &here);
    }
}

static const struct sim_kind oq_by_class = { "oq", oq_prepare, oq_arrive_by_class, oq_send, NULL };

const struct sim_kind sim_switch_table[] = {
    { "oq", oq_prepare, oq_arrive, oq_send, &oq_by_class },
    { 0 },
};

const char *const sim_switches[] = { "oq", 0 };

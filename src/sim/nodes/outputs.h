/* Common parts of kinds with queues at their outputs: packets are there in the order of the node's
 * arbitration, and a gate decides when the next may start. */

#ifndef SIM_OUTPUTS_H
#define SIM_OUTPUTS_H

#include "sim/host/host.h"
#include "sim/nodes/fifo.h"
#include "sim/nodes/handles.h"

static inline struct weir_pkt
output_pkt(const struct sim_held *held)
{
    return (struct weir_pkt){ .bytes = held->packet.bytes,
                              .in_port = held->in_port,
                              .out_port = held->out_port,
                              .cls = held->packet.cls,
                              .ecn = held->packet.ecn };
}

/* Engines have been called for a packet, on account of a port, and may have marked it. */
static inline void
output_mark(struct sim_node *n, struct sim_held *held, const struct weir_pkt *pkt, uint32_t port)
{
    if (held->packet.ecn != pkt->ecn) {
        held->packet.ecn = pkt->ecn & 3u;
        sim_port_marked(n, port);
    }
}

/* When it leaves a switch, its hop count rises by one. */
static inline void
output_count_hop(struct sim_packet *packet)
{
    if (packet->n_hops < SIM_MAX_HOPS) {
        packet->n_hops++;
    }
}

/* It is not sent, and counts for this switch when it is at another output. */
static inline void
output_uncount_hop(struct sim_packet *packet)
{
    if (packet->n_hops) {
        packet->n_hops--;
    }
}

static inline void
note_peak(uint64_t *peak, uint64_t bytes)
{
    if (__builtin_expect(bytes > *peak, 0)) {
        *peak = bytes;
    }
}

/* The buffer counts a packet at its output. */
static inline void
output_note_peak(struct sim_node *n, uint32_t slot)
{
    note_peak(&n->past[slot].out_peak_bytes, n->buffer.slots[slot].out_bytes);
}

/* Calls engines for it, where 'tells_queued'. */
static inline void
output_notify(struct sim_thread *t, struct sim_node *n, struct weir_pkt *pkt, weir_ps now)
{
    weir_node_queued(&n->weir, now, pkt);
    sim_node_obey(t, n, now);
}

/* Queues of the node's arbitration; 'is_fifo', where that is known when this is compiled, saves the
 * calls. */

/* A packet is at its output. */
static inline void
output_add(struct sim_thread *t, struct sim_node *n, uint32_t index, weir_ps now)
{
    uint32_t port = n->pool[index].out_port, cls = n->pool[index].packet.cls;

    if (n->arbitration->push(n, port * n->n_classes + cls, index)) {
        sim_port_offer(t, n, port, cls, now);
    }
}

static inline uint32_t
output_first(struct sim_node *n, uint32_t slot, bool is_fifo)
{
    return is_fifo ? fifo_peek(n, slot) : n->arbitration->peek(n, slot);
}

/* The first packet of a queue has left it. */
static inline void
output_pop(struct sim_node *n, uint32_t port, uint32_t cls, bool is_fifo)
{
    uint32_t slot = port * n->n_classes + cls;

    if (!(is_fifo ? fifo_pop(n, slot) : n->arbitration->pop(n, slot))) {
        sim_port_idle(n, port, cls);
    }
}

/* When the first packet of a queue may start, as far as its gate is concerned. */
static inline weir_ps
output_ready(const struct sim_node *n, uint32_t slot, uint32_t index, weir_ps now)
{
    return weir_gate_ready(&n->weir.ctx.gates[slot], now, n->pool[index].packet.bytes);
}

/* Where inputs and outputs have buffers of their own, an output is left the same way in every kind.
 * A kind does further work on the new room after these. */

/* Where a memory stores packets once: one is no longer in the switch. */
static inline void
output_forget(struct sim_node *n, const struct sim_held *held)
{
    if (n->buffer.stored) {
        weir_buffer_forget(&n->buffer, held->in_port * n->n_classes + held->packet.cls,
                           held->packet.bytes);
    }
}

static inline void
output_leave(struct sim_node *n, uint32_t slot, uint32_t index, weir_ps now)
{
    struct sim_held *held = &n->pool[index];
    struct weir_pkt pkt = output_pkt(held);

    weir_buffer_release_output(&n->buffer, slot, held->packet.bytes);
    output_forget(n, held);
    units_depart(n, index, &pkt);
    weir_node_departed(&n->weir, now, &pkt);
    output_mark(n, held, &pkt, pkt.out_port);
}

/* Starts the first packet of a queue, and returns 'now'; or when its gate may allow it. */
static inline weir_ps
output_send(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t cls, weir_ps now)
{
    uint32_t slot = port * n->n_classes + cls, index = output_first(n, slot, false);
    weir_ps at = output_ready(n, slot, index, now);

    if (at > now) {
        return at;
    }
    output_pop(n, port, cls, false);
    weir_gate_sent(&n->weir.ctx.gates[slot], now, n->pool[index].packet.bytes);
    sim_sojourn_end(n, index, now);
    output_leave(n, slot, index, now);
    sim_port_send_held(t, n, port, index, now);
    sim_held_free(n, index);
    sim_node_obey(t, n, now);
    return now;
}

/* Drops it, as if it had been sent in no time, but for the gate and the wire; returns it.  Engines
 * have still to be obeyed. */
static inline struct sim_packet
output_discard(struct sim_thread *t, struct sim_node *n, uint32_t slot, sim_drop *drop, weir_ps now)
{
    uint32_t port = slot / n->n_classes, index = output_first(n, slot, false);

    output_pop(n, port, slot % n->n_classes, false);
    sim_sojourn_end(n, index, now);
    output_leave(n, slot, index, now);
    struct sim_packet packet = n->pool[index].packet;
    sim_held_free(n, index);
    drop(t, n, port, &packet, now);
    return packet;
}

/* The first packet of a queue has left its output, and is on its way again.  Engines have still to
 * be obeyed. */
static inline uint32_t
output_return(struct sim_node *n, uint32_t slot, weir_ps now)
{
    uint32_t index = output_first(n, slot, false);
    struct sim_held *held = &n->pool[index];
    struct weir_pkt pkt = output_pkt(held);

    output_pop(n, slot / n->n_classes, slot % n->n_classes, false);
    sim_sojourn_end(n, index, now);
    weir_buffer_return_output(&n->buffer, slot, held->packet.bytes);
    units_depart(n, index, &pkt);
    weir_node_departed(&n->weir, now, &pkt);
    output_mark(n, held, &pkt, pkt.out_port);
    output_uncount_hop(&held->packet);
    return index;
}

/* Whether packets of a class wait at a port. */
static inline bool
output_has(const struct sim_node *n, uint32_t port, uint32_t cls)
{
    return n->ports[port].active >> cls & 1;
}

static inline void
output_fetch(const struct sim_node *n, uint32_t port, uint32_t slot)
{
    __builtin_prefetch(&n->ports[port]);
    __builtin_prefetch(&n->weir.ctx.gates[slot]);
    if (n->arbitration->fetch) {
        n->arbitration->fetch(n, slot);
    }
}

/* A packet's output, and the state that it will touch there; where that depends on events until
 * then, it is found when the packet comes. */
static inline void
output_prepare(const struct sim_thread *t, struct sim_node *n, struct sim_mail *mails,
               uint32_t n_mails)
{
    for (struct sim_mail *m = mails; m < mails + n_mails && n->is_prepared; m++) {
        uint32_t port = SIM_NONE;
        if (m->event == SIM_PACKET) {
            m->node = port = sim_output_port(t, n, &m->packet);
        }
        if (port != SIM_NONE) {
            uint32_t slot = port * n->n_classes + m->packet.cls;
            uint32_t in_slot = m->port * n->n_classes + m->packet.cls;
            __builtin_prefetch(&n->weir.ctx.trips[in_slot]);
            __builtin_prefetch(&n->buffer.slots[in_slot]);
            __builtin_prefetch(&n->buffer.slots[slot]);
            output_fetch(n, port, slot);
        }
    }
}

/* The way out of a packet that has arrived. */
static inline uint32_t
output_of(const struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    return n->is_prepared ? m->node : sim_output_port(t, n, &m->packet);
}

/* A packet has arrived: it is counted at its input, engines receive it, and it is queued.
 * 'out_port' SIM_NONE: its way out is chosen later, and until then engines know it at its input.
 * Its place, or SIM_NONE: it was refused. */
static inline __attribute__((always_inline)) uint32_t
input_take(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m, uint32_t out_port)
{
    uint32_t slot = m->port * n->n_classes + m->packet.cls;
    enum weir_admission how = weir_buffer_admit_input(&n->buffer, slot, m->packet.bytes);
    bool is_late = out_port == SIM_NONE;

    if (how != WEIR_ADMITTED) {
        sim_drop_refused(t, n, m, how);
        return SIM_NONE;
    }
    note_peak(&n->past[slot].in_peak_bytes, n->buffer.slots[slot].in_bytes);
    uint16_t port = is_late ? m->port : (uint16_t)out_port;
    struct weir_pkt pkt = { .bytes = m->packet.bytes,
                            .in_port = m->port,
                            .out_port = port,
                            .cls = m->packet.cls,
                            .ecn = m->packet.ecn };
    if (!is_late) {
        sim_sojourn_count(n, &pkt);
    }
    units_enter(n, &pkt, slot, port * n->n_classes + m->packet.cls, m->packet.flow);
    weir_node_arrived(&n->weir, m->at, &pkt);
    sim_node_obey(t, n, m->at);
    uint32_t index = sim_held_new(n);
    struct sim_held *held = &n->pool[index];
    held->packet = m->packet;
    output_mark(n, held, &pkt, port);
    held->in_port = m->port;
    held->out_port = (uint16_t)out_port;
    units_keep(n, index, &pkt);
    sim_sojourn_begin(n, index, m->at);
    return index;
}

/* A packet has come to its output, whose buffer counts it: engines that use output queues receive
 * it, and it waits there. */
static inline void
output_enter(struct sim_thread *t, struct sim_node *n, uint32_t index, weir_ps now)
{
    struct sim_held *held = &n->pool[index];

    if (n->tells_queued) {
        struct weir_pkt pkt = output_pkt(held);
        units_fill(n, index, &pkt);
        units_queue(n, &pkt, pkt.out_port * n->n_classes + pkt.cls);
        units_keep(n, index, &pkt);
        output_notify(t, n, &pkt, now);
        output_mark(n, held, &pkt, pkt.out_port);
    }
    output_add(t, n, index, now);
}

/* Packets on their way within a switch, in the order of 'due_ps': true if the first is there. */
static inline bool
list_has_due(const struct sim_node *n, const struct sim_queue *list, weir_ps now)
{
    return list->head != SIM_NONE && n->pool[list->head].due_ps <= now;
}

/* And the place where the first packet will wait. */
static inline void
output_fetch_ports(const struct sim_node *n, uint64_t wakes)
{
    sim_fetch_held(n, n->pool_free);
    for (; wakes; wakes &= wakes - 1) {
        uint32_t port = (uint32_t)__builtin_ctzll(wakes);
        output_fetch(n, port, port * n->n_classes);
    }
}

static inline void
output_fetch_heads(const struct sim_node *n, uint64_t wakes)
{
    for (; wakes && n->arbitration->fetch_head; wakes &= wakes - 1) {
        n->arbitration->fetch_head(n, (uint32_t)__builtin_ctzll(wakes) * n->n_classes);
    }
}

/* A class of a port is on offer if, and only if, packets wait there; where inputs offer one at a
 * time, those that wait may all stand behind others. */
static inline bool
outputs_hold(const struct sim_node *n)
{
    for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
        bool is_offered = sim_slot_has(n, slot), has_packets = n->buffer.slots[slot].out_bytes;
        if (is_offered != has_packets && (is_offered || !n->arbitration->free_input)) {
            return false;
        }
    }
    return units_hold_outputs(n);
}

#endif

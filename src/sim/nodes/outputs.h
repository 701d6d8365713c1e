/* Common parts of kinds with queues at their outputs.  The node's arbitration orders the packets
 * there, and a gate decides when the next one may start. */

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

/* Called after engines were called for a packet, which may have marked it; 'port' counts the
 * mark. */
static inline void
output_mark(struct sim_node *n, struct sim_held *held, const struct weir_pkt *pkt, uint32_t port)
{
    if (held->packet.ecn != pkt->ecn) {
        held->packet.ecn = pkt->ecn & 3u;
        sim_port_marked(n, port);
    }
}

/* Raises the hop count of a packet by one, when it leaves a switch. */
static inline void
output_count_hop(struct sim_packet *packet)
{
    if (packet->n_hops < SIM_MAX_HOPS) {
        packet->n_hops++;
    }
}

/* Lowers the hop count again, because the packet was not sent; the hop will count when the packet
 * is at another output. */
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

/* Called when the buffer counts a packet at its output. */
static inline void
output_note_peak(struct sim_node *n, uint32_t slot)
{
    note_peak(&n->past[slot].out_peak_bytes, n->buffer.slots[slot].out_bytes);
}

/* Calls engines for a queued packet, if 'tells_queued' is set. */
static inline void
output_notify(struct sim_thread *t, struct sim_node *n, struct weir_pkt *pkt, weir_ps now)
{
    weir_node_queued(&n->weir, now, pkt);
    sim_node_obey(t, n, now);
}

/* Functions for the queues of the node's arbitration.  A compile-time constant 'is_fifo' avoids
 * calls through pointers. */

/* Adds a packet to the queue of its output. */
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

/* Removes the first packet of a queue. */
static inline void
output_pop(struct sim_node *n, uint32_t port, uint32_t cls, bool is_fifo)
{
    uint32_t slot = port * n->n_classes + cls;

    if (!(is_fifo ? fifo_pop(n, slot) : n->arbitration->pop(n, slot))) {
        sim_port_idle(n, port, cls);
    }
}

/* The time at which the gate allows the first packet of a queue to start. */
static inline weir_ps
output_ready(const struct sim_node *n, uint32_t slot, uint32_t index, weir_ps now)
{
    return weir_gate_ready(&n->weir.ctx.gates[slot], now, n->pool[index].packet.bytes);
}

/* The following functions are for kinds with separate buffers at inputs and outputs.  A packet
 * leaves an output in the same way in all of them; after these calls, the kind can use the room
 * that becomes free. */

/* For a memory that stores packets once: a packet has left the switch. */
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

/* Starts the first packet of a queue and returns 'now', or returns the time at which its gate may
 * allow it. */
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

/* Drops the first packet of a queue and returns it, as if it had been sent in no time, but without
 * using the gate and the wire.  The caller must still obey the engines. */
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

/* Takes the first packet of a queue back from its output, so that it is on its way.  The caller
 * must still obey the engines. */
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

/* Finds the output of each packet and prefetches the state that it will use there.  If the output
 * depends on events before that, it is found when the packet arrives. */
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

/* The output port of a packet that has arrived. */
static inline uint32_t
output_of(const struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    return n->is_prepared ? m->node : sim_output_port(t, n, &m->packet);
}

/* Takes a packet that has arrived: counts it at its input, calls engines, and queues it.  If
 * 'out_port' is SIM_NONE, the output is chosen later, and until then engines see the input as the
 * output.  Returns its index in the pool, or SIM_NONE if it was refused. */
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

/* Called when a packet has reached its output, whose buffer counts it.  Calls engines that use
 * output queues, and queues the packet. */
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

/* For a list of packets on their way within a switch, sorted by 'due_ps': true if the first has
 * arrived. */
static inline bool
list_has_due(const struct sim_node *n, const struct sim_queue *list, weir_ps now)
{
    return list->head != SIM_NONE && n->pool[list->head].due_ps <= now;
}

/* Prefetches the state of the first 64 ports that wake, and the pool entry in which the next packet
 * will wait. */
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

/* A class of a port must be active if, and only if, packets wait there.  If inputs offer one packet
 * at a time, all waiting packets may be behind others, and the class may be inactive. */
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

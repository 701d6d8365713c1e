/* The switch with a shared memory and queues at its outputs.
 *
 *     packet -> route -> admit -> engines: arrived -> queue -> start -> engines: departed -> wire
 *
 * A packet is counted at its input when its last bit has arrived, and released when it starts onto
 * the output wire. */

#include <stdlib.h>

#include "base/array.h"
#include "sim/host/host.h"
#include "sim/nodes/outputs.h"

enum { OQ_INPUT = SIM_OWN }; /* An input can offer its next packet; key: its slot. */

static void
oq_shape(const void *params, struct weir_shape *shape)
{
    (void)params;
    shape->services |= SIM_SWITCH_SERVICES;
}

/* Takes a pool entry for a packet that has been admitted and waits for its output. */
static inline uint32_t
take_place(struct sim_node *n, const struct sim_mail *m, uint32_t out_port)
{
    uint32_t index = sim_held_new(n);
    struct sim_held *held = &n->pool[index];

    held->packet = m->packet;
    output_count_hop(&held->packet);
    held->in_port = m->port;
    held->out_port = (uint16_t)out_port;
    return index;
}

/* Handles the arrival of a packet that has a route; 'is_bare' is a compile-time constant. */
static inline __attribute__((always_inline)) void
arrive_whole(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m, uint32_t in_slot,
             uint32_t out_port, uint32_t out_slot, bool is_bare)
{
    enum weir_admission how = weir_buffer_admit(&n->buffer, in_slot, out_slot, m->packet.bytes);

    if (how != WEIR_ADMITTED) {
        sim_drop_refused(t, n, m, how);
        return;
    }
    note_peak(&n->past[in_slot].in_peak_bytes, n->buffer.slots[in_slot].in_bytes);
    output_note_peak(n, out_slot);
    struct weir_pkt pkt = { .bytes = m->packet.bytes,
                            .in_port = m->port,
                            .out_port = (uint16_t)out_port,
                            .cls = m->packet.cls,
                            .ecn = m->packet.ecn };
    if (!is_bare) {
        sim_sojourn_count(n, &pkt);
    }
    units_enter(n, &pkt, in_slot, out_slot, m->packet.flow);
    weir_node_arrived(&n->weir, m->at, &pkt);
    sim_node_obey(t, n, m->at);
    if (n->tells_queued) {
        units_queue(n, &pkt, out_slot);
        output_notify(t, n, &pkt, m->at);
    }
    uint32_t index = take_place(n, m, out_port);
    output_mark(n, &n->pool[index], &pkt, out_port);
    units_keep(n, index, &pkt);
    if (!is_bare) {
        sim_sojourn_begin(n, index, m->at);
    }
    output_add(t, n, index, m->at);
}

static __attribute__((noinline)) void
arrive_notified(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m,
                uint32_t in_slot, uint32_t out_port, uint32_t out_slot)
{
    arrive_whole(t, n, m, in_slot, out_port, out_slot, true);
}

static __attribute__((noinline)) void
arrive_at_any(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m, uint32_t in_slot,
              uint32_t out_port, uint32_t out_slot)
{
    arrive_whole(t, n, m, in_slot, out_port, out_slot, false);
}

/* True if a packet can leave as it arrives: its output is idle, its gate open, and no engine
 * receives departures.  Probes do not take this path, because their telemetry needs an entry in the
 * pool. */
static inline bool
can_pass(const struct sim_node *n, const struct sim_mail *m, uint32_t in_slot, uint32_t out_port,
         uint32_t out_slot)
{
    return sim_port_is_idle(n, out_port, m->at) &&
           weir_gate_is_open(&n->weir.ctx.gates[out_slot], m->at, m->packet.bytes) &&
           !weir_node_hears_left(&n->weir, in_slot, n->buffer.slots[in_slot].in_bytes) &&
           m->packet.kind != SIM_PROBE;
}

/* Sends a packet at once.  Counting it into the buffer and the queue and out of them would change
 * nothing, so only the gate and the wire change. */
static inline void
pass_on(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m, uint32_t out_port,
        uint32_t out_slot)
{
    struct sim_packet packet = m->packet;

    output_count_hop(&packet);
    weir_gate_sent(&n->weir.ctx.gates[out_slot], m->at, packet.bytes);
    sim_port_pass(t, n, out_port, &packet, m->at);
}

/* True if a packet need only be counted: it fits into the reserve, and no engine receives it at its
 * input or at its output. */
static inline bool
is_calm(const struct sim_node *n, uint32_t in_slot, uint32_t out_slot, uint32_t bytes)
{
    const struct weir_buffer_slot *slots = n->buffer.slots;

    return weir_node_is_calm(&n->weir, in_slot, slots[in_slot].in_bytes + bytes) &&
           !(n->tells_queued &&
             weir_node_hears_output(&n->weir, out_slot, slots[out_slot].out_bytes + bytes));
}

/* Handles the arrival of a packet that no engine receives; 'is_timed' is a compile-time
 * constant. */
static inline __attribute__((always_inline)) void
arrive_unnotified(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m,
                  uint32_t in_slot, uint32_t out_port, uint32_t out_slot, bool is_timed)
{
    const struct weir_buffer_slot *slots = n->buffer.slots;
    struct sim_past *past = n->past;

    note_peak(&past[in_slot].in_peak_bytes, slots[in_slot].in_bytes + m->packet.bytes);
    if (can_pass(n, m, in_slot, out_port, out_slot)) {
        note_peak(&past[out_slot].out_peak_bytes, m->packet.bytes); /* The packet is alone at its
                                                                     * output. */
        pass_on(t, n, m, out_port, out_slot);
        if (is_timed) {
            sim_sojourn_passed(n, &m->packet, out_slot, m->at);
        }
        return;
    }
    note_peak(&past[out_slot].out_peak_bytes, slots[out_slot].out_bytes + m->packet.bytes);
    weir_buffer_count_in(&n->buffer, in_slot, out_slot, m->packet.bytes);
    uint32_t index = take_place(n, m, out_port);
    if (is_timed) {
        sim_sojourn_queued(n, index, in_slot, out_slot, m->at);
    }
    fifo_push(n, out_slot, index);
    sim_port_offer(t, n, out_port, m->packet.cls, m->at);
}

/* Handles an arrival at nodes with other queues, or that record waits. */
static __attribute__((noinline)) void
arrive_with_care(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m,
                 uint32_t in_slot, uint32_t out_port, uint32_t out_slot)
{
    if (n->is_timed && is_calm(n, in_slot, out_slot, m->packet.bytes)) {
        arrive_unnotified(t, n, m, in_slot, out_port, out_slot, true);
    } else {
        arrive_at_any(t, n, m, in_slot, out_port, out_slot);
    }
}

/* Hot: once per packet-hop. */
static void
oq_arrive(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    if (m->packet.n_hops >= n->hop_limit && n->drops_late) {
        sim_drop_expired(t, n, m);
        return;
    }
    uint32_t out_port = output_of(t, n, m), cls = m->packet.cls;
    if (out_port == SIM_NONE) {
        sim_drop_unroutable(t, n, m);
        return;
    }
    uint32_t in_slot = m->port * n->n_classes + cls, out_slot = out_port * n->n_classes + cls;
    if (!n->is_bare) {
        arrive_with_care(t, n, m, in_slot, out_port, out_slot);
    } else if (is_calm(n, in_slot, out_slot, m->packet.bytes)) {
        arrive_unnotified(t, n, m, in_slot, out_port, out_slot, false);
    } else {
        arrive_notified(t, n, m, in_slot, out_port, out_slot);
    }
}

/* Posts the time at which an input that offers one packet at a time can offer the next one: it has
 * sent its packet when the wire is free. */
static void
free_input_at(struct sim_thread *t, struct sim_node *n, uint32_t in_slot, weir_ps at)
{
    if (n->arbitration->free_input) {
        sim_node_expect(t, n, OQ_INPUT - SIM_OWN, in_slot / n->n_classes, in_slot, at);
    }
}

static void
oq_event(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    uint32_t out_slot = n->arbitration->free_input(n, m->key);

    if (out_slot != SIM_NONE) {
        sim_port_offer(t, n, out_slot / n->n_classes, out_slot % n->n_classes, m->at);
    }
}

/* Calls engines when a packet departs. */
static __attribute__((noinline)) void
notify_departed(struct sim_node *n, uint32_t index, weir_ps now)
{
    struct weir_pkt pkt = output_pkt(&n->pool[index]);

    units_depart(n, index, &pkt);
    weir_node_departed(&n->weir, now, &pkt);
    output_mark(n, &n->pool[index], &pkt, pkt.out_port);
}

/* Whether an engine requests a departure. If no engine uses outputs, their trip wires need no
 * check. */
static inline bool
hears_departed(const struct sim_node *n, uint32_t in_slot, uint32_t out_slot)
{
    const struct weir_buffer_slot *slots = n->buffer.slots;

    return weir_node_hears_left(&n->weir, in_slot, slots[in_slot].in_bytes) ||
           (n->tells_queued &&
            weir_node_hears_output(&n->weir, out_slot, slots[out_slot].out_bytes));
}

/* Removes a packet from the buffer, and returns the input slot on which it arrived. */
static inline uint32_t
release(struct sim_node *n, uint32_t slot, uint32_t index, bool is_bare, weir_ps now)
{
    const struct sim_held *held = &n->pool[index];
    uint32_t in_slot = held->in_port * n->n_classes + held->packet.cls;

    weir_buffer_release(&n->buffer, in_slot, slot, held->packet.bytes);
    if (!is_bare || hears_departed(n, in_slot, slot)) {
        notify_departed(n, index, now);
    }
    return in_slot;
}

/* Removes the first packet of a queue from the queue and the buffer, as if it had been sent in no
 * time, but without using the gate and the wire.  The caller must still obey the engines. */
static struct sim_held
pull(struct sim_thread *t, struct sim_node *n, uint32_t slot, weir_ps now)
{
    uint32_t index = output_first(n, slot, false);

    output_pop(n, slot / n->n_classes, slot % n->n_classes, false);
    sim_sojourn_end(n, index, now);
    uint32_t in_slot = release(n, slot, index, false, now);
    struct sim_held held = n->pool[index];
    sim_held_free(n, index);
    free_input_at(t, n, in_slot, now);
    return held;
}

static void
oq_discard(struct sim_thread *t, struct sim_node *n, uint32_t slot, sim_drop *drop, weir_ps now)
{
    struct sim_held held = pull(t, n, slot, now);

    drop(t, n, slot / n->n_classes, &held.packet, now);
    sim_node_obey(t, n, now);
}

/* These functions handle new routes. */

static void
oq_strand(struct sim_thread *t, struct sim_node *n, uint32_t slot, weir_ps now)
{
    struct sim_held held = pull(t, n, slot, now);

    sim_drop_stranded(t, n, held.in_port, &held.packet, now);
    sim_node_obey(t, n, now);
}

/* Adds a packet to the queue of another output.  If its input offers the packet, the input now
 * offers it to that output. */
static void
join(struct sim_thread *t, struct sim_node *n, uint32_t index, weir_ps now)
{
    uint32_t port = n->pool[index].out_port, cls = n->pool[index].packet.cls;

    if (n->arbitration->move) {
        n->arbitration->move(n, port * n->n_classes + cls, index);
        sim_port_offer(t, n, port, cls, now);
    } else {
        output_add(t, n, index, now);
    }
}

/* Moves a packet to another output.  It stays in the same memory, so there is always room. */
static void
move_to(struct sim_thread *t, struct sim_node *n, uint32_t index, uint32_t to, weir_ps now)
{
    struct sim_held *held = &n->pool[index];
    uint32_t from = held->out_port, cls = held->packet.cls, to_slot = to * n->n_classes + cls;

    output_pop(n, from, cls, false);
    sim_sojourn_redirect(n, index, to, now);
    weir_buffer_move(&n->buffer, from * n->n_classes + cls, to_slot, held->packet.bytes);
    held->out_port = (uint16_t)to;
    struct weir_pkt pkt = output_pkt(held);
    units_move(n, index, &pkt);
    note_peak(&n->past[to_slot].out_peak_bytes, n->buffer.slots[to_slot].out_bytes);
    weir_node_moved(&n->weir, now, &pkt, (uint16_t)from);
    output_mark(n, held, &pkt, to);
    sim_node_obey(t, n, now);
    join(t, n, index, now);
}

/* The new port of a packet. Its hop count was raised when it joined its queue, so it is lowered for
 * the new choice. */
static uint32_t
new_port(const struct sim_thread *t, struct sim_node *n, uint32_t index)
{
    struct sim_packet packet = n->pool[index].packet;

    output_uncount_hop(&packet);
    return sim_new_port(t, n, &packet);
}

static void
oq_reforward(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps now)
{
    for (uint32_t slot = port * n->n_classes; slot < (port + 1) * n->n_classes; slot++) {
        while (output_has(n, port, slot % n->n_classes)) {
            uint32_t index = output_first(n, slot, false), to = new_port(t, n, index);
            if (to == SIM_NONE) {
                oq_strand(t, n, slot, now);
            } else {
                move_to(t, n, index, to, now);
            }
        }
    }
}

/* Sends the first packet of a queue; 'is_bare' and 'is_timed' are compile-time constants. */
static inline __attribute__((always_inline)) weir_ps
send_first(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t cls, bool is_bare,
           bool is_timed, weir_ps now)
{
    uint32_t slot = port * n->n_classes + cls, index = output_first(n, slot, is_bare);
    weir_ps at = output_ready(n, slot, index, now);

    if (at > now) {
        return at;
    }
    output_pop(n, port, cls, is_bare);
    weir_gate_sent(&n->weir.ctx.gates[slot], now, n->pool[index].packet.bytes);
    if (is_timed) {
        sim_sojourn_left(n, index, slot, now);
        if (fifo_of(n, slot)->head != SIM_NONE) {
            sim_sojourn_fetch_next(n, fifo_of(n, slot)->head);
        }
    } else if (!is_bare) {
        sim_sojourn_end(n, index, now);
    }
    uint32_t in_slot = release(n, slot, index, is_bare, now);
    sim_port_send_held(t, n, port, index, now);
    sim_held_free(n, index);
    if (!is_bare) {
        free_input_at(t, n, in_slot, n->ports[port].busy_ps);
    }
    sim_node_obey(t, n, now);
    return now;
}

static __attribute__((noinline)) weir_ps
send_first_of_any(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t cls,
                  weir_ps now)
{
    return send_first(t, n, port, cls, false, false, now);
}

static __attribute__((noinline)) weir_ps
send_first_timed(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t cls, weir_ps now)
{
    return send_first(t, n, port, cls, true, true, now);
}

/* Hot: once per packet-hop, if packets wait. */
static weir_ps
oq_send(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t cls, weir_ps now)
{
    if (n->is_bare) {
        return send_first(t, n, port, cls, true, false, now);
    }
    return n->is_timed ? send_first_timed(t, n, port, cls, now)
                       : send_first_of_any(t, n, port, cls, now);
}

static void
oq_each_held(const struct sim_node *n, sim_visit_held *visit, void *arg)
{
    bool *is_behind = n->arbitration->mark_behind ? array_new(n->n_pool, sizeof *is_behind) : NULL;
    bool goes_on = true;

    if (is_behind) {
        n->arbitration->mark_behind(n, is_behind);
    }
    for (uint32_t i = 0; i < n->n_pool && goes_on; i++) {
        const struct sim_held *held = &n->pool[i];
        uint32_t cls = held->packet.cls;
        if (held->packet.bytes) {
            goes_on =
                visit(arg, &(struct sim_waiting){ .packet = &held->packet,
                                                  .in_slot = held->in_port * n->n_classes + cls,
                                                  .out_slot = held->out_port * n->n_classes + cls,
                                                  .is_behind = is_behind && is_behind[i] });
        }
    }
    free(is_behind);
}

const struct sim_kind sim_oq = {
    .about = { .name = "oq", .title = "Shared memory, with a queue at each output" },
    .is_watched = true,
    .prepare = output_prepare,
    .fetch_ports = output_fetch_ports,
    .fetch_heads = output_fetch_heads,
    .shape = oq_shape,
    .arrive = oq_arrive,
    .arrive_unclassed = sim_drop_unclassed,
    .send = oq_send,
    .event = oq_event,
    .discard = oq_discard,
    .reforward = oq_reforward,
    .each_held = oq_each_held,
    .holds = outputs_hold,
};

/* Sends the packets of a NIC.  Flows of a class are served round robin, if the gates of the flow
 * and of the class are open; acknowledgements go first. */

#include <assert.h>

#include "sim/nodes/nic/nic.h"
#include "sim/observers.h"

void
nic_put_in_ring(struct sim_thread *t, struct sim_node *n, uint32_t flow)
{
    const struct nic_out out = nic_out_of(t, n, flow);

    nic_ring_enter(&nic_queue_at(n, out.slot)->ring, t->sim->flows.senders,
                   sim_sender_slot(t->sim, flow));
    sim_port_fill(n, out.port, out.cls);
}

static void
take_port(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    uint32_t before = sim_out_port(t->sim, flow);

    sim_set_out_port(t->sim, flow);
    if (n->sojourns && sim_out_port(t->sim, flow) != before) {
        sim_sojourn_of_flow_moved(t, n, flow, before, now);
    }
}

void
nic_enter_ring(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    if (!nic_sender(t, flow)->in_ring) {
        if (n->n_ports > 1) {
            take_port(t, n, flow, now);
        }
        if (n->sojourns) {
            sim_sojourn_of_flow_begun(t, n, flow, now);
        }
        nic_put_in_ring(t, n, flow);
    }
}

void
nic_leave_ring(struct sim_thread *t, struct sim_node *n, uint32_t flow)
{
    const struct nic_out out = nic_out_of(t, n, flow);
    struct nic_queue *c = nic_queue_at(n, out.slot);

    nic_ring_leave(&c->ring, t->sim->flows.senders, sim_sender_slot(t->sim, flow));
    if (c->ring.last == SIM_NONE && c->acks.head == SIM_NONE) {
        sim_port_idle(n, out.port, out.cls);
    }
}

void
nic_start_followers(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    const struct model_flow *flows = t->sim->model.flows;

    if (!t->sim->flows.first_after) {
        return;
    }
    for (uint32_t i = t->sim->flows.first_after[flow]; i != SIM_NONE;
         i = t->sim->flows.next_after[i]) {
        weir_ps at = now + flows[i].start_ps;
        if (flows[i].from == n->id && at < t->sim->flows.starts_until_ps) {
            nic_expect(t, n, NIC_FLOW, i, at);
        }
    }
}

void
nic_start_flow(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    if (nic_sender(t, flow)->has_gate) {
        sim_gate_take(t->sim, flow, nic_rate_bps(t->sim, flow, WEIR_UNLIMITED), now);
    }
    *sim_started_ps(t->sim, flow) = now;
    if (nic_sender(t, flow)->is_controlled) {
        nic_start_control(t, n, flow, now);
    }
    nic_put_gate_off(t, n, flow, now);
    nic_enter_ring(t, n, flow, now);
    nic_kick(t, n, flow, now);
}

/* Stops a flow: it ends with the packets sent so far; lost packets are still retransmitted. */
void
nic_stop_flow(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    struct sim_sender *f = nic_sender(t, flow);
    uint32_t n_sent = sim_flow_n_first(t->sim, flow);

    if (n_sent == f->progress.n_packets) {
        return;
    }
    f->progress.n_packets = n_sent;
    f->progress.last_bytes = n->shape.mtu_bytes;
    if (f->in_ring && nic_next_packet(t, flow) == RC_NONE) {
        nic_leave_ring(t, n, flow);
    }
    if (nic_is_done(f)) {
        nic_start_followers(t, n, flow, now);
        nic_end_work(t, flow, now);
    }
}

/* The size of a packet; for a connection, of a packet of the current message. */
static inline uint32_t
packet_bytes(const struct sim_sender *f, uint32_t sequence, uint32_t mtu)
{
    return sequence + 1 == f->progress.n_packets ? f->progress.last_bytes : mtu;
}

static inline struct sim_packet
packet_of(const struct sim_sender *f, uint32_t flow, uint32_t sequence, uint32_t bytes,
          uint32_t cls)
{
    return (struct sim_packet){ .flow = flow,
                                .sequence = sequence,
                                .dst = f->dst,
                                .bytes = (uint16_t)bytes,
                                .cls = (uint8_t)cls,
                                .ecn = WEIR_ECT };
}

/* Updates the gate of a flow for a packet.  Its rate counts from the time when the packet was due,
 * so a flow catches up after a wait for packets of other flows.  But it catches up by only one
 * packet, so there is no burst after a long pause. */
static void
pass_gate(struct weir_gate *g, weir_ps now, uint32_t bytes)
{
    weir_gate_sent(g, g->next_ps, bytes);
    g->next_ps = g->next_ps > now ? g->next_ps : now;
}

/* Called when the next flow of the round-robin list was served; it leaves the list if it has
 * nothing more to send. */
static inline void
advance(struct sim_thread *t, struct sim_node *n, uint32_t slot, uint32_t flow, bool has_more)
{
    if (has_more) {
        nic_ring_served(&nic_queue_at(n, slot)->ring, t->sim->flows.senders,
                        sim_sender_slot(t->sim, flow));
    } else {
        nic_leave_ring(t, n, flow);
    }
}

/* Called when the last packet of a message was just sent and its connection has left the
 * round-robin list.  If it has more messages, it enters again, as if it had stayed: it is the flow
 * that was served last. */
static void
go_on_with_messages(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t flow,
                    weir_ps now)
{
    if (!nic_next_message(t, n, port, flow, now) || nic_sender(t, flow)->in_ring) {
        return;
    }
    nic_enter_ring(t, n, flow, now);
    nic_ring_served(&nic_queue_at(n, nic_out_of(t, n, flow).slot)->ring, t->sim->flows.senders,
                    sim_sender_slot(t->sim, flow));
}

static void
count_sent(struct sim_thread *t, uint32_t flow, const struct sim_packet *packet, weir_ps now)
{
    struct sim_sender *f = nic_sender(t, flow);

    if (f->progress.n_acked == f->progress.sequence) { /* The wait for an acknowledgement begins. */
        f->heard_ps = now;
    }
    if (f->progress.own) {
        nic_recovery(t, flow)->sent(&f->progress, packet->sequence);
    } else {
        f->progress.sequence++;
    }
    f->sent_bytes += packet->bytes;
}

static void
start_packet(struct sim_thread *t, struct sim_node *n, struct nic_out out,
             struct sim_packet *packet, weir_ps now)
{
    uint32_t flow = packet->flow;
    struct sim_sender *f = nic_sender(t, flow);

    if (n->sojourns) {
        sim_sojourn_of_flow_ended(t, n, out.port, packet, now);
    }
    if (!f->is_at_work) {
        nic_take_gate(t, n, flow);
        sim_sender_take_memory(t->sim, flow);
    }
    if (f->is_controlled && sim_pacer(t->sim, flow)->track) {
        packet->kind = nic_track_sent(t, flow, packet->sequence, now) & 0x3fu;
    }
    count_sent(t, flow, packet, now);
    if (f->has_gate) {
        pass_gate(f->gate, now, packet->bytes);
        nic_ring_gate_changed(&nic_queue_at(n, out.slot)->ring, t->sim->flows.senders,
                              sim_sender_slot(t->sim, flow));
    }
    advance(t, n, out.slot, flow, nic_next_packet(t, flow) != RC_NONE);
    sim_port_send(t, n, out.port, packet, now);
}

/* Called after a packet was sent: the flow waits for an acknowledgement or has finished, and
 * control and engines may need the event. */
static void
follow_up(struct sim_thread *t, struct sim_node *n, uint32_t port, const struct sim_packet *packet,
          weir_ps now)
{
    const struct sim_sender *f = nic_sender(t, packet->flow);

    if (f->is_connection) {
        go_on_with_messages(t, n, port, packet->flow, now);
    }
    if (f->is_reliable && !f->awaits_retry) {
        nic_expect_answer(t, n, packet->flow, now + nic_timeout_ps(t, packet->flow));
    }
    if (f->is_controlled) {
        nic_notify_sent(t, n, packet->flow, packet->bytes, now);
    }
    if (((struct nic *)n->own)->tells_sent) {
        nic_notify_engines(t, n, port, packet, now);
    }
    if (!f->is_reliable && nic_is_done(f)) {
        nic_start_followers(t, n, packet->flow, now);
        nic_end_work(t, packet->flow, now);
    }
}

/* The size of the next packet of a flow, which may be a retransmitted packet of an earlier
 * message. */
static uint32_t
next_bytes(const struct sim_thread *t, uint32_t flow, uint32_t sequence, uint32_t mtu)
{
    const struct sim_sender *f = nic_sender(t, flow);

    return f->is_connection && sequence != f->progress.sequence
               ? nic_message_packet_bytes(t, flow, sequence)
               : packet_bytes(f, sequence, mtu);
}

static weir_ps
send_data(struct sim_thread *t, struct sim_node *n, struct nic_out out, uint32_t flow, weir_ps now)
{
    const struct sim_sender *f = nic_sender(t, flow);
    uint32_t sequence = nic_next_packet(t, flow);
    uint32_t bytes = next_bytes(t, flow, sequence, nic_queue_at(n, out.slot)->ring.mtu_bytes);
    struct weir_gate *gate = &n->weir.ctx.gates[out.slot];
    weir_ps at = weir_gate_ready(gate, now, bytes);

    if (at > now) {
        return at;
    }
    struct sim_packet packet = packet_of(f, flow, sequence, bytes, out.cls);
    weir_gate_sent(gate, now, bytes);
    start_packet(t, n, out, &packet, now);
    follow_up(t, n, out.port, &packet, now);
    return now;
}

/* Sends the next packet of a plain flow, which needs far fewer checks.  Hot: once per packet. */
static weir_ps
send_plain(struct sim_thread *t, struct sim_node *n, struct nic_out out, uint32_t flow, weir_ps now)
{
    struct sim_sender *f = nic_sender(t, flow);
    uint32_t sequence = f->progress.sequence;
    uint32_t bytes = packet_bytes(f, sequence, nic_queue_at(n, out.slot)->ring.mtu_bytes);
    struct weir_gate *gate = &n->weir.ctx.gates[out.slot];
    weir_ps at = weir_gate_ready(gate, now, bytes);

    if (at > now) {
        return at;
    }
    struct sim_packet packet = packet_of(f, flow, sequence, bytes, out.cls);
    weir_gate_sent(gate, now, bytes);
    if (((struct nic *)n->own)->times_waits) {
        sim_sojourn_of_flow_ended(t, n, out.port, &packet, now);
    }
    if (f->progress.n_acked == sequence) {
        f->heard_ps = now;
    }
    f->progress.sequence = sequence + 1;
    f->sent_bytes += bytes;
    bool has_more = sequence + 1 < f->progress.n_packets;
    advance(t, n, out.slot, flow, has_more);
    sim_port_send(t, n, out.port, &packet, now);
    if (!has_more || (f->is_reliable && !f->awaits_retry)) {
        follow_up(t, n, out.port, &packet, now);
    }
    return now;
}

static weir_ps
send_ack(struct sim_thread *t, struct sim_node *n, struct nic_out out, weir_ps now)
{
    struct nic_queue *c = nic_queue_at(n, out.slot);
    const struct sim_packet *ack = &n->pool[c->acks.head].packet;
    struct weir_gate *gate = &n->weir.ctx.gates[out.slot];
    weir_ps at = weir_gate_ready(gate, now, ack->bytes);

    if (at > now) {
        return at;
    }
    uint32_t index = sim_take(n, &c->acks);
    if (c->acks.head == SIM_NONE && c->ring.last == SIM_NONE) {
        sim_port_idle(n, out.port, out.cls);
    }
    t->ack_sent_bytes += ack->bytes;
    weir_gate_sent(gate, now, ack->bytes);
    if (n->sojourns) {
        sim_sojourns_gate_changed(n, out.slot, now);
    }
    sim_port_send(t, n, out.port, ack, now);
    sim_held_free(n, index);
    return now;
}

static __attribute__((noinline)) weir_ps
send_next_open(struct sim_thread *t, struct sim_node *n, struct nic_out out, weir_ps now)
{
    weir_ps soonest = WEIR_NEVER;
    uint32_t sender =
        nic_ring_next(&nic_queue_at(n, out.slot)->ring, t->sim->flows.senders, now, &soonest);

    return sender == SIM_NONE ? soonest
                              : send_data(t, n, out, sim_flow_of_sender(t->sim, sender), now);
}

/* Sends the next packet of a class. A flow without a gate sends in its turn, in short and long
 * lists. */
weir_ps
nic_send(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t cls, weir_ps now)
{
    const struct nic_out out = nic_out_at(n, port, cls);
    const struct nic_queue *c = nic_queue_at(n, out.slot);

    if (c->acks.head != SIM_NONE) {
        return send_ack(t, n, out, now);
    }
    uint32_t sender = c->ring.next;
    assert(sender == t->sim->flows.senders[c->ring.last].next);
    return t->sim->flows.senders[sender].is_plain
               ? send_plain(t, n, out, sim_flow_of_sender(t->sim, sender), now)
               : send_next_open(t, n, out, now);
}

/* A NIC: flows of a class stand in a ring and take turns, each as far as its own gate and that of
 * its class allow; acknowledgements go before them.  What arrives is drained at once, unless it
 * stalls (stall.c).
 *
 * Reliable flows go back N: the receiver takes packets in order only.  It says how many it has
 * (ACK) every few packets and at the last, and once which one it misses (NACK) when a later one
 * comes; the sender then goes back to that one.  It also goes back to the first that is not
 * acknowledged when it has heard nothing new for a while.
 *
 * A transport with a mind of its own sets the rate and the window of its flow's gate.
 *
 * The sender's side of a flow belongs to the NIC that sends, the sink to the one that receives. */

#include <stdlib.h>
#include <string.h>

#include "sim/internal.h"
#include "sim/nodes/nic/nic.h"

static struct nic_class *
class_of(struct sim_node *n, uint32_t cls)
{
    return &((struct nic *)n->own)->classes[cls];
}

static struct sim_sender *
flow_at(struct sim_thread *t, uint32_t flow)
{
    return &t->sim->senders[flow];
}

/* All of it is sent, and acknowledged if that is asked for. */
static bool
is_through(const struct sim_sender *f)
{
    return (f->is_reliable ? f->n_acked : f->sequence) == f->n_packets;
}

/* The ring. */

static void
enter_ring(struct sim_thread *t, struct sim_node *n, uint32_t flow)
{
    struct nic_class *c = class_of(n, t->sim->plant.flows[flow].cls);
    struct sim_sender *f = flow_at(t, flow);

    if (f->in_ring) {
        return;
    }
    if (c->last == SIM_NONE) {
        f->next = flow;
    } else {
        f->next = flow_at(t, c->last)->next;
        flow_at(t, c->last)->next = flow;
    }
    c->last = flow;
    f->in_ring = true;
    n->ports[0].active |= (uint8_t)(1u << t->sim->plant.flows[flow].cls);
}

/* The next flow of the ring whose gate allows a packet, with 'last' before it; else when the first
 * may. */
static uint32_t
next_flow(struct sim_thread *t, uint32_t *last, uint32_t mtu, weir_ps now, weir_ps *soonest)
{
    uint32_t before = *last;
    do {
        uint32_t flow = flow_at(t, before)->next;
        const struct sim_sender *f = flow_at(t, flow);
        weir_ps at = f->has_gate ? weir_gate_ready(&f->gate, now, mtu) : now;
        if (at <= now) {
            *last = before;
            return flow;
        }
        *soonest = at < *soonest ? at : *soonest;
        before = flow;
    } while (before != *last);
    return SIM_NONE;
}

/* 'before' stands before it in the ring. */
static void
leave_ring(struct sim_thread *t, struct sim_node *n, uint32_t before, uint32_t flow)
{
    uint8_t cls = t->sim->plant.flows[flow].cls;
    struct nic_class *c = class_of(n, cls);

    flow_at(t, flow)->in_ring = false;
    if (before != flow) {
        flow_at(t, before)->next = flow_at(t, flow)->next;
        c->last = before;
        return;
    }
    c->last = SIM_NONE;
    if (c->acks.head == SIM_NONE) {
        sim_port_idle(n, 0, cls);
    }
}

/* 'last' stands before the flow that has sent: it moves on, or the flow leaves the ring. */
static void
advance(struct sim_thread *t, struct sim_node *n, uint32_t cls, uint32_t flow)
{
    struct nic_class *c = class_of(n, cls);
    const struct sim_sender *f = flow_at(t, flow);

    if (f->sequence < f->n_packets) {
        c->last = flow;
    } else {
        leave_ring(t, n, c->last, flow);
    }
}

/* Flows that wait for others. */

/* 'flow' is through, as its sender or its receiver sees it: those that wait for it here start. */
static void
start_next(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    const struct sim_flow *flows = t->sim->plant.flows;

    if (!t->sim->first_after) {
        return;
    }
    for (uint32_t i = t->sim->first_after[flow]; i != SIM_NONE; i = t->sim->next_after[i]) {
        if (flows[i].from == n->id) {
            sim_post(
                t, &(struct sim_mail){
                       .at = now + flows[i].start_ps, .node = n->id, .event = NIC_FLOW, .key = i });
        }
    }
}

/* Transports. */

/* What may still be sent: the window less what is on its way. */
static void
set_window(struct sim_sender *f, uint64_t window_bytes, uint32_t mtu)
{
    uint64_t on_its_way = (uint64_t)(f->sequence - f->n_acked) * mtu;
    uint64_t left = window_bytes > on_its_way ? window_bytes - on_its_way : 0;

    f->gate.limit_bytes =
        window_bytes == WEIR_UNLIMITED ? WEIR_UNLIMITED : f->gate.sent_bytes + left;
}

static void
follow(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    struct sim_sender *f = flow_at(t, flow);
    struct sim_pacer *p = &t->sim->pacers[flow];
    uint64_t own_bps = t->sim->plant.flows[flow].rate_bps;
    uint64_t rate_bps = p->limits.rate_bps < own_bps ? p->limits.rate_bps : own_bps;

    if (rate_bps != f->gate.rate_bps) {
        weir_gate_set_rate(&f->gate, rate_bps);
    }
    set_window(f, p->limits.window_bytes, n->shape.mtu_bytes);
    if (p->limits.timer_ps < p->mailed_ps) {
        p->mailed_ps = p->limits.timer_ps;
        sim_post(t, &(struct sim_mail){
                        .at = p->mailed_ps, .node = n->id, .event = NIC_PACE, .key = flow });
    }
    if (f->in_ring) {
        sim_port_kick(t, n, 0, now);
    }
}

static void
pace(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    struct sim_pacer *p = &t->sim->pacers[flow];

    if (p->mailed_ps == now) {
        p->mailed_ps = WEIR_NEVER;
    }
    if (p->limits.timer_ps <= now && !is_through(flow_at(t, flow))) {
        p->limits.timer_ps = WEIR_NEVER;
        t->sim->plant.flows[flow].transport->timer(p->state, now, &p->limits);
    }
    if (!is_through(flow_at(t, flow))) {
        follow(t, n, flow, now);
    }
}

static void
start_transport(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    const struct sim_flow *f = &t->sim->plant.flows[flow];
    struct sim_pacer *p = &t->sim->pacers[flow];
    struct tp_env env = { .line_bps = n->shape.ports[0].rate_bps,
                          .mtu_bytes = n->shape.mtu_bytes,
                          .rtt_ps = sim_flow_rtt_ps(t->sim, flow) };

    p->mailed_ps = WEIR_NEVER;
    f->transport->start(p->state, &env, f->transport_params, &p->limits);
    follow(t, n, flow, now);
}

/* Sending. */

static void
expect_answer(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps at)
{
    flow_at(t, flow)->retry_ps = at;
    sim_post(t, &(struct sim_mail){ .at = at, .node = n->id, .event = NIC_RETRY, .key = flow });
}

static uint32_t
packet_bytes(const struct sim_sender *f, uint32_t mtu)
{
    return f->sequence + 1 == f->n_packets ? f->last_bytes : mtu;
}

/* A pace counts from when a packet was due, so that a wait for other flows' packets is made up for;
 * but no more than to send the next one at once: what a long pause kept back does not come in a
 * burst. */
static void
pass_gate(struct weir_gate *g, weir_ps now, uint32_t bytes)
{
    weir_gate_sent(g, g->next_ps, bytes);
    g->next_ps = g->next_ps > now ? g->next_ps : now;
}

static void
tell_sent(struct sim_thread *t, struct sim_node *n, uint32_t flow, uint32_t bytes, weir_ps now)
{
    const struct transport *transport = t->sim->plant.flows[flow].transport;

    if (transport->sent) {
        transport->sent(t->sim->pacers[flow].state, now, bytes, &t->sim->pacers[flow].limits);
        follow(t, n, flow, now);
    }
}

static void
send_data(struct sim_thread *t, struct sim_node *n, uint32_t cls, uint32_t flow, weir_ps now)
{
    struct sim_sender *f = flow_at(t, flow);
    struct sim_packet packet = { .flow = flow,
                                 .bytes = (uint16_t)packet_bytes(f, n->shape.mtu_bytes),
                                 .sequence = f->sequence,
                                 .dst = f->dst & SIM_MAX_DST,
                                 .cls = (uint8_t)cls,
                                 .ecn = WEIR_ECT };

    if (f->n_acked == f->sequence) { /* The wait for an answer begins. */
        f->heard_ps = now;
    }
    f->sequence++;
    f->sent_bytes += packet.bytes;
    if (f->has_gate) {
        pass_gate(&f->gate, now, packet.bytes);
    }
    weir_gate_sent(&n->weir.ctx.gates[cls], now, packet.bytes);
    advance(t, n, cls, flow);
    sim_port_send(t, n, 0, &packet, now);
    if (f->is_reliable && f->retry_ps == WEIR_NEVER) {
        expect_answer(t, n, flow, now + t->sim->plant.retry_ps);
    }
    if (f->has_mind) {
        tell_sent(t, n, flow, packet.bytes, now);
    }
    if (f->sequence == f->n_packets && !f->is_reliable) {
        start_next(t, n, flow, now);
    }
}

static void
send_ack(struct sim_thread *t, struct sim_node *n, uint32_t cls, weir_ps now)
{
    struct nic_class *c = class_of(n, cls);
    uint32_t index = sim_take(n, &c->acks);

    if (c->acks.head == SIM_NONE && c->last == SIM_NONE) {
        sim_port_idle(n, 0, cls);
    }
    const struct sim_packet *ack = &n->pool[index].packet;
    t->ack_sent_bytes += ack->bytes;
    weir_gate_sent(&n->weir.ctx.gates[cls], now, ack->bytes);
    sim_port_send(t, n, 0, ack, now);
    sim_held_free(n, index);
}

static weir_ps
nic_send(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t cls, weir_ps now)
{
    struct nic_class *c = class_of(n, cls);
    bool is_ack = c->acks.head != SIM_NONE;
    weir_ps soonest = WEIR_NEVER;
    uint32_t flow = SIM_NONE, bytes = WEIR_CONTROL_BYTES;

    (void)port;
    if (!is_ack) {
        flow = next_flow(t, &c->last, n->shape.mtu_bytes, now, &soonest);
        if (flow == SIM_NONE) {
            return soonest;
        }
        bytes = packet_bytes(flow_at(t, flow), n->shape.mtu_bytes);
    }
    weir_ps at = weir_gate_ready(&n->weir.ctx.gates[cls], now, bytes);
    if (at > now) {
        return at;
    }
    if (is_ack) {
        send_ack(t, n, cls, now);
    } else {
        send_data(t, n, cls, flow, now);
    }
    return now;
}

static void
start_flow(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    flow_at(t, flow)->gate.next_ps = now;
    t->sim->started_ps[flow] = now;
    if (flow_at(t, flow)->has_mind) {
        start_transport(t, n, flow, now);
    }
    enter_ring(t, n, flow);
    sim_port_kick(t, n, 0, now);
}

/* Going back. */

static void
go_back(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    struct sim_sender *f = flow_at(t, flow);

    f->sequence = f->n_acked;
    if (f->has_mind) {
        set_window(f, t->sim->pacers[flow].limits.window_bytes, n->shape.mtu_bytes);
    }
    if (sim_wants_note(t, SIM_NOTE_AGAIN)) {
        sim_note(t, n,
                 &(struct sim_note){ .at_ps = now,
                                     .flow = flow,
                                     .value = f->sequence,
                                     .kind = SIM_NOTE_AGAIN,
                                     .cls = t->sim->plant.flows[flow].cls });
    }
    enter_ring(t, n, flow);
    sim_port_kick(t, n, 0, now);
}

static void
retry(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    struct sim_sender *f = flow_at(t, flow);

    f->retry_ps = WEIR_NEVER;
    if (f->n_acked == f->sequence) {
        return;
    }
    if (now - f->heard_ps < t->sim->plant.retry_ps) {
        expect_answer(t, n, flow, f->heard_ps + t->sim->plant.retry_ps);
        return;
    }
    f->heard_ps = now;
    expect_answer(t, n, flow, now + t->sim->plant.retry_ps);
    go_back(t, n, flow, now);
}

/* It went back too far: the answer was late. */
static void
skip_acked(struct sim_thread *t, struct sim_node *n, uint32_t flow)
{
    struct sim_sender *f = flow_at(t, flow);
    uint32_t before = flow;

    f->sequence = f->n_acked;
    if (f->sequence == f->n_packets && f->in_ring) {
        while (flow_at(t, before)->next != flow) {
            before = flow_at(t, before)->next;
        }
        leave_ring(t, n, before, flow);
    }
}

/* How many bytes are new. */
static uint64_t
take_ack(struct sim_thread *t, struct sim_node *n, const struct sim_packet *p, weir_ps now)
{
    struct sim_sender *f = flow_at(t, p->flow);
    uint64_t n_new = p->sequence > f->n_acked ? p->sequence - f->n_acked : 0;
    bool is_last = p->sequence == f->n_packets;

    if (!n_new) {
        return 0;
    }
    f->n_acked = p->sequence;
    f->heard_ps = now;
    if (f->sequence < f->n_acked) {
        skip_acked(t, n, p->flow);
    }
    if (is_last) {
        start_next(t, n, p->flow, now);
    }
    return n_new * n->shape.mtu_bytes - (is_last ? n->shape.mtu_bytes - f->last_bytes : 0);
}

static void
hear(struct sim_thread *t, struct sim_node *n, const struct sim_packet *p, weir_ps now)
{
    const struct transport *transport = t->sim->plant.flows[p->flow].transport;
    struct sim_sender *f = flow_at(t, p->flow);
    enum sim_packet_kind kind = p->kind;
    struct tp_ack ack = { .now = now, .is_marked = kind == SIM_ACK_MARKED };

    t->ack_received_bytes += p->bytes;
    if (kind == SIM_CNP) {
        transport->notified(t->sim->pacers[p->flow].state, now, &t->sim->pacers[p->flow].limits);
    } else {
        ack.bytes = take_ack(t, n, p, now);
    }
    if (kind == SIM_NACK && p->sequence == f->n_acked && f->sequence > f->n_acked) {
        go_back(t, n, p->flow, now);
    }
    if (ack.bytes && f->has_mind && transport->acked) {
        transport->acked(t->sim->pacers[p->flow].state, &ack, &t->sim->pacers[p->flow].limits);
    }
    if (f->has_mind && !is_through(f)) {
        follow(t, n, p->flow, now);
    }
}

/* Receiving. */

static void
answer(struct sim_thread *t, struct sim_node *n, uint32_t flow, enum sim_packet_kind kind,
       weir_ps now)
{
    const struct sim_flow *f = &t->sim->plant.flows[flow];
    uint32_t index = sim_held_new(n);

    n->pool[index].packet =
        (struct sim_packet){ .flow = flow,
                             .sequence = t->sim->sinks[flow].expected,
                             .dst = t->sim->plant.topo->nodes[f->from].index & SIM_MAX_DST,
                             .bytes = WEIR_CONTROL_BYTES,
                             .cls = f->cls,
                             .ecn = WEIR_ECT,
                             .kind = kind & 0x3fu };
    sim_append(n, &class_of(n, f->cls)->acks, index);
    n->ports[0].active |= (uint8_t)(1u << f->cls);
    sim_port_kick(t, n, 0, now);
}

static void
acknowledge(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    struct sim_sink *s = &t->sim->sinks[flow];

    answer(t, n, flow, s->is_marked ? SIM_ACK_MARKED : SIM_ACK, now);
    s->n_unacked = 0;
    s->is_marked = false;
}

/* A marked packet: no more than one notification in a while. */
static void
take_mark(struct sim_thread *t, struct sim_node *n, const struct sim_packet *p, weir_ps now)
{
    const struct sim_flow *f = &t->sim->plant.flows[p->flow];
    struct sim_sink *s = &t->sim->sinks[p->flow];

    s->is_marked = true;
    if (f->transport->is_notified) {
        const struct weir_field *notify = weir_field_find(f->transport->about.params, "notify");
        weir_ps least = (weir_ps)weir_field_get(notify, f->transport_params);
        if (s->notified_ps < 0 || now - s->notified_ps >= least) {
            s->notified_ps = now;
            answer(t, n, p->flow, SIM_CNP, now);
        }
    }
}

/* Whether a reliable flow takes the packet; and the answer to it. */
static bool
takes_in_order(struct sim_thread *t, struct sim_node *n, const struct sim_packet *p, weir_ps now)
{
    struct sim_sink *s = &t->sim->sinks[p->flow];

    if (p->sequence > s->expected) {
        if (!s->has_complained) {
            s->has_complained = true;
            answer(t, n, p->flow, SIM_NACK, now);
        }
        return false;
    }
    if (p->sequence < s->expected) {
        acknowledge(t, n, p->flow, now);
        return false;
    }
    s->expected++;
    s->has_complained = false;
    if (++s->n_unacked >= s->ack_every || s->expected == s->n_packets) {
        acknowledge(t, n, p->flow, now);
    }
    return true;
}

static void
receive(struct sim_thread *t, struct sim_node *n, const struct sim_packet *p, weir_ps now)
{
    struct sim_sink *s = &t->sim->sinks[p->flow];

    if (s->is_reliable && p->ecn == WEIR_CE) {
        take_mark(t, n, p, now);
    }
    if (!s->is_reliable) {
        t->n_bad_order += p->sequence < s->expected;
        s->expected = p->sequence + 1;
    } else if (!takes_in_order(t, n, p, now)) {
        s->discarded_bytes += p->bytes;
        return;
    }
    s->first_ps = s->n_received ? s->first_ps : now;
    s->last_ps = now;
    s->received_bytes += p->bytes;
    s->n_received++;
    if (s->n_received == s->n_packets) {
        start_next(t, n, p->flow, now);
    }
}

static void
nic_prepare(const struct sim_thread *t, const struct sim_node *n, struct sim_mail *mails,
            uint32_t n_mails)
{
    (void)n;
    for (const struct sim_mail *m = mails; m < mails + n_mails; m++) {
        if (m->event == SIM_PACKET) {
            __builtin_prefetch(&t->sim->sinks[m->packet.flow]);
        }
    }
}

void
nic_take(struct sim_thread *t, struct sim_node *n, const struct sim_packet *p, weir_ps now)
{
    if (p->kind == SIM_DATA) {
        receive(t, n, p, now);
    } else {
        hear(t, n, p, now);
    }
}

/* The NIC drains at once, but its engines see the packet come and go. */
static void
pass(struct sim_thread *t, struct sim_node *n, const struct sim_packet *p, weir_ps now)
{
    uint8_t cls = p->cls;
    struct weir_pkt pkt = { .bytes = p->bytes, .cls = cls, .ecn = p->ecn };

    weir_buffer_admit(&n->buffer, cls, cls, p->bytes);
    weir_node_arrived(&n->weir, now, &pkt);
    sim_node_obey(t, n, now);
    weir_buffer_release(&n->buffer, cls, cls, p->bytes);
    weir_node_departed(&n->weir, now, &pkt);
    sim_node_obey(t, n, now);
}

static void
nic_arrive(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    if (((struct nic *)n->own)->stalled >> m->packet.cls & 1) {
        nic_hold(t, n, m);
        return;
    }
    nic_take(t, n, &m->packet, m->at);
    pass(t, n, &m->packet, m->at);
}

/* Who has arrived needs no class. */
static void
nic_arrive_unclassed(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    nic_take(t, n, &m->packet, m->at);
}

static void
nic_event(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    switch ((enum nic_event)m->event) {
    case NIC_FLOW:
        start_flow(t, n, m->key, m->at);
        break;
    case NIC_RETRY:
        retry(t, n, m->key, m->at);
        break;
    case NIC_PACE:
        pace(t, n, m->key, m->at);
        break;
    case NIC_STALL:
        nic_stall(t, n, m->at);
        break;
    }
}

static void
nic_init(struct sim_thread *t, struct sim_node *n, const void *params)
{
    struct nic *nic = array_new(1, sizeof *nic);

    (void)t, (void)params;
    memset(nic->classes, 0xff, sizeof nic->classes); /* All SIM_NONE. */
    n->own = nic;
}

static void
nic_release(struct sim_node *n)
{
    free(n->own);
}

/* Flows that start by themselves, and stalls. */
static void
nic_begin(struct sim *sim)
{
    const struct plant *c = &sim->plant;

    for (uint32_t i = 0; i < c->n_flows; i++) {
        if (!c->flows[i].after) {
            sim_post(&sim->threads[sim->places[c->flows[i].from].thread],
                     &(struct sim_mail){ .at = c->flows[i].start_ps,
                                         .node = c->flows[i].from,
                                         .event = NIC_FLOW,
                                         .key = i });
        }
    }
    for (uint32_t i = 0; i < 2 * c->n_stalls; i++) {
        const struct sim_stall *s = &c->stalls[i / 2];
        sim_post(&sim->threads[sim->places[s->node].thread],
                 &(struct sim_mail){ .at = i % 2 ? s->until_ps : s->from_ps,
                                     .node = s->node,
                                     .event = NIC_STALL,
                                     .key = i });
    }
}

static void
nic_fetch_ports(const struct sim_node *n, uint64_t wakes)
{
    (void)wakes;
    __builtin_prefetch(&n->ports[0]);
    __builtin_prefetch(&n->weir.ctx.gates[0]);
    __builtin_prefetch(n->own);
}

/* What it has not drained; what else it has was not sent yet. */
static void
nic_each_held(const struct sim_node *n, sim_visit_held *visit, void *arg)
{
    const struct nic *nic = n->own;

    for (uint32_t cls = 0; cls < n->n_classes; cls++) {
        for (uint32_t i = nic->classes[cls].held.head; i != SIM_NONE; i = n->pool[i].next) {
            if (!visit(arg, &(struct sim_waiting){ .packet = &n->pool[i].packet,
                                                   .in_slot = cls,
                                                   .out_slot = SIM_NONE })) {
                return;
            }
        }
    }
}

const struct sim_kind sim_end_kind = {
    .about = { .name = "nic", .title = "Sends and receives flows, by a transport each" },
    .begin = nic_begin,
    .init = nic_init,
    .release = nic_release,
    .prepare = nic_prepare,
    .fetch_ports = nic_fetch_ports,
    .arrive = nic_arrive,
    .arrive_unclassed = nic_arrive_unclassed,
    .send = nic_send,
    .event = nic_event,
    .each_held = nic_each_held,
};

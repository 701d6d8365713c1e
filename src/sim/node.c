/* What a node does with an event.
 *
 *     packet -> route -> admit -> engines: arrived -> queue -> start -> engines: departed -> wire
 *
 * A port starts the next thing when its wire is free: control frames first, then the classes in
 * order, as far as their gates allow.  If all must wait, it wakes when the first of them may. */

#include "sim/internal.h"

static void start(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps now);

static weir_ps
wire_ps(const struct sim_node *n, uint32_t port, uint32_t bytes)
{
    uint32_t all = bytes + n->shape.gap_bytes, byte_ps = n->ports[port].byte_ps;
    return byte_ps ? (weir_ps)all * byte_ps : weir_wire_ps(all, n->weir_ports[port].rate_bps);
}

static void
wake_at(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps at)
{
    if (n->ports[port].wake_ps == at || at == WEIR_NEVER) {
        return;
    }
    n->ports[port].wake_ps = at;
    sim_post(
        t, &(struct sim_mail){ .at = at, .node = n->id, .port = (uint16_t)port, .event = SIM_TX });
}

static void
kick(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps now)
{
    const struct sim_port *p = &n->ports[port];
    if (p->busy_ps <= now) {
        start(t, n, port, now);
    } else if (p->wake_ps != p->busy_ps) {
        wake_at(t, n, port, p->busy_ps);
    }
}

/* What is sent by a port that is down is gone. */
static void
queue_frame(struct sim_thread *t, struct sim_port *p, const struct weir_frame *f)
{
    if (!p->up) {
        return;
    }
    uint32_t frame = sim_frame_new(t, f);
    if (p->frames_head == SIM_NONE) {
        p->frames_head = frame;
    } else {
        t->frames[p->frames_tail].next = frame;
    }
    p->frames_tail = frame;
}

/* Obeys the outbox.  Ports are kicked after it is read, as what they start may fill it again. */
void
sim_node_obey(struct sim_thread *t, struct sim_node *n, weir_ps now)
{
    struct weir_outbox *out = &t->outbox;
    uint32_t n_emits = out->n, kicks[2] = { SIM_NONE, SIM_NONE };
    bool many = false;

    if (!n_emits) {
        return;
    }
    for (uint32_t i = 0; i < n_emits; i++) {
        const struct weir_emit *e = &out->emits[i];
        if (e->kind == WEIR_TIMER) {
            n->timers[e->key] = e->at;
            if (e->at != WEIR_NEVER) {
                sim_post(t, &(struct sim_mail){
                                .at = e->at, .node = n->id, .event = SIM_TIMER, .a = e->key });
            }
            continue;
        }
        uint32_t port = e->kind == WEIR_FRAME ? e->key : e->key / n->n_classes;
        if (e->kind == WEIR_FRAME) {
            queue_frame(t, &n->ports[port], &e->frame);
        }
        if (kicks[0] == SIM_NONE || kicks[0] == port) {
            kicks[0] = port;
        } else if (kicks[1] == SIM_NONE || kicks[1] == port) {
            kicks[1] = port;
        } else {
            many = true;
        }
    }
    out->n = 0;
    for (uint32_t port = 0; many && port < n->n_ports; port++) {
        kick(t, n, port, now);
    }
    for (int i = 0; !many && i < 2 && kicks[i] != SIM_NONE; i++) {
        kick(t, n, kicks[i], now);
    }
}

/* Onto the wire. */

static bool
lost_on_wire(struct sim_node *n, uint32_t port)
{
    return n->ports[port].is_lossy && weir_random(&n->chance) % WEIR_RATIO_1 < n->losses[port];
}

static void
send_frame(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps now)
{
    struct sim_port *p = &n->ports[port];
    uint32_t frame = p->frames_head;

    p->frames_head = t->frames[frame].next;
    p->busy_ps = now + wire_ps(n, port, WEIR_CONTROL_BYTES);
    n->results[port].n_frames_sent++;
    t->n_hops++;
    if (!p->up || lost_on_wire(n, port)) {
        n->results[port].n_lost++;
        sim_frame_free(t, frame);
        return;
    }
    sim_post(t, &(struct sim_mail){ .at = p->busy_ps + p->delay_ps + n->shape.response_ps,
                                    .node = p->peer_node,
                                    .port = p->peer_port,
                                    .event = SIM_FRAME,
                                    .a = frame });
}

static void
fly(struct sim_thread *t, struct sim_node *n, uint32_t port, const struct sim_packet *packet,
    weir_ps now)
{
    struct sim_port *p = &n->ports[port];

    p->busy_ps = now + wire_ps(n, port, packet->bytes);
    p->sent_bytes += packet->bytes;
    p->n_sent++;
    t->n_hops++;
    if (!p->up || lost_on_wire(n, port)) {
        n->results[port].n_lost++;
        n->results[port].lost_bytes += packet->bytes;
        return;
    }
    sim_post(t, &(struct sim_mail){ .at = p->busy_ps + p->delay_ps,
                                    .node = p->peer_node,
                                    .port = p->peer_port,
                                    .event = SIM_PACKET,
                                    .cls = packet->cls,
                                    .a = packet->flow,
                                    .sequence = packet->sequence,
                                    .dst = packet->dst,
                                    .bytes = (uint16_t)packet->bytes,
                                    .ecn = packet->ecn,
                                    .n_hops = packet->n_hops });
}

static void
depart(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t slot, uint32_t index,
       weir_ps now)
{
    struct sim_packet *packet = &n->pool[index];
    struct weir_pkt pkt = { .bytes = packet->bytes,
                            .in_port = packet->in_port,
                            .out_port = (uint16_t)port,
                            .cls = packet->cls,
                            .ecn = packet->ecn };
    uint32_t in_slot = packet->in_port * n->n_classes + packet->cls;

    weir_gate_sent(&n->weir.ctx.gates[slot], now, packet->bytes);
    weir_buffer_release(&n->buffer, in_slot, slot, packet->bytes);
    weir_node_departed(&n->weir, now, &pkt);
    packet->ecn = pkt.ecn;
    fly(t, n, port, packet, now);
    packet->bytes = 0; /* Free. */
    packet->next = n->pool_free;
    n->pool_free = index;
    sim_node_obey(t, n, now);
}

/* The i-th class to be asked, from 1 on: in turn, or from the highest down. */
static uint32_t
class_in_order(const struct sim_thread *t, const struct sim_node *n, const struct sim_port *p,
               uint32_t i)
{
    uint32_t next = p->turn + i;
    if (t->sim->config.is_strict) {
        return n->n_classes - i;
    }
    return next < n->n_classes ? next : next - n->n_classes;
}

static void
start_at_switch(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps now)
{
    const struct sim_arbitration *arbitration = t->sim->arbitration;
    struct sim_port *p = &n->ports[port];
    weir_ps soonest = WEIR_NEVER;

    for (uint32_t i = 1; i <= n->n_classes; i++) {
        uint32_t cls = class_in_order(t, n, p, i);
        if (!(p->active >> cls & 1)) {
            continue;
        }
        uint32_t slot = port * n->n_classes + cls;
        uint32_t packet = arbitration->peek(n, slot);
        weir_ps at = weir_gate_ready(&n->weir.ctx.gates[slot], now, n->pool[packet].bytes);
        if (at > now) {
            soonest = at < soonest ? at : soonest;
            continue;
        }
        if (!arbitration->pop(n, slot)) {
            p->active &= (uint8_t) ~(1u << cls);
        }
        p->turn = (uint8_t)cls;
        depart(t, n, port, slot, packet, now);
        return;
    }
    wake_at(t, n, port, soonest);
}

/* A NIC: flows of a class stand in a ring and take turns. */

static struct sim_nic_flow *
flow_at(struct sim_thread *t, uint32_t flow)
{
    return &t->sim->nic_flows[flow];
}

void
sim_nic_start_flow(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    uint8_t cls = t->sim->config.flows[flow].cls;
    uint32_t *last = (uint32_t *)n->queues + cls;

    flow_at(t, flow)->next_ps = now;
    if (*last == SIM_NONE) {
        flow_at(t, flow)->next = flow;
    } else {
        flow_at(t, flow)->next = flow_at(t, *last)->next;
        flow_at(t, *last)->next = flow;
    }
    *last = flow;
    n->ports[0].active |= (uint8_t)(1u << cls);
    kick(t, n, 0, now);
}

/* The next flow of the ring whose pace allows a packet; else when the first may. */
static uint32_t
next_flow(struct sim_thread *t, uint32_t *last, weir_ps now, weir_ps *soonest)
{
    uint32_t before = *last;
    do {
        uint32_t flow = flow_at(t, before)->next;
        weir_ps at = flow_at(t, flow)->next_ps;
        if (at <= now) {
            *last = before;
            return flow;
        }
        *soonest = at < *soonest ? at : *soonest;
        before = flow;
    } while (before != *last);
    return SIM_NONE;
}

/* 'last' stands before the flow that sends; it moves on, or the flow leaves the ring. */
static void
advance(struct sim_thread *t, struct sim_node *n, uint8_t cls, uint32_t flow)
{
    uint32_t *last = (uint32_t *)n->queues + cls;

    if (flow_at(t, flow)->left_bytes) {
        *last = flow;
    } else if (*last == flow) {
        *last = SIM_NONE;
        n->ports[0].active &= (uint8_t) ~(1u << cls);
    } else {
        flow_at(t, *last)->next = flow_at(t, flow)->next;
    }
}

/* A pace counts from when a packet was due, so that a wait for other flows' packets is made up for;
 * but no more than to send the next one at once: what a long pause kept back does not come in a
 * burst. */
static void
send_of_flow(struct sim_thread *t, struct sim_node *n, uint8_t cls, uint32_t flow, uint32_t bytes,
             weir_ps now)
{
    const struct sim_flow *f = &t->sim->config.flows[flow];
    struct sim_nic_flow *s = flow_at(t, flow);
    struct sim_packet packet = { .flow = flow,
                                 .sequence = s->sequence++,
                                 .dst = t->sim->config.topo->nodes[f->to].index,
                                 .bytes = bytes,
                                 .cls = cls,
                                 .ecn = WEIR_ECT };

    s->left_bytes -= s->left_bytes == SIM_ENDLESS ? 0 : bytes;
    s->sent_bytes += bytes;
    if (f->rate_bps != WEIR_UNLIMITED) {
        s->next_ps += weir_wire_ps(bytes + n->shape.gap_bytes, f->rate_bps);
        s->next_ps = s->next_ps > now ? s->next_ps : now;
    }
    advance(t, n, cls, flow);
    weir_gate_sent(&n->weir.ctx.gates[cls], now, bytes);
    fly(t, n, 0, &packet, now);
}

static void
start_at_nic(struct sim_thread *t, struct sim_node *n, weir_ps now)
{
    struct sim_port *p = &n->ports[0];
    weir_ps soonest = WEIR_NEVER;

    for (uint32_t i = 1; i <= n->n_classes; i++) {
        uint32_t cls = class_in_order(t, n, p, i);
        if (!(p->active >> cls & 1)) {
            continue;
        }
        uint32_t flow = next_flow(t, (uint32_t *)n->queues + cls, now, &soonest);
        if (flow == SIM_NONE) {
            continue;
        }
        uint64_t left = flow_at(t, flow)->left_bytes, mtu = n->shape.mtu_bytes;
        uint32_t bytes = (uint32_t)(left < mtu ? left : mtu);
        weir_ps at = weir_gate_ready(&n->weir.ctx.gates[cls], now, bytes);
        if (at > now) {
            soonest = at < soonest ? at : soonest;
            continue;
        }
        p->turn = (uint8_t)cls;
        send_of_flow(t, n, (uint8_t)cls, flow, bytes, now);
        return;
    }
    wake_at(t, n, 0, soonest);
}

/* Hot: once for each thing sent. */
static void
start(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps now)
{
    struct sim_port *p = &n->ports[port];

    if (!p->up) {
        return;
    }
    if (p->frames_head != SIM_NONE) {
        send_frame(t, n, port, now);
    } else if (p->active && n->is_nic) {
        start_at_nic(t, n, now);
    } else if (p->active) {
        start_at_switch(t, n, port, now);
    }
    if (p->busy_ps > now && (p->active || p->frames_head != SIM_NONE)) {
        wake_at(t, n, port, p->busy_ps);
    }
}

/* Arrivals. */

uint32_t
sim_route(const struct sim *sim, const struct sim_node *n, uint32_t flow, uint32_t dst,
          uint32_t n_hops)
{
    const struct topo *topo = sim->config.topo;

    if (sim->has_paths && sim->config.flows[flow].path) {
        const struct sim_flow *f = &sim->config.flows[flow];
        return n_hops < f->n_path ? f->path[n_hops] : SIM_NONE;
    }
    uint32_t leaf = sim->nic_leaf[dst];
    if (leaf == n->leaf) {
        return sim->nic_port[dst];
    }
    uint32_t group = n->routes[leaf];
    if (group == TOPO_NONE) {
        return SIM_NONE;
    }
    const struct topo_group *g = &topo->groups[group];
    uint32_t hash = flow * n->salt;
    hash = (hash ^ hash >> 15) * 0x2c1b3c6d;
    return topo->choices[g->first + (g->n > 1 ? (uint32_t)((hash >> 16) * g->n >> 16) : 0)];
}

/* Hot: once a packet-hop. */
static void
arrive_at_switch(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    uint32_t out_port = sim_route(t->sim, n, m->a, m->dst, m->n_hops);
    if (out_port == SIM_NONE) {
        t->n_unroutable++;
        n->results[m->port].dropped_bytes += m->bytes;
        return;
    }
    uint32_t in_slot = m->port * n->n_classes + m->cls;
    uint32_t out_slot = out_port * n->n_classes + m->cls;
    enum weir_admission how = weir_buffer_admit(&n->buffer, in_slot, out_slot, m->bytes);
    if (how != WEIR_ADMITTED) {
        n->results[m->port].n_dropped[how]++;
        t->n_broken += weir_is_lossless(&n->shape, m->cls);
        n->results[m->port].dropped_bytes += m->bytes;
        return;
    }
    uint64_t held = n->buffer.slots[in_slot].in_bytes;
    n->peaks[in_slot] = held > n->peaks[in_slot] ? held : n->peaks[in_slot];

    struct weir_pkt pkt = { .bytes = m->bytes,
                            .in_port = m->port,
                            .out_port = (uint16_t)out_port,
                            .cls = m->cls,
                            .ecn = m->ecn };
    weir_node_arrived(&n->weir, m->at, &pkt);
    sim_node_obey(t, n, m->at);
    if (t->sim->tells_queued) {
        weir_node_queued(&n->weir, m->at, &pkt);
    }
    uint32_t index = sim_packet_new(n);
    n->pool[index] = (struct sim_packet){ .flow = m->a,
                                          .sequence = m->sequence,
                                          .dst = m->dst,
                                          .bytes = m->bytes,
                                          .in_port = m->port,
                                          .out_port = (uint16_t)out_port,
                                          .cls = m->cls,
                                          .ecn = pkt.ecn,
                                          .n_hops = (uint8_t)(m->n_hops + 1) };
    t->sim->arbitration->push(n, out_slot, index);
    n->ports[out_port].active |= (uint8_t)(1u << m->cls);
    kick(t, n, out_port, m->at);
}

/* A NIC drains at once, but its engines see the packet come and go. */
static void
arrive_at_nic(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    struct sim_flow_result *r = &t->sim->flow_results[m->a];
    struct weir_pkt pkt = { .bytes = m->bytes, .cls = m->cls, .ecn = m->ecn };

    r->first_ps = r->n_received ? r->first_ps : m->at;
    r->last_ps = m->at;
    r->received_bytes += m->bytes;
    r->n_received++;
    t->sim->bad_order[t->id] += m->sequence < t->sim->flow_expected[m->a];
    t->sim->flow_expected[m->a] = m->sequence + 1;
    weir_buffer_admit(&n->buffer, m->cls, m->cls, m->bytes);
    weir_node_arrived(&n->weir, m->at, &pkt);
    sim_node_obey(t, n, m->at);
    weir_buffer_release(&n->buffer, m->cls, m->cls, m->bytes);
    weir_node_departed(&n->weir, m->at, &pkt);
    sim_node_obey(t, n, m->at);
}

static void
change_link(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    struct sim_port *p = &n->ports[m->port];

    p->up = m->cls;
    n->up_ps[m->port] = p->up ? m->at : n->up_ps[m->port];
    while (!p->up && p->frames_head != SIM_NONE) {
        uint32_t frame = p->frames_head;
        p->frames_head = t->frames[frame].next;
        sim_frame_free(t, frame);
    }
    weir_node_link(&n->weir, m->at, m->port, p->up);
    sim_node_obey(t, n, m->at);
    kick(t, n, m->port, m->at);
}

/* What was on a link when it went down is lost, even if the link is back by now. */
static bool
is_cut(const struct sim_thread *t, const struct sim_node *n, const struct sim_mail *m)
{
    const struct sim_port *p = &n->ports[m->port];
    bool is_frame = m->event == SIM_FRAME;

    if (!p->up || !t->sim->config.n_link_events) {
        return !p->up;
    }
    weir_ps wire = wire_ps(n, m->port, is_frame ? WEIR_CONTROL_BYTES : m->bytes);
    weir_ps response = is_frame ? n->shape.response_ps : 0;
    return m->at - response - p->delay_ps - wire < n->up_ps[m->port];
}

void
sim_node_run(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    switch ((enum sim_event)m->event) {
    case SIM_PACKET:
        if (is_cut(t, n, m)) {
            n->results[m->port].n_lost++;
            n->results[m->port].lost_bytes += m->bytes;
        } else if (n->is_nic) {
            arrive_at_nic(t, n, m);
        } else {
            arrive_at_switch(t, n, m);
        }
        break;
    case SIM_TX:
        if (n->ports[m->port].wake_ps == m->at) {
            n->ports[m->port].wake_ps = WEIR_NEVER;
            kick(t, n, m->port, m->at);
        }
        break;
    case SIM_FRAME: {
        struct weir_frame frame = t->frames[m->a].frame;
        sim_frame_free(t, m->a);
        if (!is_cut(t, n, m)) {
            weir_node_frame(&n->weir, m->at, m->port, &frame);
            sim_node_obey(t, n, m->at);
        }
        break;
    }
    case SIM_TIMER:
        if (n->timers[m->a] == m->at) {
            n->timers[m->a] = WEIR_NEVER;
            weir_node_timer(&n->weir, m->at, m->a);
            sim_node_obey(t, n, m->at);
        }
        break;
    case SIM_FLOW:
        sim_nic_start_flow(t, n, m->a, m->at);
        break;
    case SIM_LINK:
        change_link(t, n, m);
        break;
    }
}

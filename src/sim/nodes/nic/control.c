/* For flows whose transport has a control: the control sets the rate and window of their gates. */

#include "sim/nodes/nic/nic.h"
#include "sim/observers.h"
#include "sim/routing.h"

uint64_t
nic_flying_bytes(const struct sim_thread *t, uint32_t flow, uint32_t mtu)
{
    const struct rc_sender *p = &nic_sender(t, flow)->progress;
    uint64_t n = p->sequence - p->n_acked;
    bool has_last = n && p->sequence == p->n_packets;

    if (p->own) {
        n = nic_recovery(t, flow)->flying(p, &has_last);
    }
    if (nic_sender(t, flow)->is_connection) {
        return n * mtu - nic_messages_flying_less(t, flow, n);
    }
    return n * mtu - (has_last ? mtu - p->last_bytes : 0);
}

weir_ps
nic_timeout_ps(const struct sim_thread *t, uint32_t flow)
{
    bool is_controlled = nic_sender(t, flow)->is_controlled;
    weir_ps own_ps = is_controlled ? sim_pacer(t->sim, flow)->limits.timeout_ps : 0;

    return own_ps ? own_ps : t->sim->model.retry_ps;
}

/* The window of a flow. If a receiver acknowledges only every few packets, the window must allow at
 * least that many; otherwise both ends would wait until the timeout. */
static uint64_t
window_bytes_of(const struct sim_thread *t, const struct sim_node *n, uint32_t flow)
{
    uint64_t window_bytes = sim_pacer(t->sim, flow)->limits.window_bytes;
    bool is_answered_each = t->sim->model.flows[flow].terms->transport->acks_each;
    uint64_t least_bytes = is_answered_each ? 0 : t->sim->model.ack_every * n->shape.mtu_bytes;

    return window_bytes > least_bytes ? window_bytes : least_bytes;
}

/* The bytes that may still be sent: the window minus the bytes on their way. */
void
nic_set_window(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    struct weir_gate *g = nic_sender(t, flow)->gate;
    uint64_t window_bytes = window_bytes_of(t, n, flow);
    uint64_t flying = nic_flying_bytes(t, flow, n->shape.mtu_bytes);
    uint64_t left = window_bytes > flying ? window_bytes - flying : 0;
    bool was_shut = weir_gate_ready(g, now, n->shape.mtu_bytes) == WEIR_NEVER;

    g->limit_bytes = window_bytes == WEIR_UNLIMITED ? WEIR_UNLIMITED : g->sent_bytes + left;
    nic_gate_changed(t, n, flow);
    if (n->sojourns && was_shut && weir_gate_ready(g, now, n->shape.mtu_bytes) != WEIR_NEVER) {
        sim_sojourn_of_flow_opened(t, flow, now);
    }
}

/* Sets the gate of a flow to the current limits of its control.  The caller then checks which flow
 * may send. */
static void
set_gate(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    struct sim_sender *f = nic_sender(t, flow);
    struct sim_pacer *p = sim_pacer(t->sim, flow);
    uint64_t rate_bps = nic_rate_bps(t->sim, flow, p->limits.rate_bps);

    if (rate_bps != f->gate->rate_bps) {
        weir_gate_set_rate(f->gate, rate_bps);
    }
    nic_set_window(t, n, flow, now);
    if (p->limits.timer_ps < p->mailed_ps) {
        p->mailed_ps = p->limits.timer_ps;
        nic_expect(t, n, NIC_PACE, flow, p->mailed_ps);
    }
}

void
nic_apply_limits(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    set_gate(t, n, flow, now);
    if (nic_sender(t, flow)->in_ring) {
        nic_kick(t, n, flow, now);
    }
}

/* Makes the gate of a flow. It is the same gate as at the start of the flow, because the values
 * that determine it have not changed. */
void
nic_take_gate(struct sim_thread *t, struct sim_node *n, uint32_t flow)
{
    const struct sim_sender *f = nic_sender(t, flow);
    weir_ps started_ps = *sim_started_ps(t->sim, flow);

    if (!f->has_gate || f->gate) {
        return;
    }
    sim_gate_take(t->sim, flow, nic_rate_bps(t->sim, flow, WEIR_UNLIMITED), started_ps);
    if (f->is_controlled) {
        sim_pacer_take(t->sim, flow);
        set_gate(t, n, flow, started_ps);
    }
}

/* Frees a gate that is open and has no kept control state, because it can be made again. */
void
nic_put_gate_off(struct sim_thread *t, const struct sim_node *n, uint32_t flow, weir_ps now)
{
    const struct sim_sender *f = nic_sender(t, flow);
    bool is_kept = n->sojourns || (f->is_controlled && sim_pacer(t->sim, flow));

    if (f->gate && !is_kept && weir_gate_is_open(f->gate, now, n->shape.mtu_bytes)) {
        sim_gate_give_back(t->sim, flow);
    }
}

/* Slows down the flows of a slot.  Only flows in the round-robin list have data to send; other
 * flows, and flows without a control, cannot be slowed down. */
void
nic_slow_flows(struct sim_thread *t, struct sim_node *n, uint32_t slot, uint64_t factor,
               weir_ps now)
{
    const struct nic_ring *ring = &nic_queue_at(n, slot)->ring;
    uint32_t sender = ring->last;

    for (uint32_t i = 0; i < ring->n; i++, sender = t->sim->flows.senders[sender].next) {
        uint32_t flow = sim_flow_of_sender(t->sim, sender);
        const struct transport *transport = t->sim->model.flows[flow].terms->transport;
        if (transport && transport->slowed) {
            nic_take_gate(t, n, flow);
            struct sim_pacer *p = sim_pacer_take(t->sim, flow);
            transport->slowed(p->state, now, factor, &p->limits);
            set_gate(t, n, flow, now);
        }
    }
}

void
nic_pace(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    struct sim_pacer *p = sim_pacer(t->sim, flow);
    const struct sim_sender *f = nic_sender(t, flow);

    if (!p || (nic_is_done(f) && !f->is_connection)) { /* A connection continues when idle. */
        return;
    }
    if (p->mailed_ps == now) {
        p->mailed_ps = WEIR_NEVER;
    }
    if (p->limits.timer_ps <= now) {
        p->limits.timer_ps = WEIR_NEVER;
        t->sim->model.flows[flow].terms->transport->timer(p->state, now, &p->limits);
    }
    nic_apply_limits(t, n, flow, now);
}

void
nic_start_control(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    const struct sim_pacer *p = sim_pacer_take(t->sim, flow);

    nic_apply_limits(t, n, flow, now);
    if (p->mailed_ps == WEIR_NEVER && !sim_routes_change(t->sim)) {
        sim_pacer_give_back(t->sim, flow);
    }
}

void
nic_notify_sent(struct sim_thread *t, struct sim_node *n, uint32_t flow, uint32_t bytes,
                weir_ps now)
{
    const struct transport *transport = t->sim->model.flows[flow].terms->transport;

    if (transport->sent) {
        transport->sent(sim_pacer(t->sim, flow)->state, now, bytes,
                        &sim_pacer(t->sim, flow)->limits);
        nic_apply_limits(t, n, flow, now);
    }
}

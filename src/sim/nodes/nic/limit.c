/* For flows that engines limit: the lowest of three rates applies, the rate of the flow itself, of
 * its control, and of an engine.  All these rates count a packet with its gap, as on the wire. */

#include "sim/nodes/nic/nic.h"

uint64_t
nic_rate_bps(const struct sim *sim, uint32_t flow, uint64_t control_bps)
{
    uint64_t own_bps = sim->model.flows[flow].terms->rate_bps,
             limit_bps = sim_nic_limit_bps(sim, flow);
    uint64_t rate_bps = own_bps < control_bps ? own_bps : control_bps;

    return rate_bps < limit_bps ? rate_bps : limit_bps;
}

/* Sets the rate of a gate.  A new rate counts from the packet sent last, or from the start of the
 * flow.  A gate without a rate stores that time in the member in which other gates store the time
 * of the next packet.  If a higher rate would have allowed packets earlier, they are not sent in a
 * burst. */
static void
set_pace(struct weir_gate *g, uint64_t rate_bps, weir_ps now)
{
    bool is_anchor = g->rate_bps == WEIR_UNLIMITED || !g->last_bytes;

    if (is_anchor && g->next_ps != WEIR_NEVER) {
        g->last_ps = g->next_ps;
    }
    weir_gate_set_rate(g, rate_bps);
    if (rate_bps != WEIR_UNLIMITED && g->next_ps < now) {
        g->next_ps = now;
    }
}

uint32_t
nic_limit_flow(struct sim_thread *t, struct sim_node *n, uint32_t number, uint64_t rate_bps,
               weir_ps now)
{
    const struct sim *sim = t->sim;
    uint32_t flow = sim_nic_flow(sim, n->id, number);
    struct sim_sender *f = nic_sender(t, flow);
    bool is_paced = *sim_started_ps(sim, flow) >= 0 && (!nic_is_done(f) || f->is_connection);

    if (is_paced) {
        nic_take_gate(t, n, flow);
    }
    uint64_t control_bps =
        is_paced && f->is_controlled ? sim_pacer_take(sim, flow)->limits.rate_bps : WEIR_UNLIMITED;

    sim->flows.numbers->limit_bps[sim_sender_slot(sim, flow)] = rate_bps;
    uint64_t lowest_bps = nic_rate_bps(sim, flow, control_bps);
    if (f->gate && lowest_bps != f->gate->rate_bps) {
        set_pace(f->gate, lowest_bps, now);
        nic_gate_changed(t, n, flow);
    }
    return sim_out_port(sim, flow);
}

void
nic_notify_engines(struct sim_thread *t, struct sim_node *n, uint32_t port,
                   const struct sim_packet *p, weir_ps now)
{
    struct weir_pkt pkt = { .in_port = (uint16_t)port,
                            .out_port = (uint16_t)port,
                            .bytes = p->bytes,
                            .cls = p->cls,
                            .ecn = p->ecn,
                            .flow = sim_nic_flow_number(t->sim, p->flow),
                            .unit = WEIR_NO_UNIT,
                            .output_unit = WEIR_NO_UNIT };

    weir_node_sent(&n->weir, now, &pkt);
    sim_node_obey(t, n, now);
}

void
nic_open_gates(struct sim *sim)
{
    for (uint32_t slot = 0; sim->flows.numbers && slot < sim->flows.n_senders; slot++) {
        uint32_t i = sim_flow_of_sender(sim, slot);
        const struct nic *nic = sim_node_at(sim, sim->model.flows[i].from)->own;
        if (nic->tells_sent) {
            sim_sender(sim, i)->has_gate = true;
            sim_sender(sim, i)->is_plain = false;
        }
    }
}

/* Sets up the two ends of each flow of the model, sender and receiver with their recovery, and the
 * order of flows that wait for others. */

#include <string.h>

#include "base/array.h"
#include "sim/flow-ends.h"
#include "sim/setup.h"

static void
start_notifier(struct sim *sim, uint32_t flow)
{
    const struct model_flow *f = &sim->model.flows[flow];

    if (!sim->flows.notifiers) {
        sim->flows.notifiers = array_new(sim->flows.n_sinks, sizeof *sim->flows.notifiers);
    }
    sim_sink(sim, flow)->is_notified = true;
    *sim_notifier(sim, flow) = (struct sim_notifier){
        .least_ps = f->terms->transport->notify_ps(f->terms->transport_params), .last_ps = -1
    };
}

static void
set_sender(struct sim *sim, uint32_t flow, const struct recovery *recovery)
{
    const struct model *c = &sim->model;
    const struct model_flow *f = &c->flows[flow];
    struct sim_sender *to = sim_sender(sim, flow);
    bool is_controlled = f->terms->transport && f->terms->transport->start;
    bool has_gate = f->terms->rate_bps != WEIR_UNLIMITED || is_controlled;
    bool is_connection = f->bytes == MODEL_MESSAGES;
    bool only_counts = recovery->only_counts || !recovery->is_reliable;

    *to = (struct sim_sender){ .progress = { .n_packets =
                                                 is_connection ? 0 : sim_flow_n_planned(sim, flow),
                                             .last_bytes = sim_flow_last_bytes(sim, flow) },
                               .dst = c->topo->nodes[f->to].index & SIM_MAX_DST,
                               .is_plain = !has_gate && only_counts,
                               .has_gate = has_gate,
                               .is_controlled = is_controlled,
                               .is_reliable = recovery->is_reliable,
                               .is_connection = is_connection };
    if (sim->flows.out_ports) {
        sim_set_out_port(sim, flow);
    }
}

static void
set_sink(struct sim *sim, uint32_t flow, const struct recovery *recovery)
{
    const struct model *c = &sim->model;
    const struct model_flow *f = &c->flows[flow];
    bool acks_each = f->terms->transport && f->terms->transport->acks_each;
    bool is_connection = f->bytes == MODEL_MESSAGES;

    *sim_sink(sim, flow) =
        (struct sim_sink){ .progress = { .n_packets =
                                             is_connection ? 1 : sim_flow_n_planned(sim, flow),
                                         .ack_every = acks_each ? 1 : (uint16_t)c->ack_every },
                           .src = c->topo->nodes[f->from].index & SIM_MAX_DST,
                           .answer_cls = model_answer_class(c, f) & 7u,
                           .is_reliable = recovery->is_reliable,
                           .only_counts = recovery->only_counts && !is_connection,
                           .is_connection = is_connection,
                           .first_ps = -1,
                           .last_ps = -1 };
    if (f->terms->transport && f->terms->transport->notify_ps) {
        start_notifier(sim, flow);
    }
}

void
sim_set_flow(struct sim *sim, uint32_t flow)
{
    const struct model_flow *f = &sim->model.flows[flow];
    const struct recovery *recovery = transport_recovery(f->terms->transport, f->terms->recovery);
    if (sim_sender_is_here(sim, flow)) {
        set_sender(sim, flow, recovery);
    }
    if (sim_sink_is_here(sim, flow)) {
        set_sink(sim, flow, recovery);
    }
}

bool
sim_set_order(struct sim *sim, struct err *err)
{
    const struct model *c = &sim->model;

    for (uint32_t i = 0; i < c->n_flows; i++) {
        uint32_t after = c->flows[i].after - 1;
        if (!c->flows[i].after) {
            continue;
        }
        if (after >= c->n_flows ||
            (c->flows[after].from != c->flows[i].from && c->flows[after].to != c->flows[i].from)) {
            return err_set(
                err, "flow %u waits for a flow that neither begins nor ends at its sender", i);
        }
        if (c->flows[i].terms->stop_ps || c->flows[after].terms->stop_ps) {
            return err_set(err, "flow %u waits for another; neither of them may be stopped", i);
        }
        if (!sim->flows.first_after) {
            sim->flows.first_after = array_new(c->n_flows, sizeof *sim->flows.first_after);
            sim->flows.next_after = array_new(c->n_flows, sizeof *sim->flows.next_after);
            memset(sim->flows.first_after, 0xff, c->n_flows * sizeof *sim->flows.first_after);
        }
        sim->flows.next_after[i] = sim->flows.first_after[after];
        sim->flows.first_after[after] = i;
    }
    return true;
}

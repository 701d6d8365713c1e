/* Memory that a flow takes while it is active: the state of its control, its track of probes, and
 * the state of its recovery.
 *
 * A run may have millions of flows, few of which are active at once.  A flow that has not sent yet,
 * or has ended, needs only its sender, its sink and the data for results (decision 0086).
 *
 *     flow starts ---- first packet ---- ... ---- all is acknowledged
 *        |                  |                            |
 *     limits at start   take_memory                  give_back
 *
 * The initial limits do not depend on time, so they are computed again at the first packet.  If
 * routes change or a timer runs, the state is kept from the start on. */

#include <stdlib.h>

#include "base/array.h"
#include "sim/flow-ends.h"
#include "sim/routing.h"

bool
sim_routes_change(const struct sim *sim)
{
    return sim->flows.first_rtt_ps != NULL;
}

/* The following functions are for the control, at the sender. */

static struct sim_pacer *
start_pacer(const struct sim *sim, uint32_t flow)
{
    const struct model_flow *f = &sim->model.flows[flow];
    struct tp_env env = { .line_bps = sim_line_bps(sim, flow),
                          .mtu_bytes = sim->model.mtu_bytes,
                          .rtt_ps = sim_flow_rtt_ps(sim, flow) };
    struct sim_pacer *p = array_new(1, sizeof *p + f->terms->transport->state_bytes);

    p->mailed_ps = WEIR_NEVER;
    f->terms->transport->start(p->state, &env, f->terms->transport_params, &p->limits);
    return p;
}

struct sim_pacer *
sim_pacer_take(const struct sim *sim, uint32_t flow)
{
    struct sim_pacer **p = &sim->flows.pacers[sim_sender_slot(sim, flow)];

    if (!*p) {
        *p = start_pacer(sim, flow);
    }
    return *p;
}

void
sim_pacer_give_back(const struct sim *sim, uint32_t flow)
{
    struct sim_pacer **p = &sim->flows.pacers[sim_sender_slot(sim, flow)];

    sim_track_free(*p ? (*p)->track : NULL);
    free(*p);
    *p = NULL;
}

struct tp_limits
sim_limits_at_start(const struct sim *sim, uint32_t flow)
{
    struct sim_pacer *p = start_pacer(sim, flow);
    struct tp_limits limits = p->limits;

    free(p);
    return limits;
}

void
sim_gate_take(const struct sim *sim, uint32_t flow, uint64_t rate_bps, weir_ps now)
{
    struct weir_gate *gate = array_new(1, sizeof *gate);

    weir_gate_init(gate, sim->model.gap_bytes);
    weir_gate_set_rate(gate, rate_bps);
    gate->next_ps = now;
    sim_sender(sim, flow)->gate = gate;
}

void
sim_gate_give_back(const struct sim *sim, uint32_t flow)
{
    struct sim_sender *f = sim_sender(sim, flow);

    free(f->gate);
    f->gate = NULL;
}

/* The following functions are for the recovery, at both ends. */

static const void *
recovery_params(const struct model_flow *f, const struct recovery *r,
                uint64_t defaults[RC_PARAMS_MAX / sizeof(uint64_t)])
{
    weir_fields_default(r->about.params, defaults);
    return f->terms->recovery_params ? f->terms->recovery_params : defaults;
}

static struct rc_env
recovery_env(const struct sim *sim, uint32_t flow)
{
    return (struct rc_env){ .line_bps = sim_line_bps(sim, flow),
                            .mtu_bytes = sim->model.mtu_bytes,
                            .n_packets = sim_flow_n_planned(sim, flow),
                            .rtt_ps = sim_flow_first_rtt_ps(sim, flow),
                            .wishes = sim->model.flows[flow].terms->transport->wishes };
}

/* Allocates memory for one half of the recovery; the other half is null. */
static void
start_half(const struct sim *sim, uint32_t flow, struct rc_sender *s, struct rc_receiver *r)
{
    const struct model_flow *f = &sim->model.flows[flow];
    const struct recovery *recovery = transport_recovery(f->terms->transport, f->terms->recovery);
    uint64_t defaults[RC_PARAMS_MAX / sizeof(uint64_t)];
    size_t sender_bytes, receiver_bytes;

    if (recovery->size) {
        const void *params = recovery_params(f, recovery, defaults);
        struct rc_env env = recovery_env(sim, flow);
        recovery->size(&env, params, &sender_bytes, &receiver_bytes);
        *(s ? &s->own : &r->own) = array_new(1, s ? sender_bytes : receiver_bytes);
        recovery->start(&env, params, s, r);
    }
}

void
sim_sender_take_memory(const struct sim *sim, uint32_t flow)
{
    const struct transport *transport = sim->model.flows[flow].terms->transport;
    struct sim_sender *f = sim_sender(sim, flow);

    f->is_at_work = true;
    if (f->is_reliable) {
        start_half(sim, flow, &f->progress, NULL);
    }
    if (f->is_controlled) {
        struct sim_pacer *pacer = sim_pacer_take(sim, flow);
        bool is_tracked = transport->wants_rtt || transport->wants_telemetry;
        pacer->track = is_tracked ? sim_track_new(sim, flow) : NULL;
    }
}

/* Frees all state of a control except its limits. */
static void
forget_state(struct sim_pacer **pacer)
{
    sim_track_free((*pacer)->track);
    (*pacer)->track = NULL;
    struct sim_pacer *smaller = realloc(*pacer, sizeof **pacer);
    *pacer = smaller ? smaller : *pacer;
}

/* A probe on its way still needs the track and its owner, so the caller tries again later.  Samples
 * continue to show the last limits of the control. */
void
sim_sender_give_back(const struct sim *sim, uint32_t flow, weir_ps now)
{
    struct sim_sender *f = sim_sender(sim, flow);
    struct sim_pacer *pacer = f->is_controlled ? sim_pacer(sim, flow) : NULL;

    free(f->progress.own);
    f->progress.own = NULL;
    sim_gate_give_back(sim, flow);
    if (pacer && pacer->track && !sim_track_is_idle(sim, pacer->track, now)) {
        return;
    }
    f->is_at_work = false;
    if (pacer && sim->config.sample_ps) {
        forget_state(&sim->flows.pacers[sim_sender_slot(sim, flow)]);
    } else if (pacer) {
        sim_pacer_give_back(sim, flow);
    }
}

void
sim_sink_take_memory(const struct sim *sim, uint32_t flow)
{
    start_half(sim, flow, NULL, &sim_sink(sim, flow)->progress);
}

void
sim_sink_give_back(const struct sim *sim, uint32_t flow)
{
    struct rc_receiver *r = &sim_sink(sim, flow)->progress;

    free(r->own);
    r->own = NULL;
}

/* These functions report memory for results. */

static size_t
own_bytes(const struct sim *sim, uint32_t flow, const struct rc_sender *s,
          const struct rc_receiver *r)
{
    const struct model_flow *f = &sim->model.flows[flow];
    const struct recovery *recovery = transport_recovery(f->terms->transport, f->terms->recovery);
    uint64_t defaults[RC_PARAMS_MAX / sizeof(uint64_t)];
    size_t sender_bytes = 0, receiver_bytes = 0;

    if (s->own || r->own) {
        struct rc_env env = recovery_env(sim, flow);
        recovery->size(&env, recovery_params(f, recovery, defaults), &sender_bytes,
                       &receiver_bytes);
    }
    return (s->own ? sender_bytes : 0) + (r->own ? receiver_bytes : 0);
}

size_t
sim_flow_work_bytes(const struct sim *sim, uint32_t flow)
{
    static const struct rc_sender no_sender;
    static const struct rc_receiver no_receiver;
    bool is_sent_here = sim_sender_is_here(sim, flow), is_taken_here = sim_sink_is_here(sim, flow);
    const struct sim_sender *f = is_sent_here ? sim_sender(sim, flow) : NULL;
    const struct sim_pacer *p = f && f->is_controlled ? sim_pacer(sim, flow) : NULL;
    size_t bytes = own_bytes(sim, flow, f ? &f->progress : &no_sender,
                             is_taken_here ? &sim_sink(sim, flow)->progress : &no_receiver);

    bytes += f && f->gate ? sizeof *f->gate : 0;
    bytes += p ? sizeof *p : 0; /* A flow that has ended keeps only its limits. */
    bytes += p && f->is_at_work ? sim->model.flows[flow].terms->transport->state_bytes : 0;
    return bytes + (p && p->track ? sim_track_bytes(p->track) : 0);
}

/* The end of a run that waits until its measured flows and its jobs have ended.
 *
 * No flow starts after the measured time, and the run ends when all measured flows and all jobs
 * have ended.  Jobs of which no rank can continue have ended, too.  The run does not end at that
 * instant, on which threads would have to agree, but at the next time of a fixed grid.  The times
 * of the grid are borders of windows.  So the events before such a time are the same for any number
 * of threads, and for a plain event loop. */

#include <stdlib.h>

#include "base/array.h"
#include "sim/connection-ends.h"
#include "sim/exchange.h"
#include "sim/flow-ends.h"
#include "sim/live.h"
#include "sim/setup.h"
#include "sim/watch.h"

static weir_ps
whole_windows(const struct sim *sim, weir_ps ps)
{
    return (((ps - 1) >> sim->window_bits) + 1) << sim->window_bits;
}

void
sim_start_run_out(struct sim *sim)
{
    weir_ps until = sim->config.measured.until_ps;

    sim->flows.starts_until_ps = until ? until : WEIR_NEVER;
    sim->watch->next_end_ps = until ? whole_windows(sim, until) : WEIR_NEVER;
}

/* Whether the run may have to wait for a flow, as its sender knows: it started after the warm-up,
 * is finite, and was not stopped. */
static bool
may_be_measured(const struct sim *sim, uint32_t flow)
{
    return *sim_started_ps(sim, flow) >= sim->config.measured.from_ps &&
           model_is_finite(sim->model.flows[flow].bytes) && !sim_flow_is_stopped(sim, flow);
}

/* Whether the receiver of a flow has all of its bytes. */
static bool
has_all_come(const struct sim *sim, uint32_t flow)
{
    return sim_sink(sim, flow)->received_bytes == sim->model.flows[flow].bytes;
}

static bool
is_still_measured(const struct sim *sim, uint32_t flow)
{
    return sim_sender_is_here(sim, flow) && sim_sink_is_here(sim, flow) &&
           may_be_measured(sim, flow) && !has_all_come(sim, flow);
}

/* Whether all measured flows have ended. Each flow is checked until it has ended, and never
 * again. */
static bool
have_all_ended_by(struct sim *sim, bool (*is_measured)(const struct sim *, uint32_t flow))
{
    struct sim_run_out *r = &sim->watch->run_out;

    while (r->n_ended < sim->model.n_flows && !is_measured(sim, r->n_ended)) {
        r->n_ended++;
    }
    return r->n_ended == sim->model.n_flows;
}

/* For a flow between two ranks, the sender's rank knows whether the flow is measured, and the
 * receiver's rank knows how many bytes have arrived.  No flow starts any more, so the sender's rank
 * reports once that the flow is measured, and later whether it was stopped. */

/* Collects flows from this rank to others: first all that may be measured, later those that were
 * stopped. */
static void
collect_flows(struct sim *sim)
{
    struct sim_run_out *r = &sim->watch->run_out;

    for (uint32_t slot = 0; !r->knows_flows && slot < sim->flows.n_senders; slot++) {
        uint32_t flow = sim_flow_of_sender(sim, slot),
                 rank = sim_rank_of(sim, sim->model.flows[flow].to);
        if (rank != sim_rank(sim) && may_be_measured(sim, flow)) {
            sim_parcel_add(&sim->ranks.exchange->out[rank], &flow, sizeof flow);
            if (sim->model.flows[flow].terms->stop_ps) {
                ARRAY_PUSH(r->stoppable, r->n_stoppable, r->max_stoppable) = flow;
            }
        }
    }
    for (size_t i = 0; r->knows_flows && i < r->n_stoppable;) {
        uint32_t flow = r->stoppable[i], rank = sim_rank_of(sim, sim->model.flows[flow].to);
        if (may_be_measured(sim, flow)) {
            i++;
        } else {
            sim_parcel_add(&sim->ranks.exchange->out[rank], &flow, sizeof flow);
            r->stoppable[i] = r->stoppable[--r->n_stoppable];
        }
    }
}

static void
forget(struct sim_run_out *r, uint32_t flow)
{
    for (size_t i = 0; i < r->n_awaited; i++) {
        if (r->awaited[i] == flow) {
            r->awaited[i] = r->awaited[--r->n_awaited];
        }
    }
}

static void
hear_of_flows(struct sim *sim, const struct sim_parcel *p)
{
    struct sim_run_out *r = &sim->watch->run_out;
    const uint32_t *flows = p->bytes;

    for (size_t i = 0; i < p->n / sizeof *flows; i++) {
        if (r->knows_flows) {
            forget(r, flows[i]);
        } else {
            ARRAY_PUSH(r->awaited, r->n_awaited, r->max_awaited) = flows[i];
        }
    }
}

/* Whether all flows have ended about which other ranks have reported. */
static bool
have_all_awaited_ended(struct sim *sim)
{
    struct sim_run_out *r = &sim->watch->run_out;

    for (uint32_t rank = 0; rank < sim_n_ranks(sim); rank++) {
        sim->ranks.exchange->out[rank].n = 0;
    }
    collect_flows(sim);
    if (!sim_swap(sim, sim->ranks.exchange->out, sim->ranks.exchange->in)) {
        return false;
    }
    for (uint32_t rank = 0; rank < sim_n_ranks(sim); rank++) {
        if (rank != sim_rank(sim)) {
            hear_of_flows(sim, &sim->ranks.exchange->in[rank]);
        }
    }
    r->knows_flows = true;
    while (r->n_awaited && has_all_come(sim, r->awaited[r->n_awaited - 1])) {
        r->n_awaited--;
    }
    return !r->n_awaited;
}

/* These functions find out whether flows have ended if nodes are run alone, by their reports. */
static bool
is_seen_measured(const struct sim *sim, uint32_t flow)
{
    struct sim_flow_result r = sim_flow_result(sim, flow);
    uint64_t bytes = sim->model.flows[flow].bytes;

    return r.started_ps >= sim->config.measured.from_ps && model_is_finite(bytes) &&
           r.received_bytes != bytes && !sim_flow_is_stopped(sim, flow);
}

bool
sim_live_have_all_ended(struct sim *sim)
{
    return sim->now_ps >= sim->watch->next_end_ps && have_all_ended_by(sim, is_seen_measured);
}

static bool
have_all_ended(struct sim *sim)
{
    if (sim->config.live) {
        return have_all_ended_by(sim, is_seen_measured);
    }
    if (!sim->ranks.exchange) {
        return have_all_ended_by(sim, is_still_measured) && sim_jobs_have_ended(sim);
    }
    bool is_all = sim_jobs_have_ended(sim);
    is_all &= have_all_awaited_ended(sim);
    is_all &= have_all_ended_by(sim, is_still_measured);
    return sim_least_of_ranks(sim, is_all) && !sim_broken(sim);
}

void
sim_free_run_out(struct sim *sim)
{
    free(sim->watch->run_out.awaited);
    free(sim->watch->run_out.stoppable);
}

/* Ends the run if it can end: at the first time of the grid at which all had ended; no event has
 * happened between that time and 'now'. */
void
sim_end_if_run_out(struct sim *sim, weir_ps now)
{
    if (sim->is_over || now < sim->watch->next_end_ps) {
        return;
    }
    if (have_all_ended(sim)) {
        sim->is_over = true;
        sim->config.until_ps = sim->watch->next_end_ps;
        return;
    }
    while (sim->watch->next_end_ps <= now) {
        sim->watch->next_end_ps += whole_windows(sim, sim->watch->interval_ps);
    }
}

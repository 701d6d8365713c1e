/* Work between windows: how often the network is checked, records from the middle of the run on,
 * samples, and deadlock detection (deadlock.c).  All threads wait meanwhile, and the work is due at
 * fixed simulated times. */

#include "sim/watch.h"
#include "sim/exchange.h"
#include "sim/flow-ends.h"
#include "sim/live.h"
#include "sim/routing.h"
#include "sim/setup.h"
#include "sim/view.h"
#include "sim/wires.h"

/* The maximum time between two messages of an engine that sends periodically, over all ports. */
static weir_ps
engine_period(const struct weir_engine *engine, const void *params, const struct weir_shape *shape)
{
    uint64_t of_port[WEIR_PARAMS_MAX / sizeof(uint64_t)];
    weir_ps longest = 0;

    if (!engine->period_ps) {
        return 0;
    }
    WEIR_EACH_PORT (shape, port) {
        weir_port_params(engine, shape, port, params, of_port);
        weir_ps period = engine->period_ps(of_port);
        longest = period > longest ? period : longest;
    }
    return longest;
}

/* The longest period of all engines; 0: no engine sends periodically. */
static weir_ps
engines_period(const struct sim *sim)
{
    weir_ps longest = 0;

    for (size_t i = 0; i < sim->model.n_engines; i++) {
        const struct model_engines *e = &sim->model.engines[i];
        for (uint32_t k = 0; k < e->stack.n; k++) {
            struct weir_shape seen = weir_layer_shape(&e->stack, k, &e->shape);
            weir_ps period =
                engine_period(e->stack.layers[k].engine, e->stack.layers[k].params, &seen);
            longest = period > longest ? period : longest;
        }
    }
    return longest;
}

/* The interval between two checks. Engines without a period count with the period of credits. */
static weir_ps
watch_interval(const struct sim *sim)
{
    const struct topo *topo = sim->model.topo;
    weir_ps credit = 0, period = engines_period(sim);

    for (size_t i = 0; i < topo->n_links; i++) {
        weir_ps of_link = weir_credit_period_ps(topo->links[i].rate_bps);
        credit = of_link > credit ? of_link : credit;
    }
    return 4 * sim_slowest_reaction_ps(sim) + 3 * (period ? period : credit);
}

static void
sample_queues(struct sim *sim)
{
    sim->watch->n_samples++;
    for (struct sim_node *n = sim->nodes; n < sim->nodes + sim->n_here; n++) {
        for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
            n->past[slot].in_sum_bytes += n->buffer.slots[slot].in_bytes;
            n->past[slot].out_sum_bytes += n->buffer.slots[slot].out_bytes;
        }
    }
}

/* The first of several ranks takes samples, with the records that the others send.  If it is then
 * asked to stop, it informs the others, so that all end after the same window. */
static void
take_sample(struct sim *sim, weir_ps at)
{
    const struct sim_config *c = &sim->config;

    sim_see(sim, c->sampled);
    if (sim_rank(sim) == 0) {
        c->sample(c->sample_arg, sim, at);
    }
    sim->watch->next_sample_ps = c->sample_ps * (at / c->sample_ps + 1);
}

/* Takes the samples that are due by 'now'. The network has not changed since the end of the last
 * window, so a sample shows its state at any time since then. */
void
sim_sample(struct sim *sim, weir_ps now)
{
    const struct sim_config *c = &sim->config;
    weir_ps ran_until = sim->ran_until_ps < c->until_ps ? sim->ran_until_ps : c->until_ps;
    bool stops = sim->watch->next_sample_ps <= now && sim_all_are_to_stop(sim);

    while (sim->watch->next_sample_ps <= now && !stops) {
        take_sample(sim, sim->watch->next_sample_ps > ran_until ? sim->watch->next_sample_ps
                                                                : ran_until);
        stops = sim_all_are_to_stop(sim);
    }
}

/* The time of the middle of the run, or of the time in which flows start. */
static weir_ps
half_ps(const struct sim *sim)
{
    const struct sim_config *c = &sim->config;

    return (c->measured.until_ps ? c->measured.until_ps : c->until_ps) / 2;
}

/* Begins the records of the second half of the run. No event has happened since the end of the last
 * window, so the middle can be set to that time. */
static void
note_middle(struct sim *sim, weir_ps now)
{
    weir_ps half = half_ps(sim);

    if (sim->watch->middle_ps || now < half) {
        return;
    }
    sim->watch->middle_ps = sim->ran_until_ps > half ? sim->ran_until_ps : half;
    for (uint32_t i = 0; i < sim->model.n_flows; i++) {
        if (sim_sink_is_here(sim, i)) {
            *sim_middle_bytes(sim, i) = sim_sink(sim, i)->received_bytes;
        }
    }
}

void
sim_watch_end_here(struct sim *sim)
{
    if (sim->ran_until_ps <= half_ps(sim)) {
        note_middle(sim, sim->now_ps);
    }
    if (sim->watch->middle_ps) {
        sim_note_silence(sim, sim->ran_until_ps < sim->now_ps ? sim->ran_until_ps : sim->now_ps);
    }
}

/* Does the remaining work at the end of the run: a run without further events has no more windows
 * after which it would be done. */
void
sim_watch_end(struct sim *sim)
{
    sim_watch_end_here(sim);
    if (sim->watch->next_watch_ps <= sim->now_ps) {
        sim_find_deadlock(sim, sim->now_ps);
    }
    sim_check_if_broken(sim);
}

/* The next check: after an interval, or in the middle of the run. */
static void
plan_watch(struct sim *sim, weir_ps now)
{
    weir_ps half = half_ps(sim);

    while (sim->watch->next_watch_ps <= now) {
        sim->watch->next_watch_ps += sim->watch->interval_ps;
    }
    if (!sim->watch->middle_ps && half > now && half < sim->watch->next_watch_ps) {
        sim->watch->next_watch_ps = half;
    }
}

void
sim_start_watch(struct sim *sim)
{
    weir_ps asked_ps = sim->config.live ? sim->config.live->watch_ps : 0;

    sim->watch->interval_ps = watch_interval(sim);
    sim->watch->interval_ps =
        asked_ps > sim->watch->interval_ps ? asked_ps : sim->watch->interval_ps;
    plan_watch(sim, 0);
}

void
sim_watch_here(struct sim *sim, weir_ps now)
{
    note_middle(sim, now);
    plan_watch(sim, now);
    if (sim->watch->middle_ps && now < sim->flows.starts_until_ps) {
        sample_queues(sim);
    }
    if (sim->watch->middle_ps) {
        sim_note_silence(sim, now);
    }
}

static void
watch_all(struct sim *sim, weir_ps now)
{
    if (now >= sim->watch->next_watch_ps) {
        sim_watch_here(sim, now);
        sim_find_deadlock(sim, now);
    }
    if (now >= sim->watch->next_capture_ps) {
        sim_report_crossings(sim, now);
    }
    sim_sample(sim, now);
    sim_reroute(sim, now);
}

void
sim_watch_between(struct sim *sim, weir_ps now)
{
    sim_end_if_run_out(sim, now);
    if (!sim->is_over) {
        watch_all(sim, now);
    }
}

weir_ps
sim_next_due(const struct sim *sim)
{
    const struct sim_watch *w = sim->watch;
    const weir_ps due[] = { w->next_watch_ps, w->next_sample_ps, w->next_capture_ps, w->next_end_ps,
                            sim->routing.next_change_ps };
    weir_ps first = WEIR_NEVER;

    for (size_t i = 0; i < sizeof due / sizeof *due; i++) {
        first = due[i] < first ? due[i] : first;
    }
    return first;
}

/* The end of a run that lets its flows run out.
 *
 * From the end of what is measured on no flow starts, and the run is over when all measured flows
 * have come to their end: not at that instant, which threads would have to agree on, but at the
 * next of a grid of times.  Its times are borders of windows, so that what has happened before one
 * of them is the same for any number of threads, and for a plain event loop. */

#include "sim/internal.h"

static weir_ps
whole_windows(const struct sim *sim, weir_ps ps)
{
    return (((ps - 1) >> sim->window_bits) + 1) << sim->window_bits;
}

void
sim_start_run_out(struct sim *sim)
{
    weir_ps until = sim->config.measured.until_ps;

    sim->starts_until_ps = until ? until : WEIR_NEVER;
    sim->next_end_ps = until ? whole_windows(sim, until) : WEIR_NEVER;
}

static bool
is_still_measured(const struct sim *sim, uint32_t flow)
{
    const struct plant_flow *f = &sim->plant.flows[flow];

    return *sim_started_ps(sim, flow) >= sim->config.measured.from_ps &&
           f->bytes != PLANT_ENDLESS && sim_sink(sim, flow)->received_bytes != f->bytes &&
           !sim_flow_is_stopped(sim, flow);
}

/* A flow that has ended stays so: each is looked at until then, and never again. */
static bool
have_all_ended(struct sim *sim)
{
    while (sim->n_ended < sim->plant.n_flows && !is_still_measured(sim, sim->n_ended)) {
        sim->n_ended++;
    }
    return sim->n_ended == sim->plant.n_flows;
}

/* Nothing has happened from the first of these times on to 'now'. */
void
sim_end_if_run_out(struct sim *sim, weir_ps now)
{
    if (sim->is_over || now < sim->next_end_ps) {
        return;
    }
    if (have_all_ended(sim)) {
        sim->is_over = true;
        sim->config.until_ps = sim->next_end_ps;
        return;
    }
    while (sim->next_end_ps <= now) {
        sim->next_end_ps += whole_windows(sim, sim->watch_ps);
    }
}

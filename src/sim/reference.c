/* A plain event loop, with which tests compare windows: it runs one event after the other from one
 * heap. */

#include "sim/routing.h"
#include "sim/scheduler.h"
#include "sim/sojourn.h"
#include "sim/watch.h"
#include "sim/wires.h"

/* All mail goes into the heap, including the mail that is in inboxes at the start. */
void
sim_use_heap(struct sim_thread *t)
{
    for (uint32_t i = 0; i < t->sim->ring * t->n_nodes; i++) {
        const struct sim_due *due = &t->due[i / t->n_nodes];
        sim_put_off(t, &due->inboxes[i % t->n_nodes], t->nodes[i % t->n_nodes]);
    }
    t->reach = INT64_MIN;
    for (uint32_t i = 0; i < t->n_nodes; i++) {
        t->own[i].is_prepared = false;
    }
}

void
sim_run_reference(struct sim *sim)
{
    struct sim_thread *t = &sim->threads[0];

    sim_use_heap(t);
    while (t->far.n && t->far.items[0].at <= sim->config.until_ps) {
        weir_ps window_ps = t->far.items[0].at >> t->window_bits << t->window_bits;
        sim_end_if_run_out(sim, window_ps);
        if (sim->is_over) {
            break;
        }
        struct sim_mail m = sim_far_pop(&t->far);
        struct sim_node *n = sim_node_at(sim, m.node);
        t->n_run++;
        sim_reroute(sim, window_ps);
        sim_node_run(t, n, &m);
    }
    sim_end_if_run_out(sim, sim->config.until_ps);
    sim->now_ps = sim->config.until_ps;
    sim_report_crossings(sim, WEIR_NEVER);
    sim_end_spans(sim);
    sim_end_sojourns(sim);
}

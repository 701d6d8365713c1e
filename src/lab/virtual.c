/* Runs all nodes of a model in one process, in virtual time.
 *
 * The clock advances like the simulator's (sim/rounds.c): to the window of the next event of any
 * node. All nodes run to the end of this window. Between two windows, if a report is due, all nodes
 * report. */

#include "lab/virtual.h"

#include <stdlib.h>

#include "base/array.h"
#include "dataplane/frame-needs.h"
#include "sim/live.h"

struct lab_virtual {
    struct lab_virtual_config config;
    const struct topo *topo;
    struct dp_network network;
    struct dp_node **nodes; /* Indexed by node, like all arrays of this struct. */
    struct sim_parcel *reports;
    uint32_t n;
    weir_ps ran_until_ps; /* The end of the last window. */
};

bool
lab_rings_open(const struct dpdk_calls *dpdk, const struct model *model, struct dp_io *io,
               struct err *err)
{
    const struct topo *topo = model->topo;
    struct dpdk_port *ports = array_new(topo->n_ports, sizeof *ports);

    for (uint32_t i = 0; i < topo->n_ports; i++) {
        ports[i].ring_to = topo->ports[i].peer;
    }
    bool is_open =
        dpdk->open(ports, (uint32_t)topo->n_ports, dp_frames_of(model, 0, (uint32_t)topo->n_nodes),
                   dp_longest_frame(model), io, err);
    free(ports);
    return is_open;
}

static bool
start_node(struct lab_virtual *lab, uint32_t id, struct err *err)
{
    const struct lab_virtual_config *c = &lab->config;
    struct model model;

    if (!c->make_model(c->make_arg, &model, err)) {
        model_free(&model);
        return false;
    }
    lab->nodes[id] = dp_node_new(&(struct dp_config){ .network = lab->network,
                                                      .io = c->io,
                                                      .io_port = lab->topo->nodes[id].first_port,
                                                      .node = id,
                                                      .sim = c->nodes,
                                                      .model = &model,
                                                      .has_common_clock = true,
                                                      .tap = c->tap,
                                                      .tap_arg = c->tap_arg },
                                 err);
    return lab->nodes[id];
}

struct lab_virtual *
lab_virtual_new(const struct lab_virtual_config *config, struct err *err)
{
    const struct model *model = sim_model(config->sim);
    struct lab_virtual *lab = array_new(1, sizeof *lab);

    lab->config = *config;
    lab->topo = model->topo;
    lab->network = dp_network_of(model);
    lab->n = (uint32_t)lab->topo->n_nodes;
    lab->nodes = array_new(lab->n, sizeof *lab->nodes);
    lab->reports = array_new(lab->n, sizeof *lab->reports);
    for (uint32_t id = 0; id < lab->n; id++) {
        if (!start_node(lab, id, err)) {
            lab_virtual_free(lab);
            return NULL;
        }
    }
    return lab;
}

void
lab_virtual_free(struct lab_virtual *lab)
{
    for (uint32_t id = 0; id < lab->n; id++) {
        dp_node_free(lab->nodes[id]);
        sim_parcel_free(&lab->reports[id]);
    }
    free(lab->nodes);
    free(lab->reports);
    dp_network_free(&lab->network);
    free(lab);
}

struct dp_counts
lab_virtual_counts(const struct lab_virtual *lab, uint32_t node)
{
    return dp_node_counts(lab->nodes[node]);
}

/* Windows of time. */

/* The start of the window with the next event of any node.  Events that remain from the last window
 * are after the end of the run. */
static weir_ps
next_window(const struct lab_virtual *lab)
{
    weir_ps next = WEIR_NEVER, window_ps = sim_window_ps(lab->config.sim);

    for (uint32_t id = 0; id < lab->n; id++) {
        weir_ps at = dp_node_next(lab->nodes[id]);
        next = at < next ? at : next;
    }
    weir_ps start = next / window_ps * window_ps;
    return start < lab->ran_until_ps ? next : start;
}

static void
run_window(struct lab_virtual *lab, weir_ps start)
{
    weir_ps end = start + sim_window_ps(lab->config.sim) - 1, until = lab->config.nodes.until_ps;

    for (uint32_t id = 0; id < lab->n; id++) {
        dp_node_run(lab->nodes[id], end < until ? end : until);
    }
    lab->ran_until_ps = end + 1;
    sim_live_ran(lab->config.sim, lab->ran_until_ps);
}

static const struct sim_parcel *
report_all(struct lab_virtual *lab, weir_ps now)
{
    for (uint32_t id = 0; id < lab->n; id++) {
        struct sim *node = dp_node_sim(lab->nodes[id]);
        lab->reports[id].n = 0;
        sim_live_ran(node, lab->ran_until_ps);
        sim_live_report(node, now, &lab->reports[id]);
    }
    return lab->reports;
}

/* Whether the run continues. Makes reports that are due first. */
static bool
goes_on(struct lab_virtual *lab, weir_ps next)
{
    struct sim *sim = lab->config.sim;

    if (next > lab->config.nodes.until_ps || sim_was_asked_to_stop(sim)) {
        return false;
    }
    return next < sim_live_due(sim) || sim_live_hear_between(sim, next, report_all(lab, next));
}

/* The end of the run. */

static weir_ps
end_ps(struct lab_virtual *lab)
{
    weir_ps until = lab->config.nodes.until_ps;

    if (sim_was_asked_to_stop(lab->config.sim)) {
        return lab->ran_until_ps < until ? lab->ran_until_ps : until;
    }
    for (uint32_t id = 0; id < lab->n; id++) {
        lab->reports[id].n = 0;
        sim_live_report_view(dp_node_sim(lab->nodes[id]), until, &lab->reports[id]);
    }
    return sim_live_end_ps(lab->config.sim, lab->reports);
}

/* Ends all nodes. Frames on DPDK's rings have already reached the receiving port, and stay
 * there. */
static void
end_all(struct lab_virtual *lab)
{
    weir_ps now = end_ps(lab);

    for (uint32_t id = 0; id < lab->n; id++) {
        sim_live_end(dp_node_sim(lab->nodes[id]), now);
        dp_node_drain(lab->nodes[id]);
    }
    sim_live_hear_last(lab->config.sim, now, report_all(lab, now));
}

void
lab_virtual_run(struct lab_virtual *lab)
{
    for (weir_ps next = next_window(lab); goes_on(lab, next); next = next_window(lab)) {
        run_window(lab, next);
    }
    end_all(lab);
}

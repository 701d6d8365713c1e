/* All nodes of a model in one process, in virtual time.
 *
 * The clock goes as the simulator's does (sim/rounds.c): to the window in which the next thing
 * happens anywhere.  All nodes are run to its end; and between two windows, when something is due
 * for all, they report. */

#include "lab/virtual.h"

#include <stdlib.h>

#include "base/array.h"
#include "dataplane/frame-needs.h"
#include "sim/live.h"

struct place { /* A node, and its ports as part of all. */
    struct lab_virtual *lab;
    struct dp_node *node;
    struct dp_io io;
    uint32_t first_port;
    uint64_t n_refused; /* Frames that a ring has not taken at once: time has gone on meanwhile. */
};

struct lab_virtual {
    struct lab_virtual_config config;
    const struct topo *topo;
    struct dp_network network;
    struct place *places; /* [node]. */
    uint32_t n_places;
    struct sim_parcel *reports; /* [node]. */
    weir_ps ran_until_ps;       /* The end of the last window. */
};

/* Ports of a node, by their numbers among all. */

static const struct dp_io *
all_of(const struct place *p, uint32_t *port)
{
    *port += p->first_port;
    return p->lab->config.io;
}

static uint32_t
receive(void *arg, uint32_t port, struct dp_frame *frames, uint32_t max)
{
    const struct dp_io *io = all_of(arg, &port);

    return io->receive(io->arg, port, frames, max);
}

static uint32_t
send(void *arg, uint32_t port, struct dp_frame *frames, uint32_t n)
{
    struct place *p = arg;
    const struct dp_io *io = all_of(p, &port);
    uint32_t n_taken = io->send(io->arg, port, frames, n);

    p->n_refused += n - n_taken;
    return n_taken;
}

static bool
make(void *arg, uint32_t len, struct dp_frame *frame)
{
    const struct dp_io *io = ((struct place *)arg)->lab->config.io;

    return io->make(io->arg, len, frame);
}

static bool
copy(void *arg, const struct dp_frame *frame, struct dp_frame *one_more)
{
    const struct dp_io *io = ((struct place *)arg)->lab->config.io;

    return io->copy(io->arg, frame, one_more);
}

static void
drop(void *arg, struct dp_frame *frame)
{
    const struct dp_io *io = ((struct place *)arg)->lab->config.io;

    io->drop(io->arg, frame);
}

static bool
is_up(void *arg, uint32_t port)
{
    const struct dp_io *io = all_of(arg, &port);

    return io->is_up(io->arg, port);
}

static void
tap(void *arg, uint32_t port, const struct dp_frame *frame, weir_ps at, bool is_sent)
{
    const struct place *p = arg;

    p->lab->config.tap(p->lab->config.tap_arg, p->first_port + port, frame, at, is_sent);
}

/* Nodes. */

static bool
start_place(struct lab_virtual *lab, uint32_t id, struct err *err)
{
    struct place *p = &lab->places[id];
    struct model model;

    *p = (struct place){ .lab = lab,
                         .first_port = lab->topo->nodes[id].first_port,
                         .io = { .arg = p,
                                 .receive = receive,
                                 .send = send,
                                 .make = make,
                                 .copy = copy,
                                 .drop = drop,
                                 .is_up = is_up } };
    if (!lab->config.make_model(lab->config.make_arg, &model, err)) {
        model_free(&model);
        return false;
    }
    p->node = dp_node_new(&(struct dp_config){ .network = lab->network,
                                               .io = &p->io,
                                               .node = id,
                                               .sim = lab->config.nodes,
                                               .model = &model,
                                               .has_common_clock = true,
                                               .tap = lab->config.tap ? tap : NULL,
                                               .tap_arg = p },
                          err);
    return p->node;
}

struct lab_virtual *
lab_virtual_new(const struct lab_virtual_config *config, struct err *err)
{
    const struct model *model = sim_model(config->sim);
    struct lab_virtual *lab = array_new(1, sizeof *lab);

    lab->config = *config;
    lab->topo = model->topo;
    lab->network = dp_network_of(model);
    lab->n_places = (uint32_t)lab->topo->n_nodes;
    lab->places = array_new(lab->n_places, sizeof *lab->places);
    lab->reports = array_new(lab->n_places, sizeof *lab->reports);
    for (uint32_t id = 0; id < lab->n_places; id++) {
        if (!start_place(lab, id, err)) {
            lab_virtual_free(lab);
            return NULL;
        }
    }
    return lab;
}

void
lab_virtual_free(struct lab_virtual *lab)
{
    for (uint32_t id = 0; id < lab->n_places; id++) {
        if (lab->places[id].node) {
            dp_node_free(lab->places[id].node);
        }
        sim_parcel_free(&lab->reports[id]);
    }
    free(lab->places);
    free(lab->reports);
    dp_network_free(&lab->network);
    free(lab);
}

const struct dp_network *
lab_virtual_network(const struct lab_virtual *lab)
{
    return &lab->network;
}

struct dp_counts
lab_virtual_counts(const struct lab_virtual *lab, uint32_t node)
{
    struct dp_counts counts = dp_node_counts(lab->places[node].node);

    counts.n_refused += lab->places[node].n_refused;
    return counts;
}

/* Time. */

/* When something happens next, at any node: the start of that window.  Events that the last window
 * has left come after the end of the run. */
static weir_ps
next_window(const struct lab_virtual *lab)
{
    weir_ps next = WEIR_NEVER, window_ps = sim_window_ps(lab->config.sim);

    for (uint32_t id = 0; id < lab->n_places; id++) {
        weir_ps at = dp_node_next(lab->places[id].node);
        next = at < next ? at : next;
    }
    weir_ps start = next / window_ps * window_ps;
    return start < lab->ran_until_ps ? next : start;
}

static void
run_window(struct lab_virtual *lab, weir_ps start)
{
    weir_ps end = start + sim_window_ps(lab->config.sim) - 1, until = lab->config.nodes.until_ps;

    for (uint32_t id = 0; id < lab->n_places; id++) {
        dp_node_run(lab->places[id].node, end < until ? end : until);
    }
    lab->ran_until_ps = end + 1;
    sim_live_ran(lab->config.sim, lab->ran_until_ps);
}

static const struct sim_parcel *
report_all(struct lab_virtual *lab, weir_ps now)
{
    for (uint32_t id = 0; id < lab->n_places; id++) {
        struct sim *node = dp_node_sim(lab->places[id].node);
        lab->reports[id].n = 0;
        sim_live_ran(node, lab->ran_until_ps);
        sim_live_report(node, now, &lab->reports[id]);
    }
    return lab->reports;
}

/* False: the run is over. */
static bool
goes_on(struct lab_virtual *lab, weir_ps next)
{
    struct sim *sim = lab->config.sim;

    if (next > lab->config.nodes.until_ps || sim_was_asked_to_stop(sim)) {
        return false;
    }
    return next < sim_live_due(sim) || sim_live_hear_between(sim, next, report_all(lab, next));
}

/* The end. */

static weir_ps
end_ps(struct lab_virtual *lab)
{
    weir_ps until = lab->config.nodes.until_ps;

    if (sim_was_asked_to_stop(lab->config.sim)) {
        return lab->ran_until_ps < until ? lab->ran_until_ps : until;
    }
    for (uint32_t id = 0; id < lab->n_places; id++) {
        lab->reports[id].n = 0;
        sim_live_report_view(dp_node_sim(lab->places[id].node), until, &lab->reports[id]);
    }
    return sim_live_end_ps(lab->config.sim, lab->reports);
}

/* Frames on rings have come to where they were to come, and stay there. */
static void
end_all(struct lab_virtual *lab)
{
    weir_ps now = end_ps(lab);

    for (uint32_t id = 0; id < lab->n_places; id++) {
        sim_live_end(dp_node_sim(lab->places[id].node), now);
        dp_node_drain(lab->places[id].node);
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

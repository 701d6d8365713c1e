/* Runs a scenario in virtual time, in place of the simulator. */

#include <stdlib.h>

#include "base/array.h"
#include "bind/bind.h"
#include "lab/lab.h"
#include "lab/reports.h"
#include "lab/virtual.h"
#include "run/outcome.h"
#include "sim/live.h"

struct virtual_run {
    struct scenario *scenario;
    struct sim_live hears;
    struct sim_config nodes;  /* The simulation's configuration, adapted for nodes. */
    struct dp_counts *counts; /* [node]. */
};

/* Prepares the run. The models of all nodes share one topology, so none may consume it. */
static int
begin(void *arg, struct scenario *s, struct sim_config *config, struct err *err)
{
    struct virtual_run *v = arg;

    (void)err;
    v->scenario = s;
    v->hears = (struct sim_live){ .node = SIM_NONE };
    config->spent = NULL;
    v->nodes = lab_config_of_nodes(config);
    config->live = &v->hears;
    return EXIT_GOOD;
}

static bool
make_model(void *arg, struct model *model, struct err *err)
{
    return bind_model(arg, model, err);
}

/* Fails the run if there was no memory for a frame, because the results are then invalid. */
static int
check_counts(struct virtual_run *v, const struct topo *topo, struct err *err)
{
    for (uint32_t id = 0; id < topo->n_nodes; id++) {
        uint64_t n = v->counts[id].n_without_memory + v->counts[id].n_refused;
        if (n) {
            return run_fail(err, EXIT_WORLD,
                            "%s had no memory for %llu frame%s: more packets wait in this network "
                            "than a lab in one process can hold; use smaller buffers, fewer nodes "
                            "or a shorter run",
                            topo->nodes[id].name, (unsigned long long)n, n == 1 ? "" : "s");
        }
    }
    return EXIT_GOOD;
}

static int
run_on(struct virtual_run *v, struct sim *sim, const struct dp_io *io, struct err *err)
{
    const struct topo *topo = sim_model(sim)->topo;
    struct lab_virtual *lab =
        lab_virtual_new(&(struct lab_virtual_config){ .io = io,
                                                      .make_model = make_model,
                                                      .make_arg = v->scenario,
                                                      .sim = sim,
                                                      .nodes = v->nodes },
                        err);
    if (!lab) {
        return EXIT_USER;
    }
    lab_virtual_run(lab);
    v->counts = array_new(topo->n_nodes, sizeof *v->counts);
    for (uint32_t id = 0; id < topo->n_nodes; id++) {
        v->counts[id] = lab_virtual_counts(lab, id);
    }
    lab_virtual_free(lab);
    return check_counts(v, topo, err);
}

static int
run_nodes(void *arg, struct sim *sim, struct err *err)
{
    const struct dpdk_calls *dpdk = dpdk_load(err);
    struct dp_io io;

    if (!dpdk || !dpdk->begin(NULL, err)) {
        return EXIT_WORLD;
    }
    int code = lab_rings_open(dpdk, sim_model(sim), &io, err) ? EXIT_GOOD : EXIT_WORLD;
    if (code == EXIT_GOOD) {
        code = run_on(arg, sim, &io, err);
        dpdk->close(&io);
    }
    dpdk->end();
    return code;
}

static void
count(void *arg, struct outcome *o)
{
    const struct virtual_run *v = arg;

    for (uint32_t id = 0; id < o->s.topo.n_nodes; id++) {
        outcome_count(o, id, "lab.n_sent", v->counts[id].n_sent);
        outcome_count(o, id, "lab.n_received", v->counts[id].n_received);
    }
}

int
lab_run_virtually(struct outcome *o, const struct outcome_job *asked, struct err *err)
{
    struct virtual_run v = { 0 };
    const struct outcome_runner runner = {
        .host = "virtual lab", .arg = &v, .begin = begin, .run = run_nodes, .count = count
    };
    struct outcome_job job = *asked;

    job.runner = &runner;
    int code = outcome_run_read(o, &job, err);
    free(v.counts);
    return code;
}

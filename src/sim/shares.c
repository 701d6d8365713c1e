/* Fair shares: the rate of each flow if every link and pipeline on its path were shared evenly by
 * the flows that cross it. */

#include <stdlib.h>

#include "base/array.h"
#include "sim/flow-ends.h"
#include "sim/path-dag.h"
#include "sim/wires.h"

static bool
is_counted(const bool *counts, uint32_t flow)
{
    return !counts || counts[flow];
}

/* The weight of all flows on each port, followed by their weight on each node. */
static uint64_t *
weigh_all(const struct sim *sim, const bool *counts)
{
    const struct topo *topo = sim->model.topo;
    uint64_t *weights = array_new(topo->n_ports + topo->n_nodes, sizeof *weights);

    for (uint32_t flow = 0; flow < sim->model.n_flows; flow++) {
        if (!is_counted(counts, flow)) {
            continue;
        }
        struct sim_path_dag dag;
        sim_path_dag_open(&dag, sim, flow);
        for (size_t i = 0; i < dag.n_hops; i++) {
            weights[dag.hops[i].port] += dag.hops[i].weight;
        }
        for (size_t i = 0; i < dag.n_stops; i++) {
            weights[topo->n_ports + dag.stops[i].node] += dag.stops[i].weight;
        }
        sim_path_dag_close(&dag);
    }
    return weights;
}

static void
lower_share(uint64_t *bps, uint64_t all_bps, uint64_t weight)
{
    uint64_t share = weir_mul_div(all_bps, SIM_PATH_DAG_WHOLE, weight);

    *bps = share < *bps ? share : *bps;
}

/* The rate that a pipeline accepts if all packets have the maximum size. */
static uint64_t
pipeline_bps(const struct model *p, uint32_t node)
{
    uint64_t pps = model_shape_like(p, node)->pipeline_pps;

    return pps ? weir_mul_div(pps, 8 * (uint64_t)p->mtu_bytes, 1) : WEIR_UNLIMITED;
}

/* The rate of a flow: the lowest share of any link or pipeline on its paths. */
static uint64_t
share_of(const struct sim *sim, uint32_t flow, const uint64_t *weights)
{
    const uint64_t *node_weights = weights + sim->model.topo->n_ports;
    uint64_t bps = WEIR_UNLIMITED;
    struct sim_path_dag dag;

    sim_path_dag_open(&dag, sim, flow);
    for (size_t i = 0; i < dag.n_hops; i++) {
        uint32_t port = dag.hops[i].port;
        lower_share(&bps, sim_min_bps(sim, port), weights[port]);
    }
    for (size_t i = 0; i < dag.n_stops; i++) {
        uint32_t node = dag.stops[i].node;
        lower_share(&bps, pipeline_bps(&sim->model, node), node_weights[node]);
    }
    sim_path_dag_close(&dag);
    return bps;
}

void
sim_link_shares(const struct sim *sim, const bool *counts, uint64_t *bps)
{
    uint64_t *weights = weigh_all(sim, counts);

    for (uint32_t flow = 0; flow < sim->model.n_flows; flow++) {
        bps[flow] = is_counted(counts, flow) ? share_of(sim, flow, weights) : 0;
    }
    free(weights);
}

void
sim_fair_shares(const struct sim *sim, const bool *counts, uint64_t *bps)
{
    sim_link_shares(sim, counts, bps);
    for (uint32_t flow = 0; flow < sim->model.n_flows; flow++) {
        uint64_t rate_bps = sim->model.flows[flow].terms->rate_bps;
        bps[flow] = rate_bps < bps[flow] ? rate_bps : bps[flow];
    }
}

/* Finds the path DAG of a flow, which has all paths that its packets may take, level by level from
 * the sender.
 *
 * If a switch is visited again, as in a routing loop, its hops are added only once.  A path that
 * the scenario sets for a flow may cross a switch twice. */

#include "sim/path-dag.h"

#include <stdlib.h>

#include "base/array.h"
#include "sim/flow-ends.h"

static uint32_t
stop_at(struct sim_path_dag *dag, uint32_t node, uint32_t level)
{
    const struct topo *topo = dag->sim->model.topo;
    const struct topo_node *at = &topo->nodes[node];
    uint32_t *stop = &dag->stop_of[at->kind == TOPO_NIC ? topo->n_switches : at->index];

    if (!*stop || dag->sim->model.flows[dag->flow].terms->path) {
        const struct weir_shape *shape = model_shape_like(&dag->sim->model, node);
        ARRAY_PUSH(dag->stops, dag->n_stops, dag->max_stops) =
            (struct sim_stop){ .node = node,
                               .level = level,
                               .inside_ps = shape->pipeline_ps,
                               .period_ps = weir_period_ps(shape->pipeline_pps) };
        *stop = (uint32_t)dag->n_stops;
    }
    return *stop - 1;
}

static void
add_hop(struct sim_path_dag *dag, uint32_t from, uint32_t port, uint64_t weight)
{
    const struct topo *topo = dag->sim->model.topo;
    uint32_t level = dag->stops[from].level + 1;
    uint32_t to = stop_at(dag, topo->ports[topo->ports[port].peer].node, level);

    dag->stops[to].weight += weight;
    dag->is_even &= dag->stops[to].level == level;
    ARRAY_PUSH(dag->hops, dag->n_hops, dag->max_hops) =
        (struct sim_hop){ .port = port,
                          .from = from,
                          .to = to,
                          .weight = weight,
                          .link = &topo->links[topo->ports[port].link] };
}

/* Adds the hops from a switch, unless the hop limit ends the path there. */
static void
leave_switch(struct sim_path_dag *dag, uint32_t from)
{
    const struct model *p = &dag->sim->model;
    const struct sim_stop stop = dag->stops[from];
    uint32_t n_hops = stop.level - 1, first_port = p->topo->nodes[stop.node].first_port;
    uint32_t dst = p->topo->nodes[p->flows[dag->flow].to].index;

    if (p->hop_limit && n_hops >= p->hop_limit) {
        return;
    }
    struct sim_next_ports ways = sim_next_ports(
        dag->sim, stop.node,
        &(struct sim_packet){
            .flow = dag->flow, .dst = dst & SIM_MAX_DST, .n_hops = n_hops & SIM_MAX_HOPS });
    dag->splits |= ways.n > 1;
    for (uint32_t i = 0; i < ways.n; i++) {
        uint64_t weight = stop.weight / ways.n;
        add_hop(dag, from, first_port + sim_next_port(&ways, i), weight ? weight : 1);
    }
}

void
sim_path_dag_open(struct sim_path_dag *dag, const struct sim *sim, uint32_t flow)
{
    const struct topo *topo = sim->model.topo;
    uint32_t sender = sim->model.flows[flow].from;

    *dag = (struct sim_path_dag){ .sim = sim, .flow = flow, .is_even = true };
    dag->stop_of = array_new(topo->n_switches + 1, sizeof *dag->stop_of);
    ARRAY_PUSH(dag->stops, dag->n_stops, dag->max_stops) =
        (struct sim_stop){ .node = sender, .weight = SIM_PATH_DAG_WHOLE };
    add_hop(dag, 0, topo->nodes[sender].first_port + sim_port_of_flow(sim, flow),
            SIM_PATH_DAG_WHOLE);
    for (uint32_t i = 1; i < dag->n_stops; i++) {
        if (topo->nodes[dag->stops[i].node].kind == TOPO_NIC) {
            dag->arrives = true;
        } else {
            leave_switch(dag, i);
        }
    }
}

void
sim_path_dag_close(struct sim_path_dag *dag)
{
    free(dag->stops);
    free(dag->hops);
    free(dag->stop_of);
}

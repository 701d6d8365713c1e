/* The port by which a packet leaves a switch. */

#include "sim/internal.h"

uint32_t
sim_route(const struct sim *sim, struct sim_node *n, const struct sim_packet *p)
{
    const struct topo *topo = sim->plant.topo;

    if (sim->has_paths && sim->plant.flows[p->flow].path) {
        const struct plant_flow *f = &sim->plant.flows[p->flow];
        if (p->dst == topo->nodes[f->to].index) { /* What is acknowledged is not pinned. */
            return p->n_hops < f->n_path ? f->path[p->n_hops] : SIM_NONE;
        }
    }
    uint32_t leaf = sim->dst_leaf[p->dst];
    if (leaf == n->leaf) {
        return sim->dst_port[p->dst];
    }
    uint32_t way = n->routes[leaf];
    if (!(way & SIM_MANY_WAYS) || way == SIM_NONE) {
        return way;
    }
    const struct topo_group *g = &sim->net.groups[way & ~SIM_MANY_WAYS];
    return n->path_choice->choose(n, p, sim->net.choices + g->first, g->n);
}

uint32_t
sim_output_port(const struct sim_thread *t, struct sim_node *n, const struct sim_packet *p)
{
    return sim_route(t->sim, n, p);
}

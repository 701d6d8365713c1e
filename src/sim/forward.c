/* Finds the port through which a packet leaves a switch. */

#include <stdlib.h>

#include "base/array.h"
#include "sim/routing.h"
#include "sim/wires.h"

/* Returns a port, SIM_NONE, or a group of ports, marked by SIM_ROUTE_GROUP. */
static inline uint32_t
find_route(const struct sim *sim, const struct sim_node *n, const struct sim_packet *p)
{
    const struct topo *topo = sim->model.topo;

    if (sim->routing.has_paths && p->flow < sim->model.n_flows &&
        sim->model.flows[p->flow].terms->path) {
        const struct model_flow *f = &sim->model.flows[p->flow];
        if (p->dst == topo->nodes[f->to].index) { /* Acknowledgements do not follow the pinned
                                                   * path. */
            return p->n_hops < f->terms->n_path ? f->terms->path[p->n_hops] : SIM_NONE;
        }
    }
    uint32_t leaf = sim->routing.dst_leaf[p->dst];
    return leaf == n->leaf ? sim->routing.dst_port[p->dst] : n->routes[leaf];
}

/* Whether a packet of a flow with a pinned path is on that path.  A path is a list of ports, one
 * for each switch.  The hop count of a forged packet may select a port of another switch. */
bool
sim_is_on_path(const struct sim *sim, const struct sim_node *n, const struct sim_packet *p)
{
    const struct topo *topo = sim->model.topo;
    const struct model_flow *f = &sim->model.flows[p->flow];
    uint32_t at = topo_beyond(topo, topo->nodes[f->from].first_port + f->terms->from_port);

    if (!f->terms->path || p->dst != topo->nodes[f->to].index) {
        return true;
    }
    for (uint32_t i = 0;
         i < p->n_hops && i < f->terms->n_path && topo->nodes[at].kind == TOPO_SWITCH; i++) {
        at = topo->ports[topo->ports[topo->nodes[at].first_port + f->terms->path[i]].peer].node;
    }
    return p->n_hops < f->terms->n_path && at == n->id;
}

/* The index of the set bit that has 'number' set bits below it. */
static uint32_t
place_of_bit(uint32_t bits, uint32_t number)
{
    while (number--) {
        bits &= bits - 1;
    }
    return (uint32_t)__builtin_ctz(bits);
}

uint32_t
sim_nic_port(const struct sim *sim, uint32_t nic, uint32_t dst, uint32_t flow)
{
    const struct topo *net = &sim->routing.net;
    const struct model_flow *f = &sim->model.flows[flow];
    uint32_t n_ports = net->nodes[nic].n_ports;

    if (n_ports == 1) {
        return 0;
    }
    if (f->terms->path && f->from == nic) {
        return f->terms->from_port;
    }
    uint32_t ports = topo_nic_ports(net, nic, sim->routing.dst_leaf[dst]);
    ports = ports ? ports : (1u << n_ports) - 1;
    uint32_t n = (uint32_t)__builtin_popcount(ports);
    return place_of_bit(ports, sim_pick(sim->flows.keys[flow], sim_salt(nic), n));
}

static inline bool
is_group(uint32_t route)
{
    return route & SIM_ROUTE_GROUP && route != SIM_NONE;
}

/* Hot: once per packet-hop. */
static inline uint32_t
choose_port(const struct sim *sim, struct sim_node *n, const struct sim_packet *p, uint32_t route)
{
    const struct topo_group *g = &sim->routing.net.groups[route & ~SIM_ROUTE_GROUP];
    return n->path_choice->choose(n, p, sim->routing.net.choices + g->first, g->n);
}

uint32_t
sim_output_port(const struct sim_thread *t, struct sim_node *n, const struct sim_packet *p)
{
    uint32_t route = find_route(t->sim, n, p);
    return is_group(route) ? choose_port(t->sim, n, p, route) : route;
}

/* The switch of the sender of a packet. A packet that does not go to the receiver of its flow, such
 * as an ACK, was sent by the receiver. */
uint32_t
sim_entry_of(const struct sim_thread *t, const struct sim_node *n, const struct sim_packet *p)
{
    const struct model *model = &t->sim->model;
    if (p->flow >= model->n_flows) { /* The packet is foreign. */
        return SIM_NONE;
    }
    const struct model_flow *f = &model->flows[p->flow];
    bool is_forward = model->topo->nodes[f->to].index == p->dst;
    uint32_t sender = is_forward ? f->from : f->to;
    uint32_t port = sim_nic_port(t->sim, sender, p->dst, p->flow);
    uint32_t at = topo_beyond(model->topo, model->topo->nodes[sender].first_port + port);

    return at == n->id ? SIM_NONE : at;
}

uint32_t
sim_message_port(const struct sim *sim, struct sim_node *n, const struct sim_frame *f)
{
    const struct topo_node *to = &sim->model.topo->nodes[f->to];
    struct sim_packet like = { .flow = f->flow,
                               .dst = to->index & SIM_MAX_DST,
                               .n_hops = f->n_hops,
                               .bytes = WEIR_CONTROL_BYTES,
                               .kind = SIM_CNP };
    uint32_t route = SIM_NONE;

    if (to->kind == TOPO_NIC) {
        route = find_route(sim, n, &like);
    } else if (sim->routing.leaf_of[to->index] != SIM_NONE) {
        route = n->routes[sim->routing.leaf_of[to->index]];
    }
    return is_group(route) ? choose_port(sim, n, &like, route) : route;
}

uint32_t
sim_leaf_of(const struct sim_thread *t, const struct sim_node *n, const struct sim_packet *p)
{
    uint32_t leaf = t->sim->routing.dst_leaf[p->dst];

    return leaf == n->leaf ? SIM_NONE : leaf;
}

uint32_t
sim_n_leaves(const struct sim_thread *t)
{
    return t->sim->model.topo->n_leaves;
}

static struct sim_next_ports
next_ports_from(const struct sim *sim, struct sim_node *n, const struct sim_packet *p)
{
    uint32_t route = find_route(sim, n, p);

    if (is_group(route) && !n->path_choice->is_fixed) {
        const struct topo_group *g = &sim->routing.net.groups[route & ~SIM_ROUTE_GROUP];
        return (struct sim_next_ports){ .several = sim->routing.net.choices + g->first, .n = g->n };
    }
    route = is_group(route) ? choose_port(sim, n, p, route) : route;
    return (struct sim_next_ports){ .only = route, .n = route != SIM_NONE };
}

/* Makes the ports of a node, with only those members that a choice of paths reads; the caller frees
 * them. */
static struct sim_port *
list_peers(const struct sim *sim, uint32_t node)
{
    const struct topo *topo = sim->model.topo;
    const struct topo_node *n = &topo->nodes[node];
    struct sim_port *ports = array_new_aligned(64, n->n_ports * sizeof *ports);

    for (uint32_t i = 0; i < n->n_ports; i++) {
        ports[i] = (struct sim_port){ .peer_node = topo_beyond(topo, n->first_port + i) };
    }
    return ports;
}

/* All ranks know all routes, and a fixed choice depends only on the number of a node.  So this is
 * enough to query a switch that another rank runs. */
struct sim_next_ports
sim_next_ports(const struct sim *sim, uint32_t node, const struct sim_packet *p)
{
    const struct model_role *role = model_role_at(&sim->model, node);

    if (sim_is_here(sim, node)) {
        return next_ports_from(sim, sim_node_at(sim, node), p);
    }
    struct sim_node like = { .id = node,
                             .salt = sim_salt(node),
                             .leaf = sim->routing.leaf_of[sim->model.topo->nodes[node].index],
                             .routes = sim_routes_of(sim, node),
                             .flow_keys = sim->flows.keys,
                             .ports = role->path_choice->asks_peers ? list_peers(sim, node) : NULL,
                             .path_choice = role->path_choice,
                             .path_params = role->path_params };
    struct sim_next_ports next = next_ports_from(sim, &like, p);

    free(like.ports);
    return next;
}

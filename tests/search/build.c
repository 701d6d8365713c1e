/* Builds nodes, and lanes (directions of links, see net.h), from the plan of a search. */

#include <stdlib.h>
#include <string.h>

#include "net.h"

static uint8_t
tier_of(const struct search_net *plan, uint32_t node)
{
    return plan->tiers[node] ? plan->tiers[node] : 1;
}

/* The tier of the node at port 0. Higher tiers have no hosts, so there that node only fills the
 * port of a host and sends nothing. */
static uint8_t
tier_below(const struct search_net *plan, uint32_t node)
{
    return (uint8_t)(tier_of(plan, node) - 1);
}

/* The port of a switch that leads to another node. Adds a port if there is none. */
static uint8_t
port_to(struct network *net, uint32_t node, uint32_t peer, uint8_t peers[][MAX_PORTS])
{
    struct live *n = &net->nodes[node];
    uint8_t port = 1;

    while (port < n->shape.n_ports && peers[node][port] != peer) {
        port++;
    }
    if (port == n->shape.n_ports) {
        n->shape.n_ports++;
        peers[node][port] = (uint8_t)peer;
        n->ports[port].peer_tier = tier_of(net->plan, peer);
    }
    return port;
}

static void
add_lane(struct network *net, uint8_t from, uint8_t to, uint8_t peers[][MAX_PORTS])
{
    for (uint8_t i = 0; i < net->n_lanes; i++) {
        if (net->ends[i].from == from && net->ends[i].to == to) {
            return;
        }
    }
    struct lane_ends ends = { .from = from, .to = to };
    ends.out_port = port_to(net, from, to, peers);
    ends.in_port = port_to(net, to, from, peers);
    net->nodes[from].lane_out[ends.out_port] = net->n_lanes;
    net->nodes[to].lane_in[ends.in_port] = net->n_lanes;
    net->ends[net->n_lanes++] = ends;
}

static void
add_lanes(struct network *net)
{
    uint8_t peers[SEARCH_MAX_SWITCHES][MAX_PORTS] = { 0 };

    for (uint8_t i = 0; i < net->plan->n_flows; i++) {
        const struct search_flow *f = &net->plan->flows[i];
        for (uint8_t hop = 0; hop + 1 < f->n; hop++) {
            add_lane(net, f->path[hop], f->path[hop + 1], peers);
        }
        if (f->is_loop) {
            add_lane(net, f->path[f->n - 1], f->path[0], peers);
        }
    }
}

static struct weir_buffer_class
buffer_of(const struct search_net *plan)
{
    uint64_t room = (uint64_t)plan->room * SEARCH_PACKET_BYTES;

    if (!plan->partition) {
        return (struct weir_buffer_class){ .reserve_bytes = room };
    }
    return (struct weir_buffer_class){ .partition_bytes =
                                           (uint64_t)plan->partition * SEARCH_PACKET_BYTES,
                                       .alpha = WEIR_RATIO_1,
                                       .headroom_bytes = room };
}

static void
shape_node(struct network *net, uint32_t node)
{
    const struct search_net *plan = net->plan;
    struct live *n = &net->nodes[node];
    struct weir_buffer_class buffer = buffer_of(plan);
    uint64_t of_port = buffer.reserve_bytes + buffer.headroom_bytes;
    bool is_switch = node < plan->n_switches;

    n->shape.ports = n->ports;
    n->shape.n_classes = plan->n_classes;
    n->shape.lossless = 0xff;
    n->shape.mtu_bytes = SEARCH_PACKET_BYTES;
    uint32_t leaf = node % plan->n_switches;
    n->shape.tier = is_switch ? tier_of(plan, leaf) : tier_below(plan, leaf);
    n->ports[0].peer_tier = is_switch ? tier_below(plan, leaf) : tier_of(plan, leaf);
    n->n_slots = weir_n_slots(&n->shape);
    for (uint32_t i = 0; i < n->shape.n_ports; i++) {
        n->ports[i].rate_bps = 10000000000;
    }
    for (uint32_t cls = 0; cls < plan->n_classes; cls++) {
        n->shape.buffer.classes[cls] = buffer;
    }
    n->shape.buffer.size_bytes =
        plan->n_classes * (buffer.partition_bytes + n->shape.n_ports * of_port) +
        (uint64_t)plan->shared * SEARCH_PACKET_BYTES;
}

static bool
set_params(const struct search_net *plan, struct weir_stack *stack, struct weir_text *why)
{
    bool good = true;

    weir_stack_add(stack, weir_engine_find(plan->engine));
    for (uint32_t i = 0; good && i < 8 && plan->params[i]; i += 2) {
        good = weir_stack_set(stack, 0, plan->params[i], plan->params[i + 1], why);
    }
    if (plan->partition) {
        return good && weir_stack_set(stack, 0, "threshold", "dynamic", why);
    }
    struct weir_text xoff = { 0 }, xon = { 0 };
    weir_text_add(&xoff, "%B", (uint64_t)plan->xoff * SEARCH_PACKET_BYTES);
    weir_text_add(&xon, "%B", (uint64_t)(plan->xoff - 1) * SEARCH_PACKET_BYTES);
    return good && weir_stack_set(stack, 0, "xoff", xoff.s, why) &&
           weir_stack_set(stack, 0, "xon", xon.s, why);
}

static bool
start_node(struct network *net, uint32_t node, struct weir_text *why)
{
    struct live *n = &net->nodes[node];
    struct weir_stack stack = { 0 };
    struct weir_needs needs;
    struct weir_text said = { 0 };

    shape_node(net, node);
    if (!set_params(net->plan, &stack, why)) {
        return false;
    }
    if (!weir_stack_resolve(&stack, &n->shape, &needs, &said)) {
        weir_text_add(why, "%s", said.s);
        return false;
    }
    n->memory_bytes = needs.state_bytes;
    n->memory = aligned_alloc(WEIR_MEMORY_ALIGN, needs.state_bytes);
    memset(n->memory, 0, needs.state_bytes);
    n->out = (struct weir_outbox){ .emits = n->emits, .max = 2 * MAX_SLOTS };
    weir_buffer_init(&n->buffer, &n->shape.buffer, n->shape.n_ports, n->shape.n_classes, n->slots);
    weir_node_init(&n->node, &stack, &n->shape, &n->buffer, &n->out, n->memory, 0);
    return true;
}

bool
network_start(struct network *net, const struct search_net *plan, struct weir_text *why)
{
    bool good = true;

    *net = (struct network){ .plan = plan, .n_nodes = (uint8_t)(2 * plan->n_switches) };
    for (uint32_t node = 0; node < net->n_nodes; node++) {
        net->nodes[node].shape.n_ports = 1;
        memset(net->nodes[node].lane_in, NO_LANE, MAX_PORTS);
        memset(net->nodes[node].lane_out, NO_LANE, MAX_PORTS);
    }
    add_lanes(net);
    for (uint32_t node = 0; good && node < net->n_nodes; node++) {
        good = start_node(net, node, why);
    }
    return good;
}

void
network_stop(struct network *net)
{
    for (uint32_t node = 0; node < net->n_nodes; node++) {
        free(net->nodes[node].memory);
    }
}

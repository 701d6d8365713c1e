/* All nodes of a network, each on its own ports in memory.
 *
 *     struct nodes nodes;
 *     nodes_start(&nodes, &net, false);
 *     nodes_run(&nodes, until);                    in virtual time
 *     nodes_poll(&nodes, until, step);             or in real time, by a clock with this step
 *     struct sim *all = nodes_end(&nodes, until);  results of the whole network
 *     nodes_stop(&nodes); */

#ifndef TESTS_DATAPLANE_NODES_H
#define TESTS_DATAPLANE_NODES_H

#include "dataplane/node.h"
#include "memory-io.h"
#include "net.h"

struct nodes {
    struct net *net;
    struct memory_io *memory;
    /* Indexed by node, like all arrays of this struct except for 'ends'. */
    struct memory_side *sides;
    struct dp_io *ios;
    struct dp_node **items;
    struct dp_flow_ends *ends; /* [flow]. */
    struct sim_live hears;     /* The receiver of reports from the taps of all nodes. */
    /* Results of the whole network; null until reports have been received. */
    struct sim *all;
    uint32_t n;
    /* Maximum number of frames for nodes that are made from now on; 0 for no limit. */
    uint32_t max_frames;
    weir_ps now;
};

static inline struct dp_network
nodes_network(const struct nodes *nodes)
{
    const struct simple_net *c = &nodes->net->config;

    return (struct dp_network){ .topo = c->topo,
                                .flows = nodes->ends,
                                .n_flows = c->n_flows,
                                .n_classes = c->n_classes,
                                .max_len = c->mtu_bytes - 4 };
}

static inline struct dp_node *
nodes_new(struct nodes *nodes, uint32_t id, bool keeps_wire_time)
{
    struct model model;
    struct err err;

    nodes->ios[id] =
        memory_io_of(nodes->memory, &nodes->sides[id], nodes->net->topo.nodes[id].first_port);
    if (!simple_net_model(&nodes->net->config, &model, &err)) {
        fail_msg("%s", err.text);
    }
    struct dp_node *d = dp_node_new(&(struct dp_config){ .network = nodes_network(nodes),
                                                         .io = &nodes->ios[id],
                                                         .node = id,
                                                         .sim = nodes->net->config.run,
                                                         .model = &model,
                                                         .has_common_clock = true,
                                                         .is_open = true,
                                                         .max_frames = nodes->max_frames,
                                                         .keeps_wire_time = keeps_wire_time },
                                    &err);
    if (!d) {
        fail_msg("%s", err.text);
    }
    return d;
}

static inline void
nodes_start(struct nodes *nodes, struct net *net, bool keeps_wire_time)
{
    *nodes = (struct nodes){ .net = net, .n = (uint32_t)net->topo.n_nodes };
    nodes->memory = memory_io_new(net->topo.n_ports);
    memory_io_join_all(nodes->memory, &net->topo);
    nodes->sides = array_new(nodes->n, sizeof *nodes->sides);
    nodes->ios = array_new(nodes->n, sizeof *nodes->ios);
    nodes->items = array_new(nodes->n, sizeof(struct dp_node *));
    nodes->ends = array_new(net->config.n_flows, sizeof *nodes->ends);
    for (uint32_t i = 0; i < net->config.n_flows; i++) {
        nodes->ends[i] = (struct dp_flow_ends){ net->flows[i].from, net->flows[i].to };
    }
    for (uint32_t i = 0; i < nodes->n; i++) {
        nodes->items[i] = nodes_new(nodes, i, keeps_wire_time);
    }
}

/* Ends a node and starts a new one with the same ports. */
static inline void
nodes_restart(struct nodes *nodes, uint32_t id)
{
    dp_node_free(nodes->items[id]);
    nodes->items[id] = nodes_new(nodes, id, true);
}

/* The minimum delay of any link: a frame that is sent in one interval of this length arrives in a
 * later one. */
static inline weir_ps
nodes_step(const struct nodes *nodes)
{
    const struct topo *topo = &nodes->net->topo;
    weir_ps least = WEIR_NEVER;

    for (uint32_t i = 0; i < topo->n_links; i++) {
        const struct topo_link *link = &topo->links[i];
        weir_ps ps = link->delay_ps + weir_wire_ps(WEIR_CONTROL_BYTES, link->rate_bps);
        least = ps < least ? ps : least;
    }
    return least;
}

static inline void
nodes_run(struct nodes *nodes, weir_ps until)
{
    weir_ps step = nodes_step(nodes);

    while (nodes->now < until) {
        nodes->now = nodes->now + step < until ? nodes->now + step : until;
        for (uint32_t i = 0; i < nodes->n; i++) {
            dp_node_run(nodes->items[i], nodes->now);
        }
    }
}

static inline void
nodes_poll(struct nodes *nodes, weir_ps until, weir_ps step)
{
    while (nodes->now < until) {
        nodes->now += step;
        for (uint32_t i = 0; i < nodes->n; i++) {
            dp_node_poll(nodes->items[i], nodes->now);
        }
    }
}

static inline struct sim *
nodes_hear(struct nodes *nodes)
{
    struct sim_parcel *reports = array_new(nodes->n, sizeof *reports);
    struct simple_net config = nodes->net->config;
    struct err err;

    for (uint32_t i = 0; i < nodes->n; i++) {
        sim_live_report(dp_node_sim(nodes->items[i]), nodes->now, &reports[i]);
    }
    nodes->hears = (struct sim_live){ .node = SIM_NONE };
    config.run.live = &nodes->hears;
    nodes->all = simple_net_sim_new(&config, &err);
    if (!nodes->all) {
        fail_msg("%s", err.text);
    }
    sim_live_hear_last(nodes->all, nodes->now, reports);
    for (uint32_t i = 0; i < nodes->n; i++) {
        sim_parcel_free(&reports[i]);
    }
    free(reports);
    return nodes->all;
}

/* Ends all nodes, and collects the frames that are in flight.  This takes two rounds, because the
 * first one only hands some frames to devices. */
static inline struct sim *
nodes_end(struct nodes *nodes, weir_ps now)
{
    nodes->now = now;
    for (uint32_t i = 0; i < nodes->n; i++) {
        dp_node_end(nodes->items[i], now);
    }
    for (uint32_t i = 0; i < 2 * nodes->n; i++) {
        dp_node_drain(nodes->items[i % nodes->n]);
    }
    return nodes_hear(nodes);
}

static inline void
nodes_stop(struct nodes *nodes)
{
    for (uint32_t i = 0; i < nodes->n; i++) {
        dp_node_free(nodes->items[i]);
    }
    if (nodes->all) {
        sim_free(nodes->all);
    }
    memory_io_free(nodes->memory);
    free(nodes->sides);
    free(nodes->ios);
    free(nodes->items);
    free(nodes->ends);
}

#endif

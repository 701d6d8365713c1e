/* Networks built in code, for closed forms: every link and parameter is given where it is used.
 *
 *     struct net net;
 *     hand_start(&net);
 *     uint32_t s = hand_switch(&net), a = hand_nic(&net), b = hand_nic(&net);
 *     hand_link(&net, a, s, 10000000000, 1000000);  ...
 *     hand_finish(&net, 1);
 *     net.flows[0].from = a;  ...
 *     net_use(&net, "pfc");
 *     hand_set(&net, "xoff", 60000);
 *     struct sim *sim = hand_run(&net);
 *
 * Ports are numbered in the order of links.  Packets have no gap unless one is set. */

#ifndef TESTS_SIM_HAND_H
#define TESTS_SIM_HAND_H

#include <stdio.h>

#include "net.h"

static inline void
hand_start(struct net *net)
{
    *net = (struct net){ 0 };
}

static inline uint32_t
hand_node(struct net *net, enum topo_kind kind, char letter)
{
    char name[TOPO_NAME_BYTES];
    snprintf(name, sizeof name, "%c%zu", letter, net->topo.n_nodes);
    return topo_add_node(&net->topo, kind, name);
}

static inline uint32_t
hand_switch(struct net *net)
{
    return hand_node(net, TOPO_SWITCH, 'S');
}

static inline uint32_t
hand_nic(struct net *net)
{
    return hand_node(net, TOPO_NIC, 'H');
}

static inline void
hand_link(struct net *net, uint32_t a, uint32_t b, uint64_t rate_bps, weir_ps delay_ps)
{
    topo_add_link(&net->topo, a, b,
                  &(struct topo_link){ .rate_bps = rate_bps, .delay_ps = delay_ps });
}

/* Adds flows without end and without a rate limit; the test chooses senders and receivers. */
static inline void
hand_finish(struct net *net, uint32_t n_flows)
{
    struct err err;

    assert_true(topo_finish(&net->topo, &err));
    topo_route(&net->topo);
    net->flows = calloc(n_flows, sizeof *net->flows);
    for (uint32_t i = 0; i < n_flows; i++) {
        net->flows[i] =
            (struct simple_net_flow){ .bytes = MODEL_ENDLESS, .rate_bps = WEIR_UNLIMITED };
    }
    net->config = (struct simple_net){ .topo = &net->topo,
                                       .n_classes = 1,
                                       .lossless = 1,
                                       .mtu_bytes = 1500,
                                       .response_ps = 3000000,
                                       .buffer = { .reserve_bytes = 10000000 },
                                       .arbitration = "rr",
                                       .flows = net->flows,
                                       .n_flows = n_flows,
                                       .run.until_ps = 10000000000,
                                       .run.seed = 1,
                                       .run.n_threads = 1 };
}

/* Builds 'n' senders and a receiver, the last host, at one switch, and a flow from each sender. */
static inline void
hand_incast(struct net *net, uint32_t n, uint64_t rate_bps, weir_ps delay_ps)
{
    uint32_t s;

    hand_start(net);
    s = hand_switch(net);
    for (uint32_t i = 0; i <= n; i++) {
        hand_link(net, hand_nic(net), s, rate_bps, delay_ps);
    }
    hand_finish(net, n);
    for (uint32_t i = 0; i < n; i++) {
        net->flows[i].from = s + 1 + i;
        net->flows[i].to = s + 1 + n;
    }
}

/* Builds two NICs at a switch, links of 10 Gb/s and 1 us, and flows from the first NIC to the
 * second. */
static inline void
hand_pair(struct net *net, uint32_t n_flows)
{
    hand_start(net);
    uint32_t s = hand_switch(net), a = hand_nic(net), b = hand_nic(net);
    hand_link(net, a, s, 10000000000, 1000000);
    hand_link(net, b, s, 10000000000, 1000000);
    hand_finish(net, n_flows);
    for (uint32_t i = 0; i < n_flows; i++) {
        net->flows[i].from = a;
        net->flows[i].to = b;
    }
}

static inline void
hand_set(struct net *net, const char *name, uint64_t value)
{
    const struct weir_field *field =
        weir_field_find(net->config.stack.layers[0].engine->about.params, name);
    assert_non_null(field);
    weir_field_set(field, net->config.stack.layers[0].params, value);
}

static inline struct sim *
hand_run(struct net *net)
{
    struct err err = { 0 };
    struct sim *sim = simple_net_sim_new(&net->config, &err);

    if (!sim) {
        fail_msg("%s", err.text);
    }
    sim_run(sim);
    if (!sim_is_conserved(sim, &err)) {
        fail_msg("%s", err.text);
    }
    return sim;
}

/* The number of the port of 'node' that leads to 'peer'. */
static inline uint32_t
hand_port(const struct net *net, uint32_t node, uint32_t peer)
{
    return topo_port_to(&net->topo, node, peer);
}

/* Checks that 'VALUE' is within 'SLACK' of 'EXPECTED'; prints both if it is not. */
#define ASSERT_NEAR(VALUE, EXPECTED, SLACK)                                                        \
    do {                                                                                           \
        uint64_t v_ = (uint64_t)(VALUE), e_ = (uint64_t)(EXPECTED), s_ = (uint64_t)(SLACK);        \
        if (v_ + s_ < e_ || v_ > e_ + s_) {                                                        \
            fail_msg("%s is %llu; %llu was expected, within %llu", #VALUE, (unsigned long long)v_, \
                     (unsigned long long)e_, (unsigned long long)s_);                              \
        }                                                                                          \
    } while (0)

#endif

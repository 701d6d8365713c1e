/* Small networks with traffic, for tests of the simulator. */

#ifndef TESTS_SIM_NET_H
#define TESTS_SIM_NET_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simple-net/simple-net.h"

struct net {
    struct topo topo;
    struct simple_net config;
    struct simple_net_flow *flows;
};

static inline uint32_t
net_nic(const struct net *net, uint32_t index)
{
    for (uint32_t i = 0; i < net->topo.n_nodes; i++) {
        if (net->topo.nodes[i].kind == TOPO_NIC && net->topo.nodes[i].index == index) {
            return i;
        }
    }
    fail_msg("no NIC %u", index);
    return 0;
}

/* Builds a network in which every host sends to a random other host, 'bytes' each or without end.
 */
static inline void
net_start(struct net *net, topo_builder *build, const struct topo_build *b, uint64_t bytes,
          uint64_t seed)
{
    struct err err;

    *net = (struct net){ 0 };
    build(&net->topo, b);
    assert_true(topo_finish(&net->topo, &err));
    topo_route(&net->topo);
    uint32_t n = net->topo.n_nics;
    net->flows = calloc(n, sizeof *net->flows);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t to = (uint32_t)((i + 1 + weir_random(&seed) % (n - 1)) % n);
        net->flows[i] =
            (struct simple_net_flow){ .from = net_nic(net, i),
                                      .to = net_nic(net, to),
                                      .bytes = bytes,
                                      .rate_bps = WEIR_UNLIMITED,
                                      .start_ps = (weir_ps)(weir_random(&seed) % 1200000) };
    }
    net->config = (struct simple_net){ .topo = &net->topo,
                                       .n_classes = 1,
                                       .lossless = 1,
                                       .mtu_bytes = 1500,
                                       .response_ps = 3000000,
                                       .buffer = { .reserve_bytes = 300000 },
                                       .arbitration = "fifo",
                                       .flows = net->flows,
                                       .n_flows = n,
                                       .run.until_ps = 1000000000,
                                       .run.seed = 1,
                                       .run.n_threads = 1 };
}

static inline void
net_stop(struct net *net)
{
    topo_free(&net->topo);
    free(net->flows);
}

/* Uses an engine alone. If the engine moves packets between classes, there is the maximum number of
 * classes. */
static inline void
net_use(struct net *net, const char *engine)
{
    const struct weir_engine *e = weir_engine_find(engine);

    net->config.stack = (struct weir_stack){ 0 };
    assert_true(weir_stack_add(&net->config.stack, e));
    if (e->moves_classes) {
        net->config.n_classes = WEIR_MAX_CLASSES;
        net->config.lossless = 0xff;
    }
}

static inline struct sim *
net_new(struct net *net, const char *engine, const char *arbitration, uint32_t n_threads)
{
    const struct simple_net before = net->config;
    struct err err;

    net_use(net, engine);
    net->config.arbitration = arbitration;
    net->config.run.n_threads = n_threads;
    struct sim *sim = simple_net_sim_new(&net->config, &err);
    net->config.n_classes = before.n_classes;
    net->config.lossless = before.lossless;
    if (!sim) {
        fail_msg("%s", err.text);
    }
    return sim;
}

static inline struct sim *
net_run(struct net *net, const char *engine, const char *arbitration, uint32_t n_threads)
{
    struct sim *sim = net_new(net, engine, arbitration, n_threads);
    sim_run(sim);
    return sim;
}

/* Builds one switch with this number of hosts; the caller adds at most one flow per host. */
static inline void
net_start_star(struct net *net, uint32_t n_hosts, uint64_t rate_bps, weir_ps delay_ps)
{
    struct topo_build star = { .hosts = n_hosts - 1,
                               .link = { .rate_bps = rate_bps, .delay_ps = delay_ps } };

    net_start(net, topo_build_incast, &star, MODEL_ENDLESS, 1);
    net->config.n_flows = 0;
}

static inline void
net_add_flow(struct net *net, uint32_t from, uint32_t to, uint64_t bytes)
{
    net->flows[net->config.n_flows++] = (struct simple_net_flow){ .from = net_nic(net, from),
                                                                  .to = net_nic(net, to),
                                                                  .bytes = bytes,
                                                                  .rate_bps = WEIR_UNLIMITED };
}

/* Checks that each packet that was sent is accounted for. */
static inline struct sim *
net_conserved(struct sim *sim)
{
    struct err err;

    if (!sim_is_conserved(sim, &err)) {
        fail_msg("%s", err.text);
    }
    return sim;
}

/* The hash of a run; frees the network. */
static inline uint64_t
net_hash(struct net *net, uint32_t n_threads, void (*run)(struct sim *))
{
    struct err err;

    net->config.run.n_threads = n_threads;
    struct sim *sim = simple_net_sim_new(&net->config, &err);
    assert_non_null(sim);
    run(sim);
    uint64_t hash = sim_totals(sim).hash;
    sim_free(sim);
    net_stop(net);
    return hash;
}

/* The hash of a run in the plain event loop. */
static inline uint64_t
net_reference_hash(struct net *net, const char *engine, const char *arbitration)
{
    struct sim *plain = net_new(net, engine, arbitration, 1);

    sim_run_reference(plain);
    uint64_t hash = sim_totals(plain).hash;
    sim_free(plain);
    return hash;
}

/* Checks that 'hash_of' returns the same hash with one thread, with two threads, and in the plain
 * event loop. */
static inline void
net_assert_same(uint64_t (*hash_of)(uint32_t n_threads, void (*run)(struct sim *)))
{
    uint64_t hash = hash_of(1, sim_run);

    assert_true(hash == hash_of(2, sim_run));
    assert_true(hash == hash_of(1, sim_run_reference));
}

#endif

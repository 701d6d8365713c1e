/* Ranks give the same results as one process, bit by bit: for every engine, kind of switch and
 * arbitration, with any number of threads per rank, and for any events of links and flows. */

#include "loopback.h"
#include "net.h"

#define US ((weir_ps)1000000)

enum { MAX_RANKS = 4 };

static const struct topo_build tree = { .k = 4,
                                        .link = { .rate_bps = 10000000000, .delay_ps = US } };
static const struct topo_build ring = { .switches = 5,
                                        .link = { .rate_bps = 40000000000, .delay_ps = 300000 } };

/* The number of ranks, and of threads of each rank. */
static const struct form {
    uint32_t n_ranks, n_threads;
} forms[] = { { 2, 1 }, { 2, 2 }, { 4, 1 }, { 4, 2 } };

enum { N_FORMS = sizeof forms / sizeof *forms };

static void
free_all(struct loopback *l, struct sim **sims, uint32_t n_ranks)
{
    for (uint32_t i = 0; i < n_ranks; i++) {
        sim_free(sims[i]);
    }
    loopback_free(l);
}

static void
assert_good(const struct sim *sim)
{
    struct err err;

    assert_null(sim_broken(sim));
    assert_true(sim_has_ended(sim));
    if (!sim_is_conserved(sim, &err)) {
        fail_msg("%s", err.text);
    }
}

/* Runs with several ranks; returns the totals that the first rank reports, and fills in the number
 * of synchronisations. */
static struct sim_totals
run_by_ranks(struct simple_net config, const struct form *form, uint64_t *n_swaps)
{
    struct loopback *l = loopback_new(form->n_ranks);
    struct sim *sims[MAX_RANKS];

    config.run.n_threads = form->n_threads;
    assert_true(loopback_run(l, loopback_simple_net, &config, sims));
    struct sim_totals t = sim_totals(sims[0]);
    assert_good(sims[0]);
    *n_swaps = loopback_n_swaps(l);
    free_all(l, sims, form->n_ranks);
    return t;
}

static struct sim_totals
run_alone(const struct simple_net *config)
{
    struct err err;
    struct sim *sim = simple_net_sim_new(config, &err);

    if (!sim) {
        fail_msg("%s", err.text);
    }
    sim_run(sim);
    struct sim_totals t = sim_totals(sim);
    assert_good(sim);
    sim_free(sim);
    return t;
}

/* Runs in every configuration, and compares the results; returns the result of one process. */
static struct sim_totals
assert_same(const struct simple_net *config)
{
    struct sim_totals alone = run_alone(config);

    for (size_t i = 0; i < N_FORMS; i++) {
        uint64_t n_swaps;
        struct sim_totals t = run_by_ranks(*config, &forms[i], &n_swaps);
        assert_int_equal(t.n_windows, alone.n_windows);
        assert_int_equal(t.n_events, alone.n_events);
        assert_memory_equal(&t, &alone, sizeof t);
    }
    return alone;
}

static void
start_tree(struct net *net, uint64_t bytes)
{
    net_start(net, topo_build_fat_tree, &tree, bytes, 1);
    net->config.run.until_ps = 120 * US;
}

/* Multiplies the delay of links between switches: an epoch has about this number of windows, unless
 * an event is due within it. */
static void
stretch(struct net *net, weir_ps times)
{
    for (size_t i = 0; i < net->topo.n_links; i++) {
        struct topo_link *l = &net->topo.links[i];
        bool is_of_host = net->topo.nodes[l->node[0]].kind == TOPO_NIC ||
                          net->topo.nodes[l->node[1]].kind == TOPO_NIC;
        l->delay_ps *= is_of_host ? 1 : times;
    }
}

static void
every_engine(void **state)
{
    struct net net;

    (void)state;
    start_tree(&net, MODEL_ENDLESS);
    for (uint32_t e = 0; weir_engine_at(e); e++) {
        const struct simple_net before = net.config;
        net_use(&net, weir_engine_at(e)->about.name);
        assert_true(assert_same(&net.config).n_hops > 1000);
        net.config = before;
    }
    net_stop(&net);
}

/* Ranks query engines for the classes in which packets arrive at nodes of other ranks, also next to
 * an engine that samples packets. */
static void
classes_beside_units(void **state)
{
    struct net net;

    (void)state;
    start_tree(&net, MODEL_ENDLESS);
    net_use(&net, "ttl");
    assert_true(weir_stack_add(&net.config.stack, weir_engine_find("qcn")));
    assert_true(assert_same(&net.config).n_hops > 1000);
    net_stop(&net);
}

static void
every_kind_and_arbitration(void **state)
{
    struct net net;

    (void)state;
    start_tree(&net, 60000);
    net_use(&net, "pfc");
    for (size_t i = 0; weir_plugin_name(&sim_kinds, i); i++) {
        net.config.kind = sim_kind_find(weir_plugin_name(&sim_kinds, i));
        assert_true(assert_same(&net.config).n_hops > 1000);
    }
    net.config.kind = NULL;
    for (size_t i = 0; weir_plugin_name(&sim_arbitrations, i); i++) {
        net.config.arbitration = weir_plugin_name(&sim_arbitrations, i);
        assert_same(&net.config);
    }
    net.config.arbitration = "fifo";
    for (size_t i = 0; weir_plugin_name(&sim_path_choices, i); i++) {
        net.config.paths = weir_plugin_name(&sim_path_choices, i);
        assert_same(&net.config);
    }
    net_stop(&net);
}

/* If the cut crosses long links, ranks seldom synchronise, because an epoch has many windows. */
static void
long_links_make_long_epochs(void **state)
{
    uint64_t n_swaps[2];
    struct net net;

    (void)state;
    for (int is_long = 0; is_long < 2; is_long++) {
        start_tree(&net, MODEL_ENDLESS);
        stretch(&net, is_long ? 10 : 1);
        net_use(&net, "pfc");
        assert_same(&net.config);
        run_by_ranks(net.config, &forms[2], &n_swaps[is_long]);
        net_stop(&net);
    }
    assert_true(3 * n_swaps[1] < n_swaps[0]);
}

/* Links lose packets, one link goes down and up and gets new routes, and all recoveries run. */
static void
bad_links_and_recoveries(void **state)
{
    struct net net;
    struct topo_build bad = ring;
    struct topo_link_event events[] = { { 7, 20 * US, false }, { 7, 50 * US, true } };

    (void)state;
    bad.link.loss = WEIR_RATIO_1 / 100;
    net_start(&net, topo_build_ring, &bad, MODEL_ENDLESS, 2);
    stretch(&net, 5);
    net_use(&net, "pfc");
    net.config.run.until_ps = 120 * US;
    net.config.link_events = events;
    net.config.n_link_events = 2;
    net.config.reroute_ps = 11 * US;
    net.config.retry_ps = 20 * US;
    for (uint32_t n = 0; recovery_at(n); n++) {
        for (uint32_t i = 0; i < net.config.n_flows; i++) {
            net.flows[i].transport = &tp_rdma;
            net.flows[i].recovery = recovery_at(n);
        }
        assert_true(assert_same(&net.config).n_lost > 0);
    }
    net_stop(&net);
}

/* Telemetry records of switches of other ranks, and losses there, reach the sender. */
static void
telemetry_goes_back(void **state)
{
    uint64_t params[TP_PARAMS_MAX / sizeof(uint64_t)];
    struct topo_build lossy = tree;
    struct net net;

    (void)state;
    lossy.link.loss = WEIR_RATIO_1 / 200;
    net_start(&net, topo_build_fat_tree, &lossy, 90000, 1);
    stretch(&net, 4);
    net_use(&net, "pfc");
    weir_fields_default(tp_hpcc.about.params, params);
    for (uint32_t i = 0; i < net.config.n_flows; i++) {
        net.flows[i].transport = &tp_hpcc;
        net.flows[i].transport_params = params;
        net.flows[i].to = net_nic(&net, i % 4 ? net.topo.nodes[net.flows[i].to].index : 0);
        net.flows[i].from = net_nic(&net, i ? i : 1);
    }
    net.config.run.until_ps = 400 * US;
    net.config.retry_ps = 60 * US;
    struct sim_totals t = assert_same(&net.config);
    assert_true(t.n_lost > 0 && t.retransmitted_bytes > 0);
    net_stop(&net);
}

/* A run ends when its measured flows have ended: most flows go from rank to rank, one is stopped,
 * and some begin when others have ended. */
static void
a_run_runs_out(void **state)
{
    struct net net;

    (void)state;
    start_tree(&net, 200000);
    stretch(&net, 10);
    net_use(&net, "pfc");
    for (uint32_t i = 0; i < net.config.n_flows; i++) {
        net.flows[i].start_ps = i * 10 * US;
        net.flows[i].transport = &tp_rdma;
    }
    net.flows[5].bytes = 1000000000;
    net.flows[5].stop_ps = 700 * US;
    net.flows[9].from = net.flows[6].from;
    net.flows[9].after = 6 + 1;
    net.flows[9].start_ps = US;
    net.config.run.until_ps = 20000 * US;
    net.config.run.measured.from_ps = 20 * US;
    net.config.run.measured.until_ps = 500 * US;
    assert_same(&net.config);
    net_stop(&net);
}

/* The number of samples, and a hash of their times and of some of the network's state. */
struct seen {
    uint64_t n, hash;
    uint64_t stops_at; /* The sample that stops the run; 0: none. */
};

static void
take_sample(void *arg, struct sim *sim, weir_ps now)
{
    struct seen *s = arg;
    uint64_t bytes = (uint64_t)now;

    for (uint32_t port = 0; port < sim_model(sim)->topo->n_ports; port++) {
        bytes = bytes * 31 + sim_queue_bytes(sim, port, 0) + sim_port_result(sim, port).sent_bytes;
    }
    s->hash = (s->hash ^ bytes) * 0x100000001b3;
    if (++s->n == s->stops_at) {
        sim_stop(sim);
    }
}

static void
assert_seen_alike(struct simple_net *config, uint64_t stops_at)
{
    struct seen alone = { .stops_at = stops_at }, seen;

    config->run.sample_ps = 7 * US;
    config->run.sample = take_sample;
    config->run.sample_arg = &alone;
    struct err err;
    struct sim *sim = simple_net_sim_new(config, &err);
    sim_run(sim);
    struct sim_totals expected = sim_totals(sim);
    weir_ps now = sim_now(sim);
    sim_free(sim);
    for (size_t i = 0; i < N_FORMS; i++) {
        struct loopback *l = loopback_new(forms[i].n_ranks);
        struct sim *sims[MAX_RANKS];
        seen = (struct seen){ .stops_at = stops_at };
        config->run.sample_arg = &seen;
        config->run.n_threads = forms[i].n_threads;
        assert_true(loopback_run(l, loopback_simple_net, config, sims));
        struct sim_totals t = sim_totals(sims[0]);
        assert_int_equal(sim_now(sims[0]), now);
        assert_memory_equal(&t, &expected, sizeof t);
        assert_memory_equal(&seen, &alone, sizeof seen);
        free_all(l, sims, forms[i].n_ranks);
    }
}

/* A sample may stop the run: all ranks then end with the same window. */
static void
samples_see_the_same(void **state)
{
    struct net net;

    (void)state;
    start_tree(&net, MODEL_ENDLESS);
    stretch(&net, 10);
    net_use(&net, "pfc");
    assert_seen_alike(&net.config, 0);
    assert_seen_alike(&net.config, 9);
    net_stop(&net);
}

/* When a rank disappears, the others end with the reason, whenever this happens. */
static void
a_rank_that_is_gone_ends_the_run(void **state)
{
    struct net net;

    (void)state;
    start_tree(&net, MODEL_ENDLESS);
    net_use(&net, "pfc");
    for (uint64_t n_swaps = 0; n_swaps < 100; n_swaps += 1 + n_swaps / 2) {
        struct loopback *l = loopback_new(3);
        struct sim *sims[MAX_RANKS];
        loopback_break(l, 1, n_swaps);
        net.config.run.n_threads = 1 + n_swaps % 2;
        assert_true(loopback_run(l, loopback_simple_net, &net.config, sims));
        for (uint32_t i = 0; i < 3; i++) {
            assert_non_null(sim_broken(sims[i]));
            assert_string_equal(sim_broken(sims[i]), "rank 1 is gone");
            assert_false(sim_has_ended(sims[i]));
        }
        free_all(l, sims, 3);
    }
    net_stop(&net);
}

/* A run with more ranks than switches is refused. */
static void
a_rank_without_a_switch_is_refused(void **state)
{
    const struct topo_build star = { .hosts = 3, .link = tree.link };
    struct loopback *l = loopback_new(2);
    struct net net;

    (void)state;
    net_start(&net, topo_build_incast, &star, MODEL_ENDLESS, 1);
    net_use(&net, "pfc");
    assert_null(loopback_simple_net(&net.config, loopback_rank(l, 0)));
    net_stop(&net);
    loopback_free(l);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_engine),
        cmocka_unit_test(classes_beside_units),
        cmocka_unit_test(every_kind_and_arbitration),
        cmocka_unit_test(long_links_make_long_epochs),
        cmocka_unit_test(bad_links_and_recoveries),
        cmocka_unit_test(telemetry_goes_back),
        cmocka_unit_test(a_run_runs_out),
        cmocka_unit_test(samples_see_the_same),
        cmocka_unit_test(a_rank_that_is_gone_ends_the_run),
        cmocka_unit_test(a_rank_without_a_switch_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

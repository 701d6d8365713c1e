/* Ranks give what one process gives, to the bit: for every engine, kind and arbitration, with any
 * number of threads each, and whatever happens to links and flows. */

#include "loopback.h"
#include "net.h"

#define US ((weir_ps)1000000)

enum { MAX_RANKS = 4 };

static const struct topo_build tree = { .k = 4,
                                        .link = { .rate_bps = 10000000000, .delay_ps = US } };
static const struct topo_build ring = { .switches = 5,
                                        .link = { .rate_bps = 40000000000, .delay_ps = 300000 } };

/* Ranks and threads of each. */
static const struct form {
    uint32_t n_ranks, n_threads;
} forms[] = { { 2, 1 }, { 2, 2 }, { 4, 1 }, { 4, 2 } };

enum { N_FORMS = sizeof forms / sizeof *forms };

static struct sim *
make(void *arg, const struct sim_ranks *ranks)
{
    struct uniform config = *(const struct uniform *)arg;
    struct err err;

    config.run.ranks = ranks;
    return uniform_sim_new(&config, &err);
}

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

/* What the first of several ranks tells, and how often they met. */
static struct sim_totals
run_by_ranks(struct uniform config, const struct form *form, uint64_t *n_swaps)
{
    struct loopback *l = loopback_new(form->n_ranks);
    struct sim *sims[MAX_RANKS];

    config.run.n_threads = form->n_threads;
    loopback_run(l, make, &config, sims);
    for (uint32_t i = 0; i < form->n_ranks; i++) {
        assert_non_null(sims[i]);
    }
    struct sim_totals t = sim_totals(sims[0]);
    assert_good(sims[0]);
    *n_swaps = loopback_n_swaps(l);
    free_all(l, sims, form->n_ranks);
    return t;
}

static struct sim_totals
run_alone(const struct uniform *config)
{
    struct err err;
    struct sim *sim = uniform_sim_new(config, &err);

    if (!sim) {
        fail_msg("%s", err.text);
    }
    sim_run(sim);
    struct sim_totals t = sim_totals(sim);
    assert_good(sim);
    sim_free(sim);
    return t;
}

/* Every form; returns what one process gives. */
static struct sim_totals
assert_same(const struct uniform *config)
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

static void
every_engine(void **state)
{
    struct net net;

    (void)state;
    start_tree(&net, PLANT_ENDLESS);
    for (uint32_t e = 0; weir_engine_at(e); e++) {
        const struct uniform before = net.config;
        net_use(&net, weir_engine_at(e)->about.name);
        assert_true(assert_same(&net.config).n_hops > 1000);
        net.config = before;
    }
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

/* Where the cut goes through long links, ranks meet seldom: an epoch is many windows. */
static void
long_links_make_long_epochs(void **state)
{
    uint64_t n_swaps[2];
    struct net net;

    (void)state;
    for (int is_long = 0; is_long < 2; is_long++) {
        start_tree(&net, PLANT_ENDLESS);
        for (size_t i = 0; is_long && i < net.topo.n_links; i++) {
            struct topo_link *l = &net.topo.links[i];
            bool is_of_host = net.topo.nodes[l->node[0]].kind == TOPO_NIC ||
                              net.topo.nodes[l->node[1]].kind == TOPO_NIC;
            l->delay_ps = is_of_host ? US : 10 * US;
        }
        net_use(&net, "pfc");
        assert_same(&net.config);
        run_by_ranks(net.config, &forms[2], &n_swaps[is_long]);
        net_stop(&net);
    }
    assert_true(3 * n_swaps[1] < n_swaps[0]);
}

/* Links that lose packets, one that goes down and up and is routed around, and every recovery. */
static void
bad_links_and_recoveries(void **state)
{
    struct net net;
    struct topo_build bad = ring;
    struct plant_link_event events[] = { { 7, 20 * US, false }, { 7, 50 * US, true } };

    (void)state;
    bad.link.loss = WEIR_RATIO_1 / 100;
    net_start(&net, topo_build_ring, &bad, PLANT_ENDLESS, 2);
    net_use(&net, "pfc");
    net.config.run.until_ps = 120 * US;
    net.config.link_events = events;
    net.config.n_link_events = 2;
    net.config.reroute_ps = 10 * US;
    net.config.retry_ps = 5 * US;
    for (uint32_t n = 0; recovery_at(n); n++) {
        for (uint32_t i = 0; i < net.config.n_flows; i++) {
            net.flows[i].transport = &tp_rdma;
            net.flows[i].recovery = recovery_at(n);
        }
        assert_true(assert_same(&net.config).n_lost > 0);
    }
    net_stop(&net);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_engine),
        cmocka_unit_test(every_kind_and_arbitration),
        cmocka_unit_test(long_links_make_long_epochs),
        cmocka_unit_test(bad_links_and_recoveries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

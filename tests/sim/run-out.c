/* Runs that wait for their measured flows: when a run ends, which flows start, and that threads and
 * the plain event loop agree. */

#include "net.h"

#define US ((weir_ps)1000000)

enum { MTU = 1500, N_HOSTS = 16 };

static const struct topo_build tree = { .k = 4,
                                        .link = { .rate_bps = 10000000000, .delay_ps = US } };

/* Each host sends once, at some time in the first 500 us; flows that start from 100 us on are
 * measured. */
static void
start(struct net *net, uint64_t bytes)
{
    net_start(net, topo_build_fat_tree, &tree, bytes, 3);
    for (uint32_t i = 0; i < N_HOSTS; i++) {
        net->flows[i].start_ps = i * 30 * US;
    }
    net->config.run.until_ps = 20000 * US;
    net->config.run.measured.from_ps = 100 * US;
    net->config.run.measured.until_ps = 500 * US;
}

static bool
is_measured(const struct net *net, const struct sim *sim, uint32_t flow)
{
    weir_ps started = sim_flow_result(sim, flow).started_ps;

    return started >= net->config.run.measured.from_ps;
}

static weir_ps
last_of_measured(const struct net *net, const struct sim *sim)
{
    weir_ps last = 0;

    for (uint32_t i = 0; i < net->config.n_flows; i++) {
        struct sim_flow_result r = sim_flow_result(sim, i);
        if (is_measured(net, sim, i) && net->flows[i].bytes != MODEL_ENDLESS) {
            assert_int_equal(r.received_bytes, net->flows[i].bytes);
            last = r.last_ps > last ? r.last_ps : last;
        }
    }
    return last;
}

/* The run ends at a multiple of the window: after the last flow has ended, and at most a watch
 * interval and a window later. */
static void
a_run_ends_with_its_last_measured_flow(void **state)
{
    struct net net;

    (void)state;
    for (uint64_t n = 1; n <= 2000; n = 3 * n + 1) {
        start(&net, n * MTU);
        struct sim *sim = net_run(&net, "pfc", "fifo", 1);
        weir_ps last = last_of_measured(&net, sim), grid = sim_watch_ps(sim) + sim_window_ps(sim);
        weir_ps least = last > 500 * US ? last : 500 * US;
        assert_true(sim_has_ended(sim));
        assert_in_range(sim_now(sim), least, least + grid);
        assert_int_equal(sim_now(sim) % sim_window_ps(sim), 0);
        sim_free(sim);
        net_stop(&net);
    }
}

/* A run does not wait for flows of the warm-up or for flows without end. */
static void
others_are_not_waited_for(void **state)
{
    struct net net;

    (void)state;
    start(&net, 100 * MTU);
    net.flows[0].bytes = 20000 * MTU;
    net.flows[9].bytes = MODEL_ENDLESS;
    struct sim *sim = net_run(&net, "pfc", "fifo", 1);
    assert_true(sim_now(sim) < 2000 * US);
    assert_true(sim_flow_result(sim, 0).received_bytes < net.flows[0].bytes);
    last_of_measured(&net, sim);
    sim_free(sim);
    net_stop(&net);
}

/* Three flows do not start: one that is due at the end of the run time, one that is due later, and
 * one that follows a flow that ends too late. */
static void
no_flow_starts_in_the_run_out(void **state)
{
    struct net net;

    (void)state;
    start(&net, 1000 * MTU);
    net.flows[1].start_ps = 500 * US;
    net.flows[2].start_ps = 700 * US;
    net.flows[3].start_ps = 500 * US - 1;
    net.flows[5].from = net.flows[4].from;
    net.flows[5].after = 1 + 4;
    net.flows[5].start_ps = 0;
    struct sim *sim = net_run(&net, "none", "fifo", 1);
    assert_int_equal(sim_flow_result(sim, 1).started_ps, -1);
    assert_int_equal(sim_flow_result(sim, 2).started_ps, -1);
    assert_int_equal(sim_flow_result(sim, 3).started_ps, 500 * US - 1);
    assert_true(sim_flow_result(sim, 4).last_ps > 500 * US);
    assert_int_equal(sim_flow_result(sim, 5).started_ps, -1);
    sim_free(sim);
    net_stop(&net);
}

/* A flow that cannot end makes the run last for its maximum time. */
static void
the_run_out_has_an_end(void **state)
{
    struct net net;

    (void)state;
    start(&net, 100 * MTU);
    net.config.run.until_ps = 3000 * US;
    net.flows[7].bytes = 100000 * MTU;
    struct sim *sim = net_run(&net, "pfc", "fifo", 1);
    assert_int_equal(sim_now(sim), 3000 * US);
    assert_true(sim_has_ended(sim));
    sim_free(sim);
    net_stop(&net);
}

static weir_ps last_sample_ps;

static void
take_sample(void *arg, struct sim *sim, weir_ps now)
{
    (void)arg, (void)sim;
    assert_true(!now || now > last_sample_ps);
    last_sample_ps = now;
}

/* Samples continue in the run-out, until its end. */
static void
samples_end_with_the_run(void **state)
{
    struct net net;

    (void)state;
    start(&net, 1000 * MTU);
    net.config.run.sample_ps = 7 * US;
    net.config.run.sample = take_sample;
    struct sim *sim = net_run(&net, "pfc", "fifo", 2);
    assert_in_range(last_sample_ps, sim_now(sim) - 14 * US, sim_now(sim));
    sim_free(sim);
    net_stop(&net);
}

static void
assert_same(const struct sim *a, const struct sim *b)
{
    struct err err;

    if (!sim_is_conserved(a, &err)) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(sim_now(a), sim_now(b));
    assert_int_equal(sim_totals(a).hash, sim_totals(b).hash);
}

/* Sizes of flows differ from engine to engine, and so do ends of flows and packets in flight.  If
 * packets are dropped, their flows do not end. */
static void
threads_do_not_matter(void **state)
{
    struct net net;
    uint32_t n_early = 0;

    (void)state;
    for (uint32_t e = 0; weir_engine_at(e); e++) {
        const char *engine = weir_engine_at(e)->about.name;
        start(&net, (50 + 37 * e) * MTU);
        net.flows[2].bytes = MODEL_ENDLESS;
        net.config.run.until_ps = 10000 * US;
        struct sim *plain = net_new(&net, engine, "rr", 1);
        sim_run_reference(plain);
        assert_true(sim_now(plain) < net.config.run.until_ps || sim_totals(plain).n_dropped);
        n_early += sim_now(plain) < net.config.run.until_ps;
        for (uint32_t n_threads = 1; n_threads <= 3; n_threads++) {
            struct sim *sim = net_run(&net, engine, "rr", n_threads);
            assert_same(sim, plain);
            sim_free(sim);
        }
        sim_free(plain);
        net_stop(&net);
    }
    assert_true(n_early >= 5);
}

/* A stop in the run-out counts as a stop before the end. */
static void
stop_in_run_out(void *arg, struct sim *sim, weir_ps now)
{
    (void)arg;
    if (now > 600 * US) {
        sim_stop(sim);
    }
}

static void
a_run_can_be_stopped_in_its_run_out(void **state)
{
    struct net net;

    (void)state;
    start(&net, 2000 * MTU);
    net.config.run.sample_ps = 10 * US;
    net.config.run.sample = stop_in_run_out;
    struct sim *sim = net_run(&net, "pfc", "fifo", 1);
    assert_false(sim_has_ended(sim));
    assert_in_range(sim_now(sim), 600 * US, 620 * US);
    sim_free(sim);
    net_stop(&net);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_ends_with_its_last_measured_flow),
        cmocka_unit_test(others_are_not_waited_for),
        cmocka_unit_test(no_flow_starts_in_the_run_out),
        cmocka_unit_test(the_run_out_has_an_end),
        cmocka_unit_test(samples_end_with_the_run),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(a_run_can_be_stopped_in_its_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The ring of three switches with GFC's testbed numbers (SIGCOMM 2019, 6.1): who stands still. */

#include "net.h"

static const struct topo_build three = { .switches = 3,
                                         .link = { .rate_bps = 10000000000, .delay_ps = 1000000 } };
static uint16_t paths[3][3];

static uint16_t
way(const struct topo *t, uint32_t from, uint32_t to)
{
    return (uint16_t)t->ports[topo_port_to(t, from, to)].number;
}

/* H1 to H3 by S1, S2, S3, and so on around: every link of the ring carries two flows. */
static void
pin_flows(struct net *net)
{
    const struct topo *t = &net->topo;

    for (uint32_t i = 0; i < 3; i++) {
        char from[] = { 'H', (char)('1' + i), 0 }, to[] = { 'H', (char)('1' + (i + 2) % 3), 0 };
        uint32_t s[3];
        for (uint32_t k = 0; k < 3; k++) {
            char name[] = { 'S', (char)('1' + (i + k) % 3), 0 };
            s[k] = topo_find_node(t, name);
        }
        paths[i][0] = way(t, s[0], s[1]);
        paths[i][1] = way(t, s[1], s[2]);
        paths[i][2] = way(t, s[2], topo_find_node(t, to));
        net->flows[i] = (struct sim_flow){ .from = topo_find_node(t, from),
                                           .to = topo_find_node(t, to),
                                           .bytes = SIM_ENDLESS,
                                           .rate_bps = WEIR_UNLIMITED,
                                           .path = paths[i],
                                           .n_path = 3 };
    }
}

static struct sim_deadlock
run_ring(const char *engine, const char *arbitration, uint32_t n_threads, uint64_t *goodput_bps)
{
    struct net net;

    net_start(&net, topo_build_ring, &three, SIM_ENDLESS, 1);
    pin_flows(&net);
    net.config.response_ps = 85600000;
    net.config.buffer.reserve_bytes = 1000000;
    net.config.until_ps = 60000000000;
    struct sim *sim = net_run(&net, engine, arbitration, n_threads);
    struct sim_deadlock d = sim_deadlock(sim);
    *goodput_bps = sim_flow_late_bps(sim, 0);
    sim_free(sim);
    net_stop(&net);
    return d;
}

static void
assert_dead(const char *engine)
{
    uint64_t goodput;
    struct sim_deadlock one = run_ring(engine, "fifo", 1, &goodput);
    struct sim_deadlock two = run_ring(engine, "fifo", 2, &goodput);

    assert_true(one.found);
    assert_int_equal(one.n_cycle, 3);
    assert_int_equal(one.n_flows, 3);
    assert_int_equal(goodput, 0);
    assert_true(one.formed_ps > 0 && one.formed_ps < 60000000000);
    assert_memory_equal(&one.cycle, &two.cycle, sizeof one.cycle);
    assert_int_equal(one.formed_ps, two.formed_ps);
}

static void
assert_alive(const char *engine, const char *arbitration, uint64_t least_bps)
{
    uint64_t goodput;
    assert_false(run_ring(engine, arbitration, 1, &goodput).found);
    assert_true(goodput > least_bps);
}

static void
pfc_and_credits_die_in_arrival_order(void **state)
{
    (void)state;
    assert_dead("pfc");
    assert_dead("cbfc");
}

static void
gfc_does_not_die_but_sinks(void **state)
{
    (void)state;
    assert_alive("gfc-buffer", "fifo", 10000000);
    assert_alive("gfc-time", "fifo", 10000000);
}

static void
in_turn_nobody_dies(void **state)
{
    static const char *const engines[] = { "pfc", "cbfc", "gfc-buffer", "gfc-time" };

    (void)state;
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        assert_alive(engines[i], "rr", 4900000000);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pfc_and_credits_die_in_arrival_order),
        cmocka_unit_test(gfc_does_not_die_but_sinks),
        cmocka_unit_test(in_turn_nobody_dies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

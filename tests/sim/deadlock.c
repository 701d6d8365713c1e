/* The ring of three switches with the numbers of GFC's testbed (SIGCOMM 2019, 6.1): flows that are
 * deadlocked, and flows that only seem to be. */

#include "hand.h"

static const struct topo_build three = { .switches = 3,
                                         .link = { .rate_bps = 10000000000, .delay_ps = 1000000 } };
static uint16_t paths[3][3];

static uint16_t
way(const struct topo *t, uint32_t from, uint32_t to)
{
    return (uint16_t)t->ports[topo_port_to(t, from, to)].number;
}

/* H1 sends to H3 by S1, S2 and S3, and so on around the ring, so every link of the ring carries two
 * flows. */
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
        net->flows[i] = (struct simple_net_flow){ .from = topo_find_node(t, from),
                                                  .to = topo_find_node(t, to),
                                                  .bytes = MODEL_ENDLESS,
                                                  .rate_bps = WEIR_UNLIMITED,
                                                  .path = paths[i],
                                                  .n_path = 3 };
    }
}

static struct sim_deadlock
run_ring(const char *engine, const char *arbitration, uint32_t n_threads, uint64_t *goodput_bps)
{
    struct net net;

    net_start(&net, topo_build_ring, &three, MODEL_ENDLESS, 1);
    pin_flows(&net);
    net.config.response_ps = 85600000;
    net.config.buffer.reserve_bytes = 1000000;
    net.config.run.until_ps = 60000000000;
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

/* A buffer waits only for buffers of the next class, so buffers cannot wait in a cycle, whatever
 * the arbitration. */
static void
classes_by_hops_do_not_die_nor_sink(void **state)
{
    (void)state;
    for (size_t a = 0; weir_plugin_name(&sim_arbitrations, a); a++) {
        assert_alive("ttl", weir_plugin_name(&sim_arbitrations, a), 4990000000);
    }
}

/* Switches with one queue per input and the parameters of the testbed. The expected values are
 * Weir's, not the paper's. */

struct testbed {
    const char *engine, *params[6]; /* Names and values. */
    bool is_dead;
    /* The time of the deadlock, in us; or the goodput in the second half of the run, in Mb/s. */
    uint64_t expected, slack;
};

static const struct testbed testbeds[] = {
    { "pfc", { "xoff", "800KB", "xon", "797KB" }, true, 1770, 10 },
    { "cbfc", { "period", "52.4us" }, true, 2970, 10 },
    { "gfc-buffer", { "bm", "1000KB", "b1", "750KB" }, false, 313, 3 },
    { "gfc-time", { "bm", "1000KB", "b0", "492KB", "period", "52.4us" }, false, 3170, 10 },
};

static struct sim *
run_testbed(struct net *net, const struct testbed *bed)
{
    struct weir_text why = { 0 };
    struct err err;

    net_start(net, topo_build_ring, &three, MODEL_ENDLESS, 1);
    pin_flows(net);
    net->config.response_ps = 85600000;
    net->config.buffer.reserve_bytes = 1000000;
    net->config.run.until_ps = 100000000000;
    net->config.arbitration = "input-fifo";
    weir_stack_add(&net->config.stack, weir_engine_find(bed->engine));
    for (size_t i = 0; i < 6 && bed->params[i]; i += 2) {
        assert_true(
            weir_stack_set(&net->config.stack, 0, bed->params[i], bed->params[i + 1], &why));
    }
    struct sim *sim = simple_net_sim_new(&net->config, &err);
    assert_non_null(sim);
    sim_run(sim);
    return sim;
}

/* Each port of the cycle leads to the node of the next port. */
static void
assert_is_ring(const struct topo *t, const struct sim_deadlock *d)
{
    assert_int_equal(d->n_cycle, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct topo_port *peer = &t->ports[t->ports[d->cycle[i].port].peer];
        char name[] = { 'S', (char)('1' + i), 0 };
        assert_string_equal(t->nodes[t->ports[d->cycle[i].port].node].name, name);
        assert_int_equal(peer->node, t->ports[d->cycle[(i + 1) % 3].port].node);
    }
}

static void
one_queue_an_input_dies_sooner(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof testbeds / sizeof *testbeds; i++) {
        const struct testbed *bed = &testbeds[i];
        struct net net;
        struct sim *sim = run_testbed(&net, bed);
        struct sim_deadlock d = sim_deadlock(sim);
        uint64_t got = bed->is_dead ? (uint64_t)d.formed_ps : sim_flow_late_bps(sim, 0);
        assert_int_equal(d.found, bed->is_dead);
        ASSERT_NEAR(got / 1000000, bed->expected, bed->slack);
        if (d.found) {
            assert_is_ring(&net.topo, &d);
        }
        sim_free(sim);
        net_stop(&net);
    }
}

/* A queue that waits for a moving queue is not deadlocked, however long it waits.
 *
 * Switches 0, 1 and 2 form a ring.  Two hosts at 0 fill the input of 1 with packets for a host of 1
 * Gb/s, so the queue from 0 to 1 is paused for 4 ms at a time, until 340 packets have left.  So the
 * queue from 2 to 0 stops, and then the queue from 1 to 2.  A few packets in the input of 1 also
 * wait for the queue from 1 to 2.  Each of the three queues then waits for the next, for longer
 * than the detection interval. But the input of 1 drains to the slow host, so all packets arrive.
 */

enum { XOFF_PACKETS = 400, XON_PACKETS = 60, N_SLOW = 5 };

static const struct {
    uint8_t path[3], n_path; /* The numbers of the switches. */
    uint32_t n_packets;
    weir_ps start_us;
} slow_flows[N_SLOW] = {
    { { 0, 1 }, 2, 800, 0 },       /* A flow to the slow host. */
    { { 0, 1 }, 2, 800, 0 },       /* A second flow to the slow host. */
    { { 2, 0, 1 }, 3, 800, 600 },  /* Waits behind the flows to the slow host. */
    { { 1, 2, 0 }, 3, 800, 1100 }, /* Waits behind the flow from 2. */
    { { 0, 1, 2 }, 3, 5, 2000 },   /* Seems to close a cycle. */
};

/* Each flow has its own hosts, but the first two flows go to one slow host. */
static void
start_slow_ring(struct net *net, uint16_t (*ways)[3])
{
    const uint64_t rate_bps = 10000000000;

    hand_start(net);
    for (uint32_t i = 0; i < 3; i++) {
        hand_switch(net);
    }
    for (uint32_t i = 0; i < 3; i++) {
        hand_link(net, i, (i + 1) % 3, rate_bps, 1000000);
    }
    for (uint32_t i = 0; i < N_SLOW; i++) {
        hand_link(net, hand_nic(net), slow_flows[i].path[0], rate_bps, 1000000);
        hand_link(net, hand_nic(net), slow_flows[i].path[slow_flows[i].n_path - 1],
                  i == 0 ? rate_bps / 10 : rate_bps, 1000000);
    }
    hand_finish(net, N_SLOW);
    for (uint32_t i = 0; i < N_SLOW; i++) {
        struct simple_net_flow *f = &net->flows[i];
        f->from = 3 + 2 * i;
        f->to = i == 1 ? 4 : 4 + 2 * i;
        f->bytes = slow_flows[i].n_packets * 1500;
        f->start_ps = slow_flows[i].start_us * 1000000;
        f->path = ways[i];
        f->n_path = slow_flows[i].n_path;
        for (uint32_t k = 0; k < f->n_path; k++) {
            bool is_last = k + 1 == f->n_path;
            ways[i][k] =
                way(&net->topo, slow_flows[i].path[k], is_last ? f->to : slow_flows[i].path[k + 1]);
        }
    }
}

static void
who_waits_for_what_moves_is_not_stuck(void **state)
{
    uint16_t ways[N_SLOW][3];
    struct net net;

    (void)state;
    start_slow_ring(&net, ways);
    net.config.run.until_ps = 50000000000;
    net_use(&net, "pfc");
    hand_set(&net, "xoff", XOFF_PACKETS * 1500);
    hand_set(&net, "xon", XON_PACKETS * 1500);
    struct sim *sim = hand_run(&net);
    assert_false(sim_deadlock(sim).found);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t port = hand_port(&net, i, (i + 1) % 3);
        assert_true(sim_gate_state(sim, port, 0, sim_now(sim)).paused_ps > 4000000000);
    }
    for (uint32_t i = 0; i < N_SLOW; i++) {
        assert_int_equal(sim_flow_result(sim, i).received_bytes, net.flows[i].bytes);
    }
    sim_free(sim);
    net_stop(&net);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pfc_and_credits_die_in_arrival_order),
        cmocka_unit_test(gfc_does_not_die_but_sinks),
        cmocka_unit_test(in_turn_nobody_dies),
        cmocka_unit_test(classes_by_hops_do_not_die_nor_sink),
        cmocka_unit_test(one_queue_an_input_dies_sooner),
        cmocka_unit_test(who_waits_for_what_moves_is_not_stuck),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

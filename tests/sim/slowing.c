/* Engines at NICs that slow down all senders of a class: the control of each flow with data to send
 * is notified once. The bytes sent from then on match the calculation on paper.
 *
 * The engine of this test slows down one class of every NIC once, at a given time and by a given
 * factor.  Packets of 1500 B take 1200 ns at 10 Gb/s, without a gap. */

#include "engines.h"
#include "hand.h"

enum { MTU = 1500, ACK = 64 };
#define G  1000000000ull
#define US ((weir_ps)1000000)
#define MS (1000 * US)

static const weir_ps wire = MTU * 800;

struct slower {
    uint64_t cls, factor, at_ps;
};

static const struct weir_field param_fields[] = {
    WEIR_FIELD(struct slower, cls, "class", WEIR_COUNT, .max = WEIR_MAX_CLASSES - 1),
    WEIR_FIELD(struct slower, factor, "factor", WEIR_RATIO, .max = WEIR_RATIO_1),
    WEIR_FIELD(struct slower, at_ps, "at", WEIR_TIME, .max = WEIR_PS_PER_S),
    { 0 },
};

static bool
slower_check(const struct weir_shape *shape, const void *params, struct weir_needs *needs,
             struct weir_text *text)
{
    (void)params, (void)text;
    *needs = (struct weir_needs){ .state_bytes = sizeof(struct slower),
                                  .n_timers = 1,
                                  .max_emits = 1,
                                  .services = shape->services & WEIR_SERVICE_SLOWING };
    return true;
}

static void
slower_init(void *state, struct weir_ctx *ctx, const void *params)
{
    struct slower *s = state;

    *s = *(const struct slower *)params;
    if (ctx->shape->services & WEIR_SERVICE_SLOWING) {
        weir_set_timer(ctx, 0, (weir_ps)s->at_ps);
    }
}

static void
slower_timer(void *state, struct weir_ctx *ctx, uint32_t key)
{
    const struct slower *s = state;

    (void)key;
    weir_slow_flows(ctx, weir_slot(ctx, 0, (uint8_t)s->cls), s->factor);
}

static const struct weir_engine slower = {
    .about = { .name = "slower", .params = param_fields, .params_bytes = sizeof(struct slower) },
    .check = slower_check,
    .init = slower_init,
    .timer = slower_timer,
};

static void
use_slower(struct net *net, uint32_t cls, uint64_t factor, weir_ps at_ps)
{
    net->config.stack = (struct weir_stack){ 0 };
    assert_true(weir_stack_add(&net->config.stack, &slower));
    hand_set(net, "class", cls);
    hand_set(net, "factor", factor);
    hand_set(net, "at", (uint64_t)at_ps);
}

static uint64_t params[3][TP_PARAMS_MAX / sizeof(uint64_t)];

static void
use_transport(struct simple_net_flow *f, const struct transport *t, uint32_t which)
{
    weir_fields_default(t->about.params, params[which]);
    f->transport = t;
    f->transport_params = params[which];
}

static uint64_t
n_sent(const struct sim *sim, uint32_t flow)
{
    return sim_flow_result(sim, flow).sent_bytes / MTU;
}

/* The rate is a quarter until the first increase, then five eighths, then 13/16. */
static void
a_rate_is_cut_and_recovers(void **state)
{
    const weir_ps step = 55 * US;
    struct net net;

    (void)state;
    hand_incast(&net, 1, 10 * G, US);
    use_transport(&net.flows[0], &tp_dcqcn, 0);
    use_slower(&net, 0, WEIR_RATIO_1 / 4, MS);
    net.config.run.until_ps = MS + 3 * step;
    struct sim *sim = hand_run(&net);
    weir_ps full = MS + step / 4 + step * 5 / 8 + step * 13 / 16;
    ASSERT_NEAR(n_sent(sim, 0), full / wire, 3);
    sim_free(sim);
    net_stop(&net);
}

/* At a factor of 0, one packet may be in flight, and one more after every round trip. */
static void
a_window_is_cut_and_grows(void **state)
{
    const weir_ps rtt = 2 * (wire + US) + 2 * (ACK * 800 + US);
    struct net net;
    uint64_t before = 0;

    (void)state;
    for (uint32_t rounds = 0; rounds <= 10; rounds += 10) {
        hand_incast(&net, 1, 10 * G, US);
        use_transport(&net.flows[0], &tp_dctcp, 0);
        weir_field_set(weir_field_find(tp_dctcp.about.params, "alpha"), params[0], 0);
        use_slower(&net, 0, 0, MS);
        net.config.run.until_ps =
            MS + rtt + (weir_ps)rounds * rtt; /* All earlier packets have arrived. */
        struct sim *sim = hand_run(&net);
        before = rounds ? n_sent(sim, 0) - before : n_sent(sim, 0);
        sim_free(sim);
        net_stop(&net);
    }
    /* Six packets fill a round trip. */
    ASSERT_NEAR(before, 1 + 2 + 3 + 4 + 5 + 6 + 6 + 6 + 6 + 6, 6);
}

/* Four flows of a NIC at 2 Gb/s each: the flow in another class, the flow without a control and the
 * flow that starts later lose no rate. */
static void
only_flows_that_are_meant_are_told(void **state)
{
    struct net net;

    (void)state;
    hand_pair(&net, 4);
    for (uint32_t i = 0; i < 4; i++) {
        net.flows[i].rate_bps = 2 * G;
        use_transport(&net.flows[i], i == 2 ? &tp_rdma : &tp_dcqcn, i == 2);
    }
    net.flows[1].cls = 1;
    net.flows[3].start_ps = MS + 1;
    net.config.n_classes = 2;
    net.config.lossless = 3;
    net.config.run.until_ps = MS + 50 * US;
    use_slower(&net, 0, WEIR_RATIO_1 / 10, MS);
    struct sim *sim = hand_run(&net);
    uint64_t all = (uint64_t)(net.config.run.until_ps / (5 * wire));
    ASSERT_NEAR(n_sent(sim, 0), MS / (5 * wire) + 50 * US / (10 * wire), 1);
    ASSERT_NEAR(n_sent(sim, 1), all, 1);
    ASSERT_NEAR(n_sent(sim, 2), all, 1);
    ASSERT_NEAR(n_sent(sim, 3), 50 * US / (5 * wire), 1);
    sim_free(sim);
    net_stop(&net);
}

/* A NIC with so many flows that their round-robin list has a search tree: each flow continues at
 * its minimum rate, 40 Mb/s. */
static void
each_of_many_flows_is_told(void **state)
{
    enum { N = 100 };
    struct net net;

    (void)state;
    hand_pair(&net, N);
    for (uint32_t i = 0; i < N; i++) {
        use_transport(&net.flows[i], &tp_dcqcn, 0);
    }
    weir_field_set(weir_field_find(tp_dcqcn.about.params, "increase_time"), params[0],
                   100 * (uint64_t)MS);
    use_slower(&net, 0, 0, MS);
    struct sim *sim = hand_run(&net);
    for (uint32_t i = 0; i < N; i++) {
        ASSERT_NEAR(n_sent(sim, i), MS / (N * wire) + 9 * MS / (250 * wire), 2);
    }
    sim_free(sim);
    net_stop(&net);
}

/* The hash of a run in which switches with pipelines often slow senders down, by frames of the
 * probe, when their inputs become empty. */
static uint64_t
run_probe(uint32_t n_threads, void (*run)(struct sim *), const char *slows)
{
    static const struct transport *const slowed[] = { &tp_dcqcn, &tp_dctcp, &tp_tcp };
    const struct topo_build b = { .link = { .rate_bps = 10 * G, .delay_ps = US },
                                  .leaves = 4,
                                  .spines = 2,
                                  .hosts = 4,
                                  .uplink_bps = 10 * G };
    struct weir_text why = { 0 };
    struct net net;

    net_start(&net, topo_build_leaf_spine, &b, MODEL_ENDLESS, 3);
    for (uint32_t i = 0; i < net.config.n_flows; i++) {
        use_transport(&net.flows[i], slowed[i % 3], i % 3);
    }
    net.config.kind = sim_kind_find("pipeline");
    assert_true(weir_stack_add(&net.config.stack, &probe));
    assert_true(weir_stack_set(&net.config.stack, 0, "slows", slows, &why));
    assert_true(weir_stack_add(&net.config.stack, weir_engine_find("pfc")));
    return net_hash(&net, n_threads, run);
}

static uint64_t
run_slowed(uint32_t n_threads, void (*run)(struct sim *))
{
    return run_probe(n_threads, run, "yes");
}

static void
threads_and_the_reference_agree(void **state)
{
    (void)state;
    net_assert_same(run_slowed);
    assert_true(run_slowed(1, sim_run) != run_probe(1, sim_run, "no"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rate_is_cut_and_recovers),
        cmocka_unit_test(a_window_is_cut_and_grows),
        cmocka_unit_test(only_flows_that_are_meant_are_told),
        cmocka_unit_test(each_of_many_flows_is_told),
        cmocka_unit_test(threads_and_the_reference_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

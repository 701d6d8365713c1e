/* Feedback packets of receivers (ACKs, NACKs, CNPs): their class, their size, and the delay of a
 * CNP at the NIC. */

#include "hand.h"

enum { MTU = 1500, SWITCH = 0, SENDER = 1, RECEIVER = 2 };
#define G  1000000000ull
#define US ((weir_ps)1000000)
#define MS (1000 * US)

static const weir_ps wire = MTU * 800;

static uint64_t params[TP_PARAMS_MAX / sizeof(uint64_t)];

static void
set(const char *name, uint64_t value)
{
    weir_field_set(weir_field_find(tp_dcqcn.about.params, name), params, value);
}

/* A flow of dcqcn whose packets are all marked. */
static void
start(struct net *net)
{
    hand_incast(net, 1, 10 * G, US);
    weir_fields_default(tp_dcqcn.about.params, params);
    net->flows[0].transport = &tp_dcqcn;
    net->flows[0].transport_params = params;
    net_use(net, "ecn");
    hand_set(net, "kmin", 0);
    hand_set(net, "kmax", 0);
    hand_set(net, "pmax", WEIR_RATIO_1);
    /* A packet is marked when it joins the queue, and counts as part of it. */
    hand_set(net, "at", 1);
}

/* The receiver sends nothing but feedback packets, in a class of their own or in the class of the
 * flow. */
static void
answers_have_a_class(void **state)
{
    static const struct {
        uint8_t flow, answers, expected;
    } cases[] = { { 0, 0, 0 }, { 2, 0, 2 }, { 0, 1 + 1, 1 }, { 2, 1 + 0, 0 }, { 1, 1 + 1, 1 } };
    struct net net;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        start(&net);
        net.config.n_classes = 3;
        net.config.lossless = 7;
        net.config.answers = cases[i].answers;
        net.flows[0].cls = cases[i].flow;
        struct sim *sim = hand_run(&net);
        assert_true(sim_flow_result(sim, 0).received_bytes > 10 * MTU);
        for (uint8_t cls = 0; cls < 3; cls++) {
            uint64_t peak = sim_queue_peak_bytes(sim, hand_port(&net, SWITCH, RECEIVER), cls);
            assert_int_equal(peak > 0, cls == cases[i].expected);
            peak = sim_queue_peak_bytes(sim, hand_port(&net, SWITCH, SENDER), cls);
            assert_int_equal(peak > 0, cls == cases[i].flow);
        }
        sim_free(sim);
        net_stop(&net);
    }
}

/* The sender receives nothing in class 0, the class of its flow: feedback packets in that class do
 * not arrive, and those in another class do. */
static uint64_t
received_in_ms(uint8_t answers)
{
    struct net net;

    start(&net);
    net.flows[0].transport = &tp_dctcp; /* A window, which grows as ACKs arrive. */
    weir_fields_default(tp_dctcp.about.params, params);
    net.config.n_classes = 2;
    net.config.lossless = 3;
    net.config.answers = answers;
    net.config.run.until_ps = MS;
    net_use(&net, "pfc");
    const struct model_stall stall = { SENDER, 1, 0, MS };
    net.config.stalls = &stall;
    net.config.n_stalls = 1;
    struct sim *sim = hand_run(&net);
    uint64_t bytes = sim_flow_result(sim, 0).received_bytes;
    sim_free(sim);
    net_stop(&net);
    return bytes;
}

static void
a_class_of_their_own_keeps_them_apart(void **state)
{
    (void)state;
    assert_true(received_in_ms(0) < 20 * MTU);
    assert_true(received_in_ms(1 + 1) > 500 * MTU);
}

/* One CNP halves the rate permanently, so the bytes sent show when it arrived. */
static uint64_t
n_sent_with_delay(weir_ps delay_ps)
{
    struct net net;

    start(&net);
    set("notify", (uint64_t)WEIR_PS_PER_S);
    set("increase_time", (uint64_t)WEIR_PS_PER_S);
    set("increase_bytes", WEIR_MAX_BYTES);
    net.config.cnp_delay_ps = delay_ps;
    net.config.run.until_ps = MS;
    struct sim *sim = hand_run(&net);
    uint64_t n = sim_flow_result(sim, 0).sent_bytes / MTU;
    sim_free(sim);
    net_stop(&net);
    return n;
}

static void
a_cnp_takes_its_time(void **state)
{
    const weir_ps first_ps = 2 * (wire + US) + 2 * (64 * 800 + US);
    static const weir_ps delays_ps[] = { 0, 1, 4 * US, 100 * US + 7, 500 * US };

    (void)state;
    for (size_t i = 0; i < sizeof delays_ps / sizeof *delays_ps; i++) {
        weir_ps cut_ps = first_ps + delays_ps[i];
        ASSERT_NEAR(n_sent_with_delay(delays_ps[i]), (cut_ps + (MS - cut_ps) / 2) / wire, 2);
    }
}

/* The switch holds one feedback packet at a time, so the peak of its queue is the size of that
 * packet. */
static void
an_answer_has_its_size(void **state)
{
    struct net net;

    (void)state;
    for (uint16_t bytes = 64; bytes <= 1024; bytes *= 4) {
        start(&net);
        net.config.answer_bytes = bytes;
        net.config.run.until_ps = MS;
        struct sim *sim = hand_run(&net);
        uint32_t port = hand_port(&net, SWITCH, RECEIVER);
        assert_int_equal(sim_queue_peak_bytes(sim, port, 0), bytes);
        sim_free(sim);
        net_stop(&net);
    }
}

/* The hash of a run on links that lose packets, so that there are NACKs, too. */
static uint64_t
run_leaf_spine(uint32_t n_threads, void (*run)(struct sim *))
{
    const struct topo_build b = {
        .link = { .rate_bps = 10 * G, .delay_ps = US, .loss = WEIR_RATIO_1 / 500 },
        .leaves = 4,
        .spines = 2,
        .hosts = 4,
        .uplink_bps = 10 * G
    };
    struct net net;

    net_start(&net, topo_build_leaf_spine, &b, MODEL_ENDLESS, 3);
    weir_fields_default(tp_dcqcn.about.params, params);
    set("notify", 5 * (uint64_t)US);
    for (uint32_t i = 0; i < net.config.n_flows; i++) {
        net.flows[i].transport = &tp_dcqcn;
        net.flows[i].transport_params = params;
        net.flows[i].cls = i % 2;
    }
    net_use(&net, "ecn");
    assert_true(weir_stack_add(&net.config.stack, weir_engine_find("pfc")));
    net.config.n_classes = 3;
    net.config.lossless = 7;
    net.config.answers = 1 + 2;
    net.config.cnp_delay_ps = 7 * US / 2;
    net.config.retry_ps = 50 * US;
    return net_hash(&net, n_threads, run);
}

static void
threads_and_the_reference_agree(void **state)
{
    (void)state;
    net_assert_same(run_leaf_spine);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_have_a_class),
        cmocka_unit_test(a_class_of_their_own_keeps_them_apart),
        cmocka_unit_test(a_cnp_takes_its_time),
        cmocka_unit_test(an_answer_has_its_size),
        cmocka_unit_test(threads_and_the_reference_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Engines at NICs that limit flows: the bytes that are sent match the calculation on paper.
 *
 * The engine of this test limits one flow of every NIC, by its number there, or all flows, from one
 * time to another.  It also counts the bytes that the first two flows of its NIC send.  Packets of
 * 1500 B have a gap of 20 B, so one takes 1216 ns at 10 Gb/s. */

#include "hand.h"

enum { MTU = 1500, GAP = 20 };
#define G       1000000000ull
#define MAX_BPS (1000 * G)
#define US      ((weir_ps)1000000)
#define MS      (1000 * US)

static const weir_ps wire = (MTU + GAP) * 800;

struct params {
    uint64_t rate_bps, flow, from_ps, until_ps;
};

struct limiter {
    struct params p;
    uint64_t sent_bytes[2];
};

enum { FROM, UNTIL, ALL_FLOWS = 1000 };

static const struct weir_field param_fields[] = {
    WEIR_FIELD(struct params, rate_bps, "rate", WEIR_RATE, .max = MAX_BPS),
    WEIR_FIELD(struct params, flow, "flow", WEIR_COUNT, .max = ALL_FLOWS),
    WEIR_FIELD(struct params, from_ps, "from", WEIR_TIME, .max = WEIR_PS_PER_S),
    WEIR_FIELD(struct params, until_ps, "until", WEIR_TIME, .max = WEIR_PS_PER_S),
    { 0 },
};

static const struct weir_field counter_fields[] = {
    WEIR_FIELD(struct limiter, sent_bytes[0], "sent_0", WEIR_BYTES, .help = "Sent."),
    WEIR_FIELD(struct limiter, sent_bytes[1], "sent_1", WEIR_BYTES, .help = "Sent."),
    { 0 },
};

static bool
limiter_check(const struct weir_shape *shape, const void *params, struct weir_needs *needs,
              struct weir_text *text)
{
    (void)params, (void)text;
    *needs = (struct weir_needs){ .state_bytes = sizeof(struct limiter),
                                  .n_timers = 2,
                                  .max_emits = 2 + shape->n_flows,
                                  .services = shape->n_flows ? WEIR_SERVICE_FLOW_RATES : 0 };
    return true;
}

static void
limit(struct limiter *s, struct weir_ctx *ctx, uint64_t rate_bps)
{
    for (uint32_t i = 0; i < ctx->shape->n_flows; i++) {
        if (s->p.flow == i || s->p.flow == ALL_FLOWS) {
            weir_limit_flow(ctx, i, rate_bps);
        }
    }
}

static void
limiter_timer(void *state, struct weir_ctx *ctx, uint32_t key)
{
    struct limiter *s = state;

    limit(s, ctx, key == FROM ? s->p.rate_bps : WEIR_UNLIMITED);
}

static void
limiter_init(void *state, struct weir_ctx *ctx, const void *params)
{
    struct limiter *s = state;

    s->p = *(const struct params *)params;
    if (s->p.from_ps) {
        weir_set_timer(ctx, FROM, (weir_ps)s->p.from_ps);
    } else {
        limit(s, ctx, s->p.rate_bps);
    }
    weir_set_timer(ctx, UNTIL, (weir_ps)s->p.until_ps);
}

static void
limiter_sent(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    struct limiter *s = state;

    (void)ctx;
    if (pkt->flow < 2) {
        s->sent_bytes[pkt->flow] += pkt->bytes;
    }
}

static const struct weir_engine limiter = {
    .about = { .name = "limiter", .params = param_fields, .params_bytes = sizeof(struct params) },
    .limits = WEIR_LIMIT_FLOW,
    .counters = counter_fields,
    .check = limiter_check,
    .init = limiter_init,
    .timer = limiter_timer,
    .sent = limiter_sent,
};

static void
use_limiter(struct net *net, uint64_t rate_bps, uint32_t flow, weir_ps from_ps, weir_ps until_ps)
{
    net->config.gap_bytes = GAP;
    net->config.stack = (struct weir_stack){ 0 };
    assert_true(weir_stack_add(&net->config.stack, &limiter));
    hand_set(net, "rate", rate_bps);
    hand_set(net, "flow", flow);
    hand_set(net, "from", (uint64_t)from_ps);
    hand_set(net, "until", (uint64_t)until_ps);
}

/* The number of packets that start at 'first' and then every 'each', before 'end'. */
static uint64_t
n_starts(weir_ps first, weir_ps each, weir_ps end)
{
    return first < end ? (uint64_t)((end - first + each - 1) / each) : 0;
}

static uint64_t
n_sent(const struct sim *sim, uint32_t flow)
{
    return sim_flow_result(sim, flow).sent_bytes / MTU;
}

/* The packets that one flow alone sends in 10 ms if it is limited from 'from' to 'until'. The first
 * packet under the limit waits from the start of the packet before it; the first packet after the
 * limit does not wait. */
static uint64_t
expected(weir_ps own, weir_ps limited, weir_ps from, weir_ps until)
{
    weir_ps spaced = own > limited ? own : limited;
    uint64_t n_before = n_starts(0, own, from);
    weir_ps first = n_before ? (weir_ps)(n_before - 1) * own + spaced : 0;
    uint64_t n_limited = n_starts(first, spaced, until);
    weir_ps last = first + (weir_ps)n_limited * spaced - spaced;
    weir_ps again = last + own > until ? last + own : until;

    return n_before + n_limited + n_starts(again, own, 10 * MS);
}

static weir_ps
spacing(uint64_t rate_bps)
{
    return weir_wire_ps(MTU + GAP, rate_bps);
}

static void
a_limit_holds_to_the_packet_and_is_lifted(void **state)
{
    static const uint64_t own[] = { WEIR_UNLIMITED, 2 * G, 10000000 };
    static const uint64_t limits[] = { 5 * G, 1234567890, 100000000, 5000000 };

    (void)state;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
            for (weir_ps from = 0; from <= MS; from += MS) {
                struct net net;
                hand_incast(&net, 1, 10 * G, US);
                net.flows[0].rate_bps = own[i];
                use_limiter(&net, limits[k], 0, from, 7 * MS);
                struct sim *sim = hand_run(&net);
                weir_ps pace = own[i] == WEIR_UNLIMITED ? wire : spacing(own[i]);
                assert_int_equal(n_sent(sim, 0), expected(pace, spacing(limits[k]), from, 7 * MS));
                sim_free(sim);
                net_stop(&net);
            }
        }
    }
}

/* A limit that was set before the flow applies when it starts. */
static void
a_flow_that_starts_later_is_limited(void **state)
{
    struct net net;

    (void)state;
    hand_incast(&net, 1, 10 * G, US);
    net.flows[0].start_ps = 3 * MS;
    use_limiter(&net, G, 0, MS, 20 * MS);
    struct sim *sim = hand_run(&net);
    assert_int_equal(n_sent(sim, 0), n_starts(3 * MS, 10 * wire, 10 * MS));
    assert_int_equal(sim_flow_limit_bps(sim, 0), G);
    sim_free(sim);
    net_stop(&net);
}

/* Flows 0 and 2 are the first and second flow of one NIC, 1 and 3 those of another. */
static void
flows_have_numbers_of_their_own(void **state)
{
    struct net net;
    struct sim *sim;

    (void)state;
    hand_start(&net);
    uint32_t s = hand_switch(&net);
    for (uint32_t i = 0; i < 3; i++) {
        hand_link(&net, hand_nic(&net), s, 10 * G, US);
    }
    hand_finish(&net, 5);
    for (uint32_t i = 0; i < 5; i++) {
        net.flows[i].from = s + 1 + i % 2;
        net.flows[i].to = s + 3;
        /* The last flow is a third flow of the first NIC. */
        net.flows[i].bytes = i == 4 ? MTU : MODEL_ENDLESS;
    }
    use_limiter(&net, G, 1, MS, 20 * MS);
    sim = hand_run(&net);
    for (uint32_t flow = 0; flow < 4; flow++) {
        const struct weir_field *field = &counter_fields[flow / 2];
        uint32_t node = net.flows[flow].from;
        assert_int_equal(sim_flow_limit_bps(sim, flow), flow < 2 ? WEIR_UNLIMITED : G);
        assert_int_equal(sim_counter(sim, node, 0, field), sim_flow_result(sim, flow).sent_bytes);
        uint64_t half = (uint64_t)(MS / wire / 2);
        ASSERT_NEAR(n_sent(sim, flow), half + (uint64_t)(9 * MS / (10 * wire)) * (flow < 2 ? 9 : 1),
                    10);
    }
    sim_free(sim);
    net_stop(&net);
}

/* Two flows of dcqcn share a link whose switch marks packets. Fills in what each sends under a
 * limit. */
static void
run_dcqcn(uint64_t limit_bps, uint64_t n[2])
{
    uint64_t params[TP_PARAMS_MAX / sizeof(uint64_t)];
    struct net net;

    hand_incast(&net, 2, 10 * G, US);
    weir_fields_default(tp_dcqcn.about.params, params);
    for (uint32_t i = 0; i < 2; i++) {
        net.flows[i].transport = &tp_dcqcn;
        net.flows[i].transport_params = params;
    }
    use_limiter(&net, limit_bps, ALL_FLOWS, MS, 20 * MS);
    assert_true(weir_stack_add(&net.config.stack, weir_engine_find("ecn")));
    struct sim *sim = hand_run(&net);
    n[0] = n_sent(sim, 0);
    n[1] = n_sent(sim, 1);
    sim_free(sim);
    net_stop(&net);
}

static void
of_control_and_engine_the_lower_holds(void **state)
{
    uint64_t free[2], high[2], low[2];

    (void)state;
    run_dcqcn(MAX_BPS, free);
    run_dcqcn(10 * G, high);
    run_dcqcn(G / 10, low);
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t n_first_ms = (uint64_t)(MS / wire);
        assert_int_equal(high[i], free[i]);
        assert_true(low[i] >= (uint64_t)(9 * MS / (100 * wire)));
        assert_true(low[i] <= (uint64_t)(9 * MS / (100 * wire)) + n_first_ms + 1);
        assert_true(free[i] > low[i] + n_first_ms);
    }
}

/* A NIC with so many flows that their round-robin list has a search tree. */
static void
many_flows_of_a_nic_each_keep_to_theirs(void **state)
{
    enum { N = 100 };
    struct net net;

    (void)state;
    hand_pair(&net, N);
    use_limiter(&net, G / 20, ALL_FLOWS, 0, 20 * MS);
    struct sim *sim = hand_run(&net);
    for (uint32_t i = 0; i < N; i++) {
        ASSERT_NEAR(n_sent(sim, i), 10 * MS / (200 * wire), 1);
    }
    sim_free(sim);
    net_stop(&net);
}

/* The hash of a run of a small network under PFC, with limits that begin and end. */
static uint64_t
run_leaf_spine(uint32_t n_threads, void (*run)(struct sim *))
{
    const struct topo_build b = { .link = { .rate_bps = 10 * G, .delay_ps = US },
                                  .leaves = 4,
                                  .spines = 2,
                                  .hosts = 4,
                                  .uplink_bps = 10 * G };
    struct net net;

    net_start(&net, topo_build_leaf_spine, &b, MODEL_ENDLESS, 3);
    use_limiter(&net, G, ALL_FLOWS, 100 * US, 400 * US);
    assert_true(weir_stack_add(&net.config.stack, weir_engine_find("pfc")));
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
        cmocka_unit_test(a_limit_holds_to_the_packet_and_is_lifted),
        cmocka_unit_test(a_flow_that_starts_later_is_limited),
        cmocka_unit_test(flows_have_numbers_of_their_own),
        cmocka_unit_test(of_control_and_engine_the_lower_holds),
        cmocka_unit_test(many_flows_of_a_nic_each_keep_to_theirs),
        cmocka_unit_test(threads_and_the_reference_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* DCQCN with the constants that HPCC's simulator publishes for 100 Gb/s (its run.py, "dcqcn"), and
 * the effect of a window.
 *
 * Two hosts send a flow each to a third host, over one switch, links of 1 us and packets of 1000
 * bytes. Marks begin at 400 KB, and their probability grows to 0.2 at 1600 KB. Alpha changes every
 * 1 us, cuts are at least 4 us apart, and increases are 300 us apart. There is one step of fast
 * recovery; increases are 20 and 200 Mb/s; the minimum rate is 1 Gb/s. */

#include "hand.h"

#define US   ((weir_ps)1000000)
#define MS   (1000 * US)
#define MBPS UINT64_C(1000000)
#define GBPS UINT64_C(1000000000)

enum { PAPER, NIC }; /* Values of 'form'. */
enum { MTU = 1000, N_FLOWS = 2 };

struct setting {
    const char *name;
    uint64_t value;
};

static const struct setting nic[] = { { "form", NIC }, { "least", 1 * GBPS }, { 0 } };

/* The same constants under the rules of the paper: one cut per notification, at most every 4 us. */
#define BY_THE_PAPER                                                                               \
    { "form", PAPER }, { "notify", 4 * US }, { "alpha_time", 1 * US },                             \
        { "increase_time", 300 * US }, { "steps", 1 },                                             \
    {                                                                                              \
        "least", 1 * GBPS                                                                          \
    }

static const struct setting paper[] = { BY_THE_PAPER, { 0 } };
static const struct setting paper_with_kept_target[] = { BY_THE_PAPER, { "clamp", 0 }, { 0 } };

static void
start(struct net *net, const struct transport *t, const struct setting *settings, uint64_t *params)
{
    hand_incast(net, N_FLOWS, 100 * GBPS, 1 * US);
    net->config.mtu_bytes = MTU;
    net_use(net, "ecn");
    hand_set(net, "kmin", 400000);
    hand_set(net, "kmax", 1600000);
    weir_fields_default(t->about.params, params);
    for (; settings->name; settings++) {
        weir_field_set(weir_field_find(t->about.params, settings->name), params, settings->value);
    }
    for (uint32_t i = 0; i < N_FLOWS; i++) {
        net->flows[i].transport = t;
        net->flows[i].transport_params = params;
    }
}

static void
receive_by(weir_ps until, uint64_t seed, const struct setting *settings, uint64_t bytes[N_FLOWS])
{
    uint64_t params[TP_PARAMS_MAX / sizeof(uint64_t)];
    struct net net;

    start(&net, &tp_dcqcn, settings, params);
    net.config.run.until_ps = until;
    net.config.run.seed = seed;
    struct sim *sim = hand_run(&net);
    for (uint32_t i = 0; i < N_FLOWS; i++) {
        bytes[i] = sim_flow_result(sim, i).received_bytes;
    }
    sim_free(sim);
    net_stop(&net);
}

/* The rates of the flows in Mb/s, between two times in ms. */
static void
rates(uint64_t seed, const struct setting *settings, weir_ps from, weir_ps to,
      uint64_t mbps[N_FLOWS])
{
    uint64_t before[N_FLOWS] = { 0 };

    if (from) {
        receive_by(from * MS, seed, settings, before);
    }
    receive_by(to * MS, seed, settings, mbps);
    for (uint32_t i = 0; i < N_FLOWS; i++) {
        mbps[i] = (mbps[i] - before[i]) * 8 / (uint64_t)((to - from) * 1000);
    }
}

/* HPCC's simulator was run with these settings and six starts of the second flow, up to 2 us after
 * the first. There the link is busy for 78 % of the first 2 ms, and for 99 to 100 % of the time
 * from 10 to 20 ms. The faster flow is random, up to 47 + 52 %. */
static void
two_flows_fill_a_link_as_nics_run_it(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        uint64_t mbps[N_FLOWS];

        rates(seed, nic, 0, 2, mbps);
        ASSERT_NEAR(mbps[0] + mbps[1], 78500, 2000);
        rates(seed, nic, 10, 20, mbps);
        ASSERT_NEAR(mbps[0] + mbps[1], 99300, 700);
        ASSERT_NEAR(mbps[0], 50000, 3500);
    }
}

/* Both flows start at line rate, and their queue stays above the threshold for several
 * notifications.  In the paper each of these sets the target to the rate after the last cut, so
 * recovery ends at a quarter of the line rate. From there the rate rises by 20 Mb/s per 300 us
 * until 10 MB have been sent twice, and by 200 Mb/s from then on.  If only the target is kept, and
 * all else is as in the paper, the link is full. */
static void
by_the_paper_they_forget_where_to_go_back_to(void **state)
{
    uint64_t mbps[N_FLOWS];

    (void)state;
    rates(1, paper, 10, 20, mbps);
    ASSERT_NEAR(mbps[0], 32000, 2000);
    ASSERT_NEAR(mbps[1], 32000, 2000);
    rates(1, paper_with_kept_target, 10, 20, mbps);
    ASSERT_NEAR(mbps[0] + mbps[1], 99000, 1500);
}

static uint64_t
hash_of(uint32_t n_threads, void (*run)(struct sim *))
{
    uint64_t params[TP_PARAMS_MAX / sizeof(uint64_t)];
    struct net net;

    start(&net, &tp_dcqcn, nic, params);
    net.config.run.until_ps = 3 * MS;
    return net_hash(&net, n_threads, run);
}

static void
it_is_the_same_by_threads_and_by_the_plain_loop(void **state)
{
    (void)state;
    net_assert_same(hash_of);
}

/* The peak queue at the switch in the first millisecond. */
static uint64_t
peak_bytes(const struct transport *t, const struct setting *settings)
{
    uint64_t params[TP_PARAMS_MAX / sizeof(uint64_t)];
    struct net net;

    start(&net, t, settings, params);
    net.config.run.until_ps = 1 * MS;
    struct sim *sim = hand_run(&net);
    uint64_t bytes = 0;
    for (uint32_t port = 0; port < N_FLOWS; port++) {
        bytes += sim_queue_peak_bytes(sim, port, 0);
    }
    sim_free(sim);
    net_stop(&net);
    return bytes;
}

/* A round trip is four cable delays of 1 us, and the transmission of a packet and an ACK on two
 * links each, so a path holds 52 KB.  If both flows have a window of this size, one window is
 * queued at the switch. With 5 us more, each window is 62.5 KB larger. */
static void
a_window_bounds_the_queue(void **state)
{
    static const struct setting window[] = { { "form", NIC }, { "window", 1 }, { 0 } };
    static const struct setting wider[] = {
        { "form", NIC }, { "window", 1 }, { "base_rtt", 9170240 }, { 0 }
    };

    (void)state;
    ASSERT_NEAR(peak_bytes(&tp_dcqcn, window), 52128, 3000);
    ASSERT_NEAR(peak_bytes(&tp_dcqcn, wider), 52128 + 2 * 62500, 4000);
}

/* With such a high marking threshold, DCTCP's window grows until packets are marked, unless its cap
 * limits the window to what the path holds. */
static void
a_cap_bounds_the_queue_of_dctcp(void **state)
{
    static const struct setting capped[] = { { "cap", 1 }, { 0 } }, free[] = { { 0 } };

    (void)state;
    ASSERT_NEAR(peak_bytes(&tp_dctcp, capped), 52128, 3000);
    assert_true(peak_bytes(&tp_dctcp, free) > 100000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_flows_fill_a_link_as_nics_run_it),
        cmocka_unit_test(by_the_paper_they_forget_where_to_go_back_to),
        cmocka_unit_test(it_is_the_same_by_threads_and_by_the_plain_loop),
        cmocka_unit_test(a_window_bounds_the_queue),
        cmocka_unit_test(a_cap_bounds_the_queue_of_dctcp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

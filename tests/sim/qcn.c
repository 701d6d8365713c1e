/* QCN from end to end: senders slow down and share an output, and its queue settles at the set
 * point.
 *
 *        H1 ===>              Each sender has 10 Gb/s, and so has the output. Without QCN its queue
 *        ..      S1 ===> H    would grow until the buffer is full.
 *        Hn ===>
 */

#include "hand.h"

enum { GAP = 20, QEQ = 30000, MAX_SENDERS = 8, S1 = 0 };

/* Sanitizers cost time; the plain build tries more. */
#if defined(__SANITIZE_ADDRESS__)
enum { N_SEEDS = 2 };
#else
enum { N_SEEDS = 8 };
#endif

#define LINE_BPS 10000000000ull
#define US       ((weir_ps)1000000)
#define MS       (1000 * US)

struct shared {
    uint64_t flows_bps[MAX_SENDERS], all_bps, least_bps, queue_bytes, n_sent, n_heard;
};

static uint64_t
counter(const struct sim *sim, uint32_t node, const char *name)
{
    return sim_counter(sim, node, 0, weir_field_find(weir_engine_find("qcn")->counters, name));
}

enum place { INPUT, OUTPUT };
enum blame { ARRIVAL, OCCUPANCY, OLDEST = 3 };

struct setup {
    uint32_t n, n_threads;
    enum place place;
    enum blame blame;
    uint64_t seed;
};

/* The rate of each flow at the output in the second half of the run, and the mean queue. */
static struct shared
share(const struct setup *u)
{
    struct shared s = { .least_bps = LINE_BPS };
    struct net net;

    hand_incast(&net, u->n, LINE_BPS, US);
    net.config.gap_bytes = GAP;
    net.config.run.until_ps = 200 * MS;
    net.config.run.n_threads = u->n_threads;
    net_use(&net, "qcn");
    hand_set(&net, "place", u->place);
    hand_set(&net, "blame", u->blame);
    hand_set(&net, "qeq", QEQ);
    hand_set(&net, "seed", u->seed);
    struct sim *sim = hand_run(&net);
    s.queue_bytes = u->place == OUTPUT
                        ? sim_output_mean_bytes(sim, hand_port(&net, S1, u->n + 1), 0)
                        : sim_queue_mean_bytes(sim, hand_port(&net, S1, S1 + 1), 0);
    s.n_sent = counter(sim, S1, "cnms");
    for (uint32_t flow = 0; flow < u->n; flow++) {
        s.flows_bps[flow] = sim_flow_late_bps(sim, flow);
        s.all_bps += s.flows_bps[flow];
        s.least_bps = s.flows_bps[flow] < s.least_bps ? s.flows_bps[flow] : s.least_bps;
        s.n_heard += counter(sim, S1 + 1 + flow, "heard");
        assert_true(sim_flow_limit_bps(sim, flow) < LINE_BPS);
    }
    assert_int_equal(sim_totals(sim).n_dropped, 0);
    sim_free(sim);
    net_stop(&net);
    return s;
}

/* Packets use the whole link, except for gaps. No flow starves, and none is permanently favoured:
 * which flow gets the larger share is random, and evens out over seeds. */
static void
senders_share_an_output(void **state)
{
    const uint64_t packets_bps = LINE_BPS * 1500 / (1500 + GAP);
    uint64_t first_bps = 0, second_bps = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
        struct shared s = share(&(struct setup){ 2, 1, OUTPUT, ARRIVAL, seed });
        ASSERT_NEAR(s.all_bps, packets_bps, LINE_BPS / 100);
        assert_true(s.least_bps > LINE_BPS / 4);
        ASSERT_NEAR(s.queue_bytes, QEQ, QEQ / 10);
        ASSERT_NEAR(s.n_heard, s.n_sent, 1);
        first_bps += s.flows_bps[0];
        second_bps += s.flows_bps[1];
    }
    ASSERT_NEAR(first_bps / N_SEEDS, second_bps / N_SEEDS, LINE_BPS / 5);
}

static void
so_do_many(void **state)
{
    (void)state;
    struct shared s = share(&(struct setup){ MAX_SENDERS, 1, OUTPUT, ARRIVAL, 1 });
    ASSERT_NEAR(s.all_bps, LINE_BPS * 1500 / (1500 + GAP), LINE_BPS / 100);
    assert_true(s.least_bps > LINE_BPS / MAX_SENDERS / 2);
    ASSERT_NEAR(s.queue_bytes, QEQ, QEQ / 10);
}

/* Each input has its own congestion point, so no flow is blamed for packets of others, and shares
 * are even. */
static void
points_at_inputs_share_evenly(void **state)
{
    static const enum blame blames[] = { ARRIVAL, OCCUPANCY, OLDEST };

    (void)state;
    for (size_t i = 0; i < sizeof blames / sizeof *blames; i++) {
        struct shared s = share(&(struct setup){ 4, 1, INPUT, blames[i], 1 });
        ASSERT_NEAR(s.all_bps, LINE_BPS * 1500 / (1500 + GAP), LINE_BPS / 100);
        ASSERT_NEAR(s.least_bps, s.all_bps / 4, s.all_bps / 40);
        ASSERT_NEAR(s.queue_bytes, QEQ, QEQ / 10);
    }
}

static void
threads_change_nothing(void **state)
{
    struct shared one = share(&(struct setup){ 4, 1, OUTPUT, OCCUPANCY, 1 });
    struct shared three = share(&(struct setup){ 4, 3, OUTPUT, OCCUPANCY, 1 });

    (void)state;
    assert_memory_equal(&one, &three, sizeof one);
}

/* Defaults scale with the rate.  So the queue also settles around its set point at 400 Gb/s, over
 * cables of up to 10 km, and the link is fully used. With 30 KB, the set point at 10 Gb/s, the
 * queue would be empty at times. */
static void
defaults_hold_at_any_rate(void **state)
{
    static const uint64_t gbps[] = { 10, 100, 400 };

    (void)state;
    for (size_t i = 0; i < sizeof gbps / sizeof *gbps; i++) {
        const uint64_t line_bps = gbps[i] * 1000000000, qeq = gbps[i] * QEQ / 10;
        uint64_t all_bps = 0;
        struct net net;
        hand_incast(&net, MAX_SENDERS, line_bps, 50 * US);
        net.config.gap_bytes = GAP;
        net.config.run.until_ps = 20 * MS;
        net_use(&net, "qcn");
        hand_set(&net, "place", OUTPUT);
        struct sim *sim = hand_run(&net);
        uint64_t mean = sim_output_mean_bytes(sim, hand_port(&net, S1, MAX_SENDERS + 1), 0);
        for (uint32_t flow = 0; flow < MAX_SENDERS; flow++) {
            all_bps += sim_flow_late_bps(sim, flow);
        }
        print_message("  %3llu Gb/s: %llu %% of the line, queue %llu %% of qeq\n",
                      (unsigned long long)gbps[i], (unsigned long long)(all_bps * 100 / line_bps),
                      (unsigned long long)(mean * 100 / qeq));
        assert_true(all_bps > line_bps / 100 * 97);
        assert_in_range(mean, qeq / 2, qeq * 3 / 2);
        sim_free(sim);
        net_stop(&net);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(senders_share_an_output),       cmocka_unit_test(so_do_many),
        cmocka_unit_test(points_at_inputs_share_evenly), cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(defaults_hold_at_any_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

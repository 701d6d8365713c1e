/* HPCC over time, compared with values derived from its paper (Li et al., SIGCOMM 2019): 100 Gb/s
 * and a round trip of 12.2 us, in which the link carries 152 packets.
 *
 * N flows with the same round trip share a link of rate C.  While the link has no queue, its load
 * is U = sum of rates / C, and with maxStage 0 each round changes a rate R to
 *
 *     R' = R eta / U + ai,
 *
 * so the sum becomes eta C + N ai at once and stays there. The difference of two rates shrinks by
 * eta / U = 1 / (1 + N ai / (eta C)) in each round.  A round lasts for a round trip and the time to
 * the next packet.  Loads are measured in whole packets, so in the end the rates may differ by a
 * packet in each round trip. */

#include <math.h>

#include "sampled.h"

static const double eta = 62259. / 65536;

/* Hardly any packet waits: at most one of each flow, when they arrive at the same time.  The
 * initial queue, up to a round trip of data of each flow, has drained. */
static void
try_share(uint32_t n_flows, uint64_t stages)
{
    struct sampled *s = sampled_new(n_flows, &tp_hpcc, 100 * G, 3 * US);
    const weir_ps from = 5000 * US, to = 10000 * US;
    double packet = s->line_bps * PACKET / s->path_bytes;

    sampled_set(s, "stages", stages);
    sampled_set(s, "ai", 400000000);
    sampled_run(s, to, 10 * US);
    double sum = sampled_all_bps(s, from, to);
    expect("the sum", sum, eta * s->line_bps + n_flows * 400e6, 0.002 * s->line_bps);
    for (uint32_t i = 0; i < n_flows; i++) {
        expect("a share", sampled_bps(s, i, from, to), sum / n_flows, packet);
    }
    assert_true(sampled_longest(s, from, to) <= n_flows * PACKET);
    sampled_free(s);
}

static void
flows_share_95_per_cent_without_a_queue(void **state)
{
    (void)state;
    try_share(1, 0);
    try_share(2, 0);
    try_share(4, 0);
    try_share(2, 5);
}

/* HPCC that starts at a tenth of its rate. */
static void
start_low(void *state, const struct tp_env *env, const void *params, struct tp_limits *limits)
{
    tp_hpcc.start(state, env, params, limits);
    tp_hpcc.slowed(state, 0, WEIR_RATIO_1 / 10, limits);
}

static double
difference(const struct sampled *s, weir_ps from_ps)
{
    weir_ps to_ps = from_ps + 200 * US;

    return sampled_bps(s, 0, from_ps, to_ps) - sampled_bps(s, 1, from_ps, to_ps);
}

/* A second flow starts at a low rate when the first has the whole link. */
static void
try_convergence(const char *arbitration, double slack)
{
    struct sampled *s = sampled_new(2, &tp_hpcc, 100 * G, 3 * US);
    struct transport low = tp_hpcc;

    low.start = start_low;
    sampled_set(s, "stages", 0);
    sampled_set(s, "ai", 400000000);
    s->net.config.arbitration = arbitration;
    s->net.flows[1].transport = &low;
    s->net.flows[1].start_ps = 1000 * US;
    sampled_run(s, 10000 * US, 10 * US);
    double rounds = 2e-3 / (s->rtt_s + PACKET * 8 / (eta * s->line_bps / 2));
    double per_round = log1p(2 * 400e6 / (eta * s->line_bps));
    double shrunk = log(difference(s, 2000 * US) / difference(s, 4000 * US));
    expect("how often the difference shrinks in 2 ms", shrunk / per_round, rounds, slack * rounds);
    expect("the difference at last", difference(s, 9000 * US), 0,
           2 * s->line_bps * PACKET / s->path_bytes);
    sampled_free(s);
}

/* If inputs are served round robin, both flows see the same load.  In one queue each flow sees its
 * own packets and those of the other, and their order makes one flow slightly faster. */
static void
rates_converge_as_on_paper(void **state)
{
    (void)state;
    try_convergence("rr", 0.05);
    try_convergence("fifo", 0.25);
}

/* 16 flows start at once, each with a round trip of bytes; all but one of these windows wait at
 * first.  The senders notice the queue after a round trip, and sending the queued packets takes 15
 * round trips. Some round trips later the queue has drained, and the link was never idle, so the
 * rates fall neither too much nor too late. The paper has the reference window for this (incast of
 * 16 to 1, section 5.4). */
static void
an_incast_drains_and_the_link_stays_full(void **state)
{
    enum { N = 16 };
    struct sampled *s = sampled_new(N, &tp_hpcc, 100 * G, 3 * US);
    weir_ps rtt = (weir_ps)(s->rtt_s * WEIR_PS_PER_S), step = 100 * US;

    (void)state;
    sampled_set(s, "stages", 0);
    sampled_run(s, 4000 * US, 5 * US);
    expect("the peak", (double)sampled_longest(s, 0, 4000 * US), (N - 1) * s->path_bytes,
           N * PACKET);
    assert_true(sampled_longest(s, 10 * rtt, 11 * rtt) > 4 * (uint64_t)s->path_bytes);
    assert_true(sampled_longest(s, 25 * rtt, 4000 * US) <= N * PACKET);
    for (weir_ps at = step; at < 4000 * US; at += step) {
        expect("the sum", sampled_all_bps(s, at, at + step), 0.96 * s->line_bps,
               0.04 * s->line_bps);
    }
    sampled_free(s);
}

/* A receiver acknowledges only every fourth packet. The ACK has the telemetry of the last packet,
 * and flows with a window of one or two packets do not wait for an ACK that would never arrive. */
static void
an_answer_may_be_for_several_packets(void **state)
{
    enum { N = 16 };
    struct sampled *s = sampled_new(N, &tp_hpcc, 10 * G, 3 * US);
    const weir_ps from = 10000 * US, to = 50000 * US;

    (void)state;
    s->net.config.ack_every = 4;
    sampled_run(s, to, 100 * US);
    expect("the sum", sampled_all_bps(s, from, to), 0.92 * s->line_bps, 0.04 * s->line_bps);
    for (uint32_t i = 0; i < N; i++) {
        assert_true(sampled_bps(s, i, from, to) > 0.01 * s->line_bps);
    }
    sampled_free(s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flows_share_95_per_cent_without_a_queue),
        cmocka_unit_test(rates_converge_as_on_paper),
        cmocka_unit_test(an_incast_drains_and_the_link_stays_full),
        cmocka_unit_test(an_answer_may_be_for_several_packets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

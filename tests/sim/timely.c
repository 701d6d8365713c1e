/* TIMELY over time, compared with closed forms, a fluid model, and published results: 10 Gb/s and a
 * round trip of 17.7 us. */

#include "sampled.h"

/* TIMELY that starts at a tenth of its rate. */
static void
start_low(void *state, const struct tp_env *env, const void *params, struct tp_limits *limits)
{
    tp_timely.start(state, env, params, limits);
    tp_timely.slowed(state, 0, WEIR_RATIO_1 / 10, limits);
}

/* The round trip of a single flow stays under t_low, so the rate rises by one step in each round. A
 * round lasts for a packet's round trip plus, on average, half the time between two packets. */
static void
rises_by_a_step_a_round_trip(void **state)
{
    struct sampled *s = sampled_new(1, &tp_timely, 10 * G, 4 * US);
    struct transport low = tp_timely;

    (void)state;
    low.start = start_low;
    s->net.flows[0].transport = &low;
    sampled_run(s, 14000 * US, 100 * US);
    double before = sampled_bps(s, 0, 7000 * US, 8000 * US);
    double after = sampled_bps(s, 0, 11000 * US, 12000 * US);
    double round_s = s->rtt_s + PACKET * 8 / ((before + after) / 2) / 2;
    expect("the rise in 4 ms", after - before, 10e6 * 4e-3 / round_s, 0.02 * (after - before));
    sampled_free(s);
}

/* Two flows send at line rate, with a window of one path each. So one bandwidth-delay product
 * waits, and the round trip is twice that of the empty path. This is less than t_low, so nothing
 * changes. */
static void
two_windows_hold_each_other(void **state)
{
    struct sampled *s = sampled_new(2, &tp_timely, 10 * G, 4 * US);

    (void)state;
    sampled_set(s, "window", 1);
    sampled_run(s, 10000 * US, 100 * US);
    expect("a share", sampled_bps(s, 0, 1000 * US, 10000 * US), s->line_bps / 2,
           0.001 * s->line_bps);
    expect("the sum", sampled_all_bps(s, 1000 * US, 10000 * US), s->line_bps, 0.001 * s->line_bps);
    expect("the queue", (double)sampled_longest(s, 1000 * US, 10000 * US), s->path_bytes,
           2 * PACKET);
    sampled_free(s);
}

/* The rules of TIMELY as a fluid model. A flow sends a probe, which samples the queue half an empty
 * round trip later; when the probe returns, the flow changes its rate and sends the next one. */
struct fluid_flow {
    double rate, rtt, difference, sent_at, found, back_at;
    int n_rises;
};

static void
change_rate(struct fluid_flow *f, double C)
{
    f->difference = 0.125 * f->difference + 0.875 * (f->found - f->rtt);
    if (f->found < 50e-6) {
        f->rate += 10e6;
    } else if (f->found > 500e-6) {
        f->rate *= 1 - 0.8 * (1 - 500e-6 / f->found);
        f->n_rises = 0;
    } else if (f->difference <= 0) {
        f->rate += f->n_rises++ >= 5 ? 50e6 : 10e6;
    } else {
        f->rate *= f->difference < 25e-6 ? 1 - 0.8 * f->difference / 20e-6 : 0;
        f->n_rises = 0;
    }
    f->rate = f->rate < 40e6 ? 40e6 : f->rate > C ? C : f->rate;
}

static void
step_flow(struct fluid_flow *f, double now, double wait, double empty, double C)
{
    if (f->sent_at >= 0 && now >= f->sent_at + empty / 2) {
        f->found = empty + wait;
        f->back_at = f->sent_at + f->found;
        f->sent_at = -1;
    }
    if (f->back_at >= 0 && now >= f->back_at) {
        if (f->rtt > 0) {
            change_rate(f, C);
        }
        f->rtt = f->found;
        f->back_at = -1;
        f->sent_at = now + PACKET * 8 / f->rate / 2;
    }
}

/* Two flows start at line rate and run for 100 ms. Fills in the mean rate and the peak queue, in
 * bytes, of the second half. */
static void
run_fluid(double C, double empty, double *mean, double *longest)
{
    enum { N_PAST = 1024 };
    const double step = 0.05e-6;
    struct fluid_flow flows[2] = { { .rate = C, .back_at = -1 }, { .rate = C, .back_at = -1 } };
    double past[N_PAST] = { 0 }, queue = 0, sent = 0;
    uint32_t n_steps = 2000000, on_its_way = (uint32_t)(empty / 2 / step);

    *longest = 0;
    for (uint32_t i = 0; i < n_steps; i++) {
        past[i % N_PAST] = flows[0].rate + flows[1].rate;
        double in = i < on_its_way ? 0 : past[(i - on_its_way) % N_PAST];
        double out = queue > 0 || in > C ? C : in;
        queue = queue + (in - out) * step > 0 ? queue + (in - out) * step : 0;
        step_flow(&flows[0], i * step, queue / C, empty, C);
        step_flow(&flows[1], i * step, queue / C, empty, C);
        if (i >= n_steps / 2) {
            sent += out;
            *longest = queue / 8 > *longest ? queue / 8 : *longest;
        }
    }
    *mean = sent / (n_steps / 2);
}

/* The rates never settle. They rise until a queue of t_low has built up; its growth makes the flows
 * cut them, and the link becomes idle (no fixed point: Zhu et al., ECN or Delay, CoNEXT 2016,
 * section 4). The fluid model gives the size of the step. */
static void
two_flows_oscillate_as_a_fluid_does(void **state)
{
    struct sampled *s = sampled_new(2, &tp_timely, 10 * G, 4 * US);
    double mean, longest;
    uint32_t n_dry = 0, n_long = 0;

    (void)state;
    sampled_run(s, 100000 * US, 10 * US);
    run_fluid(s->line_bps, s->rtt_s, &mean, &longest);
    expect("the sum", sampled_all_bps(s, 50000 * US, 100000 * US), mean, 0.02 * mean);
    expect("the peak queue", (double)sampled_longest(s, 50000 * US, 100000 * US), longest,
           0.15 * longest);
    for (uint32_t i = 5000; i < 10000; i++) {
        n_dry += s->queue[i] <= PACKET;
        n_long += s->queue[i] > 20 * PACKET;
    }
    assert_true(n_dry > 500 && n_long > 500);
    sampled_free(s);
}

/* The share of the first flow after a long time, if the other flow starts later by 'late_ps'. */
static double
share(const struct transport *transport, weir_ps late_ps)
{
    struct sampled *s = sampled_new(2, transport, 10 * G, 4 * US);
    const weir_ps from = 180000 * US, to = 200000 * US;

    if (transport == &tp_timely) {
        sampled_set(s, "segment", 16000);
    } else {
        sampled_set(s, "ai", 100000000);
    }
    s->net.flows[1].start_ps = late_ps;
    sampled_run(s, to, 100 * US);
    double share = sampled_bps(s, 0, from, to) / sampled_all_bps(s, from, to);
    sampled_free(s);
    return share;
}

/* Final rates depend on the initial ones. TIMELY measures each segment of 16 KB, as in its paper.
 * Any ratio of two rates can then be stable, and none is preferred (Zhu et al., section 4). HPCC,
 * for comparison, shares evenly, whichever flow starts first. */
static void
shares_depend_on_who_came_first(void **state)
{
    (void)state;
    double first = share(&tp_timely, 0), other = share(&tp_timely, 10000 * US);
    assert_true(first > 0.8 && other < 0.4);
    expect("HPCC's share", share(&tp_hpcc, 0), 0.5, 0.05);
    expect("HPCC's share", share(&tp_hpcc, 10000 * US), 0.5, 0.05);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rises_by_a_step_a_round_trip),
        cmocka_unit_test(two_windows_hold_each_other),
        cmocka_unit_test(two_flows_oscillate_as_a_fluid_does),
        cmocka_unit_test(shares_depend_on_who_came_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* TIMELY, compared with Algorithm 1 of its paper by hand: at 10 Gb/s a step is 10 Mb/s. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "transport/transport.h"

#define LINE_BPS ((uint64_t)10000000000)
#define US       1000000
#define MTU      1500

static const struct tp_env env = { LINE_BPS, MTU, 20 * US };
static const double beta = 52429. / 65536, step_bps = 10e6;

struct flow {
    uint64_t state[TP_STATE_MAX / 8], params[TP_PARAMS_MAX / 8];
    struct tp_limits limits;
    uint32_t n_acked;
};

static void
set(struct flow *f, const char *name, uint64_t value)
{
    weir_field_set(weir_field_find(tp_timely.about.params, name), f->params, value);
    tp_timely.start(f->state, &env, f->params, &f->limits);
}

static void
start(struct flow *f)
{
    *f = (struct flow){ 0 };
    weir_fields_default(tp_timely.about.params, f->params);
    tp_timely.start(f->state, &env, f->params, &f->limits);
}

/* The last packet that was sent is acknowledged after this round trip. */
static void
ack(struct flow *f, double us)
{
    f->n_acked++;
    const struct tp_ack news = {
        .bytes = MTU, .n_acked = f->n_acked, .n_sent = f->n_acked, .rtt_ps = (weir_ps)(us * US)
    };
    tp_timely.acked(f->state, &news, &f->limits);
}

static void
expect_rate(const struct flow *f, double bps)
{
    assert_true(fabs((double)f->limits.rate_bps - bps) < 5000);
}

/* A flow at 1 Gb/s whose last round trip was 100 us, with a difference of 0. */
static void
start_at_1g(struct flow *f)
{
    tp_timely.slowed(f->state, 0, WEIR_RATIO_1 / 10, &f->limits);
    ack(f, 100);
}

#define AT_1G (1e10 * 6553 / 65536) /* A tenth of 10 Gb/s, as the 16-bit ratio rounds it. */

static void
starts_at_line_rate(void **unused)
{
    struct flow f;

    (void)unused;
    start(&f);
    assert_int_equal(f.limits.rate_bps, WEIR_UNLIMITED);
    assert_int_equal(f.limits.window_bytes, WEIR_UNLIMITED);
    ack(&f, 700); /* There is no earlier round trip to compare it with. */
    assert_int_equal(f.limits.rate_bps, WEIR_UNLIMITED);
    assert_false(tp_timely.wants_marks || tp_timely.wants_telemetry);
    assert_true(tp_timely.wants_rtt);
}

/* Below t_low the rate rises by a step, and above t_high it is cut, whatever the gradient is. */
static void
short_and_long_round_trips_rule(void **unused)
{
    struct flow f;
    double rate = AT_1G;

    (void)unused;
    start(&f);
    start_at_1g(&f);
    ack(&f, 20);
    expect_rate(&f, rate += step_bps);
    for (int i = 0; i < 20;
         /* The round trip grows but is short; all steps have the same size. */
         i++) {
        ack(&f, 21 + i);
        expect_rate(&f, rate += step_bps);
    }
    ack(&f, 1000);
    expect_rate(&f, rate *= 1 - beta / 2);
    ack(&f, 625); /* The round trip is shorter than before, but long. */
    expect_rate(&f, rate * (1 - beta / 5));
}

/* A round trip of 110 us after 100 us: the difference is 0.875 x 10 us, and the gradient 0.4375.
 * With 110 us again an eighth of that is left. */
static void
a_gradient_cuts(void **unused)
{
    struct flow f;
    double rate = AT_1G;

    (void)unused;
    start(&f);
    start_at_1g(&f);
    ack(&f, 110);
    expect_rate(&f, rate *= 1 - beta * 0.4375);
    ack(&f, 110);
    expect_rate(&f, rate *= 1 - beta * 0.4375 / 8);
    /* A gradient above 1 takes the whole rate, down to the minimum, 100 Mb/s x 10/25. */
    ack(&f, 200);
    expect_rate(&f, 40e6);
}

/* Each of five steps without a positive gradient adds one step; from the sixth on, the rate rises
 * by five steps at a time.  A cut ends that. */
static void
leaps_after_five_steps(void **unused)
{
    struct flow f;
    double rate = AT_1G;

    (void)unused;
    start(&f);
    start_at_1g(&f);
    for (int i = 0; i < 5; i++) {
        ack(&f, 99 - i);
        expect_rate(&f, rate += step_bps);
    }
    ack(&f, 94);
    expect_rate(&f, rate += 5 * step_bps);
    ack(&f, 700);
    rate = (double)f.limits.rate_bps;
    ack(&f, 100);
    expect_rate(&f, rate + step_bps);
}

static void
short_round_trips_leap_as_in_the_simulator(void **unused)
{
    struct flow f;
    double rate = AT_1G;

    (void)unused;
    start(&f);
    set(&f, "hyper_low", 1);
    start_at_1g(&f);
    for (int i = 0; i < 5; i++) {
        ack(&f, 20 + i);
        expect_rate(&f, rate += step_bps);
    }
    ack(&f, 30);
    expect_rate(&f, rate + 5 * step_bps);
}

/* An ACK of data sent before the last change of the rate has no effect, and neither has one whose
 * round trip is unknown. */
static void
changes_once_a_round_trip(void **unused)
{
    struct flow f;
    struct tp_ack news = { .bytes = MTU, .n_acked = 1, .n_sent = 4, .rtt_ps = 20 * US };

    (void)unused;
    start(&f);
    tp_timely.slowed(f.state, 0, WEIR_RATIO_1 / 10, &f.limits);
    tp_timely.acked(f.state, &news, &f.limits); /* The first ACK counts. */
    for (news.n_acked = 2; news.n_acked <= 4; news.n_acked++) {
        tp_timely.acked(f.state, &news, &f.limits);
        expect_rate(&f, AT_1G);
    }
    news.rtt_ps = 0;
    tp_timely.acked(f.state, &news, &f.limits);
    expect_rate(&f, AT_1G);
    news.rtt_ps = 20 * US;
    tp_timely.acked(f.state, &news, &f.limits);
    expect_rate(&f, AT_1G + step_bps);
}

static void
changes_once_a_segment(void **unused)
{
    struct flow f;
    struct tp_ack news = { .bytes = 8000, .n_acked = 1, .n_sent = 1000, .rtt_ps = 20 * US };

    (void)unused;
    start(&f);
    set(&f, "segment", 16000);
    tp_timely.slowed(f.state, 0, WEIR_RATIO_1 / 10, &f.limits);
    tp_timely.acked(f.state, &news, &f.limits);
    tp_timely.acked(f.state, &news, &f.limits); /* The ACK of the first segment counts. */
    tp_timely.acked(f.state, &news, &f.limits);
    expect_rate(&f, AT_1G);
    tp_timely.acked(f.state, &news, &f.limits);
    expect_rate(&f, AT_1G + step_bps);
}

/* The window is what the rate moves in 20 us: 25000 bytes at line rate. */
static void
a_window_goes_with_the_rate(void **unused)
{
    struct flow f;

    (void)unused;
    start(&f);
    set(&f, "window", 1);
    assert_int_equal(f.limits.window_bytes, 25000 + MTU - 1);
    tp_timely.slowed(f.state, 0, WEIR_RATIO_1 / 2, &f.limits);
    expect_rate(&f, 5e9);
    assert_int_equal(f.limits.window_bytes, 12500 + MTU - 1);
    set(&f, "base_rtt", 40 * US);
    assert_int_equal(f.limits.window_bytes, 50000 + MTU - 1);
}

static void
slows_down_to_its_floor(void **unused)
{
    struct flow f;

    (void)unused;
    start(&f);
    tp_timely.slowed(f.state, 0, WEIR_RATIO_1 / 4, &f.limits);
    expect_rate(&f, 2.5e9);
    tp_timely.slowed(f.state, 0, 0, &f.limits);
    expect_rate(&f, 40e6);
}

/* Round trips as long as the longest run cause no overflow. */
static void
endures_any_round_trip(void **unused)
{
    struct flow f;

    (void)unused;
    start(&f);
    ack(&f, 1);
    ack(&f, 9e12);
    expect_rate(&f, 1e10 * (1 - beta * (1 - 50e-6)));
    ack(&f, 1);
    ack(&f, 9e12);
    assert_true(f.limits.rate_bps >= 40000000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_at_line_rate),
        cmocka_unit_test(short_and_long_round_trips_rule),
        cmocka_unit_test(a_gradient_cuts),
        cmocka_unit_test(leaps_after_five_steps),
        cmocka_unit_test(short_round_trips_leap_as_in_the_simulator),
        cmocka_unit_test(changes_once_a_round_trip),
        cmocka_unit_test(changes_once_a_segment),
        cmocka_unit_test(a_window_goes_with_the_rate),
        cmocka_unit_test(slows_down_to_its_floor),
        cmocka_unit_test(endures_any_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

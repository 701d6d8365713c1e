/* HPCC, compared with Algorithm 1 of its paper by hand: 10 Gb/s and a base round trip of 20 us, so
 * the path holds 25000 bytes. */

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
/* 10 Mb/s scaled by 10/25, for a line of 10 Gb/s. */
static const double eta = 62259. / 65536, ai_bps = 4e6;

struct flow {
    uint64_t state[TP_STATE_MAX / 8], params[TP_PARAMS_MAX / 8];
    struct tp_limits limits;
    struct tp_hop hops[TP_MAX_HOPS];
    uint32_t n_hops, n_acked;
};

static void
set(struct flow *f, const char *name, uint64_t value)
{
    weir_field_set(weir_field_find(tp_hpcc.about.params, name), f->params, value);
    tp_hpcc.start(f->state, &env, f->params, &f->limits);
}

/* 'n_hops' links of 10 Gb/s that have sent nothing yet. */
static void
start(struct flow *f, uint32_t n_hops)
{
    *f = (struct flow){ .n_hops = n_hops };
    weir_fields_default(tp_hpcc.about.params, f->params);
    tp_hpcc.start(f->state, &env, f->params, &f->limits);
    for (uint32_t i = 0; i < n_hops; i++) {
        f->hops[i] = (struct tp_hop){ .rate_bps = LINE_BPS, .port = 10 + i };
    }
}

/* The next packet is acknowledged, when 'n_sent' packets have been sent. */
static void
ack(struct flow *f, uint32_t n_sent)
{
    const struct tp_ack news = { .bytes = MTU,
                                 .n_acked = ++f->n_acked,
                                 .n_sent = n_sent,
                                 .hops = f->hops,
                                 .n_hops = f->n_hops };
    tp_hpcc.acked(f->state, &news, &f->limits);
}

/* For 'us', a link has this load; then it has this queue. */
static void
pass(struct flow *f, uint32_t hop, uint32_t us, double load, uint32_t queue_bytes)
{
    f->hops[hop].at_ps += (weir_ps)us * US;
    f->hops[hop].sent_bytes += (uint64_t)(load * us * 1250 + 0.5);
    f->hops[hop].queue_bytes = queue_bytes;
}

static void
expect_rate(const struct flow *f, double bps)
{
    double window = bps * 20e-6 / 8 + MTU - 1;

    assert_true(fabs((double)f->limits.rate_bps - bps) < 20000);
    assert_true(fabs((double)f->limits.window_bytes - window) < 2);
}

static void
starts_with_a_path_at_line_rate(void **unused)
{
    struct flow f;

    (void)unused;
    start(&f, 1);
    assert_int_equal(f.limits.rate_bps, WEIR_UNLIMITED);
    assert_int_equal(f.limits.window_bytes, 25000 + MTU - 1);
    assert_int_equal(f.limits.timer_ps, WEIR_NEVER);
    ack(&f, 17); /* There is no earlier telemetry to compare it with. */
    assert_int_equal(f.limits.rate_bps, WEIR_UNLIMITED);
    set(&f, "base_rtt", 40 * US);
    assert_int_equal(f.limits.window_bytes, 50000 + MTU - 1);
    set(&f, "window", WEIR_RATIO_1 * 3 / 2);
    assert_int_equal(f.limits.window_bytes, 75000 + MTU - 1);
    assert_false(tp_hpcc.wants_marks);
    assert_true(tp_hpcc.wants_telemetry);
}

/* A full link and a queue of at least 5000 bytes give a utilisation U of 1.2. U was 1 before, and
 * each measurement takes half a round trip, so it counts for a half.  All ACKs of a round reduce
 * the same reference window. */
static void
cuts_by_what_is_on_its_way(void **unused)
{
    struct flow f;

    (void)unused;
    start(&f, 1);
    f.hops[0].queue_bytes = 10000;
    ack(&f, 17);
    pass(&f, 0, 10, 1, 5000);
    ack(&f, 18);
    expect_rate(&f, 1e10 * eta / 1.1 + ai_bps);
    pass(&f, 0, 10, 1, 5000);
    ack(&f, 19);
    expect_rate(&f, 1e10 * eta / 1.15 + ai_bps);
    pass(&f, 0, 100, 1,
         90000); /* After more than a round trip, earlier measurements do not count. */
    ack(&f, 20);
    expect_rate(&f, 1e10 * eta / 1.2 + ai_bps);
}

/* The reference window is updated by the ACK of a packet that was sent after the last update. */
static void
takes_a_new_reference_once_a_round(void **unused)
{
    struct flow f;
    double reference = 1e10;

    (void)unused;
    start(&f, 1);
    ack(&f, 2);
    pass(&f, 0, 20, 1.25, 0);
    ack(&f, 5); /* This acknowledges the second of the two packets that had been sent. */
    expect_rate(&f, reference * eta / 1.25 + ai_bps);
    pass(&f, 0, 20, 1, 0);
    ack(&f, 5); /* The ACK of the third packet ends the round. */
    reference = reference * eta + ai_bps;
    expect_rate(&f, reference);
    pass(&f, 0, 20, 1.25, 0);
    ack(&f, 6);
    expect_rate(&f, reference * eta / 1.25 + ai_bps);
    pass(&f, 0, 20, 1, 0);
    ack(&f, 7);
    expect_rate(&f, reference * eta + ai_bps);
    pass(&f, 0, 20, 1.25, 0);
    ack(&f, 8); /* The ACK of the sixth packet ends the next round. */
    expect_rate(&f, reference * eta / 1.25 + ai_bps);
    reference = reference * eta / 1.25 + ai_bps;
    pass(&f, 0, 20, 1, 0);
    ack(&f, 9);
    expect_rate(&f, reference * eta + ai_bps);
}

/* The link with the higher load decides, and its measuring time is the weight of the sample. */
static void
goes_by_the_busiest_link(void **unused)
{
    struct flow f;

    (void)unused;
    start(&f, 2);
    f.hops[1].rate_bps = 4 * LINE_BPS;
    ack(&f, 17);
    pass(&f, 0, 20, 0.5, 3000);
    pass(&f, 1, 5, 4.8, 0); /* The second link is four times as fast, so its load is 1.2. */
    ack(&f, 18);
    double u = 0.75 + 0.25 * 1.2;
    expect_rate(&f, 1e10 * eta / u + ai_bps);
    pass(&f, 0, 10, 1, 3000); /* The load is 1.12 with the bytes that wait. */
    pass(&f, 1, 10, 2, 0);
    ack(&f, 19);
    expect_rate(&f, 1e10 * eta / (u / 2 + 1.12 / 2) + ai_bps);
}

/* While the load is less than eta, the rate rises by one step per round, five times; then it jumps
 * to the rate that the load allows. */
static void
probes_by_steps_and_then_leaps(void **unused)
{
    struct flow f;
    double reference;

    (void)unused;
    start(&f, 1);
    ack(&f, 1);
    pass(&f, 0, 20, 2, 0);
    ack(&f, 2);
    reference = 1e10 * eta / 2 + ai_bps;
    expect_rate(&f, reference);
    for (int i = 0; i < 5; i++) {
        pass(&f, 0, 20, 0.8, 0);
        ack(&f, 3 + (uint32_t)i);
        reference += ai_bps;
        expect_rate(&f, reference);
    }
    pass(&f, 0, 20, 0.8, 0);
    ack(&f, 9);
    expect_rate(&f, reference * eta / 0.8 + ai_bps);
    set(&f, "stages", 0);
    f.n_acked = 0;
    ack(&f, 1);
    pass(&f, 0, 20, 2, 0);
    ack(&f, 2);
    pass(&f, 0, 20, 0.8, 0);
    ack(&f, 3);
    expect_rate(&f, (1e10 * eta / 2 + ai_bps) * eta / 0.8 + ai_bps);
}

static void
stays_between_its_floor_and_the_line(void **unused)
{
    struct flow f;

    (void)unused;
    start(&f, 1);
    f.hops[0].queue_bytes = 4000000000;
    ack(&f, 1);
    pass(&f, 0, 20, 1, 4000000000);
    ack(&f, 2);
    expect_rate(&f, 40e6);         /* The minimum: 100 Mb/s x 10/25. */
    for (int i = 0; i < 20; i++) { /* From now on the link is nearly idle. */
        pass(&f, 0, 20, 0.05, 0);
        ack(&f, 3 + (uint32_t)i);
    }
    assert_int_equal(f.limits.rate_bps, WEIR_UNLIMITED);
    assert_int_equal(f.limits.window_bytes, 25000 + MTU - 1);
}

/* After a path change, the first packet only sets the reference for the next one.  So does the
 * first packet with telemetry after packets without.  A packet that was overtaken has no new
 * information. */
static void
compares_only_what_can_be(void **unused)
{
    struct flow f;

    (void)unused;
    start(&f, 1);
    ack(&f, 17);
    pass(&f, 0, 20, 2, 0);
    f.hops[0].port = 99;
    ack(&f, 18);
    assert_int_equal(f.limits.rate_bps, WEIR_UNLIMITED);
    f.n_hops = 0;
    pass(&f, 0, 10, 2, 0);
    ack(&f, 18);
    assert_int_equal(f.limits.rate_bps, WEIR_UNLIMITED);
    f.n_hops = 1;
    pass(&f, 0, 10, 2, 0);
    ack(&f, 19);
    expect_rate(&f, 1e10 * eta / 2 + ai_bps);
    f.hops[0].at_ps -= US;
    f.hops[0].sent_bytes -= 1000;
    ack(&f, 20);
    expect_rate(&f, 1e10 * eta / 2 + ai_bps);
}

/* The third packet would end the round, but takes another path; the fourth packet ends it
 * instead. */
static void
a_new_path_ends_no_round(void **unused)
{
    struct flow f;
    double reference = 1e10;

    (void)unused;
    start(&f, 1);
    ack(&f, 2);
    pass(&f, 0, 20, 2, 0);
    ack(&f, 8);
    expect_rate(&f, reference * eta / 2 + ai_bps);
    f.hops[0].port = 99;
    ack(&f, 9);
    pass(&f, 0, 20, 1, 0);
    ack(&f, 10);
    reference = reference * eta + ai_bps;
    expect_rate(&f, reference);
    pass(&f, 0, 20, 1, 0);
    ack(&f, 11);
    expect_rate(&f, reference * eta + ai_bps);
}

static void
slows_down_to_its_floor(void **unused)
{
    struct flow f;

    (void)unused;
    start(&f, 1);
    ack(&f, 17);
    tp_hpcc.slowed(f.state, 0, WEIR_RATIO_1 / 4, &f.limits);
    expect_rate(&f, 2.5e9);
    pass(&f, 0, 20, 1, 0); /* The reference window was reduced, too. */
    ack(&f, 18);
    expect_rate(&f, 2.5e9 * eta + ai_bps);
    tp_hpcc.slowed(f.state, 0, 0, &f.limits);
    expect_rate(&f, 40e6);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_with_a_path_at_line_rate),
        cmocka_unit_test(cuts_by_what_is_on_its_way),
        cmocka_unit_test(takes_a_new_reference_once_a_round),
        cmocka_unit_test(goes_by_the_busiest_link),
        cmocka_unit_test(probes_by_steps_and_then_leaps),
        cmocka_unit_test(stays_between_its_floor_and_the_line),
        cmocka_unit_test(compares_only_what_can_be),
        cmocka_unit_test(a_new_path_ends_no_round),
        cmocka_unit_test(slows_down_to_its_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Bounds of buffers and headroom: the numbers in the papers, and properties that hold for any
 * link. */

#include "unit.h"

/* GFC 5.4: cables of 1 us, a response of 3 us.  The paper's "4KB" is 4000 B: 4096 B would give
 * 11.55 us at 10 Gb/s, where the paper prints 11.4. */
static struct weir_link
gfc_link(uint64_t rate_gbps, uint32_t mtu_bytes)
{
    return (struct weir_link){
        .rate_bps = rate_gbps * GBPS, .cable_ps = US, .response_ps = 3 * US, .mtu_bytes = mtu_bytes
    };
}

static weir_ps
tau_ns(uint64_t rate_gbps, uint32_t mtu_bytes)
{
    struct weir_link l = gfc_link(rate_gbps, mtu_bytes);
    return weir_tau_ps(&l) / 1000;
}

static void
tau_of_gfc_5_4(void **state)
{
    (void)state;
    assert_int_equal(tau_ns(10, 1500), 7400);
    assert_int_equal(tau_ns(40, 1500), 5600);
    assert_int_equal(tau_ns(100, 1500), 5240); /* The paper prints 5.2. */
    assert_int_equal(tau_ns(10, 4000), 11400);
    assert_int_equal(tau_ns(40, 4000), 6600);
    assert_int_equal(tau_ns(100, 4000), 5640);
    assert_int_equal(tau_ns(10, 4096), 11553);
}

static uint64_t
buffer_room(uint64_t rate_gbps)
{
    struct weir_link l = gfc_link(rate_gbps, 1500);
    return weir_gfc_buffer_room_bytes(&l);
}

static void
buffer_based_room_of_gfc_5_4(void **state)
{
    (void)state;
    assert_int_equal(buffer_room(10), 18500);
    assert_int_equal(buffer_room(40), 56000);
    /* The paper prints 130 KB, 2 C of a tau cut to 5.2 us. */
    assert_int_equal(buffer_room(100), 131000);
}

/* The paper has 16, 18 and 20 stages; the last two are misprints.  With 56 and 130 KB the first
 * stage of at most one byte is 17 and 18, because 2^16 > 56000 and 2^17 > 130000. */
static void
stages_of_gfc_5_4(void **state)
{
    (void)state;
    assert_int_equal(weir_gfc_stages(300 * KB, 300 * KB - 18500), 16);
    assert_int_equal(weir_gfc_stages(300 * KB, 300 * KB - 56000), 17);
    assert_int_equal(weir_gfc_stages(300 * KB, 300 * KB - 130000), 18);
    assert_int_equal(weir_gfc_stages(300 * KB, 300 * KB - buffer_room(100)), 18);
}

/* The room by theorem 5.1 with 'tau' as the paper rounds it: the response time is chosen so that
 * the link has this tau. */
static uint64_t
theorem_5_1(uint64_t rate_gbps, weir_ps tau, weir_ps period)
{
    struct weir_link l = gfc_link(rate_gbps, 4000);
    l.response_ps += tau - weir_tau_ps(&l);
    assert_int_equal(weir_tau_ps(&l), tau);
    return weir_gfc_theorem_5_1_bytes(&l, period);
}

static void
time_based_room_of_gfc_5_4(void **state)
{
    (void)state;
    assert_in_range(theorem_5_1(10, 11400000, 52400000), 140700, 140900);
    assert_in_range(theorem_5_1(40, 6600000, 13100000), 191300, 191500);
    assert_in_range(theorem_5_1(100, 5600000, 5240000), 270900, 271100);
}

/* GFC 6.2.2: B0 is 159 KB of a buffer of 300 KB. */
static void
time_based_threshold_of_gfc_6_2(void **state)
{
    (void)state;
    assert_int_equal((300 * KB - theorem_5_1(10, 11400000, 52400000)) / KB, 159);
}

/* The room is (sqrt(tau/T) + 1)^2 C T, here with a tau of 10 us at a byte per nanosecond. */
static void
theorem_5_1_where_the_root_is_whole(void **state)
{
    struct weir_link l = { .rate_bps = 8 * GBPS, .response_ps = 10 * US };

    (void)state;
    assert_int_equal(weir_gfc_theorem_5_1_bytes(&l, 10 * US), 40000);
    assert_int_equal(weir_gfc_theorem_5_1_bytes(&l, 40 * US), 90000);
    assert_int_equal(weir_gfc_theorem_5_1_bytes(&l, 5 * US / 2), 22500);
}

/* The theorem's proof needs T >= tau.  A shorter period uses the room of Theorem 4.1, which equals
 * that of T = tau. */
static void
time_based_room_is_never_under_the_conceptual(void **state)
{
    struct weir_link l = { .rate_bps = 8 * GBPS, .response_ps = 8 * US, .mtu_bytes = 1000 };

    (void)state;
    assert_int_equal(weir_gfc_time_room_bytes(&l, 40 * US), 90000);
    assert_int_equal(weir_gfc_time_room_bytes(&l, 10 * US), 40000);
    assert_int_equal(weir_gfc_time_room_bytes(&l, 5 * US / 2), 40000);
    assert_int_equal(weir_gfc_conceptual_room_bytes(&l), 40000);
}

/* Gaps that are long compared with a packet increase the bounds.  The loop has two packets of 256 B
 * with gaps of 1000 B, and a frame with a gap; 256 of 1256 of these bytes arrive as packets. */
static void
long_gaps_ask_for_more(void **state)
{
    struct weir_link l = { .rate_bps = 8 * GBPS, .mtu_bytes = 256 }, with_gap = l;

    (void)state;
    with_gap.gap_bytes = 1000;
    assert_int_equal(weir_pfc_headroom_bytes(&l), 2 * (256 + 64));
    assert_int_equal(weir_pfc_headroom_bytes(&with_gap), (2 * 1256 + 1064) * 256 / 1256 + 1);
    assert_true(weir_gfc_buffer_room_bytes(&with_gap) > weir_gfc_buffer_room_bytes(&l));
    assert_true(weir_gfc_conceptual_room_bytes(&with_gap) > weir_gfc_conceptual_room_bytes(&l));
}

/* CaPFC counts two frames for each class; with one class and no gaps these are the frames of Eq.
 * 15. */
static void
capfc_counts_two_frames_of_each_class(void **state)
{
    struct weir_link l = { .rate_bps = 8 * GBPS, .mtu_bytes = 64 }, more = l;

    (void)state;
    more.gap_bytes = 20;
    more.n_classes = 3;
    assert_int_equal(weir_capfc_headroom_bytes(&l), weir_pfc_headroom_bytes(&l));
    assert_int_equal(weir_capfc_headroom_bytes(&more), (2 + 6) * 64);
    assert_int_equal(weir_capfc_least_pause_ps(&l), 2 * 64000);
    assert_int_equal(weir_capfc_least_pause_ps(&more), 6 * 84000);
}

/* Ethernet's gap does not change the papers' results, for any number of classes. */
static void
short_gaps_ask_for_no_more(void **state)
{
    struct weir_link l = { .rate_bps = 10 * GBPS, .response_ps = 3 * US, .mtu_bytes = 1500 };
    struct weir_link with_gap = l;

    (void)state;
    with_gap.gap_bytes = 20;
    with_gap.n_classes = WEIR_MAX_CLASSES;
    assert_int_equal(weir_pfc_headroom_bytes(&with_gap), weir_pfc_headroom_bytes(&l));
    assert_int_equal(weir_gfc_buffer_room_bytes(&with_gap), weir_gfc_buffer_room_bytes(&l));
    assert_int_equal(weir_gfc_conceptual_room_bytes(&with_gap), weir_gfc_conceptual_room_bytes(&l));
}

/* The example of GFC 4.1: a tau of 25 us needs 125 KB, and the buffer has 50 KB. */
static void
conceptual_room_of_gfc_4_1(void **state)
{
    struct weir_link l = { .rate_bps = 10 * GBPS, .response_ps = 25 * US };

    (void)state;
    assert_int_equal(weir_gfc_conceptual_room_bytes(&l), 125 * KB);
}

static void
credit_periods_of_gfc_5_4(void **state)
{
    (void)state;
    assert_int_equal(weir_credit_period_ps(10 * GBPS), 52428000);
    assert_int_equal(weir_credit_period_ps(40 * GBPS), 13107000);
    assert_int_equal(weir_credit_period_ps(100 * GBPS), 5242800);
}

/* TTL, Eq. 15: 40 Gb/s, 300 m, MTU 1500, 60 quanta. */
static void
pfc_headroom_of_ttl(void **state)
{
    struct weir_link l = { .rate_bps = 40 * GBPS,
                           .cable_ps = 3 * US / 2,
                           .response_ps = weir_pfc_pause_ps(40 * GBPS, 60),
                           .mtu_bytes = 1500 };

    (void)state;
    assert_int_equal(l.response_ps, 768000);
    assert_int_equal(weir_pfc_headroom_bytes(&l), 21968);
    assert_int_equal(weir_pfc_loop_bytes(&l), 21968 - 64);
}

/* Responses by IEEE 802.3, 31B.3.7.  Rates without a row take the quanta of the next faster row;
 * rates above the last row take its time. */
static void
responses_by_rate(void **state)
{
    static const struct {
        uint64_t mbps, quanta;
        weir_ps ps;
    } cases[] = {
        { 10, 1, 51200000 },        { 100, 1, 5120000 },      { 1000, 2, 1024000 },
        { 2500, 60, 12288000 },     { 10000, 60, 3072000 },   { 25000, 80, 1638400 },
        { 40000, 118, 1510400 },    { 50000, 147, 1505280 },  { 100000, 394, 2017280 },
        { 200000, 453, 1159680 },   { 400000, 905, 1158400 }, { 800000, 1810, 1158400 },
        { 1600000, 3620, 1158400 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(weir_pfc_response_quanta(cases[i].mbps * 1000000), cases[i].quanta);
        assert_int_equal(weir_pfc_response_ps(cases[i].mbps * 1000000), cases[i].ps);
    }
}

/* GFC's testbed: Bm is 1000 KB, B1 750 KB; a queue of 884 KB is in stage 2, with a quarter of the
 * rate. */
static void
stages_of_the_testbed(void **state)
{
    (void)state;
    assert_int_equal(weir_gfc_stage_bytes(1000 * KB, 750 * KB, 1), 750 * KB);
    assert_int_equal(weir_gfc_stage_bytes(1000 * KB, 750 * KB, 2), 875 * KB);
    assert_int_equal(weir_gfc_stage_bytes(1000 * KB, 750 * KB, 3), 937500);
    assert_in_range(884 * KB, weir_gfc_stage_bytes(1000 * KB, 750 * KB, 2),
                    weir_gfc_stage_bytes(1000 * KB, 750 * KB, 3) - 1);
}

static void
stages_are_rounded_up(void **state)
{
    (void)state;
    assert_int_equal(weir_gfc_stage_bytes(1000, 993, 2), 997);  /* Rounded up from 996.5. */
    assert_int_equal(weir_gfc_stage_bytes(1000, 993, 3), 999);  /* Rounded up from 998.25. */
    assert_int_equal(weir_gfc_stage_bytes(1000, 993, 4), 1000); /* Rounded up from 999.1. */
    assert_int_equal(weir_gfc_stage_bytes(1000, 993, 64), 1000);
    assert_int_equal(weir_gfc_stage_bytes(1000, 993, UINT32_MAX), 1000);
}

static void
stages_rise_to_bm_and_end_at_a_byte(void **state)
{
    uint64_t random = 12;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        uint64_t bm = 1 + below(&random, UINT64_C(1) << 31), b1 = below(&random, bm);
        uint32_t n = weir_gfc_stages(bm, b1);
        assert_in_range(n, 2, WEIR_MAX_STAGES);
        for (uint32_t k = 2; k <= n; k++) {
            uint64_t start = weir_gfc_stage_bytes(bm, b1, k);
            uint64_t length = start - weir_gfc_stage_bytes(bm, b1, k - 1);
            assert_true(start <= bm);
            assert_true(k < n ? length >= 1 : length <= 1);
        }
    }
}

static void
stages_are_no_more_than_there_are_tables_for(void **state)
{
    (void)state;
    assert_int_equal(weir_gfc_stages(UINT64_C(1) << 31, 0), WEIR_MAX_STAGES);
    assert_int_equal(weir_gfc_stages(WEIR_MAX_BYTES, 0), WEIR_MAX_STAGES);
}

/* A longer cable, response time or packet never reduces the bound. */
static void
bounds_grow_with_the_link(void **state)
{
    uint64_t random = 13;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        struct weir_link l = { .rate_bps = (1 + below(&random, 800)) * GBPS,
                               .cable_ps = (weir_ps)below(&random, 10 * US),
                               .response_ps = (weir_ps)below(&random, 10 * US),
                               .mtu_bytes = (uint32_t)(64 + below(&random, 9000)) };
        struct weir_link worse = l;
        worse.cable_ps += (weir_ps)below(&random, US);
        worse.response_ps += (weir_ps)below(&random, US);
        worse.mtu_bytes += (uint32_t)below(&random, 1000);
        assert_true(weir_tau_ps(&worse) >= weir_tau_ps(&l));
        assert_true(weir_pfc_headroom_bytes(&worse) >= weir_pfc_headroom_bytes(&l));
        assert_true(weir_gfc_conceptual_room_bytes(&worse) >= weir_gfc_conceptual_room_bytes(&l));
        assert_true(weir_gfc_buffer_room_bytes(&worse) >= weir_gfc_buffer_room_bytes(&l));
        assert_true(weir_gfc_time_room_bytes(&worse, 20 * US) >=
                    weir_gfc_time_room_bytes(&l, 20 * US));
    }
}

/* CaPFC's simulation: links of 1 Gb/s, a pipeline of 25 us and 1 M packets a second, XOFF of 25 KB
 * under 60 KB.  The paper does not give response and cable. */
static const struct weir_link capfc_link = {
    .rate_bps = GBPS, .cable_ps = US, .response_ps = 3 * US, .mtu_bytes = 1500, .gap_bytes = 20
};

static struct weir_capfc_output
capfc_output(uint64_t n_inputs)
{
    return (struct weir_capfc_output){ .n_inputs = n_inputs,
                                       .n_before = n_inputs - 1,
                                       .pipeline_ps = 25 * US,
                                       .pipeline_pps = 1000000,
                                       .xoff_bytes = 25 * KB };
}

/* An input brings four packets: (25 + 5 + 0.672 + 2 + 3 + 12.16)/12.16 us is 3.93.  The 35 KB above
 * XOFF are the need of six inputs, if the output is paused and no packets go back to their
 * peers. */
static void
capfc_headroom_of_table_ii(void **state)
{
    struct weir_capfc_output o = capfc_output(6);

    (void)state;
    o.is_quiet = true;
    assert_int_equal(weir_capfc_input_bytes(&capfc_link, &o), 4 * 1500);
    assert_int_equal(weir_capfc_egress_bytes(&capfc_link, &o), 60 * KB);
    o.drains = true;
    assert_int_equal(weir_capfc_egress_bytes(&capfc_link, &o), 54 * KB);
    o.is_quiet = false; /* In 59.99 us, an input brings 4.93 packets. */
    assert_int_equal(weir_capfc_input_bytes(&capfc_link, &o), 5 * 1500);
    assert_int_equal(weir_capfc_egress_bytes(&capfc_link, &o), 25500 + 5 * 5 * 1500 - 1500);
}

/* Full packets cross XOFF at exactly 25500 B.  With mixed lengths the queue exceeds XOFF by up to a
 * packet less a byte, and each input adds 1500 + 1500 * 47.832/12.16 bytes until its pause takes
 * effect. */
static void
capfc_queue_of_mixed_lengths(void **state)
{
    struct weir_capfc_output o = capfc_output(6);

    (void)state;
    assert_int_equal(weir_capfc_crossing_bytes(1500, &o), 25500);
    o.is_quiet = o.mixes_lengths = true;
    assert_int_equal(weir_capfc_crossing_bytes(1500, &o), 26499);
    assert_int_equal(weir_capfc_input_bytes(&capfc_link, &o), 1500 + 5901);
    assert_int_equal(weir_capfc_egress_bytes(&capfc_link, &o), 26499 + 6 * 7401 - 1500);
}

static void
capfc_queue_of_one_input_that_drains_is_the_one_at_xoff(void **state)
{
    struct weir_capfc_output o = capfc_output(1);

    (void)state;
    o.drains = true;
    assert_int_equal(weir_capfc_egress_bytes(&capfc_link, &o), 25500);
}

/* Each packet for which an input waits in the pipeline delays its pause, and so does each class
 * whose frame goes first. */
static void
capfc_queue_grows_with_all_that_delays_a_pause(void **state)
{
    struct weir_capfc_output o = capfc_output(6), slow = o, rival = o;
    struct weir_link many = capfc_link;

    (void)state;
    slow.pipeline_pps = 100000; /* A pause takes 50 us instead of 5 us: four packets more. */
    rival.n_before = 13;        /* A pause takes 8 us more: one packet more. */
    many.n_classes = 8;         /* A pause takes 4.7 us more: one packet more. */
    assert_int_equal(weir_capfc_input_bytes(&capfc_link, &o), 5 * 1500);
    assert_int_equal(weir_capfc_input_bytes(&capfc_link, &slow), 9 * 1500);
    assert_int_equal(weir_capfc_input_bytes(&capfc_link, &rival), 6 * 1500);
    assert_int_equal(weir_capfc_input_bytes(&many, &o), 6 * 1500);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tau_of_gfc_5_4),
        cmocka_unit_test(capfc_counts_two_frames_of_each_class),
        cmocka_unit_test(buffer_based_room_of_gfc_5_4),
        cmocka_unit_test(stages_of_gfc_5_4),
        cmocka_unit_test(time_based_room_of_gfc_5_4),
        cmocka_unit_test(time_based_threshold_of_gfc_6_2),
        cmocka_unit_test(theorem_5_1_where_the_root_is_whole),
        cmocka_unit_test(time_based_room_is_never_under_the_conceptual),
        cmocka_unit_test(long_gaps_ask_for_more),
        cmocka_unit_test(short_gaps_ask_for_no_more),
        cmocka_unit_test(conceptual_room_of_gfc_4_1),
        cmocka_unit_test(credit_periods_of_gfc_5_4),
        cmocka_unit_test(pfc_headroom_of_ttl),
        cmocka_unit_test(responses_by_rate),
        cmocka_unit_test(stages_of_the_testbed),
        cmocka_unit_test(stages_are_rounded_up),
        cmocka_unit_test(stages_rise_to_bm_and_end_at_a_byte),
        cmocka_unit_test(stages_are_no_more_than_there_are_tables_for),
        cmocka_unit_test(bounds_grow_with_the_link),
        cmocka_unit_test(capfc_headroom_of_table_ii),
        cmocka_unit_test(capfc_queue_of_mixed_lengths),
        cmocka_unit_test(capfc_queue_of_one_input_that_drains_is_the_one_at_xoff),
        cmocka_unit_test(capfc_queue_grows_with_all_that_delays_a_pause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

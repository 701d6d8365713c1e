/* Transports, compared with their papers by hand. */

#include "sender.h"

/* Alpha starts at 1: the first CNP halves the rate, and each of five steps of fast recovery halves
 * the distance to the target. */
static void
dcqcn_halves_and_recovers(void **unused)
{
    struct flow f;
    uint64_t rate = LINE_BPS / 2;

    (void)unused;
    start(&f, &tp_dcqcn);
    assert_int_equal(f.limits.rate_bps, WEIR_UNLIMITED);
    assert_int_equal(f.limits.timer_ps, WEIR_NEVER);
    f.t->notified(f.state, 100 * US, &f.limits);
    assert_int_equal(f.limits.rate_bps, rate);
    assert_int_equal(f.limits.timer_ps, 155 * US);
    for (int i = 1; i <= 5; i++) {
        weir_ps now = (100 + 55 * i) * (weir_ps)US;
        f.t->timer(f.state, now, &f.limits);
        rate = (rate + LINE_BPS + 1) / 2;
        assert_int_equal(f.limits.rate_bps, rate);
        assert_int_equal(f.limits.timer_ps, now + 55 * US);
    }
}

/* After fast recovery the target rises by 5 Mb/s x 10/25, or by ten times that if both counters are
 * past fast recovery. */
static void
dcqcn_probes_then_leaps(void **unused)
{
    struct flow f;
    weir_ps now = 0;

    (void)unused;
    start(&f, &tp_dcqcn);
    set(&f, "increase_bytes", 1000);
    f.t->notified(f.state, now, &f.limits);
    f.t->notified(f.state, now, &f.limits); /* Target 5, rate about 2.5 Gb/s. */
    for (int i = 0; i < 40; i++) {          /* Long enough to reach the target. */
        f.t->timer(f.state, now += 55 * US, &f.limits);
    }
    uint64_t before = f.limits.rate_bps;
    f.t->timer(f.state, now += 55 * US, &f.limits);
    assert_in_range(f.limits.rate_bps - before, 1900000, 2100000);
    for (int i = 0; i < 6; i++) {
        f.t->sent(f.state, now, 1000, &f.limits);
    }
    for (int i = 0; i < 40; i++) {
        f.t->timer(f.state, now += 55 * US, &f.limits);
    }
    before = f.limits.rate_bps;
    f.t->timer(f.state, now += 55 * US, &f.limits);
    assert_in_range(f.limits.rate_bps - before, 19000000, 21000000);
}

/* The interval of CNPs that the receiver takes from the parameters, and the warnings of a run. */
static void
facts_are_as_the_papers_say(void **unused)
{
    struct flow f;

    (void)unused;
    start(&f, &tp_dcqcn);
    assert_int_equal(f.t->notify_ps(f.params), 50 * US);
    set(&f, "notify", 7 * US);
    assert_int_equal(f.t->notify_ps(f.params), 7 * US);
    assert_true(tp_dcqcn.wants_marks && tp_dctcp.wants_marks && tp_dctcp.acks_each);
    assert_false(tp_raw.wants_marks || tp_rdma.wants_marks || tp_tcp.wants_marks);
    assert_ptr_equal(transport_recovery(&tp_dcqcn, NULL), &rc_go_back_n);
    assert_ptr_equal(transport_recovery(&tp_dcqcn, &rc_selective), &rc_selective);
    assert_ptr_equal(transport_recovery(&tp_raw, &rc_selective), &rc_none);
    assert_ptr_equal(transport_recovery(NULL, NULL), &rc_none);
}

static void
dcqcn_alpha_follows_notifications(void **unused)
{
    struct flow f;

    (void)unused;
    start(&f, &tp_dcqcn);
    set(&f, "alpha", WEIR_RATIO_1 / 2);
    f.t->notified(f.state, 0, &f.limits); /* The rate falls by a quarter. */
    assert_int_equal(f.limits.rate_bps, LINE_BPS / 4 * 3);
}

static void
dcqcn_has_a_floor(void **unused)
{
    struct flow f;

    (void)unused;
    start(&f, &tp_dcqcn);
    for (int i = 0; i < 100; i++) {
        f.t->notified(f.state, i, &f.limits);
    }
    assert_int_equal(f.limits.rate_bps, 40000000); /* The minimum: 100 Mb/s x 10/25. */
}

/* The engine slows the flow down to a quarter, and fast recovery restores its rate.  Alpha is
 * unchanged: the first CNP after that halves the rate. */
static void
dcqcn_slows_down_and_recovers(void **unused)
{
    struct flow f;
    uint64_t rate = LINE_BPS / 4;

    (void)unused;
    start(&f, &tp_dcqcn);
    f.t->slowed(f.state, 100 * US, WEIR_RATIO_1 / 4, &f.limits);
    assert_int_equal(f.limits.rate_bps, rate);
    assert_int_equal(f.limits.timer_ps, 155 * US);
    f.t->timer(f.state, 155 * US, &f.limits);
    rate = (rate + LINE_BPS + 1) / 2;
    assert_int_equal(f.limits.rate_bps, rate);
    f.t->notified(f.state, 160 * US, &f.limits);
    assert_int_equal(f.limits.rate_bps, rate / 2);
}

/* Without a CNP alpha does not change, so a flow that is back at line rate needs no timer. */
static void
dcqcn_slowed_once_comes_to_rest(void **unused)
{
    struct flow f;
    int n_timers = 0;

    (void)unused;
    start(&f, &tp_dcqcn);
    f.t->slowed(f.state, 0, WEIR_RATIO_1 / 2, &f.limits);
    for (; f.limits.timer_ps != WEIR_NEVER; n_timers++) {
        assert_true(n_timers < 100);
        f.t->timer(f.state, f.limits.timer_ps, &f.limits);
    }
    assert_int_equal(f.limits.rate_bps, WEIR_UNLIMITED);
}

static void
dcqcn_slowed_keeps_its_floor(void **unused)
{
    struct flow f;

    (void)unused;
    start(&f, &tp_dcqcn);
    f.t->slowed(f.state, 0, 0, &f.limits);
    assert_int_equal(f.limits.rate_bps, 40000000);
}

/* At line rate, and with an alpha that no longer shrinks, the flow needs no timer.  Alpha falls
 * from 65536: first by 255 a step, then by 254 for 256/254 steps, and so on, at last by 1 for 256
 * steps. With the sum of 1/k these are 256 x 6.12 steps. */
static void
dcqcn_comes_to_rest(void **unused)
{
    struct flow f;
    int n = 0;

    (void)unused;
    start(&f, &tp_dcqcn);
    for (f.t->notified(f.state, 0, &f.limits); f.limits.timer_ps != WEIR_NEVER; n++) {
        f.t->timer(f.state, f.limits.timer_ps, &f.limits);
    }
    assert_in_range(n, 1547, 1587);
    assert_int_equal(f.limits.rate_bps, WEIR_UNLIMITED);
}

/* The window is a round trip at line rate and a packet: 25000 + 1500 bytes. */
static void
dctcp_grows_by_a_packet_a_round(void **unused)
{
    struct flow f;
    struct tp_ack ack = { .bytes = 26500, .flying_bytes = 26500 };

    (void)unused;
    start(&f, &tp_dctcp);
    assert_int_equal(f.limits.window_bytes, 26500);
    f.t->acked(f.state, &ack, &f.limits);
    assert_int_equal(f.limits.window_bytes, 28000);
    ack.bytes = 27999; /* Not yet a whole round. */
    f.t->acked(f.state, &ack, &f.limits);
    assert_int_equal(f.limits.window_bytes, 28000);
}

/* The window grows if it was full once in a round. */
static void
dctcp_grows_only_a_window_that_was_full(void **unused)
{
    struct flow f;
    struct tp_ack ack = { .bytes = 26500, .flying_bytes = 25000 };

    (void)unused;
    start(&f, &tp_dctcp);
    for (int i = 0; i < 100; i++) {
        f.t->acked(f.state, &ack, &f.limits);
    }
    assert_int_equal(f.limits.window_bytes, 26500);
    ack = (struct tp_ack){ .bytes = 1500, .flying_bytes = 25001 };
    f.t->acked(f.state, &ack, &f.limits);
    ack = (struct tp_ack){ .bytes = 25000, .flying_bytes = 1500 };
    f.t->acked(f.state, &ack, &f.limits);
    assert_int_equal(f.limits.window_bytes, 28000);
}

/* With all packets marked and an alpha of 1 the window is halved.  With half of the packets marked
 * and an alpha of 0 it is cut by g/4. */
static void
dctcp_cuts_by_the_share_of_marks(void **unused)
{
    struct flow f;
    struct tp_ack ack = { .bytes = 26500, .is_marked = true };

    (void)unused;
    start(&f, &tp_dctcp);
    f.t->acked(f.state, &ack, &f.limits);
    assert_int_equal(f.limits.window_bytes, 13250);

    start(&f, &tp_dctcp);
    set(&f, "alpha", 0);
    ack.bytes = 13250;
    f.t->acked(f.state, &ack, &f.limits);
    ack.is_marked = false;
    f.t->acked(f.state, &ack, &f.limits);
    assert_in_range(26500 - f.limits.window_bytes, 26500 / 64 - 2, 26500 / 64 + 2);
}

/* With 'cut', the first mark halves the window at once, because alpha is 1.  Until the packets that
 * had been sent by then are acknowledged, no other mark cuts it and it does not grow. The next mark
 * cuts it by the new alpha. */
static void
dctcp_can_cut_at_the_first_mark(void **unused)
{
    struct flow f;
    struct tp_ack ack = {
        .bytes = 1500, .flying_bytes = 26500, .n_acked = 1, .n_sent = 17, .is_marked = true
    };

    (void)unused;
    start(&f, &tp_dctcp);
    set(&f, "cut", 1);
    f.t->acked(f.state, &ack, &f.limits);
    assert_int_equal(f.limits.window_bytes, 13250);
    ack = (struct tp_ack){
        .bytes = 25000, .flying_bytes = 25000, .n_acked = 17, .n_sent = 25, .is_marked = true
    };
    f.t->acked(f.state, &ack, &f.limits); /* This ACK ends a round. */
    assert_int_equal(f.limits.window_bytes, 13250);
    ack.n_acked = 18;
    ack.bytes = 1500;
    f.t->acked(f.state, &ack, &f.limits);
    assert_int_equal(f.limits.window_bytes, 6625);
    ack = (struct tp_ack){ .bytes = 11750, .flying_bytes = 11750, .n_acked = 26, .n_sent = 30 };
    f.t->acked(f.state, &ack, &f.limits); /* Without a mark, after the cut, the window grows. */
    assert_int_equal(f.limits.window_bytes, 8125);
}

/* The maximum window is sixteen times the initial one by default; with a cap of 1 it is the initial
 * one.  40 us of 10 Gb/s are 50000 bytes. */
static void
dctcp_has_a_cap(void **unused)
{
    struct flow f;
    struct tp_ack ack = { .bytes = 1000000, .flying_bytes = 1000000 };

    (void)unused;
    start(&f, &tp_dctcp);
    for (int i = 0; i < 300; i++) {
        f.t->acked(f.state, &ack, &f.limits);
    }
    assert_int_equal(f.limits.window_bytes, 16 * 26500);
    set(&f, "cap", 1);
    f.t->acked(f.state, &ack, &f.limits);
    assert_int_equal(f.limits.window_bytes, 26500);
    set(&f, "base_rtt", 40 * US);
    f.t->acked(f.state, &ack, &f.limits);
    assert_int_equal(f.limits.window_bytes, 51500);
}

static void
dctcp_keeps_a_packet_on_its_way(void **unused)
{
    struct flow f;
    struct tp_ack ack = { .bytes = 26500, .is_marked = true };

    (void)unused;
    start(&f, &tp_dctcp);
    for (int i = 0; i < 100; i++) {
        f.t->acked(f.state, &ack, &f.limits);
    }
    assert_int_equal(f.limits.window_bytes, 1500);
}

/* When an engine slows the flow down, the window shrinks at once, to a packet at least; the round
 * and the count of its marks go on. */
static void
dctcp_slows_down(void **unused)
{
    struct flow f;
    struct tp_ack ack = { .bytes = 13250, .is_marked = true };

    (void)unused;
    start(&f, &tp_dctcp);
    f.t->acked(f.state, &ack, &f.limits);
    f.t->slowed(f.state, 0, WEIR_RATIO_1 / 2, &f.limits);
    assert_int_equal(f.limits.window_bytes, 13250);
    f.t->acked(f.state, &ack, &f.limits); /* All packets of the round were marked. */
    assert_int_equal(f.limits.window_bytes, 6625);
    f.t->slowed(f.state, 0, 0, &f.limits);
    assert_int_equal(f.limits.window_bytes, 1500);
}

static void
all_have_names(void **unused)
{
    (void)unused;
    const struct transport *t;
    for (uint32_t i = 0; (t = transport_at(i)); i++) {
        assert_ptr_equal(transport_find(t->about.name), t);
        assert_non_null(t->recovery);
        assert_true(!t->timeout || weir_field_find(t->about.params, t->timeout));
        assert_true(!t->notified == !t->notify_ps);
        assert_true(t->start ||
                    !(t->sent || t->acked || t->lost || t->notified || t->timer || t->slowed));
    }
    assert_null(transport_find("hope"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dcqcn_halves_and_recovers),
        cmocka_unit_test(dcqcn_probes_then_leaps),
        cmocka_unit_test(facts_are_as_the_papers_say),
        cmocka_unit_test(dcqcn_alpha_follows_notifications),
        cmocka_unit_test(dcqcn_has_a_floor),
        cmocka_unit_test(dcqcn_comes_to_rest),
        cmocka_unit_test(dcqcn_slows_down_and_recovers),
        cmocka_unit_test(dcqcn_slowed_once_comes_to_rest),
        cmocka_unit_test(dcqcn_slowed_keeps_its_floor),
        cmocka_unit_test(dctcp_grows_by_a_packet_a_round),
        cmocka_unit_test(dctcp_grows_only_a_window_that_was_full),
        cmocka_unit_test(dctcp_cuts_by_the_share_of_marks),
        cmocka_unit_test(dctcp_can_cut_at_the_first_mark),
        cmocka_unit_test(dctcp_has_a_cap),
        cmocka_unit_test(dctcp_keeps_a_packet_on_its_way),
        cmocka_unit_test(dctcp_slows_down),
        cmocka_unit_test(all_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

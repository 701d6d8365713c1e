/* TCP, compared with the RFCs by hand: the window and the timeout after each event.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "transport/transport.h"

enum { MSS = 1500 };
#define US ((weir_ps)1000000)
#define MS (1000 * US)

static const struct tp_env env = { 10000000000, MSS, 20 * US };

struct flow {
    uint64_t state[TP_STATE_MAX / 8], params[TP_PARAMS_MAX / 8];
    struct tp_limits limits;
    uint32_t n_acked, n_sent;
};

static void
start(struct flow *f)
{
    *f = (struct flow){ 0 };
    weir_fields_default(tp_tcp.about.params, f->params);
    tp_tcp.start(f->state, &env, f->params, &f->limits);
}

static void
set(struct flow *f, const char *name, uint64_t value)
{
    weir_field_set(weir_field_find(tp_tcp.about.params, name), f->params, value);
    tp_tcp.start(f->state, &env, f->params, &f->limits);
}

static uint64_t
window(const struct flow *f)
{
    return f->limits.window_bytes;
}

/* Sends packets until the window is full. */
static void
fill(struct flow *f)
{
    while ((f->n_sent - f->n_acked + 1) * (uint64_t)MSS <= window(f)) {
        f->n_sent++;
    }
}

static void
ack(struct flow *f, bool is_marked, weir_ps rtt)
{
    struct tp_ack a = { .bytes = MSS,
                        .flying_bytes = (uint64_t)(f->n_sent - f->n_acked) * MSS,
                        .n_acked = f->n_acked + 1,
                        .n_sent = f->n_sent,
                        .is_marked = is_marked,
                        .rtt_ps = rtt };

    f->n_acked++;
    tp_tcp.acked(f->state, &a, &f->limits);
    fill(f);
}

static void
lose_of(struct flow *f, bool has_timed_out, uint32_t n_flying)
{
    struct tp_loss loss = { .n_packets = 1,
                            .flying_bytes = (uint64_t)n_flying * MSS,
                            .n_acked = f->n_acked,
                            .n_sent = f->n_sent,
                            .has_timed_out = has_timed_out };

    tp_tcp.lost(f->state, &loss, &f->limits);
}

static void
lose(struct flow *f, bool has_timed_out)
{
    lose_of(f, has_timed_out, f->n_sent - f->n_acked);
}

/* Brings the window to n packets by slow start. */
static void
grow_to(struct flow *f, uint32_t n)
{
    fill(f);
    while (window(f) < n * (uint64_t)MSS) {
        ack(f, false, 0);
    }
    assert_int_equal(window(f), n * MSS);
}

static void
a_flow_starts_slowly(void **unused)
{
    struct flow f;

    (void)unused;
    start(&f);
    assert_int_equal(window(&f), 3 * MSS);
    assert_int_equal(f.limits.rate_bps, WEIR_UNLIMITED);
    assert_int_equal(f.limits.timer_ps, WEIR_NEVER);
    fill(&f);
    for (uint32_t i = 1; i <= 100; i++) {
        ack(&f, false, 0);
        assert_int_equal(window(&f), (3 + i) * MSS);
    }
    set(&f, "window", 10);
    assert_int_equal(window(&f), 10 * MSS);
}

/* An ACK increases the window by at most one packet, however many packets it acknowledges, and by
 * less if it acknowledges less. */
static void
an_answer_counts_for_a_packet_at_most(void **unused)
{
    struct flow f;
    struct tp_ack a = { .bytes = 3 * MSS, .flying_bytes = 3 * MSS, .n_acked = 3, .n_sent = 3 };

    (void)unused;
    start(&f);
    tp_tcp.acked(f.state, &a, &f.limits);
    assert_int_equal(window(&f), 4 * MSS);
    a.bytes = 100;
    tp_tcp.acked(f.state, &a, &f.limits);
    assert_int_equal(window(&f), 4 * MSS + 100);
}

/* In slow start the window grows only if at least half of it is in flight; after slow start it must
 * have been full. */
static void
a_window_that_is_not_used_does_not_grow(void **unused)
{
    struct flow f;
    struct tp_ack a = { .bytes = MSS, .flying_bytes = 3 * MSS / 2 - 1, .n_acked = 1, .n_sent = 2 };

    (void)unused;
    start(&f);
    tp_tcp.acked(f.state, &a, &f.limits);
    assert_int_equal(window(&f), 3 * MSS);
    a.flying_bytes++;
    tp_tcp.acked(f.state, &a, &f.limits);
    assert_int_equal(window(&f), 4 * MSS);

    start(&f);
    grow_to(&f, 16);
    lose(&f, false);
    f.n_acked = f.n_sent;
    a = (struct tp_ack){ .bytes = MSS, .flying_bytes = 7 * MSS, .n_acked = 99, .n_sent = 100 };
    for (int i = 0; i < 100; i++) {
        tp_tcp.acked(f.state, &a, &f.limits);
    }
    assert_int_equal(window(&f), 8 * MSS);
    a.flying_bytes = 8 * MSS;
    for (int i = 0; i < 8; i++) {
        tp_tcp.acked(f.state, &a, &f.limits);
    }
    assert_int_equal(window(&f), 9 * MSS);
}

/* With 16 packets in flight, a loss or a mark reduces the window to 8, however many more of these
 * 16 are lost or marked; then it grows by a packet per window. */
static void
a_window_of_data_halves_it_once(void **unused)
{
    (void)unused;
    for (int by_mark = 0; by_mark < 2; by_mark++) {
        struct flow f;
        uint32_t n_acks = 0;
        start(&f);
        grow_to(&f, 16);
        uint32_t end = f.n_sent;
        if (by_mark) {
            ack(&f, true, 0);
        } else {
            lose(&f, false);
        }
        assert_int_equal(window(&f), 8 * MSS);
        while (f.n_acked + 1 < end) { /* All of the 16 packets except the last. */
            ack(&f, f.n_acked % 2, 0);
            lose(&f, false);
            assert_int_equal(window(&f), 8 * MSS);
        }
        for (; window(&f) == 8 * MSS; n_acks++) {
            ack(&f, false, 0);
        }
        assert_int_equal(n_acks, 8);
        assert_int_equal(window(&f), 9 * MSS);
        ack(&f, true, 0);
        assert_int_equal(window(&f), 9 * MSS / 2);
    }
}

static void
no_mark_or_loss_leaves_less_than_two_packets(void **unused)
{
    struct flow f;

    (void)unused;
    start(&f);
    fill(&f);
    for (int i = 0; i < 100; i++) {
        ack(&f, true, 0);
        assert_true(window(&f) >= 2 * MSS);
    }
    assert_int_equal(window(&f), 2 * MSS);
    lose(&f, true);
    ack(&f, true, 0); /* A mark never enlarges a window. */
    assert_int_equal(window(&f), MSS);
}

/* 32 packets in flight time out: the window is one packet, then it grows by slow start to 16, and
 * then by a packet per window.  If the retransmission times out as well, 16 is still the
 * threshold. */
static void
a_timeout_starts_slowly_again(void **unused)
{
    (void)unused;
    for (int n_more = 0; n_more <= 2; n_more++) {
        struct flow f;
        uint32_t n_acks = 0;
        start(&f);
        grow_to(&f, 32);
        lose(&f, true);
        assert_int_equal(window(&f), MSS);
        for (int i = 0; i < n_more; i++) {
            lose_of(&f, true, 1);
        }
        f.n_sent = f.n_acked + 1; /* One packet is retransmitted. */
        for (uint32_t n = 2; n <= 16; n++) {
            ack(&f, false, 0);
            assert_int_equal(window(&f), n * MSS);
        }
        for (; window(&f) == 16 * MSS; n_acks++) {
            ack(&f, false, 0);
        }
        assert_int_equal(n_acks, 16);
        assert_int_equal(window(&f), 17 * MSS);
    }
}

/* A timeout of packets that were sent after the first timeout sets the threshold again. */
static void
another_timeout_sets_the_threshold_again(void **unused)
{
    struct flow f;

    (void)unused;
    start(&f);
    grow_to(&f, 32);
    uint32_t end = f.n_sent;
    lose(&f, true);
    f.n_sent = f.n_acked + 1;
    while (f.n_acked < end || window(&f) < 20 * MSS) {
        ack(&f, false, 0);
    }
    lose(&f, true);
    f.n_sent = f.n_acked + 1;
    for (uint32_t i = 0; i < 9; i++) {
        ack(&f, false, 0);
    }
    assert_int_equal(window(&f), 10 * MSS); /* Slow start ends at half of 20. */
    ack(&f, false, 0);
    assert_int_equal(window(&f), 10 * MSS);
}

/* By RFC 6298, 2.2, with a first round trip of 100 us: SRTT = 100, RTTVAR = 50, RTO = 300 us.
 * By 2.3, with 140: RTTVAR = 3/4 50 + 1/4 40 = 47.5, SRTT = 7/8 100 + 1/8 140 = 105, RTO = 295.
 * With 60: RTTVAR = 3/4 47.5 + 1/4 45 = 46.875, SRTT = 7/8 105 + 1/8 60 = 99.375, RTO = 286.875. */
static void
the_timeout_follows_round_trips(void **unused)
{
    struct flow f;

    (void)unused;
    start(&f);
    set(&f, "min_rto", (uint64_t)US);
    set(&f, "first_rto", 7 * (uint64_t)MS);
    assert_int_equal(f.limits.timeout_ps, 7 * MS);
    fill(&f);
    ack(&f, false, 100 * US);
    assert_int_equal(f.limits.timeout_ps, 300 * US);
    ack(&f, false, 140 * US);
    assert_int_equal(f.limits.timeout_ps, 295 * US);
    ack(&f, false, 60 * US);
    assert_int_equal(f.limits.timeout_ps, 286875000);
}

/* The empty path has a round trip of 20 us, which counts as the first measurement: the timeout is
 * 20 + 4 x 10.  With 28 us next, RTTVAR is 9.5 and SRTT 21. */
static void
the_first_timeout_is_that_of_the_empty_path(void **unused)
{
    struct flow f;

    (void)unused;
    start(&f);
    assert_int_equal(f.limits.timeout_ps, 10 * MS);
    set(&f, "min_rto", 50 * (uint64_t)US);
    assert_int_equal(f.limits.timeout_ps, 60 * US);
    fill(&f);
    ack(&f, false, 28 * US);
    assert_int_equal(f.limits.timeout_ps, 59 * US);
    set(&f, "min_rto", 70 * (uint64_t)US);
    assert_int_equal(f.limits.timeout_ps, 70 * US);
}

/* Each timeout doubles the timeout, up to the maximum.  The ACK of a retransmitted packet measures
 * no round trip and keeps the value (Karn); the next measurement resets it. */
static void
timeouts_back_off(void **unused)
{
    struct flow f;
    weir_ps timeout = 10 * MS;

    (void)unused;
    start(&f);
    fill(&f);
    for (int i = 0; i < 20; i++) {
        lose(&f, true);
        timeout = 2 * timeout > 60000 * MS ? 60000 * MS : 2 * timeout;
        assert_int_equal(f.limits.timeout_ps, timeout);
    }
    ack(&f, false, 0);
    assert_int_equal(f.limits.timeout_ps, 60000 * MS);
    ack(&f, false, 20 * US);
    assert_int_equal(f.limits.timeout_ps, 10 * MS);
    lose(&f, false); /* A gap that the receiver reports is no timeout. */
    assert_int_equal(f.limits.timeout_ps, 10 * MS);
}

/* When the engine slows the flow down to a half, the window is halved, to two packets at least, and
 * slow start ends.  A mark on a packet that was in flight then halves the window again. */
static void
slowed_down_it_avoids_congestion(void **unused)
{
    struct flow f;

    (void)unused;
    start(&f);
    set(&f, "window", 16);
    fill(&f);
    tp_tcp.slowed(f.state, 0, WEIR_RATIO_1 / 2, &f.limits);
    assert_int_equal(window(&f), 8 * MSS);
    for (int i = 0; i < 8; i++) {
        ack(&f, false, 20 * US);
    }
    assert_int_equal(window(&f), 9 * MSS);
    ack(&f, true, 20 * US);
    assert_int_equal(window(&f), 9 * MSS / 2);
    tp_tcp.slowed(f.state, 0, 0, &f.limits);
    assert_int_equal(window(&f), 2 * MSS);
    lose(&f, true);
    tp_tcp.slowed(f.state, 0, WEIR_RATIO_1 / 2, &f.limits);
    assert_int_equal(window(&f),
                     MSS); /* The minimum of two packets does not enlarge a smaller window. */
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flow_starts_slowly),
        cmocka_unit_test(an_answer_counts_for_a_packet_at_most),
        cmocka_unit_test(a_window_that_is_not_used_does_not_grow),
        cmocka_unit_test(a_window_of_data_halves_it_once),
        cmocka_unit_test(no_mark_or_loss_leaves_less_than_two_packets),
        cmocka_unit_test(a_timeout_starts_slowly_again),
        cmocka_unit_test(another_timeout_sets_the_threshold_again),
        cmocka_unit_test(the_timeout_follows_round_trips),
        cmocka_unit_test(the_first_timeout_is_that_of_the_empty_path),
        cmocka_unit_test(timeouts_back_off),
        cmocka_unit_test(slowed_down_it_avoids_congestion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

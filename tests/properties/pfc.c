/* The headroom of pauses, Eq. 15 of TTL, tested on PFC and on TTL, which pauses the class of the
 * previous hop. doc/theory.md has the result. */

#include "law.h"

enum { PACKETS_TO_XOFF = 20 };

/* Packets of one size fill the buffer while nothing drains, and the pause takes effect as late as
 * possible. */
static struct duet_config
draw_config(uint64_t *chance, uint64_t xoff_offset)
{
    struct duet_config c = { .link = duet_draw_link(chance), .frame_wait = WEIR_RATIO_1 };
    uint64_t xoff = PACKETS_TO_XOFF * (uint64_t)c.link.mtu_bytes + xoff_offset;

    weir_stack_add(&c.stack, weir_engine_find(weir_random(chance) % 2 ? "pfc" : "ttl"));
    duet_set(&c, "xoff", xoff);
    duet_set(&c, "xon", xoff - 2 * (uint64_t)c.link.mtu_bytes);
    c.min_packet_bytes = c.link.mtu_bytes;
    c.n_pieces = 1;
    c.until_ps = weir_wire_ps(3 * xoff, c.link.rate_bps) + 10 * weir_tau_ps(&c.link);
    c.room_bytes = xoff + weir_pfc_headroom_bytes(&c.link);
    c.seed = weir_random(chance);
    return c;
}

static unsigned
count_losing_runs(uint64_t xoff_offset, uint64_t more_mtus, uint64_t fewer_mtus, uint64_t seed)
{
    unsigned n_losing = 0;

    for (unsigned i = 0; i < N_RUNS; i++) {
        struct duet_config c = draw_config(&seed, xoff_offset);
        c.room_bytes += more_mtus * c.link.mtu_bytes;
        c.room_bytes -= fewer_mtus * c.link.mtu_bytes;
        struct duet_result r = duet_run(&c);
        assert_conserved(&r);
        n_losing += r.n_dropped > 0;
    }
    return n_losing;
}

static void
eq_15_is_enough(void **state)
{
    (void)state;
    assert_int_equal(count_losing_runs(0, 0, 0, 1), 0);
}

/* With one MTU less than Eq. 15, most links lose packets. Exceptions are links where the last
 * packet would start just after the pause takes effect. */
static void
one_packet_less_is_not(void **state)
{
    (void)state;
    unsigned n_losing = count_losing_runs(0, 0, 1, 2);
    printf("  Eq. 15 less one MTU: %u of %u runs lose packets\n", n_losing, (unsigned)N_RUNS);
    assert_true(n_losing > N_RUNS / 2);
}

/* Eq. 15 counts from the queue that requests the pause.  A packet that crosses XOFF puts that queue
 * up to an MTU above it; the headroom above XOFF must have room for this, too. */
static void
a_packet_that_crosses_xoff_needs_an_mtu_more(void **state)
{
    (void)state;
    assert_true(count_losing_runs(1, 0, 0, 3) > 0);
    assert_int_equal(count_losing_runs(1, 1, 0, 4), 0);
}

/* Checks the derived thresholds with any draining function and any packet sizes. */
static void
derived_thresholds_lose_nothing(void **state)
{
    uint64_t chance = 5;

    (void)state;
    for (unsigned i = 0; i < N_RUNS; i++) {
        struct duet_config c = draw_config(&chance, 0);
        duet_set(&c, "xoff", WEIR_AUTO);
        duet_set(&c, "xon", WEIR_AUTO);
        c.room_bytes += 6 * (uint64_t)c.link.mtu_bytes;
        c.min_packet_bytes = 64;
        c.random_wait = true;
        duet_draw_drain(&c, &chance);
        c.until_ps += 100 * weir_tau_ps(&c.link);
        struct duet_result r = duet_run(&c);
        assert_conserved(&r);
        assert_int_equal(r.said.len, 0);
        assert_int_equal(r.n_dropped, 0);
    }
}

/* A pause that is much shorter than the stop of the receiver holds, because the receiver renews it.
 */
static void
refresh_holds_a_long_pause(void **state)
{
    uint64_t chance = 6;

    (void)state;
    for (unsigned i = 0; i < N_RUNS / 10; i++) {
        struct duet_config c = draw_config(&chance, 0);
        uint64_t round_trip = weir_wire_bytes(weir_tau_ps(&c.link), c.link.rate_bps) / 64;
        duet_set(&c, "quanta", 4 * round_trip + 100 < 0xffff ? 4 * round_trip + 100 : 0xffff);
        c.until_ps *= 20;
        struct duet_result r = duet_run(&c);
        assert_int_equal(r.n_dropped, 0);
        assert_true(r.n_frames > 1);
    }
}

/* All pause frames are lost, so the sender does not stop, and the receiver drops packets.  Lost
 * frames are PFC's weakness. */
static void
a_lost_pause_loses_packets(void **state)
{
    uint64_t chance = 7;

    (void)state;
    struct duet_config c = draw_config(&chance, 0);
    c.frame_loss = WEIR_RATIO_1;
    c.until_ps *= 2;
    assert_true(duet_run(&c).n_dropped > 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eq_15_is_enough),
        cmocka_unit_test(one_packet_less_is_not),
        cmocka_unit_test(a_packet_that_crosses_xoff_needs_an_mtu_more),
        cmocka_unit_test(derived_thresholds_lose_nothing),
        cmocka_unit_test(refresh_holds_a_long_pause),
        cmocka_unit_test(a_lost_pause_loses_packets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Credits of CBFC: the receiver drops nothing, whatever the link loses. */

#include "law.h"

static struct duet_config
draw_config(uint64_t *chance)
{
    struct duet_config c = { .link = duet_draw_link(chance), .frame_wait = WEIR_RATIO_1 };
    uint64_t tau = (uint64_t)weir_tau_ps(&c.link);
    uint64_t period = duet_draw_log(chance, tau / 8 + 1000, 8 * tau), bits = 2;

    c.room_bytes = duet_draw_log(chance, 2 * c.link.mtu_bytes,
                                 4 * weir_wire_bytes((weir_ps)(tau + period), c.link.rate_bps) +
                                     2 * c.link.mtu_bytes);
    while (c.room_bytes / 64 >= (uint64_t)1 << (bits - 1)) {
        bits++; /* As narrow as possible, so that registers wrap often. */
    }
    weir_stack_add(&c.stack, weir_engine_find("cbfc"));
    duet_set(&c, "period", period);
    duet_set(&c, "credit_bits", bits);
    c.min_packet_bytes = 64;
    c.random_wait = true;
    c.phase_ps = (weir_ps)duet_draw(chance, 0, period);
    c.until_ps = (weir_ps)(200 * (tau + period));
    c.seed = weir_random(chance);
    duet_draw_drain(&c, chance);
    return c;
}

static void
nothing_is_dropped(void **state)
{
    uint64_t chance = 1;

    (void)state;
    for (unsigned i = 0; i < N_RUNS; i++) {
        struct duet_config c = draw_config(&chance);
        c.frame_loss = duet_draw(&chance, 0, WEIR_RATIO_1 / 2);
        c.packet_loss = i % 2 ? duet_draw(&chance, 0, WEIR_RATIO_1 / 4) : 0;
        struct duet_result r = duet_run(&c);
        assert_conserved(&r);
        assert_int_equal(r.n_dropped, 0);
    }
}

/* Lost packets have used credit; FCTBS restores it.  Otherwise losses would use up the window, and
 * the link would stop. */
static void
credit_of_lost_packets_comes_back(void **state)
{
    uint64_t chance = 2;

    (void)state;
    for (unsigned i = 0; i < N_RUNS / 10; i++) {
        struct duet_config c = draw_config(&chance);
        c.packet_loss = WEIR_RATIO_1 / 4;
        c.n_pieces = 1;
        c.drain[0].rate_bps = c.link.rate_bps;
        struct duet_result r = duet_run(&c);
        assert_true(r.lost_bytes > 2 * c.room_bytes);
        assert_int_equal(r.n_dropped, 0);
    }
}

/* The largest window that the registers can advertise, in packets of whole blocks. */
static void
the_largest_window_is_safe(void **state)
{
    uint64_t chance = 3;

    (void)state;
    for (unsigned i = 0; i < N_RUNS; i++) {
        struct duet_config c = draw_config(&chance);
        uint64_t bits = duet_draw(&chance, 9, 14);
        c.link.mtu_bytes = 1024;
        c.room_bytes = (((uint64_t)1 << (bits - 1)) - 1) * 64;
        c.min_packet_bytes = i % 2 ? c.link.mtu_bytes : 64;
        duet_set(&c, "credit_bits", bits);
        struct duet_result r = duet_run(&c);
        assert_conserved(&r);
        assert_int_equal(r.n_dropped, 0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_dropped),
        cmocka_unit_test(credit_of_lost_packets_comes_back),
        cmocka_unit_test(the_largest_window_is_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

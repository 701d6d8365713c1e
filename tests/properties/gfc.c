/* GFC's theorems, tested on the engines themselves. doc/theory.md has the result.
 *
 * Each run has a random link, threshold and draining function, and random packet sizes.  With the
 * room that the theorem requires, the queue must stay under Bm plus one MTU: packets arrive as a
 * whole, and the last one may begin a byte under Bm.  With only a part of that room, some run must
 * exceed this limit. */

#include "law.h"

struct scheme {
    const char *engine, *threshold;
    uint64_t (*room)(const struct weir_link *, weir_ps period);
    bool has_period;
    bool is_spaced;      /* Its messages are up to 2 tau apart. */
    bool counts_spacing; /* Its room allows for the time between messages. */
};

static uint64_t
conceptual_room(const struct weir_link *link, weir_ps period)
{
    (void)period;
    return weir_gfc_conceptual_room_bytes(link);
}

static uint64_t
buffer_room(const struct weir_link *link, weir_ps period)
{
    (void)period;
    return weir_gfc_buffer_room_bytes(link);
}

static const struct scheme conceptual = { "gfc-conceptual", "b0", conceptual_room,
                                          .has_period = false };
static const struct scheme buffer_based = { "gfc-buffer", "b1", buffer_room, .has_period = false };
static const struct scheme spaced = { "gfc-buffer", "b1", buffer_room, .is_spaced = true,
                                      .counts_spacing = true };
static const struct scheme too_spaced = { "gfc-buffer", "b1", buffer_room, .is_spaced = true };
static const struct scheme time_based = { "gfc-time", "b0", weir_gfc_time_room_bytes,
                                          .has_period = true };
static const struct scheme theorem_5_1 = { "gfc-time", "b0", weir_gfc_theorem_5_1_bytes,
                                           .has_period = true };

/* Draws a run with 'percent' of the room that the theorem requires. The buffer is one MTU larger
 * than Bm. */
static struct duet_config
draw_config(const struct scheme *s, uint64_t percent, uint64_t *chance)
{
    struct duet_config c = { .link = duet_draw_link(chance), .frame_wait = WEIR_RATIO_1 };
    uint64_t tau = (uint64_t)weir_tau_ps(&c.link);
    uint64_t period = s->has_period ? duet_draw_log(chance, tau / 8 + 1000, 8 * tau) : 0;
    uint64_t spacing = s->is_spaced ? duet_draw_log(chance, tau / 8 + 1000, 2 * tau) : 0;
    struct weir_link link = c.link;
    link.response_ps += s->counts_spacing ? (weir_ps)spacing : 0;
    uint64_t room = s->room(&link, (weir_ps)period) * percent / 100 + 1;
    uint64_t threshold = duet_draw(chance, 0, 4 * room), bm = threshold + room;

    weir_stack_add(&c.stack, weir_engine_find(s->engine));
    duet_set(&c, "bm", bm);
    duet_set(&c, s->threshold, threshold);
    if (s->has_period) {
        duet_set(&c, "period", period);
        duet_set(&c, "credit_bits", 32);
    }
    if (s->is_spaced) {
        duet_set(&c, "spacing", spacing);
    }
    c.room_bytes = bm + c.link.mtu_bytes;
    c.min_packet_bytes = duet_draw(chance, 0, 1) ? c.link.mtu_bytes : 64;
    c.random_wait = duet_draw(chance, 0, 1);
    c.phase_ps = (weir_ps)duet_draw(chance, 0, period);
    c.until_ps =
        c.phase_ps + 2 * weir_wire_ps(bm, c.link.rate_bps) + (weir_ps)(100 * tau + 20 * period);
    c.seed = weir_random(chance);
    duet_draw_drain(&c, chance);
    return c;
}

/* Returns the number of runs that lose packets. */
static unsigned
count_losing_runs(const struct scheme *s, uint64_t percent, unsigned n_runs, uint64_t seed)
{
    unsigned n_losing = 0;

    for (unsigned i = 0; i < n_runs; i++) {
        struct duet_config c = draw_config(s, percent, &seed);
        struct duet_result r = duet_run(&c);
        assert_conserved(&r);
        n_losing += r.n_dropped > 0;
    }
    printf("  %-14s %3u%% of its room: %u of %u runs lose packets\n", s->engine, (unsigned)percent,
           n_losing, n_runs);
    return n_losing;
}

static void
conceptual_keeps_theorem_4_1(void **state)
{
    (void)state;
    assert_int_equal(count_losing_runs(&conceptual, 100, N_RUNS, 1), 0);
}

/* The theorem requires more room than necessary. With a message at every change the queue obeys a
 * delay equation, whose solutions stay under Bm if the room is at least e C tau, 68 % of 4 C tau.
 */
static void
conceptual_loses_under_e_c_tau(void **state)
{
    (void)state;
    assert_int_equal(count_losing_runs(&conceptual, 69, N_RUNS, 2), 0);
    assert_true(count_losing_runs(&conceptual, 60, N_RUNS, 3) > 0);
}

static void
buffer_based_keeps_2_c_tau(void **state)
{
    (void)state;
    assert_int_equal(count_losing_runs(&buffer_based, 100, N_RUNS, 4), 0);
    assert_true(count_losing_runs(&buffer_based, 90, N_RUNS, 5) > 0);
}

/* A message that waits for its spacing is as late as a message of a slower peer, so it needs the
 * same additional room. */
static void
spaced_messages_need_room(void **state)
{
    (void)state;
    assert_int_equal(count_losing_runs(&spaced, 100, N_RUNS, 10), 0);
    assert_true(count_losing_runs(&too_spaced, 100, N_RUNS, 11) > 0);
}

static void
time_based_keeps_its_bound(void **state)
{
    (void)state;
    assert_int_equal(count_losing_runs(&time_based, 100, N_RUNS, 6), 0);
    assert_true(count_losing_runs(&time_based, 90, N_RUNS, 7) > 0);
}

/* The theorem as printed does not hold for periods under tau. */
static void
theorem_5_1_loses_when_the_period_is_short(void **state)
{
    (void)state;
    assert_true(count_losing_runs(&theorem_5_1, 100, N_RUNS, 8) > 0);
}

/* If the receiver drains at a steady rate, it is kept busy: no run stops. */
static void
steady_drain_is_kept_busy(void **state)
{
    static const struct scheme *const all[] = { &conceptual, &buffer_based, &time_based };
    uint64_t chance = 9;

    (void)state;
    for (unsigned i = 0; i < N_RUNS / 10; i++) {
        struct duet_config c = draw_config(all[i % 3], 100, &chance);
        uint64_t rate = duet_draw(&chance, c.link.rate_bps / 20, c.link.rate_bps);
        c.drain[0].rate_bps = rate;
        c.n_pieces = 1;
        c.until_ps *= 4;
        struct duet_result r = duet_run(&c);
        uint64_t could =
            weir_mul_div((uint64_t)(c.until_ps - c.phase_ps), rate, 8 * (uint64_t)WEIR_PS_PER_S);
        assert_true(r.delivered_bytes > could / 10 * 9);
        assert_int_equal(r.n_dropped, 0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conceptual_keeps_theorem_4_1),
        cmocka_unit_test(conceptual_loses_under_e_c_tau),
        cmocka_unit_test(buffer_based_keeps_2_c_tau),
        cmocka_unit_test(spaced_messages_need_room),
        cmocka_unit_test(time_based_keeps_its_bound),
        cmocka_unit_test(theorem_5_1_loses_when_the_period_is_short),
        cmocka_unit_test(steady_drain_is_kept_busy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* DCQCN as NICs run it, compared with results by hand: periods of 1 us for alpha, 4 us for cuts,
 * and 300 us for increases. It is also compared with a twin that steps through all periods in
 * floating point. */

#include <math.h>

#include "../chance.h"
#include "sender.h"

enum { PAPER, NIC }; /* Values of 'form'. */

static void
start_nic(struct flow *f)
{
    start(f, &tp_dcqcn);
    set(f, "form", NIC);
}

static void
notify(struct flow *f, weir_ps now)
{
    f->t->notified(f->state, now, &f->limits);
}

/* Runs the requested timer, and returns its time. */
static weir_ps
wait(struct flow *f)
{
    weir_ps now = f->limits.timer_ps;

    assert_true(now != WEIR_NEVER);
    f->limits.timer_ps = WEIR_NEVER;
    f->t->timer(f->state, now, &f->limits);
    return now;
}

/* Sends a notification in every period of alpha up to the cut, so that alpha stays 1. */
static weir_ps
halve_again(struct flow *f, weir_ps now)
{
    for (int i = 0; i < 4; i++) {
        notify(f, now + i * US + US / 2);
        assert_int_equal(f->limits.timer_ps, now + 4 * US);
    }
    return wait(f);
}

static weir_ps
halve(struct flow *f, weir_ps now)
{
    notify(f, now);
    return halve_again(f, now);
}

static uint64_t
rate(const struct flow *f)
{
    return f->limits.rate_bps == WEIR_UNLIMITED ? LINE_BPS : f->limits.rate_bps;
}

/* Results by hand have five digits. */
static void
assert_rate(const struct flow *f, double bps)
{
    if (fabs((double)rate(f) - bps) > bps / 1e5) {
        fail_msg("%.0f instead of %.0f", (double)rate(f), bps);
    }
}

static void
the_form_sets_what_is_not_given(void **unused)
{
    struct flow f;

    (void)unused;
    start_nic(&f);
    assert_int_equal(f.t->notify_ps(f.params), 0);
    notify(&f, 0);
    assert_int_equal(f.limits.timer_ps, 4 * US);
    set(&f, "cut_time", 7 * US);
    set(&f, "notify", 3 * US);
    assert_int_equal(f.t->notify_ps(f.params), 3 * US);
    notify(&f, 0);
    assert_int_equal(f.limits.timer_ps, 7 * US);
}

/* In one period the rate is halved once, at its end, however many notifications arrive. */
static void
a_period_has_one_cut(void **unused)
{
    struct flow f;

    (void)unused;
    start_nic(&f);
    assert_int_equal(halve(&f, 100 * US), 104 * US);
    assert_int_equal(f.limits.rate_bps, LINE_BPS / 2);
    /* The next event is an increase: without another notification there is no cut. */
    assert_int_equal(f.limits.timer_ps, 404 * US);
}

/* Periods follow one another from the first notification, at 100 us: a notification at 209 us
 * counts for the period from 208 to 212 us. */
static void
periods_follow_each_other(void **unused)
{
    struct flow f;

    (void)unused;
    start_nic(&f);
    halve(&f, 100 * US);
    notify(&f, 209 * US);
    assert_int_equal(f.limits.timer_ps, 212 * US);
    wait(&f);
    notify(&f, 216 * US); /* A notification at the exact end of a period counts for the next one. */
    assert_int_equal(f.limits.timer_ps, 220 * US);
}

/* After one notification alone, alpha has shrunk four times before the cut, to (255/256)^4 =
 * 0.984466. */
static void
alpha_shrinks_by_itself(void **unused)
{
    struct flow f;

    (void)unused;
    start_nic(&f);
    notify(&f, 100 * US);
    wait(&f);
    assert_rate(&f, 1e10 * (1 - 0.984466 / 2));
}

/* Alpha is 1 at 104 us.  It shrinks in 195 periods, to 0.466167.  In the next period, up to 300 us,
 * a notification arrives, so alpha is 0.464346 + 0.003906 at the cut. */
static void
alpha_is_taken_up_to_the_cut(void **unused)
{
    struct flow f;

    (void)unused;
    start_nic(&f);
    halve(&f, 100 * US);
    notify(&f, 299 * (weir_ps)US + US / 2);
    assert_int_equal(wait(&f), 300 * US);
    assert_rate(&f, 5e9 * (1 - 0.468253 / 2));
}

/* After two cuts in a row the target is still line rate, and 300 us after the last cut the rate is
 * 6.25 Gb/s. */
static void
the_target_stays_while_cut_follows_cut(void **unused)
{
    struct flow f;

    (void)unused;
    start_nic(&f);
    halve(&f, 100 * US);
    assert_int_equal(halve_again(&f, 104 * US), 108 * US);
    assert_int_equal(f.limits.rate_bps, LINE_BPS / 4);
    assert_int_equal(wait(&f), 408 * US);
    assert_int_equal(f.limits.rate_bps, LINE_BPS / 8 * 5);
}

/* An increase raises the rate to 7.5 Gb/s. After the next cut the rate recovers to 7.5 Gb/s and no
 * further. */
static void
a_cut_after_an_increase_sets_the_target(void **unused)
{
    struct flow f;

    (void)unused;
    start_nic(&f);
    halve(&f, 100 * US);
    assert_int_equal(wait(&f), 404 * US);
    assert_int_equal(f.limits.rate_bps, LINE_BPS / 4 * 3);
    notify(&f, 405 * US);
    wait(&f);
    uint64_t least = rate(&f);
    wait(&f);
    assert_int_equal(f.limits.rate_bps, (least + LINE_BPS / 4 * 3 + 1) / 2);
}

/* With 'clamp', the second cut leaves a target of 5 Gb/s: the first increase is to half of
 * 2.5 + 5. */
static void
a_clamped_target_follows_every_cut(void **unused)
{
    struct flow f;

    (void)unused;
    start_nic(&f);
    set(&f, "clamp", 1);
    halve(&f, 100 * US);
    halve_again(&f, 104 * US);
    wait(&f);
    assert_rate(&f, 3.75e9);
}

/* With a target of 5 and a rate of 2.5 Gb/s: fast recovery once, 2 Mb/s more once, and then 20 Mb/s
 * each time. */
static void
the_timer_alone_leads_to_hyper_increase(void **unused)
{
    static const double targets[] = { 5e9, 5.002e9, 5.022e9, 5.042e9, 5.062e9 };
    struct flow f;
    double bps = 2.5e9;

    (void)unused;
    start_nic(&f);
    set(&f, "clamp", 1);
    halve(&f, 100 * US);
    halve_again(&f, 104 * US);
    for (uint32_t i = 0; i < N_OF(targets); i++) {
        wait(&f);
        bps = (bps + targets[i]) / 2;
        assert_rate(&f, bps);
    }
    f.t->sent(f.state, 0, 1000000000, &f.limits); /* Bytes do not count. */
    assert_rate(&f, bps);
}

/* In 20 us, 10 Gb/s are 25000 bytes. A packet may start if the window has room for one of its
 * bytes. */
static void
the_window_goes_with_the_rate(void **unused)
{
    struct flow f;

    (void)unused;
    start_nic(&f);
    assert_int_equal(f.limits.window_bytes, WEIR_UNLIMITED);
    set(&f, "window", 1);
    assert_int_equal(f.limits.window_bytes, 25000 + 1499);
    halve(&f, 100 * US);
    assert_int_equal(f.limits.window_bytes, 12500 + 1499);
    set(&f, "base_rtt", 40 * US);
    assert_int_equal(f.limits.window_bytes, 50000 + 1499);
}

static void
slowed_down_it_keeps_a_target_too(void **unused)
{
    struct flow f;

    (void)unused;
    start_nic(&f);
    f.t->slowed(f.state, 0, WEIR_RATIO_1 / 2, &f.limits);
    f.t->slowed(f.state, US, WEIR_RATIO_1 / 2, &f.limits);
    assert_int_equal(f.limits.rate_bps, LINE_BPS / 4);
    assert_int_equal(wait(&f), 301 * US);
    assert_int_equal(f.limits.rate_bps, LINE_BPS / 8 * 5);
}

/* A NIC that computes every period, in floating point. */
struct twin {
    double rate, target, alpha;
    bool has_come, is_due;
    int n_times;
    weir_ps first, alpha_at, cut_at, increase_at;
};

static void
twin_increase(struct twin *t)
{
    t->n_times++;
    t->target += t->n_times == 2 ? 2e6 : t->n_times > 2 ? 2e7 : 0;
    t->target = fmin(t->target, (double)LINE_BPS);
    t->rate = (t->rate + t->target) / 2;
}

static void
twin_cut(struct twin *t, weir_ps now)
{
    if (t->is_due) {
        t->target = t->n_times ? t->rate : t->target;
        t->rate = fmax(4e7, t->rate * (1 - t->alpha / 2));
        t->n_times = 0;
        t->increase_at = now + 300 * US;
        t->is_due = false;
    }
}

/* Runs all periods that end by 'now'. */
static void
twin_pass(struct twin *t, weir_ps now)
{
    for (;;) {
        weir_ps cut = t->cut_at < t->increase_at ? t->cut_at : t->increase_at;
        weir_ps at = t->alpha_at < cut ? t->alpha_at : cut;

        if (at > now) {
            return;
        }
        if (at == t->alpha_at) {
            t->alpha = t->alpha * 255 / 256 + (t->has_come ? 1. / 256 : 0);
            t->has_come = false;
            t->alpha_at += US;
        } else if (at == t->cut_at) {
            twin_cut(t, at);
            t->cut_at += 4 * US;
        } else {
            twin_increase(t);
            t->increase_at += 300 * US;
        }
    }
}

static void
twin_notify(struct twin *t, weir_ps now)
{
    twin_pass(t, now);
    if (t->alpha_at == WEIR_NEVER) {
        t->alpha_at = now + US;
        t->cut_at = now + 4 * US;
    } else {
        t->has_come = true;
    }
    t->is_due = true;
}

static void
pass(struct flow *f, weir_ps now)
{
    while (f->limits.timer_ps <= now) {
        wait(f);
    }
}

static void
assert_like_twin(const struct flow *f, const struct twin *t, uint64_t seed)
{
    if (fabs((double)rate(f) / t->rate - 1) > 1e-5) {
        fail_msg("seed %u: %.0f instead of %.0f", (unsigned)seed, (double)rate(f), t->rate);
    }
}

/* The sender agrees with the twin after bursts of notifications, and after times without any. */
static void
it_is_as_if_it_looked_at_every_period(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct twin t = { .rate = LINE_BPS,
                          .target = LINE_BPS,
                          .alpha = 1,
                          .alpha_at = WEIR_NEVER,
                          .cut_at = WEIR_NEVER,
                          .increase_at = WEIR_NEVER };
        uint64_t chance = seed;
        struct flow f;
        weir_ps now = 0;

        start_nic(&f);
        for (int i = 0; i < 300; i++) {
            now += (weir_ps)below(&chance, one_in(&chance, 20) ? 2000 * US : 6 * US);
            pass(&f, now);
            notify(&f, now);
            twin_notify(&t, now);
            assert_like_twin(&f, &t, seed);
        }
    }
}

/* With any parameters the rate stays between the minimum and line rate.  Without further
 * notifications it returns to line rate after enough steps of each kind. */
static void
start_any(struct flow *f, uint64_t *chance)
{
    static const char *const times[] = { "alpha_time", "increase_time" };

    start(f, &tp_dcqcn);
    set(f, "form", below(chance, 2));
    for (size_t i = 0; i < N_OF(times); i++) {
        set(f, times[i], US * (1 + below(chance, 100)));
    }
    set(f, "cut_time", below(chance, 2) * below(chance, 100 * US));
    set(f, "clamp", below(chance, 2));
    set(f, "window", below(chance, 2));
    set(f, "steps", 1 + below(chance, 8));
    set(f, "g", 1 + below(chance, WEIR_RATIO_1));
    set(f, "ai", 100000000);
    set(f, "hai", 200000000);
    set(f, "least", 1000000000);
}

static void
rates_have_bounds_and_come_back(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        uint64_t chance = seed;
        struct flow f;
        weir_ps now = 0;

        start_any(&f, &chance);
        for (int i = 0; i < 100; i++) {
            now += (weir_ps)below(&chance, 50 * US);
            pass(&f, now);
            notify(&f, now);
            assert_in_range(rate(&f), 1000000000, LINE_BPS);
            assert_true(f.limits.timer_ps > now);
        }
        /* One last cut; 8 steps of fast recovery; 90 steps of 0.1 Gb/s; and 34 steps that halve the
         * rest, until it is less than 1 b/s. */
        now += (weir_ps)(100 * US + (1 + 8 + 90 + 34) * (uint64_t)100 * US);
        pass(&f, now);
        assert_int_equal(f.limits.rate_bps, WEIR_UNLIMITED);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_form_sets_what_is_not_given),
        cmocka_unit_test(a_period_has_one_cut),
        cmocka_unit_test(periods_follow_each_other),
        cmocka_unit_test(alpha_shrinks_by_itself),
        cmocka_unit_test(alpha_is_taken_up_to_the_cut),
        cmocka_unit_test(the_target_stays_while_cut_follows_cut),
        cmocka_unit_test(a_cut_after_an_increase_sets_the_target),
        cmocka_unit_test(a_clamped_target_follows_every_cut),
        cmocka_unit_test(the_timer_alone_leads_to_hyper_increase),
        cmocka_unit_test(the_window_goes_with_the_rate),
        cmocka_unit_test(slowed_down_it_keeps_a_target_too),
        cmocka_unit_test(it_is_as_if_it_looked_at_every_period),
        cmocka_unit_test(rates_have_bounds_and_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

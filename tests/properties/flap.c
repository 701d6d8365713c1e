/* Links that go down and come up again: no engine that promises losslessness loses a packet at a
 * buffer because of it, and no port stays paused.  The ends notice a change at different times,
 * during any activity, and may notice the next before they have received anything from each other.
 */

#include <string.h>

#include "law.h"

static const char *const engines[] = {
    "pfc", "ttl", "capfc", "cbfc", "gfc-buffer", "gfc-time", "gfc-conceptual",
};

enum { N_ENGINES = sizeof engines / sizeof *engines, MAX_FLAPS = 6, MAX_STALLS = 6 };

/* Both ends go down, or both come up: the second one up to tau later, or up to 'skew' later.
 * Returns when the second end has changed. */
static weir_ps
draw_moment(struct duet_config *c, uint64_t *chance, weir_ps at, weir_ps skew, bool up)
{
    int first = (int)duet_draw(chance, 0, 1);
    uint64_t longest = duet_draw(chance, 0, 2) ? (uint64_t)weir_tau_ps(&c->link) : (uint64_t)skew;
    /* In half of the cases the second end is almost as late as possible. */
    uint64_t least = duet_draw(chance, 0, 1) ? 0 : longest - longest / 200;
    weir_ps later = at + (weir_ps)duet_draw(chance, least, longest);

    c->changes[c->n_changes++] = (struct duet_change){ at, first, up };
    c->changes[c->n_changes++] = (struct duet_change){ later, 1 - first, up };
    return later;
}

/* Draws when the link goes down and comes up; returns when it is up for good. */
static weir_ps
draw_flaps(struct duet_config *c, uint64_t *chance)
{
    uint64_t tau = (uint64_t)weir_tau_ps(&c->link);
    weir_ps pause = weir_pfc_pause_ps(c->link.rate_bps, WEIR_MAX_QUANTA);
    weir_ps at = (weir_ps)duet_draw(chance, 0, 20 * tau);

    for (uint64_t n = duet_draw(chance, 1, MAX_FLAPS); n; n--) {
        at += (weir_ps)duet_draw_log(chance, 1, duet_draw(chance, 0, 1) ? tau : 30 * tau);
        at = draw_moment(c, chance, at, (weir_ps)tau, false);
        at += (weir_ps)duet_draw_log(chance, 1, 10 * tau);
        at = draw_moment(c, chance, at, pause, true);
    }
    return at;
}

/* Draws a receiver that drains nothing until after the last link failure, or one that stops and
 * resumes. In the end it drains at line rate; returns when that begins. */
static weir_ps
draw_stalls(struct duet_config *c, uint64_t *chance, weir_ps flaps_ps)
{
    uint64_t tau = (uint64_t)weir_tau_ps(&c->link), line = c->link.rate_bps;
    uint64_t pause = (uint64_t)weir_pfc_pause_ps(line, WEIR_MAX_QUANTA);
    bool is_one = duet_draw(chance, 0, 1);
    weir_ps at = is_one ? flaps_ps + (weir_ps)duet_draw(chance, 0, 2 * pause) : 0;

    c->drain[c->n_pieces++] = (struct duet_piece){ at, 0 };
    for (uint64_t n = is_one ? 0 : duet_draw(chance, 0, MAX_STALLS); n; n--) {
        weir_ps ps = (weir_ps)duet_draw_log(chance, tau / 8 + 1, 60 * tau);
        uint64_t rate = duet_draw(chance, 0, 2) ? 0 : duet_draw(chance, 0, line);
        c->drain[c->n_pieces++] = (struct duet_piece){ ps, rate };
        at += ps;
    }
    c->drain[c->n_pieces++] = (struct duet_piece){ 1, line };
    return at;
}

/* The buffer is as large as any engine needs, or up to twice as large. The engine derives its
 * parameters. */
static struct duet_config
draw_config(const char *engine, uint64_t *chance, weir_ps *calm_ps)
{
    struct duet_config c = { .link = duet_draw_link(chance), .frame_wait = WEIR_RATIO_1 };
    uint64_t tau_bytes = weir_wire_bytes(weir_tau_ps(&c.link), c.link.rate_bps);
    uint64_t room = 4 * tau_bytes + 4 * 65536 + 30 * (uint64_t)c.link.mtu_bytes;

    weir_stack_add(&c.stack, weir_engine_find(engine));
    c.room_bytes = duet_draw(chance, room, 2 * room);
    c.min_packet_bytes = duet_draw(chance, 0, 1) ? 64 : c.link.mtu_bytes;
    c.random_wait = duet_draw(chance, 0, 1);
    weir_ps flaps = draw_flaps(&c, chance), stalls = draw_stalls(&c, chance, flaps);
    *calm_ps = flaps > stalls ? flaps : stalls;
    c.seed = weir_random(chance);
    return c;
}

/* How long a run continues after the last event: for the longest pause, for draining the buffer
 * twice, and for 4 tau. */
static weir_ps
settling_ps(const struct duet_config *c)
{
    return weir_pfc_pause_ps(c->link.rate_bps, WEIR_MAX_QUANTA) +
           2 * weir_wire_ps(c->room_bytes, c->link.rate_bps) + 4 * weir_tau_ps(&c->link);
}

/* GFC's slowest rate on a short link is not 0, so over a long time it fills any buffer. Such a run
 * drops packets without link failures, too. */
static bool
would_drop_anyway(const struct duet_config *c)
{
    struct duet_config steady = *c;

    steady.n_changes = 0;
    return duet_run(&steady).n_dropped > 0;
}

static void
a_restart_loses_nothing_and_ends(void **state)
{
    uint64_t chance = 1, n_tried = 0, n_excused = 0;

    (void)state;
    for (unsigned i = 0; i < N_RUNS / 3; i++) {
        weir_ps calm;
        struct duet_config c = draw_config(engines[i % N_ENGINES], &chance, &calm);
        c.until_ps = calm + settling_ps(&c) + 20 * weir_tau_ps(&c.link);
        struct duet_result r = duet_run(&c);
        assert_conserved(&r);
        assert_int_equal(r.said.len, 0);
        if (r.n_dropped && would_drop_anyway(&c)) {
            n_excused++;
            continue;
        }
        if (r.n_dropped || r.last_delivered_ps < calm + settling_ps(&c)) {
            fail_msg("run %u, %s: %llu dropped, last delivered at %lld of %lld ps", i,
                     engines[i % N_ENGINES], (unsigned long long)r.n_dropped,
                     (long long)r.last_delivered_ps, (long long)c.until_ps);
        }
        n_tried += r.n_lost > 0;
    }
    assert_true(n_tried > N_RUNS / 6);
    assert_true(n_excused < N_RUNS / 100);
}

int
main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_restart_loses_nothing_and_ends) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

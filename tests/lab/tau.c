/* Tau of a lab, computed from the counters of its nodes. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "bind/bind.h"
#include "lab/timing.h"
#include "scenario/scenario.h"

#define US ((weir_ps)1000000)

enum { S1, H1, H2 };

/* Tau is 120 us for each of two packets of 1500 B, 2 x 1 us of cable, and 2 ms of response. */
static const char text[] = "topology: {kind: incast, hosts: 1, rate: 100Mbps, delay: 1us}\n"
                           "switch: {response: 2ms}\n"
                           "wire: {mtu: 1500B}\n"
                           "engine: pfc\n"
                           "flows: [{from: H1, to: H2}]\n";

/* Three switches with one host each. */
static const char ring_text[] = "topology: {kind: ring, switches: 3, rate: 100Mbps, delay: 1us}\n"
                                "switch: {response: 2ms}\n"
                                "engine: pfc\n"
                                "flows: [{from: H1, to: H2}]\n";

#define WITH_SLOW_LINK_TO(HOST)                                                                    \
    "topology: {kind: incast, hosts: 1, rate: 100Mbps, delay: 1us,\n"                              \
    "           links: [{ends: [S1, " HOST "], rate: 1Mbps}]}\n"                                   \
    "switch: {response: 2ms}\n"                                                                    \
    "wire: {mtu: 1500B}\n"                                                                         \
    "engine: pfc\n"                                                                                \
    "flows: [{from: H1, to: H2}]\n"

static const char mixed_text[] = WITH_SLOW_LINK_TO("H1");
static const char mixed_other_text[] = WITH_SLOW_LINK_TO("H2");

enum { MAX_NODES = 6 };

struct set_up {
    struct scenario s;
    struct model model;
    struct dp_counts counts[MAX_NODES];
};

static struct set_up *
begin_text(const char *scenario)
{
    static struct set_up s;
    struct scn_source source = { .name = "tau.yaml", .text = scenario };
    struct err err = { 0 };

    memset(s.counts, 0, sizeof s.counts);
    if (!scn_read(&s.s, &source, &(struct scn_files){ 0 }, NULL, 0, &err) ||
        !bind_model(&s.s, &s.model, &err)) {
        fail_msg("%s", err.text);
    }
    return &s;
}

static struct set_up *
begin(void)
{
    return begin_text(text);
}

static void
end(struct set_up *s)
{
    model_free(&s->model);
    scn_free(&s->s);
}

/* Adds 'n' frames or responses that are late by up to 2^power us. */
static void
add_late(struct dp_lateness *l, uint64_t n, uint32_t power, weir_ps most_ps)
{
    l->n += n;
    l->n_of[power] += n;
    l->most_ps = most_ps > l->most_ps ? most_ps : l->most_ps;
}

static void
shares_are_told_to_the_power_of_two(void **state)
{
    struct dp_lateness l = { 0 };

    (void)state;
    assert_int_equal(lab_lateness_at(&l, 0.5), 0);
    add_late(&l, 60, 3, 8 * US);
    add_late(&l, 39, 7, 100 * US);
    add_late(&l, 1, 12, 3000 * US);
    assert_int_equal(lab_lateness_at(&l, 0.5), 8 * US);
    assert_int_equal(lab_lateness_at(&l, 0.99), 128 * US);
    assert_int_equal(lab_lateness_at(&l, 1), 3000 * US);
}

/* If a node has sent pauses, only its measurements of them count. */
static void
pauses_tell_tau(void **state)
{
    struct set_up *s = begin();

    (void)state;
    add_late(&s->counts[S1].answers, 99, 9, 400 * US);
    add_late(&s->counts[S1].answers, 1, 11, 1500 * US);
    add_late(&s->counts[S1].frames, 100, 20, 900000 * US);
    struct lab_delays t = lab_tau_measured(&s->model, S1, &s->counts[S1]);
    assert_true(t.is_of_pauses);
    assert_int_equal(t.n, 100);
    assert_int_equal(t.p50_ps, 512 * US);
    assert_int_equal(t.most_ps, 1500 * US);
    assert_int_equal(t.derived_ps, (240 + 2 + 2000) * US);
    end(s);
}

/* Without pauses, tau is estimated: the time of a frame and the packets after it, plus the longest
 * delays at the peer and at this node. */
static void
without_pauses_it_is_put_together(void **state)
{
    struct set_up *s = begin();

    (void)state;
    add_late(&s->counts[S1].frames, 10, 4, 16 * US);
    add_late(&s->counts[H1].frames, 10, 6, 64 * US);
    add_late(&s->counts[H2].frames, 10, 5, 32 * US);
    struct lab_delays t = lab_tau_estimated(&s->model, S1, s->counts);
    assert_false(t.is_of_pauses);
    assert_int_equal(lab_tau_measured(&s->model, S1, &s->counts[S1]).n, 0);
    assert_int_equal(t.n, 10);
    assert_int_equal(t.p50_ps, (242 + 16 + 64) * US);
    assert_int_equal(t.most_ps, (242 + 16 + 64) * US);
    assert_int_equal(lab_tau_estimated(&s->model, H2, s->counts).most_ps, (242 + 32 + 16) * US);
    end(s);
}

/* A frame takes longer on a link of 1 Mb/s than the thresholds of a link of 100 Mb/s assume; the
 * thresholds of the slow link allow for that. */
static void
each_port_has_its_own_way(void **state)
{
    struct set_up *s = begin_text(mixed_text);

    (void)state;
    add_late(&s->counts[S1].frames, 10, 4, 16 * US);
    add_late(&s->counts[H1].frames, 10, 6, 64 * US);
    struct lab_delays t = lab_tau_estimated(&s->model, S1, s->counts);
    assert_int_equal(t.most_ps, (24002 + 16 + 64) * US);
    assert_int_equal(t.derived_ps, (24002 + 2000) * US);
    add_late(&s->counts[H2].frames, 10, 7, 65 * US);
    t = lab_tau_estimated(&s->model, S1, s->counts);
    assert_int_equal(t.most_ps, (242 + 16 + 65) * US);
    assert_int_equal(t.derived_ps, (242 + 2000) * US);
    end(s);
}

/* It is unknown which port was paused, so the shortest of the ports' values counts, wherever it is
 * in the list. */
static void
measured_by_any_port(void **state)
{
    static const char *const texts[] = { mixed_text, mixed_other_text };

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct set_up *s = begin_text(texts[i]);
        add_late(&s->counts[S1].answers, 10, 9, 400 * US);
        assert_int_equal(lab_tau_measured(&s->model, S1, &s->counts[S1]).derived_ps,
                         (242 + 2000) * US);
        end(s);
    }
}

/* If S1 has measured tau, and the estimate of S2 is longer, the measured value counts.  Among two
 * measurements, the one with the smaller margin to its thresholds counts. */
static void
measured_goes_before_estimated(void **state)
{
    struct set_up *s = begin_text(ring_text);
    uint32_t s1 = topo_find_node(&s->s.topo, "S1"), s2 = topo_find_node(&s->s.topo, "S2");
    struct lab_delays t;

    (void)state;
    assert_int_equal(lab_tau_latest(&s->model, s->counts, &t), SIM_NONE);
    add_late(&s->counts[s2].frames, 10, 14, 9000 * US);
    assert_int_equal(lab_tau_latest(&s->model, s->counts, &t), s2);
    assert_false(t.is_of_pauses);
    add_late(&s->counts[s1].answers, 10, 9, 400 * US);
    assert_int_equal(lab_tau_latest(&s->model, s->counts, &t), s1);
    assert_true(t.is_of_pauses);
    assert_int_equal(t.most_ps, 400 * US);
    add_late(&s->counts[s2].answers, 10, 9, 500 * US);
    assert_int_equal(lab_tau_latest(&s->model, s->counts, &t), s2);
    memset(s->counts, 0, sizeof s->counts);
    add_late(&s->counts[s1].frames, 10, 14, 9000 * US);
    add_late(&s->counts[s2].answers, 10, 9, 400 * US);
    assert_int_equal(lab_tau_latest(&s->model, s->counts, &t), s2);
    end(s);
}

static void
what_is_longer_than_derived_is_told(void **state)
{
    struct lab_delays t = { .most_ps = 2000 * US, .derived_ps = 2000 * US, .is_of_pauses = true };
    struct weir_text why;

    (void)state;
    assert_false(lab_tau_is_long("S1", &t, &why));
    t.most_ps = 2001 * US;
    assert_true(lab_tau_is_long("S1", &t, &why));
    assert_non_null(strstr(why.s, "tau at S1 was up to 2.001ms, measured by pauses, and thresholds "
                                  "were derived for 2ms"));
    assert_non_null(strstr(why.s, "unless a neighbour ignores pauses."));
    t.is_of_pauses = false;
    assert_true(lab_tau_is_long("S1", &t, &why));
    assert_null(strstr(why.s, "heed"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_told_to_the_power_of_two),
        cmocka_unit_test(pauses_tell_tau),
        cmocka_unit_test(without_pauses_it_is_put_together),
        cmocka_unit_test(each_port_has_its_own_way),
        cmocka_unit_test(measured_by_any_port),
        cmocka_unit_test(measured_goes_before_estimated),
        cmocka_unit_test(what_is_longer_than_derived_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

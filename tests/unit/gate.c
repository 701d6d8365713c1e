/* Gates: each limit alone, the three together, and properties for any traffic. */

#include "unit.h"

enum { GAP = 20, MTU = 1500 };

static struct weir_gate
new_gate(uint32_t gap_bytes)
{
    struct weir_gate g;
    weir_gate_init(&g, gap_bytes);
    return g;
}

static void
a_new_gate_is_open(void **state)
{
    struct weir_gate g = new_gate(GAP);

    (void)state;
    assert_int_equal(weir_gate_ready(&g, 0, MTU), 0);
    weir_gate_sent(&g, 0, MTU);
    assert_int_equal(weir_gate_ready(&g, 0, MTU), 0);
    assert_int_equal(weir_gate_ready(&g, 5 * US, MTU), 5 * US);
}

static void
a_pause_ends_by_itself(void **state)
{
    struct weir_gate g = new_gate(GAP);

    (void)state;
    g.open_ps = 3 * US;
    assert_int_equal(weir_gate_ready(&g, US, MTU), 3 * US);
    assert_int_equal(weir_gate_ready(&g, 3 * US, MTU), 3 * US);
    assert_int_equal(weir_gate_ready(&g, 4 * US, MTU), 4 * US);
}

/* GFC 5.3: after a packet that took the time t, the queue waits t (C - R) / R. */
static void
a_rate_spaces_packets(void **state)
{
    const weir_ps t = weir_wire_ps(MTU, 10 * GBPS);
    struct weir_gate g = new_gate(0);

    (void)state;
    weir_gate_set_rate(&g, 10 * GBPS / 4);
    assert_int_equal(weir_gate_ready(&g, US, MTU), US);
    weir_gate_sent(&g, US, MTU);
    assert_int_equal(weir_gate_ready(&g, US + t, MTU), US + t + 3 * t);
}

static void
a_rate_counts_the_gap(void **state)
{
    struct weir_gate g = new_gate(GAP);

    (void)state;
    weir_gate_set_rate(&g, 5 * GBPS);
    weir_gate_sent(&g, 0, MTU);
    assert_int_equal(weir_gate_ready(&g, 0, MTU), 2432000); /* 1520 B at 5 Gb/s. */
}

/* At a rate of C/2^16 a wait lasts 78.6 ms; it ends when the rate rises. */
static void
a_higher_rate_cuts_a_running_wait(void **state)
{
    struct weir_gate g = new_gate(0);

    (void)state;
    weir_gate_set_rate(&g, (10 * GBPS) >> 16);
    weir_gate_sent(&g, 10 * US, MTU);
    assert_in_range(weir_gate_ready(&g, 11 * US, MTU), 78600 * US, 78700 * US);

    weir_gate_set_rate(&g, 10 * GBPS / 10);
    assert_int_equal(weir_gate_ready(&g, 11 * US, MTU), 22 * US);
    assert_int_equal(weir_gate_ready(&g, 30 * US, MTU), 30 * US);

    weir_gate_set_rate(&g, WEIR_UNLIMITED);
    assert_int_equal(weir_gate_ready(&g, 11 * US, MTU), 11 * US);
}

static void
a_lower_rate_draws_out_a_running_wait(void **state)
{
    struct weir_gate g = new_gate(0);

    (void)state;
    weir_gate_sent(&g, 10 * US,
                   MTU); /* A packet sent at line rate counts as soon as there is a rate limit. */
    weir_gate_set_rate(&g, 10 * GBPS);
    assert_int_equal(weir_gate_ready(&g, 10 * US, MTU), 10 * US + 1200000);
    weir_gate_set_rate(&g, GBPS);
    assert_int_equal(weir_gate_ready(&g, 10 * US, MTU), 22 * US);
}

static void
rate_0_shuts_until_it_changes(void **state)
{
    struct weir_gate g = new_gate(0);

    (void)state;
    weir_gate_set_rate(&g, 0);
    assert_int_equal(weir_gate_ready(&g, US, MTU), WEIR_NEVER);
    weir_gate_set_rate(&g, 8000);
    /* Nothing was sent before, so no gap is due. */
    assert_int_equal(weir_gate_ready(&g, US, MTU), US);

    weir_gate_sent(&g, US, MTU);
    weir_gate_set_rate(&g, 0);
    assert_int_equal(weir_gate_ready(&g, 2 * US, MTU), WEIR_NEVER);
    weir_gate_set_rate(&g, WEIR_UNLIMITED);
    assert_int_equal(weir_gate_ready(&g, 2 * US, MTU), 2 * US);
}

static void
credit_is_spent_in_whole_grains(void **state)
{
    struct weir_gate g = new_gate(GAP);

    (void)state;
    g.grain_bytes = 64;
    g.limit_bytes = 192;
    assert_int_equal(weir_gate_cost(&g, 1), 64);
    assert_int_equal(weir_gate_cost(&g, 64), 64);
    assert_int_equal(weir_gate_cost(&g, 65), 128);

    weir_gate_sent(&g, 0, 65);
    assert_int_equal(weir_gate_ready(&g, US, 64), US); /* The last grain may be used. */
    /* More than the last grain is refused. */
    assert_int_equal(weir_gate_ready(&g, US, 65), WEIR_NEVER);
    weir_gate_sent(&g, US, 64);
    assert_int_equal(weir_gate_ready(&g, US, 1), WEIR_NEVER);
    g.limit_bytes += 64;
    assert_int_equal(weir_gate_ready(&g, US, 1), US);
}

static void
limit_0_lets_nothing_pass(void **state)
{
    struct weir_gate g = new_gate(GAP);

    (void)state;
    g.limit_bytes = 0;
    assert_int_equal(weir_gate_ready(&g, US, 1), WEIR_NEVER);
}

static void
the_last_of_three_limits_decides(void **state)
{
    struct weir_gate g = new_gate(0);

    (void)state;
    weir_gate_set_rate(&g, GBPS);
    weir_gate_sent(&g, 0, MTU); /* The rate allows the next packet at 12 us. */
    g.open_ps = 5 * US;
    assert_int_equal(weir_gate_ready(&g, US, MTU), 12 * US);
    g.open_ps = 20 * US;
    assert_int_equal(weir_gate_ready(&g, US, MTU), 20 * US);
    assert_int_equal(weir_gate_ready(&g, 30 * US, MTU), 30 * US);
    g.limit_bytes = 2 * MTU - 1;
    assert_int_equal(weir_gate_ready(&g, 30 * US, MTU), WEIR_NEVER);
    g.limit_bytes = 2 * MTU;
    assert_int_equal(weir_gate_ready(&g, US, MTU), 20 * US);
}

/* A backlogged queue sends at its rate: never earlier, and later only by the rounding of each
 * packet. */
static void
the_rate_is_kept_over_any_traffic(void **state)
{
    uint64_t random = 5, rate = 7 * GBPS / 3, sent = 0;
    struct weir_gate g = new_gate(GAP);
    weir_ps now = 0;

    (void)state;
    weir_gate_set_rate(&g, rate);
    for (int i = 0; i < 10000; i++) {
        uint32_t bytes = (uint32_t)(64 + below(&random, MTU - 63));
        now = weir_gate_ready(&g, now, bytes);
        assert_in_range(now, weir_wire_ps(sent, rate), weir_wire_ps(sent, rate) + i);
        weir_gate_sent(&g, now, bytes);
        sent += bytes + GAP;
    }
}

static void
credit_is_never_passed(void **state)
{
    uint64_t random = 6, n_held = 0, n_sent = 0;
    struct weir_gate g = new_gate(GAP);

    (void)state;
    g.grain_bytes = 64;
    g.limit_bytes = 0;
    for (weir_ps now = 0; now < 10000; now++) {
        uint32_t bytes = (uint32_t)(64 + below(&random, MTU - 63));
        if (weir_gate_ready(&g, now, bytes) > now) {
            n_held++;
            g.limit_bytes += below(&random, 64) * 64;
            continue;
        }
        weir_gate_sent(&g, now, bytes);
        n_sent++;
        assert_true(g.sent_bytes <= g.limit_bytes);
    }
    assert_true(n_held > 1000 && n_sent > 1000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_gate_is_open),
        cmocka_unit_test(a_pause_ends_by_itself),
        cmocka_unit_test(a_rate_spaces_packets),
        cmocka_unit_test(a_rate_counts_the_gap),
        cmocka_unit_test(a_higher_rate_cuts_a_running_wait),
        cmocka_unit_test(a_lower_rate_draws_out_a_running_wait),
        cmocka_unit_test(rate_0_shuts_until_it_changes),
        cmocka_unit_test(credit_is_spent_in_whole_grains),
        cmocka_unit_test(limit_0_lets_nothing_pass),
        cmocka_unit_test(the_last_of_three_limits_decides),
        cmocka_unit_test(the_rate_is_kept_over_any_traffic),
        cmocka_unit_test(credit_is_never_passed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

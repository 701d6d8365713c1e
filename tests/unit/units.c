/* Units: no intermediate overflow, and rounding never favours the sender. */

#include "unit.h"

__extension__ typedef unsigned __int128 wide;

enum { ROUNDS = 100000 };

static uint64_t
capped(wide v)
{
    return v < UINT64_MAX ? (uint64_t)v : UINT64_MAX;
}

static void
mul_div_agrees_with_wide_arithmetic(void **state)
{
    uint64_t random = 1;

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t a = of_any_length(&random), b = of_any_length(&random);
        uint64_t c = of_any_length(&random) | 1;
        wide product = (wide)a * b;
        assert_int_equal(weir_mul_div(a, b, c), capped(product / c));
        assert_int_equal(weir_mul_div_up(a, b, c), capped(product / c + (product % c > 0)));
    }
}

static void
mul_div_at_the_edges(void **state)
{
    (void)state;
    assert_int_equal(weir_mul_div(0, UINT64_MAX, 1), 0);
    assert_int_equal(weir_mul_div_up(0, UINT64_MAX, 7), 0);
    assert_int_equal(weir_mul_div(UINT64_MAX, UINT64_MAX, UINT64_MAX), UINT64_MAX);
    assert_int_equal(weir_mul_div(UINT64_MAX - 1, UINT64_MAX, UINT64_MAX), UINT64_MAX - 1);
    assert_int_equal(weir_mul_div_up(UINT64_MAX, 3, 4), UINT64_MAX / 4 * 3 + 3);
    assert_int_equal(weir_mul_div(UINT64_MAX, 2, 1), UINT64_MAX);
    assert_int_equal(weir_mul_div_up(UINT64_MAX, 2, 1), UINT64_MAX);
}

static void
geometric_mean_is_the_least_that_suffices(void **state)
{
    uint64_t random = 2;

    (void)state;
    for (int i = 0; i < ROUNDS / 10; i++) {
        uint64_t a = of_any_length(&random), b = of_any_length(&random);
        wide product = (wide)a * b;
        wide mean = weir_geometric_mean_up(a, b);
        assert_true(mean * mean >= product);
        assert_true(mean == 0 || (mean - 1) * (mean - 1) < product);
    }
}

static void
geometric_mean_at_the_edges(void **state)
{
    (void)state;
    assert_int_equal(weir_geometric_mean_up(0, 0), 0);
    assert_int_equal(weir_geometric_mean_up(0, UINT64_MAX), 0);
    assert_int_equal(weir_geometric_mean_up(UINT64_MAX, 0), 0);
    assert_int_equal(weir_geometric_mean_up(UINT64_MAX, UINT64_MAX), UINT64_MAX);
    assert_int_equal(weir_geometric_mean_up(4, 9), 6);
    assert_int_equal(weir_geometric_mean_up(4, 10), 7);
}

static void
packets_take_their_time(void **state)
{
    (void)state;
    assert_int_equal(weir_wire_ps(1500, 10 * GBPS), 1200000);
    assert_int_equal(weir_wire_ps(1, 800 * GBPS), 10);
    assert_int_equal(weir_wire_ps(64, 100 * GBPS), 5120);
    assert_int_equal(weir_wire_ps(0, GBPS), 0);
    assert_int_equal(weir_wire_ps(1, 3000000000000), 3); /* Rounded up from 2.67 ps. */
}

static void
a_time_past_all_clocks_is_never(void **state)
{
    (void)state;
    assert_int_equal(weir_wire_ps(9000000, 8), 9000000 * WEIR_PS_PER_S);
    assert_int_equal(weir_wire_ps(10000000, 8), WEIR_NEVER);
    assert_int_equal(weir_wire_ps(UINT64_MAX, 1), WEIR_NEVER);
}

static void
wire_time_is_rounded_up_by_less_than_one(void **state)
{
    uint64_t random = 3;

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        /* Above about 2^20 bytes the computation uses another method. */
        uint64_t bytes = i % 2 ? below(&random, 20000) : (1 << 20) - 8 + below(&random, 16);
        uint64_t rate = 1000 + below(&random, 100 * (uint64_t)WEIR_PS_PER_S);
        wide work = (wide)bytes * 8 * WEIR_PS_PER_S;
        wide ps = (wide)weir_wire_ps(bytes, rate);
        assert_true(ps * rate >= work);
        assert_true(ps == 0 || (ps - 1) * rate < work);
    }
}

static void
links_move_their_bytes(void **state)
{
    (void)state;
    assert_int_equal(weir_wire_bytes(1200000, 10 * GBPS), 1500);
    assert_int_equal(weir_wire_bytes(1200001, 10 * GBPS), 1501);
    assert_int_equal(weir_wire_bytes(US, 100 * GBPS), 12500);
    assert_int_equal(weir_wire_bytes(0, 100 * GBPS), 0);
}

static void
bytes_there_and_back_are_no_fewer(void **state)
{
    uint64_t random = 4;

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t bytes = below(&random, WEIR_MAX_BYTES);
        uint64_t rate = 1000000 + below(&random, 8 * (uint64_t)WEIR_PS_PER_S);
        uint64_t back = weir_wire_bytes(weir_wire_ps(bytes, rate), rate);
        /* At 8 Tb/s or less a link moves at most a byte in a picosecond. */
        assert_in_range(back, bytes, bytes + 1);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mul_div_agrees_with_wide_arithmetic),
        cmocka_unit_test(mul_div_at_the_edges),
        cmocka_unit_test(geometric_mean_is_the_least_that_suffices),
        cmocka_unit_test(geometric_mean_at_the_edges),
        cmocka_unit_test(packets_take_their_time),
        cmocka_unit_test(a_time_past_all_clocks_is_never),
        cmocka_unit_test(wire_time_is_rounded_up_by_less_than_one),
        cmocka_unit_test(links_move_their_bytes),
        cmocka_unit_test(bytes_there_and_back_are_no_fewer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

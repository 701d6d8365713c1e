/* Medians and quartiles, defined as in numpy. */

#include "answer/spread.h"

#include "unit.h"

static void
is(struct spread s, size_t n, double least, double q1, double median, double q3, double most)
{
    assert_int_equal(s.n, n);
    assert_true(s.least == least && s.q1 == q1 && s.median == median && s.q3 == q3 &&
                s.most == most);
}

static void
quartiles_lie_between_values(void **state)
{
    double one[] = { 7 }, two[] = { 4, 2 }, four[] = { 40, 10, 30, 20 };
    double five[] = { 5, 3, 1, 2, 4 };

    (void)state;
    is(spread_of(one, 1), 1, 7, 7, 7, 7, 7);
    is(spread_of(two, 2), 2, 2, 2.5, 3, 3.5, 4);
    is(spread_of(four, 4), 4, 10, 17.5, 25, 32.5, 40);
    is(spread_of(five, 5), 5, 1, 2, 3, 4, 5);
    assert_int_equal(spread_of(NULL, 0).n, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(quartiles_lie_between_values) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The tau of a lab, from the counters of its nodes. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/collect.h"

/* The first switch has slow links, and thresholds that allow for them. The second one responded
 * faster, and has the smaller margin. */
static const struct outcome_counted counted[] = {
    { 0, "lab.tau_derived_ps", 340 },       { 0, "lab.tau_estimated_max_ps", 250 },
    { 1, "lab.tau_derived_ps", 120 },       { 1, "lab.tau_estimated_max_ps", 50 },
    { 2, "lab.tau_derived_ps", 130 },       { 2, "lab.tau_measured_max_ps", 20 },
    { 2, "lab.tau_estimated_max_ps", 200 },
};

static struct collect_tau
tau_of(size_t n)
{
    struct outcome o = { .counted = (struct outcome_counted *)counted, .n_counted = n };

    return collect_tau(&o);
}

static void
tau_is_that_of_the_latest_switch(void **state)
{
    (void)state;
    assert_int_equal(tau_of(0).estimated_ps, -1);
    assert_int_equal(tau_of(2).estimated_ps, 250);
    assert_int_equal(tau_of(4).estimated_ps, 50);
    assert_int_equal(tau_of(4).derived_ps, 120);
    assert_int_equal(tau_of(4).measured_ps, -1);
}

static void
measured_tau_goes_first(void **state)
{
    (void)state;
    assert_int_equal(tau_of(7).measured_ps, 20);
    assert_int_equal(tau_of(7).derived_ps, 130);
    assert_int_equal(tau_of(7).estimated_ps, 200); /* Longer than derived, so there is no margin. */
}

int
main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(tau_is_that_of_the_latest_switch),
                                        cmocka_unit_test(measured_tau_goes_first) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

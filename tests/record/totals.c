/* Totals of a run, from the counters of its results file. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/totals.h"

static void
add(struct rep_totals *t, uint32_t node, const char *name, uint64_t value)
{
    struct rec_counter c = { .object = "node", .object_id = node, .name = name, .value = value };

    rep_totals_add_counter(t, &c);
}

/* The first switch has slow links, and time for that; the second took less, and has less left. */
static void
tau_is_that_of_the_latest_switch(void **state)
{
    struct rep_totals t = { 0 };

    (void)state;
    assert_int_equal(rep_totals_tau(&t)->most_ps, 0);
    add(&t, 0, "lab.tau_derived_ps", 340);
    add(&t, 0, "lab.tau_estimated_most_ps", 250);
    add(&t, 1, "lab.tau_derived_ps", 120);
    add(&t, 1, "lab.tau_estimated_most_ps", 50);
    assert_int_equal(rep_totals_tau(&t)->most_ps, 50);
    assert_int_equal(rep_totals_tau(&t)->derived_ps, 120);
    add(&t, 2, "lab.tau_derived_ps", 130);
    add(&t, 2, "lab.tau_measured_most_ps", 20);
    add(&t, 2, "lab.tau_estimated_most_ps", 200);
    assert_int_equal(rep_totals_tau(&t)->most_ps, 20); /* What was measured goes first. */
    assert_int_equal(rep_totals_tau(&t)->derived_ps, 130);
    assert_int_equal(t.tau_estimated.most_ps, 200); /* Too long. */
}

int
main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(tau_is_that_of_the_latest_switch) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Cores: those that the process may use, not those that the machine has. */

#define _GNU_SOURCE /* sched_setaffinity() */

#include "base/core-count.h"

#include <sched.h>

#include "unit.h"

static void
counts_those_it_may_use(void **state)
{
    cpu_set_t all, one;
    int core = 0;

    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    assert_int_equal(core_count(), CPU_COUNT(&all));
    while (!CPU_ISSET(core, &all)) {
        core++;
    }
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(core_count(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(counts_those_it_may_use) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Collecting the flows of several runs in one file, even if the disk is full for a while. */

#define _DEFAULT_SOURCE

#include "run/pooled-flows.h"

#include <signal.h>
#include <sys/resource.h>

#include "unit.h"

enum { N_FLOWS = 100 };

static void
make_flows(struct completion *c)
{
    *c = (struct completion){ 0 };
    for (uint64_t i = 0; i < N_FLOWS; i++) {
        completion_add(c,
                       &(struct completion_flow){ .id = i,
                                                  .bytes = 1000,
                                                  .has_ended = true,
                                                  .taken_ps = (weir_ps)i * US,
                                                  .ideal_ps = US },
                       (struct completion_sent){ 0 });
    }
}

static void
set_file_limit(rlim_t bytes)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void
flows_of_all_runs_are_pooled(void **state)
{
    struct pooled_flows *pool = pooled_flows_new();
    struct workload_facts facts;
    struct completion c;

    (void)state;
    make_flows(&c);
    pooled_flows_add(pool, 1, &c);
    pooled_flows_add(pool, 0, &c);
    assert_true(pooled_flows_facts(pool, 0, 2, &facts));
    assert_int_equal(facts.n_flows, 2 * N_FLOWS);
    assert_true(facts.fct_max_ps == 99. * US);
    assert_false(pooled_flows_facts(pool, 0, 3, &facts));
    completion_free(&c);
    pooled_flows_free(pool);
}

static void
nothing_is_known_after_a_short_write(void **state)
{
    struct pooled_flows *pool = pooled_flows_new();
    struct workload_facts facts;
    struct completion c;

    (void)state;
    make_flows(&c);
    signal(SIGXFSZ, SIG_IGN);
    set_file_limit(N_FLOWS / 2 * sizeof *c.flows);
    pooled_flows_add(pool, 0, &c);
    set_file_limit(RLIM_INFINITY);
    pooled_flows_add(pool, 1, &c);
    assert_false(pooled_flows_facts(pool, 0, 1, &facts));
    completion_free(&c);
    pooled_flows_free(pool);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flows_of_all_runs_are_pooled),
        cmocka_unit_test(nothing_is_known_after_a_short_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

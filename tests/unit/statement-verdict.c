/* Verdicts on statements of papers: both sides of every bound, in both directions. */

#include <string.h>

#include "run/statement-verdict.h"
#include "unit.h"

static enum verdict
judge(const struct scn_claim *c, double value)
{
    const char *why;
    struct reproduced m = { .value = value, .n_runs = 1, .lowest = value, .highest = value };

    return verdict_of(c, &m, &why);
}

static enum verdict
judge_range(const struct scn_claim *c, double lowest, double value, double highest)
{
    const char *why;
    struct reproduced m = { .value = value, .n_runs = 5, .lowest = lowest, .highest = highest };

    return verdict_of(c, &m, &why);
}

/* The paper has 100, within 10 %.  Without the effect the value is 40, so a larger value is a
 * stronger effect. */
static void
test_more_is_stronger(void **state)
{
    struct scn_claim c = {
        .of = SCN_FACT, .sign = '=', .published = 100, .within = 0.1, .has_neutral = true
    };
    (void)state;

    c.neutral = 40;
    assert_int_equal(judge(&c, 90), VERDICT_HOLDS);
    assert_int_equal(judge(&c, 110), VERDICT_HOLDS);
    assert_int_equal(judge(&c, 110.1), VERDICT_STRONGER);
    assert_int_equal(judge(&c, 89.9), VERDICT_DIRECTION);
    assert_int_equal(judge(&c, 40.1), VERDICT_DIRECTION);
    assert_int_equal(judge(&c, 40), VERDICT_NO);
    assert_int_equal(judge(&c, 0), VERDICT_NO);
}

static void
test_less_is_stronger(void **state)
{
    struct scn_claim c = { .of = SCN_FACT,
                           .sign = '=',
                           .published = 100,
                           .within = 0.1,
                           .has_neutral = true,
                           .neutral = 200 };
    (void)state;

    assert_int_equal(judge(&c, 50), VERDICT_STRONGER);
    assert_int_equal(judge(&c, 90), VERDICT_HOLDS);
    assert_int_equal(judge(&c, 199), VERDICT_DIRECTION);
    assert_int_equal(judge(&c, 200), VERDICT_NO);
    assert_int_equal(judge(&c, 300), VERDICT_NO);
}

/* A statement without a neutral value either holds or does not. */
static void
test_no_direction(void **state)
{
    struct scn_claim c = { .of = SCN_FACT, .sign = '=', .published = 100, .within = 0.1 };
    (void)state;

    assert_int_equal(judge(&c, 95), VERDICT_HOLDS);
    assert_int_equal(judge(&c, 111), VERDICT_NO);
    c.sign = '>';
    assert_int_equal(judge(&c, 100.5), VERDICT_HOLDS);
    assert_int_equal(judge(&c, 100), VERDICT_NO);
    c.sign = '<';
    assert_int_equal(judge(&c, 99.5), VERDICT_HOLDS);
    assert_int_equal(judge(&c, 100), VERDICT_NO);
}

/* A median beyond the neutral value is no effect if a single run has none.  A median within the
 * tolerance always holds. */
static void
test_single_runs(void **state)
{
    struct scn_claim c = { .of = SCN_FACT,
                           .sign = '=',
                           .published = 5,
                           .within = 0.2,
                           .has_neutral = true,
                           .neutral = 1 };
    (void)state;

    assert_int_equal(judge_range(&c, 1.01, 1.1, 5), VERDICT_DIRECTION);
    assert_int_equal(judge_range(&c, 1, 1.1, 5), VERDICT_NO);
    assert_int_equal(judge_range(&c, 1.01, 7, 9), VERDICT_STRONGER);
    assert_int_equal(judge_range(&c, 0.9, 7, 9), VERDICT_NO);
    assert_int_equal(judge_range(&c, 0.9, 5, 9), VERDICT_HOLDS);
    assert_int_equal(judge_range(&c, -1, 1.1, -1), VERDICT_DIRECTION);
    c.published = 0.5;
    assert_int_equal(judge_range(&c, 0.3, 0.8, 0.99), VERDICT_DIRECTION);
    assert_int_equal(judge_range(&c, 0.3, 0.8, 1), VERDICT_NO);
    assert_int_equal(judge_range(&c, 0.1, 0.2, 1.1), VERDICT_NO);
}

/* "Longer than the other" must be true in every single run. */
static void
test_bare_direction(void **state)
{
    struct scn_claim c = { .of = SCN_FACT, .sign = '>', .published = 1, .against = "other" };
    (void)state;

    assert_int_equal(judge_range(&c, 1.01, 1.02, 1.1), VERDICT_HOLDS);
    assert_int_equal(judge_range(&c, 0.98, 1.02, 1.1), VERDICT_NO);
    c.sign = '<';
    assert_int_equal(judge_range(&c, 0.9, 0.98, 0.99), VERDICT_HOLDS);
    assert_int_equal(judge_range(&c, 0.9, 0.98, 1.02), VERDICT_NO);
    c.published = 1.04;
    assert_int_equal(judge_range(&c, 0.9, 0.98, 1.1), VERDICT_HOLDS);
    c.published = 1;
    c.against = NULL;
    assert_int_equal(judge_range(&c, 0.9, 0.98, 1.02), VERDICT_HOLDS);
}

/* For a statement published as yes or no, the majority of the runs decides the direction; it holds
 * only if all runs agree. */
static void
test_share(void **state)
{
    struct scn_claim c = { .of = SCN_FACT, .sign = '=', .is_share = true };
    (void)state;

    for (int published = 0; published < 2; published++) {
        c.published = published;
        assert_int_equal(judge(&c, published), VERDICT_HOLDS);
        assert_int_equal(judge(&c, published ? 0.6 : 0.4), VERDICT_DIRECTION);
        assert_int_equal(judge(&c, 0.5), VERDICT_NO);
        assert_int_equal(judge(&c, published ? 0.4 : 0.6), VERDICT_NO);
    }
}

/* A published 0 means that something never happens: a single occurrence refutes it, whatever the
 * median is. */
static void
test_never(void **state)
{
    struct scn_claim c = { .of = SCN_FACT, .sign = '=', .within = 0.05 };
    struct reproduced m = { .value = 0, .n_runs = 5, .lowest = 0, .highest = 0 };
    const char *why;
    (void)state;

    assert_int_equal(verdict_of(&c, &m, &why), VERDICT_HOLDS);
    m.highest = 1;
    assert_int_equal(verdict_of(&c, &m, &why), VERDICT_DIRECTION);
    m.value = 1;
    assert_int_equal(verdict_of(&c, &m, &why), VERDICT_NO);
}

/* A published share of 100 % means that something always happens. */
static void
test_always(void **state)
{
    struct scn_claim c = { .of = SCN_FACT,
                           .fact = &run_facts[FACT_silent_share],
                           .sign = '=',
                           .published = 1,
                           .has_neutral = true };
    struct reproduced m = { .value = 1, .n_runs = 5, .lowest = 1, .highest = 1 };
    const char *why;
    (void)state;

    assert_int_equal(verdict_of(&c, &m, &why), VERDICT_HOLDS);
    m.lowest = 0.9;
    assert_int_equal(verdict_of(&c, &m, &why), VERDICT_DIRECTION);
    c.within = 0.2;
    assert_int_equal(verdict_of(&c, &m, &why), VERDICT_HOLDS);
}

static void
assert_not_tested(const struct scn_claim *c, struct reproduced m, const char *reason)
{
    const char *why;

    assert_int_equal(verdict_of(c, &m, &why), VERDICT_NOT_TESTED);
    assert_non_null(strstr(why, reason));
}

static void
test_not_tested(void **state)
{
    struct scn_claim c = { .of = SCN_FACT, .sign = '=', .published = 100, .within = 0.1 };
    struct scn_claim count = { .of = SCN_NETWORKS, .sign = '=', .published = 32 };
    (void)state;

    assert_not_tested(&c, (struct reproduced){ .value = -1, .n_runs = 3 }, "unknown");
    assert_not_tested(&c, (struct reproduced){ .value = -1, .is_sample = true }, "--full");
    assert_not_tested(&c, (struct reproduced){ .value = 100, .n_runs = 1, .is_undecided = true },
                      "refused");
    assert_not_tested(&count, (struct reproduced){ .value = 32, .n_runs = 9, .is_sample = true },
                      "--full");
}

/* If only a lower bound of a value is known, it decides only if a larger value would lead to the
 * same verdict. */
static void
test_open_values(void **state)
{
    struct scn_claim c = { .of = SCN_FACT, .sign = '<', .published = 100 };
    const char *why;
    (void)state;

    assert_not_tested(&c, (struct reproduced){ .value = 90, .n_runs = 1, .is_least = true },
                      "unknown");
    assert_int_equal(
        verdict_of(&c, &(struct reproduced){ .value = 110, .n_runs = 1, .is_least = true }, &why),
        VERDICT_NO);
}

/* The verdict depends on the run that is nearest to the neutral value, and the known value of that
 * run may be a bound, too. */
static void
test_open_single_runs(void **state)
{
    struct scn_claim c = { .of = SCN_FACT, .sign = '>', .published = 1, .against = "other" };
    struct reproduced least = {
        .value = 1.02, .n_runs = 5, .lowest = 0.98, .highest = 1.1, .is_least = true
    };
    struct reproduced most = {
        .value = 0.98, .n_runs = 5, .lowest = 0.9, .highest = 1.02, .is_most = true
    };
    const char *why;
    (void)state;

    assert_not_tested(&c, least, "unknown");
    least.lowest = 1.01;
    assert_int_equal(verdict_of(&c, &least, &why), VERDICT_HOLDS);
    c.sign = '<';
    assert_not_tested(&c, most, "unknown");
    most.highest = 0.99;
    assert_int_equal(verdict_of(&c, &most, &why), VERDICT_HOLDS);
}

/* For a published number, outside its tolerance, a bound decides only if the run that is nearest to
 * the neutral value does. */
static void
test_open_directions(void **state)
{
    struct scn_claim c = {
        .of = SCN_FACT, .sign = '=', .published = 5, .has_neutral = true, .against = "other"
    };
    struct reproduced least = {
        .value = 7, .n_runs = 5, .lowest = 0.9, .highest = 9, .is_least = true
    };
    const char *why;
    (void)state;

    c.neutral = 1;
    assert_not_tested(&c, least, "unknown");
    least.lowest = 1.1;
    assert_int_equal(verdict_of(&c, &least, &why), VERDICT_STRONGER);
    c.neutral = 10;
    assert_not_tested(&c, least, "unknown");
    least.highest = 11;
    assert_int_equal(verdict_of(&c, &least, &why), VERDICT_NO);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_more_is_stronger),
        cmocka_unit_test(test_less_is_stronger),
        cmocka_unit_test(test_no_direction),
        cmocka_unit_test(test_single_runs),
        cmocka_unit_test(test_bare_direction),
        cmocka_unit_test(test_share),
        cmocka_unit_test(test_never),
        cmocka_unit_test(test_always),
        cmocka_unit_test(test_not_tested),
        cmocka_unit_test(test_open_values),
        cmocka_unit_test(test_open_single_runs),
        cmocka_unit_test(test_open_directions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

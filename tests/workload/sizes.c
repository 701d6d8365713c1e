/* Sizes and random numbers: means equal the published ones, samples follow the distribution, and
 * bad files are refused. Tolerances are five standard deviations of the measured value; seeds are
 * fixed. */

#include <math.h>
#include <stdlib.h>

#include "../unit/unit.h"
#include "moments.h"
#include "workload/chance.h"

static struct wl_sizes
named(const char *name)
{
    struct wl_sizes sizes = { 0 };
    struct err err;
    size_t line;

    for (const struct wl_named *n = wl_named_sizes; n->name; n++) {
        if (!strcmp(n->name, name)) {
            assert_true(wl_sizes_parse(&sizes, n->text, &line, &err));
        }
    }
    assert_true(sizes.n > 0);
    return sizes;
}

static void
test_published(void **state)
{
    static const struct {
        const char *name;
        size_t n;
        double mean;
    } published[] = { { "web-search", 12, 1711250 },
                      { "hadoop", 20, 120421 },
                      { "ali-storage", 9, 40870 },
                      { "google-rpc", 843, 2891.6 },
                      { "enterprise", 136, 157357 } };

    (void)state;
    for (size_t i = 0; i < N_OF(published); i++) {
        struct wl_sizes s = named(published[i].name);
        double mean = (double)s.mean_mbytes / 1000;
        assert_int_equal(s.n, published[i].n);
        assert_true(fabs(mean / published[i].mean - 1) < 1e-4);
        assert_true(fabs(mean - mean_power(&s, 1)) < 1);
        wl_sizes_free(&s);
    }
}

enum { N_DRAWS = 200000 };

/* A sample is under x if and only if its value before rounding down is. */
static void
check_shares(const struct wl_sizes *s, const uint64_t *draws)
{
    for (size_t i = 1; i < s->n; i++) {
        const struct wl_point *p = &s->points[i];
        double share = (double)p->share / (double)WL_ALL;
        size_t n_under = 0;
        if (p->bytes <= 1 || p->bytes == p[-1].bytes || p->bytes == s->points[0].bytes) {
            continue;
        }
        for (size_t k = 0; k < N_DRAWS; k++) {
            n_under += draws[k] < p->bytes;
        }
        double sigma = sqrt(N_DRAWS * share * (1 - share));
        assert_true(fabs((double)n_under - N_DRAWS * share) < 5 * sigma + 1);
    }
}

static void
test_draws(void **state)
{
    static const char *const names[] = { "web-search", "hadoop", "ali-storage", "enterprise" };
    uint64_t *draws = malloc(N_DRAWS * sizeof *draws), stream = 7;

    (void)state;
    for (size_t i = 0; i < N_OF(names); i++) {
        struct wl_sizes s = named(names[i]);
        double sum = 0, mean = mean_power(&s, 1);
        for (size_t k = 0; k < N_DRAWS; k++) {
            draws[k] = wl_sizes_draw(&s, &stream);
            assert_true(draws[k] >= 1 && draws[k] <= s.points[s.n - 1].bytes);
            sum += (double)draws[k];
        }
        double sigma = sqrt((mean_power(&s, 2) - mean * mean) / N_DRAWS);
        assert_true(fabs(sum / N_DRAWS - mean) < 5 * sigma + 1);
        check_shares(&s, draws);
        wl_sizes_free(&s);
    }
    free(draws);
}

static void
test_quantiles(void **state)
{
    struct wl_sizes s = { 0 };
    struct err err;
    size_t line;

    (void)state;
    assert_true(wl_sizes_parse(&s, "# two steps\n100 0.25\n\n200 0.5\r\n200 0.75 # flat\n 1000 1",
                               &line, &err));
    assert_int_equal(wl_sizes_quantile(&s, 1), 100);
    assert_int_equal(wl_sizes_quantile(&s, WL_ALL / 4), 100);
    assert_int_equal(wl_sizes_quantile(&s, WL_ALL * 3 / 8), 150);
    assert_int_equal(wl_sizes_quantile(&s, WL_ALL / 2), 200);
    assert_int_equal(wl_sizes_quantile(&s, WL_ALL * 5 / 8), 200);
    assert_int_equal(wl_sizes_quantile(&s, WL_ALL * 7 / 8), 600);
    assert_int_equal(wl_sizes_quantile(&s, WL_ALL), 1000);
    assert_int_equal(s.mean_mbytes, (25 + 37500 / 1000.0 + 50 + 150) * 1000);
    wl_sizes_free(&s);
}

/* Percentages and shares of 1 give the same distribution. */
static void
test_units(void **state)
{
    struct wl_sizes a = { 0 }, b = { 0 };
    struct err err;
    size_t line;

    (void)state;
    assert_true(wl_sizes_parse(&a, "10 12.5\n90 100\n", &line, &err));
    assert_true(wl_sizes_parse(&b, "10 0.125\n90 1.0\n", &line, &err));
    assert_memory_equal(a.points, b.points, 2 * sizeof *a.points);
    wl_sizes_free(&a);
    wl_sizes_free(&b);
}

static void
test_refused(void **state)
{
    static const struct {
        const char *text;
        size_t line;
        const char *says;
    } bad[] = {
        { "", 1, "no sizes" },
        { "# nothing\n\n", 1, "no sizes" },
        { "100 10\n50 100\n", 2, "sizes must not decrease, but 50 follows 100" },
        { "100 50\n200 40\n300 100\n", 2, "percentages must not decrease" },
        { "100 50\n\n200 99\n", 3, "the last percentage must be 100" },
        { "100 50\n200 101\n", 2, "the last percentage must be 100" },
        { "-5 10\n100 100\n", 1, "cannot be negative" },
        { "5 -10\n100 100\n", 1, "expected a percentage" },
        { "100\n", 1, "expected bytes and a percentage" },
        { "0 0\n100 100 7\n", 2, "expected a percentage" },
        { "1e6 100\n", 1, "expected bytes and a percentage" },
        { "10KB 100\n", 1, "expected bytes and a percentage" },
        { "0 0\n0 100\n", 2, "all sizes are 0" },
        { "99999999999999999999 100\n", 1, "expected bytes" },
        { "1000000000001 100\n", 1, "at most 10^12 bytes" },
    };

    (void)state;
    for (size_t i = 0; i < N_OF(bad); i++) {
        struct wl_sizes s = { 0 };
        struct err err;
        size_t line;
        assert_false(wl_sizes_parse(&s, bad[i].text, &line, &err));
        assert_says(err.text, bad[i].says);
        assert_int_equal(line, bad[i].line);
        wl_sizes_free(&s);
    }
}

static void
test_exponential(void **state)
{
    enum { N = 1000000, MEAN = 1000000 };
    uint64_t stream = chance_stream(1, 2, 3);
    double sum = 0, n_over = 0, share = exp(-3);

    (void)state;
    for (int i = 0; i < N; i++) {
        uint64_t x = chance_exponential(&stream, MEAN);
        sum += (double)x;
        n_over += x > 3 * MEAN;
    }
    assert_true(fabs(sum / N - MEAN) < 5 * MEAN / sqrt(N) + 1);
    assert_true(fabs(n_over - N * share) < 5 * sqrt(N * share * (1 - share)));
}

/* Compares the logarithm with that of the C library, to a millionth. */
static void
test_logarithm(void **state)
{
    uint64_t stream = 5;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        uint64_t copy = stream, v = weir_random(&copy) | 1;
        double exact = -log((double)v / 18446744073709551616.0) * 1e12;
        double got = (double)chance_exponential(&stream, 1000000000000);
        assert_true(fabs(got - exact) < 1e-6 * exact + 1000);
    }
}

/* Fixed expected values: every machine and compiler must generate the same. */
static void
test_pinned(void **state)
{
    struct wl_sizes s = named("web-search");
    uint64_t stream = chance_stream(1, 0, 0);

    (void)state;
    assert_int_equal(wl_sizes_draw(&s, &stream), 30928);
    assert_int_equal(chance_exponential(&stream, 1000000000), 908403471);
    assert_true(chance_stream(1, 0, 0) != chance_stream(1, 1, 0));
    assert_true(chance_stream(1, 0, 0) != chance_stream(1, 0, 1));
    assert_true(chance_stream(1, 0, 0) != chance_stream(2, 0, 0));
    wl_sizes_free(&s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published), cmocka_unit_test(test_draws),
        cmocka_unit_test(test_quantiles), cmocka_unit_test(test_units),
        cmocka_unit_test(test_refused),   cmocka_unit_test(test_exponential),
        cmocka_unit_test(test_logarithm), cmocka_unit_test(test_pinned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

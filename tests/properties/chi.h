/* Whether counts are as expected: Pearson's chi-square, judged over many seeds.
 *
 * One run is not enough: one in twenty correct runs exceeds the 95 % quantile.  So the same test
 * runs with many seeds, and about one in twenty must exceed the quantile: if more do, the
 * distribution is wrong; if none does, the values are not random. */

#ifndef TESTS_CHI_H
#define TESTS_CHI_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHI_SEEDS = 400 };

struct chi { /* Numbers of runs, and of runs in which chi-square exceeds its 95 % quantile. */
    unsigned n_runs, n_far;
};

/* The 95 % quantile of chi-square, after Wilson and Hilferty: within 1 % from 3 degrees on. */
static inline double
chi_quantile(double degrees)
{
    double a = 2 / (9 * degrees);
    return degrees * pow(1 - a + 1.6449 * sqrt(a), 3);
}

/* Adds one run: its counts, and the values expected in the same unit. */
static inline void
chi_add(struct chi *c, const double *expected, const uint32_t *counted, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        double off = counted[i] - expected[i];
        sum += off * off / expected[i];
    }
    c->n_runs++;
    c->n_far += sum > chi_quantile((double)n - 1);
}

/* 5 % of 400 are 20, with a standard deviation of 4.4: a correct generator stays between 4 and 36.
 */
static inline bool
chi_is_good(const struct chi *c)
{
    return c->n_runs == CHI_SEEDS && c->n_far * 100 >= 1 * c->n_runs &&
           c->n_far * 100 <= 9 * c->n_runs;
}

#endif

/* Whether counts are as expected: Pearson's chi-square, judged over many seeds.
 *
 * One run is not enough: one in twenty correct runs exceeds the 95 % quantile.  So the same test is
 * made with many seeds, and of them about one in twenty must lie past it: more, and the draw is not
 * what it should be; none, and it is not drawn. */

#ifndef TESTS_CHI_H
#define TESTS_CHI_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHI_SEEDS = 400 };

struct chi { /* Counts over all seeds. */
    unsigned n_runs, n_far;
};

/* The 95 % quantile of chi-square, after Wilson and Hilferty: within 1 % from 3 degrees on. */
static inline double
chi_quantile(double degrees)
{
    double a = 2 / (9 * degrees);
    return degrees * pow(1 - a + 1.6449 * sqrt(a), 3);
}

/* One run: what was counted, against expectations in the same unit. */
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

/* 5 % of 400 are 20, give or take 4.4: from 4 to 36 is any draw that is fair. */
static inline bool
chi_is_good(const struct chi *c)
{
    return c->n_runs == CHI_SEEDS && c->n_far * 100 >= 1 * c->n_runs &&
           c->n_far * 100 <= 9 * c->n_runs;
}

#endif

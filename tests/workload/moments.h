/* The mean and the mean square of a distribution, in floating point and from its definition. */

#ifndef TESTS_MOMENTS_H
#define TESTS_MOMENTS_H

#include "workload/sizes.h"

static inline double
mean_power(const struct wl_sizes *s, int power)
{
    double sum = 0, x0 = (double)s->points[0].bytes, p0 = 0;

    for (size_t i = 0; i < s->n; i++) {
        double x = (double)s->points[i].bytes, p = (double)s->points[i].share / (double)WL_ALL;
        sum += (power == 1 ? (x0 + x) / 2 : (x0 * x0 + x0 * x + x * x) / 3) * (p - p0);
        x0 = x;
        p0 = p;
    }
    return sum;
}

#endif

/* The spread of values: the median and the quartiles, with the minimum and the maximum.
 *
 *     struct spread s = spread_of(values, n);             sorts them
 *     show(s.median, s.q1, s.q3);
 *
 * Quantiles are interpolated linearly between two values, so that the median of two values is their
 * mean, as in numpy's quantile(). */

#ifndef ANSWER_SPREAD_H
#define ANSWER_SPREAD_H

#include <stddef.h>

struct spread {
    size_t n; /* The number of values; if it is 0, the other members have no meaning. */
    double least, q1, median, q3, most;
};

struct spread spread_of(double *values, size_t n);

/* The quantile 'part' of 'sorted' values, at least one of them: 0.5 for the median. */
double spread_at(const double *sorted, size_t n, double part);

#endif

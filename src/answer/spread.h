/* The spread of values: the median and the quartiles, with the minimum and the maximum.
 *
 *     struct spread s = spread_of(values, n);             sorts them
 *     show(s.median, s.q1, s.q3);
 *
 * Between two values the quartiles lie on the line from one to the other, so that the median of two
 * is their mean, and numpy's quantile() gives the same. */

#ifndef ANSWER_SPREAD_H
#define ANSWER_SPREAD_H

#include <stddef.h>

struct spread {
    size_t n; /* 0: all else means nothing. */
    double least, q1, median, q3, most;
};

struct spread spread_of(double *values, size_t n);

/* The quantile 'part' of 'sorted' values, at least one of them: 0.5 for the median. */
double spread_at(const double *sorted, size_t n, double part);

#endif

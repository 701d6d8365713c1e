/* Percentiles: the smallest value that at least 'n' thousandths of all values do not exceed. */

#ifndef ANSWER_PERCENTILE_H
#define ANSWER_PERCENTILE_H

#include <stddef.h>
#include <stdint.h>

void percentile_sort(double *values, size_t n);

/* A percentile of sorted values, at least one. */
double percentile_of(const double *sorted, size_t n, size_t thousandths);

/* A percentile of 'n' values of which only the lowest are known; -1 if it falls on an unknown
 * value. */
double percentile_of_some(const double *sorted, size_t n_known, uint64_t n, size_t thousandths);

#endif

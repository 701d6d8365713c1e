/* Percentiles of known values, and of values that are only known to be larger. */

#include "answer/percentile.h"

#include <stdlib.h>

static int
by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void
percentile_sort(double *values, size_t n)
{
    if (n) {
        qsort(values, n, sizeof *values, by_size);
    }
}

static uint64_t
rank_of(uint64_t n, size_t thousandths)
{
    uint64_t rank = (n * thousandths + 999) / 1000;

    return rank ? rank - 1 : 0;
}

double
percentile_of(const double *sorted, size_t n, size_t thousandths)
{
    return sorted[rank_of(n, thousandths)];
}

double
percentile_of_some(const double *sorted, size_t n_known, uint64_t n, size_t thousandths)
{
    uint64_t rank = rank_of(n, thousandths);

    return rank < n_known ? sorted[rank] : -1;
}

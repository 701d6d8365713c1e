/* Medians and quartiles. */

#include "answer/spread.h"

#include "answer/percentile.h"

double
spread_at(const double *sorted, size_t n, double part)
{
    double place = part * (double)(n - 1);
    size_t below = (size_t)place;
    size_t above = below + 1 < n ? below + 1 : below;

    return sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
}

struct spread
spread_of(double *values, size_t n)
{
    struct spread s = { .n = n };

    if (n) {
        percentile_sort(values, n);
        s.least = values[0];
        s.q1 = spread_at(values, n, 0.25);
        s.median = spread_at(values, n, 0.5);
        s.q3 = spread_at(values, n, 0.75);
        s.most = values[n - 1];
    }
    return s;
}

/* How much longer flows took than alone, by size. */

#include "report/slowdown.h"

#include <stdlib.h>

#include "base/array.h"

void
rep_slowdown_add(struct rep_slowdown *s, const struct rec_flow *f)
{
    bool is_known = f->finished_ps > f->start_ps && f->ideal_ps > 0 && f->bytes != REC_NONE;

    if (!is_known || f->is_warm_up == 1) {
        return;
    }
    ARRAY_PUSH(s->flows, s->n, s->max) =
        (struct rep_finished){ f->bytes,
                               (double)(f->finished_ps - f->start_ps) / (double)f->ideal_ps };
}

static int
by_slowdown(const void *a, const void *b)
{
    double x = ((const struct rep_finished *)a)->slowdown;
    double y = ((const struct rep_finished *)b)->slowdown;
    return (x > y) - (x < y);
}

static int
by_bytes(const void *a, const void *b)
{
    uint64_t x = ((const struct rep_finished *)a)->bytes;
    uint64_t y = ((const struct rep_finished *)b)->bytes;
    return x == y ? by_slowdown(a, b) : (x > y) - (x < y);
}

/* The least that at least this share of all do not exceed; sorted by slowdown. */
static double
quantile(const struct rep_finished *flows, size_t n, size_t part, size_t of)
{
    size_t rank = (n * part + of - 1) / of;
    return flows[rank ? rank - 1 : 0].slowdown;
}

static size_t
end_of_size(const struct rep_slowdown *s, size_t end)
{
    while (end < s->n && s->flows[end].bytes == s->flows[end - 1].bytes) {
        end++;
    }
    return end;
}

static struct rep_bin
make_bin(struct rep_finished *flows, size_t n)
{
    struct rep_bin bin = { .bytes = flows[n - 1].bytes, .n = n };

    qsort(flows, n, sizeof *flows, by_slowdown);
    bin.p50 = quantile(flows, n, 50, 100);
    bin.p95 = quantile(flows, n, 95, 100);
    bin.p99 = quantile(flows, n, 99, 100);
    return bin;
}

void
rep_slowdown_finish(struct rep_slowdown *s)
{
    if (!s->n) {
        return;
    }
    qsort(s->flows, s->n, sizeof *s->flows, by_bytes);
    for (size_t start = 0, end; start < s->n; start = end) {
        size_t goal = s->n * (s->n_bins + 1) / REP_MAX_BINS;
        end = end_of_size(s, goal > start ? goal : start + 1);
        s->bins[s->n_bins++] = make_bin(s->flows + start, end - start);
    }
    qsort(s->flows, s->n, sizeof *s->flows, by_slowdown);
    for (size_t i = 0; i <= REP_CDF_POINTS; i++) {
        s->cdf[i] = quantile(s->flows, s->n, i, REP_CDF_POINTS);
    }
}

void
rep_slowdown_free(struct rep_slowdown *s)
{
    free(s->flows);
    *s = (struct rep_slowdown){ 0 };
}

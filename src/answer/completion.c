/* Sums up all flows, the flows of a workload, or the flows in a range of sizes. */

#include "answer/completion.h"

#include <stdlib.h>
#include <string.h>

#include "answer/percentile.h"
#include "base/array.h"

/* Values of completion_flow.sent; from SENT_APART on they count items of completion.sent. */
enum { SENT_NOTHING, SENT_ONCE, SENT_APART };

void
completion_add(struct completion *c, const struct completion_flow *flow,
               struct completion_sent sent)
{
    struct completion_flow *f;

    ARRAY_ROOM(c->flows, c->n, c->max);
    f = &c->flows[c->n++];
    *f = *flow;
    if (!sent.retransmitted_bytes && (!sent.bytes || sent.bytes == flow->bytes)) {
        f->sent = sent.bytes ? SENT_ONCE : SENT_NOTHING;
    } else {
        f->sent = SENT_APART + (uint32_t)c->n_sent;
        ARRAY_PUSH(c->sent, c->n_sent, c->max_sent) = sent;
    }
}

static void
add_end(struct completion_end *end, weir_ps at_ps)
{
    end->n++;
    end->n_open += at_ps < 0;
    end->last_ps = at_ps > end->last_ps ? at_ps : end->last_ps;
}

void
completion_add_end(struct completion *c, uint32_t workload, weir_ps at_ps)
{
    add_end(&c->ends[COMPLETION_ALL], at_ps);
    if (workload != COMPLETION_ALL && workload <= COMPLETION_MAX_WORKLOADS) {
        add_end(&c->ends[workload], at_ps);
    }
}

const struct completion_job completion_no_job = {
    -1, -1, -1, -1, COLUMN_NO_COUNT, COLUMN_NO_COUNT, -1, -1, -1, -1, -1, -1, -1
};

void
completion_add_job(struct completion *c, uint32_t workload, const struct completion_job *job,
                   weir_ps end_ps)
{
    completion_add_end(c, workload, end_ps);
    if (workload <= COMPLETION_MAX_WORKLOADS && !c->jobs[workload]) {
        c->jobs[workload] = array_new(1, sizeof *job);
        *c->jobs[workload] = *job;
        c->n_jobs++;
    }
}

void
completion_add_job_facts(struct completion *c, uint32_t workload, const struct workload_facts *f)
{
    const struct completion_job job = { .taken_ps = f->job_ps,
                                        .iteration_min_ps = f->iteration_min_ps,
                                        .iteration_p50_ps = f->iteration_p50_ps,
                                        .iteration_max_ps = f->iteration_max_ps,
                                        .algbw_bps = f->algbw_bps,
                                        .busbw_bps = f->busbw_bps,
                                        .slowdown = f->job_slowdown,
                                        .computing_mean_ps = f->computing_mean_ps,
                                        .computing_max_ps = f->computing_max_ps,
                                        .network_mean_ps = f->network_mean_ps,
                                        .network_max_ps = f->network_max_ps,
                                        .peer_mean_ps = f->peer_mean_ps,
                                        .peer_max_ps = f->peer_max_ps };

    if (f->computing_max_ps >= 0) {
        completion_add_job(c, workload, &job, f->done_ps);
    }
}

struct completion_sent
completion_sent_of(const struct completion *c, const struct completion_flow *f)
{
    if (f->sent >= SENT_APART) {
        return c->sent[f->sent - SENT_APART];
    }
    return (struct completion_sent){ .bytes = f->sent == SENT_ONCE ? f->bytes : 0 };
}

void
completion_free(struct completion *c)
{
    free(c->flows);
    free(c->sent);
    for (size_t i = 0; i <= COMPLETION_MAX_WORKLOADS; i++) {
        free(c->jobs[i]);
    }
    *c = (struct completion){ 0 };
}

double
completion_slowdown(const struct completion_flow *f)
{
    return f->ideal_ps > 0 ? (double)f->taken_ps / (double)f->ideal_ps : -1;
}

/* The spread of the known values, given in the order of their flows; they are sorted. */
static struct completion_spread
spread_of(double *values, size_t n_known, uint64_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n_known; i++) {
        sum += values[i];
    }
    percentile_sort(values, n_known);
    return (struct completion_spread){ .mean = n_known ? sum / (double)n_known : -1,
                                       .p50 = percentile_of_some(values, n_known, n, 500),
                                       .p95 = percentile_of_some(values, n_known, n, 950),
                                       .p99 = percentile_of_some(values, n_known, n, 990),
                                       .most = percentile_of_some(values, n_known, n, 1000) };
}

/* Times of flows. All are whole picoseconds, even the mean; otherwise each output format would
 * round it differently. */
struct times {
    weir_ps mean, p50, p95, p99, most, at_least;
};

static weir_ps
whole(double ps)
{
    return ps < 0 ? -1 : (weir_ps)(ps + 0.5);
}

static struct times
times_of(double *times_ps, size_t n_known, uint64_t n, weir_ps at_least)
{
    struct completion_spread s = spread_of(times_ps, n_known, n);

    return (struct times){ whole(s.mean), whole(s.p50),  whole(s.p95),
                           whole(s.p99),  whole(s.most), at_least };
}

/* Selects flows: those of a workload, or all, of which the sizes are at least 'from_bytes' and less
 * than 'under_bytes'. */
struct which {
    uint32_t workload;
    uint64_t from_bytes, under_bytes;
};

static bool
is_one(const struct which *w, const struct completion_flow *f)
{
    return (w->workload == COMPLETION_ALL || f->workload == w->workload) &&
           f->bytes >= w->from_bytes && f->bytes < w->under_bytes;
}

/* Lists the slowdowns of ended flows; returns their number. */
static size_t
list_slowdowns(const struct completion *c, const struct which *which, double *values)
{
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++) {
        if (c->flows[i].has_ended && is_one(which, &c->flows[i])) {
            values[n++] = completion_slowdown(&c->flows[i]);
        }
    }
    return n;
}

static bool
is_of_all_sizes(const struct which *w)
{
    return !w->from_bytes && w->under_bytes == UINT64_MAX;
}

/* All workloads together have the facts of the only job. */
static struct completion_job
find_job(const struct completion *c, const struct which *which)
{
    const struct completion_job *job = &completion_no_job;
    bool is_all = which->workload == COMPLETION_ALL;

    for (uint32_t w = 1; is_of_all_sizes(which) && w <= COMPLETION_MAX_WORKLOADS; w++) {
        bool is_it = is_all ? c->n_jobs == 1 : w == which->workload;
        job = is_it && c->jobs[w] ? c->jobs[w] : job;
    }
    return *job;
}

/* The time at which the last of these flows ended. Negative: some flow has not ended, or the value
 * is not known for flows of these sizes. */
static weir_ps
find_done(const struct completion *c, const struct which *which)
{
    struct completion_end end = { 0 };

    if (is_of_all_sizes(which) && which->workload <= COMPLETION_MAX_WORKLOADS) {
        end = c->ends[which->workload];
    }
    return end.n && !end.n_open ? end.last_ps : -1;
}

static void
sum_up(const struct completion *c, const struct which *which, struct workload_facts *g)
{
    double *values = array_new(c->n, sizeof *values); /* First times, later slowdowns. */
    uint64_t n = 0, n_finished = 0;
    weir_ps at_least = -1, done_ps = find_done(c, which);
    struct completion_sent sent = { 0 };
    const struct completion_job job = find_job(c, which);

    for (size_t i = 0; i < c->n; i++) {
        const struct completion_flow *f = &c->flows[i];
        if (is_one(which, f)) {
            struct completion_sent own = completion_sent_of(c, f);
            /* The next flow overwrites the value if this flow has not ended. */
            values[n_finished] = (double)f->taken_ps;
            n++;
            n_finished += f->has_ended;
            at_least = f->taken_ps > at_least ? f->taken_ps : at_least;
            sent.bytes += own.bytes;
            sent.retransmitted_bytes += own.retransmitted_bytes;
        }
    }
    struct times fct = times_of(values, n_finished, n, at_least);
    struct completion_spread slowdown = spread_of(values, list_slowdowns(c, which, values), n);
#define FACT(KIND, NAME, OVER, CLAIM, HEAD, VALUE, ...) g->NAME = VALUE;
#include "answer/workload-facts.def"
#undef FACT
    free(values);
}

void
completion_of(const struct completion *c, uint32_t workload, struct workload_facts *g)
{
    sum_up(c, &(struct which){ workload, 0, UINT64_MAX }, g);
}

/* Lists the slowdowns of all ended flows; the caller frees the list. */
static double *
list_ended(const struct completion *c, size_t *n)
{
    double *slowdowns = array_new(c->n, sizeof *slowdowns);

    *n = list_slowdowns(c, &(struct which){ COMPLETION_ALL, 0, UINT64_MAX }, slowdowns);
    return slowdowns;
}

void
completion_of_ended(const struct completion *c, struct completion_spread *slowdown)
{
    size_t n;
    double *slowdowns = list_ended(c, &n);

    *slowdown = spread_of(slowdowns, n, n);
    free(slowdowns);
}

bool
completion_cdf(const struct completion *c, double cdf[COMPLETION_CDF_POINTS + 1])
{
    size_t n;
    double *slowdowns = list_ended(c, &n);

    percentile_sort(slowdowns, n);
    for (size_t i = 0; n && i <= COMPLETION_CDF_POINTS; i++) {
        cdf[i] = percentile_of(slowdowns, n, i * 1000 / COMPLETION_CDF_POINTS);
    }
    free(slowdowns);
    return n > 0;
}

/* Bins of sizes: their ends are found in a sorted list of all sizes. */

static uint64_t *
list_sizes(const struct completion *c)
{
    uint64_t *sizes = array_new(c->n, sizeof *sizes);

    for (size_t i = 0; i < c->n; i++) {
        sizes[i] = c->flows[i].bytes;
    }
    array_sort_u64(sizes, c->n);
    return sizes;
}

static size_t
end_of_size(const uint64_t *sizes, size_t n, size_t start)
{
    size_t end = start + 1;

    while (end < n && sizes[end] == sizes[start]) {
        end++;
    }
    return end;
}

static void
add_bin(struct completion_bins *bins, uint64_t from_bytes, uint64_t to_bytes)
{
    bins->items[bins->n++] =
        (struct completion_bin){ .from_bytes = from_bytes, .to_bytes = to_bytes };
}

enum { SHARES = 20, OWN_SHARE = 10 };

/* Divides the sizes between two sizes that have bins of their own. They get one bin for every
 * twentieth of all flows, rounded, but at least one. */
static void
divide(struct completion_bins *bins, const uint64_t *sizes, size_t n, size_t n_all)
{
    size_t n_bins = (2 * SHARES * n + n_all) / (2 * n_all);

    n_bins = n_bins ? n_bins : 1;
    for (size_t start = 0, k = 1; start < n; k++) {
        size_t goal = n * k / n_bins;
        if (goal > start) {
            size_t end = end_of_size(sizes, n, goal - 1);
            add_bin(bins, sizes[start], sizes[end - 1]);
            start = end;
        }
    }
}

/* Finds the bins. There are at most 21: if j sizes have bins of their own, all other flows are at
 * most 20 - 2j twentieths. They are in j + 1 gaps, each of which may round up by one, and 20 - 2j +
 * (j + 1) + j = 21. */
static void
find_bins(struct completion_bins *bins, const uint64_t *sizes, size_t n)
{
    size_t start = 0;

    for (size_t at = 0, end; at < n; at = end) {
        end = end_of_size(sizes, n, at);
        if ((end - at) * OWN_SHARE >= n) {
            divide(bins, sizes + start, at - start, n);
            add_bin(bins, sizes[at], sizes[at]);
            start = end;
        }
    }
    divide(bins, sizes + start, n - start, n);
}

static void
fill_bins(const struct completion *c, struct completion_bins *bins)
{
    for (size_t i = 0; i < bins->n; i++) {
        struct completion_bin *bin = &bins->items[i];
        uint64_t under_bytes = bins->are_given ? bin->to_bytes : bin->to_bytes + 1;
        sum_up(c, &(struct which){ COMPLETION_ALL, bin->from_bytes, under_bytes }, &bin->of);
    }
}

void
completion_by_size(const struct completion *c, const uint64_t *edges, size_t n_edges,
                   struct completion_bins *bins)
{
    *bins = (struct completion_bins){ .are_given = n_edges > 0 };
    if (!c->n) {
        return;
    }
    if (n_edges) {
        for (size_t i = 0; i <= n_edges; i++) {
            add_bin(bins, i ? edges[i - 1] : 0, i < n_edges ? edges[i] : UINT64_MAX);
        }
    } else {
        uint64_t *sizes = list_sizes(c);
        find_bins(bins, sizes, c->n);
        free(sizes);
    }
    fill_bins(c, bins);
}

/* Lists the worst flows. A flow is inserted if the list is not full, or if it is worse than the
 * last one. */
size_t
completion_worst(const struct completion *c,
                 const struct completion_flow *worst[COMPLETION_MAX_WORST])
{
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++) {
        double slowdown = completion_slowdown(&c->flows[i]);
        size_t at = n;
        while (at && completion_slowdown(worst[at - 1]) < slowdown) {
            at--;
        }
        if (at < COMPLETION_MAX_WORST) {
            n += n < COMPLETION_MAX_WORST;
            memmove(worst + at + 1, worst + at, (n - 1 - at) * sizeof *worst);
            worst[at] = &c->flows[i];
        }
    }
    return n;
}

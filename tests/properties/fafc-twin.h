/* FAFC in floating point, from the paper and Weir's decisions about it, with arrays, loops and the
 * names of the paper's algorithms. The twin stores nothing that it can compute, and has one class
 * and a few ports.
 *
 * If a number is so close to a threshold that rounding may decide, 'is_edge' is set: then either
 * decision is correct. */

#ifndef TESTS_FAFC_TWIN_H
#define TESTS_FAFC_TWIN_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { N_PORTS = 6 };

struct twin_pair {
    double bytes, came, left; /* bytes is q'; the others count since the last update. */
    double q, r, r_in, r_out, off;
};

struct twin {
    double alpha, beta, f_dec, th_p, th_e, th_c; /* Times in picoseconds. */
    double clock, period[N_PORTS];               /* The shortest T, and the T of each input. */
    bool by_backlog, by_output, memory, blind;
    int allocate;                         /* 0 best, 1 uniform, 2 reversed. */
    struct twin_pair p[N_PORTS][N_PORTS]; /* [input][output]. */
    double next[N_PORTS], old[N_PORTS], pending[N_PORTS], slot_end[N_PORTS], until[N_PORTS];
    double ecn[N_PORTS], paused[N_PORTS], longest[N_PORTS];
    bool is_edge;
};

/* In bytes: the largest rounding error in sums over a few pairs and slots, if numbers have 8
 * fractional bits. */
static const double TWIN_NEAR = 4;

static inline bool
twin_above(struct twin *t, double value, double limit)
{
    t->is_edge |= fabs(value - limit) < TWIN_NEAR;
    return value > limit;
}

static inline double
twin_counted(struct twin *t, double rate)
{
    t->is_edge |= fabs(rate - 64) < 0.5;
    return rate < 64 ? 0 : rate;
}

struct twin_sums {
    double q, r, r_in, r_out, off;
};

/* Converts bytes per tick of the clock into bytes per T of an input. */
static inline double
twin_in_period(const struct twin *t, int i, double bytes)
{
    return bytes * t->period[i] / t->clock;
}

/* The rates of each input refer to its own T. */
static inline struct twin_sums
twin_output(const struct twin *t, int e)
{
    struct twin_sums s = { 0 };

    for (int i = 0; i < N_PORTS; i++) {
        const struct twin_pair *p = &t->p[i][e];
        s = (struct twin_sums){ s.q + p->q, s.r + twin_in_period(t, i, p->r),
                                s.r_in + twin_in_period(t, i, p->r_in),
                                s.r_out + twin_in_period(t, i, p->r_out), s.off + p->off };
    }
    return s;
}

static inline double
twin_queue_of_input(const struct twin *t, int i)
{
    double q = 0;

    for (int e = 0; e < N_PORTS; e++) {
        q += t->p[i][e].q;
    }
    return q;
}

static inline double
twin_rate_of_input(const struct twin *t, int i)
{
    double r_in = 0;

    for (int e = 0; e < N_PORTS; e++) {
        r_in += t->p[i][e].r_in;
    }
    return r_in;
}

static inline double
twin_predicted(const struct twin *t, int e)
{
    struct twin_sums s = twin_output(t, e);
    return t->blind ? s.q : s.q + 2 * s.r + s.off;
}

/* UpdateRate(). */
static inline void
twin_update(struct twin *t, double now)
{
    for (int i = 0; i < N_PORTS; i++) {
        for (int e = 0; e < N_PORTS; e++) {
            struct twin_pair *p = &t->p[i][e];
            double a = t->alpha, b = t->beta, r_in = b * p->came + (1 - b) * p->r_in;
            bool is_held = t->memory && t->until[i] + 2 * t->period[i] > now;
            p->q = a * p->bytes + (1 - a) * (p->q + p->r);
            p->r = b * (p->came - p->left) + (1 - b) * p->r;
            p->r_in = is_held && r_in < p->r_in ? p->r_in : r_in;
            p->r_out = b * p->left + (1 - b) * p->r_out;
            p->came = p->left = 0;
        }
    }
}

static inline void
twin_share_out(struct twin *t, int i)
{
    double all = twin_queue_of_input(t, i);

    /* Rounding decides the shares if the queues are almost empty. */
    t->is_edge |= 2 * fabs(t->old[i] - t->next[i]) > TWIN_NEAR * fabs(all);
    for (int e = 0; e < N_PORTS; e++) {
        struct twin_pair *p = &t->p[i][e];
        double share = p->q <= 0 ? 0 : p->q >= all ? 1 : p->q / all;
        p->off = (t->old[i] - t->next[i]) * share;
    }
}

/* TimeSlotExpire(). */
static inline void
twin_end_slot(struct twin *t, int i, double now)
{
    t->old[i] = t->next[i];
    t->next[i] = t->pending[i];
    t->pending[i] = 0;
    t->slot_end[i] = t->old[i] || t->next[i] ? now + t->period[i] : INFINITY;
    twin_share_out(t, i);
}

static inline void
twin_defer(struct twin *t, int i, double now, double ps)
{
    double r_in = twin_rate_of_input(t, i), bytes = r_in * ps / t->clock, fits = bytes;

    if (isinf(t->slot_end[i])) {
        t->slot_end[i] = now + t->period[i];
    } else {
        double left = r_in * (t->slot_end[i] - now) / t->clock;
        double room = twin_in_period(t, i, r_in) - t->next[i];
        fits = fmax(0, fmin(bytes, fmin(left, room)));
    }
    t->next[i] += fits;
    t->pending[i] += bytes - fits;
    t->until[i] = fmax(t->until[i], now) + ps;
    twin_share_out(t, i);
}

struct twin_bid {
    int i;
    double rate, cost, queue, share;
};

static inline double
twin_cost(struct twin *t, int i)
{
    double cost = 0;

    for (int k = 0; k < N_PORTS; k++) {
        double r_out = twin_counted(t, t->p[i][k].r_out);
        double q = t->by_output ? twin_output(t, k).q : t->p[i][k].q;
        cost += twin_above(t, q, t->th_c) ? 0 : r_out;
    }
    return cost;
}

static inline bool
twin_precedes(struct twin *t, const struct twin_bid *a, const struct twin_bid *b)
{
    double x = a->cost * b->rate, y = b->cost * a->rate;

    t->is_edge |= (x > 0 || y > 0) && fabs(x - y) <= 0.01 * fmax(x, y);
    if (x != y) {
        return (x < y) != (t->allocate == 2);
    }
    return a->queue != b->queue ? a->queue > b->queue : a->i < b->i;
}

static inline int
twin_bids(struct twin *t, int e, double now, struct twin_bid *bids)
{
    double scale = now - t->paused[e] <= 4 * t->longest[e] ? t->f_dec : 1;
    int n = 0;

    for (int i = 0; i < N_PORTS; i++) {
        double rate = twin_in_period(t, i, twin_counted(t, t->p[i][e].r_in)) * scale;
        if (rate > 0) {
            double cost = twin_in_period(t, i, twin_cost(t, i));
            bids[n++] = (struct twin_bid){ i, rate, cost, t->p[i][e].bytes, 0 };
        }
    }
    for (int k = 1; k < n; k++) {
        for (int j = k; j > 0 && twin_precedes(t, &bids[j], &bids[j - 1]); j--) {
            struct twin_bid swapped = bids[j];
            bids[j] = bids[j - 1];
            bids[j - 1] = swapped;
        }
    }
    return n;
}

static inline void
twin_allocate(const struct twin *t, struct twin_bid *bids, int n, double need)
{
    double all = 0;

    for (int k = 0; k < n; k++) {
        all += bids[k].rate;
    }
    for (int k = 0; k < n; k++) {
        double part = t->allocate == 1 ? need / all : need / bids[k].rate;
        bids[k].share = fmax(0, fmin(1, part));
        need -= t->allocate == 1 ? 0 : bids[k].rate * bids[k].share;
    }
}

/* calculateAndSendPause(): adds the pauses of inputs, in picoseconds, to 'asked'; returns whether
 * there are any. */
static inline bool
twin_decide(struct twin *t, int e, double now, double *asked)
{
    struct twin_sums s = twin_output(t, e);
    struct twin_bid bids[N_PORTS];
    double growth = t->memory ? s.r_in - s.r_out : s.r, need = growth + s.off;
    double longest = 0;

    if (!twin_above(t, twin_predicted(t, e), t->th_p) ||
        !twin_above(t, t->by_backlog ? need : growth, 0) || !twin_above(t, need, 0)) {
        return false;
    }
    int n = twin_bids(t, e, now, bids);
    twin_allocate(t, bids, n, need);
    for (int k = 0; k < n; k++) {
        double period = t->period[bids[k].i], ps = bids[k].share * period;
        double ahead = fmax(0, t->until[bids[k].i] - now);
        ps = t->memory ? fmax(0, fmin(ps, 2 * period - ahead)) : ps;
        double ns = floor(ps / 1000 + 0.5); /* Frames carry pauses in nanoseconds. */
        t->is_edge |= ps > 0 && ps < 1000;  /* Rounding decides between a pause of 1 ns and none. */
        if (ns > 0) {
            asked[bids[k].i] += ps;
            twin_defer(t, bids[k].i, now, ns * 1000);
            longest = fmax(longest, period);
        }
    }
    t->paused[e] = longest > 0 ? now : t->paused[e];
    t->longest[e] = longest > 0 ? longest : t->longest[e];
    return longest > 0;
}

#endif

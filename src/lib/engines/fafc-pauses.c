/* FAFC's pause times, by exact selection.  Inputs are partitioned around one of them, repeatedly in
 * the part that has the bound, and never fully sorted (doc/decisions/0045-pause-times.md). */

#include "engines/fafc-pauses.h"

#include <assert.h>
#include <stdbool.h>

#include "weir/units.h"

/* A bid is often already at its position; swapping it with itself took a third of the time. */
static void
swap(struct fafc_bid *a, struct fafc_bid *b)
{
    if (a != b) {
        struct fafc_bid t = *a;
        *a = *b;
        *b = t;
    }
}

/* The share of 'rate' that gives 'need', rounded up; 'need' must not exceed 'rate'. */
static uint32_t
share_of(uint64_t need, uint64_t rate)
{
    return (uint32_t)((need * WEIR_RATIO_1 + rate - 1) / rate);
}

/* Whether 'a' is paused before 'b'.  Ratios are compared exactly, by cross products. */
static inline bool
precedes(const struct fafc_bid *a, const struct fafc_bid *b, bool is_reversed)
{
    uint64_t x = a->cost * b->rate, y = b->cost * a->rate;

    if (x != y) {
        return (x < y) != is_reversed;
    }
    return a->queue != b->queue ? a->queue > b->queue : a->port < b->port;
}

/* Moves the median of the first, middle and last bid to the end. */
static void
choose_pivot(struct fafc_bid *bids, uint32_t n, bool is_reversed)
{
    struct fafc_bid *first = &bids[0], *middle = &bids[n / 2], *last = &bids[n - 1];

    if (precedes(middle, first, is_reversed)) {
        swap(first, middle);
    }
    if (precedes(last, first, is_reversed)) {
        swap(first, last);
    }
    if (precedes(middle, last, is_reversed)) {
        swap(middle, last);
    }
}

/* Moves bids that precede the last bid before it, and all others after it.  Returns the new
 * position of the last bid, and the total rate of the bids before it. */
static uint32_t
part(struct fafc_bid *bids, uint32_t n, bool is_reversed, uint64_t *rate)
{
    uint32_t n_before = 0;

    *rate = 0;
    for (uint32_t i = 0; i + 1 < n; i++) {
        if (precedes(&bids[i], &bids[n - 1], is_reversed)) {
            *rate += bids[i].rate;
            swap(&bids[i], &bids[n_before++]);
        }
    }
    swap(&bids[n_before], &bids[n - 1]);
    return n_before;
}

static void
pause_all(struct fafc_bid *bids, uint32_t n, uint32_t share)
{
    for (uint32_t i = 0; i < n; i++) {
        bids[i].share = share;
    }
}

/* The first bids get a whole period.  'need' must not exceed the sum of all rates, and no rate may
 * be 0. */
static void
pause_first(struct fafc_bid *bids, uint32_t n, uint64_t need, bool is_reversed)
{
    while (need) {
        uint64_t rate;
        choose_pivot(bids, n, is_reversed);
        uint32_t k = part(bids, n, is_reversed, &rate);
        if (rate >= need) {
            n = k;
            continue;
        }
        pause_all(bids, k, WEIR_RATIO_1);
        need -= rate;
        rate = bids[k].rate < need ? bids[k].rate : need;
        bids[k].share = share_of(rate, bids[k].rate);
        need -= rate;
        bids += k + 1;
        n -= k + 1;
    }
}

/* Sets all shares to 0, moves bids without a rate to the end, and returns the number of other
 * bids. */
static uint32_t
leave_out_idle(struct fafc_bid *bids, uint32_t n, uint64_t *total)
{
    uint32_t n_left = 0;

    *total = 0;
    for (uint32_t i = 0; i < n; i++) {
        assert(bids[i].rate <= FAFC_MAX_RATE && bids[i].cost <= FAFC_MAX_COST);
        bids[i].share = 0;
        *total += bids[i].rate;
        if (bids[i].rate) {
            swap(&bids[i], &bids[n_left++]);
        }
    }
    return n_left;
}

void
weir_fafc_allocate(struct fafc_bid *bids, uint32_t n, uint64_t need, enum fafc_allocation how)
{
    uint64_t total;

    assert(n <= FAFC_MAX_BIDS);
    n = leave_out_idle(bids, n, &total);
    if (need >= total) {
        pause_all(bids, n, WEIR_RATIO_1);
    } else if (how == FAFC_UNIFORM) {
        pause_all(bids, n, share_of(need, total));
    } else {
        pause_first(bids, n, need, how == FAFC_REVERSED);
    }
}

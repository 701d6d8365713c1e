/* Random bids for FAFC's pauses: realistic ones and hard cases. */

#ifndef TESTS_FAFC_BIDS_H
#define TESTS_FAFC_BIDS_H

#include "engines/fafc-pauses.h"
#include "unit.h"

enum { MAX_BIDS = 64 };

struct instance {
    uint32_t n;
    uint64_t need, total; /* 'need' is the number of bytes that pauses must keep away; 'total' is
                             the sum of all bids. */
    struct fafc_bid bids[MAX_BIDS];
};

/* A random rate up to 'max'. 'how' selects its kind: any value; a small value, so that ratios are
 * often equal; or a value of any number of bits.  One in six rates is 0. */
static inline uint64_t
draw_rate(uint64_t *random, uint32_t how, uint64_t max)
{
    uint64_t v = how == 0   ? below(random, max + 1)
                 : how == 1 ? below(random, 5)
                            : of_any_length(random) & max;
    return one_in(random, 6) ? 0 : v;
}

static inline struct instance
draw_instance(uint64_t *random)
{
    struct instance in = { .n = 1 + (uint32_t)below(random, MAX_BIDS) };
    uint32_t rates = (uint32_t)below(random, 3), costs = (uint32_t)below(random, 3);

    for (uint32_t i = 0; i < in.n; i++) {
        in.bids[i] = (struct fafc_bid){ .rate = draw_rate(random, rates, FAFC_MAX_RATE),
                                        .cost = draw_rate(random, costs, FAFC_MAX_COST),
                                        .queue = below(random, one_in(random, 2) ? 3 : 1000000),
                                        .port = i,
                                        .share = (uint32_t)weir_random(random) };
        in.total += in.bids[i].rate;
    }
    in.need = below(random, in.total + in.total / 8 + 2);
    return in;
}

static inline int
by_port(const void *a, const void *b)
{
    const struct fafc_bid *x = a, *y = b;
    return (x->port > y->port) - (x->port < y->port);
}

#endif

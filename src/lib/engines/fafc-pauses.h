/* FAFC's pause times: which inputs of a congested output are paused, and for how much of a period.
 *
 *                                           Lu, Chen, Zhang, Lu: FAFC, Algorithm 2, equations 9-11
 *
 * Pausing input i for a share s_i of a period keeps rate_i s_i bytes away from the congested
 * output, and cost_i s_i bytes from outputs that could have sent them.  The problem is to find
 * shares for which the first sum reaches 'need' and the second is minimal,
 *
 *     minimise sum cost_i s_i   with   sum rate_i s_i >= need,   0 <= s_i <= 1,
 *
 * which is a continuous covering knapsack.  In order of increasing cost_i / rate_i, inputs are
 * paused for the whole period, until one input gets the remaining part, and all others get no
 * pause.  (If another solution were cheaper, moving a little of a pause from a later input to an
 * earlier one would not make it more expensive.)
 *
 * The solver is a pure function without state. */

#ifndef WEIR_LIB_FAFC_PAUSES_H
#define WEIR_LIB_FAFC_PAUSES_H

#include <stdint.h>

enum fafc_allocation {
    FAFC_BEST,    /* The optimum. */
    FAFC_UNIFORM, /* The same share for all inputs, as a baseline. */
    FAFC_REVERSED /* By decreasing cost / rate: the worst solution that pauses no more than
                   * needed. */
};

/* Limits that keep every product of the solver within 64 bits. */
#define FAFC_MAX_BIDS 65536u
#define FAFC_MAX_RATE (((uint64_t)1 << 31) - 1)
#define FAFC_MAX_COST (((uint64_t)1 << 33) - 1)

struct fafc_bid {   /* An input that feeds the congested output. */
    uint64_t rate;  /* Bytes per period to that output, with 8 fractional bits; 0: the input gets no
                     * pause. */
    uint64_t cost;  /* Bytes per period to uncongested outputs, with 8 fractional bits. */
    uint64_t queue; /* In bytes; among equal bids the largest queue comes first, then the lowest
                     * port. */
    uint32_t port;
    uint32_t share; /* The result; WEIR_RATIO_1 is the whole period. */
};

/* Fills in the shares.  The share of the last paused input is rounded up, so that 'need', with the
 * fractional bits of rates, is met.  If even a whole period for all inputs is not enough, all get a
 * whole period.  The function may reorder the bids. */
void weir_fafc_allocate(struct fafc_bid *bids, uint32_t n, uint64_t need, enum fafc_allocation);

#endif

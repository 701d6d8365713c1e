/* FAFC's pause times: which inputs of a congested output are paused, and for how much of a period.
 *
 *                                           Lu, Chen, Zhang, Lu: FAFC, Algorithm 2, equations 9-11
 *
 * To pause input i for a share s_i of a period keeps rate_i s_i bytes away from the congested
 * output, and cost_i s_i from outputs that could have sent them on.  The shares that bring the
 * first to 'need' at the minimum of the second,
 *
 *     minimise sum cost_i s_i   with   sum rate_i s_i >= need,   0 <= s_i <= 1,
 *
 * is a continuous covering knapsack: by growing cost_i / rate_i inputs are paused for all of the
 * period, until one gets the part that is left, and the others nothing.  (Were another answer
 * cheaper, to move a little of a pause from a later input to an earlier one would make it cheaper
 * still, or leave it as it is.)
 *
 * A function of its arguments; it keeps nothing. */

#ifndef WEIR_LIB_FAFC_PAUSES_H
#define WEIR_LIB_FAFC_PAUSES_H

#include <stdint.h>

enum fafc_allocation {
    FAFC_BEST,    /* The optimum. */
    FAFC_UNIFORM, /* The same share for all: the baseline of the optimum. */
    FAFC_REVERSED /* By falling cost / rate: the worst of those that pause no more than they must.
                   */
};

/* Bounds under which no product of the solver leaves 64 bits. */
#define FAFC_MAX_BIDS 65536u
#define FAFC_MAX_RATE (((uint64_t)1 << 31) - 1)
#define FAFC_MAX_COST (((uint64_t)1 << 33) - 1)

struct fafc_bid {   /* An input that feeds the congested output. */
    uint64_t rate;  /* To that output: bytes per period, 8 binary places; 0: it gets no pause. */
    uint64_t cost;  /* To uncongested outputs, likewise. */
    uint64_t queue; /* Bytes; among equal bids the largest queue comes first, then the lowest
                     * port. */
    uint32_t port;
    uint32_t share; /* The answer: WEIR_RATIO_1 is all of the period. */
};

/* Fills in the shares; that of the last input to be paused is rounded up, so that 'need', in the
 * places of rates, is met.  Where even a whole period for all is not enough, all get that.  The
 * bids may be in another order afterwards. */
void weir_fafc_allocate(struct fafc_bid *bids, uint32_t n, uint64_t need, enum fafc_allocation);

#endif

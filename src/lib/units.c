/* Times, rates and sizes in whole numbers, without overflow. */

#include "weir/units.h"

#include <assert.h>

/* Multiplies and divides with 128 bits in two words, by shifting and subtracting.  This is used
 * only if the product exceeds 64 bits, which never happens for the size of a packet. */
static uint64_t
wide_mul_div(uint64_t a, uint64_t b, uint64_t c, uint64_t *rest)
{
    uint64_t a_lo = (uint32_t)a, a_hi = a >> 32, b_lo = (uint32_t)b, b_hi = b >> 32;
    uint64_t mid = a_hi * b_lo + (a_lo * b_lo >> 32);
    uint64_t mid2 = a_lo * b_hi + (uint32_t)mid;
    uint64_t hi = a_hi * b_hi + (mid >> 32) + (mid2 >> 32);
    uint64_t lo = a * b;

    *rest = 0;
    if (hi >= c) {
        return UINT64_MAX;
    }
    uint64_t quotient = 0;
    for (int i = 0; i < 64; i++) {
        uint64_t carry = hi >> 63;
        hi = hi << 1 | lo >> 63;
        lo <<= 1;
        quotient <<= 1;
        if (carry || hi >= c) {
            hi -= c;
            quotient |= 1;
        }
    }
    *rest = hi;
    return quotient;
}

static uint64_t
mul_div(uint64_t a, uint64_t b, uint64_t c, uint64_t *rest)
{
    uint64_t product;

    assert(c > 0);
    if (__builtin_mul_overflow(a, b, &product)) {
        return wide_mul_div(a, b, c, rest);
    }
    *rest = product % c;
    return product / c;
}

uint64_t
weir_mul_div(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t rest;
    return mul_div(a, b, c, &rest);
}

uint64_t
weir_mul_div_up(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t rest, quotient = mul_div(a, b, c, &rest);
    return quotient + (rest > 0 && quotient < UINT64_MAX);
}

uint64_t
weir_geometric_mean_up(uint64_t a, uint64_t b)
{
    uint64_t low = a < b ? a : b, high = a < b ? b : a;

    while (low < high) { /* Finds the smallest m with a * b <= m * m, that is, a <= m * m / b. */
        uint64_t m = low + (high - low) / 2;
        if (b == 0 || weir_mul_div(m, m, b) >= a) {
            high = m;
        } else {
            low = m + 1;
        }
    }
    return low;
}

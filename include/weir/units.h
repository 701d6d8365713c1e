/* Units.
 *
 * Every quantity carries its unit in its name, and there is one unit for each kind of quantity:
 * time in picoseconds, rate in bits per second, size in bytes.  At 800 Gb/s a byte takes 10 ps, so
 * nanoseconds would be too coarse.  63 bits of picoseconds last 106 days from a clock's start, and
 * a clock that runs for longer is set back from time to time: weir_node_rebase().  KB is 1000 bytes
 * and KiB 1024, as in the papers.
 *
 * The library needs no floating point and no integers wider than 64 bits, so it runs in kernel
 * modules and on small cores. */

#ifndef WEIR_UNITS_H
#define WEIR_UNITS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A time or duration in picoseconds. */
typedef int64_t weir_ps;

#define WEIR_NEVER     INT64_MAX          /* A time that never comes. */
#define WEIR_LATE      ((weir_ps)1 << 62) /* 53 days: a clock at this time must be set back. */
#define WEIR_LONG_AGO  (-WEIR_LATE)       /* So long ago that the exact time does not matter. */
#define WEIR_PS_PER_S  1000000000000      /* Picoseconds of a second. */
#define WEIR_MAX_BYTES 4000000000         /* The maximum of any queue or threshold. */
#define WEIR_RATIO_1   65536u             /* Ratios are fixed point with 16 fractional bits. */

/* a * b / c without overflow on the way, rounded down or up; UINT64_MAX if it does not fit. */
uint64_t weir_mul_div(uint64_t a, uint64_t b, uint64_t c);
uint64_t weir_mul_div_up(uint64_t a, uint64_t b, uint64_t c);

/* The square root of a * b, rounded up. */
uint64_t weir_geometric_mean_up(uint64_t a, uint64_t b);

/* The time that 'bytes' take on a link of 'rate_bps', rounded up, because a sender that rounds down
 * would be faster than its link. */
static inline weir_ps
weir_wire_ps(uint64_t bytes, uint64_t rate_bps)
{
    if (bytes < (1u << 20)) { /* The product fits into 64 bits, as it does for any packet. */
        return (weir_ps)((bytes * 8 * (uint64_t)WEIR_PS_PER_S + rate_bps - 1) / rate_bps);
    }
    uint64_t ps = weir_mul_div_up(bytes, 8 * (uint64_t)WEIR_PS_PER_S, rate_bps);
    return ps < (uint64_t)WEIR_NEVER ? (weir_ps)ps : WEIR_NEVER;
}

/* The time between two events at a rate of 'per_s', rounded up, so that the rate is never exceeded;
 * 0 if there is no limit. */
static inline weir_ps
weir_period_ps(uint64_t per_s)
{
    return per_s ? (weir_ps)((WEIR_PS_PER_S + per_s - 1) / per_s) : 0;
}

/* The time 'ps' after 'at', where 'ps' is at least 0; WEIR_NEVER if the result does not fit. */
static inline weir_ps
weir_after(weir_ps at, weir_ps ps)
{
    return ps < WEIR_NEVER - (at > 0 ? at : 0) ? at + ps : WEIR_NEVER;
}

/* The time 'at' on a clock that was set back by 'by_ps', which is at least 0.  WEIR_NEVER and
 * WEIR_LONG_AGO stay as they are. */
static inline weir_ps
weir_rebased(weir_ps at, weir_ps by_ps)
{
    if (at == WEIR_NEVER) {
        return at;
    }
    return at > WEIR_LONG_AGO + by_ps ? at - by_ps : WEIR_LONG_AGO;
}

/* The number of bytes that a link of 'rate_bps' carries in 'ps', rounded up. */
static inline uint64_t
weir_wire_bytes(weir_ps ps, uint64_t rate_bps)
{
    return weir_mul_div_up((uint64_t)ps, rate_bps, 8 * (uint64_t)WEIR_PS_PER_S);
}

#ifdef __cplusplus
}
#endif

#endif

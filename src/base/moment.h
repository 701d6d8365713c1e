/* Clocks of the machine: a monotonic clock for deadlines and durations, and the clock of dates. */

#ifndef BASE_MOMENT_H
#define BASE_MOMENT_H

#include <stdint.h>
#include <time.h>

static inline int64_t
moment_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int64_t
moment_ms(void)
{
    return moment_ns(CLOCK_MONOTONIC) / 1000000;
}

static inline double
moment_seconds(void)
{
    return (double)moment_ns(CLOCK_MONOTONIC) / 1e9;
}

/* The time since 1970, for dates. */
static inline uint64_t
moment_date_ns(void)
{
    return (uint64_t)moment_ns(CLOCK_REALTIME);
}

#endif

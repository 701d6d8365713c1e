/* Random numbers in whole-number arithmetic: uniform and exponential. */

#include "workload/chance.h"

#include <stdbool.h>

#include "weir/engine.h"

uint64_t
chance_stream(uint64_t seed, uint32_t workload, uint32_t host)
{
    uint64_t stream = seed;

    stream = weir_random(&stream) + workload;
    stream = weir_random(&stream) + host;
    return weir_random(&stream);
}

uint64_t
chance_below(uint64_t *stream, uint64_t n)
{
    return weir_random(stream) % n;
}

/* 64 - log2(v), with 32 fractional bits.  Squaring a number between 1 and 2 doubles its logarithm,
 * which moves the next fractional bit before the point. */
static uint64_t
bits_below_all(uint64_t v)
{
    uint64_t whole = 63;

    while (!(v >> 63)) {
        v <<= 1;
        whole--;
    }
    uint64_t log = whole, m = v >> 32; /* m / 2^31 is between 1 and 2. */
    for (int place = 0; place < 32; place++) {
        uint64_t square = m * m;
        bool is_2 = square >> 63;
        m = is_2 ? square >> 32 : square >> 31;
        log = log << 1 | is_2;
    }
    return ((uint64_t)64 << 32) - log;
}

uint64_t
chance_exponential(uint64_t *stream, uint64_t mean)
{
    const uint64_t one = (uint64_t)1 << 32, ln_2 = 2977044472; /* Both in units of 2^-32. */
    uint64_t bits = bits_below_all(weir_random(stream) | 1);

    return weir_mul_div(weir_mul_div(bits, ln_2, one), mean, one);
}

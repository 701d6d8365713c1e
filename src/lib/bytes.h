/* Reads and writes numbers in frames, which are big-endian. */

#ifndef WEIR_LIB_BYTES_H
#define WEIR_LIB_BYTES_H

#include <stdint.h>

static inline uint32_t
get16(const uint8_t *at)
{
    return (uint32_t)(at[0] << 8 | at[1]);
}

static inline uint32_t
get32(const uint8_t *at)
{
    return get16(at) << 16 | get16(at + 2);
}

static inline uint64_t
get64(const uint8_t *at)
{
    return (uint64_t)get32(at) << 32 | get32(at + 4);
}

static inline void
put16(uint8_t *at, uint32_t v)
{
    at[0] = (uint8_t)(v >> 8);
    at[1] = (uint8_t)v;
}

static inline void
put24(uint8_t *at, uint32_t v)
{
    at[0] = (uint8_t)(v >> 16);
    put16(at + 1, v);
}

static inline void
put32(uint8_t *at, uint32_t v)
{
    put16(at, v >> 16);
    put16(at + 2, v);
}

static inline void
put64(uint8_t *at, uint64_t v)
{
    put32(at, (uint32_t)(v >> 32));
    put32(at + 4, (uint32_t)v);
}

#endif

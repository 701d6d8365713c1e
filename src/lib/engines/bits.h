/* Sets of ports or slots as bitmaps, in words of 64 bits. */

#ifndef WEIR_LIB_BITS_H
#define WEIR_LIB_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WEIR_WORD_BITS = 64 };

static inline uint32_t
weir_words_for(size_t n_bits)
{
    return (uint32_t)((n_bits + WEIR_WORD_BITS - 1) / WEIR_WORD_BITS);
}

static inline bool
weir_has_bit(const uint64_t *words, uint32_t bit)
{
    return words[bit / WEIR_WORD_BITS] >> bit % WEIR_WORD_BITS & 1;
}

static inline void
weir_set_bit(uint64_t *words, uint32_t bit)
{
    words[bit / WEIR_WORD_BITS] |= (uint64_t)1 << bit % WEIR_WORD_BITS;
}

static inline void
weir_clear_bit(uint64_t *words, uint32_t bit)
{
    words[bit / WEIR_WORD_BITS] &= ~((uint64_t)1 << bit % WEIR_WORD_BITS);
}

static inline bool
weir_has_bits(const uint64_t *words, uint32_t n_words)
{
    for (uint32_t i = 0; i < n_words; i++) {
        if (words[i]) {
            return true;
        }
    }
    return false;
}

static inline uint32_t
weir_first_bit(uint64_t word)
{
    return (uint32_t)__builtin_ctzll(word);
}

/* Hot.  Visits each bit that is set when the loop reaches its word. */
#define WEIR_EACH_BIT(WORDS, N_WORDS, BIT)                                                         \
    for (uint64_t word = 0, left; word < (N_WORDS) && ((left = (WORDS)[word]), true); word++)      \
        for (uint32_t BIT;                                                                         \
             left && ((BIT = (uint32_t)word * WEIR_WORD_BITS + weir_first_bit(left)), true);       \
             left &= left - 1)

#endif

/* Random choices for tests, from a seed that the test keeps, so that it can repeat a failed case.
 */

#ifndef TESTS_CHANCE_H
#define TESTS_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/engine.h"

#define N_OF(TABLE)           (sizeof(TABLE) / sizeof *(TABLE))
#define ONE_OF(CHANCE, TABLE) (TABLE)[below((CHANCE), N_OF(TABLE))]

/* Returns a random number in 0 .. n - 1. */
static inline uint64_t
below(uint64_t *chance, uint64_t n)
{
    return weir_random(chance) % n;
}

static inline bool
one_in(uint64_t *chance, uint64_t n)
{
    return below(chance, n) == 0;
}

#endif

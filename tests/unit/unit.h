/* Common code of all unit tests: cmocka, readable units, and reproducible random numbers. */

#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../chance.h"
#include "weir/engine.h"

#define KB   UINT64_C(1000)
#define US   INT64_C(1000000) /* In picoseconds. */
#define GBPS UINT64_C(1000000000)

/* Random numbers of every length: as many below 2^8 as above 2^56. */
static inline uint64_t
of_any_length(uint64_t *random)
{
    uint64_t v = weir_random(random);
    return v >> below(random, 64);
}

static inline void
expect_said(const char *text, const char *part, const char *file, int line)
{
    if (!strstr(text, part)) {
        print_error("\"%s\" does not say \"%s\"\n", text, part);
        _fail(file, line);
    }
}

#define assert_says(TEXT, PART) expect_said((TEXT), (PART), __FILE__, __LINE__)

#endif

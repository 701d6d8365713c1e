/* Formats measured values as text. Units are those of results files: "ps", "bps", "bytes", "share",
 * "times", ... Values have three significant digits, except "B", which is exact.
 *
 * Rounding is half away from zero, in decimal: 2985000 bytes are 2.99 MB, and 1.005 is 1.01,
 * although no binary number is exactly 1.005. The page rounds by the same rule (web/src/units.ts).
 * tests/output/shown-values.csv has cases for both. */

#ifndef OUTPUT_VALUE_H
#define OUTPUT_VALUE_H

#include <stddef.h>
#include <stdint.h>

#include "weir/field.h"
#include "weir/units.h"

enum { VALUE_BYTES = 40 };

/* Writes "-" for a value that is negative or not a number. */
void value_write(const char *unit, double value, char *out, size_t max);

/* Rounds to three significant digits. */
uint64_t value_rounded(uint64_t);

/* Writes value x 10^shift to three significant digits.  Only a value with more than 17 zeros gets
 * an exponent. */
void value_write_digits(double value, int shift, char *out, size_t max);

/* The suffix of a plural: "" for one, otherwise "s". */
const char *value_plural(uint64_t n);

/* Appends a time, to three digits. */
void value_add_time(struct weir_text *, weir_ps);

/* Appends a length in metres: "1.5", "1.5 m". */
void value_add_metres(struct weir_text *, uint64_t mm);
void value_add_length(struct weir_text *, uint64_t mm);

#endif

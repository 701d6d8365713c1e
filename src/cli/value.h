/* A measured value as text for people, with the unit that results files have for it: "ps", "bps",
 * "bytes", "share", "times", ...  Three digits, except of "B", which is to the last byte. */

#ifndef CLI_VALUE_H
#define CLI_VALUE_H

#include <stddef.h>

enum { VALUE_BYTES = 40 };

/* What is negative or no number is not there: "-". */
void value_write(const char *unit, double value, char *out, size_t max);

#endif

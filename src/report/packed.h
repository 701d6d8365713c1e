/* Columns of numbers for the page, packed: as rec_frame_pack() has them, at most 4096 rows at once,
 * one after the other, in base64.  JavaScript reads them as doubles, so larger values are clipped
 * to PACKED_MOST. */

#ifndef REPORT_PACKED_H
#define REPORT_PACKED_H

#include "base/columns.h"

#define PACKED_MOST ((UINT64_C(1) << 52) - 1)

enum { PACKED_DIGITS = 6 }; /* The scale of fractions on the page. */

/* Text with a 0 at its end: four characters for each started group of three bytes. */
void packed_base64(char *out, const uint8_t *bytes, size_t n);

/* 'n' rows of 'n_columns' numbers each, row by row. */
void json_packed(struct json *, const char *key, const uint64_t *values, size_t n,
                 uint32_t n_columns);

struct packed_rows {
    const void *items;
    size_t row_bytes, n;
};

/* The columns of rows, up to one without a name, as members of an object that is open.  Texts are a
 * list, or indices into a list of the distinct ones.  Fractions are a list, and null is none.  All
 * other numbers are packed, each greater by one, and 0 means unknown. */
void json_columns(struct json *, const struct column *, const struct packed_rows *);

#endif

/* Packed columns of numbers for the page: frames of rec_frame_pack() with at most 4096 rows each,
 * one after another, in base64.  JavaScript reads them as doubles, so larger values are clipped to
 * PACKED_MOST. */

#ifndef REPORT_PACKED_H
#define REPORT_PACKED_H

#include "base/columns.h"

#define PACKED_MOST ((UINT64_C(1) << 52) - 1)

enum { PACKED_DIGITS = 6 }; /* The number of decimals of fractions on the page. */

/* Encodes bytes as text that ends with a zero byte: four characters for each complete or partial
 * group of three bytes. */
void packed_base64(char *out, const uint8_t *bytes, size_t n);

/* Writes 'n' rows of 'n_columns' numbers each, row by row. */
void json_packed(struct json *, const char *key, const uint64_t *values, size_t n,
                 uint32_t n_columns);

struct packed_rows {
    const void *items;
    size_t row_bytes, n;
};

/* Writes the columns of rows as members of an open object, up to a column without a name. Texts are
 * a list, or indices into a list of the distinct texts. Fractions are a list with null for unknown
 * values. All other numbers are packed, increased by 1, and 0 means unknown. */
void json_columns(struct json *, const struct column *, const struct packed_rows *);

#endif

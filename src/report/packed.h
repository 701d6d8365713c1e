/* Columns of numbers for the page, packed: as rec_frame_pack() has them, at most 4096 rows at once,
 * one after the other, in base64.  The page reads them with the numbers that JavaScript has, so
 * what is over PACKED_MOST is given as that. */

#ifndef REPORT_PACKED_H
#define REPORT_PACKED_H

#include "base/json.h"

#define PACKED_MOST ((UINT64_C(1) << 52) - 1)

/* 'n' rows of 'n_columns' numbers each, row by row. */
void json_packed(struct json *, const char *key, const uint64_t *values, size_t n,
                 uint32_t n_columns);

#endif

/* What can be told of something, number by number: a table of names, each with the kind of its
 * value and its place in a struct.  Whoever writes JSON, CSV or a table for people walks the same
 * columns.
 *
 * Values are kept as the struct has them and written in units of their own: a time is a double of
 * picoseconds and is written in seconds.  One that is negative is not known, and so is a count of
 * COLUMN_NO_COUNT. */

#ifndef ANSWER_COLUMNS_H
#define ANSWER_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json.h"

#define COLUMN_NO_COUNT UINT64_MAX

enum column_kind {
    COLUMN_COUNT, /* uint64_t */
    COLUMN_BYTES, /* uint64_t */
    COLUMN_RATE,  /* uint64_t, bits per second */
    COLUMN_TIME,  /* double, picoseconds */
    COLUMN_RATIO, /* double */
    COLUMN_TEXT,  /* const char *, null: none */
};

struct column {
    const char *name; /* "fct_p99_s": in JSON and CSV. */
    enum column_kind kind;
    size_t offset;
};

bool column_is_known(const struct column *, const void *row);
uint64_t column_count(const struct column *, const void *row); /* COUNT, BYTES and RATE. */
double column_real(const struct column *, const void *row);    /* TIME and RATIO. */
const char *column_text(const struct column *, const void *row);

/* All of a row: members of an object that is open; what is not known is null. */
void columns_write_json(struct json *, const struct column *, size_t n, const void *row);

/* A line of names, and the cells of a row, with commas between but none in front or behind; what is
 * not known is empty. */
void columns_write_names(FILE *, const struct column *, size_t n);
void columns_write_cells(FILE *, const struct column *, size_t n, const void *row);

/* One cell of text, in quotes where it needs them. */
void columns_write_text(FILE *, const char *);

#endif

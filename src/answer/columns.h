/* What can be told of something, value by value: a table of columns, each with a name, the kind of
 * its value and the way to it.  Whoever writes JSON, CSV or a table for people walks the same
 * columns.
 *
 *     static const struct column columns[] = {
 *         { "fct_p99_s", COLUMN_TIME, .offset = offsetof(struct group, p99_ps) },
 *         { "fits", COLUMN_YES, .get = get_fits, .head = "fits", .help = "Whether it fits." },
 *     };
 *     columns_write_json(&json, columns, 2, &row);
 *
 * Values are kept as the row has them and written for programs in the unit that ends their name: a
 * time is a double of picoseconds and is written in seconds.  What is not known is null in JSON and
 * empty in CSV. */

#ifndef ANSWER_COLUMNS_H
#define ANSWER_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json.h"
#include "weir/field.h"

#define COLUMN_NO_COUNT UINT64_MAX

enum column_kind {                     /* And what is at the offset of such a column. */
                   COLUMN_COUNT,       /* uint64_t; COLUMN_NO_COUNT: not known. */
                   COLUMN_BYTES,       /* The same; for people to three digits, "22KB". */
                   COLUMN_EXACT_BYTES, /* For people with every digit, "21,968". */
                   COLUMN_RATE,        /* Bits per second; for people to three digits. */
                   COLUMN_EXACT_RATE,  /* With every digit. */
                   COLUMN_LENGTH,      /* Millimetres; in metres for programs. */
                   COLUMN_YES,         /* 0: no. */
                   COLUMN_TIME,        /* double, picoseconds; negative: not known. */
                   COLUMN_RATIO,       /* double; negative: not known. */
                   COLUMN_TEXT,        /* const char *; null: not known. */
};

/* A value, taken from a row. */
struct cell {
    bool is_known;
    uint64_t number;       /* Of all kinds but: */
    double real;           /* TIME and RATIO; */
    const char *text;      /* TEXT, unless it */
    struct weir_text made; /* was made here. */
};

struct column {
    const char *name; /* "fct_p99_s": in JSON and CSV; null: it is not for programs. */
    enum column_kind kind;
    size_t offset;    /* Of the value in a row, unless there is a way to get it: */
    const char *head; /* For people; null: not for them, or they are told another way. */
    void (*get)(const void *row, const struct column *, struct cell *);
    const char *help; /* What it means, for pages; or null. */
    size_t nth;       /* Of columns that are made while a program runs: which of them. */
};

/* A getter in a line: the type of its row, which is 'r' there, its name, what it does to 'cell',
 * which is not known until something sets it. */
#define COLUMN_GET(TYPE, NAME, ...)                                                                \
    static void NAME(const void *row, const struct column *c, struct cell *cell)                   \
    {                                                                                              \
        const struct TYPE *r = row;                                                                \
        (void)c;                                                                                   \
        __VA_ARGS__;                                                                               \
    }

void cell_number(struct cell *, uint64_t);
void cell_real(struct cell *, double);
void cell_text(struct cell *, const char *); /* Which stays where it is. */
struct weir_text *cell_made(struct cell *);  /* To add text to. */
const char *cell_words(const struct cell *); /* The text that it has, either way. */

void column_read(const struct column *, const void *row, struct cell *);
bool column_is_known(const struct column *, const void *row);
double column_real(const struct column *, const void *row); /* TIME and RATIO. */

/* All of a row: members of an object that is open. */
void columns_write_json(struct json *, const struct column *, size_t n, const void *row);

/* A line of names, and the cells of a row, with commas between but none in front or behind. */
void columns_write_names(FILE *, const struct column *, size_t n);
void columns_write_cells(FILE *, const struct column *, size_t n, const void *row);

#endif

/* Columns: the values of a row, each with its name, its kind and its offset in the row.
 *
 *     static const struct column columns[] = {
 *         { "fct_p99_ps", COLUMN_TIME, .offset = offsetof(struct group, fct_p99_ps) },
 *         { "fits", COLUMN_YES, .get = get_fits, .head = "fits", .help = "Whether it fits." },
 *     };
 *     columns_write_json(&json, columns, 2, &row);
 *
 * JSON, CSV, tables for users, results files and the page walk the same columns.  A name ends with
 * its unit, and programs read the value in that unit: times are whole picoseconds everywhere.  An
 * unknown value is null in JSON, NULL in SQL and empty in CSV. */

#ifndef BASE_COLUMNS_H
#define BASE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json.h"
#include "weir/field.h"
#include "weir/units.h"

#define COLUMN_NO_COUNT UINT64_MAX
#define COLUMN_NO_ID    UINT32_MAX

enum { COLUMN_NAME_BYTES = 136, COLUMN_CELL_BYTES = 32 };

/* The kind of a value, and the type at the offset of its column. */
enum column_kind {
    COLUMN_COUNT,       /* uint64_t; COLUMN_NO_COUNT: unknown. */
    COLUMN_BYTES,       /* Bytes as uint64_t; in text with three digits, "22 KB". */
    COLUMN_EXACT_BYTES, /* Bytes; in text with all digits, "21,968". */
    COLUMN_RATE,        /* Bits per second; in text with three digits. */
    COLUMN_LENGTH,      /* Millimetres; in metres for programs. */
    COLUMN_YES,         /* 0: no. */
    COLUMN_HASH,        /* uint64_t; 16 hexadecimal digits. */
    COLUMN_ID,          /* uint32_t; COLUMN_NO_ID: unknown. */
    COLUMN_TIME,        /* weir_ps; negative: unknown. */
    COLUMN_REAL_TIME,   /* double, picoseconds, written as a whole number; negative: unknown. */
    COLUMN_RATIO,       /* double; negative: unknown. */
    COLUMN_SHARE,       /* A ratio; in text as a percentage, "12.5 %". */
    COLUMN_SECONDS,     /* double, seconds of a real clock; negative: unknown. */
    COLUMN_TEXT,        /* const char *; null: unknown. */
    COLUMN_NAME,        /* char[COLUMN_NAME_BYTES]; empty: unknown. */
    COLUMN_BLOB,        /* struct column_blob; only in results files. */
    COLUMN_N_KINDS
};

struct column_blob {
    const uint8_t *at;
    size_t n;
};

/* How the values of several runs are reduced to one; REDUCE_NONE: they are not. */
enum column_reduce {
    REDUCE_NONE,
    REDUCE_MEAN,
    REDUCE_MEDIAN,
    REDUCE_MIN,
    REDUCE_MAX,
    REDUCE_SUM,
    REDUCE_RUNS /* The number of runs that have the value. */
};

/* A value, taken from a row. */
struct cell {
    bool is_known;
    uint64_t number;       /* Whole numbers and times. */
    double real;           /* Other numbers. */
    const char *text;      /* Texts and names; null: 'made' has the text. */
    struct weir_text made; /* A text that a getter generated. */
};

struct column {
    /* The name for programs, such as "fct_p99_ps"; null: only users see the column. */
    const char *name;
    enum column_kind kind;
    size_t offset;    /* The offset of the value in a row, unless there is a getter. */
    const char *head; /* The heading in text; null: the text has no such column, or another form. */
    void (*get)(const void *row, const struct column *, struct cell *);
    const char *help;  /* One sentence that explains the column; or null. */
    const char *words; /* Used by facts (answer/run-facts.def); or null. */
    size_t nth;        /* A number for columns that are created at run time. */
    /* The value may be NULL in a results file. A table for users leaves out the column if no row
     * has it. */
    bool is_optional;
    /* This column and those before it name a row: if a wide table is split, each part begins with
     * them. By default only the first column names a row. */
    bool is_name;
    bool is_right;                /* Aligns a text to the right, like numbers. */
    const char *unknown;          /* The text for a row without a value; null: an empty cell. */
    enum column_reduce over_runs; /* Used by facts (answer/facts.h). */
    const char *claim;            /* Used by facts: the short name in claims; or null. */
};

/* Defines a getter: the type of its row, called 'r' there, its name, and the code that fills
 * 'cell', which is unknown until something sets it. */
#define COLUMN_GET(TYPE, NAME, ...)                                                                \
    static void NAME(const void *row, const struct column *c, struct cell *cell)                   \
    {                                                                                              \
        const struct TYPE *r = row;                                                                \
        (void)c;                                                                                   \
        __VA_ARGS__;                                                                               \
    }

void cell_number(struct cell *, uint64_t);
void cell_real(struct cell *, double);
void cell_text(struct cell *, const char *); /* The text is not copied. */
/* The buffer for generated text, to which the caller adds. */
struct weir_text *cell_made(struct cell *);
const char *cell_words(const struct cell *); /* The text of the cell, given or generated. */

void column_read(const struct column *, const void *row, struct cell *);
bool column_is_known(const struct column *, const void *row);

/* Reads a whole number, id, time or hash. Returns false if the value is unknown, or of another
 * kind. */
bool column_whole(const struct column *, const void *row, uint64_t *);

/* Reads a value as a number in the unit that its name ends with. Returns false if the value is
 * unknown, or not a number. */
bool column_number(const struct column *, const void *row, double *);

/* Sets a value in a row; the column must have no getter. A text is not copied; a name is copied,
 * and cut if it is too long. */
void column_put(const struct column *, void *row, const struct cell *);

/* Sets a number. It is rounded if the column has whole numbers; a negative number means unknown. */
void column_set(const struct column *, void *row, double);

/* Sets every value of a row to unknown. */
void columns_clear(const struct column *, size_t n, void *row);

/* A value as CSV has it, but without quotes; "": unknown. The text is in 'room' or in the row. */
const char *column_text(const struct column *, const void *row, char room[COLUMN_CELL_BYTES]);

/* Writes values as members of an open object. */
void columns_write_json(struct json *, const struct column *, size_t n, const void *row);

/* Write a line of names, or the cells of a row, separated by commas. */
void columns_write_names(FILE *, const struct column *, size_t n);
void columns_write_cells(FILE *, const struct column *, size_t n, const void *row);

/* The number of columns before the one with neither name nor heading. */
size_t columns_count(const struct column *);

/* The column with this name, or null. */
const struct column *columns_find(const struct column *, size_t n, const char *name);

/* The storage of a kind in memory. */
enum column_store {
    STORE_NUMBER,
    STORE_ID,
    STORE_PS,
    STORE_REAL,
    STORE_TEXT,
    STORE_NAME,
    STORE_BLOB
};

enum column_store column_store(enum column_kind);

#endif

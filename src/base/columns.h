/* Columns: the values of a row, each with its name, its kind and the way to it.
 *
 *     static const struct column columns[] = {
 *         { "fct_p99_ps", COLUMN_TIME, .offset = offsetof(struct group, fct_p99_ps) },
 *         { "fits", COLUMN_YES, .get = get_fits, .head = "fits", .help = "Whether it fits." },
 *     };
 *     columns_write_json(&json, columns, 2, &row);
 *
 * JSON, CSV, tables for people, results files and the page walk the same columns.  A name ends with
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
    COLUMN_COUNT,       /* uint64_t; COLUMN_NO_COUNT: not known. */
    COLUMN_BYTES,       /* The same; for people to three digits, "22 KB". */
    COLUMN_EXACT_BYTES, /* In text with every digit, "21,968". */
    COLUMN_RATE,        /* Bits per second; for people to three digits. */
    COLUMN_LENGTH,      /* Millimetres; in metres for programs. */
    COLUMN_YES,         /* 0: no. */
    COLUMN_HASH,        /* uint64_t; 16 hexadecimal digits. */
    COLUMN_ID,          /* uint32_t; COLUMN_NO_ID: not known. */
    COLUMN_TIME,        /* weir_ps; negative: not known. */
    COLUMN_REAL_TIME,   /* double, picoseconds, written as whole ones; negative: not known. */
    COLUMN_RATIO,       /* double; negative: not known. */
    COLUMN_SHARE,       /* The same; for people in percent, "12.5 %". */
    COLUMN_SECONDS,     /* double, of a real clock; negative: not known. */
    COLUMN_TEXT,        /* const char *; null: not known. */
    COLUMN_NAME,        /* char[COLUMN_NAME_BYTES]; empty: not known. */
    COLUMN_BLOB,        /* struct column_blob; only in results files. */
    COLUMN_N_KINDS
};

struct column_blob {
    const uint8_t *at;
    size_t n;
};

/* How a value over several runs is made of theirs.  None: it is not. */
enum column_reduce {
    REDUCE_NONE,
    REDUCE_MEAN,
    REDUCE_MEDIAN,
    REDUCE_MIN,
    REDUCE_MAX,
    REDUCE_SUM,
    REDUCE_RUNS /* The number of runs that have it. */
};

/* A value, taken from a row. */
struct cell {
    bool is_known;
    uint64_t number;       /* Whole numbers and times. */
    double real;           /* Other numbers. */
    const char *text;      /* Texts and names, unless the text */
    struct weir_text made; /* was made here. */
};

struct column {
    const char *name; /* "fct_p99_ps": for programs; null: it is not for them. */
    enum column_kind kind;
    size_t offset;    /* Where the value is in a row, unless there is a getter. */
    const char *head; /* The heading in text; null: not there, or in another form. */
    void (*get)(const void *row, const struct column *, struct cell *);
    const char *help;    /* One sentence that explains it, or null. */
    const char *words;   /* Used by facts: see answer/run-facts.def; or null. */
    size_t nth;          /* Numbers columns that are made while a program runs. */
    bool is_optional;    /* It may be NULL in a results file; a table for people leaves it out if no
                          * row has it. */
    bool is_name;        /* It names a row with those before it: each part of a table that is split
                          * begins with it.  By default it is the first column. */
    bool is_right;       /* Aligns a text to the right, like numbers. */
    const char *unknown; /* The text for a row without a value; null: an empty cell. */
    enum column_reduce over_runs; /* Used by facts: see answer/facts.h. */
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
void cell_text(struct cell *, const char *); /* The caller keeps the text. */
struct weir_text *cell_made(struct cell *);  /* To add text to. */
const char *cell_words(const struct cell *); /* The text of the cell, of either kind. */

void column_read(const struct column *, const void *row, struct cell *);
bool column_is_known(const struct column *, const void *row);

/* A whole number, id, time or hash as it is; false: it is unknown, or another kind. */
bool column_whole(const struct column *, const void *row, uint64_t *);

/* A value as a number in the unit of its name; false: it is unknown, or none. */
bool column_number(const struct column *, const void *row, double *);

/* Sets a value, the reverse of reading it without a getter.  A text is not copied; of a name the
 * part that fits is copied. */
void column_put(const struct column *, void *row, const struct cell *);

/* The same of a number, which is rounded where values are whole; negative: it is unknown. */
void column_set(const struct column *, void *row, double);

/* Sets every value of a row to unknown. */
void columns_clear(const struct column *, size_t n, void *row);

/* A value as CSV has it, without quotes: in 'room', or where the row has it; "": not known. */
const char *column_text(const struct column *, const void *row, char room[COLUMN_CELL_BYTES]);

/* Members of an object that is open. */
void columns_write_json(struct json *, const struct column *, size_t n, const void *row);

/* A line of names, and the cells of a row, with commas between but none in front or behind. */
void columns_write_names(FILE *, const struct column *, size_t n);
void columns_write_cells(FILE *, const struct column *, size_t n, const void *row);

/* How many there are before the one with neither name nor head. */
size_t columns_count(const struct column *);

/* The column of that name, or null. */
const struct column *columns_find(const struct column *, size_t n, const char *name);

/* How a kind is stored in memory. */
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

/* Tables that are described once, by their columns, and shown in five forms.
 *
 *     static const struct column columns[] = {
 *         { "headroom_bytes", "headroom", COLUMN_SIZE, headroom, "Bytes above the threshold." },
 *         { 0 },
 *     };
 *     table_show(stdout, &(struct table){ "the switch", columns, rows, n, sizeof *rows },
 * FORM_TEXT);
 *
 * A column with a key is for programs: it is in CSV and JSON, as a plain number in the unit that
 * ends its key.  One with a head is for people: it is in text, Markdown and pages, with a unit and
 * three digits.  Most are both.  What a row does not have is an empty cell, and null in JSON. */

#ifndef CLI_PLAN_TABLE_H
#define CLI_PLAN_TABLE_H

#include <stdio.h>

#include "base/json.h"
#include "weir/field.h"

enum column_kind {
    COLUMN_TEXT,
    COLUMN_COUNT,
    COLUMN_BYTES,  /* "21,968" */
    COLUMN_SIZE,   /* "22KB" */
    COLUMN_RATE,   /* In bits per second. */
    COLUMN_TIME,   /* In ps; in seconds for programs. */
    COLUMN_LENGTH, /* In mm; in metres for programs. */
    COLUMN_YES,    /* Yes or no. */
};

struct cell {
    bool is_known;
    uint64_t number;
    struct weir_text text;
};

struct column {
    const char *key;  /* For programs; null: not for them. */
    const char *head; /* For people; null: not for them. */
    enum column_kind kind;
    void (*get)(const void *row, const struct column *, struct cell *);
    const char *help; /* What it means, for pages; or null. */
    size_t nth;       /* Of columns that are made while a program runs: which of them. */
};

struct table {
    const char *title;            /* Or null. */
    const struct column *columns; /* Ends with neither key nor head. */
    const void *rows;
    size_t n_rows, row_bytes;
};

enum table_form { FORM_TEXT, FORM_MARKDOWN, FORM_PAGE, FORM_CSV, FORM_JSON };

void table_show(FILE *, const struct table *, enum table_form);

/* In JSON: a list at a key; or the fields of one row, in an object that is open. */
void table_json(struct json *, const char *key, const struct table *);
void table_json_row(struct json *, const struct table *, size_t row);

/* A getter in a line: the type of its row, which is 'r' there, its name, what it does to 'cell'. */
#define TABLE_GET(TYPE, NAME, ...)                                                                 \
    static void NAME(const void *row, const struct column *c, struct cell *cell)                   \
    {                                                                                              \
        const struct TYPE *r = row;                                                                \
        (void)c;                                                                                   \
        __VA_ARGS__;                                                                               \
    }

void cell_number(struct cell *, uint64_t);
void cell_text(struct cell *, const char *);

/* Text as Markdown and pages have it, so that nothing in it is taken for a mark. */
void table_escape(FILE *, const char *text, enum table_form);

/* 21968 as "21,968". */
enum { GROUPED_BYTES = 32 };
const char *table_grouped(uint64_t, char room[GROUPED_BYTES]);

#endif

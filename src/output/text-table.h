/* A table for people: cells are added row by row, and columns become as wide as their cells.
 *
 *     struct table t = { .n_left = 1 };
 *     table_add(&t, "%s", "flow");
 *     table_add(&t, "%s", "size");
 *     table_end_row(&t);
 *     ...
 *     table_write(out, &t);                     frees the cells
 *
 * Most numbers are rounded to three digits, as everywhere; programs get theirs from the same
 * columns (base/columns.h) as JSON or CSV. */

#ifndef OUTPUT_TEXT_TABLE_H
#define OUTPUT_TEXT_TABLE_H

#include "base/columns.h"

struct table {
    char **cells;
    size_t n_cells, max_cells;
    size_t n_columns; /* Every row has as many; 0: the first row has not ended. */
    size_t n_left;    /* So many columns, the first ones, begin at their left side; others end at
                       * their right. */
    uint64_t left;    /* Bit i: column i begins at its left side, too. */
    size_t n_names;   /* So many columns, the first ones, name a row: a table that is wider than the
                       * terminal is written as blocks, which all begin with them.  0: one. */
};

void table_add(struct table *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A value that is not known becomes "-". */
void table_add_value(struct table *, const struct column *, const void *row);

void table_end_row(struct table *);
void table_write(FILE *, struct table *);

/* The value of a column for people, "1.23ms". */
void table_write_value(struct weir_text *, const struct column *, const void *row);

/* 21968 as "21,968". */
enum { GROUPED_BYTES = 32 };
const char *table_grouped(uint64_t, char room[GROUPED_BYTES]);

#endif

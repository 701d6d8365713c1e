/* Writes values and tables for people.  Most numbers are rounded to three digits, as everywhere;
 * programs get theirs from the same columns (base/columns.h) as JSON or CSV. */

#ifndef OUTPUT_TEXT_TABLE_H
#define OUTPUT_TEXT_TABLE_H

#include "base/columns.h"

/* The value of a column for people, "1.23 ms"; one that is not known is "-". */
void table_write_value(struct weir_text *, const struct column *, const void *row);

/* 21968 as "21,968". */
enum { GROUPED_BYTES = 32 };
const char *table_grouped(uint64_t, char room[GROUPED_BYTES]);

/* Rows of cells, the first of heads: the caller's, as many to a row as there are columns. */
struct text_table {
    const struct column *const *columns;
    size_t n_columns;
    char *const *cells;
    size_t n_cells;
};

bool column_is_left(const struct column *); /* Its cells begin at their left side. */

/* Columns become as wide as their cells.  A table that is wider than the terminal is written as
 * blocks of columns, each of which begins with the columns that name a row. */
void text_table_write(FILE *, const struct text_table *);

#endif

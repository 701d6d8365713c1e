/* Writes values and tables as text for users. Most numbers are rounded to three digits; programs
 * get exact ones from the same columns (base/columns.h) as JSON or CSV. */

#ifndef OUTPUT_TEXT_TABLE_H
#define OUTPUT_TEXT_TABLE_H

#include "base/columns.h"

/* Writes the value of a column as text, "1.23 ms"; an unknown value is "-". */
void table_write_value(struct weir_text *, const struct column *, const void *row);

/* Writes a number with its digits in groups: 21968 is "21,968". */
enum { GROUPED_BYTES = 32 };
const char *table_grouped(uint64_t, char room[GROUPED_BYTES]);

/* A table. The caller owns its cells, which are stored row by row; the first row has the
 * headings. */
struct text_table {
    const struct column *const *columns;
    size_t n_columns;
    char *const *cells;
    size_t n_cells;
};

/* Whether the cells of a column are aligned to the left. */
bool column_is_left(const struct column *);

/* Writes a table. Columns are as wide as their cells. A table that is wider than the terminal is
 * written as blocks of columns, each of which begins with the columns that name a row. */
void text_table_write(FILE *, const struct text_table *);

#endif

/* Tables in five forms: their rows and columns (base/columns.h) are described once.
 *
 *     static const struct column columns[] = {
 *         { "headroom_bytes", COLUMN_BYTES, .offset = offsetof(struct row, headroom_bytes),
 *           .head = "headroom", .help = "Bytes above the threshold." },
 *         { 0 },
 *     };
 *     struct form_table l = { "the switch", columns, rows, n, sizeof *rows };
 *     form_table_show(stdout, &l, FORM_TEXT);
 *
 * A column with a name is for programs, in CSV and JSON.  A column with a heading is for users, in
 * text, Markdown and pages.  Most columns are both.  A value that a row lacks is an empty cell,
 * unless the column says otherwise, and null in JSON. */

#ifndef OUTPUT_FORM_TABLE_H
#define OUTPUT_FORM_TABLE_H

#include "output/text-table.h"

struct form_table {
    const char *title;            /* Or null. */
    const struct column *columns; /* A column with neither name nor heading ends the list. */
    const void *rows;
    size_t n_rows, row_bytes;
};

enum table_form { FORM_TEXT, FORM_MARKDOWN, FORM_PAGE, FORM_CSV, FORM_JSON };

void form_table_show(FILE *, const struct form_table *, enum table_form);

/* Write JSON: a list at a key, or the fields of one row in an open object. */
void form_table_json(struct json *, const char *key, const struct form_table *);
void form_table_json_row(struct json *, const struct form_table *, size_t row);

/* Writes text escaped for Markdown or pages. */
void form_table_escape(FILE *, const char *text, enum table_form);

#endif

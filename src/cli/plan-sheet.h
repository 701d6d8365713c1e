/* What a plan says, for people: headings, lines and tables, as text, Markdown or a page.
 *
 * Whoever shows something says it once, to a sheet; the form is the sheet's concern.  A page is one
 * file that needs nothing else: no script, nothing from outside, and a policy that says so.  Its
 * last part explains the columns of the tables that were shown. */

#ifndef CLI_PLAN_SHEET_H
#define CLI_PLAN_SHEET_H

#include "output/form-table.h"

enum sheet_piece {
    SHEET_TITLE,
    SHEET_HEADING,
    SHEET_LINE,
    SHEET_VERDICT, /* A line that is not to be missed. */
    SHEET_WARNING,
    SHEET_ITEM, /* Of a list, which ends with the next other thing. */
    SHEET_N_PIECES
};

struct sheet {
    FILE *out;
    enum table_form form; /* FORM_TEXT, FORM_MARKDOWN or FORM_PAGE. */
    bool is_in_list, is_past_table;
    const struct column **explained; /* Columns that were shown, each help once. */
    size_t n_explained, max_explained;
};

/* A page with its frame, and what stands between; of other forms the title alone, if any. */
void sheet_begin(struct sheet *, const char *title);
void sheet_end(struct sheet *);

void sheet_say(struct sheet *, enum sheet_piece, const char *);
void sheet_table(struct sheet *, const struct form_table *); /* Under its title, if it has one. */

#endif

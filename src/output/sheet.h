/* A document for users: headings, lines and tables, as text, Markdown or a page of HTML.
 *
 * A caller adds each part once to a sheet, which knows the output format. A page is one file
 * without scripts or external resources, and has a policy that forbids both. Its last part explains
 * the columns of its tables. */

#ifndef OUTPUT_SHEET_H
#define OUTPUT_SHEET_H

#include "output/form-table.h"

enum sheet_piece {
    SHEET_TITLE,
    SHEET_HEADING,
    SHEET_LINE,
    SHEET_VERDICT, /* The verdict, which is set off from other lines. */
    SHEET_WARNING,
    SHEET_ITEM, /* An item of a list. The list ends at the next piece of another sort. */
    SHEET_N_PIECES
};

struct sheet {
    FILE *out;
    enum table_form form; /* FORM_TEXT, FORM_MARKDOWN or FORM_PAGE. */
    bool is_in_list, is_past_table;
    const struct column **explained; /* The columns that were shown; each help text appears once. */
    size_t n_explained, max_explained;
};

/* Begin and end a document. A page gets its frame, other formats only the title, if there is
 * one. */
void sheet_begin(struct sheet *, const char *title);
void sheet_end(struct sheet *);

void sheet_add_sentence(struct sheet *, enum sheet_piece, const char *);
/* Writes a table under its title, if it has one. */
void sheet_table(struct sheet *, const struct form_table *);

#endif

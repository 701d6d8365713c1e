/* Writes a table as text, Markdown, HTML, CSV or JSON. */

#include "output/form-table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

static const void *
row_at(const struct form_table *l, size_t row)
{
    return (const char *)l->rows + row * l->row_bytes;
}

/* Forms for users: text, Markdown and pages. */

/* A table with its visible columns, which are chosen once for all rows. */
struct shown {
    const struct form_table *l;
    const struct column **columns;
    size_t n;
};

static bool
is_shown(const struct form_table *l, const struct column *c)
{
    bool is = c->head && !c->is_optional;

    for (size_t row = 0; c->head && !is && row < l->n_rows; row++) {
        is = column_is_known(c, row_at(l, row));
    }
    return is;
}

static struct shown
choose_shown(const struct form_table *l)
{
    struct shown s = { l, array_new(columns_count(l->columns), sizeof *s.columns), 0 };

    for (const struct column *c = l->columns; c->name || c->head; c++) {
        if (is_shown(l, c)) {
            s.columns[s.n++] = c;
        }
    }
    return s;
}

/* The text of a column's head (null row), or of its value in a row. */
static struct weir_text
words_of(const struct form_table *l, const struct column *c, const size_t *row)
{
    struct weir_text text = { 0 };

    if (!row) {
        weir_text_add(&text, "%s", c->head);
    } else if (column_is_known(c, row_at(l, *row))) {
        table_write_value(&text, c, row_at(l, *row));
    } else {
        weir_text_add(&text, "%s", c->unknown ? c->unknown : "");
    }
    return text;
}

static void
show_text(FILE *out, const struct shown *s)
{
    size_t n = 0, n_cells = (s->l->n_rows + 1) * s->n;
    char **cells = array_new(n_cells, sizeof *cells);

    for (size_t line = 0; line <= s->l->n_rows; line++) {
        size_t row = line - 1;
        for (size_t i = 0; i < s->n; i++) {
            cells[n++] = strdup(words_of(s->l, s->columns[i], line ? &row : NULL).s);
        }
    }
    text_table_write(out, &(struct text_table){ s->columns, s->n, cells, n_cells });
    for (size_t i = 0; i < n_cells; i++) {
        free(cells[i]);
    }
    free(cells);
}

/* Writes text and escapes it: in Markdown bars, which end a cell, and formatting characters; in
 * pages the special characters of HTML. */
void
form_table_escape(FILE *out, const char *text, enum table_form form)
{
    static const struct {
        enum table_form form;
        char mark;
        const char *as;
    } marks[] = {
        { FORM_MARKDOWN, '|', "\\|" },   { FORM_MARKDOWN, '*', "\\*" },
        { FORM_MARKDOWN, '_', "\\_" },   { FORM_MARKDOWN, '`', "\\`" },
        { FORM_MARKDOWN, '<', "&lt;" },  { FORM_MARKDOWN, '[', "\\[" },
        { FORM_MARKDOWN, '\\', "\\\\" }, { FORM_MARKDOWN, '&', "&amp;" },
        { FORM_PAGE, '<', "&lt;" },      { FORM_PAGE, '>', "&gt;" },
        { FORM_PAGE, '&', "&amp;" },     { FORM_PAGE, '"', "&quot;" },
        { FORM_PAGE, '\'', "&#39;" },
    };
    char *repaired = text_repaired(text, strlen(text));

    for (const char *c = repaired; *c; c++) {
        size_t i = 0, n = sizeof marks / sizeof *marks;
        while (i < n && (marks[i].form != form || marks[i].mark != *c)) {
            i++;
        }
        if (i < n) {
            fputs(marks[i].as, out);
        } else {
            fputc(form == FORM_TEXT || (unsigned char)*c >= ' ' ? *c : ' ', out);
        }
    }
    free(repaired);
}

static void
put_markdown_row(FILE *out, const struct shown *s, const size_t *row)
{
    for (size_t i = 0; i < s->n; i++) {
        struct weir_text text = words_of(s->l, s->columns[i], row);
        fprintf(out, "| ");
        form_table_escape(out, text.s, FORM_MARKDOWN);
        fprintf(out, " ");
    }
    fprintf(out, "|\n");
}

static void
show_markdown(FILE *out, const struct shown *s)
{
    put_markdown_row(out, s, NULL);
    for (size_t i = 0; i < s->n; i++) {
        fprintf(out, "%s", column_is_left(s->columns[i]) ? "| --- " : "| ---: ");
    }
    fprintf(out, "|\n");
    for (size_t row = 0; row < s->l->n_rows; row++) {
        put_markdown_row(out, s, &row);
    }
}

static void
put_page_row(FILE *out, const struct shown *s, const size_t *row)
{
    const char *tag = row ? "td" : "th";

    fprintf(out, "<tr>");
    for (size_t i = 0; i < s->n; i++) {
        struct weir_text text = words_of(s->l, s->columns[i], row);
        fprintf(out, "<%s%s%s>", tag, row ? "" : " scope=\"col\"",
                column_is_left(s->columns[i]) ? "" : " class=\"number\"");
        form_table_escape(out, text.s, FORM_PAGE);
        fprintf(out, "</%s>", tag);
    }
    fprintf(out, "</tr>\n");
}

static void
show_page(FILE *out, const struct shown *s)
{
    fprintf(out, "<div class=\"wide\"><table>\n<thead>\n");
    put_page_row(out, s, NULL);
    fprintf(out, "</thead>\n<tbody>\n");
    for (size_t row = 0; row < s->l->n_rows; row++) {
        put_page_row(out, s, &row);
    }
    fprintf(out, "</tbody>\n</table></div>\n");
}

/* Forms for programs: CSV and JSON. */

void
form_table_json_row(struct json *j, const struct form_table *l, size_t row)
{
    columns_write_json(j, l->columns, columns_count(l->columns), row_at(l, row));
}

void
form_table_json(struct json *j, const char *key, const struct form_table *l)
{
    json_open(j, key, '[');
    for (size_t row = 0; row < l->n_rows; row++) {
        json_open(j, NULL, '{');
        form_table_json_row(j, l, row);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
show_json(FILE *out, const struct shown *s)
{
    struct json j = { .out = out, .lines = 1 };

    form_table_json(&j, NULL, s->l);
}

static void
show_csv(FILE *out, const struct shown *s)
{
    const struct form_table *l = s->l;

    columns_write_names(out, l->columns, columns_count(l->columns));
    fputc('\n', out);
    for (size_t row = 0; row < l->n_rows; row++) {
        columns_write_cells(out, l->columns, columns_count(l->columns), row_at(l, row));
        fputc('\n', out);
    }
}

void
form_table_show(FILE *out, const struct form_table *l, enum table_form form)
{
    static void (*const shows[])(FILE *, const struct shown *) = {
        [FORM_TEXT] = show_text, [FORM_MARKDOWN] = show_markdown, [FORM_PAGE] = show_page,
        [FORM_CSV] = show_csv,   [FORM_JSON] = show_json,
    };
    struct shown shown = choose_shown(l);

    shows[form](out, &shown);
    free(shown.columns);
}

/* How a table of columns becomes text, Markdown, a part of a page, CSV or JSON. */

#include "cli/plan-table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "cli/cli.h"
#include "plan/plan.h"

typedef unsigned long long llu; /* As printf() has it. */

void
cell_number(struct cell *c, uint64_t number)
{
    c->is_known = true;
    c->number = number;
}

void
cell_text(struct cell *c, const char *text)
{
    c->is_known = true;
    weir_text_add(&c->text, "%s", text);
}

static bool
is_end(const struct column *c)
{
    return !c->key && !c->head;
}

static struct cell
cell_of(const struct table *t, const struct column *c, size_t row)
{
    struct cell cell = { 0 };
    c->get((const char *)t->rows + row * t->row_bytes, c, &cell);
    return cell;
}

const char *
table_grouped(uint64_t v, char room[GROUPED_BYTES])
{
    char *at = room + GROUPED_BYTES - 1;

    *at = '\0';
    for (int n_digits = 0; !n_digits || v; n_digits++, v /= 10) {
        if (n_digits && n_digits % 3 == 0) {
            *--at = ',';
        }
        *--at = (char)('0' + v % 10);
    }
    return at;
}

/* For people. */

static void
add_for_people(const struct column *c, const struct cell *cell, struct weir_text *out)
{
    uint64_t rounded = cli_rounded(cell->number);
    char room[GROUPED_BYTES];

    switch (c->kind) {
    case COLUMN_TEXT:
        weir_text_add(out, "%s", cell->text.s);
        break;
    case COLUMN_COUNT:
        weir_text_add(out, "%u", cell->number);
        break;
    case COLUMN_BYTES:
        weir_text_add(out, "%s", table_grouped(cell->number, room));
        break;
    case COLUMN_SIZE:
        weir_text_add(out, "%B", rounded);
        break;
    case COLUMN_RATE:
        weir_text_add(out, "%R", cell->number);
        break;
    case COLUMN_TIME:
        weir_text_add(out, "%T", (weir_ps)rounded);
        break;
    case COLUMN_LENGTH:
        plan_length_add(out, cell->number);
        break;
    case COLUMN_YES:
        weir_text_add(out, cell->number ? "yes" : "no");
        break;
    }
}

static struct weir_text
shown(const struct table *t, const struct column *c, size_t row)
{
    struct cell cell = cell_of(t, c, row);
    struct weir_text out = { 0 };

    if (cell.is_known) {
        add_for_people(c, &cell, &out);
    }
    return out;
}

static bool
is_number(const struct column *c)
{
    return c->kind != COLUMN_TEXT && c->kind != COLUMN_YES;
}

/* Characters, not bytes: names of switches may be anyone's. */
static size_t
width_of(const char *text)
{
    size_t width = 0;

    for (; *text; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return width;
}

static size_t
column_width(const struct table *t, const struct column *c)
{
    size_t widest = width_of(c->head);

    for (size_t row = 0; row < t->n_rows; row++) {
        struct weir_text text = shown(t, c, row);
        size_t width = width_of(text.s);
        widest = width > widest ? width : widest;
    }
    return widest;
}

static bool
is_last(const struct column *c)
{
    for (c++; !is_end(c); c++) {
        if (c->head) {
            return false;
        }
    }
    return true;
}

static void
put_text(FILE *out, const struct column *c, const char *text, size_t width, bool is_first)
{
    size_t gap = width - width_of(text);

    fprintf(out, "%s%*s%s", is_first ? "" : "  ", is_number(c) ? (int)gap : 0, "", text);
    if (!is_number(c) && !is_last(c)) {
        fprintf(out, "%*s", (int)gap, "");
    }
}

static void
show_text(FILE *out, const struct table *t)
{
    size_t n = 0, i = 0;

    while (!is_end(&t->columns[n])) {
        n++;
    }
    size_t *widths = array_new(n, sizeof *widths);
    for (i = 0; i < n; i++) {
        widths[i] = t->columns[i].head ? column_width(t, &t->columns[i]) : 0;
    }
    for (size_t row = 0; row <= t->n_rows; row++) {
        bool is_first = true;
        for (i = 0; i < n; i++) {
            const struct column *c = &t->columns[i];
            if (c->head) {
                struct weir_text text = { 0 };
                text = row ? shown(t, c, row - 1) : text;
                put_text(out, c, row ? text.s : c->head, widths[i], is_first);
                is_first = false;
            }
        }
        fprintf(out, "\n");
    }
    free(widths);
}

/* Bars end a cell of Markdown, and marks would be obeyed; in pages, what HTML reads as marks. */
void
table_escape(FILE *out, const char *text, enum table_form form)
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
    char *mended = text_mended(text, strlen(text));

    for (const char *c = mended; *c; c++) {
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
    free(mended);
}

static void
put_markdown_row(FILE *out, const struct table *t, const size_t *row)
{
    for (const struct column *c = t->columns; !is_end(c); c++) {
        if (c->head) {
            struct weir_text text = { 0 };
            text = row ? shown(t, c, *row) : text;
            fprintf(out, "| ");
            table_escape(out, row ? text.s : c->head, FORM_MARKDOWN);
            fprintf(out, " ");
        }
    }
    fprintf(out, "|\n");
}

static void
show_markdown(FILE *out, const struct table *t)
{
    put_markdown_row(out, t, NULL);
    for (const struct column *c = t->columns; !is_end(c); c++) {
        fprintf(out, "%s", !c->head ? "" : is_number(c) ? "| ---: " : "| --- ");
    }
    fprintf(out, "|\n");
    for (size_t row = 0; row < t->n_rows; row++) {
        put_markdown_row(out, t, &row);
    }
}

static void
put_page_row(FILE *out, const struct table *t, const size_t *row)
{
    const char *tag = row ? "td" : "th";

    fprintf(out, "<tr>");
    for (const struct column *c = t->columns; !is_end(c); c++) {
        if (c->head) {
            struct weir_text text = { 0 };
            text = row ? shown(t, c, *row) : text;
            fprintf(out, "<%s%s%s>", tag, row ? "" : " scope=\"col\"",
                    is_number(c) ? " class=\"number\"" : "");
            table_escape(out, row ? text.s : c->head, FORM_PAGE);
            fprintf(out, "</%s>", tag);
        }
    }
    fprintf(out, "</tr>\n");
}

static void
show_page(FILE *out, const struct table *t)
{
    fprintf(out, "<div class=\"wide\"><table>\n<thead>\n");
    put_page_row(out, t, NULL);
    fprintf(out, "</thead>\n<tbody>\n");
    for (size_t row = 0; row < t->n_rows; row++) {
        put_page_row(out, t, &row);
    }
    fprintf(out, "</tbody>\n</table></div>\n");
}

/* For programs. */

static void
put_json(struct json *j, const struct column *c, const struct cell *cell)
{
    if (!cell->is_known) {
        json_null(j, c->key);
        return;
    }
    switch (c->kind) {
    case COLUMN_TEXT:
        json_text(j, c->key, cell->text.s);
        break;
    case COLUMN_TIME:
        json_fixed(j, c->key, (double)cell->number / 1e12, 12);
        break;
    case COLUMN_LENGTH:
        json_fixed(j, c->key, (double)cell->number / 1e3, 3);
        break;
    case COLUMN_YES:
        json_bool(j, c->key, cell->number);
        break;
    case COLUMN_COUNT:
    case COLUMN_BYTES:
    case COLUMN_SIZE:
    case COLUMN_RATE:
        json_number(j, c->key, cell->number);
        break;
    }
}

void
table_json_row(struct json *j, const struct table *t, size_t row)
{
    for (const struct column *c = t->columns; !is_end(c); c++) {
        if (c->key) {
            struct cell cell = cell_of(t, c, row);
            put_json(j, c, &cell);
        }
    }
}

void
table_json(struct json *j, const char *key, const struct table *t)
{
    json_open(j, key, '[');
    for (size_t row = 0; row < t->n_rows; row++) {
        json_open(j, NULL, '{');
        table_json_row(j, t, row);
        json_close(j, '}');
    }
    json_close(j, ']');
}

/* Fields with commas, quotes or ends of lines stand in quotes: RFC 4180. */
static void
put_csv_text(FILE *out, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
    }
    fputc('"', out);
}

static void
put_csv(FILE *out, const struct column *c, const struct cell *cell)
{
    if (!cell->is_known) {
        return;
    }
    switch (c->kind) {
    case COLUMN_TEXT:
        put_csv_text(out, cell->text.s);
        break;
    case COLUMN_TIME:
        fprintf(out, "%.12f", (double)cell->number / 1e12);
        break;
    case COLUMN_LENGTH:
        fprintf(out, "%.3f", (double)cell->number / 1e3);
        break;
    case COLUMN_YES:
        fputs(cell->number ? "yes" : "no", out);
        break;
    case COLUMN_COUNT:
    case COLUMN_BYTES:
    case COLUMN_SIZE:
    case COLUMN_RATE:
        fprintf(out, "%llu", (llu)cell->number);
        break;
    }
}

static void
show_csv(FILE *out, const struct table *t)
{
    for (size_t row = 0; row <= t->n_rows; row++) {
        const char *comma = "";
        for (const struct column *c = t->columns; !is_end(c); c++) {
            if (!c->key) {
                continue;
            }
            fputs(comma, out);
            comma = ",";
            if (row) {
                struct cell cell = cell_of(t, c, row - 1);
                put_csv(out, c, &cell);
            } else {
                fputs(c->key, out);
            }
        }
        fputc('\n', out);
    }
}

static void
show_json(FILE *out, const struct table *t)
{
    struct json j = { .out = out, .lines = 1 };
    table_json(&j, NULL, t);
}

void
table_show(FILE *out, const struct table *t, enum table_form form)
{
    static void (*const shows[])(FILE *, const struct table *) = {
        [FORM_TEXT] = show_text, [FORM_MARKDOWN] = show_markdown, [FORM_PAGE] = show_page,
        [FORM_CSV] = show_csv,   [FORM_JSON] = show_json,
    };
    shows[form](out, t);
}

/* Writes headings, lines, lists and tables in each output format. */

#include "output/sheet.h"

#include <stdlib.h>

#include "base/array.h"
#include "output/text-width.h"

/* The text before and after each piece, by output format. */
static const struct {
    const char *before, *behind;
} marks[][SHEET_N_PIECES] = {
    [FORM_TEXT] = { { "", "\n" },
                    { "\n", "\n" },
                    { "", "\n" },
                    { "", "\n" },
                    { "WARNING: ", "\n" },
                    { "  ", "\n" } },
    [FORM_MARKDOWN] = { { "# ", "\n\n" },
                        { "## ", "\n\n" },
                        { "", "\n\n" },
                        { "**", "**\n\n" },
                        { "**Warning:** ", "\n\n" },
                        { "- ", "\n" } },
    [FORM_PAGE] = { { "<h1>", "</h1>\n" },
                    { "<h2>", "</h2>\n" },
                    { "<p>", "</p>\n" },
                    { "<p class=\"verdict\">", "</p>\n" },
                    { "<p class=\"warning\">", "</p>\n" },
                    { "<li>", "</li>\n" } },
};

/* Begins or ends a list. A page has tags for it; in Markdown a list ends with an empty line. */
static void
set_in_list(struct sheet *s, bool is_in_list)
{
    if (s->form == FORM_PAGE && is_in_list != s->is_in_list) {
        fputs(is_in_list ? "<ul>\n" : "</ul>\n", s->out);
    }
    if (s->form == FORM_MARKDOWN && s->is_in_list && !is_in_list) {
        fputs("\n", s->out);
    }
    s->is_in_list = is_in_list;
}

void
sheet_add_sentence(struct sheet *s, enum sheet_piece piece, const char *text)
{
    set_in_list(s, piece == SHEET_ITEM);
    if (s->form == FORM_TEXT) {
        text_print(s->out, piece == SHEET_ITEM ? 4 : 0, "%s%s", marks[FORM_TEXT][piece].before,
                   text);
    } else {
        fputs(marks[s->form][piece].before, s->out);
        form_table_escape(s->out, text, s->form);
        fputs(marks[s->form][piece].behind, s->out);
    }
    s->is_past_table = false;
}

static void
explain(struct sheet *s, const struct column *c)
{
    size_t i = 0;

    while (i < s->n_explained && s->explained[i]->help != c->help) {
        i++;
    }
    if (c->head && c->help && i == s->n_explained) {
        ARRAY_PUSH(s->explained, s->n_explained, s->max_explained) = c;
    }
}

void
sheet_table(struct sheet *s, const struct form_table *t)
{
    if (t->title) {
        sheet_add_sentence(s, SHEET_HEADING, t->title);
    } else if (s->form == FORM_TEXT && s->is_past_table) {
        fputs("\n", s->out);
    }
    set_in_list(s, false);
    form_table_show(s->out, t, s->form);
    for (const struct column *c = t->columns; c->name || c->head; c++) {
        explain(s, c);
    }
    fputs(s->form == FORM_MARKDOWN ? "\n" : "", s->out);
    s->is_past_table = true;
}

/* Pages of HTML. */

static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
    "<title>Weir: a plan</title>\n<style>\n"
    "body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; "
    "padding: 0 1rem; }\n"
    "h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }\n"
    ".wide { overflow-x: auto; }\n"
    "table { border-collapse: collapse; font-size: 0.9rem; }\n"
    "th, td { padding: 0.25rem 0.75rem; border-bottom: 1px solid #8884; text-align: left; }\n"
    ".number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }\n"
    ".verdict { font-size: 1.15rem; border-left: 0.4rem solid #0072b2; padding-left: 0.8rem; }\n"
    ".warning { border-left: 0.4rem solid #d55e00; padding-left: 0.8rem; }\n"
    ".warning::before { content: 'Warning: '; font-weight: bold; }\n"
    "dt { font-weight: bold; } dd { margin: 0 0 0.5rem 1.5rem; }\n"
    "@media print { body { max-width: none; } }\n"
    "</style>\n</head>\n<body>\n<main>\n";

void
sheet_begin(struct sheet *s, const char *title)
{
    if (s->form == FORM_PAGE) {
        fputs(page_head, s->out);
    }
    if (s->form != FORM_TEXT) {
        sheet_add_sentence(s, SHEET_TITLE, title);
    }
}

static void
put_explained(struct sheet *s)
{
    sheet_add_sentence(s, SHEET_HEADING, "Meaning of the numbers");
    fputs("<dl>\n", s->out);
    for (size_t i = 0; i < s->n_explained; i++) {
        fputs("<dt>", s->out);
        form_table_escape(s->out, s->explained[i]->head, FORM_PAGE);
        fputs("</dt><dd>", s->out);
        form_table_escape(s->out, s->explained[i]->help, FORM_PAGE);
        fputs("</dd>\n", s->out);
    }
    fputs("</dl>\n<p>KB is 1000 bytes. Numbers are rounded to three digits.</p>\n", s->out);
}

void
sheet_end(struct sheet *s)
{
    set_in_list(s, false);
    if (s->form == FORM_PAGE) {
        put_explained(s);
        fputs("</main>\n</body>\n</html>\n", s->out);
    }
    free(s->explained);
    *s = (struct sheet){ 0 };
}

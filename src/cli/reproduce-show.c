/* Shows the claims of a paper next to the measured values. */

#include "cli/reproduce-show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/figure-name.h"
#include "base/array.h"
#include "base/text.h"
#include "cli/wrapped.h"
#include "output/form-table.h"
#include "output/text-width.h"
#include "output/value.h"
#include "sim/sim.h"

static const struct rec_claim *
row_at(const struct reproduction *r, size_t i)
{
    return i < r->claims.n ? rec_row(&r->claims, REC_CLAIM, i) : NULL;
}

/* The number of rows from 'first' on that belong to one claim, until an arbitration is repeated. */
static size_t
count_rows(const struct reproduction *r, size_t first)
{
    const struct rec_claim *row = row_at(r, first), *next;
    size_t n = 1;

    while ((next = row_at(r, first + n)) && !strcmp(next->scenario, row->scenario) &&
           !strcmp(next->source, row->source) && !strcmp(next->engine, row->engine) &&
           !strcmp(next->what, row->what) && strcmp(next->arbitration, row->arbitration)) {
        n++;
    }
    return n;
}

static const struct rec_claim *
find_row(const struct reproduction *r, size_t first, size_t n, const char *arbitration)
{
    for (size_t i = first; i < first + n; i++) {
        if (!strcmp(row_at(r, i)->arbitration, arbitration)) {
            return row_at(r, i);
        }
    }
    return NULL;
}

/* Whether a row is a claim of the paper. The others are Weir's own expectations; in studies without
 * statements, all rows are. */
static bool
is_of_paper(const struct reproduction *r, const char *source)
{
    return r->has_statements && strcmp(source, "theory") && strcmp(source, "beyond the paper");
}

/* The title of the column with the values that the claims state. */
static const char *
name_expected(const struct reproduction *r, size_t from, size_t end)
{
    bool are_of_paper = true;

    for (size_t i = from; i < end && are_of_paper; i++) {
        are_of_paper = is_of_paper(r, row_at(r, i)->source);
    }
    return are_of_paper ? "published" : "expected";
}

/* A claim, with one row, or one for each arbitration. */
struct claim {
    const struct reproduction *r;
    const struct rec_claim *row; /* The first row. */
    size_t first, n;
};

COLUMN_GET(claim, get_source, cell_text(cell, r->row->source))
COLUMN_GET(claim, get_engine, cell_text(cell, r->row->engine))
COLUMN_GET(claim, get_what, cell_text(cell, r->row->what))

static void
add_value(struct weir_text *text, const struct rec_claim *row, double number)
{
    char value[VALUE_BYTES];

    value_write(row->unit, number, value, sizeof value);
    weir_text_add(text, "%s", value);
}

COLUMN_GET(claim, get_published, struct weir_text *text = cell_made(cell);
           weir_text_add(text, "%s", r->row->sign[0] != '=' ? r->row->sign : "");
           add_value(text, r->row, r->row->published))

static void
add_measured(struct weir_text *text, const struct rec_claim *row)
{
    add_value(text, row, row->measured);
    weir_text_add(text, row->holds == REC_NONE ? "  " : row->holds ? " =" : " x");
}

COLUMN_GET(
    claim, get_measured, if (!r->row->arbitration[0]) { add_measured(cell_made(cell), r->row); })

COLUMN_GET(
    claim, get_under, const char *name = weir_plugin_name(&sim_arbitrations, c->nth);
    const struct rec_claim *under = find_row(r->r, r->first, r->n, name);
    if (under) { add_measured(cell_made(cell), under); })

/* The column of ranges. It is used if a claim has only one value, because the row then has space
 * for it. */
COLUMN_GET(
    claim, get_range, if (r->n == 1 && r->row->n_runs > 1 && r->row->lowest >= 0) {
        struct weir_text *text = cell_made(cell);
        add_value(text, r->row, r->row->lowest);
        weir_text_add(text, " to ");
        add_value(text, r->row, r->row->highest);
        weir_text_add(text, " in single runs");
    })

enum { MAX_ARBITRATIONS = 32, N_FIXED = 6, INDENT = 4 };

/* Shows the claims of one scenario: the rows from 'from' up to 'end'. */
static void
show_scenario(const struct reproduction *r, size_t from, size_t end)
{
    struct column columns[N_FIXED + MAX_ARBITRATIONS + 1] = {
        { NULL, COLUMN_TEXT, .head = " ", .get = get_source },
        { NULL, COLUMN_TEXT, .head = " ", .get = get_engine, .is_name = true },
        { NULL, COLUMN_TEXT, .head = " ", .get = get_what, .is_name = true },
        { NULL, COLUMN_TEXT, .head = name_expected(r, from, end), .get = get_published,
          .is_right = true },
        { NULL, COLUMN_TEXT, .head = "measured", .get = get_measured, .is_right = true,
          .is_optional = true },
    };
    struct claim *claims = array_new(end - from, sizeof *claims);
    struct column *next = &columns[N_FIXED - 1];
    size_t n = 0;

    for (size_t a = 0; a < MAX_ARBITRATIONS && weir_plugin_name(&sim_arbitrations, a); a++) {
        *next++ = (struct column){ .kind = COLUMN_TEXT,
                                   .head = weir_plugin_name(&sim_arbitrations, a),
                                   .get = get_under,
                                   .nth = a,
                                   .is_right = true,
                                   .is_optional = true };
    }
    *next =
        (struct column){ .kind = COLUMN_TEXT, .head = " ", .get = get_range, .is_optional = true };
    for (size_t i = from; i < end; i += claims[n++].n) {
        claims[n] = (struct claim){ r, row_at(r, i), i, count_rows(r, i) };
    }
    printf("\n");
    text_print(stdout, INDENT, "%s", row_at(r, from)->scenario);
    form_table_show(stdout, &(struct form_table){ NULL, columns, claims, n, sizeof *claims },
                    FORM_TEXT);
    free(claims);
}

/* Shows the claims from index 'from' on. */
void
reproduce_show_claims(const struct reproduction *r, size_t from)
{
    while (from < r->claims.n) {
        size_t end = from + 1;
        while (end < r->claims.n && !strcmp(row_at(r, end)->scenario, row_at(r, from)->scenario)) {
            end++;
        }
        show_scenario(r, from, end);
        from = end;
    }
    fflush(stdout);
}

/* Shows the number of claims that hold under an arbitration; returns false if none was judged. */
static bool
show_holding(const struct reproduction *r, const char *arbitration, const char *before)
{
    size_t n_judged = 0, n_holding = 0;

    for (size_t i = 0; i < r->claims.n; i++) {
        const struct rec_claim *row = row_at(r, i);
        if (!strcmp(row->arbitration, arbitration) && row->holds != REC_NONE) {
            n_judged++;
            n_holding += row->holds;
        }
    }
    if (n_judged) {
        printf("%s %zu of %zu %s%s", before, n_holding, n_judged,
               arbitration[0] ? "under " : "by arithmetic", arbitration);
    }
    return n_judged > 0;
}

void
reproduce_show_sum(const struct reproduction *r)
{
    struct wrapped wrapped;
    bool has_shown = false;

    wrapped_begin(&wrapped, true);
    printf("\n%llu claims; those that hold, of those that were judged:",
           (unsigned long long)r->n_claims);
    for (size_t a = 0; weir_plugin_name(&sim_arbitrations, a); a++) {
        has_shown |= show_holding(r, weir_plugin_name(&sim_arbitrations, a), has_shown ? "," : "");
    }
    has_shown |= show_holding(r, "", has_shown ? "," : "");
    printf("%s\n",
           has_shown
               ? ""
               : " none, as the sample has too few runs to judge a claim; --full runs them all");
    wrapped_end(&wrapped);
}

/* The list of figures and tables. */

struct listed {
    char name[FIGURE_NAME_BYTES];
    const char *source;
    uint64_t n_statements, n_claims;
    const struct reproduction *of;
};

struct list {
    struct listed *items;
    size_t n, max;
};

static struct listed *
list_find(struct list *list, const char *source)
{
    char name[FIGURE_NAME_BYTES];

    figure_name(source, name);
    for (size_t i = 0; i < list->n; i++) {
        if (!strcmp(list->items[i].name, name)) {
            return &list->items[i];
        }
    }
    struct listed *item = &ARRAY_PUSH(list->items, list->n, list->max);
    *item = (struct listed){ .source = source };
    strcpy(item->name, name);
    return item;
}

/* Sorts figures by their numbers: fig9 is before fig10. */
static int
by_name(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;
    size_t n = strcspn(x->name, "0123456789");

    if (!strncmp(x->name, y->name, n) && atoi(x->name + n) && atoi(y->name + n) &&
        atoi(x->name + n) != atoi(y->name + n)) {
        return atoi(x->name + n) - atoi(y->name + n);
    }
    return strcmp(x->name, y->name);
}

/* Lists all figures and tables. A claim has a row for each arbitration, and counts once. */
static struct list
list_all(const struct reproduction *r)
{
    struct list list = { 0 };

    for (size_t i = 0; i < r->claims.n; i += count_rows(r, i)) {
        list_find(&list, row_at(r, i)->source)->n_claims++;
    }
    for (size_t i = 0; i < r->figures.n; i++) {
        const struct rec_figure *figure = rec_row(&r->figures, REC_FIGURE, i);
        list_find(&list, figure->source);
    }
    for (size_t i = 0; i < r->scorecard.n; i++) {
        const struct rec_statement *row = rec_row(&r->scorecard, REC_STATEMENT, i);
        list_find(&list, row->source)->n_statements++;
    }
    if (!list.n) {
        return list;
    }
    qsort(list.items, list.n, sizeof *list.items, by_name);
    return list;
}

void
reproduce_offer(const struct reproduction *r, const char *word, char *out, size_t max)
{
    struct list list = list_all(r);
    const char **names = array_new(list.n, sizeof *names);

    for (size_t i = 0; i < list.n; i++) {
        names[i] = list.items[i].name;
    }
    text_offer(word, names, sizeof *names, list.n, out, max);
    free(names);
    free(list.items);
}

static void
add_part(struct weir_text *text, const char *part)
{
    weir_text_add(text, "%s%s", text->s[0] ? "; " : "", part);
}

static void
add_count(struct weir_text *text, uint64_t n, const char *what)
{
    struct weir_text part = { 0 };

    if (n) {
        weir_text_add(&part, "%u %s%s", n, what, value_plural(n));
        add_part(text, part.s);
    }
}

static void
add_drawings(struct weir_text *text, const struct reproduction *r, const char *name)
{
    for (size_t i = 0; i < r->figures.n; i++) {
        const struct rec_figure *figure = rec_row(&r->figures, REC_FIGURE, i);
        struct weir_text part = { 0 };
        if (!strcmp(figure->name, name)) {
            weir_text_add(&part, "%s of %s", figure->quantity, figure->scenario);
            add_part(text, part.s);
        }
    }
}

COLUMN_GET(listed, get_name, cell_text(cell, r->name))
COLUMN_GET(listed, get_parts, struct weir_text *text = cell_made(cell);
           add_count(text, r->n_statements, "statement"); add_count(text, r->n_claims, "other row");
           add_drawings(text, r->of, r->name))

static const struct column list_columns[] = {
    { NULL, COLUMN_TEXT, .head = "figure", .get = get_name },
    { NULL, COLUMN_TEXT, .head = "source", .offset = offsetof(struct listed, source) },
    { NULL, COLUMN_TEXT, .head = "what it has", .get = get_parts },
    { 0 },
};

void
reproduce_show_list(const struct reproduction *r)
{
    struct list list = list_all(r);

    for (size_t i = 0; i < list.n; i++) {
        list.items[i].of = r;
    }
    form_table_show(
        stdout, &(struct form_table){ NULL, list_columns, list.items, list.n, sizeof *list.items },
        FORM_TEXT);
    free(list.items);
}

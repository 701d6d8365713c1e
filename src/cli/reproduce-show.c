/* Shows the claims of a paper next to the measured values. */

#include "cli/reproduce-show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/figure-name.h"
#include "base/array.h"
#include "output/form-table.h"
#include "output/value.h"
#include "sim/sim.h"

static const struct rec_claim *
row_at(const struct reproduction *r, size_t i)
{
    return i < r->claims.n ? rec_row(&r->claims, REC_CLAIM, i) : NULL;
}

static void
show_cell(const struct rec_claim *row)
{
    char value[40];

    value_write(row->unit, row->measured, value, sizeof value);
    printf(" %9s %c", value, row->holds == REC_NONE ? ' ' : row->holds ? '=' : 'x');
}

/* Shows the range of single runs, where there is one column and so room for it. */
static void
show_range(const struct rec_claim *row)
{
    char lowest[40], highest[40];

    if (row->n_runs > 1 && row->lowest >= 0) {
        value_write(row->unit, row->lowest, lowest, sizeof lowest);
        value_write(row->unit, row->highest, highest, sizeof highest);
        printf("  %s to %s in single runs", lowest, highest);
    }
}

/* How many rows from 'first' on are of one claim: until an arbitration comes again. */
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

/* The arbitration of a column, if some claim from 'from' on has it; else null. */
static const char *
column_name(const struct reproduction *r, size_t from, size_t a)
{
    const char *name = weir_plugin_name(&sim_arbitrations, a);

    return find_row(r, from, r->claims.n - from, name) ? name : NULL;
}

/* A cell for each arbitration that claims from 'from' on have; or, where there is only one, its
 * cell and the range in which single runs lie. */
static void
show_cells(const struct reproduction *r, size_t from, size_t first, size_t n)
{
    const struct rec_claim *cell = NULL;
    bool is_last = false;

    for (size_t a = 0; !is_last && weir_plugin_name(&sim_arbitrations, a); a++) {
        const char *name = column_name(r, from, a);
        cell = name ? find_row(r, first, n, name) : NULL;
        if (!name) {
            continue;
        }
        if (cell) {
            show_cell(cell);
        } else {
            printf(" %9s  ", "");
        }
        is_last = cell && n == 1;
    }
    if (is_last) {
        show_range(cell);
    }
}

static void
show_claim(const struct reproduction *r, size_t from, size_t first, size_t n)
{
    const struct rec_claim *row = row_at(r, first);
    bool is_bound = row->sign[0] != '=';
    char published[40];

    snprintf(published, sizeof published, "%s", is_bound ? row->sign : "");
    value_write(row->unit, row->published, published + is_bound, sizeof published - is_bound);
    printf("%-19s %-14s %-30s %9s ", row->source, row->engine, row->what, published);
    if (!row->arbitration[0]) {
        show_cell(row);
        show_range(row);
    } else {
        show_cells(r, from, first, n);
    }
    printf("\n");
}

/* Rows that no paper has say what Weir expects: those of studies without statements, too. */
static bool
is_of_paper(const struct reproduction *r, const char *source)
{
    return r->has_statements && strcmp(source, "theory") && strcmp(source, "beyond the paper");
}

/* The title of the column with the claims' own values. */
static const char *
name_expected(const struct reproduction *r, size_t from)
{
    bool are_of_paper = true;

    for (size_t i = from; i < r->claims.n && are_of_paper; i++) {
        are_of_paper = is_of_paper(r, row_at(r, i)->source);
    }
    return are_of_paper ? "published" : "expected";
}

/* Names the columns of the claims from 'from' on, unless those before have the same. */
static void
show_head(const struct reproduction *r, size_t from, char shown[REPRODUCE_HEAD_BYTES])
{
    char head[REPRODUCE_HEAD_BYTES];

    snprintf(head, sizeof head, "%9s ", name_expected(r, from));
    size_t begin = strlen(head);
    for (size_t a = 0; weir_plugin_name(&sim_arbitrations, a); a++) {
        if (column_name(r, from, a)) {
            snprintf(head + strlen(head), sizeof head - strlen(head), " %9s  ",
                     column_name(r, from, a));
        }
    }
    if (!head[begin]) {
        snprintf(head + begin, sizeof head - begin, " %9s", "measured");
    }
    if (from < r->claims.n && strcmp(head, shown)) {
        printf("%s%-19s %-14s %-30s %s\n", shown[0] ? "\n" : "", "", "", "", head);
        snprintf(shown, REPRODUCE_HEAD_BYTES, "%s", head);
    }
}

/* The claims from 'from' on: those of one file. */
void
reproduce_show_claims(const struct reproduction *r, size_t from, char head[REPRODUCE_HEAD_BYTES])
{
    const char *shown = "";

    show_head(r, from, head);
    for (size_t first = from; first < r->claims.n;) {
        size_t n = count_rows(r, first);
        if (strcmp(shown, row_at(r, first)->scenario)) {
            shown = row_at(r, first)->scenario;
            printf("\n%s\n", shown);
        }
        show_claim(r, from, first, n);
        first += n;
    }
    fflush(stdout);
}

/* Shows how many claims hold under an arbitration; false if none was judged. */
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
    bool has_shown = false;

    printf("\n%llu claims; those that hold, of those that were judged:",
           (unsigned long long)r->n_claims);
    for (size_t a = 0; weir_plugin_name(&sim_arbitrations, a); a++) {
        has_shown |= show_holding(r, weir_plugin_name(&sim_arbitrations, a), has_shown ? "," : "");
    }
    has_shown |= show_holding(r, "", has_shown ? "," : "");
    printf("%s\n", has_shown ? "" : " none, as a sample decides nothing; --full runs all of it");
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

/* Figures by their numbers: fig9 before fig10. */
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

/* A claim has a row for each arbitration, of which the first counts. */
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
reproduce_names(const struct reproduction *r, char *out, size_t max)
{
    struct list list = list_all(r);

    out[0] = '\0';
    for (size_t i = 0, len = 0; i < list.n && len < max; i++) {
        len += (size_t)snprintf(out + len, max - len, "%s%s", i ? ", " : "", list.items[i].name);
    }
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

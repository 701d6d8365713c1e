/* Shows the statements of a paper with their verdicts: lines of at most 80 columns. */

#include "cli/scorecard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "output/form-table.h"
#include "output/text-width.h"
#include "output/value.h"
#include "run/statement-verdict.h"

/* Widths of the columns. The verdict takes the rest of the line. */
enum { NAME = 9, SAYS = 34, PUBLISHED = 10, MEASURED = 12, INDENT = NAME + 1, WIDTH = 80 };

static const struct rec_statement *
row_at(const struct reproduction *r, size_t i)
{
    return rec_row(&r->scorecard, REC_STATEMENT, i);
}

/* Prints the next line of a text. If another column follows, the line is padded to the width. */
static void
print_line(const char **text, int width, bool is_filled)
{
    size_t len = text_line(*text, (size_t)width);

    printf("%-*.*s", is_filled ? width : 0, (int)len, *text);
    *text += len;
    *text += strspn(*text, " \n");
}

static void
write_published(const struct rec_statement *row, char out[40])
{
    bool is_bound = row->sign[0] && row->sign[0] != '=';

    snprintf(out, 40, "%s", is_bound ? row->sign : "");
    value_write(row->unit, row->published, out + is_bound, (size_t)(40 - is_bound));
}

/* Writes the measured value. A share of runs is shown as a number of runs, unless all of them
 * agree. */
static void
write_measured(const struct rec_statement *row, char out[40])
{
    bool is_split = !strcmp(row->unit, "yes") && row->measured > 0 && row->measured < 1;

    if (is_split) {
        snprintf(out, 40, "%.0f of %llu", row->measured * (double)row->n_runs,
                 (unsigned long long)row->n_runs);
    } else {
        value_write(row->unit, row->measured, out, 40);
    }
}

/* Writes the range of single runs, such as "4.9 to 5.2"; empty if there is one run, or if all runs
 * agree. */
static void
write_range(const struct rec_statement *row, char out[100])
{
    char lowest[40], highest[40];

    value_write(row->unit, row->lowest, lowest, sizeof lowest);
    value_write(row->unit, row->highest, highest, sizeof highest);
    out[0] = '\0';
    if (row->lowest >= 0 && strcmp(lowest, highest)) {
        snprintf(out, 100, "%s to %s", lowest, highest);
    }
}

static void
show_why(const char *why)
{
    while (*why) {
        printf("%*s", INDENT + 2, "");
        print_line(&why, WIDTH - INDENT - 2, false);
        printf("\n");
    }
}

static void
show_statement(const struct rec_statement *row)
{
    char published[40], measured[40], range[100];
    const char *says = row->says;

    write_published(row, published);
    write_measured(row, measured);
    write_range(row, range);
    printf("%-*s ", NAME, row->name);
    print_line(&says, SAYS, true);
    printf(" %*s %*s %s\n", PUBLISHED, published, MEASURED, measured, row->verdict);
    while (*says || range[0]) {
        printf("%*s", INDENT, "");
        print_line(&says, SAYS, range[0]);
        printf("%*s\n", range[0] ? PUBLISHED + MEASURED + 2 : 0, range);
        range[0] = '\0';
    }
    show_why(row->why);
}

/* Numbers of verdicts. */

static void
count_verdicts(const struct reproduction *r, size_t n[N_VERDICTS])
{
    memset(n, 0, N_VERDICTS * sizeof *n);
    for (size_t i = 0; i < r->scorecard.n; i++) {
        n[text_find(row_at(r, i)->verdict, verdict_names, sizeof *verdict_names, N_VERDICTS)]++;
    }
}

static void
write_sum(FILE *out, const struct reproduction *r)
{
    static const char *const words[N_VERDICTS][2] = {
        { "holds", "hold" },
        { "is stronger than published", "are stronger than published" },
        { "is in the direction only", "are in the direction only" },
        { "does not hold", "do not hold" },
        { "was not tested", "were not tested" },
    };
    size_t n[N_VERDICTS];
    const char *before = ": ";

    count_verdicts(r, n);
    fprintf(out, "%s, %zu statement%s", r->paper, r->scorecard.n, value_plural(r->scorecard.n));
    for (size_t v = 0; v < N_VERDICTS; v++) {
        if (n[v]) {
            fprintf(out, "%s%zu %s", before, n[v], words[v][n[v] != 1]);
            before = "; ";
        }
    }
}

static void
show_sum(const struct reproduction *r)
{
    char sum[400] = "";
    const char *rest = sum;
    FILE *out = fmemopen(sum, sizeof sum, "w");

    write_sum(out, r);
    fclose(out);
    printf("\n");
    while (*rest) {
        print_line(&rest, WIDTH, false);
        printf("\n");
    }
}

void
scorecard_show(const struct reproduction *r)
{
    printf("Statements of %s, read as in %s.\n", r->paper, r->reading);
    printf("Measured: the median run; below it the range of single runs.\n\n");
    printf("%-*s %-*s %*s %*s verdict\n", NAME, "", SAYS, "statement", PUBLISHED, "published",
           MEASURED, "measured");
    for (size_t i = 0; i < r->scorecard.n; i++) {
        show_statement(row_at(r, i));
    }
    show_sum(r);
}

COLUMN_GET(rec_statement, get_name, cell_text(cell, r->name))
COLUMN_GET(rec_statement, get_says, cell_text(cell, r->says))

void
scorecard_list(const struct reproduction *r)
{
    static const struct column columns[] = {
        { NULL, COLUMN_TEXT, .head = "name", .get = get_name },
        { NULL, COLUMN_TEXT, .head = "statement", .get = get_says },
        { 0 },
    };
    size_t n = r->scorecard.n;
    struct rec_statement *rows = array_new(n, sizeof *rows);

    for (size_t i = 0; i < n; i++) {
        rows[i] = *row_at(r, i);
    }
    if (n) {
        form_table_show(stdout, &(struct form_table){ NULL, columns, rows, n, sizeof *rows },
                        FORM_TEXT);
        printf("\n");
    }
    free(rows);
}

void
scorecard_show_head(void)
{
    printf("%-10s %10s", "paper", "statements");
    for (size_t v = 0; v < N_VERDICTS; v++) {
        printf("  %*s", (int)strlen(verdict_names[v]), verdict_names[v]);
    }
    printf("\n");
    fflush(stdout);
}

void
scorecard_show_paper(const struct reproduction *r)
{
    size_t n[N_VERDICTS];

    count_verdicts(r, n);
    printf("%-10s %10zu", r->paper, r->scorecard.n);
    for (size_t v = 0; v < N_VERDICTS; v++) {
        printf("  %*zu", (int)strlen(verdict_names[v]), n[v]);
    }
    printf("\n");
    fflush(stdout);
}

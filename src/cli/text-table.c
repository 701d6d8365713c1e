/* Tables whose columns are as wide as they need to be. */

#include "cli/text-table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/cli.h"

enum { CELL_BYTES = 400, GAP = 2 };

void
table_add(struct table *t, const char *format, ...)
{
    char cell[CELL_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(cell, sizeof cell, format, args);
    va_end(args);
    ARRAY_PUSH(t->cells, t->n_cells, t->max_cells) = strdup(cell);
}

static void
write_ratio(struct weir_text *text, double ratio)
{
    char room[40];

    snprintf(room, sizeof room, ratio < 1000 ? "%.3g" : "%.0f",
             ratio < 1000 ? ratio : (double)cli_rounded((uint64_t)ratio));
    weir_text_add(text, "%s", room);
}

void
table_write_value(struct weir_text *text, const struct column *c, const void *row)
{
    if (!column_is_known(c, row)) {
        weir_text_add(text, "-");
        return;
    }
    switch (c->kind) {
    case COLUMN_TEXT:
        weir_text_add(text, "%s", column_text(c, row));
        break;
    case COLUMN_COUNT:
        weir_text_add(text, "%u", column_count(c, row));
        break;
    case COLUMN_BYTES:
        weir_text_add(text, "%B", cli_rounded(column_count(c, row)));
        break;
    case COLUMN_RATE:
        weir_text_add(text, "%R", cli_rounded(column_count(c, row)));
        break;
    case COLUMN_TIME:
        weir_text_add(text, "%T", (weir_ps)cli_rounded((uint64_t)column_real(c, row)));
        break;
    case COLUMN_RATIO:
        write_ratio(text, column_real(c, row));
        break;
    }
}

void
table_add_value(struct table *t, const struct column *c, const void *row)
{
    struct weir_text text = { 0 };

    table_write_value(&text, c, row);
    table_add(t, "%s", text.s);
}

void
table_end_row(struct table *t)
{
    t->n_columns = t->n_columns ? t->n_columns : t->n_cells;
    assert(t->n_cells % t->n_columns == 0);
}

static size_t
width_of(const struct table *t, size_t column)
{
    size_t width = 0;

    for (size_t i = column; i < t->n_cells; i += t->n_columns) {
        size_t len = strlen(t->cells[i]);
        width = len > width ? len : width;
    }
    return width;
}

static void
print_groups(const struct table *t, const size_t *widths)
{
    size_t at = 0, start = 0, column = 0;

    for (size_t i = 0; i < t->n_groups; i++) {
        for (; column < t->groups[i].column; column++) {
            start += widths[column] + GAP;
        }
        at += (size_t)printf("%*s%s", (int)(start - at), "", t->groups[i].title);
    }
    fputs(t->n_groups ? "\n" : "", stdout);
}

static void
print_row(const struct table *t, const size_t *widths, char *const *cells)
{
    for (size_t i = 0; i < t->n_columns; i++) {
        bool is_last = i + 1 == t->n_columns;
        int width = (int)widths[i];
        if (i < t->n_left) {
            printf("%-*s", is_last ? 0 : width, cells[i]);
        } else {
            printf("%*s", width, cells[i]);
        }
        printf("%s", is_last ? "\n" : "  ");
    }
}

void
table_print(struct table *t)
{
    size_t *widths = array_new(t->n_columns, sizeof *widths);

    for (size_t i = 0; i < t->n_columns; i++) {
        widths[i] = width_of(t, i);
    }
    print_groups(t, widths);
    for (size_t i = 0; i < t->n_cells; i += t->n_columns) {
        print_row(t, widths, t->cells + i);
    }
    for (size_t i = 0; i < t->n_cells; i++) {
        free(t->cells[i]);
    }
    free(t->cells);
    free(widths);
    *t = (struct table){ 0 };
}

/* Writes tables whose columns are as wide as their cells. */

#include "output/text-table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "output/value.h"

enum { CELL_BYTES = WEIR_TEXT_MAX, GAP = 2 };

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
             ratio < 1000 ? ratio : (double)value_rounded((uint64_t)ratio));
    weir_text_add(text, "%s", room);
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

static void
write_known(struct weir_text *text, enum column_kind kind, const struct cell *cell)
{
    char room[GROUPED_BYTES];

    switch (kind) {
    case COLUMN_TEXT:
    case COLUMN_NAME:
        weir_text_add(text, "%s", cell_words(cell));
        break;
    case COLUMN_YES:
        weir_text_add(text, cell->number ? "yes" : "no");
        break;
    case COLUMN_COUNT:
    case COLUMN_ID:
        weir_text_add(text, "%u", cell->number);
        break;
    case COLUMN_BYTES:
        weir_text_add(text, "%B", value_rounded(cell->number));
        break;
    case COLUMN_EXACT_BYTES:
        weir_text_add(text, "%s", table_grouped(cell->number, room));
        break;
    case COLUMN_RATE:
        weir_text_add(text, "%R", value_rounded(cell->number));
        break;
    case COLUMN_EXACT_RATE:
        weir_text_add(text, "%R", cell->number);
        break;
    case COLUMN_LENGTH:
        value_add_length(text, cell->number);
        break;
    case COLUMN_TIME:
        value_add_time(text, (weir_ps)cell->number);
        break;
    case COLUMN_REAL_TIME:
        value_add_time(text, (weir_ps)(cell->real + 0.5)); /* As programs have it. */
        break;
    case COLUMN_SECONDS:
    case COLUMN_RATIO:
        write_ratio(text, cell->real);
        break;
    case COLUMN_SHARE:
        snprintf(room, sizeof room, "%.1f %%", 100 * cell->real);
        weir_text_add(text, "%s", room);
        break;
    case COLUMN_HASH:
    case COLUMN_BLOB:
    case COLUMN_N_KINDS:
        break;
    }
}

void
table_write_value(struct weir_text *text, const struct column *c, const void *row)
{
    struct cell cell;

    column_read(c, row, &cell);
    if (cell.is_known) {
        write_known(text, c->kind, &cell);
    } else {
        weir_text_add(text, "-");
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

/* Characters, not bytes: names of switches may be anyone's. */
static size_t
length_of(const char *text)
{
    size_t length = 0;

    for (; *text; text++) {
        length += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return length;
}

static size_t
width_of(const struct table *t, size_t column)
{
    size_t width = 0;

    for (size_t i = column; i < t->n_cells; i += t->n_columns) {
        size_t length = length_of(t->cells[i]);
        width = length > width ? length : width;
    }
    return width;
}

static void
write_groups(FILE *out, const struct table *t, const size_t *widths)
{
    size_t at = 0, start = 0, column = 0;

    for (size_t i = 0; i < t->n_groups; i++) {
        for (; column < t->groups[i].column; column++) {
            start += widths[column] + GAP;
        }
        at += (size_t)fprintf(out, "%*s%s", (int)(start - at), "", t->groups[i].title);
    }
    fputs(t->n_groups ? "\n" : "", out);
}

static bool
is_left(const struct table *t, size_t column)
{
    return column < t->n_left || (column < 64 && t->left >> column & 1);
}

static void
write_row(FILE *out, const struct table *t, const size_t *widths, char *const *cells)
{
    for (size_t i = 0; i < t->n_columns; i++) {
        bool is_last = i + 1 == t->n_columns;
        int gap = (int)(widths[i] - length_of(cells[i]));
        int before = is_left(t, i) ? 0 : gap, behind = is_last ? 0 : gap - before + GAP;
        fprintf(out, "%*s%s%*s", before, "", cells[i], behind, "");
    }
    fputs("\n", out);
}

void
table_write(FILE *out, struct table *t)
{
    size_t *widths = array_new(t->n_columns, sizeof *widths);

    for (size_t i = 0; i < t->n_columns; i++) {
        widths[i] = width_of(t, i);
    }
    write_groups(out, t, widths);
    for (size_t i = 0; i < t->n_cells; i += t->n_columns) {
        write_row(out, t, widths, t->cells + i);
    }
    for (size_t i = 0; i < t->n_cells; i++) {
        free(t->cells[i]);
    }
    free(t->cells);
    free(widths);
    *t = (struct table){ 0 };
}

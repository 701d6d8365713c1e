/* Writes values, and tables with columns as wide as their cells. */

#include "output/text-table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "output/text-width.h"
#include "output/value.h"

enum { GAP = 2, NARROWEST = 20, LAST_NARROWEST = 32 };

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
    char room[VALUE_BYTES];

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
        weir_text_add(text, "%b", cell->number);
        break;
    case COLUMN_EXACT_BYTES:
        weir_text_add(text, "%s", table_grouped(cell->number, room));
        break;
    case COLUMN_RATE:
        weir_text_add(text, "%r", cell->number);
        break;
    case COLUMN_LENGTH:
        value_add_length(text, cell->number);
        break;
    case COLUMN_TIME:
        value_add_time(text, (weir_ps)cell->number);
        break;
    case COLUMN_REAL_TIME:
        value_add_time(text, (weir_ps)(cell->real + 0.5));
        break;
    case COLUMN_SECONDS:
    case COLUMN_RATIO:
        value_write_digits(cell->real, 0, room, sizeof room);
        weir_text_add(text, "%s", room);
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

static size_t
width_of(const struct text_table *t, size_t column)
{
    size_t width = 0;

    for (size_t i = column; i < t->n_cells; i += t->n_columns) {
        size_t length = text_length(t->cells[i], strlen(t->cells[i]));
        width = length > width ? length : width;
    }
    return width;
}

bool
column_is_left(const struct column *c)
{
    return !c->is_right && (c->kind == COLUMN_TEXT || c->kind == COLUMN_YES);
}

/* Columns that are written side by side: those that name a row, and a part of the others. */
struct block {
    const struct text_table *t;
    size_t *widths;
    size_t n_names, first, end;
};

static size_t
width_of_names(const struct block *b)
{
    size_t width = 0;

    for (size_t i = 0; i < b->n_names; i++) {
        width += b->widths[i] + GAP;
    }
    return width;
}

/* Finds the end of the columns that fit into the line, at least one. If the last column of the
 * table is text, it is wrapped if there is enough space for it. */
static size_t
find_end(const struct block *b, size_t room)
{
    size_t at = width_of_names(b), end = b->first, n = b->t->n_columns;

    while (end < n && (end == b->first || at + b->widths[end] <= room)) {
        at += b->widths[end++] + GAP;
    }
    if (end + 1 == n && column_is_left(b->t->columns[end]) && at + LAST_NARROWEST <= room) {
        b->widths[end++] = room - at;
    }
    return end;
}

/* The column after column i in the block; after the last one, the end of the block. */
static size_t
column_behind(const struct block *b, size_t i)
{
    return i + 1 == b->n_names ? b->first : i + 1;
}

/* Takes the next line of a cell: all of it, unless it is wider than any line. */
static size_t
take_line(const char **rest, size_t width)
{
    size_t len = strlen(*rest);

    len = text_length(*rest, len) > width ? text_line(*rest, width) : len;
    *rest += len;
    *rest += strspn(*rest, " \n");
    return len;
}

/* Writes the next line of each cell. Returns false if no cell has more lines. */
static bool
write_line(FILE *out, const struct block *b, const char **rest)
{
    size_t blanks = 0;
    bool is_more = false;

    for (size_t i = 0; i < b->end; i = column_behind(b, i)) {
        const char *line = rest[i];
        size_t len = take_line(&rest[i], b->widths[i]), length = text_length(line, len);
        size_t gap = b->widths[i] > length ? b->widths[i] - length : 0;
        blanks += column_is_left(b->t->columns[i]) ? 0 : gap;
        if (len) {
            fprintf(out, "%*s%.*s", (int)blanks, "", (int)len, line);
            blanks = 0;
        }
        blanks += GAP + (column_is_left(b->t->columns[i]) ? gap : 0);
        is_more |= *rest[i] != '\0';
    }
    fputs("\n", out);
    return is_more;
}

static void
write_block(FILE *out, const struct block *b)
{
    const char **rest = array_new(b->t->n_columns, sizeof *rest);

    for (size_t row = 0; row < b->t->n_cells; row += b->t->n_columns) {
        for (size_t i = 0; i < b->t->n_columns; i++) {
            rest[i] = b->t->cells[row + i];
        }
        while (write_line(out, b, rest)) {
        }
    }
    free(rest);
}

/* Finds the widths of columns. They are as wide as their cells, except that text wider than a whole
 * line is wrapped. */
static void
find_widths(const struct text_table *t, size_t n_names, size_t *widths)
{
    struct block names = { t, widths, n_names, n_names, n_names };

    for (size_t i = 0; i < t->n_columns; i++) {
        size_t taken = i < n_names ? 0 : width_of_names(&names);
        size_t room = text_width() > taken + NARROWEST ? text_width() - taken : NARROWEST;
        size_t width = width_of(t, i);
        widths[i] = column_is_left(t->columns[i]) && width > room ? room : width;
    }
}

/* The number of columns that name a row: the marked ones at the beginning, or else the first
 * column. */
static size_t
count_names(const struct text_table *t)
{
    size_t n = 0;

    while (n < t->n_columns && (!n || t->columns[n]->is_name)) {
        n++;
    }
    return n;
}

void
text_table_write(FILE *out, const struct text_table *t)
{
    size_t *widths = array_new(t->n_columns, sizeof *widths);
    struct block b = { .t = t, .widths = widths, .n_names = count_names(t) };

    find_widths(t, b.n_names, widths);
    for (b.first = b.n_names; !b.end || b.first < t->n_columns; b.first = b.end) {
        fputs(b.end ? "\n" : "", out);
        b.end = find_end(&b, text_width());
        write_block(out, &b);
    }
    free(widths);
}

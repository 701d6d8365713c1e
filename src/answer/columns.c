/* Values of rows, as JSON and CSV. */

#include "answer/columns.h"

#include <inttypes.h>

#include "base/csv.h"

enum { TIME_DECIMALS = 12, LENGTH_DECIMALS = 3, RATIO_DECIMALS = 4 };

#define PS_PER_S 1e12
#define MM_PER_M 1e3

void
cell_number(struct cell *cell, uint64_t number)
{
    cell->is_known = true;
    cell->number = number;
}

void
cell_real(struct cell *cell, double real)
{
    cell->is_known = true;
    cell->real = real;
}

void
cell_text(struct cell *cell, const char *text)
{
    cell->is_known = true;
    cell->text = text;
}

struct weir_text *
cell_made(struct cell *cell)
{
    if (!cell->is_known) {
        cell->made = (struct weir_text){ 0 };
    }
    cell_text(cell, NULL);
    return &cell->made;
}

const char *
cell_words(const struct cell *cell)
{
    return cell->text ? cell->text : cell->made.s;
}

/* Room for text that is made is left as it is: most cells have none. */
void
column_read(const struct column *c, const void *row, struct cell *cell)
{
    const void *at = (const char *)row + c->offset;

    cell->is_known = false;
    if (c->get) {
        c->get(row, c, cell);
    } else if (c->kind == COLUMN_TEXT) {
        cell_text(cell, *(const char *const *)at);
        cell->is_known = cell->text != NULL;
    } else if (c->kind == COLUMN_TIME || c->kind == COLUMN_RATIO) {
        cell_real(cell, *(const double *)at);
        cell->is_known = cell->real >= 0;
    } else {
        cell_number(cell, *(const uint64_t *)at);
        cell->is_known = cell->number != COLUMN_NO_COUNT;
    }
}

bool
column_is_known(const struct column *c, const void *row)
{
    struct cell cell;

    column_read(c, row, &cell);
    return cell.is_known;
}

double
column_real(const struct column *c, const void *row)
{
    struct cell cell;

    column_read(c, row, &cell);
    return cell.real;
}

/* Kinds that programs are not told as a whole number. */
static const struct {
    double per_unit;
    int decimals; /* 0: a whole number, or text. */
} scales[] = {
    [COLUMN_LENGTH] = { MM_PER_M, LENGTH_DECIMALS },
    [COLUMN_TIME] = { PS_PER_S, TIME_DECIMALS },
    [COLUMN_RATIO] = { 1, RATIO_DECIMALS },
    [COLUMN_TEXT] = { 0, 0 },
};

static double
scaled(const struct column *c, const struct cell *cell)
{
    double real = c->kind == COLUMN_LENGTH ? (double)cell->number : cell->real;

    return real / scales[c->kind].per_unit;
}

static void
write_json(struct json *j, const struct column *c, const struct cell *cell)
{
    if (!cell->is_known) {
        json_null(j, c->name);
    } else if (c->kind == COLUMN_TEXT) {
        json_text(j, c->name, cell_words(cell));
    } else if (c->kind == COLUMN_YES) {
        json_bool(j, c->name, cell->number);
    } else if (scales[c->kind].decimals) {
        json_fixed(j, c->name, scaled(c, cell), scales[c->kind].decimals);
    } else {
        json_number(j, c->name, cell->number);
    }
}

void
columns_write_json(struct json *j, const struct column *columns, size_t n, const void *row)
{
    struct cell cell;

    for (size_t i = 0; i < n; i++) {
        if (columns[i].name) {
            column_read(&columns[i], row, &cell);
            write_json(j, &columns[i], &cell);
        }
    }
}

static void
write_cell(FILE *out, const struct column *c, const struct cell *cell)
{
    if (!cell->is_known) {
        return;
    }
    if (c->kind == COLUMN_TEXT) {
        csv_text(out, cell_words(cell));
    } else if (c->kind == COLUMN_YES) {
        fputs(cell->number ? "yes" : "no", out);
    } else if (scales[c->kind].decimals) {
        fprintf(out, "%.*f", scales[c->kind].decimals, scaled(c, cell));
    } else {
        fprintf(out, "%" PRIu64, cell->number);
    }
}

void
columns_write_names(FILE *out, const struct column *columns, size_t n)
{
    const char *comma = "";

    for (size_t i = 0; i < n; i++) {
        if (columns[i].name) {
            fprintf(out, "%s%s", comma, columns[i].name);
            comma = ",";
        }
    }
}

void
columns_write_cells(FILE *out, const struct column *columns, size_t n, const void *row)
{
    const char *comma = "";
    struct cell cell;

    for (size_t i = 0; i < n; i++) {
        if (columns[i].name) {
            fputs(comma, out);
            comma = ",";
            column_read(&columns[i], row, &cell);
            write_cell(out, &columns[i], &cell);
        }
    }
}

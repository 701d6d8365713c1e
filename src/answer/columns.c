/* Rows of plain numbers as JSON and CSV. */

#include "answer/columns.h"

#include <inttypes.h>
#include <string.h>

enum { TIME_DECIMALS = 12, RATIO_DECIMALS = 4 };

#define PS_PER_S 1e12

static const void *
at(const struct column *c, const void *row)
{
    return (const char *)row + c->offset;
}

uint64_t
column_count(const struct column *c, const void *row)
{
    return *(const uint64_t *)at(c, row);
}

double
column_real(const struct column *c, const void *row)
{
    return *(const double *)at(c, row);
}

const char *
column_text(const struct column *c, const void *row)
{
    return *(const char *const *)at(c, row);
}

bool
column_is_known(const struct column *c, const void *row)
{
    switch (c->kind) {
    case COLUMN_TEXT:
        return column_text(c, row) != NULL;
    case COLUMN_TIME:
    case COLUMN_RATIO:
        return column_real(c, row) >= 0;
    default:
        return column_count(c, row) != COLUMN_NO_COUNT;
    }
}

static void
write_json(struct json *j, const struct column *c, const void *row)
{
    if (!column_is_known(c, row)) {
        json_null(j, c->name);
    } else if (c->kind == COLUMN_TEXT) {
        json_text(j, c->name, column_text(c, row));
    } else if (c->kind == COLUMN_TIME) {
        json_fixed(j, c->name, column_real(c, row) / PS_PER_S, TIME_DECIMALS);
    } else if (c->kind == COLUMN_RATIO) {
        json_fixed(j, c->name, column_real(c, row), RATIO_DECIMALS);
    } else {
        json_number(j, c->name, column_count(c, row));
    }
}

void
columns_write_json(struct json *j, const struct column *columns, size_t n, const void *row)
{
    for (size_t i = 0; i < n; i++) {
        write_json(j, &columns[i], row);
    }
}

void
columns_write_text(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        fputs(*text == '"' ? "\"" : "", out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void
columns_write_names(FILE *out, const struct column *columns, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "%s%s", i ? "," : "", columns[i].name);
    }
}

static void
write_cell(FILE *out, const struct column *c, const void *row)
{
    if (!column_is_known(c, row)) {
        return;
    }
    if (c->kind == COLUMN_TEXT) {
        columns_write_text(out, column_text(c, row));
    } else if (c->kind == COLUMN_TIME) {
        fprintf(out, "%.*f", TIME_DECIMALS, column_real(c, row) / PS_PER_S);
    } else if (c->kind == COLUMN_RATIO) {
        fprintf(out, "%.*f", RATIO_DECIMALS, column_real(c, row));
    } else {
        fprintf(out, "%" PRIu64, column_count(c, row));
    }
}

void
columns_write_cells(FILE *out, const struct column *columns, size_t n, const void *row)
{
    for (size_t i = 0; i < n; i++) {
        fputs(i ? "," : "", out);
        write_cell(out, &columns[i], row);
    }
}

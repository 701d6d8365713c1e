/* Values of rows: read, set, and written as JSON and CSV. */

#include "base/columns.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/csv.h"
#include "base/text.h"

#define MM_PER_M 1e3

enum { REAL_DIGITS = 9, LENGTH_DECIMALS = 3 };

static const enum column_store stores[COLUMN_N_KINDS] = {
    [COLUMN_COUNT] = STORE_NUMBER,
    [COLUMN_BYTES] = STORE_NUMBER,
    [COLUMN_EXACT_BYTES] = STORE_NUMBER,
    [COLUMN_RATE] = STORE_NUMBER,
    [COLUMN_LENGTH] = STORE_NUMBER,
    [COLUMN_YES] = STORE_NUMBER,
    [COLUMN_HASH] = STORE_NUMBER,
    [COLUMN_ID] = STORE_ID,
    [COLUMN_TIME] = STORE_PS,
    [COLUMN_REAL_TIME] = STORE_REAL,
    [COLUMN_RATIO] = STORE_REAL,
    [COLUMN_SHARE] = STORE_REAL,
    [COLUMN_SECONDS] = STORE_REAL,
    [COLUMN_TEXT] = STORE_TEXT,
    [COLUMN_NAME] = STORE_NAME,
    [COLUMN_BLOB] = STORE_BLOB,
};

enum column_store
column_store(enum column_kind kind)
{
    return stores[kind];
}

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

static void
read_at(enum column_store store, const void *at, struct cell *cell)
{
    switch (store) {
    case STORE_NUMBER:
        cell->number = *(const uint64_t *)at;
        cell->is_known = cell->number != COLUMN_NO_COUNT;
        break;
    case STORE_ID:
        cell->number = *(const uint32_t *)at;
        cell->is_known = cell->number != COLUMN_NO_ID;
        break;
    case STORE_PS:
        cell->number = (uint64_t) * (const weir_ps *)at;
        cell->is_known = cell->number <= INT64_MAX;
        break;
    case STORE_REAL:
        cell->real = *(const double *)at;
        cell->is_known = cell->real >= 0 && isfinite(cell->real);
        break;
    case STORE_TEXT:
        cell->text = *(const char *const *)at;
        cell->is_known = cell->text != NULL;
        break;
    case STORE_NAME:
        cell->text = at;
        cell->is_known = cell->text[0];
        break;
    case STORE_BLOB:
        break;
    }
}

/* Reads a value. The buffer for generated text is not cleared, because most cells have no such
 * text. */
void
column_read(const struct column *c, const void *row, struct cell *cell)
{
    cell->is_known = false;
    cell->number = 0;
    cell->real = 0;
    if (c->get) {
        c->get(row, c, cell);
    } else {
        read_at(column_store(c->kind), (const char *)row + c->offset, cell);
    }
}

bool
column_is_known(const struct column *c, const void *row)
{
    struct cell cell;

    column_read(c, row, &cell);
    return cell.is_known;
}

bool
column_whole(const struct column *c, const void *row, uint64_t *number)
{
    struct cell cell;

    column_read(c, row, &cell);
    *number = cell.number;
    return cell.is_known && column_store(c->kind) <= STORE_PS;
}

bool
column_number(const struct column *c, const void *row, double *number)
{
    enum column_store store = column_store(c->kind);
    struct cell cell;

    column_read(c, row, &cell);
    *number = store == STORE_REAL ? cell.real : (double)cell.number;
    return cell.is_known && store <= STORE_REAL && c->kind != COLUMN_HASH;
}

/* Rounds to a whole number. From 2^52 on every double is whole, and adding a half would be
 * inexact. */
static uint64_t
rounded(double number)
{
    return number >= 0x1p64  ? COLUMN_NO_COUNT - 1
           : number < 0x1p52 ? (uint64_t)(number + 0.5)
                             : (uint64_t)number;
}

void
column_put(const struct column *c, void *row, const struct cell *cell)
{
    void *at = (char *)row + c->offset;

    switch (column_store(c->kind)) {
    case STORE_NUMBER:
        *(uint64_t *)at = cell->is_known ? cell->number : COLUMN_NO_COUNT;
        break;
    case STORE_ID:
        *(uint32_t *)at = cell->is_known ? (uint32_t)cell->number : COLUMN_NO_ID;
        break;
    case STORE_PS:
        *(weir_ps *)at = cell->is_known ? (weir_ps)cell->number : -1;
        break;
    case STORE_REAL:
        *(double *)at = cell->is_known ? cell->real : -1;
        break;
    case STORE_TEXT:
        *(const char **)at = cell->is_known ? cell->text : NULL;
        break;
    case STORE_NAME:
        memset(at, 0, COLUMN_NAME_BYTES);
        text_cut(at, COLUMN_NAME_BYTES, cell->is_known ? cell->text : "");
        break;
    case STORE_BLOB:
        break;
    }
}

void
column_set(const struct column *c, void *row, double number)
{
    bool is_known = number >= 0;

    column_put(c, row,
               &(struct cell){ .is_known = is_known,
                               .number = is_known ? rounded(number) : 0,
                               .real = number });
}

void
columns_clear(const struct column *columns, size_t n, void *row)
{
    for (size_t i = 0; i < n; i++) {
        column_set(&columns[i], row, -1);
    }
}

static const char *
number_text(const struct column *c, const struct cell *cell, char room[COLUMN_CELL_BYTES])
{
    if (c->kind == COLUMN_HASH) {
        snprintf(room, COLUMN_CELL_BYTES, "%016" PRIx64, cell->number);
    } else if (c->kind == COLUMN_LENGTH) {
        snprintf(room, COLUMN_CELL_BYTES, "%.*f", LENGTH_DECIMALS, (double)cell->number / MM_PER_M);
    } else if (c->kind == COLUMN_REAL_TIME) {
        snprintf(room, COLUMN_CELL_BYTES, "%.0f", cell->real);
    } else if (column_store(c->kind) == STORE_REAL) {
        snprintf(room, COLUMN_CELL_BYTES, "%.*g", REAL_DIGITS, cell->real);
    } else {
        snprintf(room, COLUMN_CELL_BYTES, "%" PRIu64, cell->number);
    }
    return room;
}

static const char *
cell_as_text(const struct column *c, const struct cell *cell, char room[COLUMN_CELL_BYTES])
{
    enum column_store store = column_store(c->kind);

    return !cell->is_known                              ? ""
           : store == STORE_TEXT || store == STORE_NAME ? cell_words(cell)
           : c->kind == COLUMN_YES                      ? (cell->number ? "yes" : "no")
                                                        : number_text(c, cell, room);
}

const char *
column_text(const struct column *c, const void *row, char room[COLUMN_CELL_BYTES])
{
    struct cell cell;

    column_read(c, row, &cell);
    return cell_as_text(c, &cell, room);
}

static void
write_json(struct json *j, const struct column *c, const struct cell *cell)
{
    enum column_store store = column_store(c->kind);
    char room[COLUMN_CELL_BYTES];

    if (!cell->is_known) {
        json_null(j, c->name);
    } else if (c->kind == COLUMN_YES) {
        json_bool(j, c->name, cell->number);
    } else if (store == STORE_TEXT || store == STORE_NAME || c->kind == COLUMN_HASH) {
        json_text(j, c->name, cell_as_text(c, cell, room));
    } else if (c->kind == COLUMN_LENGTH) {
        json_fixed(j, c->name, (double)cell->number / MM_PER_M, LENGTH_DECIMALS);
    } else if (c->kind == COLUMN_REAL_TIME) {
        json_fixed(j, c->name, cell->real, 0);
    } else if (store == STORE_REAL) {
        json_real(j, c->name, cell->real, REAL_DIGITS);
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

void
columns_write_names(FILE *out, const struct column *columns, size_t n)
{
    const char *comma = "";

    for (size_t i = 0; i < n; i++) {
        if (columns[i].name) {
            fputs(comma, out);
            csv_text(out, columns[i].name);
            comma = ",";
        }
    }
}

void
columns_write_cells(FILE *out, const struct column *columns, size_t n, const void *row)
{
    char room[COLUMN_CELL_BYTES];
    const char *comma = "";
    struct cell cell;

    for (size_t i = 0; i < n; i++) {
        if (columns[i].name) {
            fputs(comma, out);
            comma = ",";
            column_read(&columns[i], row, &cell);
            csv_text(out, cell_as_text(&columns[i], &cell, room));
        }
    }
}

size_t
columns_count(const struct column *columns)
{
    size_t n = 0;

    while (columns[n].name || columns[n].head) {
        n++;
    }
    return n;
}

const struct column *
columns_find(const struct column *columns, size_t n, const char *name)
{
    size_t i = text_find(name, columns, sizeof *columns, n);

    return i < n ? &columns[i] : NULL;
}

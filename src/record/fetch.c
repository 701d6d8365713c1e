/* Checks every cell of a results file that is read. */

#include "record/fetch.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "record/sqlite-hardening.h"

enum { ROWS_AT_ONCE = 10000, HASH_DIGITS = 16 };

/* Times of which two can be added. */
#define MAX_PS ((weir_ps)1 << 62)

/* The values that a file may have for a kind; whole numbers are from 0 to 'max'. */
static const struct kind {
    int storage;
    int64_t max;
    const char *words;
} of_number = { SQLITE_INTEGER, INT64_MAX, "a whole number from 0 on" },
  of_id = { SQLITE_INTEGER, REC_NO_ID - 1, "a whole number from 0 to 4294967294" },
  of_ps = { SQLITE_INTEGER, INT64_MAX, "a time in picoseconds from 0 on" },
  of_hash = { SQLITE_TEXT, 0, "16 hexadecimal digits" },
  of_real = { SQLITE_FLOAT, 0, "a finite number from 0 on" }, of_text = { SQLITE_TEXT, 0, "text" },
  of_blob = { SQLITE_BLOB, 0, "a sequence of bytes" };

static const struct kind *
kind_of(enum column_kind kind)
{
    static const struct kind *const kinds[] = {
        [STORE_NUMBER] = &of_number, [STORE_ID] = &of_id,     [STORE_PS] = &of_ps,
        [STORE_REAL] = &of_real,     [STORE_TEXT] = &of_text, [STORE_NAME] = &of_text,
        [STORE_BLOB] = &of_blob
    };

    return kind == COLUMN_HASH ? &of_hash : kinds[column_store(kind)];
}

static bool
is_hash(sqlite3_stmt *s, int place)
{
    const unsigned char *text = sqlite3_column_text(s, place);
    int n = 0;

    while (text && n < HASH_DIGITS && isxdigit(text[n])) {
        n++;
    }
    return n == HASH_DIGITS && sqlite3_column_bytes(s, place) == HASH_DIGITS;
}

static bool
is_in_range(sqlite3_stmt *s, int place, const struct kind *kind)
{
    if (sqlite3_column_type(s, place) != kind->storage) {
        return false;
    }
    if (kind == &of_hash) {
        return is_hash(s, place);
    }
    if (kind == &of_real) {
        double value = sqlite3_column_double(s, place);
        return isfinite(value) && value >= 0;
    }
    int64_t value = kind->max ? sqlite3_column_int64(s, place) : 0;
    return value >= 0 && value <= kind->max;
}

static struct column_blob
copied_bytes(sqlite3_stmt *s, int place)
{
    const void *bytes = sqlite3_column_blob(s, place);
    size_t n = bytes ? (size_t)sqlite3_column_bytes(s, place) : 0;
    uint8_t *copy = array_new(n, 1);

    return (struct column_blob){ n ? memcpy(copy, bytes, n) : copy, n };
}

static const char *
copied_text(sqlite3_stmt *s, int place)
{
    const char *text = (const char *)sqlite3_column_text(s, place);

    return text ? text_mended(text, (size_t)sqlite3_column_bytes(s, place)) : array_new(1, 1);
}

/* Names of files that are not ours may be too long. */
static void
take_name(sqlite3_stmt *s, int place, char name[COLUMN_NAME_BYTES])
{
    const char *long_name = copied_text(s, place);

    text_cut(name, COLUMN_NAME_BYTES, long_name);
    free((char *)long_name);
}

static void
take_cell(sqlite3_stmt *s, int place, enum column_kind kind, bool is_none, void *cell)
{
    int64_t value = is_none ? -1 : sqlite3_column_int64(s, place);

    switch (column_store(kind)) {
    case STORE_NUMBER:
        *(uint64_t *)cell = is_none ? REC_NONE
                            : kind == COLUMN_HASH
                                ? strtoull((const char *)sqlite3_column_text(s, place), NULL, 16)
                                : (uint64_t)value;
        break;
    case STORE_ID:
        *(uint32_t *)cell = is_none ? REC_NO_ID : (uint32_t)value;
        break;
    case STORE_PS:
        *(weir_ps *)cell = value < MAX_PS ? value : MAX_PS;
        break;
    case STORE_REAL:
        *(double *)cell = is_none ? -1 : sqlite3_column_double(s, place);
        break;
    case STORE_TEXT:
        *(const char **)cell = copied_text(s, place);
        break;
    case STORE_NAME:
        take_name(s, place, cell);
        break;
    case STORE_BLOB:
        *(struct column_blob *)cell = copied_bytes(s, place);
        break;
    }
}

bool
fetch_cell(struct store *store, sqlite3_stmt *s, int place, const struct rec_table *t,
           const struct column *c, void *row, struct err *err)
{
    bool is_none = sqlite3_column_type(s, place) == SQLITE_NULL;

    if (is_none ? !c->is_optional : !is_in_range(s, place, kind_of(c->kind))) {
        return store_refuse(store, err, "in its table %s, %s of row %llu is not %s", t->name,
                            c->name, (unsigned long long)*(const uint64_t *)row,
                            kind_of(c->kind)->words);
    }
    take_cell(s, place, c->kind, is_none, (char *)row + c->offset);
    return true;
}

/* A file that is being written grows. */
static bool
fits(const struct store *store, struct fetch *f)
{
    if (f->n_bytes > f->file_bytes) {
        f->file_bytes = store_bytes(store);
    }
    return f->n_bytes <= f->file_bytes;
}

static bool
take_row(struct store *store, struct fetch *f, sqlite3_stmt *s, struct rec_rows *rows,
         struct err *err)
{
    const struct rec_table *t = &rec_tables[f->table];
    void *row = rec_rows_push(rows, f->table);
    int place = 0;

    /* In the file a row has a place, and each cell a byte that says what it is. */
    f->n_bytes += 2;
    for (const struct column *c = t->columns; c->name; c++, place++) {
        bool is_long = column_store(c->kind) >= STORE_TEXT;
        if (!fetch_cell(store, s, place, t, c, row, err)) {
            return false;
        }
        f->n_bytes += 1 + (is_long ? (uint64_t)sqlite3_column_bytes(s, place) : 0);
    }
    if (!fits(store, f)) {
        return store_refuse(store, err, "its table %s holds more than fits into the file", t->name);
    }
    uint64_t id = *(const uint64_t *)row; /* A row begins with its id. */
    if (f->is_done || id < f->next_id) {
        return store_refuse(store, err, "in its table %s, the ids of rows do not increase",
                            t->name);
    }
    f->is_done = id == INT64_MAX;
    f->next_id = id + 1;
    return true;
}

static sqlite3_stmt *
prepare(struct store *store, const struct fetch *f, uint32_t max)
{
    const struct rec_table *t = &rec_tables[f->table];
    char columns[STORE_SQL_BYTES], sql[STORE_SQL_BYTES + 400];
    sqlite3_stmt *s = NULL;

    store_columns(columns, t, false);
    snprintf(sql, sizeof sql,
             "SELECT %s FROM %s WHERE %s = ?1 AND id >= ?2 AND %s ORDER BY id LIMIT ?3", columns,
             t->name, t->parent ? t->parent : "?1", f->condition);
    if (sqlite3_prepare_v2(store->db, sql, -1, &s, NULL) == SQLITE_OK) {
        sqlite3_bind_int64(s, 1, (int64_t)f->parent);
        sqlite3_bind_int64(s, 2, (int64_t)f->next_id);
        sqlite3_bind_int64(s, 3, max);
    }
    return s;
}

bool
fetch_more(struct store *store, struct fetch *f, uint32_t max, struct rec_rows *rows,
           struct err *err)
{
    size_t before = rows->n;
    bool good = true;

    if (f->next_id > INT64_MAX) { /* No row can have it. */
        f->is_done = true;
        return true;
    }
    hardening_limit(store);
    sqlite3_stmt *s = prepare(store, f, max);
    while (s && good && sqlite3_step(s) == SQLITE_ROW) {
        good = take_row(store, f, s, rows, err);
    }
    if (!good) { /* The last is not whole. */
        rec_rows_pop(rows, f->table);
    } else if (!s || sqlite3_reset(s) != SQLITE_OK) {
        good = store_fail(store, "read", err);
    }
    sqlite3_finalize(s);
    hardening_unlimit(store);
    f->is_done = f->is_done || rows->n - before < max;
    return good;
}

bool
fetch_each(struct store *store, enum rec_table_id t, uint64_t parent,
           void (*each)(void *arg, const void *row), void *arg, struct err *err)
{
    struct fetch f = { .table = t, .parent = parent, .condition = "1" };
    struct rec_rows rows = { 0 };
    bool good = true;

    while (good && !f.is_done) {
        good = fetch_more(store, &f, ROWS_AT_ONCE, &rows, err);
        for (size_t i = 0; i < rows.n && good; i++) {
            each(arg, rec_row(&rows, t, i));
        }
        rec_rows_free(&rows, t);
    }
    return good;
}

/* Reads rows of a results file, which may still be written. Each cell is checked, because the file
 * may be untrusted input.
 *
 * SQLite allows any value in any column, and a file may not have been written by SQLite. So each
 * cell must have the type and range of its column; NULL is allowed only where the schema allows it;
 * texts are converted to UTF-8. Ids must increase from row to row, so that no read loops for ever.
 * The data of a table must fit into the file, so that memory use is proportional to the size of the
 * file, whatever its pages contain. */

#include "record/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "record/sqlite-hardening.h"
#include "record/store.h"

enum { ROWS_AT_ONCE = 10000, HASH_DIGITS = 16, PAGE_BYTES = 4096 };

/* The maximum time, so that the sum of two times does not overflow. */
#define MAX_PS ((weir_ps)1 << 62)

struct rec_file *
rec_read_open(const char *path, struct err *err)
{
    return store_open_to_read(path, 0, &(struct rec_until){ 0 }, err);
}

struct rec_file *
rec_read_open_until(const char *path, struct rec_until until, struct err *err)
{
    return store_open_to_read(path, 0, &until, err);
}

uint64_t
rec_read_bytes(const struct rec_file *f, uint64_t *of)
{
    int n_pages = 0, most;

    *of = store_bytes(f);
    sqlite3_db_status(f->db, SQLITE_DBSTATUS_CACHE_MISS, &n_pages, &most, 0);
    return (uint64_t)n_pages * PAGE_BYTES;
}

struct rec_file *
rec_read_open_nofollow(const char *path, struct rec_until until, struct err *err)
{
    return store_open_to_read(path, SQLITE_OPEN_NOFOLLOW, &until, err);
}

void
rec_read_close(struct rec_file *f)
{
    store_close(f);
}

/* Cells. */

/* The valid values of each kind in a file; whole numbers range from 0 to 'max'. */
static const struct kind {
    int storage;
    int64_t max;
    const char *words;
} kinds[] = {
    [STORE_NUMBER] = { SQLITE_INTEGER, INT64_MAX, "a whole number from 0 on" },
    [STORE_ID] = { SQLITE_INTEGER, REC_NO_ID - 1, "a whole number from 0 to 4294967294" },
    [STORE_PS] = { SQLITE_INTEGER, INT64_MAX, "a time in picoseconds from 0 on" },
    [STORE_REAL] = { SQLITE_FLOAT, 0, "a finite number from 0 on" },
    [STORE_TEXT] = { SQLITE_TEXT, 0, "text" },
    [STORE_NAME] = { SQLITE_TEXT, 0, "text" },
    [STORE_BLOB] = { SQLITE_BLOB, 0, "a sequence of bytes" },
}, of_hash = { SQLITE_TEXT, 0, "16 hexadecimal digits" };

static const struct kind *
kind_of(enum column_kind kind)
{
    return kind == COLUMN_HASH ? &of_hash : &kinds[column_store(kind)];
}

static bool
is_hash(sqlite3_stmt *s, int place)
{
    const char *text = (const char *)sqlite3_column_text(s, place);

    return text && sqlite3_column_bytes(s, place) == HASH_DIGITS &&
           strspn(text, "0123456789abcdefABCDEF") == HASH_DIGITS;
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
    if (kind == &kinds[STORE_REAL]) {
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

    return text ? text_repaired(text, (size_t)sqlite3_column_bytes(s, place)) : array_new(1, 1);
}

/* Stores a cell in a row. A missing text becomes an empty text. */
static void
take_cell(sqlite3_stmt *s, int place, const struct column *c, void *row)
{
    enum column_store store = column_store(c->kind);
    struct cell cell;

    cell.is_known = sqlite3_column_type(s, place) != SQLITE_NULL;
    if (store == STORE_BLOB) {
        *(struct column_blob *)((char *)row + c->offset) = copied_bytes(s, place);
    } else if (store == STORE_TEXT || store == STORE_NAME) {
        cell_text(&cell, copied_text(s, place));
    } else if (store == STORE_REAL) {
        cell.real = sqlite3_column_double(s, place);
    } else if (c->kind == COLUMN_HASH && cell.is_known) {
        cell.number = strtoull((const char *)sqlite3_column_text(s, place), NULL, 16);
    } else {
        int64_t number = sqlite3_column_int64(s, place);
        cell.number = (uint64_t)(store == STORE_PS && number > MAX_PS ? MAX_PS : number);
    }
    column_put(c, row, &cell);
    if (store == STORE_NAME) {
        free((char *)cell.text);
    }
}

/* Rows. */

/* The state of reading rows in several calls. */
struct fetch {
    enum rec_table_id table;
    uint64_t parent; /* The run or sweep of the rows; ignored if rows belong to the file itself. */
    const char *condition;
    uint64_t next_id;    /* The lowest id of the rows that have not been read. */
    uint64_t n_bytes;    /* The minimum number of bytes that the rows so far take in the file. */
    uint64_t file_bytes; /* The file's size when it was last checked. */
    bool is_done;
};

/* Whether the rows fit into the file. If they do not, it reads the size of the file again, because
 * a file that is being written grows. */
static bool
fits(const struct rec_file *file, struct fetch *f)
{
    if (f->n_bytes > f->file_bytes) {
        f->file_bytes = store_bytes(file);
    }
    return f->n_bytes <= f->file_bytes;
}

static bool
take_row(struct rec_file *file, struct fetch *f, sqlite3_stmt *s, struct rec_rows *rows,
         struct err *err)
{
    const struct rec_table *t = &rec_tables[f->table];
    void *row = rec_rows_push(rows, f->table);
    const uint64_t *id = row; /* The id is the first member of a row. */
    int place = 0;

    /* In the file each row has a position of two bytes, and each cell at least one byte with its
     * type. */
    f->n_bytes += 2;
    for (const struct column *c = t->columns; c->name; c++, place++) {
        bool is_none = sqlite3_column_type(s, place) == SQLITE_NULL;
        bool is_long = column_store(c->kind) >= STORE_TEXT;
        if (is_none ? !c->is_optional : !is_in_range(s, place, kind_of(c->kind))) {
            return store_refuse(file, err, "in its table %s, %s of row %llu is not %s", t->name,
                                c->name, (unsigned long long)*id, kind_of(c->kind)->words);
        }
        take_cell(s, place, c, row);
        f->n_bytes += 1 + (is_long ? (uint64_t)sqlite3_column_bytes(s, place) : 0);
    }
    if (!fits(file, f)) {
        return store_refuse(file, err, "its table %s holds more than fits into the file", t->name);
    }
    if (f->is_done || *id < f->next_id) {
        return store_refuse(file, err, "in its table %s, the ids of rows do not increase", t->name);
    }
    f->is_done = *id == INT64_MAX;
    f->next_id = *id + 1;
    return true;
}

static sqlite3_stmt *
prepare(struct rec_file *file, const struct fetch *f, uint32_t max)
{
    const struct rec_table *t = &rec_tables[f->table];
    char columns[STORE_SQL_BYTES], sql[STORE_SQL_BYTES + 400];
    sqlite3_stmt *s = NULL;

    store_columns(columns, t, file->version, STORE_TO_READ);
    snprintf(sql, sizeof sql,
             "SELECT %s FROM %s WHERE %s = ?1 AND id >= ?2 AND %s ORDER BY id LIMIT ?3", columns,
             t->name, t->parent ? t->parent : "?1", f->condition);
    if (sqlite3_prepare_v2(file->db, sql, -1, &s, NULL) == SQLITE_OK) {
        sqlite3_bind_int64(s, 1, (int64_t)f->parent);
        sqlite3_bind_int64(s, 2, (int64_t)f->next_id);
        sqlite3_bind_int64(s, 3, max);
    }
    return s;
}

/* Reads up to 'max' more rows and appends them. */
static bool
fetch_more(struct rec_file *file, struct fetch *f, uint32_t max, struct rec_rows *rows,
           struct err *err)
{
    size_t before = rows->n;
    bool good = true;

    if (f->next_id > INT64_MAX) { /* No row can have such an id. */
        f->is_done = true;
        return true;
    }
    hardening_limit(file);
    sqlite3_stmt *s = prepare(file, f, max);
    while (s && good && sqlite3_step(s) == SQLITE_ROW) {
        good = take_row(file, f, s, rows, err);
    }
    if (!good) { /* The last row is incomplete. */
        rec_rows_pop(rows, f->table);
    } else if (!s || sqlite3_reset(s) != SQLITE_OK) {
        good = store_fail(file, "read", err);
    }
    sqlite3_finalize(s);
    hardening_unlimit(file);
    f->is_done = f->is_done || rows->n - before < max;
    return good;
}

bool
rec_read_if(struct rec_file *f, enum rec_table_id t, uint64_t parent, const char *condition,
            uint64_t first_id, uint32_t max, struct rec_rows *rows, struct err *err)
{
    struct fetch fetch = {
        .table = t, .parent = parent, .condition = condition, .next_id = first_id
    };

    return fetch_more(f, &fetch, max, rows, err);
}

bool
rec_read(struct rec_file *f, enum rec_table_id t, uint64_t parent, uint64_t first_id, uint32_t max,
         struct rec_rows *rows, struct err *err)
{
    return rec_read_if(f, t, parent, "1", first_id, max, rows, err);
}

bool
rec_read_all(struct rec_file *f, enum rec_table_id t, uint64_t parent, struct rec_rows *rows,
             struct err *err)
{
    return rec_read(f, t, parent, 0, UINT32_MAX, rows, err);
}

bool
rec_read_each(struct rec_file *f, enum rec_table_id t, uint64_t parent, const char *condition,
              void (*each)(void *arg, const void *row), void *arg, struct err *err)
{
    struct fetch fetch = { .table = t, .parent = parent, .condition = condition ? condition : "1" };
    struct rec_rows rows = { 0 };
    bool good = true;

    while (good && !fetch.is_done) {
        good = fetch_more(f, &fetch, ROWS_AT_ONCE, &rows, err);
        for (size_t i = 0; i < rows.n && good; i++) {
            each(arg, rec_row(&rows, t, i));
        }
        rec_rows_free(&rows, t);
    }
    return good;
}

bool
rec_read_count(struct rec_file *f, enum rec_table_id t, uint64_t parent, uint64_t *n,
               struct err *err)
{
    const struct rec_table *table = &rec_tables[t];
    char sql[200];
    int64_t count;

    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s WHERE %s = %lld", table->name,
             table->parent ? table->parent : "0", table->parent ? (long long)parent : 0);
    hardening_limit(f);
    bool good = store_number(f, sql, &count);
    *n = (uint64_t)count;
    return good || store_fail(f, "read", err);
}

/* Samples. */

static bool
open_block(struct rec_file *f, const struct rec_block *b, uint64_t id, struct rec_frame *frame,
           struct err *err)
{
    if (b->id != id) {
        return err_set(err, "a block of samples is missing");
    }
    if (frame->n_columns > REC_MAX_COLUMNS || b->n_rows < 1 ||
        b->n_rows > rec_frame_rows(frame->n_columns)) {
        return err_set(err, "a block of samples cannot have %llu rows of %u columns",
                       (unsigned long long)b->n_rows, frame->n_columns);
    }
    free(frame->values);
    frame->n_rows = (uint32_t)b->n_rows;
    frame->values = array_new((size_t)frame->n_rows * frame->n_columns, sizeof(uint64_t));
    if (!rec_packer_unpack(f->packer, frame, b->bytes.at, b->bytes.n, err)) {
        return false;
    }
    uint64_t last_ps = frame->values[(size_t)(frame->n_rows - 1) * frame->n_columns];
    return (frame->values[0] == (uint64_t)b->first_ps && last_ps == (uint64_t)b->last_ps) ||
           err_set(err, "the times in a block of samples differ from those in its row");
}

bool
rec_read_frame(struct rec_file *f, uint64_t run, uint64_t id, struct rec_frame *frame,
               struct err *err)
{
    struct rec_rows rows = { 0 };
    struct err why;

    if (hardening_is_over(f)) {
        return err_set(err, "cannot read %s: reading took too long and was stopped", f->path);
    }
    bool good = rec_read(f, REC_BLOCK, run, id, 1, &rows, err);

    frame->n_rows = 0;
    if (good && rows.n && !open_block(f, rows.items, id, frame, &why)) {
        frame->n_rows = 0;
        good = err_set(err, "cannot read %s: block %llu: %s", f->path, (unsigned long long)id,
                       why.text);
    }
    rec_rows_free(&rows, REC_BLOCK);
    return good;
}

/* Reads a results file, also while it is being written. */

#include "record/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "record/store.h"

enum { WAIT_MS = 10000, N_ROWS_AT_ONCE = 10000 };

struct rec_file {
    sqlite3 *db;
    char *path;
    struct rec_packer *packer;
};

/* Opened for writing where that is allowed, as only then SQLite can take back what a killed writer
 * left half done; nothing else is written. */
static struct rec_file *
open_results(const char *path, int more_flags, struct err *err)
{
    static const char careful[] = "PRAGMA query_only = 1; PRAGMA trusted_schema = 0; "
                                  "PRAGMA cell_size_check = 1";
    bool is_empty = false;
    sqlite3 *db = store_open(path, SQLITE_OPEN_READWRITE | more_flags, err);

    if (!db) {
        return NULL;
    }
    sqlite3_busy_timeout(db, WAIT_MS);
    sqlite3_exec(db, careful, NULL, NULL, NULL);
    bool good = store_check(db, path, &is_empty, err);
    if (!good || is_empty) {
        if (good) {
            err_set(err, "%s is not a Weir results file: it is empty", path);
        }
        sqlite3_close(db);
        return NULL;
    }
    struct rec_file *f = array_new(1, sizeof *f);
    *f = (struct rec_file){ .db = db, .packer = rec_packer_new() };
    f->path = strcpy(array_new(strlen(path) + 1, 1), path);
    return f;
}

struct rec_file *
rec_read_open(const char *path, struct err *err)
{
    return open_results(path, 0, err);
}

struct rec_file *
rec_read_open_nofollow(const char *path, struct err *err)
{
    return open_results(path, SQLITE_OPEN_NOFOLLOW, err);
}

void
rec_read_close(struct rec_file *f)
{
    sqlite3_close(f->db);
    rec_packer_free(f->packer);
    free(f->path);
    free(f);
}

static const char *
copied_text(sqlite3_stmt *s, int place)
{
    const unsigned char *text = sqlite3_column_text(s, place);
    size_t n = (size_t)sqlite3_column_bytes(s, place);
    char *copy = array_new(n + 1, 1);

    return text ? memcpy(copy, text, n) : copy;
}

static struct rec_bytes
copied_bytes(sqlite3_stmt *s, int place)
{
    const void *bytes = sqlite3_column_blob(s, place);
    size_t n = bytes ? (size_t)sqlite3_column_bytes(s, place) : 0;
    uint8_t *copy = array_new(n, 1);

    return (struct rec_bytes){ n ? memcpy(copy, bytes, n) : copy, n };
}

static void
take_cell(sqlite3_stmt *s, int place, const struct rec_column *c, void *row)
{
    char *cell = (char *)row + c->offset;
    bool is_none = sqlite3_column_type(s, place) == SQLITE_NULL;
    int64_t number = is_none ? -1 : sqlite3_column_int64(s, place);

    switch (c->kind) {
    case REC_NUMBER:
        *(uint64_t *)cell = number < 0 ? REC_NONE : (uint64_t)number;
        break;
    case REC_ID:
        *(uint32_t *)cell = number < 0 || number > REC_NO_ID ? REC_NO_ID : (uint32_t)number;
        break;
    case REC_TIME:
        *(weir_ps *)cell = number;
        break;
    case REC_HASH:
        *(uint64_t *)cell =
            is_none ? REC_NONE : strtoull((const char *)sqlite3_column_text(s, place), NULL, 16);
        break;
    case REC_REAL:
        *(double *)cell = is_none ? -1 : sqlite3_column_double(s, place);
        break;
    case REC_TEXT:
        *(const char **)cell = copied_text(s, place);
        break;
    case REC_BLOB:
        *(struct rec_bytes *)cell = copied_bytes(s, place);
        break;
    }
}

static void
take_row(sqlite3_stmt *s, enum rec_table_id t, struct rec_rows *rows)
{
    void *row = rec_rows_push(rows, t);
    int place = 0;

    for (const struct rec_column *c = rec_tables[t].columns; c->name; c++) {
        take_cell(s, place++, c, row);
    }
}

static const char *
parent_of(enum rec_table_id t)
{
    return rec_tables[t].parent ? rec_tables[t].parent : "?1";
}

bool
rec_read_if(struct rec_file *f, enum rec_table_id t, uint64_t parent, const char *condition,
            uint64_t first_id, uint32_t max, struct rec_rows *rows, struct err *err)
{
    char columns[STORE_SQL_BYTES], sql[STORE_SQL_BYTES + 400];
    sqlite3_stmt *s;

    store_columns(columns, &rec_tables[t], false);
    snprintf(sql, sizeof sql,
             "SELECT %s FROM %s WHERE %s = ?1 AND id >= ?2 AND %s ORDER BY id LIMIT ?3", columns,
             rec_tables[t].name, parent_of(t), condition);
    if (sqlite3_prepare_v2(f->db, sql, -1, &s, NULL) != SQLITE_OK) {
        return store_fail(f->db, "read", f->path, err);
    }
    sqlite3_bind_int64(s, 1, (int64_t)parent);
    sqlite3_bind_int64(s, 2, (int64_t)first_id);
    sqlite3_bind_int64(s, 3, max);
    while (sqlite3_step(s) == SQLITE_ROW) {
        take_row(s, t, rows);
    }
    return sqlite3_finalize(s) == SQLITE_OK || store_fail(f->db, "read", f->path, err);
}

bool
rec_read(struct rec_file *f, enum rec_table_id t, uint64_t parent, uint64_t first_id, uint32_t max,
         struct rec_rows *rows, struct err *err)
{
    return rec_read_if(f, t, parent, "1", first_id, max, rows, err);
}

bool
rec_read_count(struct rec_file *f, enum rec_table_id t, uint64_t parent, uint64_t *n,
               struct err *err)
{
    char sql[200];
    sqlite3_stmt *s;

    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s WHERE %s = ?1", rec_tables[t].name,
             parent_of(t));
    if (sqlite3_prepare_v2(f->db, sql, -1, &s, NULL) != SQLITE_OK) {
        return store_fail(f->db, "read", f->path, err);
    }
    sqlite3_bind_int64(s, 1, (int64_t)parent);
    *n = sqlite3_step(s) == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(s, 0) : 0;
    return sqlite3_finalize(s) == SQLITE_OK || store_fail(f->db, "read", f->path, err);
}

bool
rec_read_all(struct rec_file *f, enum rec_table_id t, uint64_t parent, struct rec_rows *rows,
             struct err *err)
{
    return rec_read(f, t, parent, 0, UINT32_MAX, rows, err);
}

bool
rec_read_each(struct rec_file *f, enum rec_table_id t, uint64_t parent,
              void (*each)(void *arg, const void *row), void *arg, struct err *err)
{
    struct rec_rows rows = { 0 };
    bool good = true, is_last = false;

    for (uint64_t first = 0; good && !is_last;) {
        good = rec_read(f, t, parent, first, N_ROWS_AT_ONCE, &rows, err);
        is_last = rows.n < N_ROWS_AT_ONCE;
        for (size_t i = 0; i < rows.n && good; i++) {
            const void *row = rec_row(&rows, t, i);
            each(arg, row);
            first = *(const uint64_t *)row + 1; /* A row begins with its id. */
        }
        rec_rows_free(&rows, t);
    }
    return good;
}

static bool
open_block(struct rec_file *f, const struct rec_block *b, uint64_t id, struct rec_frame *frame,
           struct err *err)
{
    if (b->id != id) {
        return err_set(err, "a block of samples is missing");
    }
    if (b->n_rows < 1 || b->n_rows > REC_MAX_BLOCK_ROWS || frame->n_columns > REC_MAX_COLUMNS) {
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

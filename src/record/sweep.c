/* Sweeps in a results file: a row for each run, so that a killed sweep goes on. */

#include "record/sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "record/reader.h"
#include "record/store.h"

enum { N_ROWS_AT_ONCE = 10000 };

struct rec_sweeps {
    sqlite3 *db;
    char *path;
    sqlite3_stmt *put, *find; /* A summary. */
    struct rec_rows pending;
    uint64_t sweep; /* Of what is pending. */
};

static bool
fail(struct rec_sweeps *s, struct err *err)
{
    store_fail(s->db, "write", s->path, err);
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

struct rec_sweeps *
rec_sweeps_open(const char *path, struct err *err)
{
    static const char find[] =
        "SELECT status, results_hash FROM summary WHERE sweep = ? AND id = ?";
    sqlite3 *db = store_open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err);

    if (!db) {
        return NULL;
    }
    struct rec_sweeps *s = array_new(1, sizeof *s);
    s->db = db;
    s->path = strcpy(array_new(strlen(path) + 1, 1), path);
    bool good = store_enter(db, path, err);
    if (good) {
        s->put = store_prepare_put(db, &rec_tables[REC_SUMMARY]);
        good = (s->put && sqlite3_prepare_v2(db, find, -1, &s->find, NULL) == SQLITE_OK) ||
               store_fail(db, "write", path, err);
    }
    if (!good) {
        rec_sweeps_close(s);
        return NULL;
    }
    return s;
}

void
rec_sweeps_close(struct rec_sweeps *s)
{
    sqlite3_finalize(s->put);
    sqlite3_finalize(s->find);
    sqlite3_close(s->db);
    rec_rows_free(&s->pending, REC_SUMMARY);
    free(s->path);
    free(s);
}

/* The sweep with this hash; 0 if there is none. */
static bool
find_sweep(struct rec_sweeps *s, uint64_t hash, uint64_t *id)
{
    char sql[100];
    sqlite3_stmt *find;

    snprintf(sql, sizeof sql, "SELECT id FROM sweep WHERE hash = '%016" PRIx64 "'", hash);
    if (sqlite3_prepare_v2(s->db, sql, -1, &find, NULL) != SQLITE_OK) {
        return false;
    }
    *id = sqlite3_step(find) == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(find, 0) : 0;
    return sqlite3_finalize(find) == SQLITE_OK;
}

/* Under a lock: two shards may begin the same sweep in one file. */
bool
rec_sweep_begin(struct rec_sweeps *s, const struct rec_sweep *sweep, uint64_t *id, struct err *err)
{
    struct rec_sweep row = *sweep;
    const struct rec_table *table = &rec_tables[REC_SWEEP];

    row.id = REC_NONE; /* SQLite takes the next. */
    if (sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK ||
        !find_sweep(s, sweep->hash, id)) {
        return fail(s, err);
    }
    if (!*id) {
        sqlite3_stmt *put = store_prepare_put(s->db, table);
        bool good = put && store_put(put, table, &row, 0) == SQLITE_OK;
        *id = (uint64_t)sqlite3_last_insert_rowid(s->db);
        if (!good) {
            fail(s, err);
        }
        sqlite3_finalize(put);
        if (!good) {
            return false;
        }
    }
    return sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK || fail(s, err);
}

bool
rec_sweep_each(struct rec_sweeps *s, uint64_t sweep,
               void (*each)(void *arg, uint64_t run, const char *status, bool is_dead), void *arg,
               struct err *err)
{
    static const char sql[] =
        "SELECT id, status, deadlock_ps IS NOT NULL FROM summary WHERE sweep = ?";
    sqlite3_stmt *rows;

    if (sqlite3_prepare_v2(s->db, sql, -1, &rows, NULL) != SQLITE_OK) {
        return store_fail(s->db, "read", s->path, err);
    }
    sqlite3_bind_int64(rows, 1, (int64_t)sweep);
    while (sqlite3_step(rows) == SQLITE_ROW) {
        each(arg, (uint64_t)sqlite3_column_int64(rows, 0),
             (const char *)sqlite3_column_text(rows, 1), sqlite3_column_int(rows, 2));
    }
    return sqlite3_finalize(rows) == SQLITE_OK || store_fail(s->db, "read", s->path, err);
}

void
rec_sweep_add(struct rec_sweeps *s, uint64_t sweep, const struct rec_summary *row)
{
    s->sweep = sweep;
    rec_rows_copy(&s->pending, REC_SUMMARY, row);
}

bool
rec_sweep_flush(struct rec_sweeps *s, struct err *err)
{
    if (!s->pending.n) {
        return true;
    }
    int code = sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    for (size_t i = 0; i < s->pending.n && code == SQLITE_OK; i++) {
        code = store_put(s->put, &rec_tables[REC_SUMMARY], rec_row(&s->pending, REC_SUMMARY, i),
                         s->sweep);
    }
    if (code != SQLITE_OK || sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK) {
        return fail(s, err);
    }
    rec_rows_free(&s->pending, REC_SUMMARY);
    return true;
}

/* Merging. */

static bool
is_finished(const char *status)
{
    return strcmp(status, "failed") != 0;
}

/* What of another file's row is to be done: it is new here, the same, or another. */
enum twin { NEW, SAME, DIFFERENT };

static enum twin
compare(struct rec_sweeps *s, uint64_t sweep, const struct rec_summary *row)
{
    char hash[20] = "";
    enum twin twin = NEW;

    sqlite3_bind_int64(s->find, 1, (int64_t)sweep);
    sqlite3_bind_int64(s->find, 2, (int64_t)row->id);
    if (row->results_hash != REC_NONE) {
        snprintf(hash, sizeof hash, "%016" PRIx64, row->results_hash);
    }
    if (sqlite3_step(s->find) == SQLITE_ROW) {
        const char *status = (const char *)sqlite3_column_text(s->find, 0);
        const char *here = (const char *)sqlite3_column_text(s->find, 1);
        bool is_same = !strcmp(status, row->status) && !strcmp(here ? here : "", hash);
        twin = is_same || !is_finished(row->status) ? SAME : is_finished(status) ? DIFFERENT : NEW;
    }
    sqlite3_reset(s->find);
    return twin;
}

static bool
merge_runs(struct rec_sweeps *s, struct rec_file *from, uint64_t from_id, uint64_t to_id,
           uint64_t *n_added, uint64_t *n_differ, struct err *err)
{
    struct rec_rows rows = { 0 };
    bool good = true, is_last = false;

    for (uint64_t first = 0; good && !is_last;) {
        good = rec_read(from, REC_SUMMARY, from_id, first, N_ROWS_AT_ONCE, &rows, err);
        is_last = rows.n < N_ROWS_AT_ONCE;
        for (size_t i = 0; good && i < rows.n; i++) {
            struct rec_summary row = *(const struct rec_summary *)rec_row(&rows, REC_SUMMARY, i);
            enum twin twin = compare(s, to_id, &row);
            row.why = row.why[0] ? row.why : NULL;
            if (twin == NEW) {
                rec_sweep_add(s, to_id, &row);
            }
            *n_added += twin == NEW;
            *n_differ += twin == DIFFERENT;
            first = row.id + 1;
        }
        rec_rows_free(&rows, REC_SUMMARY);
        good = good && rec_sweep_flush(s, err);
    }
    return good;
}

bool
rec_sweeps_merge(struct rec_sweeps *s, const char *path, uint64_t *n_added, uint64_t *n_differ,
                 struct err *err)
{
    struct rec_file *from = rec_read_open(path, err);
    struct rec_rows sweeps = { 0 };

    if (!from) {
        return false;
    }
    bool good = rec_read_all(from, REC_SWEEP, 0, &sweeps, err);
    for (size_t i = 0; good && i < sweeps.n; i++) {
        const struct rec_sweep *sweep = rec_row(&sweeps, REC_SWEEP, i);
        uint64_t id;
        good = rec_sweep_begin(s, sweep, &id, err) &&
               merge_runs(s, from, sweep->id, id, n_added, n_differ, err);
    }
    rec_rows_free(&sweeps, REC_SWEEP);
    rec_read_close(from);
    return good;
}

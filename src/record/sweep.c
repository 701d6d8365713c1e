/* Sweeps in a results file: a row for each run, so that a killed sweep goes on. */

#include "record/sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "record/fetch.h"
#include "record/reader.h"

enum { N_ROWS_AT_ONCE = 10000 };

/* Tables that a run adds rows to. */
enum { SUMMARIES, WORKLOADS, N_TABLES };

struct rec_sweeps {
    struct store *store;
    sqlite3_stmt *puts[N_TABLES], *find; /* Rows; a summary. */
    struct rec_rows pending[N_TABLES];
    uint64_t sweep; /* The sweep of the pending rows. */
};

static const enum rec_table_id tables[N_TABLES] = {
    [SUMMARIES] = REC_SUMMARY, [WORKLOADS] = REC_SUMMARY_WORKLOAD
};

static bool
fail(struct rec_sweeps *s, struct err *err)
{
    store_fail(s->store, "write", err);
    sqlite3_exec(s->store->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

/* A summary, by its sweep and its number. */
static sqlite3_stmt *
prepare_find(sqlite3 *db)
{
    char columns[STORE_SQL_BYTES], sql[2 * STORE_SQL_BYTES];
    sqlite3_stmt *find = NULL;

    store_columns(columns, &rec_tables[REC_SUMMARY], false);
    snprintf(sql, sizeof sql, "SELECT %s FROM summary WHERE sweep = ? AND id = ?", columns);
    sqlite3_prepare_v2(db, sql, -1, &find, NULL);
    return find;
}

struct rec_sweeps *
rec_sweeps_open(const char *path, struct err *err)
{
    struct store *store = store_open_to_write(path, 0, err);

    if (!store) {
        return NULL;
    }
    struct rec_sweeps *s = array_new(1, sizeof *s);
    s->store = store;
    for (int i = 0; i < N_TABLES; i++) {
        s->puts[i] = store_prepare_put(store->db, &rec_tables[tables[i]]);
    }
    if (!s->puts[SUMMARIES] || !s->puts[WORKLOADS] || !(s->find = prepare_find(store->db))) {
        store_fail(store, "write", err);
        rec_sweeps_close(s);
        return NULL;
    }
    return s;
}

void
rec_sweeps_close(struct rec_sweeps *s)
{
    for (int i = 0; i < N_TABLES; i++) {
        sqlite3_finalize(s->puts[i]);
        rec_rows_free(&s->pending[i], tables[i]);
    }
    sqlite3_finalize(s->find);
    store_close(s->store);
    free(s);
}

/* The sweep with this hash; 0 if there is none. */
static bool
find_sweep(struct rec_sweeps *s, uint64_t hash, uint64_t *id)
{
    char sql[100];
    int64_t found;

    snprintf(sql, sizeof sql, "SELECT max(id) FROM sweep WHERE hash = '%016" PRIx64 "'", hash);
    bool good = store_number(s->store, sql, &found);
    *id = found > 0 ? (uint64_t)found : 0;
    return good;
}

static bool
put_sweep(struct rec_sweeps *s, const struct rec_sweep *row, struct err *err)
{
    const struct rec_table *table = &rec_tables[REC_SWEEP];
    sqlite3_stmt *put = store_prepare_put(s->store->db, table);
    bool good =
        (put && store_put(put, table, row, 0) == SQLITE_OK) || store_fail(s->store, "write", err);

    sqlite3_finalize(put);
    return good;
}

/* Under a lock: two shards may begin the same sweep in one file. */
bool
rec_sweep_begin(struct rec_sweeps *s, const struct rec_sweep *sweep, uint64_t *id, struct err *err)
{
    struct rec_sweep row = *sweep;
    sqlite3 *db = s->store->db;

    if (sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK ||
        !find_sweep(s, sweep->hash, id)) {
        return fail(s, err);
    }
    if (!*id) {
        if (!store_next_id(s->store, REC_SWEEP, &row.id, err) || !put_sweep(s, &row, err)) {
            sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
            return false;
        }
        *id = row.id;
    }
    return sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK || fail(s, err);
}

struct told {
    void (*each)(void *arg, const struct rec_summary *);
    void *arg;
};

static void
tell_summary(void *arg, const void *of)
{
    const struct told *t = arg;

    t->each(t->arg, of);
}

bool
rec_sweep_each(struct rec_sweeps *s, uint64_t sweep,
               void (*each)(void *arg, const struct rec_summary *), void *arg, struct err *err)
{
    struct told told = { each, arg };

    return fetch_each(s->store, REC_SUMMARY, sweep, tell_summary, &told, err);
}

void
rec_sweep_add(struct rec_sweeps *s, uint64_t sweep, const struct rec_summary *row)
{
    s->sweep = sweep;
    rec_rows_copy(&s->pending[SUMMARIES], REC_SUMMARY, row);
}

void
rec_sweep_add_workload(struct rec_sweeps *s, uint64_t sweep, const struct rec_workload *given)
{
    struct rec_workload row = *given;

    row.id = REC_WORKLOADS_OF_RUN * row.summary + row.workload;
    s->sweep = sweep;
    rec_rows_copy(&s->pending[WORKLOADS], REC_SUMMARY_WORKLOAD, &row);
}

static int
put_pending(struct rec_sweeps *s, int table)
{
    enum rec_table_id t = tables[table];
    int code = SQLITE_OK;

    for (size_t i = 0; i < s->pending[table].n && code == SQLITE_OK; i++) {
        code =
            store_put(s->puts[table], &rec_tables[t], rec_row(&s->pending[table], t, i), s->sweep);
    }
    return code;
}

bool
rec_sweep_flush(struct rec_sweeps *s, struct err *err)
{
    if (!s->pending[SUMMARIES].n) {
        return true;
    }
    int code = sqlite3_exec(s->store->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    for (int i = 0; i < N_TABLES && code == SQLITE_OK; i++) {
        code = put_pending(s, i);
    }
    if (code != SQLITE_OK || sqlite3_exec(s->store->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK) {
        return fail(s, err);
    }
    for (int i = 0; i < N_TABLES; i++) {
        rec_rows_free(&s->pending[i], tables[i]);
    }
    return true;
}

/* Merging. */

static bool
is_finished(const char *status)
{
    return strcmp(status, "failed") != 0;
}

/* How another file's row compares with this file: it is new here, the same, or different. */
enum twin { NEW, SAME, DIFFERENT };

/* Adds what this file has of the run to 'own', if it has it. */
static bool
find_own(struct rec_sweeps *s, uint64_t sweep, uint64_t run, struct rec_rows *own, struct err *err)
{
    const struct rec_table *t = &rec_tables[REC_SUMMARY];
    bool good = true;
    int place = 0;

    sqlite3_bind_int64(s->find, 1, (int64_t)sweep);
    sqlite3_bind_int64(s->find, 2, (int64_t)run);
    if (sqlite3_step(s->find) == SQLITE_ROW) {
        struct rec_summary *row = rec_rows_push(own, REC_SUMMARY);
        row->id = run;
        for (const struct column *c = t->columns; c->name && good; c++) {
            good = fetch_cell(s->store, s->find, place++, t, c, row, err);
        }
    }
    return (sqlite3_reset(s->find) == SQLITE_OK || store_fail(s->store, "read", err)) && good;
}

/* The time that a run took is the machine's. */
static bool
is_same_result(const struct rec_summary *a, const struct rec_summary *b)
{
    struct rec_summary timed = *b;

    timed.wall_s = a->wall_s;
    return rec_row_is_same(REC_SUMMARY, a, &timed);
}

static bool
compare(struct rec_sweeps *s, uint64_t sweep, const struct rec_summary *row, enum twin *twin,
        struct err *err)
{
    struct rec_rows rows = { 0 };
    bool good = find_own(s, sweep, row->id, &rows, err);

    *twin = NEW;
    if (good && rows.n) {
        const struct rec_summary *own = rec_row(&rows, REC_SUMMARY, 0);
        *twin = !is_finished(row->status) || is_same_result(own, row) ? SAME
                : is_finished(own->status)                            ? DIFFERENT
                                                                      : NEW;
    }
    rec_rows_free(&rows, REC_SUMMARY);
    return good;
}

struct merging {
    struct rec_sweeps *to;
    struct rec_file *from;
    uint64_t to_id, from_id, *n_added, *n_differ;
};

/* Others would take the places of rows of other runs. */
static bool
has_own_place(const struct rec_workload *row)
{
    return row->workload < REC_WORKLOADS_OF_RUN && row->summary < UINT32_MAX;
}

/* Rows of workloads in the order of their runs, some at a time: to ask for those of each run costs
 * more than all else.  They are read after their runs, which a sweep may still be adding. */
struct walk {
    struct rec_rows rows;
    size_t at;
    bool is_last;
};

/* The first row with this id or a later one; null in 'row' if there is none. */
static bool
walk_to(const struct merging *m, struct walk *w, uint64_t id, const struct rec_workload **row,
        struct err *err)
{
    bool good = true;

    for (*row = NULL; good && !*row;) {
        if (w->at < w->rows.n) {
            const struct rec_workload *next = rec_row(&w->rows, REC_SUMMARY_WORKLOAD, w->at);
            *row = next->id >= id ? next : NULL;
            w->at += !*row;
        } else if (w->is_last) {
            break;
        } else {
            rec_rows_free(&w->rows, REC_SUMMARY_WORKLOAD);
            good = rec_read(m->from, REC_SUMMARY_WORKLOAD, m->from_id, id, N_ROWS_AT_ONCE, &w->rows,
                            err);
            w->at = 0;
            w->is_last = w->rows.n < N_ROWS_AT_ONCE;
        }
    }
    return good;
}

static bool
merge_workloads(const struct merging *m, struct walk *w, uint64_t run, struct err *err)
{
    const struct rec_workload *row;
    uint64_t id = REC_WORKLOADS_OF_RUN * run, end = id + REC_WORKLOADS_OF_RUN;
    bool good;

    while ((good = walk_to(m, w, id, &row, err)) && row && row->id < end) {
        if (row->summary == run && has_own_place(row)) {
            rec_sweep_add_workload(m->to, m->to_id, row);
        }
        id = row->id + 1;
    }
    return good;
}

static bool
merge_run(const struct merging *m, struct walk *w, const struct rec_summary *from, struct err *err)
{
    struct rec_summary row = *from;
    enum twin twin;

    if (!compare(m->to, m->to_id, &row, &twin, err)) {
        return false;
    }
    row.why = row.why[0] ? row.why : NULL; /* As they are written: see rows.h. */
    row.measures = row.measures[0] ? row.measures : NULL;
    if (twin == NEW) {
        rec_sweep_add(m->to, m->to_id, &row);
    }
    *m->n_added += twin == NEW;
    *m->n_differ += twin == DIFFERENT;
    return twin != NEW || merge_workloads(m, w, row.id, err);
}

static bool
merge_runs(const struct merging *m, struct err *err)
{
    struct rec_rows rows = { 0 };
    bool good = true, is_last = false;

    for (uint64_t first = 0; good && !is_last;) {
        good = rec_read(m->from, REC_SUMMARY, m->from_id, first, N_ROWS_AT_ONCE, &rows, err);
        is_last = rows.n < N_ROWS_AT_ONCE;
        struct walk walk = { 0 };
        for (size_t i = 0; good && i < rows.n; i++) {
            const struct rec_summary *row = rec_row(&rows, REC_SUMMARY, i);
            good = merge_run(m, &walk, row, err);
            first = row->id + 1;
        }
        rec_rows_free(&walk.rows, REC_SUMMARY_WORKLOAD);
        rec_rows_free(&rows, REC_SUMMARY);
        good = good && rec_sweep_flush(m->to, err);
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
        struct merging m = { s, from, 0, sweep->id, n_added, n_differ };
        good = rec_sweep_begin(s, sweep, &m.to_id, err) && merge_runs(&m, err);
    }
    rec_rows_free(&sweeps, REC_SWEEP);
    rec_read_close(from);
    return good;
}

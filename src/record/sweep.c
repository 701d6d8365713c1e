/* Sweeps in a results file: each run has a row, so that a killed sweep can be resumed. */

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
    struct rec_file *store;
    struct rec_rows pending[REC_N_TABLES];
    uint64_t sweep; /* The sweep of the pending rows. */
};

static bool
fail(struct rec_sweeps *s, struct err *err)
{
    store_fail(s->store, "write", err);
    store_exec(s->store, "ROLLBACK");
    return false;
}

struct rec_sweeps *
rec_sweeps_open(const char *path, struct err *err)
{
    struct rec_file *store = store_open_to_write(path, 0, err);

    if (!store) {
        return NULL;
    }
    struct rec_sweeps *s = array_new(1, sizeof *s);
    s->store = store;
    return s;
}

void
rec_sweeps_close(struct rec_sweeps *s)
{
    rec_rows_free_all(s->pending);
    store_close(s->store);
    free(s);
}

/* Finds the sweep with this hash; the id is 0 if there is none. */
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

/* Begins a sweep under a lock, because two shards may begin the same sweep in one file. */
bool
rec_sweep_begin(struct rec_sweeps *s, const struct rec_sweep *sweep, uint64_t *id, struct err *err)
{
    struct rec_sweep row = *sweep;

    if (store_exec(s->store, "BEGIN IMMEDIATE") != SQLITE_OK || !find_sweep(s, sweep->hash, id)) {
        return fail(s, err);
    }
    if (!*id) {
        if (!store_next_id(s->store, REC_SWEEP, &row.id, err)) {
            store_exec(s->store, "ROLLBACK");
            return false;
        }
        if (store_put(s->store, REC_SWEEP, &row, 0) != SQLITE_OK) {
            return fail(s, err);
        }
        *id = row.id;
    }
    return store_exec(s->store, "COMMIT") == SQLITE_OK || fail(s, err);
}

bool
rec_sweep_each(struct rec_sweeps *s, uint64_t sweep, void (*each)(void *arg, const void *row),
               void *arg, struct err *err)
{
    return rec_read_each(s->store, REC_SUMMARY, sweep, NULL, each, arg, err);
}

void
rec_sweep_add(struct rec_sweeps *s, uint64_t sweep, const struct rec_summary *row)
{
    s->sweep = sweep;
    rec_rows_copy(&s->pending[REC_SUMMARY], REC_SUMMARY, row);
}

void
rec_sweep_add_workload(struct rec_sweeps *s, uint64_t sweep, const struct rec_workload *given)
{
    struct rec_workload row = *given;

    row.id = REC_WORKLOADS_OF_RUN * row.summary + row.workload;
    s->sweep = sweep;
    rec_rows_copy(&s->pending[REC_SUMMARY_WORKLOAD], REC_SUMMARY_WORKLOAD, &row);
}

bool
rec_sweep_flush(struct rec_sweeps *s, struct err *err)
{
    if (!s->pending[REC_SUMMARY].n) {
        return true;
    }
    if (store_exec(s->store, "BEGIN IMMEDIATE") != SQLITE_OK ||
        store_put_all(s->store, s->pending, s->sweep) != SQLITE_OK ||
        store_exec(s->store, "COMMIT") != SQLITE_OK) {
        return fail(s, err);
    }
    rec_rows_free_all(s->pending);
    return true;
}

/* Merging files. */

static bool
is_finished(const char *status)
{
    return strcmp(status, "failed") != 0;
}

/* The result of comparing another file's row with this file. */
enum twin { NEW, SAME, DIFFERENT };

/* A reader of rows in the order of their ids. It reads them in parts, because a query for each row
 * would take most of the time. */
struct walk {
    struct rec_file *file;
    enum rec_table_id table;
    uint64_t sweep;
    struct rec_rows rows;
    size_t at;
    bool is_last;
};

/* Moves to the first row with this id or a later one; 'row' becomes null if there is none. */
static bool
walk_to(struct walk *w, uint64_t id, const void **row, struct err *err)
{
    bool good = true;

    for (*row = NULL; good && !*row;) {
        if (w->at < w->rows.n) {
            /* The id is the first member of a row. */
            const uint64_t *next = rec_row(&w->rows, w->table, w->at);
            *row = *next >= id ? next : NULL;
            w->at += !*row;
        } else if (w->is_last) {
            break;
        } else {
            rec_rows_free(&w->rows, w->table);
            good = rec_read(w->file, w->table, w->sweep, id, N_ROWS_AT_ONCE, &w->rows, err);
            w->at = 0;
            w->is_last = w->rows.n < N_ROWS_AT_ONCE;
        }
    }
    return good;
}

/* Whether two results are equal, except for the running time, which depends on the machine. */
static bool
is_same_result(const struct rec_summary *a, const struct rec_summary *b)
{
    struct rec_summary timed = *b;

    timed.wall_s = a->wall_s;
    return rec_row_is_same(REC_SUMMARY, a, &timed);
}

static enum twin
compare(const struct rec_summary *own, const struct rec_summary *row)
{
    return !own || own->id != row->id                              ? NEW
           : !is_finished(row->status) || is_same_result(own, row) ? SAME
           : is_finished(own->status)                              ? DIFFERENT
                                                                   : NEW;
}

struct merging {
    struct rec_sweeps *to;
    struct rec_file *from;
    uint64_t to_id, from_id, *n_added, *n_differ;
    struct walk own, workloads; /* The runs in this file, and the workloads in the other file. */
};

/* Whether the id of a workload's row is valid. A row with an invalid id would replace rows of other
 * runs. */
static bool
has_own_place(const struct rec_workload *row)
{
    return row->workload < REC_WORKLOADS_OF_RUN && row->summary < UINT32_MAX;
}

static bool
merge_workloads(struct merging *m, uint64_t run, struct err *err)
{
    const struct rec_workload *row;
    const void *at;
    uint64_t id = REC_WORKLOADS_OF_RUN * run, end = id + REC_WORKLOADS_OF_RUN;
    bool good;

    while ((good = walk_to(&m->workloads, id, &at, err)) && (row = at) && row->id < end) {
        if (row->summary == run && has_own_place(row)) {
            rec_sweep_add_workload(m->to, m->to_id, row);
        }
        id = row->id + 1;
    }
    return good;
}

static bool
merge_run(struct merging *m, const struct rec_summary *from, struct err *err)
{
    struct rec_summary row = *from;
    const void *own;

    if (!walk_to(&m->own, row.id, &own, err)) {
        return false;
    }
    enum twin twin = compare(own, &row);
    row.why = row.why[0] ? row.why : NULL; /* Missing texts are null for writing (rows.h). */
    row.measures = row.measures[0] ? row.measures : NULL;
    if (twin == NEW) {
        rec_sweep_add(m->to, m->to_id, &row);
    }
    *m->n_added += twin == NEW;
    *m->n_differ += twin == DIFFERENT;
    return twin != NEW || merge_workloads(m, row.id, err);
}

/* Merges runs. A run's workloads are read after the run, because a sweep may still be adding rows
 * to the file. */
static bool
merge_runs(struct merging *m, struct err *err)
{
    struct rec_rows rows = { 0 };
    bool good = true, is_last = false;

    for (uint64_t first = 0; good && !is_last;) {
        good = rec_read(m->from, REC_SUMMARY, m->from_id, first, N_ROWS_AT_ONCE, &rows, err);
        is_last = rows.n < N_ROWS_AT_ONCE;
        m->own = (struct walk){ m->to->store, REC_SUMMARY, .sweep = m->to_id };
        m->workloads = (struct walk){ m->from, REC_SUMMARY_WORKLOAD, .sweep = m->from_id };
        for (size_t i = 0; good && i < rows.n; i++) {
            const struct rec_summary *row = rec_row(&rows, REC_SUMMARY, i);
            good = merge_run(m, row, err);
            first = row->id + 1;
        }
        rec_rows_free(&m->own.rows, REC_SUMMARY);
        rec_rows_free(&m->workloads.rows, REC_SUMMARY_WORKLOAD);
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
        struct merging m = { s, from, .from_id = sweep->id, n_added, n_differ };
        good = rec_sweep_begin(s, sweep, &m.to_id, err) && merge_runs(&m, err);
    }
    rec_rows_free(&sweeps, REC_SWEEP);
    rec_read_close(from);
    return good;
}

/* Common code of tests of results files: a folder for each test, the sample written into a file,
 * and its contents. */

#ifndef TESTS_RECORD_SCRATCH_H
#define TESTS_RECORD_SCRATCH_H

#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../unit/unit.h"
#include "record/reader.h"
#include "sample.h"

struct scratch {
    char dir[200], path[250];
};

static inline int
make_scratch(void **state)
{
    struct scratch *s = malloc(sizeof *s);
    const char *dir = getenv("TMPDIR");

    snprintf(s->dir, sizeof s->dir, "%s/weir-record-XXXXXX", dir ? dir : "/tmp");
    *state = s;
    if (!mkdtemp(s->dir) || chmod(s->dir, 0755)) {
        return -1;
    }
    snprintf(s->path, sizeof s->path, "%s/results.db", s->dir);
    return 0;
}

static inline size_t
each_file(const char *path, int (*act)(const char *))
{
    DIR *dir = opendir(path);
    size_t n = 0;

    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char name[600];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.') {
            n++;
            if (act) {
                act(name);
            }
        }
    }
    closedir(dir);
    return n;
}

static inline int
drop_scratch(void **state)
{
    struct scratch *s = *state;

    each_file(s->dir, remove);
    int code = rmdir(s->dir);
    free(s);
    return code;
}

/* Opens a file to read its contents. */

static inline struct rec_file *
open_good(const char *path)
{
    struct err err = { 0 };
    struct rec_file *f = rec_read_open(path, &err);

    if (!f) {
        fail_msg("%s", err.text);
    }
    return f;
}

static inline struct rec_rows
read_all(struct rec_file *f, enum rec_table_id t, uint64_t run)
{
    struct rec_rows rows = { 0 };
    struct err err = { 0 };

    if (!rec_read_all(f, t, run, &rows, &err)) {
        fail_msg("%s", err.text);
    }
    return rows;
}

static inline void
assert_rows(struct rec_file *f, enum rec_table_id t, uint64_t run, const void *expected, size_t n)
{
    struct rec_rows rows = read_all(f, t, run);
    struct rec_rows want = { (void *)expected, n, n, 0 };

    assert_int_equal(rows.n, n);
    for (size_t i = 0; i < n; i++) {
        for (const struct column *c = rec_tables[t].columns; c->name; c++) {
            char a[COLUMN_CELL_BYTES], b[COLUMN_CELL_BYTES];
            assert_string_equal(column_text(c, rec_row(&rows, t, i), a),
                                column_text(c, rec_row(&want, t, i), b));
        }
    }
    rec_rows_free(&rows, t);
}

/* Checks that the samples have no gaps; returns their number. */
static inline uint64_t
count_samples(struct rec_file *f, uint64_t run)
{
    struct rec_frame frame = { .n_columns = 1 + SAMPLE_SERIES };
    struct err err = { 0 };
    uint64_t n = 0;
    bool good;

    for (uint64_t id = 0; (good = rec_read_frame(f, run, id, &frame, &err)) && frame.n_rows; id++) {
        for (uint32_t row = 0; row < frame.n_rows; row++, n++) {
            const uint64_t *got = frame.values + (size_t)row * frame.n_columns;
            uint64_t want[SAMPLE_SERIES];
            sample_values(n, want);
            assert_int_equal(got[0], n * SAMPLE_EVERY_PS);
            assert_memory_equal(got + 1, want, sizeof want);
        }
    }
    if (!good) {
        fail_msg("%s", err.text);
    }
    free(frame.values);
    return n;
}

static inline void
assert_status(struct rec_file *f, uint64_t run, const char *status)
{
    struct rec_rows rows = read_all(f, REC_RUN, 0);

    assert_in_range(run, 1, rows.n);
    assert_string_equal(((const struct rec_run *)rows.items)[run - 1].status, status);
    rec_rows_free(&rows, REC_RUN);
}

static inline void
assert_whole(struct rec_file *f, uint64_t run, uint64_t n_samples)
{
    assert_status(f, run, "complete");
    assert_rows(f, REC_PARAMETER, run, sample_parameters, N_OF(sample_parameters));
    assert_rows(f, REC_ENGINE_PARAMETER, run, sample_engine_parameters,
                N_OF(sample_engine_parameters));
    assert_rows(f, REC_NODE, run, sample_nodes, N_OF(sample_nodes));
    assert_rows(f, REC_PORT, run, sample_ports, N_OF(sample_ports));
    assert_rows(f, REC_FLOW, run, sample_flows, N_OF(sample_flows));
    assert_rows(f, REC_COUNTER, run, sample_counters, N_OF(sample_counters));
    assert_rows(f, REC_EVENT, run, sample_events, N_OF(sample_events));
    assert_rows(f, REC_WAIT, run, sample_waits, N_OF(sample_waits));
    assert_rows(f, REC_VIOLATION, run, sample_violations, N_OF(sample_violations));
    assert_rows(f, REC_SERIES, run, sample_series, N_OF(sample_series));
    assert_int_equal(count_samples(f, run), n_samples);
}

static inline void
write_sample(const char *path, uint64_t n_samples)
{
    struct err err = { 0 };
    struct rec *r = rec_open(path, &err);

    if (!r || !sample_tell(r, n_samples, &err) || !sample_finish(r, &err) || !rec_close(r, &err)) {
        fail_msg("%s", err.text);
    }
}

static inline void
run_sql(const char *path, const char *sql)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static inline int
is_ok(void *ok, int n, char **values, char **names)
{
    (void)n, (void)names;
    *(bool *)ok = !strcmp(values[0], "ok");
    return 0;
}

static inline void
assert_sound(const char *path)
{
    sqlite3 *db;
    bool ok = false;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_exec(db, "PRAGMA integrity_check", is_ok, &ok, NULL);
    assert_true(ok);
    sqlite3_close(db);
}

static inline void
assert_not_opened(const char *path, const char *words)
{
    struct err err = { 0 };

    assert_null(rec_open(path, &err));
    assert_says(err.text, path);
    assert_says(err.text, words);
}

static inline void
assert_not_read(const char *path, const char *words)
{
    struct err err = { 0 };

    assert_null(rec_read_open(path, &err));
    assert_says(err.text, path);
    assert_says(err.text, words);
}

#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, make_scratch, drop_scratch)

#endif

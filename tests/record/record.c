/* Results files: what is told is read, by whom and after whatever; and what can not be is refused.
 */

#include "record/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../unit/unit.h"
#include "record/reader.h"
#include "record/sweep.h"
#include "sample.h"

struct scratch {
    char dir[200], path[250];
};

static int
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

static size_t
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

static int
drop_scratch(void **state)
{
    struct scratch *s = *state;

    each_file(s->dir, remove);
    int code = rmdir(s->dir);
    free(s);
    return code;
}

/* What stands in a file. */

static struct rec_file *
open_good(const char *path)
{
    struct err err = { "" };
    struct rec_file *f = rec_read_open(path, &err);

    if (!f) {
        fail_msg("%s", err.text);
    }
    return f;
}

static struct rec_rows
read_all(struct rec_file *f, enum rec_table_id t, uint64_t run)
{
    struct rec_rows rows = { 0 };
    struct err err = { "" };

    if (!rec_read_all(f, t, run, &rows, &err)) {
        fail_msg("%s", err.text);
    }
    return rows;
}

static void
assert_rows(struct rec_file *f, enum rec_table_id t, uint64_t run, const void *expected, size_t n)
{
    struct rec_rows rows = read_all(f, t, run);
    struct rec_rows want = { (void *)expected, n, n, 0 };

    assert_int_equal(rows.n, n);
    for (size_t i = 0; i < n; i++) {
        for (const struct rec_column *c = rec_tables[t].columns; c->name; c++) {
            char a[REC_CELL_BYTES], b[REC_CELL_BYTES];
            assert_string_equal(rec_cell_text(c, rec_row(&rows, t, i), a),
                                rec_cell_text(c, rec_row(&want, t, i), b));
        }
    }
    rec_rows_free(&rows, t);
}

/* Samples stand without a gap from the first on; returns how many. */
static uint64_t
count_samples(struct rec_file *f, uint64_t run)
{
    struct rec_frame frame = { .n_columns = 1 + SAMPLE_SERIES };
    struct err err = { "" };
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

static void
assert_status(struct rec_file *f, uint64_t run, const char *status)
{
    struct rec_rows rows = read_all(f, REC_RUN, 0);

    assert_in_range(run, 1, rows.n);
    assert_string_equal(((const struct rec_run *)rows.items)[run - 1].status, status);
    rec_rows_free(&rows, REC_RUN);
}

static void
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
    assert_rows(f, REC_VIOLATION, run, sample_violations, N_OF(sample_violations));
    assert_rows(f, REC_SERIES, run, sample_series, N_OF(sample_series));
    assert_int_equal(count_samples(f, run), n_samples);
}

static void
write_sample(const char *path, uint64_t n_samples)
{
    struct err err = { "" };
    struct rec *r = rec_open(path, &err);

    if (!r || !sample_tell(r, n_samples, &err) || !sample_finish(r, &err) || !rec_close(r, &err)) {
        fail_msg("%s", err.text);
    }
}

static void
run_sql(const char *path, const char *sql)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static int
is_ok(void *ok, int n, char **values, char **names)
{
    (void)n, (void)names;
    *(bool *)ok = !strcmp(values[0], "ok");
    return 0;
}

static void
assert_sound(const char *path)
{
    sqlite3 *db;
    bool ok = false;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_exec(db, "PRAGMA integrity_check", is_ok, &ok, NULL);
    assert_true(ok);
    sqlite3_close(db);
}

/* Round trips. */

static void
what_is_told_is_read(void **state)
{
    const struct scratch *s = *state;

    write_sample(s->path, SAMPLE_ROWS);
    struct rec_file *f = open_good(s->path);
    struct rec_run run = sample_run;
    run.id = 1;
    run.status = "complete";
    run.until_ps = sample_end.until_ps;
    run.wall_s = sample_end.wall_s;
    run.results_hash = sample_end.results_hash;
    run.n_hops = sample_end.n_hops;
    assert_rows(f, REC_RUN, 0, &run, 1);
    assert_whole(f, 1, SAMPLE_ROWS);
    rec_read_close(f);
    assert_int_equal(each_file(s->dir, NULL), 1);
}

static void
a_file_holds_many_runs(void **state)
{
    const struct scratch *s = *state;
    struct err err;

    write_sample(s->path, 5);
    struct rec *r = rec_open(s->path, &err); /* Two at once that were opened. */
    for (uint64_t run = 2; run < 4; run++) {
        assert_true(sample_tell(r, run, &err));
        assert_int_equal(rec_run_id(r), run);
        assert_true(sample_finish(r, &err));
    }
    assert_true(rec_close(r, &err));
    write_sample(s->path, 0);

    struct rec_file *f = open_good(s->path);
    assert_whole(f, 1, 5);
    assert_whole(f, 2, 2);
    assert_whole(f, 3, 3);
    assert_whole(f, 4, 0);
    rec_read_close(f);
}

static void
a_run_can_be_read_while_it_goes_on(void **state)
{
    const struct scratch *s = *state;
    struct err err;
    struct rec *r = rec_open(s->path, &err);

    assert_true(sample_tell(r, 10, &err) && rec_flush(r, &err));
    struct rec_file *f = open_good(s->path);
    assert_status(f, 1, "running");
    assert_int_equal(count_samples(f, 1), 10);
    for (uint64_t row = 10; row < 5000; row++) { /* Its block is begun already. */
        uint64_t values[SAMPLE_SERIES];
        sample_values(row, values);
        assert_true(rec_sample(r, (weir_ps)row * SAMPLE_EVERY_PS, values, &err));
        if (row % 999 == 0) {
            assert_true(rec_flush(r, &err));
            assert_int_equal(count_samples(f, 1), row + 1);
        }
    }
    assert_true(rec_close(r, &err));
    assert_int_equal(count_samples(f, 1), 5000);
    assert_status(f, 1, "running");
    rec_read_close(f);
}

static void
a_table_is_read_in_parts(void **state)
{
    const struct scratch *s = *state;
    struct rec_rows rows = { 0 };
    struct err err;

    write_sample(s->path, 0);
    struct rec_file *f = open_good(s->path);
    assert_true(rec_read(f, REC_EVENT, 1, 1, 2, &rows, &err));
    assert_true(rec_read(f, REC_EVENT, 1, 3, 100, &rows, &err));
    assert_int_equal(rows.n, N_OF(sample_events) - 1);
    assert_int_equal(((const struct rec_event *)rows.items)[0].at_ps, sample_events[1].at_ps);
    rec_rows_free(&rows, REC_EVENT);
    rec_read_close(f);
}

/* Several at once, and the killed. */

static void
several_programs_write_at_once(void **state)
{
    enum { N_PROGRAMS = 4, N_RUNS = 5 };
    const struct scratch *s = *state;
    pid_t pids[N_PROGRAMS];

    for (int i = 0; i < N_PROGRAMS; i++) {
        pids[i] = fork();
        if (!pids[i]) {
            struct err err = { "" };
            struct rec *r = rec_open(s->path, &err);
            bool good = r;
            for (int run = 0; run < N_RUNS && good; run++) {
                good = sample_tell(r, 1000, &err) && rec_flush(r, &err) && sample_finish(r, &err);
            }
            _exit(good && rec_close(r, &err) ? 0 : 1);
        }
    }
    for (int i = 0; i < N_PROGRAMS; i++) {
        int status = -1;
        waitpid(pids[i], &status, 0);
        assert_int_equal(status, 0);
    }
    struct rec_file *f = open_good(s->path);
    for (uint64_t run = 1; run <= N_PROGRAMS * N_RUNS; run++) {
        assert_whole(f, run, 1000);
    }
    rec_read_close(f);
}

/* Tells a run without end, and says after every flush how many samples are safe. */
static void
write_until_killed(const char *path, int out)
{
    struct err err;
    struct rec *r = rec_open(path, &err);
    uint64_t values[SAMPLE_SERIES], row = 0;

    if (!sample_tell(r, 0, &err)) {
        _exit(1);
    }
    for (;;) {
        for (int i = 0; i < 300; i++, row++) {
            sample_values(row, values);
            if (!rec_sample(r, (weir_ps)row * SAMPLE_EVERY_PS, values, &err)) {
                _exit(2);
            }
        }
        if (!rec_flush(r, &err) || write(out, &row, sizeof row) != sizeof row) {
            _exit(3);
        }
    }
}

static uint64_t
kill_a_writer(const char *path, long after_ns)
{
    int ends[2];
    uint64_t safe = 0, more;

    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (!pid) {
        write_until_killed(path, ends[1]);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &safe, sizeof safe), sizeof safe); /* It is on its way. */
    nanosleep(&(struct timespec){ 0, after_ns }, NULL);
    assert_int_equal(kill(pid, SIGKILL), 0);
    while (read(ends[0], &more, sizeof more) == sizeof more) {
        safe = more;
    }
    close(ends[0]);
    waitpid(pid, NULL, 0);
    return safe;
}

static void
a_killed_writer_leaves_what_was_flushed(void **state)
{
    const struct scratch *s = *state;
    uint64_t random = 1;

    for (uint64_t run = 1; run <= 20; run++) {
        uint64_t safe = kill_a_writer(s->path, (long)below(&random, 20000000));
        struct rec_file *f = open_good(s->path);
        assert_status(f, run, "running");
        assert_rows(f, REC_EVENT, run, sample_events, N_OF(sample_events));
        assert_in_range(count_samples(f, run), safe, UINT64_MAX);
        rec_read_close(f);
    }
    assert_sound(s->path);
    write_sample(s->path, 10); /* And the file goes on being of use. */
    assert_int_equal(each_file(s->dir, NULL), 1);
}

/* What is told is written within about a second though nobody asks, and someone who holds the file
 * for so long does no harm. */
static void
a_slow_reader_does_not_stop_a_writer(void **state)
{
    const struct scratch *s = *state;
    uint64_t values[SAMPLE_SERIES];
    struct err err;
    struct rec *r = rec_open(s->path, &err);
    sqlite3 *slow;

    assert_true(sample_tell(r, 1, &err) && rec_flush(r, &err));
    assert_int_equal(sqlite3_open(s->path, &slow), SQLITE_OK);
    assert_int_equal(sqlite3_exec(slow, "BEGIN; SELECT count(*) FROM run", NULL, NULL, NULL),
                     SQLITE_OK);
    for (uint64_t row = 1; row < 26; row++) {
        if (row == 15) {
            sqlite3_close(slow);
        }
        sample_values(row, values);
        assert_true(rec_sample(r, (weir_ps)row * SAMPLE_EVERY_PS, values, &err));
        nanosleep(&(struct timespec){ 0, 100000000 }, NULL);
    }
    struct rec_file *f = open_good(s->path);
    assert_in_range(count_samples(f, 1), 15, 26);
    assert_true(sample_finish(r, &err) && rec_close(r, &err));
    assert_whole(f, 1, 26);
    rec_read_close(f);
}

/* The world's faults. */

static void
assert_not_opened(const char *path, const char *words)
{
    struct err err = { "" };

    assert_null(rec_open(path, &err));
    assert_says(err.text, path);
    assert_says(err.text, words);
}

static void
assert_not_read(const char *path, const char *words)
{
    struct err err = { "" };

    assert_null(rec_read_open(path, &err));
    assert_says(err.text, path);
    assert_says(err.text, words);
}

/* Root may write everything, so whoever is root here is nobody for a while. */
static void
lower(const char *path, const char *dir, mode_t file_mode, mode_t dir_mode)
{
    if (!geteuid()) {
        assert_int_equal(chown(path, 65534, 65534), 0);
        assert_int_equal(chown(dir, 65534, 65534), 0);
    }
    assert_int_equal(chmod(path, file_mode), 0);
    assert_int_equal(chmod(dir, dir_mode), 0);
    assert_true(geteuid() || !seteuid(65534));
}

static void
rise(const char *dir)
{
    assert_int_equal(chmod(dir, 0755), 0);
    assert_true(getuid() || !seteuid(0));
}

static void
a_read_only_file_is_read_and_not_written(void **state)
{
    const struct scratch *s = *state;

    write_sample(s->path, 10);
    lower(s->path, s->dir, 0444, 0555);
    assert_not_opened(s->path, "cannot write ");
    assert_not_opened(s->path, ": the file is read-only");
    struct rec_file *f = open_good(s->path);
    assert_whole(f, 1, 10);
    rec_read_close(f);
    rise(s->dir);
}

static void
a_read_only_directory_is_told(void **state)
{
    const struct scratch *s = *state;
    struct rec_run run = sample_run;
    char other[300];
    struct err err = { "" };

    write_sample(s->path, 10);
    lower(s->path, s->dir, 0644, 0555);
    struct rec *r = rec_open(s->path, &err); /* Nothing is to be written yet. */
    if (r) {
        assert_false(rec_begin(r, &run, &err));
        assert_false(rec_close(r, &err));
    }
    assert_says(err.text, "cannot write ");
    assert_says(err.text, "read-only");
    snprintf(other, sizeof other, "%s/new.db", s->dir);
    assert_not_opened(other, "cannot open ");
    assert_not_opened(other, ": Permission denied");
    rise(s->dir);
}

static void
a_place_that_can_not_be_is_told(void **state)
{
    const struct scratch *s = *state;
    char path[300];

    snprintf(path, sizeof path, "%s/no/such.db", s->dir);
    assert_not_opened(path, "No such file or directory");
    assert_not_read(path, "No such file or directory");
    assert_not_opened(s->dir, "cannot ");
    assert_not_read(s->dir, "cannot ");
    assert_not_opened("", "'' cannot be the name");
}

/* As a file of that name in this folder, whatever SQLite takes the name for. */
static void
a_name_is_a_path(void **state)
{
    static const char *const names[] = { ":memory:", "file::memory:", "file:%2e%2e%2fout.db?x=.db",
                                         "file:in.db", "FILE:in.db?mode=memory" };
    const struct scratch *s = *state;
    struct stat file;

    assert_int_equal(chdir(s->dir), 0);
    for (size_t i = 0; i < N_OF(names); i++) {
        write_sample(names[i], 10);
        assert_int_equal(stat(names[i], &file), 0);
        struct rec_file *f = open_good(names[i]);
        assert_whole(f, 1, 10);
        rec_read_close(f);
        remove(names[i]);
    }
    assert_int_equal(chdir("/"), 0);
}

static rlim_t
limit_files(rlim_t bytes)
{
    struct rlimit limit;

    getrlimit(RLIMIT_FSIZE, &limit);
    rlim_t old = limit.rlim_cur;
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    return old;
}

/* The first failure is kept, though there is room again: a run with a hole has no end. */
static void
assert_stays_failed(struct rec *r, const char *words)
{
    struct err err = { "" };

    assert_false(rec_add_event(r, &sample_events[0], &err));
    assert_string_equal(err.text, words);
    err.text[0] = '\0';
    assert_false(rec_end(r, &sample_end, &err));
    assert_string_equal(err.text, words);
    err.text[0] = '\0';
    assert_false(rec_close(r, &err));
    assert_string_equal(err.text, words);
}

/* Writes a run until there is no more room; whether it could be whole. */
static bool
write_with_room(const char *path, rlim_t bytes, struct err *err)
{
    rlim_t old = limit_files(bytes);
    struct rec *r = rec_open(path, err);
    bool good = r && sample_tell(r, 2000, err) && rec_flush(r, err) && sample_finish(r, err);

    limit_files(old);
    if (r && !good) {
        assert_stays_failed(r, err->text);
    } else if (r) {
        good = rec_close(r, err);
    }
    return good;
}

static void
a_full_disk_is_told_and_nothing_looks_whole(void **state)
{
    const struct scratch *s = *state;
    size_t n_failed = 0, n_open = 0;
    bool good = false;

    signal(SIGXFSZ, SIG_IGN);
    for (rlim_t room = 0; !good; room += 4000) {
        struct err err = { "" };
        remove(s->path);
        good = write_with_room(s->path, room, &err);
        if (!good) {
            assert_says(err.text, "cannot write ");
            assert_says(err.text, ": File too large");
            n_failed++;
        }
        struct rec_file *f = rec_read_open(s->path, &err);
        if (!f) {
            assert_says(err.text, "it is empty");
            continue;
        }
        n_open++;
        struct rec_rows runs = read_all(f, REC_RUN, 0);
        if (runs.n) {
            assert_status(f, 1, good ? "complete" : "running");
        }
        rec_rows_free(&runs, REC_RUN);
        rec_read_close(f);
        assert_sound(s->path);
    }
    assert_in_range(n_failed, 5, 1000);
    assert_in_range(n_open, 3, 1000);
}

/* What was there stays, and the disk has room again. */
static void
a_full_disk_does_not_hurt_earlier_runs(void **state)
{
    const struct scratch *s = *state;
    struct stat file;
    struct err err;

    signal(SIGXFSZ, SIG_IGN);
    write_sample(s->path, 500);
    assert_int_equal(stat(s->path, &file), 0);
    assert_false(write_with_room(s->path, (rlim_t)file.st_size, &err));
    write_sample(s->path, 700);
    struct rec_file *f = open_good(s->path);
    struct rec_rows runs = read_all(f, REC_RUN, 0);
    assert_whole(f, 1, 500);
    assert_whole(f, runs.n, 700);
    rec_rows_free(&runs, REC_RUN);
    rec_read_close(f);
}

/* Files of others, and what is left of ours. */

static void
fill(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

static char *
content(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(1 << 20);

    *n = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static void
assert_left_alone(const char *path, const char *words)
{
    size_t n, n_after;
    char *before = content(path, &n);

    assert_not_opened(path, words);
    assert_not_read(path, words);
    char *after = content(path, &n_after);
    assert_int_equal(n, n_after);
    assert_memory_equal(before, after, n);
    free(before);
    free(after);
}

static void
files_of_others_are_left_alone(void **state)
{
    const struct scratch *s = *state;
    static const char text[] = "engine pfc\n";
    char page[5000];

    fill(s->path, text, sizeof text);
    assert_left_alone(s->path, "not a Weir results file");
    memset(page, 'x', sizeof page);
    fill(s->path, page, sizeof page);
    assert_left_alone(s->path, "not a Weir results file");
    fill(s->path, "x", 1);
    assert_left_alone(s->path, "not a Weir results file");
    remove(s->path);
    run_sql(s->path, "VACUUM"); /* Nothing is in it, but it is theirs. */
    assert_left_alone(s->path, "not a Weir results file");
    run_sql(s->path, "CREATE TABLE theirs (x)");
    assert_left_alone(s->path, " is not a Weir results file");
    run_sql(s->path, "PRAGMA application_id = 77; PRAGMA user_version = 1");
    assert_left_alone(s->path, " is not a Weir results file");
}

static void
another_version_is_left_alone(void **state)
{
    const struct scratch *s = *state;

    write_sample(s->path, 10);
    run_sql(s->path, "PRAGMA user_version = 5");
    assert_left_alone(s->path, " has results of schema version 5; this program reads version 6");
}

static void
an_empty_file_is_as_good_as_none(void **state)
{
    const struct scratch *s = *state;

    fill(s->path, "", 0);
    assert_not_read(s->path, " is not a Weir results file: it is empty");
    write_sample(s->path, 10);
    struct rec_file *f = open_good(s->path);
    assert_whole(f, 1, 10);
    rec_read_close(f);
}

static void
a_file_that_was_cut_is_told(void **state)
{
    const struct scratch *s = *state;
    size_t n;

    write_sample(s->path, SAMPLE_ROWS);
    char *bytes = content(s->path, &n);
    for (size_t cut = 1; cut < n; cut += cut < 200 ? 1 : 997) {
        struct err err = { "" };
        fill(s->path, bytes, cut);
        assert_null(rec_read_open(s->path, &err));
        assert_true(strstr(err.text, "damaged") || strstr(err.text, "not a Weir results file"));
        assert_null(rec_open(s->path, &err));
    }
    free(bytes);
}

static void
assert_frame_refused(const char *path, const char *sql, const char *words)
{
    struct rec_frame frame = { .n_columns = 1 + SAMPLE_SERIES };
    struct err err = { "" };
    uint64_t id = 0;

    remove(path);
    write_sample(path, SAMPLE_ROWS);
    run_sql(path, sql);
    struct rec_file *f = open_good(path);
    while (rec_read_frame(f, 1, id, &frame, &err) && frame.n_rows) {
        id++;
    }
    assert_says(err.text, "cannot read ");
    assert_says(err.text, words);
    assert_int_equal(frame.n_rows, 0);
    free(frame.values);
    rec_read_close(f);
}

static void
blocks_that_can_not_be_are_refused(void **state)
{
    const struct scratch *s = *state;

    assert_frame_refused(s->path, "DELETE FROM block WHERE id = 1",
                         "block 1: a block of samples is missing");
    assert_frame_refused(s->path, "UPDATE block SET n_rows = 0", "cannot have 0 rows");
    assert_frame_refused(s->path, "UPDATE block SET n_rows = 1 << 40", "cannot have 1099511627776");
    assert_frame_refused(s->path, "UPDATE block SET n_rows = 4095", "a block of samples");
    assert_frame_refused(s->path, "UPDATE block SET last_ps = 5",
                         "the times in a block of samples differ");
    assert_frame_refused(s->path, "UPDATE block SET bytes = x'00'", "not compressed with zstd");
    assert_frame_refused(s->path, "UPDATE block SET bytes = x''", "not compressed with zstd");
    assert_frame_refused(s->path, "UPDATE block SET bytes = substr(bytes, 1, 30)", "damaged");
}

/* Files of strangers; check-hostile has many more. */

static void
columns_are_as_the_schema_says(void **state)
{
    const struct scratch *s = *state;
    sqlite3 *db;

    write_sample(s->path, 1);
    assert_int_equal(sqlite3_open(s->path, &db), SQLITE_OK);
    for (enum rec_table_id t = 0; t < REC_N_TABLES; t++) {
        char sql[100];
        sqlite3_stmt *columns;
        snprintf(sql, sizeof sql, "PRAGMA table_info(%s)", rec_tables[t].name);
        assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &columns, NULL), SQLITE_OK);
        if (rec_tables[t].parent) {
            assert_int_equal(sqlite3_step(columns), SQLITE_ROW);
            assert_string_equal(sqlite3_column_text(columns, 1), rec_tables[t].parent);
        }
        for (const struct rec_column *c = rec_tables[t].columns; c->name; c++) {
            assert_int_equal(sqlite3_step(columns), SQLITE_ROW);
            bool is_needed = sqlite3_column_int(columns, 3) || sqlite3_column_int(columns, 5);
            assert_string_equal(sqlite3_column_text(columns, 1), c->name);
            assert_int_equal(c->is_optional, !is_needed);
        }
        assert_int_equal(sqlite3_step(columns), SQLITE_DONE);
        sqlite3_finalize(columns);
    }
    sqlite3_close(db);
}

/* Builds before this one had other words there. */
static void
comments_of_a_schema_are_of_no_concern(void **state)
{
    const struct scratch *s = *state;

    write_sample(s->path, 10);
    run_sql(s->path, "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(replace("
                     "sql, '--', '-- In other words:'), char(10), char(10) || '  /* and */ ')");
    struct rec_file *f = open_good(s->path);
    assert_whole(f, 1, 10);
    rec_read_close(f);
    write_sample(s->path, 20);
    f = open_good(s->path);
    assert_whole(f, 2, 20);
    rec_read_close(f);
}

/* Once told to; a process that knows of no other handle. */
static pid_t
try_to_write_later(const char *path, int go)
{
    pid_t pid = fork();

    if (!pid) {
        sqlite3 *db;
        char told;
        bool good = read(go, &told, 1) == 1 && sqlite3_open(path, &db) == SQLITE_OK;
        _exit(good && sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL) == SQLITE_BUSY ? 0 : 1);
    }
    return pid;
}

/* To a process all its handles of a file are one: closing any gives up the locks of all. */
static void
opening_a_file_leaves_locks_alone(void **state)
{
    const struct scratch *s = *state;
    sqlite3 *slow;
    int ends[2], status = -1;

    write_sample(s->path, 10);
    assert_int_equal(pipe(ends), 0);
    pid_t pid = try_to_write_later(s->path, ends[0]);
    assert_int_equal(sqlite3_open(s->path, &slow), SQLITE_OK);
    assert_int_equal(sqlite3_exec(slow, "BEGIN; SELECT count(*) FROM run", NULL, NULL, NULL),
                     SQLITE_OK);
    rec_read_close(open_good(s->path));
    assert_int_equal(write(ends[1], "g", 1), 1);
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    sqlite3_close(slow);
    close(ends[0]);
    close(ends[1]);
}

static bool
is_over(void *n_left)
{
    uint64_t *n = n_left;
    return !*n || !--*n;
}

static void
opening_can_be_ended(void **state)
{
    const struct scratch *s = *state;
    struct err err = { "" };
    uint64_t n_left = 5;
    sqlite3 *writer;

    write_sample(s->path, 10);
    assert_int_equal(sqlite3_open(s->path, &writer), SQLITE_OK);
    assert_int_equal(sqlite3_exec(writer, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    assert_null(rec_read_open_nofollow(s->path, (struct rec_until){ is_over, &n_left }, &err));
    assert_says(err.text, ": another program holds a lock on it");
    assert_int_equal(n_left, 0);
    sqlite3_close(writer);
}

static void
reading_can_be_ended(void **state)
{
    const struct scratch *s = *state;
    struct rec_rows rows = { 0 };
    struct rec_frame frame = { .n_columns = 1 + SAMPLE_SERIES };
    struct err err = { "" };
    uint64_t n_left = 3;

    write_sample(s->path, SAMPLE_ROWS);
    run_sql(s->path, "WITH RECURSIVE c (x) AS (VALUES (100) UNION ALL SELECT x + 1 FROM c WHERE x "
                     "< 20000) INSERT INTO violation SELECT 1, x, 0, 'x' FROM c");
    struct rec_file *f = open_good(s->path);
    rec_read_until(f, (struct rec_until){ is_over, &n_left });
    assert_true(rec_read_frame(f, 1, 0, &frame, &err));
    assert_false(rec_read_all(f, REC_VIOLATION, 1, &rows, &err));
    assert_says(err.text, ": it took too long, and was ended");
    assert_false(rec_read_frame(f, 1, 0, &frame, &err));
    assert_says(err.text, ": it took too long, and was ended");
    rec_read_until(f, (struct rec_until){ 0 });
    rec_rows_free(&rows, REC_VIOLATION);
    assert_true(rec_read_all(f, REC_VIOLATION, 1, &rows, &err));
    assert_int_equal(rows.n, N_OF(sample_violations) + 19901);
    free(frame.values);
    rec_rows_free(&rows, REC_VIOLATION);
    rec_read_close(f);
}

static void
what_is_not_finite_is_not_kept(void **state)
{
    const struct scratch *s = *state;
    struct rec_sweep sweep = { .name = "s", .study = "s", .build = "b", .started_at = "now" };
    struct rec_summary row = { .settings = "{}", .status = "complete", .slowdown_max = INFINITY };
    struct err err = { "" };
    uint64_t id;

    struct rec_sweeps *sweeps = rec_sweeps_open(s->path, &err);
    assert_true(rec_sweep_begin(sweeps, &sweep, &id, &err));
    rec_sweep_add(sweeps, id, &row);
    assert_true(rec_sweep_flush(sweeps, &err));
    rec_sweeps_close(sweeps);
    struct rec_file *f = open_good(s->path);
    struct rec_rows rows = read_all(f, REC_SUMMARY, id);
    assert_true(((const struct rec_summary *)rows.items)->slowdown_max < 0);
    rec_rows_free(&rows, REC_SUMMARY);
    rec_read_close(f);
}

static void
a_time_past_all_times_is_the_last(void **state)
{
    const struct scratch *s = *state;

    write_sample(s->path, 10);
    run_sql(s->path, "UPDATE flow SET ideal_ps = 9223372036854775807");
    struct rec_file *f = open_good(s->path);
    struct rec_rows flows = read_all(f, REC_FLOW, 1);
    assert_int_equal(((const struct rec_flow *)flows.items)->ideal_ps, (weir_ps)1 << 62);
    rec_rows_free(&flows, REC_FLOW);
    rec_read_close(f);
}

#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, make_scratch, drop_scratch)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_told_is_read),
        TEST(a_file_holds_many_runs),
        TEST(a_run_can_be_read_while_it_goes_on),
        TEST(a_table_is_read_in_parts),
        TEST(several_programs_write_at_once),
        TEST(a_killed_writer_leaves_what_was_flushed),
        TEST(a_slow_reader_does_not_stop_a_writer),
        TEST(a_read_only_file_is_read_and_not_written),
        TEST(a_read_only_directory_is_told),
        TEST(a_place_that_can_not_be_is_told),
        TEST(a_name_is_a_path),
        TEST(a_full_disk_is_told_and_nothing_looks_whole),
        TEST(a_full_disk_does_not_hurt_earlier_runs),
        TEST(files_of_others_are_left_alone),
        TEST(another_version_is_left_alone),
        TEST(an_empty_file_is_as_good_as_none),
        TEST(a_file_that_was_cut_is_told),
        TEST(blocks_that_can_not_be_are_refused),
        TEST(columns_are_as_the_schema_says),
        TEST(comments_of_a_schema_are_of_no_concern),
        TEST(opening_a_file_leaves_locks_alone),
        TEST(opening_can_be_ended),
        TEST(reading_can_be_ended),
        TEST(what_is_not_finite_is_not_kept),
        TEST(a_time_past_all_times_is_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

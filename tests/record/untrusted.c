/* Results files that Weir did not write, or not in this form: files of other programs or versions,
 * truncated or damaged files, and files crafted by an attacker.  check-hostile has many more
 * crafted files. */

#include <math.h>
#include <sys/wait.h>

#include "record/store.h"
#include "record/sweep.h"
#include "scratch.h"

/* Files of other programs, and truncated files. */

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
    run_sql(s->path, "VACUUM"); /* The file is empty, but belongs to another program. */
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
    assert_left_alone(s->path,
                      " has results of schema version 5; this program reads versions 14 to 15");
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
        struct err err = { 0 };
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
    struct err err = { 0 };
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
blocks_that_cannot_be_are_refused(void **state)
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

/* Files crafted by an attacker. */

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
        for (const struct column *c = rec_tables[t].columns; c->name; c++) {
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

/* Older builds had another comment at this place of the schema. */
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

/* Starts a process without any other handle of the file, which tries to write after a signal. */
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

/* Locks belong to a process: if it closes any handle of a file, the locks of all its handles are
 * released. */
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
    struct err err = { 0 };
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
    struct err err = { 0 };
    uint64_t n_left = 3;

    write_sample(s->path, SAMPLE_ROWS);
    run_sql(s->path, "WITH RECURSIVE c (x) AS (VALUES (100) UNION ALL SELECT x + 1 FROM c WHERE x "
                     "< 20000) INSERT INTO violation SELECT 1, x, 0, 'x' FROM c");
    struct rec_file *f = open_good(s->path);
    f->until = (struct rec_until){ is_over, &n_left };
    assert_true(rec_read_frame(f, 1, 0, &frame, &err));
    assert_false(rec_read_all(f, REC_VIOLATION, 1, &rows, &err));
    assert_says(err.text, ": reading took too long and was stopped");
    assert_false(rec_read_frame(f, 1, 0, &frame, &err));
    assert_says(err.text, ": reading took too long and was stopped");
    f->until = (struct rec_until){ 0 };
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
    struct rec_summary row = { .settings = "{}",
                               .status = "complete",
                               .facts.finished_slowdown_max = INFINITY };
    struct err err = { 0 };
    uint64_t id;

    struct rec_sweeps *sweeps = rec_sweeps_open(s->path, &err);
    assert_true(rec_sweep_begin(sweeps, &sweep, &id, &err));
    rec_sweep_add(sweeps, id, &row);
    assert_true(rec_sweep_flush(sweeps, &err));
    rec_sweeps_close(sweeps);
    struct rec_file *f = open_good(s->path);
    struct rec_rows rows = read_all(f, REC_SUMMARY, id);
    assert_true(((const struct rec_summary *)rows.items)->facts.finished_slowdown_max < 0);
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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(files_of_others_are_left_alone),
        TEST(another_version_is_left_alone),
        TEST(an_empty_file_is_as_good_as_none),
        TEST(a_file_that_was_cut_is_told),
        TEST(blocks_that_cannot_be_are_refused),
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

/* Results files: data that were written are read back, by any reader and after any event. */

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "scratch.h"

/* Data that are written and read back. */

static void
what_is_told_is_read(void **state)
{
    const struct scratch *s = *state;

    write_sample(s->path, SAMPLE_ROWS);
    struct rec_file *f = open_good(s->path);
    struct rec_run run = sample_run;
    run.id = 1;
    run.status = "complete";
    run.wall_s = sample_end.wall_s;
    run.facts = sample_facts;
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
    struct rec *r = rec_open(s->path, &err); /* This file is open twice. */
    for (uint64_t run = 2; run < 4; run++) {
        assert_true(sample_tell(r, run, &err));
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
    for (uint64_t row = 10; row < 5000; row++) { /* The block of these rows has begun before. */
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

/* Several programs that write at the same time, and one that is killed. */

static void
several_programs_write_at_once(void **state)
{
    enum { N_PROGRAMS = 4, N_RUNS = 5 };
    const struct scratch *s = *state;
    pid_t pids[N_PROGRAMS];

    for (int i = 0; i < N_PROGRAMS; i++) {
        pids[i] = fork();
        if (!pids[i]) {
            struct err err = { 0 };
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

/* Writes a run without end; after every flush, prints how many samples are on disk. */
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
    assert_int_equal(read(ends[0], &safe, sizeof safe),
                     /* The run has not ended yet. */
                     sizeof safe);
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
    write_sample(s->path, 10); /* The file can still be used. */
    assert_int_equal(each_file(s->dir, NULL), 1);
}

/* Data are written within about a second, without a request for it. A reader that locks the file
 * for that long causes no failure. */
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

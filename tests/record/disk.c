/* Results files and errors of the system: read-only files and folders, names that mean something
 * else to SQLite, full disks. */

#include <signal.h>
#include <sys/resource.h>

#include "scratch.h"

/* Makes a file and its folder read-only. Root may write everything, so a test that runs as root
 * becomes user nobody for a while. */
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
    struct err err = { 0 };

    write_sample(s->path, 10);
    lower(s->path, s->dir, 0644, 0555);
    struct rec *r = rec_open(s->path, &err); /* Opening the file writes nothing yet. */
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
a_place_that_cannot_be_is_told(void **state)
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

/* A name is that of a file in this folder, however SQLite would interpret it. */
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

/* After the first failure the run stays failed, even if the disk has room again: a run with a hole
 * is never complete. */
static void
assert_stays_failed(struct rec *r, const char *words)
{
    struct err err = { 0 };

    assert_false(rec_add_event(r, &sample_events[0], &err));
    assert_string_equal(err.text, words);
    err.text[0] = '\0';
    assert_false(rec_end(r, &sample_end, &err));
    assert_string_equal(err.text, words);
    err.text[0] = '\0';
    assert_false(rec_close(r, &err));
    assert_string_equal(err.text, words);
}

/* Writes a run until the disk is full; returns whether it is complete. */
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
        struct err err = { 0 };
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

/* If a disk becomes full, earlier runs stay, and later runs can be written once there is room
 * again. */
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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_read_only_file_is_read_and_not_written),
        TEST(a_read_only_directory_is_told),
        TEST(a_place_that_cannot_be_is_told),
        TEST(a_name_is_a_path),
        TEST(a_full_disk_is_told_and_nothing_looks_whole),
        TEST(a_full_disk_does_not_hurt_earlier_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

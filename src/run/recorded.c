/* Finds the scenario of a recorded run. */

#include "run/recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/safe-open.h"
#include "record/reader.h"

static const char ending[] = ".db";
enum { MAX_NAME = 4096, MAX_DIGITS = 18 };

/* The name of a recorded run in two parts: the results file, and the number of the run. */
struct name {
    char file[MAX_NAME];
    bool has_run; /* The name has a run number; without one it means the newest run. */
    uint64_t run;
};

static bool
split(const char *text, struct name *name)
{
    const char *mark = strrchr(text, '#');
    size_t n = mark ? (size_t)(mark - text) : strlen(text), n_ending = sizeof ending - 1;
    size_t n_digits = mark ? strspn(mark + 1, "0123456789") : 0;

    if (n <= n_ending || n >= MAX_NAME || memcmp(text + n - n_ending, ending, n_ending) ||
        (mark && (!n_digits || n_digits > MAX_DIGITS || mark[1 + n_digits]))) {
        return false;
    }
    snprintf(name->file, sizeof name->file, "%.*s", (int)n, text);
    name->has_run = mark;
    name->run = mark ? strtoull(mark + 1, NULL, 10) : 0;
    return true;
}

bool
recorded_is_name(const char *text)
{
    struct name name;

    return split(text, &name);
}

static struct rec_file *
open_confined(const char *file, struct err *err)
{
    if (!safe_is_name(file, SAFE_RESULTS, err)) {
        return NULL;
    }
    if (safe_find(".", file, SAFE_RESULTS, NULL) != SAFE_FILE) {
        err_set(err, "%s: there is no such file below this folder, or it is a link", file);
        return NULL;
    }
    return rec_read_open_nofollow(file, (struct rec_until){ 0 }, err);
}

static const struct rec_run *
find_run(const struct rec_rows *rows, const struct name *name, struct err *err)
{
    const struct rec_run *newest = NULL;

    for (size_t i = 0; i < rows->n; i++) {
        const struct rec_run *run = rec_row(rows, REC_RUN, i);
        if (name->has_run && run->id == name->run) {
            return run;
        }
        newest = run;
    }
    if (!newest) {
        err_set(err, "%s has no run whose scenario could be taken", name->file);
    } else if (name->has_run) {
        err_set(err, "%s has no run %llu; its newest is run %llu", name->file,
                (unsigned long long)name->run, (unsigned long long)newest->id);
        newest = NULL;
    }
    return newest;
}

static int
take_text(struct rec_file *file, const struct name *name, enum recorded_text of, char **text,
          struct err *err)
{
    struct rec_rows rows = { 0 };
    int code = rec_read_all(file, REC_RUN, 0, &rows, err) ? EXIT_GOOD : EXIT_WORLD;

    if (code == EXIT_GOOD) {
        const struct rec_run *run = find_run(&rows, name, err);
        *text = run ? strdup(of == RECORDED_SCENARIO ? run->scenario : run->settings) : NULL;
        code = run ? EXIT_GOOD : run_fail_command(err, EXIT_USER, "%s", err->text);
    }
    rec_rows_free(&rows, REC_RUN);
    return code;
}

int
recorded_read(const char *given, enum recorded_text of, bool is_confined, char **text,
              struct err *err)
{
    struct name name;

    *text = NULL;
    if (!split(given, &name)) {
        return run_fail(err, EXIT_USER, "%s is not the name of a run, such as results.db#3", given);
    }
    struct rec_file *file =
        is_confined ? open_confined(name.file, err) : rec_read_open(name.file, err);
    if (!file) {
        return run_code_of_file(err);
    }
    int code = take_text(file, &name, of, text, err);
    rec_read_close(file);
    return code;
}

/* The files of a plan. */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/plan.h"
#include "plan/files.h"

struct file {
    const char *path;
    void (*write)(FILE *, const struct plan *, const struct plan_request *);
    const char *what;
};

static int
write_file(const struct file *f, const struct plan *p, const struct plan_job *job)
{
    FILE *out;
    int code = cli_create(&out, f->path, job->force);

    if (code != EXIT_GOOD) {
        return code;
    }
    f->write(out, p, &job->ask);
    bool good = !ferror(out);
    good = !fclose(out) && good;
    return good ? EXIT_GOOD
                : cli_fail(EXIT_WORLD, "plan: cannot write %s: %s", f->path, strerror(errno));
}

int
plan_check_files(const struct plan *p, const struct plan_job *job)
{
    struct err err;
    bool good = (!job->scenario || plan_can_write_scenario(p, &job->ask, &err)) &&
                (!job->sonic || plan_can_write_sonic(p, &job->ask, &err)) &&
                (!job->lookup || plan_can_write_lookup(p, &err));

    if (!good) {
        return cli_fail(EXIT_USER, "plan: %s", err.text);
    }
    const char *const paths[] = { job->scenario, job->sonic, job->lookup, job->page };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (paths[i] && !job->force && !access(paths[i], F_OK)) {
            return cli_fail(EXIT_USER, "plan: %s exists already; --force replaces it", paths[i]);
        }
    }
    return EXIT_GOOD;
}

/* Where the answer is for a program, this is not part of it. */
static void
name_files(const struct file *files, size_t n, const struct plan_job *job)
{
    FILE *out = job->form == FORM_TEXT ? stdout : stderr;
    const char *before = job->form == FORM_TEXT ? "\nwrote " : "wrote ";

    for (size_t i = 0; i < n; i++) {
        if (files[i].path) {
            fprintf(out, "%s%s (%s)", before, files[i].path, files[i].what);
            before = ", ";
        }
    }
    if (before[0] == ',') {
        fprintf(out, "\n");
    }
}

int
plan_write(const struct plan *p, const struct plan_job *job)
{
    const struct file files[] = {
        { job->scenario, plan_write_scenario, "a scenario for weir run" },
        { job->sonic, plan_write_sonic, "tables for config_db.json" },
        { job->lookup, plan_write_lookup, "rows for pg_profile_lookup.ini" },
        { job->page, NULL, "a page for a browser" },
    };
    const size_t n_files = sizeof files / sizeof *files;
    int code = EXIT_GOOD;

    for (size_t i = 0; i < n_files && code == EXIT_GOOD; i++) {
        code = files[i].path && files[i].write ? write_file(&files[i], p, job) : EXIT_GOOD;
    }
    if (code == EXIT_GOOD) {
        name_files(files, n_files, job);
    }
    return code;
}

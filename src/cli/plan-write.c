/* The files of a plan. */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/plan.h"
#include "plan/files.h"

struct file {
    const char *path;
    void (*write)(FILE *, const struct plan *, const struct plan_request *);
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

int
plan_write(const struct plan *p, const struct plan_job *job)
{
    const struct file files[] = { { job->scenario, plan_write_scenario },
                                  { job->sonic, plan_write_sonic },
                                  { job->lookup, plan_write_lookup } };
    int code = EXIT_GOOD;

    for (size_t i = 0; i < sizeof files / sizeof *files && code == EXIT_GOOD; i++) {
        code = files[i].path ? write_file(&files[i], p, job) : EXIT_GOOD;
    }
    return code;
}

/* Where the answer is for a program, this is not part of it. */
void
plan_name_files(const struct plan_job *job)
{
    const struct {
        const char *path, *what;
    } files[] = {
        { job->scenario, "a scenario for weir run" },
        { job->sonic, "tables for config_db.json" },
        { job->lookup, "rows for pg_profile_lookup.ini" },
        { job->page, "a page for a browser" },
    };
    FILE *out = job->form == FORM_TEXT ? stdout : stderr;
    size_t n = 0;

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (files[i].path) {
            fprintf(out, "%s%s (%s)",
                    n++             ? ", "
                    : out == stdout ? "\nwrote "
                                    : "wrote ",
                    files[i].path, files[i].what);
        }
    }
    fputs(n ? "\n" : "", out);
}

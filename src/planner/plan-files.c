/* Writes the files of a plan: a scenario, tables for SONiC. */

#include <unistd.h>

#include "plan/files.h"
#include "planner/planner.h"

struct file {
    const char *path;
    void (*write)(FILE *, const struct plan *, const struct plan_request *);
};

static int
write_file(const struct file *f, const struct plan *p, const struct planner_job *job,
           struct err *err)
{
    struct err why;
    FILE *out;
    int code = run_create(&out, f->path, job->force, &why);

    if (code != EXIT_GOOD) {
        return run_fail_command(err, code, "%s", why.text);
    }
    f->write(out, p, &job->ask);
    return run_close(out, "plan", f->path, err);
}

int
planner_check_files(const struct plan *p, const struct planner_job *job, struct err *err)
{
    struct err why;
    bool good = (!job->scenario || plan_can_write_scenario(p, &job->ask, &why)) &&
                (!job->sonic || plan_can_write_sonic(p, &job->ask, &why)) &&
                (!job->lookup || plan_can_write_lookup(p, &why));

    if (!good) {
        return run_fail_command(err, EXIT_USER, "plan: %s", why.text);
    }
    const char *const paths[] = { job->scenario, job->sonic, job->lookup, job->page };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (paths[i] && !job->force && !access(paths[i], F_OK)) {
            return run_fail_command(err, EXIT_USER, "plan: %s exists already; --force replaces it",
                                    paths[i]);
        }
    }
    return EXIT_GOOD;
}

int
planner_write_files(const struct plan *p, const struct planner_job *job, struct err *err)
{
    const struct file files[] = { { job->scenario, plan_write_scenario },
                                  { job->sonic, plan_write_sonic },
                                  { job->lookup, plan_write_lookup } };
    int code = EXIT_GOOD;

    for (size_t i = 0; i < sizeof files / sizeof *files && code == EXIT_GOOD; i++) {
        code = files[i].path ? write_file(&files[i], p, job, err) : EXIT_GOOD;
    }
    return code;
}

/* Writes the line that names the written files, except in output for programs. */
void
planner_name_files(const struct planner_job *job)
{
    const struct {
        const char *path, *what;
    } files[] = {
        { job->scenario, "a scenario for weir run" },
        { job->sonic, "tables for config_db.json" },
        { job->lookup, "rows for pg_profile_lookup.ini" },
        { job->page, "a page for a browser" },
    };
    FILE *out = job->form == FORM_TEXT ? job->out : job->messages;
    size_t n = 0;

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (files[i].path) {
            fprintf(out, "%s%s (%s)",
                    n++               ? ", "
                    : out == job->out ? "\nwrote "
                                      : "wrote ",
                    files[i].path, files[i].what);
        }
    }
    fputs(n ? "\n" : "", out);
}

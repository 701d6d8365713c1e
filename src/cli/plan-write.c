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

static int
check_files(const struct plan *p, const struct plan_job *job)
{
    struct err err;
    bool good = (!job->scenario || plan_can_write_scenario(p, &job->ask, &err)) &&
                (!job->sonic || plan_can_write_sonic(p, &job->ask, &err)) &&
                (!job->lookup || plan_can_write_lookup(p, &err));

    return good ? EXIT_GOOD : cli_fail(EXIT_USER, "plan: %s", err.text);
}

int
plan_write(const struct plan *p, const struct plan_job *job)
{
    const struct file files[] = { { job->scenario, plan_write_scenario },
                                  { job->sonic, plan_write_sonic },
                                  { job->lookup, plan_write_lookup } };
    const size_t n_files = sizeof files / sizeof *files;
    int code = check_files(p, job);

    for (size_t i = 0; i < n_files && code == EXIT_GOOD; i++) {
        if (files[i].path && !job->force && !access(files[i].path, F_OK)) {
            code =
                cli_fail(EXIT_USER, "plan: %s exists already; --force replaces it", files[i].path);
        }
    }
    for (size_t i = 0; i < n_files && code == EXIT_GOOD; i++) {
        code = files[i].path ? write_file(&files[i], p, job) : EXIT_GOOD;
    }
    return code;
}

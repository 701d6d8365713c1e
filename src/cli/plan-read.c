/* A plan from options, a scenario or a SONiC configuration. */

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/plan.h"
#include "plan/files.h"

enum { MAX_FILE_BYTES = 64 << 20, MAX_KEYS = 10000 };

static int
read_scenario(struct plan *p, const struct plan_job *job)
{
    struct scenario s;
    struct err err;
    int code = cli_read_scenario(&s, job->from, NULL, 0);

    if (code != EXIT_GOOD) {
        return code;
    }
    if (!plan_read_scenario(p, &job->ask, &s, &err)) {
        code = cli_fail(EXIT_USER, "%s: %s", job->from, err.text);
    }
    scn_free(&s);
    return code;
}

/* A file is read as a tree first, to see whose it is; a scenario then reads it for itself. */
static int
read_text(struct plan *p, const struct plan_job *job, const char *text)
{
    struct scn_source source = { .name = job->from, .text = text, .max_keys = MAX_KEYS };
    struct err err;
    struct scn_node *root = scn_tree_read(&source, &err);
    bool is_scenario = root && (job->kind == PLAN_SCENARIO ||
                                (job->kind == PLAN_ANY_FILE && !plan_is_sonic(root)));
    bool good = root && (is_scenario || plan_read_sonic(p, &job->ask, root, &err));

    scn_tree_free(root);
    if (!good) {
        return cli_tell(EXIT_USER, &err);
    }
    return is_scenario ? read_scenario(p, job) : EXIT_GOOD;
}

static int
read_file(struct plan *p, const struct plan_job *job)
{
    struct err err;
    size_t len;
    char *text = text_read_file(job->from, MAX_FILE_BYTES, &len, &err);

    if (!text) {
        return cli_tell(EXIT_WORLD, &err);
    }
    int code = strlen(text) == len ? read_text(p, job, text)
                                   : cli_fail(EXIT_USER, "%s: not a text file", job->from);
    free(text);
    return code;
}

int
plan_read(struct plan *p, const struct plan_job *job)
{
    struct err err;
    int code = job->from ? read_file(p, job) : EXIT_GOOD;

    if (code != EXIT_GOOD) {
        return code;
    }
    if (!job->from) {
        p->in = job->ask.in;
        plan_add_ports(p);
    }
    bool good = job->from ? plan_override(p, &job->ask, &err) : plan_finish(p, &err);
    return good ? EXIT_GOOD : cli_fail(EXIT_USER, "plan: %s", err.text);
}

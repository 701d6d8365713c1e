/* Plans one switch: reads it, writes the result, and writes the files of the request. */

#include <stdlib.h>
#include <string.h>

#include "planner/planner.h"

struct planner_values *
planner_values_of(struct planner_job *job, const struct weir_field *f)
{
    return !strcmp(f->name, "rate") ? &job->rates : !strcmp(f->name, "cable") ? &job->cables : NULL;
}

static int
write_answer(const struct plan *p, const struct planner_job *job, struct err *err)
{
    struct planner_shown shown = { .p = p, .job = job };
    struct plan_proof *proofs = NULL;
    struct planner_row *rows;
    struct weir_text title = { 0 };
    struct err why;
    size_t n;

    if (job->verify) {
        shown.proofs = proofs = verify_plan(p, &job->ask, &shown.n_proofs, &why);
        if (!proofs) {
            return run_fail_command(err, EXIT_USER, "plan: --verify: %s", why.text);
        }
    }
    weir_text_add(&title, "A plan for %s", p->name[0] ? p->name : "a switch");
    rows = planner_rows(p, &job->ask, 0, &n);
    struct form_table list = { NULL, planner_switch_columns, rows, n, sizeof *rows };
    int code = planner_answer_write(
        job,
        &(struct planner_answer){ title.s, &shown, planner_write_plan, list, planner_json_plan },
        err);
    code = code == EXIT_GOOD && !verify_holds(proofs, shown.n_proofs) ? EXIT_PROMISE : code;
    free(rows);
    free(proofs);
    return code;
}

/* Refuses a plan that does not fit, after the whole result has been written. */
static int
check_fits(const struct plan *p, const struct planner_job *job, struct err *err)
{
    struct weir_text buffer = { 0 };

    if (plan_judge(p, &job->ask).use) {
        return EXIT_GOOD;
    }
    weir_text_add(&buffer, "%B", p->in.buffer_bytes);
    return run_fail_command(err, EXIT_DIFFERS,
                            "plan: a buffer of %s is less than any of these schemes needs",
                            buffer.s);
}

int
planner_run(const struct planner_job *job, struct err *err)
{
    struct plan plan = { 0 };
    int code = planner_read(&plan, job, err);

    if (code == EXIT_GOOD) {
        bool writes = plan_judge(&plan, &job->ask).use != NULL;
        code = writes ? planner_check_files(&plan, job, err) : EXIT_GOOD;
        code = code == EXIT_GOOD ? write_answer(&plan, job, err) : code;
        code = code == EXIT_GOOD ? check_fits(&plan, job, err) : code;
        code = code == EXIT_GOOD ? planner_write_files(&plan, job, err) : code;
        code = code == EXIT_GOOD && plan_is_lacking(&plan, &job->ask) ? EXIT_DIFFERS : code;
    }
    plan_free(&plan);
    return code;
}

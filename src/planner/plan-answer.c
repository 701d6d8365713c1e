/* Writes the result of `weir plan` in the form of the request: text, Markdown, CSV or JSON, and
 * also as a page. */

#include "planner/planner.h"

static void
write_sheet(FILE *out, enum table_form form, const struct planner_answer *a)
{
    struct sheet s = { .out = out, .form = form };

    sheet_begin(&s, a->title);
    a->write(&s, a->of);
    sheet_end(&s);
}

static int
write_page(const struct planner_job *job, const struct planner_answer *a, struct err *err)
{
    struct err why;
    FILE *out;
    int code = run_create(&out, job->page, job->force, &why);

    if (code != EXIT_GOOD) {
        return run_fail_command(err, code, "%s", why.text);
    }
    write_sheet(out, FORM_PAGE, a);
    return run_close(out, "plan", job->page, err);
}

static void
write_json(struct json *j, const struct planner_answer *a)
{
    if (a->write_json) {
        a->write_json(j, a->of);
    } else {
        form_table_json(j, NULL, &a->list);
    }
}

int
planner_answer_write(const struct planner_job *job, const struct planner_answer *a, struct err *err)
{
    struct json j = { .out = job->out, .lines = 2 };

    switch ((enum table_form)job->form) {
    case FORM_CSV:
        form_table_show(job->out, &a->list, FORM_CSV);
        break;
    case FORM_JSON:
        write_json(&j, a);
        break;
    case FORM_PAGE:
    case FORM_TEXT:
    case FORM_MARKDOWN:
        write_sheet(job->out, (enum table_form)job->form, a);
        break;
    }
    return job->page ? write_page(job, a, err) : EXIT_GOOD;
}

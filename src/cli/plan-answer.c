/* An answer in the form that was asked for: text, Markdown, CSV or JSON, and a page besides. */

#include <errno.h>
#include <string.h>

#include "cli/plan.h"

static void
say(FILE *out, enum table_form form, const struct plan_answer *a)
{
    struct sheet s = { .out = out, .form = form };

    sheet_begin(&s, a->title);
    a->say(&s, a->of);
    sheet_end(&s);
}

static int
write_page(const struct plan_job *job, const struct plan_answer *a)
{
    FILE *out;
    int code = cli_create(&out, job->page, job->force);

    if (code != EXIT_GOOD) {
        return code;
    }
    say(out, FORM_PAGE, a);
    bool good = !ferror(out);
    good = !fclose(out) && good;
    return good ? EXIT_GOOD
                : cli_fail(EXIT_WORLD, "plan: cannot write %s: %s", job->page, strerror(errno));
}

static void
tell(struct json *j, const struct plan_answer *a)
{
    if (a->tell) {
        a->tell(j, a->of);
    } else {
        form_table_json(j, NULL, &a->list);
    }
}

int
plan_give(const struct plan_job *job, const struct plan_answer *a)
{
    struct json j = { .out = stdout, .lines = 2 };

    switch ((enum table_form)job->form) {
    case FORM_CSV:
        form_table_show(stdout, &a->list, FORM_CSV);
        break;
    case FORM_JSON:
        tell(&j, a);
        break;
    case FORM_PAGE:
    case FORM_TEXT:
    case FORM_MARKDOWN:
        say(stdout, (enum table_form)job->form, a);
        break;
    }
    return job->page ? write_page(job, a) : EXIT_GOOD;
}

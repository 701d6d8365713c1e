/* Writes the options of a plan on its page, for readers who do not see the command. */

#include <string.h>

#include "planner/planner.h"

struct input {
    const struct weir_field *field;
    const struct planner_job *job;
};

static void
add_value(const struct weir_field *f, uint64_t value, struct weir_text *text)
{
    if (!strcmp(f->name, "cable")) {
        value_add_metres(text, value);
        weir_text_add(text, "m");
    } else {
        weir_text_add(text, "%F", f, value);
    }
}

static void
put_value(const struct input *r, struct cell *cell)
{
    const struct planner_values *values = planner_values_of((struct planner_job *)r->job, r->field);

    for (size_t i = 0; values && i < values->n; i++) {
        weir_text_add(cell_made(cell), i ? ", " : "");
        add_value(r->field, values->items[i], cell_made(cell));
    }
    if (!values || !values->n) {
        add_value(r->field, weir_field_get(r->field, &r->job->ask.in), cell_made(cell));
    }
}

COLUMN_GET(input, get_name, weir_text_add(cell_made(cell), "--%s", r->field->name))
COLUMN_GET(input, get_value, put_value(r, cell))
COLUMN_GET(input, get_help, cell_text(cell, r->field->help))

/* Writes the inputs. Values without an option come from a file or, if there is none, from
 * defaults. */
void
planner_write_inputs(struct sheet *s, const struct planner_job *job)
{
    static const struct column columns[] = {
        { .kind = COLUMN_TEXT, .head = "option", .get = get_name },
        { .kind = COLUMN_TEXT, .head = "value", .get = get_value },
        { .kind = COLUMN_TEXT, .head = "meaning", .get = get_help },
        { 0 }
    };
    struct input rows[PLAN_MAX_FIELDS];
    struct weir_text from = { 0 };
    size_t n = 0;

    if (s->form != FORM_PAGE) {
        return;
    }
    for (const struct weir_field *f = plan_fields; f->name; f++) {
        bool is_given = job->ask.is_given[f - plan_fields];
        if (is_given || (!job->from && weir_field_get(f, &job->ask.in) != WEIR_AUTO)) {
            rows[n++] = (struct input){ f, job };
        }
    }
    sheet_add_sentence(s, SHEET_HEADING, "Inputs of the plan");
    if (job->from) {
        weir_text_add(&from, "Ports, cables, classes and buffers were read from %s.", job->from);
        sheet_add_sentence(s, SHEET_LINE, from.s);
    }
    if (n) {
        sheet_table(s, &(struct form_table){ NULL, columns, rows, n, sizeof *rows });
    }
}

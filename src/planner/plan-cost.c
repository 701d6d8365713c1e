/* `weir plan --cost`: the buffer that each scheme needs for one guarantee, at every rate.
 *
 * The guarantee is that nothing is lost, whatever the peers do, and that a link that nothing blocks
 * runs at line rate. C RTT keeps outputs busy in addition (TTL 2.2). */

#include <stdlib.h>

#include "base/array.h"
#include "planner/planner.h"

struct cost {
    uint64_t rate_bps, n_classes, slot_bytes, least_bytes, busy_bytes;
    const struct plan_scheme *scheme;
};

struct costs {
    const struct planner_job *job;
    struct cost *rows;
    size_t n, max;
};

COLUMN_GET(cost, get_key, cell_text(cell, r->scheme->key))
COLUMN_GET(cost, get_title, cell_text(cell, r->scheme->title))
COLUMN_GET(cost, get_both, cell_number(cell, r->least_bytes + r->busy_bytes))

static const struct column columns[] = {
    { "rate_bps", COLUMN_RATE, .offset = offsetof(struct cost, rate_bps), .head = "rate",
      .help = "Rate of every link." },
    { "scheme", COLUMN_TEXT, .get = get_key },
    { .kind = COLUMN_TEXT, .head = "scheme", .get = get_title },
    { "classes", COLUMN_COUNT, .offset = offsetof(struct cost, n_classes), .head = "classes",
      .help = "Classes that a port keeps apart." },
    { "slot_bytes", COLUMN_EXACT_BYTES, .offset = offsetof(struct cost, slot_bytes),
      .head = "B/port/class",
      .help = "Bytes for one class of one port: headroom, and room below the threshold." },
    { "least_bytes", COLUMN_BYTES, .offset = offsetof(struct cost, least_bytes),
      .head = "the switch", .help = "Bytes for all classes of all ports." },
    { "work_conservation_bytes", COLUMN_BYTES, .offset = offsetof(struct cost, busy_bytes),
      .head = "C RTT", .help = "Rate times round-trip time: the buffer that keeps outputs busy." },
    { .kind = COLUMN_BYTES,
      .head = "both",
      .get = get_both,
      .help = "The buffer that a chip should have." },
    { 0 },
};

static void
add_rate(struct costs *costs, const struct plan *p)
{
    for (const struct plan_scheme *s = plan_schemes; s->key; s++) {
        struct plan_need slot = plan_slot_need(p, s, &p->kinds[0]), all = plan_need(p, s);
        if (plan_is_wanted(&costs->job->ask, p, s)) {
            ARRAY_PUSH(costs->rows, costs->n, costs->max) =
                (struct cost){ .rate_bps = p->kinds[0].link.rate_bps,
                               .n_classes = plan_scheme_classes(p, s, &p->kinds[0]),
                               .slot_bytes = plan_least_bytes(&slot),
                               .least_bytes = plan_least_bytes(&all),
                               .busy_bytes = all.busy_bytes,
                               .scheme = s };
        }
    }
}

static struct form_table
table_of(const struct costs *costs)
{
    return (struct form_table){ NULL, columns, costs->rows, costs->n, sizeof *costs->rows };
}

static void
write_costs(struct sheet *s, const void *of)
{
    struct form_table t = table_of(of);
    planner_write_inputs(s, ((const struct costs *)of)->job);
    sheet_table(s, &t);
}

int
planner_cost(const struct planner_job *job, struct err *err)
{
    struct costs costs = { .job = job };
    struct err why;

    for (const uint64_t *rate = plan_cost_rates_bps; *rate; rate++) {
        struct plan p;
        if (!plan_at_rate(&p, &job->ask.in, *rate, &why)) {
            free(costs.rows);
            return run_fail_command(err, EXIT_USER, "plan: %s", why.text);
        }
        add_rate(&costs, &p);
        plan_free(&p);
    }
    int code = planner_answer_write(job,
                                    &(struct planner_answer){ "Cost of each scheme", &costs,
                                                              write_costs, table_of(&costs), NULL },
                                    err);
    free(costs.rows);
    return code;
}

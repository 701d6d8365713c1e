/* `weir plan --cost`: the buffer that each scheme needs for one guarantee, at every speed.
 *
 * Nothing is lost, whatever the peers do, and a link that nothing holds back runs at line rate.
 * C RTT is what keeps outputs busy on top of that (TTL 2.2). */

#include <stdlib.h>

#include "base/array.h"
#include "cli/plan.h"

struct cost {
    uint64_t rate_bps, n_classes, slot_bytes, least_bytes, busy_bytes;
    const struct plan_scheme *scheme;
};

struct costs {
    const struct plan_job *job;
    struct cost *rows;
    size_t n, max;
};

TABLE_GET(cost, get_rate, cell_number(cell, r->rate_bps))
TABLE_GET(cost, get_key, cell_text(cell, r->scheme->key))
TABLE_GET(cost, get_title, cell_text(cell, r->scheme->title))
TABLE_GET(cost, get_classes, cell_number(cell, r->n_classes))
TABLE_GET(cost, get_slot, cell_number(cell, r->slot_bytes))
TABLE_GET(cost, get_least, cell_number(cell, r->least_bytes))
TABLE_GET(cost, get_busy, cell_number(cell, r->busy_bytes))
TABLE_GET(cost, get_both, cell_number(cell, r->least_bytes + r->busy_bytes))

static const struct column columns[] = {
    { "rate_bps", "rate", COLUMN_RATE, get_rate, .help = "Rate of every link." },
    { "scheme", NULL, COLUMN_TEXT, .get = get_key },
    { NULL, "scheme", COLUMN_TEXT, .get = get_title },
    { "classes", "classes", COLUMN_COUNT, get_classes, .help = "Classes that a port keeps apart." },
    { "slot_bytes", "B/port/class", COLUMN_BYTES, get_slot,
      .help = "Bytes for one class of one port: headroom, and what goes under the threshold." },
    { "least_bytes", "the switch", COLUMN_SIZE, get_least,
      .help = "The same for all classes and ports." },
    { "work_conservation_bytes", "C RTT", COLUMN_SIZE, get_busy,
      .help = "Rate times round-trip time: the buffer that keeps outputs busy." },
    { NULL, "both", COLUMN_SIZE, get_both, .help = "The buffer that a chip should have." },
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

static struct table
table_of(const struct costs *costs)
{
    return (struct table){ NULL, columns, costs->rows, costs->n, sizeof *costs->rows };
}

static void
say(struct sheet *s, const void *of)
{
    struct table t = table_of(of);
    plan_say_inputs(s, ((const struct costs *)of)->job);
    sheet_table(s, &t);
}

static void
list(FILE *out, const void *of)
{
    struct table t = table_of(of);
    table_show(out, &t, FORM_CSV);
}

static void
tell(struct json *j, const void *of)
{
    struct table t = table_of(of);
    table_json(j, NULL, &t);
}

int
plan_show_cost(const struct plan_job *job)
{
    struct costs costs = { .job = job };
    struct err err;

    for (const uint64_t *rate = plan_cost_rates_bps; *rate; rate++) {
        struct plan p;
        if (!plan_at_rate(&p, &job->ask.in, *rate, &err)) {
            free(costs.rows);
            return cli_fail(EXIT_USER, "plan: %s", err.text);
        }
        add_rate(&costs, &p);
        plan_free(&p);
    }
    int code =
        plan_give(job, &(struct plan_answer){ "What each scheme costs", &costs, say, list, tell });
    free(costs.rows);
    return code;
}

/* `weir plan --cost`: the buffer that each scheme needs for one guarantee, at every speed.
 *
 * Nothing is lost, whatever the peers do, and a link that nothing holds back runs at line rate.
 * C RTT is what keeps outputs busy on top of that (TTL 2.2). */

#include "base/json.h"
#include "cli/plan.h"

struct cost {
    uint64_t rate_bps, n_classes, slot_bytes, least_bytes, busy_bytes;
    const struct plan_scheme *scheme;
};

static void
show_text(struct json *j, const struct cost *c, bool is_first)
{
    struct weir_text rate = { 0 }, least = { 0 }, busy = { 0 }, all = { 0 };

    (void)j;
    weir_text_add(&rate, is_first ? "%R" : "", c->rate_bps);
    weir_text_add(&least, "%B", cli_rounded(c->least_bytes));
    weir_text_add(&busy, "%B", cli_rounded(c->busy_bytes));
    weir_text_add(&all, "%B", cli_rounded(c->least_bytes + c->busy_bytes));
    printf("%-8s %-20s %7llu %13llu %12s %12s %12s\n", rate.s, c->scheme->title, (llu)c->n_classes,
           (llu)c->slot_bytes, least.s, busy.s, all.s);
}

static void
show_csv(struct json *j, const struct cost *c, bool is_first)
{
    (void)j, (void)is_first; /* Of its rate: every row has all. */
    printf("%llu,%s,%llu,%llu,%llu,%llu\n", (llu)c->rate_bps, c->scheme->key, (llu)c->n_classes,
           (llu)c->slot_bytes, (llu)c->least_bytes, (llu)c->busy_bytes);
}

static void
show_json(struct json *j, const struct cost *c, bool is_first)
{
    (void)is_first;
    json_open(j, NULL, '{');
    json_number(j, "rate_bps", c->rate_bps);
    json_text(j, "scheme", c->scheme->key);
    json_number(j, "classes", c->n_classes);
    json_number(j, "slot_bytes", c->slot_bytes);
    json_number(j, "least_bytes", c->least_bytes);
    json_number(j, "work_conservation_bytes", c->busy_bytes);
    json_close(j, '}');
}

static void
show_rate(const struct plan *p, const struct plan_job *job, struct json *j,
          void (*show)(struct json *, const struct cost *, bool is_first))
{
    bool is_first = true;

    for (const struct plan_scheme *s = plan_schemes; s->key; s++) {
        struct plan_need slot = plan_slot_need(p, s, &p->kinds[0]), all = plan_need(p, s);
        struct cost c = { .rate_bps = p->kinds[0].link.rate_bps,
                          .n_classes = plan_scheme_classes(p, s, &p->kinds[0]),
                          .slot_bytes = plan_least_bytes(&slot),
                          .least_bytes = plan_least_bytes(&all),
                          .busy_bytes = all.busy_bytes,
                          .scheme = s };
        if (plan_is_wanted(&job->ask, p, s)) {
            show(j, &c, is_first);
            is_first = false;
        }
    }
}

int
plan_show_cost(const struct plan_job *job)
{
    struct json j = { .out = stdout, .lines = 1 };
    struct err err;

    if (job->csv) {
        printf("rate_bps,scheme,classes,slot_bytes,least_bytes,work_conservation_bytes\n");
    } else if (job->json) {
        json_open(&j, NULL, '[');
    } else {
        printf("%-8s %-20s %7s %13s %12s %12s %12s\n", "rate", "scheme", "classes", "B/port/class",
               "the switch", "C RTT", "both");
    }
    for (const uint64_t *rate = plan_cost_rates_bps; *rate; rate++) {
        struct plan p;
        if (!plan_at_rate(&p, &job->ask.in, *rate, &err)) {
            return cli_fail(EXIT_USER, "plan: %s", err.text);
        }
        show_rate(&p, job, &j, job->csv ? show_csv : job->json ? show_json : show_text);
        plan_free(&p);
    }
    if (job->json) {
        json_close(&j, ']');
    }
    return EXIT_GOOD;
}

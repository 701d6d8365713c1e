/* Makes the runs of one scenario: for claims under every arbitration, for figures under its own.
 * Also makes the single runs of a study that figures draw. */

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "run/collect.h"
#include "run/outcome.h"
#include "run/reproduction.h"

enum { MAX_ARBITRATIONS = 16 };

/* The minimum rate that the sender into a queue was throttled to: its line rate, if it never
 * was. */
static uint64_t
lowest_rate(const struct outcome *o, uint32_t port)
{
    const struct topo *t = &o->s.topo;
    uint64_t line = t->links[t->ports[port].link].rate_bps;
    uint64_t least = sim_gate_state(o->sim, t->ports[port].peer, 0, sim_now(o->sim)).least_bps;
    return least < line ? least : line;
}

static double
measure(const struct scn_claim *c, const struct outcome *o)
{
    switch (c->of) {
    case SCN_DEADLOCK:
        return o->deadlock.found;
    case SCN_GOODPUT:
        return (double)sim_flow_late_bps(o->sim, c->flow);
    case SCN_QUEUE:
        return (double)sim_queue_mean_bytes(o->sim, c->port, 0);
    case SCN_PEAK:
        return (double)sim_queue_peak_bytes(o->sim, c->port, 0);
    case SCN_RATE:
        return (double)lowest_rate(o, c->port);
    default:
        return claim_check_value(c, &o->collected->facts, &o->collected->workloads[c->group]);
    }
}

/* The outcomes of one claimed engine, by arbitration. The outcome has no simulation if switches
 * refuse the arbitration. */
struct outcomes {
    const struct weir_engine *engine;
    bool has_run;
    struct outcome by_arbitration[MAX_ARBITRATIONS];
    struct outcomes *next;
};

/* Writes the setting that selects the claim's engine, together with the other engines of the
 * scenario's stack, such as "engine=[pfc, ecn]". */
static void
choose_engine(const char *engine, const struct scenario *s, char *set, size_t max)
{
    int n = snprintf(set, max, "engine=[%s", engine);

    for (uint32_t i = 1; i < s->stack.n; i++) {
        if (s->stack.layers[i].scope != WEIR_AT_INNER_PORTS) {
            n += snprintf(set + n, max - (size_t)n, ", %s", s->stack.layers[i].engine->about.name);
        }
    }
    snprintf(set + n, max - (size_t)n, "]");
}

static int
run_with(struct reproduction *r, struct outcome *o, const char *file, const char *const *sets,
         size_t n_sets, struct err *err)
{
    return outcome_run(o,
                       &(struct outcome_job){ .file = file,
                                              .sets = sets,
                                              .n_sets = n_sets,
                                              .n_threads = 1,
                                              .results = r->keeps_runs ? r->results : NULL,
                                              .command_ns = r->command_ns,
                                              .place = r->n_kept++,
                                              .watcher = r->run_watcher },
                       err);
}

/* Settings that make scenarios record a quantity that they do not record by default. */
static const struct {
    const char *quantity, *set;
} recorded[] = {
    { "output", "record.outputs=yes" },   { "sent", "record.senders=yes" },
    { "raw", "record.senders=yes" },      { "limit", "record.senders=yes" },
    { "messages", "record.senders=yes" }, { "pace", "record.senders=yes" },
    { "window", "record.senders=yes" },   { "held", "record.held=yes" },
};

enum { N_RECORDED = sizeof recorded / sizeof *recorded };

static bool
is_drawn(const struct reproduction *r, const char *quantity)
{
    bool is = false;

    for (size_t i = 0; i < r->figures.n && !is; i++) {
        const struct rec_figure *figure = rec_row(&r->figures, REC_FIGURE, i);
        is = !strcmp(figure->quantity, quantity);
    }
    return is;
}

/* Adds the settings for quantities that figures draw. */
static size_t
add_recorded(const struct reproduction *r, const char **sets, size_t n)
{
    for (size_t i = 0; r->keeps_runs && i < N_RECORDED; i++) {
        if (is_drawn(r, recorded[i].quantity)) {
            sets[n++] = recorded[i].set;
        }
    }
    return n;
}

static int
run_arbitration(struct reproduction *r, struct outcome *o, const char *file, const char *engine,
                const char *name, struct err *err)
{
    char arbitration[80];
    const char *sets[2 + N_RECORDED] = { engine, arbitration };

    snprintf(arbitration, sizeof arbitration, "switch.arbitration=%s", name);
    return run_with(r, o, file, sets, add_recorded(r, sets, 2), err);
}

/* Runs the claim's engine under every arbitration. Switches may refuse any arbitration but that of
 * the scenario itself. */
static int
run_engine(struct reproduction *r, struct outcomes *all, const struct scenario *s, const char *file,
           struct err *err)
{
    char engine[300];

    choose_engine(all->engine->about.name, s, engine, sizeof engine);
    for (size_t a = 0; weir_plugin_name(&sim_arbitrations, a); a++) {
        assert(a < MAX_ARBITRATIONS);
        const char *name = weir_plugin_name(&sim_arbitrations, a);
        bool is_own = !strcmp(name, scn_arbitration(s));
        int code = run_arbitration(r, &all->by_arbitration[a], file, engine, name, err);
        bool is_refused = code == EXIT_USER && !is_own;
        if (code != EXIT_GOOD && code != EXIT_PROMISE && !is_refused) {
            return code;
        }
        if (all->by_arbitration[a].is_stopped) {
            return run_fail(err, EXIT_STOPPED, "reproduce: stopped");
        }
    }
    all->has_run = true;
    return EXIT_GOOD;
}

static struct outcomes *
find_outcomes(struct outcomes **list, const struct weir_engine *engine)
{
    for (struct outcomes *o = *list; o; o = o->next) {
        if (o->engine == engine) {
            return o;
        }
    }
    struct outcomes *o = array_new(1, sizeof *o);
    o->engine = engine;
    o->next = *list;
    *list = o;
    return o;
}

static void
free_outcomes(struct outcomes *o)
{
    while (o) {
        struct outcomes *next = o->next;
        for (size_t a = 0; weir_plugin_name(&sim_arbitrations, a); a++) {
            outcome_free(&o->by_arbitration[a]);
        }
        free(o);
        o = next;
    }
}

static void
add_claim(struct reproduction *r, const struct scenario *s, const struct scn_claim *c,
          const struct outcomes *o)
{
    char room[SCN_NAME_BYTES];
    struct reproduced row = { .scenario = s->name,
                              .about = c->engine->about.name,
                              .flow = c->of == SCN_GOODPUT ? scn_flow_name(s, c->flow, room) : NULL,
                              .workload = c->group ? s->workloads[c->group - 1].name : NULL,
                              .lowest = -1,
                              .highest = -1,
                              .n_runs = 1 };

    for (size_t a = 0; weir_plugin_name(&sim_arbitrations, a); a++) {
        row.arbitration = weir_plugin_name(&sim_arbitrations, a);
        const struct outcome *run = &o->by_arbitration[a];
        if (!r->is_dry && !run->sim) {
            continue;
        }
        row.value = r->is_dry ? -1 : measure(c, run);
        row.is_least = !r->is_dry && claim_check_is_open(c, &run->collected->workloads[c->group]);
        reproduce_add_row(r, c, &row);
    }
    r->n_claims++;
}

/* Runs that only figures need. Each run is made once, under the scenario's own arbitration. */
struct drawn_runs {
    struct reproduction *r;
    const struct scenario *s; /* The scenario whose runs are drawn; or null. */
    const char *file;
    const struct outcomes *claimed; /* The runs that the scenario's claims have made. */
    const struct scn_study *study;  /* The study whose runs are drawn; or null. */
    struct drawn_run {
        char name[REPRODUCE_RUN_BYTES + SCN_NAME_BYTES];
    } * made;
    size_t n, max;
    struct err *err;
};

/* Whether the run is new; if so, it is added to the list. */
static bool
is_new(struct drawn_runs *d, const char *name, const char *engine)
{
    struct drawn_run run;

    snprintf(run.name, sizeof run.name, "%s %s", name, engine);
    for (size_t i = 0; i < d->n; i++) {
        if (!strcmp(d->made[i].name, run.name)) {
            return false;
        }
    }
    ARRAY_PUSH(d->made, d->n, d->max) = run;
    return true;
}

static int
make_drawn(struct drawn_runs *d, const char *file, const char *const *own, size_t n_own)
{
    const char **sets = array_new(n_own + N_RECORDED, sizeof *sets);
    struct outcome o = { 0 };

    memcpy(sets, own, n_own * sizeof *sets);
    int code = run_with(d->r, &o, file, sets, add_recorded(d->r, sets, n_own), d->err);
    free(sets);
    bool has_run = code == EXIT_GOOD || code == EXIT_PROMISE;
    bool is_stopped = has_run && o.is_stopped;

    if (has_run) {
        outcome_free(&o);
    }
    return is_stopped ? run_fail(d->err, EXIT_STOPPED, "reproduce: stopped")
           : has_run  ? EXIT_GOOD
                      : code;
}

static int
draw_scenario(void *arg, const char *name, const char *engine)
{
    struct drawn_runs *d = arg;
    char set[300];
    const char *const sets[] = { set };
    bool is_there = strcmp(name, d->s->name);

    for (const struct outcomes *o = d->claimed; o && !is_there; o = o->next) {
        is_there = !strcmp(o->engine->about.name, engine);
    }
    if (is_there || !is_new(d, name, engine)) {
        return EXIT_GOOD;
    }
    choose_engine(engine, d->s, set, sizeof set);
    return make_drawn(d, d->file, sets, *engine ? 1 : 0);
}

/* Makes one run of a study for a figure, such as "fabric-seeds#17" for run 17. */
static int
draw_study(void *arg, const char *name, const char *engine)
{
    struct drawn_runs *d = arg;
    const char *number = strrchr(name, '#');
    uint64_t run = number ? strtoull(number + 1, NULL, 10) : 0;
    char own[REPRODUCE_RUN_BYTES], set[REPRODUCE_RUN_BYTES + 16];

    reproduce_name_run(d->study, run, own);
    if (!number || strcmp(own, name) || run >= d->study->n_runs || !is_new(d, name, engine)) {
        return EXIT_GOOD;
    }
    struct scn_sets of_run = scn_study_sets(d->study, run);
    const char **sets = array_new(of_run.n + 1, sizeof *sets);
    memcpy(sets, of_run.items, of_run.n * sizeof *sets);
    snprintf(set, sizeof set, "name=%s", name);
    sets[of_run.n] = set;
    int code = make_drawn(d, d->study->base, sets, of_run.n + 1);
    free(sets);
    scn_sets_free(&of_run);
    return code;
}

int
reproduce_drawn_runs(struct reproduction *r, const struct scn_study *study, struct err *err)
{
    struct drawn_runs d = { .r = r, .study = study, .err = err };
    int code = reproduce_each_drawn(r, draw_study, &d);

    free(d.made);
    return code;
}

int
reproduce_runs(struct reproduction *r, const char *file, struct err *err)
{
    struct outcomes *list = NULL;
    struct scenario s;
    int code = outcome_read(&s, file, NULL, 0, err);

    if (code != EXIT_GOOD) {
        return code;
    }
    for (size_t i = 0; i < s.n_claims && code == EXIT_GOOD; i++) {
        const struct weir_engine *engine = s.claims[i].engine;
        if (!reproduce_wants_row(r, s.claims[i].source)) {
            continue;
        }
        struct outcomes *o = find_outcomes(&list, engine);
        code = r->is_dry || o->has_run ? EXIT_GOOD : run_engine(r, o, &s, file, err);
        if (code == EXIT_GOOD) {
            add_claim(r, &s, &s.claims[i], o);
        }
    }
    if (code == EXIT_GOOD && !r->is_dry) {
        struct drawn_runs d = { .r = r, .s = &s, .file = file, .claimed = list, .err = err };
        code = reproduce_each_drawn(r, draw_scenario, &d);
        free(d.made);
    }
    free_outcomes(list);
    scn_free(&s);
    return code;
}

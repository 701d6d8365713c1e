/* Claims of many runs: a study, and its summaries by engine and arbitration. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "record/reader.h"
#include "run/reproduction.h"
#include "run/sweeping.h"

struct tally {
    const struct scn_study *study;
    struct rec_rows rows; /* struct rec_summary */
    const struct scn_study_axis *arbitrations;
    const char *arbitration; /* Of the base, if it is not varied. */
    uint64_t n_refused;      /* Runs that could not be made: then nothing is judged. */
};

/* Which runs. */

static bool
has_value(const struct scn_study *s, uint64_t run, const char *key, const char *value)
{
    const struct scn_study_axis *axis = scn_study_axis(s, key);
    char *own = axis ? scn_study_value(s, run, (size_t)(axis - s->axes)) : NULL;
    bool is = !own || !strcmp(own, value);

    free(own);
    return is;
}

static bool
is_of(const struct tally *t, const struct rec_summary *row, const char *engine,
      const char *arbitration)
{
    return (!strcmp(row->status, "complete") || !strcmp(row->status, "stopped")) &&
           has_value(t->study, row->id, "engine", engine) &&
           has_value(t->study, row->id, "switch.arbitration", arbitration);
}

/* What tells networks apart: a run's place on all axes but those of scheme and chance. */
static uint64_t
network_of(const struct scn_study *s, uint64_t run)
{
    static const char *const others[] = { "engine", "switch.arbitration", "run.seed" };
    uint64_t network = 0, step = 1;

    for (size_t a = s->n_axes; a-- > 0;) {
        bool is_other = false;
        for (size_t i = 0; i < 3; i++) {
            is_other |= !strcmp(s->axes[a].key, others[i]);
        }
        if (!is_other) {
            network += step * (run % s->axes[a].n);
            step *= s->axes[a].n;
        }
        run /= s->axes[a].n;
    }
    return network;
}

/* What is measured. */

/* Without a deadlock, and with flows that still have something to send. */
static bool
has_collapsed(const struct rec_summary *row)
{
    return row->deadlock_ps < 0 && row->n_finished < row->n_flows &&
           row->host_late_bps != REC_NONE && row->host_late_bps < row->host_bps / 10;
}

/* Marks the networks with a run that shows it. */
static void
mark_networks(const struct tally *t, const char *engine, const char *arbitration,
              enum scn_measure of, uint8_t bit, uint8_t *marks)
{
    for (size_t i = 0; i < t->rows.n; i++) {
        const struct rec_summary *row = rec_row(&t->rows, REC_SUMMARY, i);
        bool shows = of == SCN_NETWORKS ? row->deadlock_ps >= 0 : has_collapsed(row);
        if (shows && is_of(t, row, engine, arbitration)) {
            marks[network_of(t->study, row->id)] |= bit;
        }
    }
}

static double
count_networks(const struct tally *t, const struct scn_study_claim *c, const char *arbitration)
{
    uint8_t *marks = array_new(t->study->n_runs, 1), wanted = c->also ? 3 : 1;
    double n = 0;

    mark_networks(t, c->engine, arbitration, c->of, 1, marks);
    if (c->also) {
        mark_networks(t, c->also, arbitration, c->of, 2, marks);
    }
    for (uint64_t i = 0; i < t->study->n_runs; i++) {
        n += marks[i] == wanted;
    }
    free(marks);
    return n;
}

/* Of a run; negative: there is none. */
static double
value_of(const struct rec_summary *row, const struct rec_column *column)
{
    uint64_t number;

    if (column->kind == REC_REAL) {
        return *(const double *)((const char *)row + column->offset);
    }
    return rec_cell_number(column, row, &number) ? (double)number : -1;
}

enum how { MEAN, MOST, LEAST, SUM };

static const struct {
    const char *column; /* Of a summary. */
    enum how how;
} sums[SCN_N_MEASURES] = {
    [SCN_NETWORKS] = { "until_ps", MEAN }, /* Counted apart; what a run must have to count. */
    [SCN_COLLAPSES] = { "host_late_bps", MEAN },
    [SCN_THROUGHPUT] = { "host_bps", MEAN },
    [SCN_LATE_THROUGHPUT] = { "host_late_bps", MEAN },
    [SCN_SILENT] = { "silent_share", MEAN },
    [SCN_DEVIATION] = { "host_deviation_bps", MEAN },
    [SCN_SLOWEST] = { "min_bps", LEAST },
    [SCN_SLOWDOWN] = { "slowdown_mean", MEAN },
    [SCN_FEEDBACK] = { "feedback_share", MEAN },
    [SCN_FEEDBACK_P99] = { "feedback_p99", MEAN },
    [SCN_FEEDBACK_MAX] = { "feedback_max", MOST },
    [SCN_DROPS] = { "n_dropped", SUM },
};

static const struct rec_column *
column_of(enum scn_measure of)
{
    const struct rec_column *c = rec_tables[REC_SUMMARY].columns;

    while (strcmp(c->name, sums[of].column)) {
        c++;
    }
    return c;
}

static double
sum_up(const struct tally *t, enum scn_measure of, const char *engine, const char *arbitration,
       uint64_t *n_runs)
{
    const struct rec_column *column = column_of(of);
    double by_how[] = { [MEAN] = -1, [MOST] = -1, [LEAST] = -1, [SUM] = 0 };

    *n_runs = 0;
    for (size_t i = 0; i < t->rows.n; i++) {
        const struct rec_summary *row = rec_row(&t->rows, REC_SUMMARY, i);
        double value = value_of(row, column);
        if (value >= 0 && is_of(t, row, engine, arbitration)) {
            by_how[SUM] += value;
            by_how[MOST] = value > by_how[MOST] ? value : by_how[MOST];
            by_how[LEAST] = !*n_runs || value < by_how[LEAST] ? value : by_how[LEAST];
            by_how[MEAN] = by_how[SUM] / (double)++*n_runs;
        }
    }
    return *n_runs ? by_how[sums[of].how] : -1;
}

/* Negative: there is none. */
static double
measure(const struct tally *t, const struct scn_study_claim *c, const char *arbitration,
        uint64_t *n_runs)
{
    uint64_t n_others;
    double value = sum_up(t, c->of, c->engine, arbitration, n_runs);

    if (value >= 0 && (c->of == SCN_NETWORKS || c->of == SCN_COLLAPSES)) {
        return count_networks(t, c, arbitration);
    }
    if (c->against) {
        double other = sum_up(t, c->of, c->against, arbitration, &n_others);
        return value >= 0 && other > 0 ? value / other : -1;
    }
    return value;
}

/* Rows. */

static void
name_measure(const struct scn_study_claim *c, char *what, size_t max)
{
    const char *name = c->of == SCN_NETWORKS ? "networks dead" : scn_measures[c->of].name;

    snprintf(what, max, "%s%s%s", name,
             c->also      ? ", as "
             : c->against ? " / "
                          : "",
             c->also      ? c->also
             : c->against ? c->against
                          : "");
}

static void
add_row(struct reproduction *r, const struct tally *t, const struct scn_study_claim *c,
        const char *arbitration)
{
    char what[100], sign[2] = { c->sign };
    uint64_t n_runs;
    double measured = measure(t, c, arbitration, &n_runs);

    name_measure(c, what, sizeof what);
    struct rec_claim row = { .study = r->paper,
                             .scenario = t->study->name,
                             .source = c->source,
                             .engine = c->engine,
                             .what = what,
                             .is_sample = t->study->is_sample,
                             .unit = c->against ? "times" : scn_measures[c->of].unit,
                             .arbitration = arbitration,
                             .sign = sign,
                             .published = c->published,
                             .measured = measured,
                             .holds = REC_NONE,
                             .n_runs = n_runs,
                             .build = WEIR_VERSION };
    if (!t->study->is_sample && !t->n_refused && measured >= 0) {
        row.holds = reproduce_holds(c->sign, c->published, c->within, measured);
    }
    rec_rows_copy(&r->claims, REC_CLAIM, &row);
}

static void
add_claims(struct reproduction *r, const struct tally *t)
{
    for (size_t i = 0; i < t->study->n_claims; i++) {
        const struct scn_study_claim *c = &t->study->claims[i];
        for (size_t a = 0; a < (t->arbitrations ? t->arbitrations->n_items : 1); a++) {
            add_row(r, t, c, t->arbitrations ? t->arbitrations->items[a].text : t->arbitration);
        }
        r->n_claims++;
    }
}

static bool
read_rows(struct tally *t, const char *results, uint64_t sweep, struct err *err)
{
    struct rec_file *file = rec_read_open(results, err);

    if (!file) {
        return false;
    }
    bool good = rec_read_all(file, REC_SUMMARY, sweep, &t->rows, err);
    rec_read_close(file);
    return good;
}

/* What a study leaves to its base. */
static int
read_arbitration(struct tally *t, struct err *err)
{
    struct scenario s;
    int code = outcome_read(&s, t->study->base, NULL, 0, err);

    if (code == EXIT_GOOD) {
        t->arbitration = scn_arbitration(&s);
        scn_free(&s);
    }
    return code;
}

static int
tally_up(struct reproduction *r, struct sweeping *s, struct err *err)
{
    struct tally t = { .study = s->study,
                       .n_refused = s->n_by_status[SUMMARY_REFUSED],
                       .arbitrations = scn_study_axis(s->study, "switch.arbitration") };
    int code = t.arbitrations ? EXIT_GOOD : read_arbitration(&t, err);

    if (code == EXIT_GOOD && !read_rows(&t, r->results, s->id, err)) {
        code = EXIT_WORLD;
    }
    if (code == EXIT_GOOD) {
        add_claims(r, &t);
    }
    if (t.n_refused) {
        err_set(
            &r->warning,
            "%s: %llu runs were refused, so nothing is judged; column `why` of %s has the reasons",
            t.study->name, (unsigned long long)t.n_refused, r->results);
    }
    rec_rows_free(&t.rows, REC_SUMMARY);
    return code;
}

int
reproduce_sweep(struct reproduction *r, const char *file, struct err *err)
{
    struct scn_study study;
    struct sweeping s = { .study = &study, .results = r->results, .watcher = r->sweep_watcher };
    int code = study_read(&study, file, r->part, &s.sample, err);

    if (code == EXIT_GOOD && study.n_claims) {
        code = !sweeping_run(&s, err) ? EXIT_WORLD
               : s.is_interrupted
                   ? run_fail(err, EXIT_WORLD, "reproduce: stopped; the same command continues")
               : s.n_by_status[SUMMARY_FAILED]
                   ? run_fail(err, EXIT_WORLD,
                              "reproduce: some runs failed; the same command tries them again")
                   : tally_up(r, &s, err);
    }
    scn_study_free(&study);
    return code;
}

/* Reads a sweep as a table of settings and metrics. */

#include "report/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json-read.h"
#include "base/text.h"
#include "weir/field.h"

/* Limits, because files are untrusted. */
enum {
    MAX_SETTINGS = 64,
    MAX_MEASURES = 64,
    MAX_METRICS = N_RUN_FACTS + 1 + MAX_MEASURES + REC_WORKLOADS_OF_RUN * N_WORKLOAD_FACTS,
    MAX_NAME = 200
};

bool
rep_sweep_has_run(const struct rec_summary *run)
{
    return !strcmp(run->status, "complete") || !strcmp(run->status, "stopped");
}

/* Settings of a sweep. */

size_t
rep_sweep_setting(const struct rep_sweep *s, const char *name)
{
    size_t i = text_find(name, s->settings, sizeof *s->settings, s->n_settings);

    return i < s->n_settings ? i : REP_NO_COLUMN;
}

/* Finds or adds a setting; null: the file has too many. */
static struct rep_setting *
add_setting(struct rep_sweep *s, const char *name)
{
    size_t i = rep_sweep_setting(s, name);

    if (i == REP_NO_COLUMN && s->n_settings == MAX_SETTINGS) {
        return NULL;
    }
    if (i == REP_NO_COLUMN) {
        i = s->n_settings;
        ARRAY_PUSH(s->settings, s->n_settings, s->max_settings) = (struct rep_setting){
            .name = strdup(name), .unit = "", .of = array_new(s->summaries.n, sizeof(uint32_t))
        };
    }
    return &s->settings[i];
}

/* Finds or adds a value of a setting, and returns its index. The last axis of a study varies
 * fastest, so most runs have the value of the previous run, or the next value. */
static uint32_t
value_number(struct rep_setting *setting, const char *text, uint32_t before)
{
    const size_t n = setting->n_values;

    for (size_t i = 0; i < n; i++) {
        size_t k = (before + i) % n;
        if (!strcmp(setting->values[k], text)) {
            return (uint32_t)k;
        }
    }
    ARRAY_PUSH(setting->values, setting->n_values, setting->max_values) = strdup(text);
    return (uint32_t)n;
}

static void
read_settings(struct rep_sweep *s, size_t row)
{
    struct json_read member = { .at = rep_sweep_run(s, row)->settings };

    while (json_read_next(&member)) {
        struct rep_setting *setting = add_setting(s, member.key);
        if (setting) {
            setting->of[row] = value_number(setting, member.text, row ? setting->of[row - 1] : 0);
        }
    }
}

/* Scales: settings whose values are numbers. */

static const struct scale {
    const char *unit;
    int kind; /* An enum weir_kind; negative: a plain number. */
} scales[] = { { "", -1 }, { "bytes", WEIR_BYTES }, { "ps", WEIR_TIME }, { "bps", WEIR_RATE } };

static bool
read_scaled(const struct scale *scale, const char *text, double *number)
{
    struct weir_text why = { 0 };
    uint64_t whole;

    if (scale->kind < 0) {
        return text_real(text, number);
    }
    bool good = weir_value_parse((enum weir_kind)scale->kind, text, &whole, &why);
    *number = good ? (double)whole : NAN;
    return good;
}

static bool
is_on(struct rep_setting *setting, const struct scale *scale)
{
    bool is = true;

    for (size_t i = 0; i < setting->n_values && is; i++) {
        is = read_scaled(scale, setting->values[i], &setting->numbers[i]);
    }
    return is;
}

/* A value and its index before sorting. */
struct placed {
    double number;
    char *text;
    uint32_t was;
};

static int
by_number(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;

    return x->number != y->number ? (x->number > y->number) - (x->number < y->number)
                                  : (x->was > y->was) - (x->was < y->was);
}

static void
put_in_order(struct rep_setting *setting, size_t n_rows)
{
    struct placed *all = array_new(setting->n_values, sizeof *all);
    uint32_t *now = array_new(setting->n_values, sizeof *now);

    for (uint32_t i = 0; i < setting->n_values; i++) {
        all[i] = (struct placed){ setting->numbers[i], setting->values[i], i };
    }
    qsort(all, setting->n_values, sizeof *all, by_number);
    for (uint32_t i = 0; i < setting->n_values; i++) {
        setting->values[i] = all[i].text;
        setting->numbers[i] = all[i].number;
        now[all[i].was] = i;
    }
    for (size_t row = 0; row < n_rows; row++) {
        setting->of[row] = now[setting->of[row]];
    }
    free(all);
    free(now);
}

static void
find_scale(struct rep_setting *setting, size_t n_rows)
{
    setting->numbers = array_new(setting->n_values, sizeof *setting->numbers);
    for (size_t i = 0; i < sizeof scales / sizeof *scales && !setting->is_scale; i++) {
        setting->is_scale = is_on(setting, &scales[i]);
        setting->unit = setting->is_scale ? scales[i].unit : "";
    }
    if (setting->is_scale) {
        put_in_order(setting, n_rows);
    }
}

/* Metrics of a sweep. */

size_t
rep_sweep_metric(const struct rep_sweep *s, const char *name)
{
    size_t i = text_find(name, s->metrics, sizeof *s->metrics, s->n_metrics);

    return i < s->n_metrics ? i : REP_NO_COLUMN;
}

/* Finds or adds a metric; null: the file has too many. */
static double *
add_metric(struct rep_sweep *s, const char *name, const char *unit)
{
    size_t i = rep_sweep_metric(s, name);

    if (i == REP_NO_COLUMN && s->n_metrics == MAX_METRICS) {
        return NULL;
    }
    if (i == REP_NO_COLUMN) {
        double *values = array_new(s->summaries.n, sizeof *values);
        for (size_t row = 0; row < s->summaries.n; row++) {
            values[row] = NAN;
        }
        i = s->n_metrics;
        ARRAY_PUSH(s->metrics, s->n_metrics, s->max_metrics) =
            (struct rep_metric){ .name = strdup(name),
                                 .unit = strdup(unit),
                                 .quantity = strdup(name),
                                 .values = values,
                                 .n_flows = REP_NO_COLUMN };
    }
    return s->metrics[i].values;
}

static void
set_metric(struct rep_sweep *s, size_t row, const char *name, const char *unit, double value)
{
    double *values = add_metric(s, name, unit);

    if (values) {
        values[row] = value;
    }
}

static void
read_column(struct rep_sweep *s, const struct column *c, size_t offset)
{
    double *values = add_metric(s, c->name, facts_unit(c->name));

    if (values) {
        s->metrics[rep_sweep_metric(s, c->name)].is_yes = c->kind == COLUMN_YES;
    }
    for (size_t row = 0; values && row < s->summaries.n; row++) {
        double value;
        if (column_number(c, (const char *)rep_sweep_run(s, row) + offset, &value)) {
            values[row] = value;
        }
    }
}

/* Adds the study's own measures, with their units. */
static void
add_measures(struct rep_sweep *s)
{
    struct json_read member = { .at = rep_sweep_row(s)->units };

    while (s->summaries.n && json_read_next(&member)) {
        add_metric(s, member.key, member.text);
    }
}

static void
read_measures(struct rep_sweep *s, size_t row)
{
    struct json_read member = { .at = rep_sweep_run(s, row)->measures };

    while (json_read_next(&member)) {
        double value;
        if (text_real(member.text, &value)) {
            set_metric(s, row, member.key, "", value);
        }
    }
}

static size_t
find_run(const struct rep_sweep *s, uint64_t id)
{
    size_t low = 0;

    for (size_t high = s->summaries.n; low < high;) {
        size_t middle = low + (high - low) / 2;
        bool is_before = rep_sweep_run(s, middle)->id < id;
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    return low < s->summaries.n && rep_sweep_run(s, low)->id == id ? low : REP_NO_COLUMN;
}

/* Reads the facts of a workload in a run as metrics, such as "all.fct_p99_ps". */
static void
read_workload(void *arg, const void *item)
{
    struct rep_sweep *s = arg;
    const struct rec_workload *w = item;
    size_t row = find_run(s, w->summary);

    for (size_t i = 0; i < N_WORKLOAD_FACTS && row != REP_NO_COLUMN; i++) {
        const char *fact = workload_facts[i].name;
        char name[MAX_NAME];
        double value;
        snprintf(name, sizeof name, "%s.%s", w->name, fact);
        bool is_known = column_number(&workload_facts[i], &w->facts, &value);
        set_metric(s, row, name, facts_unit(fact), is_known ? value : NAN);
    }
}

/* A whole sweep. */

static bool
read_row(struct rep_sweep *s, struct rec_file *file, uint64_t id, struct err *err)
{
    return rec_read(file, REC_SWEEP, 0, id, 1, &s->sweep, err) &&
           ((s->sweep.n && rep_sweep_row(s)->id == id) ||
            err_set(err, "there is no sweep %llu in this file", (unsigned long long)id));
}

static void
read_runs(struct rep_sweep *s)
{
    add_measures(s);
    for (size_t row = 0; row < s->summaries.n; row++) {
        read_settings(s, row);
        read_measures(s, row);
    }
    for (size_t i = 0; i < N_RUN_FACTS; i++) {
        read_column(s, &run_facts[i], offsetof(struct rec_summary, facts));
    }
    read_column(s, rec_find_column(REC_SUMMARY, "wall_s"), 0);
    for (size_t i = 0; i < s->n_settings; i++) {
        find_scale(&s->settings[i], s->summaries.n);
    }
}

static bool
has_value(const struct rep_metric *m, size_t n_rows)
{
    bool has = false;

    for (size_t row = 0; row < n_rows && !has; row++) {
        has = !isnan(m->values[row]);
    }
    return has;
}

static void
free_metric(struct rep_metric *m)
{
    free(m->name);
    free(m->quantity);
    free(m->unit);
    free(m->values);
}

/* Moves metrics that no run has to the end. */
static void
put_empty_last(struct rep_sweep *s)
{
    struct rep_metric *empty = array_new(s->n_metrics, sizeof *empty);
    size_t n = 0, n_empty = 0;

    for (size_t i = 0; i < s->n_metrics; i++) {
        if (has_value(&s->metrics[i], s->summaries.n)) {
            s->metrics[n++] = s->metrics[i];
        } else {
            empty[n_empty++] = s->metrics[i];
        }
    }
    for (size_t i = 0; i < n_empty; i++) {
        s->metrics[n + i] = empty[i];
    }
    s->n_all_metrics = s->n_metrics;
    s->n_metrics = n;
    free(empty);
}

/* The fact of a run or of a workload that a metric is; null: the metric is a measure of the
 * study. */
static const struct column *
fact_of(const char *metric)
{
    const char *dot = strrchr(metric, '.'), *name = dot ? dot + 1 : metric;
    const struct column *facts = dot ? workload_facts : run_facts;
    size_t n = dot ? N_WORKLOAD_FACTS : N_RUN_FACTS, i = text_find(name, facts, sizeof *facts, n);

    return i < n ? &facts[i] : NULL;
}

/* Sets the quantity of a metric for an axis, such as "web: completion time, 99 %". */
static void
name_quantity(struct rep_metric *m, const struct column *fact)
{
    char quantity[FACTS_QUANTITY_BYTES], name[MAX_NAME + FACTS_QUANTITY_BYTES];
    const char *dot = strrchr(m->name, '.');
    bool is_of_all = !dot || !strncmp(m->name, "all.", strlen("all."));

    facts_quantity(fact, quantity);
    snprintf(name, sizeof name, "%.*s%s%s", is_of_all ? 0 : (int)(dot - m->name), m->name,
             is_of_all ? "" : ": ", quantity);
    free(m->quantity);
    m->quantity = strdup(name);
}

/* Facts of a run whose names begin with this are about finished flows. */
#define FINISHED "finished_"

static void
find_flows(const struct rep_sweep *s, struct rep_metric *m, const struct column *fact)
{
    char counts[MAX_NAME];
    const char *dot = strrchr(m->name, '.');
    bool is_of_finished = !dot && !strncmp(fact->name, FINISHED, strlen(FINISHED));

    m->least_flows = facts_least_flows(
        &(struct column){ .name = fact->name + (is_of_finished ? strlen(FINISHED) : 0) });
    if (m->least_flows) {
        snprintf(counts, sizeof counts, "%.*s%s", dot ? (int)(dot + 1 - m->name) : 0, m->name,
                 is_of_finished ? "n_finished" : "n_flows");
        m->n_flows = rep_sweep_metric(s, counts);
    }
}

static void
explain_metrics(struct rep_sweep *s)
{
    for (size_t i = 0; i < s->n_metrics; i++) {
        const struct column *fact = fact_of(s->metrics[i].name);
        if (fact) {
            name_quantity(&s->metrics[i], fact);
            find_flows(s, &s->metrics[i], fact);
        }
    }
}

bool
rep_sweep_is_of_few(const struct rep_sweep *s, size_t metric, size_t row)
{
    const struct rep_metric *m = &s->metrics[metric];

    return m->n_flows != REP_NO_COLUMN &&
           s->metrics[m->n_flows].values[row] < (double)m->least_flows;
}

bool
rep_sweep_read(struct rep_sweep *s, struct rec_file *file, uint64_t id, uint32_t max_rows,
               struct err *err)
{
    *s = (struct rep_sweep){ 0 };
    bool good =
        read_row(s, file, id, err) && rec_read_count(file, REC_SUMMARY, id, &s->n_done, err) &&
        rec_read_if(file, REC_SUMMARY, id, "status <> 'skipped'", 0, max_rows, &s->summaries, err);
    if (good) {
        s->n_skipped = s->summaries.n < max_rows ? s->n_done - s->summaries.n : 0;
        read_runs(s);
        good = rec_read_each(file, REC_SUMMARY_WORKLOAD, id, NULL, read_workload, s, err);
    }
    put_empty_last(s);
    explain_metrics(s);
    if (!good) {
        rep_sweep_free(s);
    }
    return good;
}

void
rep_sweep_free(struct rep_sweep *s)
{
    for (size_t i = 0; i < s->n_settings; i++) {
        struct rep_setting *setting = &s->settings[i];
        for (size_t k = 0; k < setting->n_values; k++) {
            free(setting->values[k]);
        }
        free(setting->values);
        free(setting->numbers);
        free(setting->name);
        free(setting->of);
    }
    for (size_t i = 0; i < s->n_all_metrics; i++) {
        free_metric(&s->metrics[i]);
    }
    free(s->settings);
    free(s->metrics);
    rec_rows_free(&s->summaries, REC_SUMMARY);
    rec_rows_free(&s->sweep, REC_SWEEP);
    *s = (struct rep_sweep){ 0 };
}

/* Groups the runs of a sweep into the cells of a table. */

#include "report/sweep-table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static size_t
n_values(const struct rep_sweep *s, size_t setting)
{
    return setting == REP_NO_COLUMN ? 1 : s->settings[setting].n_values;
}

static size_t
value_at(const struct rep_sweep *s, size_t setting, size_t row)
{
    return setting == REP_NO_COLUMN ? 0 : s->settings[setting].of[row];
}

static size_t
cell_of(const struct rep_sweep *s, const struct rep_axes *a, const struct rep_table *t, size_t row)
{
    size_t line = value_at(s, a->panels, row) * t->n_lines + value_at(s, a->lines, row);

    return line * t->n_by + value_at(s, a->by, row);
}

static void
count_run(struct rep_cell *cell, const struct rec_summary *run)
{
    bool has_run = rep_sweep_has_run(run);

    cell->n_runs += has_run;
    cell->n_dead += has_run && run->facts.deadlock_ps >= 0;
    cell->n_failed += !has_run;
}

/* Whether a run's value is left out because it is a percentile of too few flows. */
static bool
is_of_few(const struct rep_sweep *s, size_t metric, size_t row)
{
    return !isnan(s->metrics[metric].values[row]) && rep_sweep_is_of_few(s, metric, row);
}

static bool
has_value(const struct rep_sweep *s, size_t metric, size_t row)
{
    return !isnan(s->metrics[metric].values[row]) && !rep_sweep_is_of_few(s, metric, row);
}

/* Groups values by cell in one array: counts the values of each cell first, then finds the start of
 * each cell in the array. */
static void
spread_values(const struct rep_sweep *s, const struct rep_axes *a, struct rep_table *t, size_t n)
{
    const double *values = s->metrics[a->metric].values;
    double *sorted = array_new(s->summaries.n, sizeof *sorted);
    size_t *ends = array_new(n + 1, sizeof *ends);

    for (size_t row = 0; row < s->summaries.n; row++) {
        ends[cell_of(s, a, t, row) + 1] += has_value(s, a->metric, row);
    }
    for (size_t i = 0; i < n; i++) {
        ends[i + 1] += ends[i];
    }
    for (size_t row = 0; row < s->summaries.n; row++) {
        if (has_value(s, a->metric, row)) {
            sorted[ends[cell_of(s, a, t, row)]++] = values[row];
        }
    }
    /* ends[i] was the start of cell i, and has advanced to its end. */
    for (size_t i = 0; i < n; i++) {
        size_t start = i ? ends[i - 1] : 0;
        t->cells[i].spread = spread_of(sorted + start, ends[i] - start);
    }
    free(sorted);
    free(ends);
}

struct rep_table
rep_table_make(const struct rep_sweep *s, const struct rep_axes *a)
{
    struct rep_table t = { .n_by = n_values(s, a->by),
                           .n_lines = n_values(s, a->lines),
                           .n_panels = n_values(s, a->panels) };
    size_t n = t.n_by * t.n_lines * t.n_panels;

    t.cells = array_new(n, sizeof *t.cells);
    for (size_t row = 0; row < s->summaries.n; row++) {
        struct rep_cell *cell = &t.cells[cell_of(s, a, &t, row)];
        count_run(cell, rep_sweep_run(s, row));
        cell->n_few += is_of_few(s, a->metric, row);
    }
    spread_values(s, a, &t, n);
    return t;
}

void
rep_table_free(struct rep_table *t)
{
    free(t->cells);
    *t = (struct rep_table){ 0 };
}

/* The axes to show first. */

static bool
is_chance(const struct rep_setting *setting)
{
    size_t len = strlen(setting->name);

    return len >= 4 && !strcmp(setting->name + len - 4, "seed");
}

/* The first setting that has several values, is not yet an axis, and is not a random seed. Scales
 * come before other settings. */
static size_t
choose_setting(const struct rep_sweep *s, const struct rep_axes *taken, bool only_scales)
{
    for (size_t i = 0; i < s->n_settings; i++) {
        const struct rep_setting *setting = &s->settings[i];
        bool is_free = i != taken->by && i != taken->lines && i != taken->panels;
        if (is_free && setting->n_values > 1 && !is_chance(setting) &&
            (setting->is_scale || !only_scales)) {
            return i;
        }
    }
    return REP_NO_COLUMN;
}

/* Whether some run has a value of the metric, and none has a percentile of too few flows. */
static bool
has_values(const struct rep_sweep *s, size_t metric)
{
    bool has = false;

    for (size_t row = 0; row < s->summaries.n; row++) {
        has |= has_value(s, metric, row);
        if (is_of_few(s, metric, row)) {
            return false;
        }
    }
    return has;
}

/* The metric to show first: one of the study's own measures, or else one of a few important facts.
 * A percentile of the tail is chosen only if every run has enough flows, because a median over part
 * of the seeds would mislead. */
static size_t
choose_metric(const struct rep_sweep *s)
{
    const char *const wanted[] = { "all.slowdown_p99", run_facts[FACT_finished_slowdown_p99].name,
                                   "all.slowdown_p50", run_facts[FACT_finished_slowdown_p50].name,
                                   run_facts[FACT_goodput_mean_bps].name };
    size_t found = s->n_metrics && rep_sweep_row(s)->units[0] ? 0 : REP_NO_COLUMN;

    for (size_t i = 0; i < sizeof wanted / sizeof *wanted && found == REP_NO_COLUMN; i++) {
        found = rep_sweep_metric(s, wanted[i]);
        found = found != REP_NO_COLUMN && has_values(s, found) ? found : REP_NO_COLUMN;
    }
    return found == REP_NO_COLUMN && s->n_metrics ? 0 : found;
}

struct rep_axes
rep_sweep_first_axes(const struct rep_sweep *s)
{
    struct rep_axes a = { choose_metric(s), REP_NO_COLUMN, REP_NO_COLUMN, REP_NO_COLUMN };
    size_t scale = choose_setting(s, &a, true);

    a.by = scale != REP_NO_COLUMN ? scale : choose_setting(s, &a, false);
    if (a.by == REP_NO_COLUMN && s->n_settings) {
        a.by = 0;
    }
    a.lines = choose_setting(s, &a, false);
    a.panels = choose_setting(s, &a, false);
    return a;
}

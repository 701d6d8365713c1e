/* Writes a sweep as JSON for the page. */

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "report/packed.h"
#include "report/sweep.h"

static void
write_setting(struct json *j, const struct rep_setting *setting, size_t n_rows)
{
    uint64_t *of = array_new(n_rows, sizeof *of);

    json_open(j, NULL, '{');
    json_text(j, "name", setting->name);
    json_text(j, "unit", setting->unit);
    json_texts(j, "values", (const char *const *)setting->values, setting->n_values);
    json_reals(j, "numbers", setting->numbers, setting->is_scale ? setting->n_values : 0,
               PACKED_DIGITS);
    for (size_t row = 0; row < n_rows; row++) {
        of[row] = setting->of[row];
    }
    json_packed(j, "of", of, n_rows, 1);
    json_close(j, '}');
    free(of);
}

void
rep_sweep_write_value(struct json *j, const char *key, const struct rep_metric *m, size_t row,
                      int digits)
{
    double value = m->values[row];

    if (isnan(value)) {
        json_null(j, key);
    } else if (m->is_yes) {
        json_bool(j, key, value > 0);
    } else if (value >= 0 && value < 1e15 && value == floor(value)) {
        json_number(j, key, (uint64_t)value);
    } else {
        json_real(j, key, value, digits);
    }
}

/* Writes a metric. Yes and no are 1 and 0, so that the page can draw them. */
static void
write_metric(struct json *j, const struct rep_metric *m, size_t n_rows)
{
    struct rep_metric drawn = *m;

    drawn.is_yes = false;
    json_open(j, NULL, '{');
    json_text(j, "name", m->name);
    json_text(j, "unit", m->unit);
    if (m->n_flows != REP_NO_COLUMN) {
        json_number(j, "least_flows", m->least_flows);
        json_number(j, "n_flows", m->n_flows);
    }
    json_open(j, "values", '[');
    for (size_t row = 0; row < n_rows; row++) {
        rep_sweep_write_value(j, NULL, &drawn, row, PACKED_DIGITS);
    }
    json_close(j, ']');
    json_close(j, '}');
}

static void
write_column(struct json *j, const char *key, size_t column)
{
    json_maybe(j, key, column != REP_NO_COLUMN, column);
}

static void
write_axes(struct json *j, const struct rep_sweep *s)
{
    struct rep_axes axes = rep_sweep_first_axes(s);

    json_open(j, "axes", '{');
    write_column(j, "metric", axes.metric);
    write_column(j, "by", axes.by);
    write_column(j, "lines", axes.lines);
    write_column(j, "panels", axes.panels);
    json_close(j, '}');
}

static void
write_runs(struct json *j, const struct rep_sweep *s)
{
    json_open(j, "runs", '[');
    for (size_t row = 0; row < s->summaries.n; row++) {
        const struct rec_summary *run = rep_sweep_run(s, row);
        json_open(j, NULL, '[');
        json_number(j, NULL, run->id);
        json_text(j, NULL, run->status);
        json_text(j, NULL, run->why);
        json_bool(j, NULL, run->facts.deadlock_ps >= 0);
        json_close(j, ']');
    }
    json_close(j, ']');
}

void
rep_sweep_write_head(struct json *j, const char *file, const struct rep_sweep *s)
{
    const struct rec_sweep *sweep = rep_sweep_row(s);

    json_text(j, "file", file);
    json_number(j, "sweep", sweep->id);
    json_text(j, "name", sweep->name);
    json_number(j, "n_runs", sweep->n_runs);
    json_number(j, "n_done", s->n_done);
    json_number(j, "n_skipped", s->n_skipped);
}

void
rep_sweep_write(FILE *out, const char *file, const struct rep_sweep *s)
{
    struct json j = { .out = out };

    json_open(&j, NULL, '{');
    rep_sweep_write_head(&j, file, s);
    json_text(&j, "study", rep_sweep_row(s)->study);
    write_axes(&j, s);
    write_runs(&j, s);
    json_open(&j, "settings", '[');
    for (size_t i = 0; i < s->n_settings; i++) {
        write_setting(&j, &s->settings[i], s->summaries.n);
    }
    json_close(&j, ']');
    json_open(&j, "metrics", '[');
    for (size_t i = 0; i < s->n_metrics; i++) {
        write_metric(&j, &s->metrics[i], s->summaries.n);
    }
    json_close(&j, ']');
    json_close(&j, '}');
}

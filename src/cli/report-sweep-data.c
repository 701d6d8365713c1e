/* Sweeps as CSV and JSON. */

#include <math.h>
#include <string.h>

#include "base/csv.h"
#include "cli/cli.h"
#include "cli/report-shown.h"

enum { DIGITS = 9 };

/* The values of a cell, by name. */

static const struct cell_column {
    const char *name;
    size_t offset;
    bool is_count;
} cell_columns[] = {
    { "runs", offsetof(struct rep_cell, n_runs), true },
    { "deadlocks", offsetof(struct rep_cell, n_dead), true },
    { "failed", offsetof(struct rep_cell, n_failed), true },
    { "least", offsetof(struct rep_cell, spread.least), false },
    { "q1", offsetof(struct rep_cell, spread.q1), false },
    { "median", offsetof(struct rep_cell, spread.median), false },
    { "q3", offsetof(struct rep_cell, spread.q3), false },
    { "most", offsetof(struct rep_cell, spread.most), false },
};

enum { N_CELL_COLUMNS = sizeof cell_columns / sizeof *cell_columns };

/* NAN: the cell does not have it. */
static double
cell_value(const struct rep_cell *cell, const struct cell_column *c)
{
    const void *at = (const char *)cell + c->offset;

    return c->is_count ? (double)*(const size_t *)at : cell->spread.n ? *(const double *)at : NAN;
}

typedef void visit_cell(const struct shown *, size_t panel, size_t line, size_t by, void *arg);

/* Those that have runs. */
static void
each_cell(const struct shown *v, visit_cell *visit, void *arg)
{
    for (size_t panel = 0; panel < v->table.n_panels; panel++) {
        for (size_t line = 0; line < v->table.n_lines; line++) {
            for (size_t by = 0; by < v->table.n_by; by++) {
                const struct rep_cell *cell = rep_table_cell(&v->table, panel, line, by);
                if (cell->n_runs + cell->n_failed) {
                    visit(v, panel, line, by, arg);
                }
            }
        }
    }
}

static void
csv_cell(const struct shown *v, size_t panel, size_t line, size_t by, void *arg)
{
    const struct rep_cell *cell = rep_table_cell(&v->table, panel, line, by);
    const size_t settings[] = { v->axes.panels, v->axes.lines, v->axes.by };
    const size_t values[] = { panel, line, by };

    (void)arg;
    for (size_t i = 0; i < 3; i++) {
        if (settings[i] != REP_NO_COLUMN) {
            csv_text(stdout, shown_value(v, settings[i], values[i]));
            putchar(',');
        }
    }
    csv_text(stdout, v->sweep.metrics[v->axes.metric].name);
    for (size_t i = 0; i < N_CELL_COLUMNS; i++) {
        double value = cell_value(cell, &cell_columns[i]);
        printf(isnan(value) ? "," : ",%.*g", DIGITS, value);
    }
    putchar('\n');
}

static void
show_csv(const struct shown *v, void *arg)
{
    const size_t settings[] = { v->axes.panels, v->axes.lines, v->axes.by };

    for (size_t i = 0; i < 3; i++) {
        if (settings[i] != REP_NO_COLUMN) {
            csv_text(stdout, shown_setting(v, settings[i]));
            putchar(',');
        }
    }
    printf("metric");
    for (size_t i = 0; i < N_CELL_COLUMNS; i++) {
        printf(",%s", cell_columns[i].name);
    }
    printf("\n");
    each_cell(v, csv_cell, arg);
}

int
report_sweep_csv(const struct chosen *c, const struct sweep_ask *ask)
{
    return shown_newest(c, ask, show_csv, NULL);
}

static void
json_real_or_null(struct json *j, const char *key, double value)
{
    if (isnan(value)) {
        json_null(j, key);
    } else {
        json_real(j, key, value, DIGITS);
    }
}

static void
json_cell(const struct shown *v, size_t panel, size_t line, size_t by, void *arg)
{
    const struct rep_cell *cell = rep_table_cell(&v->table, panel, line, by);
    const size_t settings[] = { v->axes.by, v->axes.lines, v->axes.panels };
    const size_t values[] = { by, line, panel };
    struct json *j = arg;

    json_open(j, NULL, '{');
    json_open(j, "settings", '{');
    for (size_t i = 0; i < 3; i++) {
        if (settings[i] != REP_NO_COLUMN) {
            json_text(j, shown_setting(v, settings[i]), shown_value(v, settings[i], values[i]));
        }
    }
    json_close(j, '}');
    for (size_t i = 0; i < N_CELL_COLUMNS; i++) {
        json_real_or_null(j, cell_columns[i].name, cell_value(cell, &cell_columns[i]));
    }
    json_close(j, '}');
}

static void
json_head(struct json *j, const struct rep_sweep *s)
{
    json_number(j, "sweep", rep_sweep_row(s)->id);
    json_text(j, "name", rep_sweep_row(s)->name);
    json_number(j, "runs", rep_sweep_row(s)->n_runs);
    json_number(j, "done", s->n_done);
    json_number(j, "skipped", s->n_skipped);
}

static void
show_json(const struct shown *v, void *arg)
{
    const struct rep_metric *metric = &v->sweep.metrics[v->axes.metric];
    struct json *j = arg;

    json_open(j, NULL, '{');
    json_head(j, &v->sweep);
    json_text(j, "metric", metric->name);
    json_text(j, "unit", metric->unit);
    json_open(j, "cells", '[');
    each_cell(v, json_cell, j);
    json_close(j, ']');
    json_close(j, '}');
}

/* A run: its settings and all metrics that it has. */
static void
json_run(struct json *j, const struct rep_sweep *s, size_t row)
{
    const struct rec_summary *run = rep_sweep_run(s, row);

    json_open(j, NULL, '{');
    json_number(j, "id", run->id);
    json_text(j, "status", run->status);
    if (run->why[0]) {
        json_text(j, "why", run->why);
    }
    json_open(j, "settings", '{');
    for (size_t i = 0; i < s->n_settings; i++) {
        json_text(j, s->settings[i].name, s->settings[i].values[s->settings[i].of[row]]);
    }
    json_close(j, '}');
    json_open(j, "metrics", '{');
    for (size_t i = 0; i < s->n_metrics; i++) {
        if (!isnan(s->metrics[i].values[row])) {
            json_real(j, s->metrics[i].name, s->metrics[i].values[row], DIGITS);
        }
    }
    json_close(j, '}');
    json_close(j, '}');
}

static int
json_sweep(const struct chosen *c, size_t i, struct json *j)
{
    struct rep_sweep s;
    int code = shown_read_sweep(&s, c, i);

    if (code != EXIT_GOOD) {
        return code;
    }
    json_open(j, NULL, '{');
    json_text(j, "file", c->name);
    json_head(j, &s);
    json_open(j, "units", '{');
    for (size_t m = 0; m < s.n_metrics; m++) {
        json_text(j, s.metrics[m].name, s.metrics[m].unit);
    }
    json_close(j, '}');
    json_open(j, "rows", '[');
    for (size_t row = 0; row < s.summaries.n; row++) {
        json_run(j, &s, row);
    }
    json_close(j, ']');
    json_close(j, '}');
    rep_sweep_free(&s);
    return EXIT_GOOD;
}

int
report_sweeps_json(const struct chosen *c, struct json *j, const struct sweep_ask *ask)
{
    int code = ask ? shown_newest(c, ask, show_json, j) : EXIT_GOOD;

    for (size_t i = 0; i < c->sweeps.n && !ask && code == EXIT_GOOD; i++) {
        code = json_sweep(c, i, j);
    }
    return code;
}

/* Shows sweeps as text, CSV and JSON, and draws them. */

#include "cli/report-sweep.h"

#include "base/csv.h"
#include "cli/cli.h"
#include "cli/report-shown.h"
#include "output/text-table.h"
#include "output/value.h"
#include "report/figure-files.h"
#include "report/sweep-figure.h"

/* As text. */

enum { CELL_BYTES = 160 };

/* "3.2 (3.1 to 3.4), 2 dead" */
static void
write_cell(const struct rep_cell *cell, const char *unit, char out[CELL_BYTES])
{
    char median[VALUE_BYTES], q1[VALUE_BYTES], q3[VALUE_BYTES];
    size_t n = 0;

    value_write(unit, cell->spread.n ? cell->spread.median : -1, median, sizeof median);
    value_write(unit, cell->spread.q1, q1, sizeof q1);
    value_write(unit, cell->spread.q3, q3, sizeof q3);
    n += (size_t)snprintf(out + n, CELL_BYTES - n, "%s", median);
    if (cell->spread.n > 1) {
        n += (size_t)snprintf(out + n, CELL_BYTES - n, " (%s to %s)", q1, q3);
    }
    if (cell->spread.n < cell->n_runs) {
        n += (size_t)snprintf(out + n, CELL_BYTES - n, ", %zu of %zu runs without",
                              cell->n_runs - cell->spread.n, cell->n_runs);
    }
    if (cell->n_dead) {
        n += (size_t)snprintf(out + n, CELL_BYTES - n, ", %zu dead", cell->n_dead);
    }
    if (cell->n_failed) {
        snprintf(out + n, CELL_BYTES - n, ", %zu failed", cell->n_failed);
    }
}

/* A value of the setting that is the lines; without one, what is shown. */
static const char *
column_name(const struct shown *v, size_t line)
{
    return v->axes.lines == REP_NO_COLUMN ? v->sweep.metrics[v->axes.metric].name
                                          : shown_value(v, v->axes.lines, line);
}

static void
show_panel(const struct shown *v, size_t panel, const char *unit)
{
    struct table t = { .n_left = 1 };

    if (v->axes.panels != REP_NO_COLUMN) {
        printf("\n%s=%s\n", shown_setting(v, v->axes.panels),
               shown_value(v, v->axes.panels, panel));
    }
    table_add(&t, "%s", shown_setting(v, v->axes.by));
    for (size_t line = 0; line < v->table.n_lines; line++) {
        table_add(&t, "%s", column_name(v, line));
    }
    table_end_row(&t);
    for (size_t by = 0; by < v->table.n_by; by++) {
        table_add(&t, "%s", shown_value(v, v->axes.by, by));
        for (size_t line = 0; line < v->table.n_lines; line++) {
            char text[CELL_BYTES];
            write_cell(rep_table_cell(&v->table, panel, line, by), unit, text);
            table_add(&t, "%s", text);
        }
        table_end_row(&t);
    }
    table_write(stdout, &t);
}

static void
show_text(const struct shown *v)
{
    const struct rep_metric *metric = &v->sweep.metrics[v->axes.metric];
    bool has_lines = v->axes.lines != REP_NO_COLUMN;

    printf("sweep %llu, %s: %s over %s%s%s; median (quartiles) over all else\n",
           (unsigned long long)rep_sweep_row(&v->sweep)->id, rep_sweep_row(&v->sweep)->name,
           metric->name, shown_setting(v, v->axes.by), has_lines ? ", a column for each " : "",
           has_lines ? shown_setting(v, v->axes.lines) : "");
    for (size_t panel = 0; panel < v->table.n_panels; panel++) {
        show_panel(v, panel, metric->unit);
    }
}

/* As CSV and JSON. */

COLUMN_GET(rep_cell, get_count, cell_number(cell, *(const size_t *)((const char *)r + c->offset)))
COLUMN_GET(
    rep_cell, get_spread,
    if (r->spread.n) { cell_real(cell, *(const double *)((const char *)r + c->offset)); })

#define AT(MEMBER) .offset = offsetof(struct rep_cell, MEMBER)

static const struct column cell_columns[] = {
    { "n_runs", COLUMN_COUNT, AT(n_runs), .get = get_count },
    { "deadlocks", COLUMN_COUNT, AT(n_dead), .get = get_count },
    { "n_failed", COLUMN_COUNT, AT(n_failed), .get = get_count },
    { "min", COLUMN_RATIO, AT(spread.least), .get = get_spread },
    { "q1", COLUMN_RATIO, AT(spread.q1), .get = get_spread },
    { "median", COLUMN_RATIO, AT(spread.median), .get = get_spread },
    { "q3", COLUMN_RATIO, AT(spread.q3), .get = get_spread },
    { "max", COLUMN_RATIO, AT(spread.most), .get = get_spread },
};

enum { N_CELL_COLUMNS = sizeof cell_columns / sizeof *cell_columns, N_AXES = 3, DIGITS = 9 };

/* The settings of the axes, and the values of a cell in the same order. */
struct place {
    size_t settings[N_AXES], values[N_AXES];
};

typedef void visit_cell(const struct shown *, const struct place *, const struct rep_cell *,
                        void *arg);

/* Those that have runs. */
static void
each_cell(const struct shown *v, visit_cell *visit, void *arg)
{
    struct place p = { { v->axes.panels, v->axes.lines, v->axes.by }, { 0 } };
    size_t n = v->table.n_panels * v->table.n_lines * v->table.n_by;

    for (size_t i = 0; i < n; i++) {
        const struct rep_cell *cell = &v->table.cells[i];
        p.values[0] = i / v->table.n_by / v->table.n_lines;
        p.values[1] = i / v->table.n_by % v->table.n_lines;
        p.values[2] = i % v->table.n_by;
        if (cell->n_runs + cell->n_failed) {
            visit(v, &p, cell, arg);
        }
    }
}

static void
csv_cell(const struct shown *v, const struct place *p, const struct rep_cell *cell, void *arg)
{
    (void)arg;
    for (size_t i = 0; i < N_AXES; i++) {
        if (p->settings[i] != REP_NO_COLUMN) {
            csv_text(stdout, shown_value(v, p->settings[i], p->values[i]));
            putchar(',');
        }
    }
    csv_text(stdout, v->sweep.metrics[v->axes.metric].name);
    putchar(',');
    columns_write_cells(stdout, cell_columns, N_CELL_COLUMNS, cell);
    putchar('\n');
}

static void
show_csv(const struct shown *v)
{
    const size_t settings[N_AXES] = { v->axes.panels, v->axes.lines, v->axes.by };

    for (size_t i = 0; i < N_AXES; i++) {
        if (settings[i] != REP_NO_COLUMN) {
            csv_text(stdout, shown_setting(v, settings[i]));
            putchar(',');
        }
    }
    printf("metric,");
    columns_write_names(stdout, cell_columns, N_CELL_COLUMNS);
    putchar('\n');
    each_cell(v, csv_cell, NULL);
}

static void
json_cell(const struct shown *v, const struct place *p, const struct rep_cell *cell, void *arg)
{
    struct json *j = arg;

    json_open(j, NULL, '{');
    json_open(j, "settings", '{');
    for (size_t i = N_AXES; i-- > 0;) {
        if (p->settings[i] != REP_NO_COLUMN) {
            json_text(j, shown_setting(v, p->settings[i]),
                      shown_value(v, p->settings[i], p->values[i]));
        }
    }
    json_close(j, '}');
    columns_write_json(j, cell_columns, N_CELL_COLUMNS, cell);
    json_close(j, '}');
}

static void
show_json(const struct shown *v, const char *file, struct json *j)
{
    const struct rep_metric *metric = &v->sweep.metrics[v->axes.metric];

    json_open(j, NULL, '{');
    rep_sweep_write_head(j, file, &v->sweep);
    json_text(j, "metric", metric->name);
    json_text(j, "unit", metric->unit);
    json_open(j, "cells", '[');
    each_cell(v, json_cell, j);
    json_close(j, ']');
    json_close(j, '}');
}

int
report_sweep_table(const struct rep_chosen *c, const struct sweep_ask *ask, int form,
                   struct json *j)
{
    struct shown v;

    if (!c->sweeps.n) {
        return cli_fail(EXIT_USER, "report: %s has no sweeps", c->name);
    }
    int code = shown_make(&v, c, c->sweeps.n - 1, ask);
    if (code == EXIT_GOOD && j) {
        show_json(&v, c->name, j);
    } else if (code == EXIT_GOOD) {
        (form == CLI_CSV ? show_csv : show_text)(&v);
    }
    shown_free(&v);
    return code;
}

/* All sweeps. */

static void
show_brief(const struct rep_sweep *s)
{
    uint64_t n_dead = 0, n_failed = 0;

    for (size_t row = 0; row < s->summaries.n; row++) {
        n_dead += rep_sweep_run(s, row)->facts.deadlock_ps >= 0;
        n_failed += !rep_sweep_has_run(rep_sweep_run(s, row));
    }
    printf("  sweep %llu, %s: %llu of %llu runs done", (unsigned long long)rep_sweep_row(s)->id,
           rep_sweep_row(s)->name, (unsigned long long)s->n_done,
           (unsigned long long)rep_sweep_row(s)->n_runs);
    const struct {
        uint64_t n;
        const char *words;
    } parts[] = { { s->n_skipped, "skipped" },
                  { n_dead, "with a deadlock" },
                  { n_failed, "refused or failed" } };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].n) {
            printf(", %llu %s", (unsigned long long)parts[i].n, parts[i].words);
        }
    }
    for (size_t i = 0; i < s->n_settings; i++) {
        printf("%s%s (%zu)", i ? ", " : "; over ", s->settings[i].name, s->settings[i].n_values);
    }
    printf("\n");
}

/* A run: its settings and all metrics. */
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
    for (size_t i = 0; i < s->n_all_metrics; i++) {
        rep_sweep_write_value(j, s->metrics[i].name, &s->metrics[i], row, DIGITS);
    }
    json_close(j, '}');
    json_close(j, '}');
}

static void
json_sweep(struct json *j, const char *file, const struct rep_sweep *s)
{
    json_open(j, NULL, '{');
    rep_sweep_write_head(j, file, s);
    json_open(j, "units", '{');
    for (size_t m = 0; m < s->n_all_metrics; m++) {
        json_text(j, s->metrics[m].name, s->metrics[m].unit);
    }
    json_close(j, '}');
    json_open(j, "rows", '[');
    for (size_t row = 0; row < s->summaries.n; row++) {
        json_run(j, s, row);
    }
    json_close(j, ']');
    json_close(j, '}');
}

int
report_sweeps(const struct rep_chosen *c, struct json *j)
{
    int code = EXIT_GOOD;

    for (size_t i = 0; i < c->sweeps.n && code == EXIT_GOOD; i++) {
        struct rep_sweep s;
        code = shown_read_sweep(&s, c, i);
        if (code == EXIT_GOOD && j) {
            json_sweep(j, c->name, &s);
        } else if (code == EXIT_GOOD) {
            show_brief(&s);
        }
        rep_sweep_free(&s);
    }
    return code;
}

/* As figures. */

static int
write_panel(const struct shown *v, size_t panel, const struct rep_figure_folder *to)
{
    struct plot p;
    struct err err;
    char name[80];

    snprintf(name, sizeof name, "sweep-%llu-%zu", (unsigned long long)rep_sweep_row(&v->sweep)->id,
             panel + 1);
    rep_sweep_draw(&p, &v->sweep, &v->axes, &v->table, panel);
    int code = cli_print_error_unless(rep_plot_files(&p, name, to, &err), &err);
    rep_sweep_undraw(&p);
    return code;
}

int
report_sweeps_figures(const struct rep_chosen *c, const struct sweep_ask *ask,
                      const struct rep_figure_folder *to)
{
    int code = EXIT_GOOD;

    for (size_t i = 0; i < c->sweeps.n && code == EXIT_GOOD; i++) {
        struct shown v;
        code = shown_make(&v, c, i, ask);
        for (size_t panel = 0; panel < v.table.n_panels && code == EXIT_GOOD; panel++) {
            code = write_panel(&v, panel, to);
        }
        shown_free(&v);
    }
    return code;
}

/* Shows sweeps as text, CSV and JSON, and draws them. */

#include "cli/report-sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/cli.h"
#include "cli/report-shown.h"
#include "output/form-table.h"
#include "output/text-width.h"
#include "output/value.h"
#include "report/figure-files.h"
#include "report/sweep-figure.h"

/* Sweeps as text. */

/* A row of a panel: one value of the setting whose values are the rows. */
struct panel_row {
    const struct shown *v;
    size_t panel, by;
};

static void
add_value(struct weir_text *text, const struct shown *v, double value)
{
    char room[VALUE_BYTES];

    value_write(v->sweep.metrics[v->axes.metric].unit, value, room, sizeof room);
    weir_text_add(text, "%s", room);
}

/* Adds a cell such as "3.2 (3.1 to 3.4), 2 dead". */
static void
add_cell(struct weir_text *text, const struct shown *v, const struct rep_cell *cell)
{
    add_value(text, v, cell->spread.n ? cell->spread.median : -1);
    if (cell->spread.n > 1) {
        weir_text_add(text, " (");
        add_value(text, v, cell->spread.q1);
        weir_text_add(text, " to ");
        add_value(text, v, cell->spread.q3);
        weir_text_add(text, ")");
    }
    size_t n_known = cell->spread.n + cell->n_few;
    const struct {
        size_t n;
        const char *words;
    } missing[] = { { n_known < cell->n_runs ? cell->n_runs - n_known : 0, "without" },
                    { cell->n_few, "with too few flows" } };
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        if (missing[i].n) {
            weir_text_add(text, ", %u of %u runs %s", (uint64_t)missing[i].n,
                          (uint64_t)cell->n_runs, missing[i].words);
        }
    }
    if (cell->n_dead) {
        weir_text_add(text, ", %u dead", (uint64_t)cell->n_dead);
    }
    if (cell->n_failed) {
        weir_text_add(text, ", %u failed", (uint64_t)cell->n_failed);
    }
}

COLUMN_GET(panel_row, get_by, cell_text(cell, shown_value(r->v, r->v->axes.by, r->by)))
COLUMN_GET(panel_row, get_cell,
           add_cell(cell_made(cell), r->v, rep_table_cell(&r->v->table, r->panel, c->nth, r->by)))

/* The name of a column: a value of the lines' setting; without lines, the metric. */
static const char *
column_name(const struct shown *v, size_t line)
{
    return v->axes.lines == REP_NO_COLUMN ? v->sweep.metrics[v->axes.metric].name
                                          : shown_value(v, v->axes.lines, line);
}

static void
show_panel(const struct shown *v, size_t panel)
{
    size_t n = v->table.n_by;
    struct panel_row *rows = array_new(n, sizeof *rows);
    struct column *made = array_new(v->table.n_lines + 2, sizeof *made);

    if (v->axes.panels != REP_NO_COLUMN) {
        printf("\n%s=%s\n", shown_setting(v, v->axes.panels),
               shown_value(v, v->axes.panels, panel));
    }
    made[0] =
        (struct column){ .kind = COLUMN_TEXT, .head = shown_setting(v, v->axes.by), .get = get_by };
    for (size_t line = 0; line < v->table.n_lines; line++) {
        made[line + 1] = (struct column){ .kind = COLUMN_TEXT,
                                          .head = column_name(v, line),
                                          .get = get_cell,
                                          .nth = line,
                                          .is_right = true };
    }
    for (size_t by = 0; by < n; by++) {
        rows[by] = (struct panel_row){ v, panel, by };
    }
    form_table_show(stdout, &(struct form_table){ NULL, made, rows, n, sizeof *rows }, FORM_TEXT);
    free(made);
    free(rows);
}

static size_t
count_few(const struct rep_table *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->n_by * t->n_lines * t->n_panels; i++) {
        n += t->cells[i].n_few;
    }
    return n;
}

static void
warn_of_few(const struct shown *v)
{
    const struct rep_metric *metric = &v->sweep.metrics[v->axes.metric];
    size_t n_few = count_few(&v->table);

    if (n_few) {
        cli_fail(EXIT_GOOD,
                 "report: sweep %llu: %s of %zu run%s is left out: it needs %llu flows, and there "
                 "are fewer",
                 (unsigned long long)rep_sweep_row(&v->sweep)->id, metric->name, n_few,
                 value_plural(n_few), (unsigned long long)metric->least_flows);
    }
}

static void
show_text(const struct shown *v)
{
    const struct rep_metric *metric = &v->sweep.metrics[v->axes.metric];
    bool has_lines = v->axes.lines != REP_NO_COLUMN;

    text_print(stdout, 0, "sweep %llu, %s: %s over %s%s%s; median (quartiles) over all else",
               (unsigned long long)rep_sweep_row(&v->sweep)->id, rep_sweep_row(&v->sweep)->name,
               metric->name, shown_setting(v, v->axes.by), has_lines ? ", a column for each " : "",
               has_lines ? shown_setting(v, v->axes.lines) : "");
    for (size_t panel = 0; panel < v->table.n_panels; panel++) {
        show_panel(v, panel);
    }
    warn_of_few(v);
}

/* Sweeps as CSV and JSON. */

enum { N_AXES = 3, DIGITS = 9 };

/* A cell with runs, and its position. */
struct cell_row {
    struct rep_cell cell;
    const struct shown *v;
    const char *metric;
    size_t values[N_AXES]; /* The indices of its values for panel, line and row. */
};

static size_t
setting_of(const struct shown *v, size_t axis)
{
    const size_t settings[N_AXES] = { v->axes.panels, v->axes.lines, v->axes.by };

    return settings[axis];
}

COLUMN_GET(cell_row, get_axis,
           cell_text(cell, shown_value(r->v, setting_of(r->v, c->nth), r->values[c->nth])))
COLUMN_GET(cell_row, get_count, cell_number(cell, *(const size_t *)((const char *)r + c->offset)))
COLUMN_GET(
    cell_row, get_spread,
    if (r->cell.spread.n) { cell_real(cell, *(const double *)((const char *)r + c->offset)); })

#define AT(MEMBER) .offset = offsetof(struct cell_row, MEMBER)

static const struct column cell_columns[] = {
    { "metric", COLUMN_TEXT, AT(metric) },
    { "n_runs", COLUMN_COUNT, AT(cell.n_runs), .get = get_count },
    { "deadlocks", COLUMN_COUNT, AT(cell.n_dead), .get = get_count },
    { "n_failed", COLUMN_COUNT, AT(cell.n_failed), .get = get_count },
    { "n_few", COLUMN_COUNT, AT(cell.n_few), .get = get_count },
    { "min", COLUMN_RATIO, AT(cell.spread.least), .get = get_spread },
    { "q1", COLUMN_RATIO, AT(cell.spread.q1), .get = get_spread },
    { "median", COLUMN_RATIO, AT(cell.spread.median), .get = get_spread },
    { "q3", COLUMN_RATIO, AT(cell.spread.q3), .get = get_spread },
    { "max", COLUMN_RATIO, AT(cell.spread.most), .get = get_spread },
};

enum { N_CELL_COLUMNS = sizeof cell_columns / sizeof *cell_columns };

static size_t
list_cells(const struct shown *v, struct cell_row **rows)
{
    size_t n_cells = v->table.n_panels * v->table.n_lines * v->table.n_by, n = 0;

    *rows = array_new(n_cells, sizeof **rows);
    for (size_t i = 0; i < n_cells; i++) {
        const struct rep_cell *cell = &v->table.cells[i];
        size_t line = i / v->table.n_by;
        if (cell->n_runs + cell->n_failed) {
            (*rows)[n++] =
                (struct cell_row){ .cell = *cell,
                                   .v = v,
                                   .metric = v->sweep.metrics[v->axes.metric].name,
                                   .values = { line / v->table.n_lines, line % v->table.n_lines,
                                               i % v->table.n_by } };
        }
    }
    return n;
}

static void
show_csv(const struct shown *v)
{
    struct column made[N_AXES + N_CELL_COLUMNS + 1] = { 0 };
    struct cell_row *rows;
    size_t n_axes = 0, n = list_cells(v, &rows);

    for (size_t i = 0; i < N_AXES; i++) {
        if (setting_of(v, i) != REP_NO_COLUMN) {
            made[n_axes++] = (struct column){ .name = shown_setting(v, setting_of(v, i)),
                                              .kind = COLUMN_TEXT,
                                              .get = get_axis,
                                              .nth = i };
        }
    }
    memcpy(&made[n_axes], cell_columns, sizeof cell_columns);
    form_table_show(stdout, &(struct form_table){ NULL, made, rows, n, sizeof *rows }, FORM_CSV);
    free(rows);
}

static void
json_cell(struct json *j, const struct cell_row *row)
{
    json_open(j, NULL, '{');
    json_open(j, "settings", '{');
    for (size_t i = N_AXES; i-- > 0;) {
        size_t setting = setting_of(row->v, i);
        if (setting != REP_NO_COLUMN) {
            json_text(j, shown_setting(row->v, setting),
                      shown_value(row->v, setting, row->values[i]));
        }
    }
    json_close(j, '}');
    /* The metric has been written above. */
    columns_write_json(j, cell_columns + 1, N_CELL_COLUMNS - 1, row);
    json_close(j, '}');
}

static void
show_json(const struct shown *v, const char *file, struct json *j)
{
    const struct rep_metric *metric = &v->sweep.metrics[v->axes.metric];
    struct cell_row *rows;
    size_t n = list_cells(v, &rows);

    json_open(j, NULL, '{');
    rep_sweep_write_head(j, file, &v->sweep);
    json_text(j, "metric", metric->name);
    json_text(j, "unit", metric->unit);
    json_open(j, "cells", '[');
    for (size_t i = 0; i < n; i++) {
        json_cell(j, &rows[i]);
    }
    json_close(j, ']');
    json_close(j, '}');
    free(rows);
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

/* All sweeps of a file. */

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

/* Writes a run: its settings and all metrics. */
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

/* Sweeps as figures. */

/* Whether some cell has a value; otherwise the figure would be empty. */
static bool
has_values(const struct rep_table *t)
{
    bool has = false;

    for (size_t i = 0; i < t->n_by * t->n_lines * t->n_panels && !has; i++) {
        has = t->cells[i].spread.n;
    }
    return has;
}

static int
draw_panels(const struct shown *v, const struct rep_figure_folder *to)
{
    struct rep_panels drawn;
    struct err err;
    char name[80];
    int code = EXIT_GOOD;

    rep_sweep_draw(&drawn, &v->sweep, &v->axes, &v->table);
    for (size_t i = 0; i < drawn.n && code == EXIT_GOOD; i++) {
        snprintf(name, sizeof name, "sweep-%llu-%zu",
                 (unsigned long long)rep_sweep_row(&v->sweep)->id, i + 1);
        code = cli_print_error_unless(rep_plot_files(&drawn.items[i], name, to, &err), &err);
    }
    rep_panels_free(&drawn);
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
        if (code == EXIT_GOOD) {
            warn_of_few(&v);
            code = has_values(&v.table) ? draw_panels(&v, to) : EXIT_GOOD;
        }
        shown_free(&v);
    }
    return code;
}

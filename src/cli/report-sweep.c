/* Shows sweeps as text, and draws them. */

#include "cli/report-sweep.h"

#include <stdlib.h>

#include "cli/cli.h"
#include "cli/report-plot.h"
#include "cli/report-shown.h"
#include "output/text-table.h"
#include "output/value.h"
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
show_text(const struct shown *v, void *arg)
{
    const struct rep_metric *metric = &v->sweep.metrics[v->axes.metric];
    bool has_lines = v->axes.lines != REP_NO_COLUMN;

    (void)arg;
    printf("sweep %llu, %s: %s over %s%s%s; median (quartiles) over all else\n",
           (unsigned long long)rep_sweep_row(&v->sweep)->id, rep_sweep_row(&v->sweep)->name,
           metric->name, shown_setting(v, v->axes.by), has_lines ? ", a column for each " : "",
           has_lines ? shown_setting(v, v->axes.lines) : "");
    for (size_t panel = 0; panel < v->table.n_panels; panel++) {
        show_panel(v, panel, metric->unit);
    }
}

int
report_sweep_text(const struct chosen *c, const struct sweep_ask *ask)
{
    return shown_newest(c, ask, show_text, NULL);
}

/* In a line. */

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

int
report_sweeps_brief(const struct chosen *c)
{
    int code = EXIT_GOOD;

    for (size_t i = 0; i < c->sweeps.n && code == EXIT_GOOD; i++) {
        struct rep_sweep s;
        code = shown_read_sweep(&s, c, i);
        if (code == EXIT_GOOD) {
            show_brief(&s);
            rep_sweep_free(&s);
        }
    }
    return code;
}

/* As figures. */

static int
write_panel(const struct shown *v, size_t panel, const char *folder, bool force,
            struct rep_written *written)
{
    struct plot p;
    char name[80];

    snprintf(name, sizeof name, "sweep-%llu-%zu", (unsigned long long)rep_sweep_row(&v->sweep)->id,
             panel + 1);
    rep_sweep_draw(&p, &v->sweep, &v->axes, &v->table, panel);
    int code = report_write_plot(&p, folder, name, force, written);
    rep_sweep_undraw(&p);
    return code;
}

int
report_sweeps_figures(const struct chosen *c, const struct sweep_ask *ask, const char *folder,
                      bool force, struct rep_written *written)
{
    int code = EXIT_GOOD;

    for (size_t i = 0; i < c->sweeps.n && code == EXIT_GOOD; i++) {
        struct shown v;
        code = shown_make(&v, c, i, ask);
        for (size_t panel = 0; panel < v.table.n_panels && code == EXIT_GOOD; panel++) {
            code = write_panel(&v, panel, folder, force, written);
        }
        shown_free(&v);
    }
    return code;
}

/* Draws a sweep as figures. */

#include "report/sweep-figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/paper-parts.h"

enum { DECADES = 30 };

/* The x position of a value: its number on a scale, else its index among the setting's values. */
static double
place_of(const struct rep_setting *by, size_t value)
{
    return by->is_scale ? by->numbers[value] : (double)value + 1;
}

static const char *
value_of(const struct rep_sweep *s, size_t setting, size_t value)
{
    return setting == REP_NO_COLUMN ? "" : s->settings[setting].values[value];
}

/* Adds a line of medians, with bars from quartile to quartile. */
static void
add_line(struct plot *p, const struct rep_sweep *s, const struct rep_axes *a,
         const struct rep_table *t, size_t panel, size_t line)
{
    const struct rep_setting *by = &s->settings[a->by];
    const char *value = value_of(s, a->lines, line);
    struct plot_line *l = plot_add(p, by->n_values, "%s%s", value,
                                   *value ? "" : "median; bars from quartile to quartile");

    l->kind = by->is_scale ? PLOT_JOINED : PLOT_POINTS;
    plot_add_bars(l);
    for (size_t i = 0; i < by->n_values; i++) {
        const struct spread *spread = &rep_table_cell(t, panel, line, i)->spread;
        l->x[i] = place_of(by, i);
        l->y[i] = spread->n ? spread->median : NAN;
        l->low[i] = spread->n > 1 ? spread->q1 : NAN;
        l->high[i] = spread->n > 1 ? spread->q3 : NAN;
    }
}

static bool
spans_decades(const struct rep_setting *by)
{
    return by->is_scale && by->numbers[0] > 0 &&
           by->numbers[by->n_values - 1] >= DECADES * by->numbers[0];
}

/* Writes a title such as "sweep 2, five: f1-last over scheme, run.seed=1; median and quartiles". */
static char *
whole_title(const struct rep_sweep *s, const struct rep_axes *a, size_t panel)
{
    bool has_panels = a->panels != REP_NO_COLUMN;

    return plot_text("sweep %llu, %.80s: %.60s over %.60s%s%.60s%s%.60s; median and quartiles",
                     (unsigned long long)rep_sweep_row(s)->id, rep_sweep_row(s)->name,
                     s->metrics[a->metric].quantity, s->settings[a->by].name,
                     has_panels ? ", " : "", has_panels ? s->settings[a->panels].name : "",
                     has_panels ? "=" : "", value_of(s, a->panels, panel));
}

/* Names of the positions on the x axis; the caller frees them. */
static char **
copy_names(const struct rep_setting *by)
{
    char **names = array_new(by->n_values, sizeof *names);

    for (size_t i = 0; i < by->n_values; i++) {
        names[i] = strdup(by->values[i]);
    }
    return names;
}

static void
add_panel(struct rep_panels *panels, const struct rep_sweep *s, const struct rep_axes *a,
          const struct rep_table *t)
{
    const struct rep_setting *by = &s->settings[a->by];
    const size_t panel = panels->n;
    struct plot *p = &ARRAY_PUSH(panels->items, panels->n, panels->max);

    *p = (struct plot){ .title = whole_title(s, a, panel),
                        .x_names = by->is_scale ? NULL : copy_names(by),
                        .n_x_names = by->is_scale ? 0 : by->n_values,
                        .log_x = spans_decades(by) };
    for (size_t line = 0; line < t->n_lines; line++) {
        add_line(p, s, a, t, panel, line);
    }
}

void
rep_sweep_draw(struct rep_panels *panels, const struct rep_sweep *s, const struct rep_axes *a,
               const struct rep_table *t)
{
    const struct rep_setting *by = &s->settings[a->by];
    const struct rep_metric *metric = &s->metrics[a->metric];
    const struct rec_figure unnamed = { .x_title = "", .y_title = "" };

    *panels = (struct rep_panels){ 0 };
    for (size_t panel = 0; panel < t->n_panels; panel++) {
        add_panel(panels, s, a, t);
    }
    rep_panels_finish(panels, &unnamed,
                      (struct rep_panel_axes){ by->is_scale ? by->unit : "", by->name, metric->unit,
                                               metric->quantity });
}

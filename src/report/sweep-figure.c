/* Draws a sweep as figures. */

#include "report/sweep-figure.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { TITLE_BYTES = 300, DECADES = 30 };

/* Of a setting that is no scale the places of its values. */
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

/* Median, and the quartiles in the same colour. */
static void
add_lines(struct plot *p, const struct rep_sweep *s, const struct rep_axes *a,
          const struct rep_table *t, size_t panel, size_t line)
{
    static const struct {
        const char *words;
        size_t offset, dash;
    } parts[] = { { "median", offsetof(struct spread, median), 0 },
                  { "first quartile", offsetof(struct spread, q1), 2 },
                  { "third quartile", offsetof(struct spread, q3), 2 } };
    const struct rep_setting *by = &s->settings[a->by];
    const char *value = value_of(s, a->lines, line);

    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        struct plot_line *l =
            plot_add(p, by->n_values, "%s%s%s", value, *value ? ", " : "", parts[k].words);
        l->colour = line;
        l->dash = parts[k].dash;
        for (size_t i = 0; i < by->n_values; i++) {
            const struct spread *spread = &rep_table_cell(t, panel, line, i)->spread;
            const char *at = (const char *)spread + parts[k].offset;
            l->x[i] = place_of(by, i);
            l->y[i] = spread->n ? *(const double *)at : NAN;
        }
    }
}

static bool
spans_decades(const struct rep_setting *by)
{
    return by->is_scale && by->numbers[0] > 0 &&
           by->numbers[by->n_values - 1] >= DECADES * by->numbers[0];
}

static char *
title(const char *format, ...)
{
    char *text = array_new(TITLE_BYTES, 1);
    va_list args;

    va_start(args, format);
    vsnprintf(text, TITLE_BYTES, format, args);
    va_end(args);
    return text;
}

/* "switch.buffer (bytes)" */
static char *
with_unit(const char *name, const char *unit)
{
    return *unit ? title("%s (%s)", name, unit) : title("%s", name);
}

/* What stands at the places of values that are no numbers: "engine (1: pfc, 2: cbfc)". */
static char *
with_values(const struct rep_setting *by)
{
    char *text = title("%s (", by->name);
    size_t len = strlen(text);

    for (size_t i = 0; i < by->n_values && len < TITLE_BYTES; i++) {
        len += (size_t)snprintf(text + len, TITLE_BYTES - len, "%s%zu: %s%s", i ? ", " : "", i + 1,
                                by->values[i], i + 1 < by->n_values ? "" : ")");
    }
    return text;
}

void
rep_sweep_draw(struct plot *p, const struct rep_sweep *s, const struct rep_axes *a,
               const struct rep_table *t, size_t panel)
{
    const struct rep_setting *by = &s->settings[a->by];
    const struct rep_metric *metric = &s->metrics[a->metric];
    const char *name = rep_sweep_row(s)->name;

    *p = (struct plot){ .log_x = spans_decades(by) };
    p->title = a->panels == REP_NO_COLUMN ? title("%s", name)
                                          : title("%s, %s=%s", name, s->settings[a->panels].name,
                                                  value_of(s, a->panels, panel));
    p->x_title = by->is_scale ? with_unit(by->name, by->unit) : with_values(by);
    p->y_title = with_unit(metric->name, metric->unit);
    for (size_t line = 0; line < t->n_lines; line++) {
        add_lines(p, s, a, t, panel, line);
    }
}

void
rep_sweep_undraw(struct plot *p)
{
    free((char *)p->title);
    free((char *)p->x_title);
    free((char *)p->y_title);
    plot_free(p);
}

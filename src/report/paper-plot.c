/* Draws figures of papers by plot.h. */

#include "report/paper-plot.h"

#include <string.h>

/* What an axis has, by its unit: its name, and what values are divided by. */
static const struct axis {
    const char *unit, *title;
    double scale;
} axes[] = {
    { "ps", "time (ms)", 1e9 },
    { "bytes", "bytes (KB)", 1e3 },
    { "bps", "rate (Gb/s)", 1e9 },
    { "share", "share", 1 },
    { "times", "times longer than alone", 1 },
};

static const struct axis *
axis_of(const char *unit)
{
    size_t i = 0;

    while (i + 1 < sizeof axes / sizeof *axes && strcmp(axes[i].unit, unit)) {
        i++;
    }
    return &axes[i];
}

void
rep_drawing_plot(struct plot *p, const struct rec_figure *figure, const struct rep_drawing *d,
                 const char *arbitration)
{
    const struct axis *x = axis_of(d->x_unit), *y = axis_of(d->y_unit);

    *p = (struct plot){ .title = figure->title[0] ? figure->title : figure->quantity,
                        .x_title = x->title,
                        .y_title = y->title };
    for (size_t i = 0; i < d->n; i++) {
        const struct rep_curve *curve = &d->curves[i];
        if (strcmp(curve->arbitration, arbitration)) {
            continue;
        }
        struct plot_line *line = plot_add(p, curve->n, "%s%s%s", curve->engine,
                                          curve->label[0] ? ", " : "", curve->label);
        for (size_t k = 0; k < curve->n; k++) {
            line->x[k] = curve->x[k] / x->scale;
            line->y[k] = curve->y[k] / y->scale;
        }
    }
}

/* Draws figures of papers by plot.h. */

#include "report/paper-plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* An axis by its unit: its title, and the divisor of its values. */
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

/* Published: the value itself, or what it must be below or above. */
static const struct {
    char sign;
    const char *words;
} signs[] = { { '=', "published" },
              { '<', "published: less than" },
              { '>', "published: more than" } };

enum { N_SIGNS = sizeof signs / sizeof *signs };

static const char *
words_of(char sign)
{
    size_t i = 0;

    while (i + 1 < N_SIGNS && signs[i].sign != sign) {
        i++;
    }
    return signs[i].words;
}

void
rep_drawing_plot(struct plot *p, const struct rep_paper_part *part, const struct rep_drawing *d,
                 const char *arbitration)
{
    const struct rec_figure *figure = part->figure;
    const struct axis *x = axis_of(d->x_unit), *y = axis_of(d->y_unit);

    *p = (struct plot){ .title = figure->title[0] ? figure->title : figure->quantity,
                        .x_title = x->title,
                        .y_title = y->title };
    p->x_from = !strcmp(d->x_unit, "ps") && strcmp(figure->object, "flows")
                    ? (double)part->from_ps / x->scale
                    : 0;
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
    for (size_t i = 0; i < part->n_published; i++) {
        const struct rep_published *said = &part->published[i];
        plot_add_threshold(p, said->value / y->scale, "%s %.4g, %s", words_of(said->sign),
                           said->value / y->scale, said->engine);
    }
}

/* Sweeps. */

static void
add_levels(struct plot *p, const struct rep_paper_part *part, const struct rep_setting *by,
           size_t sign)
{
    struct plot_line *line = plot_add(p, part->n_published, "%s", signs[sign].words);

    line->kind = PLOT_LEVELS;
    line->n = 0;
    for (size_t i = 0; i < part->n_published; i++) {
        const struct rep_published *said = &part->published[i];
        size_t at = text_find(said->engine, by->values, sizeof *by->values, by->n_values);
        if (said->sign == signs[sign].sign && at < by->n_values) {
            line->x[line->n] = by->is_scale ? by->numbers[at] : (double)at + 1;
            line->y[line->n++] = said->value;
        }
    }
    if (!line->n) {
        plot_drop(p);
    }
}

void
rep_sweep_add_published(struct plot *p, const struct rep_paper_part *part,
                        const struct rep_setting *by)
{
    const struct rec_figure *figure = part->figure;
    char title[PLOT_LABEL_BYTES];

    snprintf(title, sizeof title, "%s, %s: %s", figure->study, figure->source,
             figure->title[0] ? figure->title : figure->quantity);
    free((char *)p->title);
    p->title = strdup(title);
    for (size_t sign = 0; sign < N_SIGNS; sign++) {
        add_levels(p, part, by, sign);
    }
}

bool
rep_paper_axes(const struct rec_figure *figure, const struct rep_sweep *s, struct rep_axes *a)
{
    *a = (struct rep_axes){ .metric = rep_sweep_metric(s, figure->quantity),
                            .by = rep_sweep_setting(s, figure->by_setting),
                            .lines = rep_sweep_setting(s, figure->line_setting),
                            .panels = REP_NO_COLUMN };
    return a->metric != REP_NO_COLUMN && a->by != REP_NO_COLUMN;
}

/* Panels of a figure of a paper: their texts, and readable units. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/paper-parts.h"
#include "report/plot-axis.h"

static char *
panel_title(const struct rec_figure *figure, const char *name)
{
    const char *about = figure->title[0] ? figure->title : figure->quantity;

    return plot_text("%.100s: %.200s%s%s", figure->source, about, *name ? ", " : "", name);
}

struct plot *
rep_panel_add(struct rep_panels *panels, const struct rec_figure *figure, const char *name)
{
    struct plot *p = &ARRAY_PUSH(panels->items, panels->n, panels->max);

    *p = (struct plot){ .title = panel_title(figure, name) };
    return p;
}

struct plot *
rep_panel(struct rep_panels *panels, const struct rec_figure *figure, const char *name)
{
    char *title = panel_title(figure, name);
    size_t i = 0;

    while (i < panels->n && strcmp(panels->items[i].title, title)) {
        i++;
    }
    free(title);
    return i < panels->n ? &panels->items[i] : rep_panel_add(panels, figure, name);
}

void
rep_panels_free(struct rep_panels *panels)
{
    for (size_t i = 0; i < panels->n; i++) {
        struct plot *p = &panels->items[i];
        char **names = (char **)p->x_names;
        for (size_t k = 0; k < p->n_x_names; k++) {
            free(names[k]);
        }
        free(names);
        free((char *)p->title);
        free((char *)p->x_title);
        free((char *)p->y_title);
        plot_free(p);
    }
    free(panels->items);
    *panels = (struct rep_panels){ 0 };
}

/* Readable units, the larger ones first; each applies if the largest value is at least 'from'. */
static const struct scale {
    const char *unit;
    double from, scale;
    const char *name;
} scales[] = {
    { "ps", 2e12, 1e12, "s" },     { "ps", 0.2e9, 1e9, "ms" },  { "ps", 0.5e6, 1e6, "us" },
    { "ps", 0, 1e3, "ns" },        { "bytes", 4e9, 1e9, "GB" }, { "bytes", 4e6, 1e6, "MB" },
    { "bytes", 500, 1e3, "KB" },   { "bytes", 0, 1, "B" },      { "bps", 0.1e9, 1e9, "Gb/s" },
    { "bps", 0.1e6, 1e6, "Mb/s" }, { "bps", 0, 1e3, "kb/s" },   { "share", 0, 0.01, "%" },
    { "times", 0, 1, "" },
};

enum { N_SCALES = sizeof scales / sizeof *scales };

static struct scale
scale_of(const char *unit, double most)
{
    const char *known = strcmp(unit, "B") ? unit : "bytes";

    for (size_t i = 0; i < N_SCALES; i++) {
        if (!strcmp(scales[i].unit, known) && most >= scales[i].from) {
            return scales[i];
        }
    }
    return (struct scale){ unit, 0, 1, unit };
}

void
rep_write_value(const char *unit, double value, char out[REP_VALUE_BYTES])
{
    bool is_yes = !strcmp(unit, "yes"), is_whole = is_yes && (value >= 1 || value <= 0);
    struct scale scale = scale_of(is_yes ? "share" : unit, value);

    if (value < 0) {
        snprintf(out, REP_VALUE_BYTES, "unknown");
    } else if (is_whole) {
        snprintf(out, REP_VALUE_BYTES, value >= 1 ? "yes" : "no");
    } else if (!strcmp(unit, "B")) {
        snprintf(out, REP_VALUE_BYTES, "%.0f B", value);
    } else {
        snprintf(out, REP_VALUE_BYTES, "%.4g%s%.20s", value / scale.scale, *scale.name ? " " : "",
                 scale.name);
    }
}

static double
most_of(const struct rep_panels *panels, bool is_x)
{
    double most = 0;

    for (size_t i = 0; i < panels->n; i++) {
        const struct plot *p = &panels->items[i];
        for (size_t k = 0; k < p->n_lines; k++) {
            const struct plot_line *l = &p->lines[k];
            for (size_t j = 0; j < l->n; j++) {
                double high = is_x                              ? l->x[j]
                              : l->high && l->high[j] > l->y[j] ? l->high[j]
                                                                : l->y[j];
                most = high > most && plot_has_place(high) ? high : most;
            }
        }
        for (size_t k = 0; k < p->n_thresholds && !is_x; k++) {
            most = p->thresholds[k].y > most ? p->thresholds[k].y : most;
        }
    }
    return most;
}

static void
divide(double *values, size_t n, double by)
{
    for (size_t i = 0; values && i < n; i++) {
        values[i] /= by;
    }
}

static char *
title_of(const char *own, const char *what, const char *unit)
{
    return plot_axis_title(own[0] ? own : what, unit);
}

static void
finish(struct plot *p, const struct scale *x, const struct scale *y)
{
    for (size_t i = 0; i < p->n_lines; i++) {
        struct plot_line *l = &p->lines[i];
        divide(l->y, l->n, y->scale);
        divide(l->low, l->n, y->scale);
        divide(l->high, l->n, y->scale);
        if (!p->x_names) {
            divide(l->x, l->n, x->scale);
        }
    }
    for (size_t i = 0; i < p->n_thresholds; i++) {
        p->thresholds[i].y /= y->scale;
    }
    p->x_from /= x->scale;
}

void
rep_panels_finish(struct rep_panels *panels, const struct rec_figure *figure,
                  struct rep_panel_axes axes)
{
    struct scale x = scale_of(axes.x_unit, most_of(panels, true));
    struct scale y = scale_of(axes.y_unit, most_of(panels, false));
    double most = most_of(panels, false) / y.scale;

    for (size_t i = 0; i < panels->n; i++) {
        struct plot *p = &panels->items[i];
        finish(p, &x, &y);
        p->x_title = title_of(figure->x_title, axes.x_what, p->x_names ? "" : x.name);
        p->y_title = title_of(figure->y_title, axes.y_what, y.name);
        p->y_most = panels->n > 1 ? most : p->y_most;
    }
}

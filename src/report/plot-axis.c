/* The range of an axis, and its tick labels. */

#include "report/plot-axis.h"

#include <math.h>

/* A linear axis is used if the maximum divided by the minimum is less than this, because it is
 * easier to read. With fewer than two decades, a logarithmic axis needs numbers between the powers
 * of ten. */
enum { DECADES_RATIO = 20 };

/* The maximum value that is drawn. Ranges, and values on a logarithmic axis, are at least its
 * inverse, so the powers of ten next to a value are finite. */
#define MOST 1e300

/* The minimum and maximum value; on a logarithmic axis only values above 0 count. */
struct range {
    double least, most;
};

bool
plot_has_place(double value)
{
    return fabs(value) <= MOST;
}

static void
widen(struct range *r, const double *values, size_t n, bool is_log)
{
    for (size_t k = 0; k < n; k++) {
        bool counts = plot_has_place(values[k]) && !(is_log && values[k] < 1 / MOST);
        r->least = counts && values[k] < r->least ? values[k] : r->least;
        r->most = counts && values[k] > r->most ? values[k] : r->most;
    }
}

static struct range
range_of(const struct plot *p, bool is_x, bool is_log)
{
    struct range r = { INFINITY, is_x ? 0 : p->y_most };

    for (size_t i = 0; i < p->n_lines; i++) {
        const struct plot_line *l = &p->lines[i];
        widen(&r, is_x ? l->x : l->y, l->n, is_log);
        if (!is_x && l->low) {
            widen(&r, l->low, l->n, is_log);
            widen(&r, l->high, l->n, is_log);
        }
    }
    return r;
}

bool
plot_spans_decades(const struct plot *p, bool is_x)
{
    struct range r = range_of(p, is_x, true);

    return r.least < INFINITY && r.most >= DECADES_RATIO * r.least;
}

static void
add_tick(struct plot_axis *a, double value, bool is_named)
{
    if (a->n_ticks < PLOT_MAX_TICKS) {
        a->ticks[a->n_ticks++] = (struct plot_tick){ value, is_named };
    }
}

/* The distance between ticks: 1, 2 or 5 times a power of ten. */
static double
nice_step(double span)
{
    double rough = span / 5, power = pow(10, floor(log10(rough))), part = rough / power;
    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

static void
make_linear(struct plot_axis *a, double low, double high)
{
    double span = high - low > 1 / MOST ? high - low : 1, step = nice_step(span);
    double first = floor(low / step + 1e-9);
    size_t n = (size_t)(ceil((low + span) / step - first - 1e-9) + 0.5);

    a->low = step * first;
    a->high = step * (first + (double)n);
    for (size_t i = 0; i <= n; i++) {
        add_tick(a, step * (first + (double)i), true);
    }
}

/* Makes an axis of names, which have equal widths. */
static void
make_names(struct plot_axis *a, size_t n)
{
    a->low = 0.5;
    a->high = (double)n + 0.5;
    for (size_t i = 0; i < n; i++) {
        add_tick(a, (double)i + 1, true);
    }
}

/* The nearest numbers of the form 1, 2 or 5 times a power of ten that are not above, or not below,
 * a value. */
static double
nice_below(double value)
{
    double power = pow(10, floor(log10(value) + 1e-9)), part = value / power;
    return power * (part >= 5 - 1e-9 ? 5 : part >= 2 - 1e-9 ? 2 : 1);
}

static double
nice_above(double value)
{
    double power = pow(10, floor(log10(value) + 1e-9)), part = value / power;
    return power * (part <= 1 + 1e-9 ? 1 : part <= 2 + 1e-9 ? 2 : part <= 5 + 1e-9 ? 5 : 10);
}

/* Whether a tick of a logarithmic axis has a number. With few decades these are 1, 2 and 5 times a
 * power of ten; with many only powers of ten, or every few of them. */
static bool
is_named(int part, int power, double decades)
{
    int every = 1 + (int)(decades / 9);

    return decades < 2 ? part == 1 || part == 2 || part == 5 : part == 1 && power % every == 0;
}

static void
make_log(struct plot_axis *a, double least, double most)
{
    double low = nice_below(least), high = nice_above(most);

    high = high > low ? high : 10 * low;
    a->low = log10(low);
    a->high = log10(high);
    for (int power = (int)floor(a->low + 1e-9); power <= (int)floor(a->high + 1e-9); power++) {
        for (int part = 1; part < 10; part++) {
            double value = part * pow(10, power);
            if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) {
                add_tick(a, value, is_named(part, power, a->high - a->low));
            }
        }
    }
}

/* The highest threshold within the axis. A threshold far above all lines would flatten them, so
 * only its name is drawn. */
static double
highest_threshold(const struct plot *p, double most)
{
    double highest = most;

    for (size_t i = 0; i < p->n_thresholds; i++) {
        double y = p->thresholds[i].y;
        highest = y > highest && y <= 3 * most ? y : highest;
    }
    return highest;
}

struct plot_axis
plot_axis_of(const struct plot *p, bool is_x)
{
    struct plot_axis a = { .is_log = is_x ? p->log_x : p->log_y };
    struct range r = range_of(p, is_x, a.is_log);
    double most = is_x ? r.most : highest_threshold(p, r.most);

    if (is_x && p->x_names) {
        make_names(&a, p->n_x_names);
    } else if (a.is_log) {
        make_log(&a, r.least < INFINITY ? r.least : 1, r.most > 0 ? most : 10);
    } else {
        make_linear(&a, is_x ? p->x_from : 0, most);
    }
    return a;
}

/* A logarithmic axis cannot show 0, which is drawn at its lower end. */
double
plot_axis_share(const struct plot_axis *a, double value)
{
    double at = !a->is_log ? value : value > 0 ? log10(value) : a->low;
    double share = (at - a->low) / (a->high - a->low);

    return share > 0 ? share : 0;
}

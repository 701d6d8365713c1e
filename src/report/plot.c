/* Axes, ticks and lines of a figure. */

#include "report/plot.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/xml.h"

enum { WIDTH = 640, HEIGHT = 400, LEFT = 76, RIGHT = 26, TOP = 40, BOTTOM = 52, MAX_TICKS = 12 };

static const char *const colours[] = { "#0072b2", "#d55e00", "#009e73",
                                       "#cc79a7", "#806500", "#46535b" };
static const char *const dashes[] = { "none", "7 4", "2 3", "9 3 2 3" };

enum { N_COLOURS = sizeof colours / sizeof *colours, N_DASHES = sizeof dashes / sizeof *dashes };

struct plot_line *
plot_add(struct plot *p, size_t n, const char *format, ...)
{
    size_t i = p->n_lines;
    struct plot_line *line = &ARRAY_PUSH(p->lines, p->n_lines, p->max_lines);
    va_list args;

    *line = (struct plot_line){ .n = n, .colour = i, .dash = i };
    line->x = array_new(n, sizeof *line->x);
    line->y = array_new(n, sizeof *line->y);
    va_start(args, format);
    vsnprintf(line->label, sizeof line->label, format, args);
    va_end(args);
    return line;
}

void
plot_free(struct plot *p)
{
    for (size_t i = 0; i < p->n_lines; i++) {
        free(p->lines[i].x);
        free(p->lines[i].y);
    }
    free(p->lines);
    *p = (struct plot){ 0 };
}

/* Axes. */

struct axis {
    double low, high; /* Of a logarithmic one: powers of 10. */
    bool is_log;
    double ticks[MAX_TICKS];
    size_t n_ticks;
};

/* 1, 2 or 5 times a power of ten. */
static double
nice_step(double span)
{
    double rough = span / 5, power = pow(10, floor(log10(rough))), part = rough / power;
    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

static void
make_linear(struct axis *a, double high)
{
    double step = nice_step(high > 0 ? high : 1);

    a->low = 0;
    a->high = step * ceil((high > 0 ? high : 1) / step - 1e-9);
    for (double v = 0; v <= a->high + step / 2 && a->n_ticks < MAX_TICKS; v += step) {
        a->ticks[a->n_ticks++] = v;
    }
}

static void
make_log(struct axis *a, double low, double high)
{
    a->low = floor(log10(low) + 1e-9);
    a->high = ceil(log10(high) - 1e-9);
    a->high = a->high > a->low ? a->high : a->low + 1;
    for (double v = a->low; v <= a->high && a->n_ticks < MAX_TICKS; v++) {
        a->ticks[a->n_ticks++] = pow(10, v);
    }
}

static struct axis
make_axis(const struct plot *p, bool is_x)
{
    struct axis a = { .is_log = is_x ? p->log_x : p->log_y };
    double low = INFINITY, high = is_x ? 0 : p->y_most;

    for (size_t i = 0; i < p->n_lines; i++) {
        const double *values = is_x ? p->lines[i].x : p->lines[i].y;
        for (size_t k = 0; k < p->lines[i].n; k++) {
            low = values[k] < low ? values[k] : low;
            high = values[k] > high ? values[k] : high;
        }
    }
    if (a.is_log) {
        make_log(&a, low < INFINITY && low > 0 ? low : 1, high > 0 ? high : 10);
    } else {
        make_linear(&a, high);
    }
    return a;
}

/* A logarithmic axis has no place for 0, which stands at its lower end. */
static double
share(const struct axis *a, double value)
{
    double at = !a->is_log ? value : value > 0 ? log10(value) : a->low;
    return (at - a->low) / (a->high - a->low);
}

static double
at_x(const struct axis *a, double value)
{
    return LEFT + share(a, value) * (WIDTH - LEFT - RIGHT);
}

static double
at_y(const struct axis *a, double value)
{
    return HEIGHT - BOTTOM - share(a, value) * (HEIGHT - TOP - BOTTOM);
}

/* Drawing. */

static void
write_text(FILE *out, double x, double y, const char *more, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, more);
    xml_text(out, text);
    fputs("</text>\n", out);
}

static void
draw_axes(const struct plot *p, const struct axis *x, const struct axis *y, FILE *out)
{
    char label[32], turned[64];

    for (size_t i = 0; i < x->n_ticks; i++) {
        double at = at_x(x, x->ticks[i]);
        snprintf(label, sizeof label, "%g", x->ticks[i]);
        fprintf(out, "<path class=\"tick\" d=\"M%.1f %dv5\"/>\n", at, HEIGHT - BOTTOM);
        write_text(out, at, HEIGHT - BOTTOM + 20, "text-anchor=\"middle\"", label);
    }
    for (size_t i = 0; i < y->n_ticks; i++) {
        double at = at_y(y, y->ticks[i]);
        snprintf(label, sizeof label, "%g", y->ticks[i]);
        fprintf(out, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>\n", LEFT, at, WIDTH - RIGHT);
        write_text(out, LEFT - 8, at + 4, "text-anchor=\"end\"", label);
    }
    fprintf(out, "<path class=\"tick\" d=\"M%d %dV%dH%d\"/>\n", LEFT, TOP, HEIGHT - BOTTOM,
            WIDTH - RIGHT);
    write_text(out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12, "text-anchor=\"middle\"",
               p->x_title);
    snprintf(turned, sizeof turned, "text-anchor=\"middle\" transform=\"rotate(-90 16 %d)\"",
             HEIGHT / 2);
    write_text(out, 16, HEIGHT / 2.0, turned, p->y_title);
    write_text(out, LEFT, 20, "style=\"font-weight: bold\"", p->title);
}

static void
begin_line(FILE *out, const struct plot_line *l)
{
    fprintf(out, "<path class=\"line\" stroke=\"%s\" stroke-dasharray=\"%s\" d=\"",
            colours[l->colour % N_COLOURS], dashes[l->dash % N_DASHES]);
}

static void
draw_line(const struct plot_line *l, const struct axis *x, const struct axis *y, FILE *out)
{
    bool goes_on = false;

    begin_line(out, l);
    for (size_t i = 0; i < l->n; i++) {
        bool is_there = !isnan(l->y[i]);
        if (is_there) {
            fprintf(out, "%c%.1f %.1f", goes_on ? 'L' : 'M', at_x(x, l->x[i]), at_y(y, l->y[i]));
        }
        goes_on = is_there;
    }
    fputs("\"/>\n", out);
}

/* Names at the right, in the order of the lines. */
static void
draw_keys(const struct plot *p, FILE *out)
{
    for (size_t i = 0; i < p->n_lines; i++) {
        double y = TOP + 6 + 18 * (double)i;
        begin_line(out, &p->lines[i]);
        fprintf(out, "M%d %.1fh30\"/>\n", WIDTH - RIGHT - 34, y);
        write_text(out, WIDTH - RIGHT - 42, y + 4, "text-anchor=\"end\" class=\"key\"",
                   p->lines[i].label);
    }
}

void
plot_write_svg(const struct plot *p, FILE *out)
{
    struct axis x = make_axis(p, true), y = make_axis(p, false);

    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\">\n"
            "<style>text { font: 13px Helvetica, Arial, sans-serif; }\n"
            ".line { fill: none; stroke-width: 1.8; } .tick { fill: none; stroke: #000; }\n"
            ".grid { stroke: #000; stroke-opacity: 0.12; }\n"
            ".key { paint-order: stroke; stroke: #fff; stroke-width: 4; stroke-opacity: 0.8; }\n"
            "</style>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    draw_axes(p, &x, &y, out);
    for (size_t i = 0; i < p->n_lines; i++) {
        draw_line(&p->lines[i], &x, &y, out);
    }
    draw_keys(p, out);
    fputs("</svg>\n", out);
}

/* Data. */

static void
write_quoted(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++) {
        fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
    }
    putc('"', out);
}

void
plot_write_csv(const struct plot *p, FILE *out)
{
    fputs("line,", out);
    write_quoted(out, p->x_title);
    putc(',', out);
    write_quoted(out, p->y_title);
    putc('\n', out);
    for (size_t i = 0; i < p->n_lines; i++) {
        for (size_t k = 0; k < p->lines[i].n; k++) {
            if (!isnan(p->lines[i].y[k])) {
                write_quoted(out, p->lines[i].label);
                fprintf(out, ",%.9g,%.9g\n", p->lines[i].x[k], p->lines[i].y[k]);
            }
        }
    }
}

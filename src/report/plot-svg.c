/* Draws a figure as SVG: the area of the data with its axes, thresholds named at its right, and the
 * names of lines below, so that nothing covers the data. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/xml.h"
#include "report/plot-axis.h"
#include "report/plot-table.h"

/* The area of the data is the same in all figures; the margins grow with their text. */
enum { AREA_WIDTH = 540, AREA_HEIGHT = 308, LEFT = 76, RIGHT = 24, ABOVE = 20, BELOW = 52 };
enum { ASIDE = 14, CAP = 4, LEVEL = 28, WIDEST_BAR = 56 };
enum { KEY_WIDTH = 46, KEY_GAP = 8, MARGIN = 12, N_MARKS = 7, NEAREST = 13 };

/* The font in which a figure is shown is unknown; this is slightly more than the width of
 * Helvetica's digits. */
#define CHAR_WIDTH  6.9 /* At 12 px. */
#define LINE_HEIGHT 16

struct drawing {
    const struct plot *p;
    FILE *out;
    struct plot_axis x, y;
    double top; /* The top of the area, whose left edge is at LEFT. */
    double width, height;
    double below;                 /* The height of the names of the x axis. */
    size_t columns, column_chars; /* The layout of the legend. */
    double legend_top, legend_height;
};

/* Styles of lines: colours for any colour vision, dashes, and a mark for each colour, which
 * distinguishes lines without colour. */

static const char *const colours[PLOT_N_COLOURS] = { "#0072b2", "#d55e00", "#009e73",
                                                     "#cc79a7", "#806500", "#46535b" };
static const char *const dashes[PLOT_N_DASHES] = { "none", "7 4", "2 3", "9 3 2 3" };

/* Shapes of marks around the origin, about 8 wide: circle, square, triangle, diamond, cross,
 * inverted triangle. */
static const char *const marks[PLOT_N_COLOURS] = {
    "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
    "m-3.5 -3.5h7v7h-7z",
    "m0 -4.5l4.2 7.5h-8.4z",
    "m0 -4.8l4 4.8l-4 4.8l-4 -4.8z",
    "m-3.6 -3.6l7.2 7.2m0 -7.2l-7.2 7.2",
    "m0 4.5l4.2 -7.5h-8.4z",
};

static const char *
colour_of(const struct plot_line *l)
{
    return colours[l->colour % PLOT_N_COLOURS];
}

/* The beginning of an element: a short level line, with its dash; or a filled bar, with its colours
 * and opacity. */
#define LEVEL_LINE "<path class=\"published\" stroke-dasharray=\"%s\" d=\""
#define FILLED     "<path class=\"filled\" fill=\"%s\" fill-opacity=\"%s\" stroke=\"%s\" d=\""

/* The beginning of a joined line, with its colour and dash. */
#define JOINED "<path class=\"line\" stroke=\"%s\" stroke-dasharray=\"%s\" d=\""

/* The opacity of a bar: bars of one colour differ by it. */
static const char *
fill_of(const struct plot_line *l)
{
    static const char *const fills[PLOT_N_DASHES] = { "0.75", "0.4", "0.15", "0" };

    return fills[l->dash % PLOT_N_DASHES];
}

static const char *
dash_of(const struct plot_line *l)
{
    return dashes[l->dash % PLOT_N_DASHES];
}

static void
draw_mark(const struct drawing *d, const struct plot_line *l, double x, double y)
{
    fprintf(d->out, "<path class=\"mark\" stroke=\"%s\" d=\"M%.1f %.1f%s\"/>\n", colour_of(l), x, y,
            marks[l->colour % PLOT_N_COLOURS]);
}

/* Text. */

/* Takes the words that fit on a line, or a part of a word that is too long for a line. Returns the
 * number of bytes; 0 at the end. */
static size_t
next_line(const char **rest, size_t max_chars, const char **line)
{
    const char *at = *rest + strspn(*rest, " ");
    size_t len = strlen(at), fits = len;

    if (len > max_chars) {
        for (fits = max_chars; fits && at[fits] != ' ';) {
            fits--;
        }
        for (fits = fits ? fits : max_chars;
             fits > 1 && ((unsigned char)at[fits] & 0xc0) == 0x80;) {
            fits--; /* The line ends at the end of a UTF-8 character. */
        }
    }
    *line = at;
    *rest = at + fits;
    return fits;
}

static size_t
count_lines(const char *text, size_t max_chars)
{
    const char *line;
    size_t n = 0;

    while (next_line(&text, max_chars, &line)) {
        n++;
    }
    return n;
}

/* Writes text in lines from (x, y) downwards; 'more' has further attributes. */
static void
write_words(FILE *out, double x, double y, const char *more, const char *text, size_t max_chars)
{
    char *copy = array_new(strlen(text) + 1, 1);
    const char *line;

    for (size_t len; (len = next_line(&text, max_chars, &line)); y += LINE_HEIGHT) {
        memcpy(copy, line, len);
        copy[len] = '\0';
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, more);
        xml_text(out, copy);
        fputs("</text>\n", out);
    }
    free(copy);
}

/* Positions. */

static double
at_x(const struct drawing *d, double value)
{
    return LEFT + plot_axis_share(&d->x, value) * AREA_WIDTH;
}

/* The horizontal distance between neighbouring lines at a name of the x axis. Joined lines are not
 * shifted. */
static double
step_aside(const struct drawing *d)
{
    double n = (double)plot_n_side(d->p), room = AREA_WIDTH / (double)d->p->n_x_names;
    enum plot_kind kind = d->p->n_lines ? d->p->lines[0].kind : PLOT_POINTS;

    return kind == PLOT_BARS     ? fmin(WIDEST_BAR, 0.8 * room / n)
           : kind == PLOT_JOINED ? 0
                                 : fmin(ASIDE, room / (n + 1));
}

/* The x position of a point. On an axis of names, lines are side by side; a published value is
 * drawn across all of them, or at its line. */
static double
at_point(const struct drawing *d, size_t i, size_t k)
{
    const struct plot_line *l = &d->p->lines[i];
    bool is_aside = d->p->x_names && (l->kind != PLOT_LEVELS || l->of);
    size_t place = l->of ? l->of[k] : i;

    return at_x(d, l->x[k]) +
           (is_aside ? step_aside(d) * ((double)place - (double)(plot_n_side(d->p) - 1) / 2) : 0);
}

static double
at_y(const struct drawing *d, double value)
{
    return d->top + AREA_HEIGHT - plot_axis_share(&d->y, value) * AREA_HEIGHT;
}

static size_t
chars_in(double width)
{
    return width > CHAR_WIDTH ? (size_t)(width / CHAR_WIDTH) : 1;
}

/* Names of thresholds, placed without overlap, the highest first. */

struct level {
    const struct plot_threshold *of;
    double at;   /* The y coordinate of its line.  A threshold above the area has no line, only a
                  * name. */
    double word; /* The position of its name. */
};

static int
from_above(const void *a, const void *b)
{
    const struct level *x = a, *y = b;
    return (x->of->y < y->of->y) - (x->of->y > y->of->y);
}

static bool
is_inside(const struct drawing *d, double y)
{
    double most = d->y.is_log ? pow(10, d->y.high) : d->y.high;
    return y <= most * (1 + 1e-9);
}

static void
place_levels(const struct drawing *d, struct level levels[PLOT_MAX_THRESHOLDS])
{
    size_t n = d->p->n_thresholds;

    for (size_t i = 0; i < n; i++) {
        levels[i].of = &d->p->thresholds[i];
    }
    qsort(levels, n, sizeof *levels, from_above);
    for (size_t i = 0; i < n; i++) {
        bool is_there = is_inside(d, levels[i].of->y);
        levels[i].at = is_there ? at_y(d, levels[i].of->y) : d->top - 1;
        levels[i].word = levels[i].at + 4;
        if (i && levels[i].word < levels[i - 1].word + NEAREST) {
            levels[i].word = levels[i - 1].word + NEAREST;
        }
    }
}

static void
name_level(const struct drawing *d, const struct level *l, char name[PLOT_LABEL_BYTES + 16])
{
    snprintf(name, PLOT_LABEL_BYTES + 16, "%s%s", l->of->label,
             is_inside(d, l->of->y) ? "" : " (above)");
}

static void
draw_levels(const struct drawing *d)
{
    struct level levels[PLOT_MAX_THRESHOLDS];
    char name[PLOT_LABEL_BYTES + 16];

    place_levels(d, levels);
    for (size_t i = 0; i < d->p->n_thresholds; i++) {
        if (is_inside(d, levels[i].of->y)) {
            fprintf(d->out, "<path class=\"threshold\" d=\"M%d %.1fh%d\"/>\n", LEFT, levels[i].at,
                    AREA_WIDTH);
        }
        name_level(d, &levels[i], name);
        write_words(d->out, LEFT + AREA_WIDTH + 6, levels[i].word, "class=\"level\"", name,
                    PLOT_LABEL_BYTES);
    }
}

static double
widest_level(const struct drawing *d)
{
    char name[PLOT_LABEL_BYTES + 16];
    size_t most = 0;

    for (size_t i = 0; i < d->p->n_thresholds; i++) {
        struct level l = { .of = &d->p->thresholds[i] };
        name_level(d, &l, name);
        most = strlen(name) > most ? strlen(name) : most;
    }
    return most ? 6 + CHAR_WIDTH * (double)most : 0;
}

/* The legend: names of lines, row by row, in as many columns as the longest name allows. */

enum { KEY_NAME_BYTES = PLOT_LABEL_BYTES + PLOT_NOTE_BYTES };

static size_t
longest_name(const struct plot *p)
{
    size_t most = 1;

    for (size_t i = 0; i < p->n_lines; i++) {
        size_t len = strlen(p->lines[i].label) + strlen(p->lines[i].note);
        most = len > most ? len : most;
    }
    return most;
}

static void
write_key_name(const struct plot_line *l, char name[KEY_NAME_BYTES])
{
    snprintf(name, KEY_NAME_BYTES, "%s%s", l->label, l->note);
}

static size_t
row_lines(const struct drawing *d, size_t row)
{
    char name[KEY_NAME_BYTES];
    size_t most = 0;

    for (size_t i = row * d->columns; i < (row + 1) * d->columns && i < d->p->n_lines; i++) {
        write_key_name(&d->p->lines[i], name);
        size_t n = count_lines(name, d->column_chars);
        most = n > most ? n : most;
    }
    return most;
}

static size_t
count_rows(const struct drawing *d)
{
    return (d->p->n_lines + d->columns - 1) / d->columns;
}

static void
place_legend(struct drawing *d)
{
    double inner = d->width - 2 * MARGIN, wanted = CHAR_WIDTH * (double)longest_name(d->p);
    double column = KEY_WIDTH + wanted + KEY_GAP;

    d->columns = column < inner ? (size_t)(inner / column) : 1;
    d->columns = d->columns < d->p->n_lines ? d->columns : d->p->n_lines ? d->p->n_lines : 1;
    d->column_chars = chars_in(inner / (double)d->columns - KEY_WIDTH - KEY_GAP);
    for (size_t row = 0; row < count_rows(d); row++) {
        d->legend_height += LINE_HEIGHT * (double)row_lines(d, row);
    }
}

/* Whether a line has marks: points do, and joined lines if there are too many to distinguish by
 * dashes. */
static bool
has_marks(const struct drawing *d, const struct plot_line *l)
{
    return l->kind == PLOT_POINTS || (l->kind == PLOT_JOINED && d->p->n_lines > PLOT_N_DASHES);
}

static void
draw_key(const struct drawing *d, size_t i, double x, double y)
{
    const struct plot_line *l = &d->p->lines[i];
    char name[KEY_NAME_BYTES];

    if (l->kind == PLOT_LEVELS) {
        fprintf(d->out, LEVEL_LINE "M%.1f %.1fh36\"/>\n", dash_of(l), x, y - 4);
    } else if (l->kind == PLOT_BARS) {
        fprintf(d->out, FILLED "M%.1f %.1fh36v10h-36z\"/>\n", colour_of(l), fill_of(l),
                colour_of(l), x, y - 9);
    } else if (l->kind == PLOT_JOINED) {
        fprintf(d->out, JOINED "M%.1f %.1fh36\"/>\n", colour_of(l), dash_of(l), x, y - 4);
    }
    if (has_marks(d, l)) {
        draw_mark(d, l, x + 18, y - 4);
    }
    write_key_name(l, name);
    write_words(d->out, x + KEY_WIDTH, y, "class=\"key\"", name, d->column_chars);
}

static void
draw_legend(const struct drawing *d)
{
    double step = (d->width - 2 * MARGIN) / (double)d->columns, y = d->legend_top + 12;

    fprintf(d->out,
            "<g class=\"legend\">\n<rect class=\"box\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" "
            "height=\"%.1f\"/>\n",
            MARGIN, d->legend_top, d->width - 2 * MARGIN, d->legend_height);
    for (size_t row = 0; row < count_rows(d); row++) {
        for (size_t i = row * d->columns; i < (row + 1) * d->columns && i < d->p->n_lines; i++) {
            draw_key(d, i, MARGIN + step * (double)(i % d->columns), y);
        }
        y += LINE_HEIGHT * (double)row_lines(d, row);
    }
    fputs("</g>\n", d->out);
}

/* Axes. */

static size_t
longest_x_name(const struct plot *p)
{
    size_t most = 1;

    for (size_t i = 0; i < p->n_x_names; i++) {
        most = strlen(p->x_names[i]) > most ? strlen(p->x_names[i]) : most;
    }
    return most;
}

/* Writes a number. Very large and very small numbers have a power of ten, because zeros are hard to
 * count. */
static void
write_number(const struct drawing *d, double x, double y, const char *anchor, double value)
{
    int power = (int)floor(log10(value > 0 ? value : 1) + 1e-9);

    fprintf(d->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    if (value >= 1e5 || (value > 0 && value < 1e-3)) {
        double part = value / pow(10, power);
        if (part > 1 + 1e-9) {
            fprintf(d->out, "%g·", part);
        }
        fprintf(d->out, "10<tspan dy=\"-5\" font-size=\"9\">%d</tspan>", power);
    } else {
        fprintf(d->out, "%g", value);
    }
    fputs("</text>\n", d->out);
}

/* Names of the x axis; those that do not fit side by side are tilted. */

static bool
are_tilted(const struct plot *p)
{
    return CHAR_WIDTH * (double)longest_x_name(p) > (double)AREA_WIDTH / (double)p->n_x_names;
}

static void
write_name(const struct drawing *d, double x, double y, const char *name)
{
    char tilted[80];

    snprintf(tilted, sizeof tilted, "text-anchor=\"end\" transform=\"rotate(-30 %.1f %.1f)\"", x,
             y - 6);
    write_words(d->out, x, are_tilted(d->p) ? y - 6 : y,
                are_tilted(d->p) ? tilted : "text-anchor=\"middle\"", name, PLOT_LABEL_BYTES);
}

static double
height_of_names(const struct plot *p)
{
    return p->x_names && are_tilted(p) ? CHAR_WIDTH / 2 * (double)longest_x_name(p) : 0;
}

static void
draw_x_ticks(const struct drawing *d)
{
    double bottom = d->top + AREA_HEIGHT;

    for (size_t i = 0; i < d->x.n_ticks; i++) {
        const struct plot_tick *t = &d->x.ticks[i];
        double at = at_x(d, t->value);
        fprintf(d->out, "<path class=\"tick\" d=\"M%.1f %.1fv%d\"/>\n", at, bottom,
                t->is_named ? 5 : 3);
        if (d->p->x_names) {
            write_name(d, at, bottom + 20, d->p->x_names[i]);
        } else if (t->is_named) {
            write_number(d, at, bottom + 20, "middle", t->value);
        }
    }
}

static void
draw_y_ticks(const struct drawing *d)
{
    for (size_t i = 0; i < d->y.n_ticks; i++) {
        const struct plot_tick *t = &d->y.ticks[i];
        double at = at_y(d, t->value);
        if (t->is_named) {
            fprintf(d->out, "<path class=\"grid\" d=\"M%d %.1fh%d\"/>\n", LEFT, at, AREA_WIDTH);
            write_number(d, LEFT - 8, at + 4, "end", t->value);
        } else {
            fprintf(d->out, "<path class=\"tick\" d=\"M%d %.1fh-3\"/>\n", LEFT, at);
        }
    }
}

static void
draw_axes(const struct drawing *d)
{
    double bottom = d->top + AREA_HEIGHT, middle = d->top + AREA_HEIGHT / 2.0;
    char turned[80];

    fprintf(d->out, "<rect class=\"area\" x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%d\"/>\n", LEFT,
            d->top, AREA_WIDTH, AREA_HEIGHT);
    draw_x_ticks(d);
    draw_y_ticks(d);
    fprintf(d->out, "<path class=\"tick\" d=\"M%d %.1fV%.1fh%d\"/>\n", LEFT, d->top, bottom,
            AREA_WIDTH);
    write_words(d->out, LEFT + AREA_WIDTH / 2.0, bottom + 38 + d->below, "text-anchor=\"middle\"",
                d->p->x_title, PLOT_LABEL_BYTES);
    snprintf(turned, sizeof turned, "text-anchor=\"middle\" transform=\"rotate(-90 16 %.1f)\"",
             middle);
    write_words(d->out, 16, middle, turned, d->p->y_title, PLOT_LABEL_BYTES);
}

/* Draws marks at some points of a line. The marks of the next line are shifted, so that they do not
 * coincide. */

static void
draw_marks(const struct drawing *d, size_t i)
{
    const struct plot_line *l = &d->p->lines[i];
    double step = (double)AREA_WIDTH / N_MARKS;
    double next = l->kind == PLOT_JOINED ? LEFT + step * (double)i / (double)d->p->n_lines : 0;

    for (size_t k = 0; k < l->n; k++) {
        double x = at_point(d, i, k);
        if (plot_has_place(l->y[k]) && x >= next) {
            draw_mark(d, l, x, at_y(d, l->y[k]));
            next = l->kind == PLOT_JOINED ? x + step : 0;
        }
    }
}

/* Draws a bar from quartile to quartile, with a cap at each end. */
static void
draw_bars(const struct drawing *d, size_t i)
{
    const struct plot_line *l = &d->p->lines[i];

    for (size_t k = 0; k < l->n && l->low; k++) {
        double x = at_point(d, i, k);
        if (plot_has_place(l->low[k])) {
            fprintf(d->out,
                    "<path class=\"bar\" stroke=\"%s\" d=\"M%.1f %.1fh%dm-%d 0V%.1fm-%d 0h%d\"/>\n",
                    l->kind == PLOT_BARS ? "#000" : colour_of(l), x - CAP, at_y(d, l->low[k]),
                    2 * CAP, CAP, at_y(d, l->high[k]), CAP, 2 * CAP);
        }
    }
}

/* Draws a level line. A vertical one ends below the top of the area. */
static void
draw_level(const struct drawing *d, const struct plot_line *l, double x, double y, double half)
{
    double from = fmax(y - half, d->top);

    if (d->p->has_upright_levels) {
        fprintf(d->out, LEVEL_LINE "M%.1f %.1fV%.1f\"/>\n", dash_of(l), x, from, y + half);
    } else {
        fprintf(d->out, LEVEL_LINE "M%.1f %.1fh%.1f\"/>\n", dash_of(l), x - half, y, 2 * half);
    }
}

static void
draw_levels_of_line(const struct drawing *d, size_t i)
{
    const struct plot_line *l = &d->p->lines[i];

    double half = l->of && d->p->x_names ? fmax(step_aside(d) / 2, 5) : LEVEL;

    for (size_t k = 0; k < l->n; k++) {
        draw_level(d, l, at_point(d, i, k), at_y(d, l->y[k]), half);
    }
}

static void
draw_filled(const struct drawing *d, size_t i)
{
    const struct plot_line *l = &d->p->lines[i];
    double width = step_aside(d) * 0.92, bottom = d->top + AREA_HEIGHT;

    for (size_t k = 0; k < l->n; k++) {
        if (plot_has_place(l->y[k])) {
            fprintf(d->out, FILLED "M%.1f %.1fV%.1fh%.1fV%.1fz\"/>\n", colour_of(l), fill_of(l),
                    colour_of(l), at_point(d, i, k) - width / 2, bottom, at_y(d, l->y[k]), width,
                    bottom);
        }
    }
}

static void
draw_joined(const struct drawing *d, size_t i)
{
    const struct plot_line *l = &d->p->lines[i];
    bool goes_on = false;

    fprintf(d->out, JOINED, colour_of(l), dash_of(l));
    for (size_t k = 0; k < l->n; k++) {
        bool is_there = plot_has_place(l->y[k]);
        if (is_there) {
            fprintf(d->out, "%c%.1f %.1f", goes_on ? 'L' : 'M', at_x(d, l->x[k]), at_y(d, l->y[k]));
        }
        goes_on = is_there;
    }
    fputs("\"/>\n", d->out);
}

static void
draw_line(const struct drawing *d, size_t i)
{
    const struct plot_line *l = &d->p->lines[i];

    if (l->kind == PLOT_LEVELS) {
        draw_levels_of_line(d, i);
    } else if (l->kind == PLOT_JOINED) {
        draw_joined(d, i);
    } else if (l->kind == PLOT_BARS) {
        draw_filled(d, i);
    }
    draw_bars(d, i);
    if (has_marks(d, l)) {
        draw_marks(d, i);
    }
}

static void
draw_lines(const struct drawing *d)
{
    fputs("<g class=\"data\">\n", d->out);
    for (size_t i = 0; i < d->p->n_lines; i++) {
        draw_line(d, i);
    }
    fputs("</g>\n", d->out);
}

/* The whole drawing. */

static struct drawing
lay_out(const struct plot *p, FILE *out)
{
    struct drawing d = { .p = p, .out = out };

    d.x = plot_axis_of(p, true);
    d.y = plot_axis_of(p, false);
    d.width = LEFT + AREA_WIDTH + RIGHT + widest_level(&d);
    /* Bold characters, as in the title, are a tenth wider. */
    d.top = ABOVE + LINE_HEIGHT * (double)count_lines(p->title, chars_in((d.width - LEFT) / 1.1));
    place_legend(&d);
    d.below = height_of_names(p);
    d.legend_top = d.top + AREA_HEIGHT + BELOW + d.below;
    d.height = d.legend_top + d.legend_height + MARGIN;
    return d;
}

void
plot_write_svg(const struct plot *p, FILE *out)
{
    if (p->is_table) {
        plot_write_table(p, out);
        return;
    }
    struct drawing d = lay_out(p, out);

    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
            "height=\"%.0f\">\n"
            "<style>text { font: 12px Helvetica, Arial, sans-serif; }\n"
            ".line { fill: none; stroke-width: 1.8; } .tick { fill: none; stroke: #000; }\n"
            ".mark { fill: #fff; stroke-width: 1.4; } .area, .box { fill: none; }\n"
            ".bar { fill: none; stroke-width: 1.4; }\n"
            ".published { stroke: #000; stroke-width: 2.5; }\n"
            ".grid { stroke: #000; stroke-opacity: 0.12; }\n"
            ".threshold { stroke: #000; stroke-width: 1; stroke-dasharray: 1 3; }\n"
            "</style>\n",
            d.width, d.height, d.width, d.height);
    write_words(out, LEFT, 20, "style=\"font-weight: bold\"", p->title,
                chars_in((d.width - LEFT) / 1.1));
    draw_axes(&d);
    draw_levels(&d);
    draw_lines(&d);
    draw_legend(&d);
    fputs("</svg>\n", out);
}

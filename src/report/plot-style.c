/* Colours, dashes and marks of lines. */

#include "report/plot-style.h"

static const char *const colours[PLOT_N_COLOURS] = { "#0072b2", "#d55e00", "#009e73",
                                                     "#cc79a7", "#806500", "#46535b" };
static const char *const dashes[PLOT_N_DASHES] = { "none", "7 4", "2 3", "9 3 2 3" };

/* Around 0, about 8 wide: circle, square, triangle, diamond, cross, triangle on its tip. */
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

void
plot_stroke(FILE *out, const struct plot_line *l)
{
    fprintf(out, "stroke=\"%s\" stroke-dasharray=\"%s\"", colour_of(l),
            dashes[l->dash % PLOT_N_DASHES]);
}

void
plot_colour(FILE *out, const struct plot_line *l)
{
    fprintf(out, "stroke=\"%s\"", colour_of(l));
}

void
plot_mark(FILE *out, const struct plot_line *l, double x, double y)
{
    fprintf(out, "<path class=\"mark\" stroke=\"%s\" d=\"M%.1f %.1f%s\"/>\n", colour_of(l), x, y,
            marks[l->colour % PLOT_N_COLOURS]);
}

/* A figure for a paper: lines over an axis, as SVG, and their points as CSV.
 *
 *     struct plot p = { .title = "Queues", .x_title = "time (ms)", .y_title = "queue (KB)" };
 *     struct plot_line *line = plot_add(&p, n, "%s from %s", node, peer);
 *     line->x[i] = ...; line->y[i] = ...;
 *     plot_add_threshold(&p, 800, "xoff 800KB");
 *     p.log_x = plot_spans_decades(&p, true);
 *     plot_write_svg(&p, svg);
 *     plot_write_csv(&p, csv);                           line,x,y: a row a point, a row a threshold
 *     plot_free(&p);
 *
 * Black on nothing, so that it fits any page.  24 lines differ by colour, for any colour vision,
 * and dash; without colour, if there are more than dashes, by the shape of marks along them and
 * dash. Their names are below the figure, those of thresholds at its right: nothing covers the
 * data. */

#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { PLOT_LABEL_BYTES = 320, PLOT_NOTE_BYTES = 80, PLOT_MAX_THRESHOLDS = 12 };

/* A pair of a colour and a dash for each line. */
enum { PLOT_N_COLOURS = 6, PLOT_N_DASHES = 4, PLOT_MAX_LINES = PLOT_N_COLOURS * PLOT_N_DASHES };

/* How the points of a line are drawn: joined; each by itself, with a mark; each as a bar; or each
 * as a short level line, as what others say of what is drawn there. */
enum plot_kind { PLOT_JOINED, PLOT_POINTS, PLOT_BARS, PLOT_LEVELS };

struct plot_line {
    char label[PLOT_LABEL_BYTES];
    char note[PLOT_NOTE_BYTES]; /* Behind the label in the legend; no part of the data. */
    double *x, *y;              /* A y of NAN is a gap. */
    double *low, *high;         /* Quartiles: a bar from one to the other; null: none. */
    size_t *of;   /* PLOT_LEVELS: the line whose point each belongs to; null: all of them. */
    char **words; /* In a table: the value of each point as text; null: a number. */
    size_t n;
    enum plot_kind kind;
    size_t colour,
        dash; /* Chosen so that the first 24 lines differ; the colour has a mark of its own. */
};

/* A level that means something, as a line from side to side. */
struct plot_threshold {
    char label[PLOT_LABEL_BYTES];
    double y;
};

struct plot {
    const char *title, *x_title, *y_title;
    bool log_x, log_y;
    bool is_table;           /* A row for each line, a column for each name of the x axis. */
    bool has_range;          /* 'low' and 'high' are the range of single runs, and no quartiles. */
    bool has_upright_levels; /* On the x axis the short level lines are vertical. */
    double y_most;           /* The axis ends there; 0: where the lines do. */
    double x_from;           /* The axis begins there. */
    char *const *x_names;    /* The names at 1, 2 and so on; null: the axis has numbers. */
    size_t n_x_names;
    struct plot_line *lines;
    size_t n_lines, max_lines;
    struct plot_threshold thresholds[PLOT_MAX_THRESHOLDS];
    size_t n_thresholds;
};

/* A title, which the caller frees. */
char *plot_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The title of an axis: "switch.buffer (bytes)", or the name alone where the unit is empty. */
char *plot_axis_title(const char *name, const char *unit);

/* With room for 'n' points; moves when the next is added. */
struct plot_line *plot_add(struct plot *, size_t n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The last line again. */
void plot_drop(struct plot *);

/* The number of lines that stand side by side at a name: all but levels, which come last. */
size_t plot_n_side(const struct plot *);

/* Room for quartiles, which are no numbers at first. */
void plot_add_bars(struct plot_line *);

/* One that is there already, or has no room, is left out. */
void plot_add_threshold(struct plot *, double y, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether the largest x, or y, is so much more than the minimum that only a logarithm shows
 * both. */
bool plot_spans_decades(const struct plot *, bool is_x);

void plot_write_svg(const struct plot *, FILE *);
void plot_write_csv(const struct plot *, FILE *);
void plot_free(struct plot *);

#endif

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
 * Figures are black on a transparent ground, so that they fit any page.  Up to 24 lines differ by
 * colour, for any colour vision, and by dash.  If there are more lines than dashes, marks
 * distinguish them without colour.  Names of lines are below the figure and names of thresholds at
 * its right, so that nothing covers the data. */

#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { PLOT_LABEL_BYTES = 320, PLOT_NOTE_BYTES = 80, PLOT_MAX_THRESHOLDS = 12 };

/* A pair of a colour and a dash for each line. */
enum { PLOT_N_COLOURS = 6, PLOT_N_DASHES = 4, PLOT_MAX_LINES = PLOT_N_COLOURS * PLOT_N_DASHES };

/* How the points of a line are drawn: joined; single with a mark; as bars; or as short level lines,
 * for published values. */
enum plot_kind { PLOT_JOINED, PLOT_POINTS, PLOT_BARS, PLOT_LEVELS };

struct plot_line {
    char label[PLOT_LABEL_BYTES];
    char note[PLOT_NOTE_BYTES]; /* Follows the label in the legend; not a part of the data. */
    double *x, *y;              /* A y of NAN is a gap. */
    double *low, *high;         /* Quartiles, drawn as a bar; null: none. */
    size_t *of;                 /* For PLOT_LEVELS: the line of each point; null: all lines. */
    char **words;               /* In a table: the value of each point as text; null: a number. */
    size_t n;
    enum plot_kind kind;
    /* The first 24 lines differ in them. Each colour also has a mark. */
    size_t colour, dash;
};

/* A threshold with a name, drawn as a line across the whole area. */
struct plot_threshold {
    char label[PLOT_LABEL_BYTES];
    double y;
};

struct plot {
    const char *title, *x_title, *y_title;
    bool log_x, log_y;
    bool is_table;  /* A row for each line, a column for each name of the x axis. */
    bool has_range; /* 'low' and 'high' are the range of single runs, not quartiles. */
    /* The short level lines are vertical, because the values are on the x axis. */
    bool has_upright_levels;
    double y_most;        /* The end of the y axis; 0: it ends with the lines. */
    double x_from;        /* The beginning of the x axis. */
    char *const *x_names; /* The names at 1, 2 and so on; null: the axis has numbers. */
    size_t n_x_names;
    struct plot_line *lines;
    size_t n_lines, max_lines;
    struct plot_threshold thresholds[PLOT_MAX_THRESHOLDS];
    size_t n_thresholds;
};

/* Formats a title, which the caller frees. */
char *plot_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The title of an axis: "switch.buffer (bytes)", or only the name if the unit is empty. */
char *plot_axis_title(const char *name, const char *unit);

/* Adds a line with memory for 'n' points. Its address changes when the next line is added. */
struct plot_line *plot_add(struct plot *, size_t n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Removes the last line. */
void plot_drop(struct plot *);

/* The number of lines that are side by side at a name: all lines except levels, which come last. */
size_t plot_n_side(const struct plot *);

/* Adds memory for quartiles, which are NAN at first. */
void plot_add_bars(struct plot_line *);

/* Adds a threshold, unless it exists already or there are too many. */
void plot_add_threshold(struct plot *, double y, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether the maximum x, or y, is so much larger than the minimum that only a logarithmic axis
 * shows both. */
bool plot_spans_decades(const struct plot *, bool is_x);

void plot_write_svg(const struct plot *, FILE *);
void plot_write_csv(const struct plot *, FILE *);
void plot_free(struct plot *);

#endif

/* A figure for a paper: lines over an axis, as SVG, and their points as CSV.
 *
 *     struct plot p = { .title = "Queues", .x_title = "time (ms)", .y_title = "queue (KB)" };
 *     struct plot_line *line = plot_add(&p, n, "%s from %s", node, peer);
 *     line->x[i] = ...; line->y[i] = ...;
 *     plot_write_svg(&p, svg);
 *     plot_write_csv(&p, csv);                           line,x,y: a row a point
 *     plot_free(&p);
 *
 * Black on nothing, so that it fits any page; lines differ by colour, for any colour vision, and by
 * dash, for paper without colour. */

#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { PLOT_LABEL_BYTES = 120 };

struct plot_line {
    char label[PLOT_LABEL_BYTES];
    double *x, *y; /* Of y, NAN: a gap. */
    size_t n;
    size_t colour, dash; /* At first both as the lines come. */
};

struct plot {
    const char *title, *x_title, *y_title;
    bool log_x, log_y;
    double y_most; /* The axis ends there; 0: where the lines do. */
    struct plot_line *lines;
    size_t n_lines, max_lines;
};

/* With room for 'n' points; moves when the next is added. */
struct plot_line *plot_add(struct plot *, size_t n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void plot_write_svg(const struct plot *, FILE *);
void plot_write_csv(const struct plot *, FILE *);
void plot_free(struct plot *);

#endif

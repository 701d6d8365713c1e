/* Styles that distinguish the lines of a figure: colours for any colour vision, dashes, and for
 * each colour a mark, so that without colour marks and dashes do the same. */

#ifndef REPORT_PLOT_STYLE_H
#define REPORT_PLOT_STYLE_H

#include <stdio.h>

#include "report/plot.h"

enum { PLOT_N_COLOURS = 6, PLOT_N_DASHES = 4 };

_Static_assert(PLOT_N_COLOURS *PLOT_N_DASHES == PLOT_MAX_LINES, "a pair for each line");

/* The attributes of a path, and its colour alone. */
void plot_stroke(FILE *, const struct plot_line *);
void plot_colour(FILE *, const struct plot_line *);
void plot_mark(FILE *, const struct plot_line *, double x, double y);

#endif

/* A figure of a paper under one arbitration, as a figure for papers: SVG and CSV by plot.h. */

#ifndef REPORT_PAPER_PLOT_H
#define REPORT_PAPER_PLOT_H

#include "report/paper.h"
#include "report/plot.h"

/* The title and the names of the axes stay in the figure's row and here; freed by plot_free(). */
void rep_drawing_plot(struct plot *, const struct rec_figure *, const struct rep_drawing *,
                      const char *arbitration);

#endif

/* A figure that is a table: a row for each line, a column for each name of its x axis. */

#ifndef REPORT_PLOT_TABLE_H
#define REPORT_PLOT_TABLE_H

#include "report/plot.h"

/* Written as SVG, like plot_write_svg(), which calls it. */
void plot_write_table(const struct plot *, FILE *);

#endif

/* Writes a figure as a table: a row for each line, a column for each name of its x axis. */

#ifndef REPORT_PLOT_TABLE_H
#define REPORT_PLOT_TABLE_H

#include "report/plot.h"

/* Writes a table as SVG; called by plot_write_svg(). */
void plot_write_table(const struct plot *, FILE *);

#endif

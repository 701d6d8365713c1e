/* Draws the table of a sweep as figures, one for each panel: the median of each line, with bars
 * from quartile to quartile.  If the x axis has names, such as those of engines, the points of
 * different lines are side by side.
 *
 *     struct rep_panels drawn;
 *     rep_sweep_draw(&drawn, &sweep, &axes, &table);
 *     plot_write_svg(&drawn.items[i], out);
 *     rep_panels_free(&drawn); */

#ifndef REPORT_SWEEP_FIGURE_H
#define REPORT_SWEEP_FIGURE_H

#include "report/paper.h"
#include "report/sweep-table.h"

void rep_sweep_draw(struct rep_panels *, const struct rep_sweep *, const struct rep_axes *,
                    const struct rep_table *);

#endif

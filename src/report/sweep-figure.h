/* A panel of a sweep's table as a figure: the median of each line, with bars from quartile to
 * quartile; over names, such as those of engines, points side by side.
 *
 *     struct plot p;
 *     rep_sweep_draw(&p, &sweep, &axes, &table, panel);
 *     plot_write_svg(&p, out);
 *     rep_sweep_undraw(&p);
 */

#ifndef REPORT_SWEEP_FIGURE_H
#define REPORT_SWEEP_FIGURE_H

#include "report/plot.h"
#include "report/sweep-table.h"

void rep_sweep_draw(struct plot *, const struct rep_sweep *, const struct rep_axes *,
                    const struct rep_table *, size_t panel);
void rep_sweep_undraw(struct plot *);

#endif

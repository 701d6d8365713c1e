/* A figure of a paper as a figure for papers, with what was published: SVG and CSV by plot.h. */

#ifndef REPORT_PAPER_PLOT_H
#define REPORT_PAPER_PLOT_H

#include "report/paper.h"
#include "report/plot.h"
#include "report/sweep.h"

/* A figure, with what is published of it. */
struct rep_paper_part {
    const struct rec_figure *figure;
    const struct rep_published *published;
    size_t n_published;
    weir_ps from_ps; /* For figures over time. */
};

/* Under one arbitration.  The title and the names of the axes stay in the figure's row and here;
 * freed by plot_free(). */
void rep_drawing_plot(struct plot *, const struct rep_paper_part *, const struct rep_drawing *,
                      const char *arbitration);

/* Adds published values at the places of a setting, and the title of the figure, to a sweep drawn
 * by rep_sweep_draw(). */
void rep_sweep_add_published(struct plot *, const struct rep_paper_part *,
                             const struct rep_setting *by);

/* How the runs of a sweep are put together for a figure; false: the sweep lacks what it draws. */
bool rep_paper_axes(const struct rec_figure *, const struct rep_sweep *, struct rep_axes *);

#endif

/* Draws the figures of papers in a results file that `weir reproduce --record` has written, with
 * published values next to measured ones.
 *
 *     struct rep_paper p;
 *     if (!rep_paper_open(&p, file, &err)) ...
 *     for (size_t i = 0; i < p.figures.n; i++) {
 *         struct rep_panels drawn;
 *         if (!rep_paper_draw(&p, i, &drawn, &err)) ...
 *         plot_write_svg(&drawn.items[0], out);
 *         rep_panels_free(&drawn);
 *     }
 *     rep_paper_close(&p);
 *
 * A figure of runs has a line for each run and each port or flow.  A figure of sweeps has the
 * median over all other settings, such as seeds, and the range of single runs. */

#ifndef REPORT_PAPER_H
#define REPORT_PAPER_H

#include <stdio.h>

#include "report/plot.h"
#include "report/runs.h"

enum { REP_PAPER_FIGURES = 400 };

struct rep_paper {
    struct rec_file *file;
    weir_ps from_ps, to_ps; /* The time span that is drawn; by default all of it. */
    struct rep_runs runs;
    struct rec_rows figures;   /* struct rec_figure: the first REP_PAPER_FIGURES rows. */
    uint64_t n_left_out;       /* The number of figures after these. */
    struct rec_rows sweeps;    /* struct rec_sweep. */
    struct rec_rows scorecard; /* struct rec_statement. */
    struct rec_rows claims;    /* struct rec_claim. */
    /* Names a series that a figure lacks although its run is recorded; or empty. */
    struct err warning;
};

bool rep_paper_open(struct rep_paper *, struct rec_file *, struct err *);
void rep_paper_close(struct rep_paper *);

static inline const struct rec_figure *
rep_paper_figure(const struct rep_paper *p, size_t i)
{
    return rec_row(&p->figures, REC_FIGURE, i);
}

/* The panels of a figure side by side, with the same axes. */
struct rep_panels {
    struct plot *items;
    size_t n, max;
};

/* Draws a figure. If the file does not have its runs, the figure has no panels. */
bool rep_paper_draw(struct rep_paper *, size_t i, struct rep_panels *, struct err *);
void rep_panels_free(struct rep_panels *);

/* Writes all claims and figures of a file as JSON; report.h describes the format. */
bool rep_paper_write(FILE *, const char *name, struct rec_file *, struct err *);

#endif

/* Figures for papers: each is a file .svg, with its data in a file .csv.
 *
 *     struct rep_figures *f = rep_figures_new(&wish, &err);
 *     for each of wish.n_runs runs that rep_run_read() has read:
 *         rep_figures_add(f, file, &run, &err);
 *     rep_figures_finish(f, &written, &err);                         frees it, even after an error
 *
 * A run N has run-N-queues (the largest), run-N-goodput, run-N-rates (of the busiest links) and
 * more.  All runs in one figure have all-queues and so on: the largest of each run.  For all runs
 * together there are slowdown (median and tail by size) and slowdown-cdf.  They have a line for
 * each scheme, for which the flows of runs that differ only by seed are pooled.  Empty figures are
 * left out. */

#ifndef REPORT_FIGURES_H
#define REPORT_FIGURES_H

#include <stdbool.h>

#include "report/gather.h"

struct rep_figures_wish {
    const char *folder; /* The folder, which is created if it does not exist. */
    /* Only these ports are drawn, in the form of port-list.h; null: those with the largest
     * values. */
    const char *ports;
    const char *title;     /* The title of all figures; null: each has its own. */
    const size_t *schemes; /* [run]: the scheme of each run that will be added (run-schemes.h). */
    size_t n_runs;
    weir_ps from_ps, to_ps; /* The time range that is drawn. */
    bool overlay;           /* All runs are in one figure. */
    /* Names of runs include the file, because runs of several files have the same numbers. */
    bool several_files;
    bool force; /* Existing files are replaced. */
};

/* The figures that were written: their names, without folder and ending. */
struct rep_written {
    char **names;
    size_t n, max;
    bool is_refused;  /* Writing failed because a chosen port does not exist. */
    size_t n_crowded; /* The number of figures with more lines than a reader can distinguish. */
    /* The number of percentiles that are left out, because they need more flows. */
    size_t n_few;
    /* The number of figures of papers that are not drawn, because there are too many. */
    uint64_t n_left_out;
};

void rep_written_add(struct rep_written *, const char *name);
void rep_written_free(struct rep_written *);

struct rep_figures;

struct rep_figures *rep_figures_new(const struct rep_figures_wish *, struct err *);
bool rep_figures_add(struct rep_figures *, struct rec_file *, const struct rep_run *, struct err *);
bool rep_figures_finish(struct rep_figures *, struct rep_written *, struct err *);

#endif

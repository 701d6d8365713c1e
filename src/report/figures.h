/* Figures for papers: a file .svg each, and its data beside it as .csv.
 *
 *     struct rep_figures *f = rep_figures_new("figures", false, &err);
 *     for each run that rep_run_read() has read: rep_figures_add(f, file, &run, &err)
 *     rep_figures_finish(f, &n_figures, &err);            frees it, whatever comes
 *
 * Of a run N: run-N-queues (the longest), run-N-goodput, run-N-rates (what the links with the
 * longest queues behind them send).  Of all: slowdown (by size; median and tail), slowdown-cdf.
 * Those that would show nothing are left out. */

#ifndef REPORT_FIGURES_H
#define REPORT_FIGURES_H

#include <stdbool.h>

#include "report/gather.h"

struct rep_figures;

/* The folder is made if it is not there.  Files that are there are replaced only with 'force'. */
struct rep_figures *rep_figures_new(const char *folder, bool force, struct err *);
bool rep_figures_add(struct rep_figures *, struct rec_file *, const struct rep_run *, struct err *);
bool rep_figures_finish(struct rep_figures *, size_t *n_figures, struct err *);

#endif

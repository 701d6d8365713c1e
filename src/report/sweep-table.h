/* Groups the runs of a sweep: a metric over the values of one setting, with the values of other
 * settings as lines and panels.  Each point has the median and quartiles over all runs that share
 * these values.
 *
 *     struct rep_axes axes = rep_sweep_first_axes(&sweep);
 *     struct rep_table t = rep_table_make(&sweep, &axes);
 *     const struct rep_cell *cell = rep_table_cell(&t, panel, line, by);
 *     rep_table_free(&t); */

#ifndef REPORT_SWEEP_TABLE_H
#define REPORT_SWEEP_TABLE_H

#include "answer/spread.h"
#include "report/sweep.h"

struct rep_cell {
    struct spread spread; /* The spread over the runs that have a value. */
    /* The number of runs whose value is left out, because it is a percentile of too few flows. */
    size_t n_few;
    size_t n_runs;   /* The number of runs that have ended. */
    size_t n_dead;   /* The number of these runs that had a deadlock. */
    size_t n_failed; /* The number of runs that were refused or crashed. */
};

struct rep_table {
    struct rep_cell *cells;
    size_t n_by, n_lines, n_panels; /* The numbers of values on each axis, at least 1. */
};

struct rep_table rep_table_make(const struct rep_sweep *, const struct rep_axes *);
void rep_table_free(struct rep_table *);

static inline const struct rep_cell *
rep_table_cell(const struct rep_table *t, size_t panel, size_t line, size_t by)
{
    return &t->cells[(panel * t->n_lines + line) * t->n_by + by];
}

#endif

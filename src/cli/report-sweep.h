/* Sweeps of a report: the text about each, and a metric over a setting as a table or a figure. */

#ifndef CLI_REPORT_SWEEP_H
#define CLI_REPORT_SWEEP_H

#include "base/json.h"
#include "report/chosen.h"
#include "report/figure-files.h"

/* The columns by name; null: as one wants to see them first. */
struct sweep_ask {
    const char *metric, *by, *lines, *panels;
};

/* Every sweep: in a line how many runs are done, and over what; with 'json', as items of its list,
 * with all rows. */
int report_sweeps(const struct rep_chosen *, struct json *);

/* The newest sweep of a file: the metric over the setting, as text, as CSV, or as such an item. */
int report_sweep_table(const struct rep_chosen *, const struct sweep_ask *, int form,
                       struct json *);

/* A figure of each sweep into a folder that is there; adds their names. */
int report_sweeps_figures(const struct rep_chosen *, const struct sweep_ask *,
                          const struct rep_figure_folder *);

#endif

/* Shows the sweeps of a report: a text about each, and a metric over a setting as a table or a
 * figure. */

#ifndef CLI_REPORT_SWEEP_H
#define CLI_REPORT_SWEEP_H

#include "base/json.h"
#include "report/chosen.h"
#include "report/figure-files.h"

/* The names of the metric and of the settings that the user chose; null: the default. */
struct sweep_ask {
    const char *metric, *by, *lines, *panels;
};

/* Shows every sweep: a line with the number of finished runs and the settings; with 'json', an item
 * of its list with all rows. */
int report_sweeps(const struct rep_chosen *, struct json *);

/* Shows the newest sweep of a file: the metric over the setting, as text, as CSV, or as an item of
 * 'json'. */
int report_sweep_table(const struct rep_chosen *, const struct sweep_ask *, int form,
                       struct json *);

/* Writes a figure of each sweep into an existing folder, and adds the names of the figures. */
int report_sweeps_figures(const struct rep_chosen *, const struct sweep_ask *,
                          const struct rep_figure_folder *);

#endif

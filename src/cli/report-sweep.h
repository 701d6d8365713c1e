/* Sweeps of a report: what is said of each, and a metric over a setting as a table or a figure. */

#ifndef CLI_REPORT_SWEEP_H
#define CLI_REPORT_SWEEP_H

#include "base/json.h"
#include "cli/report-files.h"
#include "report/figures.h"

/* The columns by name; null: as one wants to see them first. */
struct sweep_ask {
    const char *metric, *by, *lines, *panels;
};

/* In a line each: how many runs are done, and over what. */
int report_sweeps_brief(const struct chosen *);

/* The newest sweep of a file: the metric over the setting, as text or as CSV. */
int report_sweep_text(const struct chosen *, const struct sweep_ask *);
int report_sweep_csv(const struct chosen *, const struct sweep_ask *);

/* Items of a list: every sweep with its rows; or with 'ask' the table of the newest. */
int report_sweeps_json(const struct chosen *, struct json *, const struct sweep_ask *ask);

/* A figure of each sweep into a folder that is there; adds their names. */
int report_sweeps_figures(const struct chosen *, const struct sweep_ask *, const char *folder,
                          bool force, struct rep_written *);

#endif

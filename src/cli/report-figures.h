/* Figures of a report, for the runs and sweeps of all files, in one folder. */

#ifndef CLI_REPORT_FIGURES_H
#define CLI_REPORT_FIGURES_H

#include "cli/report-sweep.h"

struct figures_ask {
    const char *folder, *title;
    const char *ports; /* The ports to draw; null: report/figures.h chooses them. */
    const struct sweep_ask *sweeps;
    size_t n_files;
    weir_ps from_ps, to_ps; /* The time range that is drawn. */
    bool overlay, pdf, force;
    bool is_quiet; /* The names of written files are not printed. */
};

/* Writes the figures. Returns an exit code and prints any error. */
int report_figures(const struct figures_ask *, struct rep_chosen *files);

#endif

/* Figures of a report, for the runs and sweeps of all files, in one folder. */

#ifndef CLI_REPORT_FIGURES_H
#define CLI_REPORT_FIGURES_H

#include "cli/report-sweep.h"

struct figures_ask {
    const char *folder, *title;
    const char *ports; /* Null lets report/figures.h choose. */
    const struct sweep_ask *sweeps;
    size_t n_files;
    weir_ps from_ps, to_ps; /* The time range that is drawn. */
    bool overlay, pdf, force;
    bool is_quiet; /* Does not print the names of written files. */
};

/* Writes the figures. Returns an exit code and prints any error. */
int report_figures(const struct figures_ask *, struct rep_chosen *files);

#endif

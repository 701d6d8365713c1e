/* Figures of sweeps and papers, which a report writes in addition to those of its runs. */

#ifndef CLI_REPORT_PLOT_H
#define CLI_REPORT_PLOT_H

#include "cli/report-files.h"
#include "report/figures.h"
#include "report/plot.h"

/* Writes FOLDER/NAME.svg and .csv, and adds its name.  Returns an exit code and prints any
 * error. */
int report_write_plot(const struct plot *, const char *folder, const char *name, bool force,
                      struct rep_written *);

struct paper_ask {
    const char *folder;
    bool force, is_picture; /* A picture has no data next to it. */
    weir_ps from_ps, to_ps; /* The time that figures over time draw. */
    struct rep_written *written;
};

/* The figures of papers. */
int report_paper_figures(const struct chosen *, const struct paper_ask *);

/* The same of a file that `weir reproduce` has written, as SVG alone, which replaces what is there:
 * pictures for pages.  The folder is created if it is not there. */
int report_paper_pictures(const char *results, const char *folder);

#endif

/* Writes figures of runs, sweeps and papers as files. */

#ifndef REPORT_FIGURE_FILES_H
#define REPORT_FIGURE_FILES_H

#include "report/figures.h"
#include "report/plot.h"

/* A folder for figures. The names of its figures are added to 'written'. If 'written' is null,
 * figures are pictures for pages, without files of their data. */
struct rep_figure_folder {
    const char *path;
    const char *title; /* The title of all figures; null: each has its own. */
    bool force;        /* Existing files are replaced. */
    struct rep_written *written;
};

/* Writes NAME.svg and NAME.csv. */
bool rep_plot_files(const struct plot *, const char *name, const struct rep_figure_folder *,
                    struct err *);

/* Writes the figures of all papers of a results file. Figures over time begin and end at the given
 * times. The warning is about a series that a figure lacks, or empty. */
bool rep_paper_files(struct rec_file *, weir_ps from_ps, weir_ps to_ps,
                     const struct rep_figure_folder *, struct err *warning, struct err *);

/* Like rep_paper_files(), for a file of `weir reproduce`, as pictures, which replace existing ones.
 * The folder is created if it does not exist. */
bool rep_paper_pictures(const char *results, const char *folder, struct err *warning, struct err *);

#endif

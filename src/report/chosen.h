/* The runs and sweeps of results files that a report shows. */

#ifndef REPORT_CHOSEN_H
#define REPORT_CHOSEN_H

#include "report/gather.h"

struct rep_chosen_run {
    const struct rep_listed *listed;
    bool lacks_ports; /* The run is drawn, but none of its ports was sampled. */
};

struct rep_chosen {
    struct rec_file *file;
    const char *name;
    struct rep_runs all;
    struct rep_chosen_run *runs;
    size_t n, max;
    size_t first_drawn;     /* The index of the first run that is on the page or in figures. */
    struct rec_rows sweeps; /* struct rec_sweep: all sweeps, or the one that the user chose. */
};

/* The runs and sweeps that the user chose, and their use. */
struct rep_chosen_ask {
    const uint64_t *runs;
    size_t n_runs;  /* 0: all runs. */
    uint64_t sweep; /* 0: all sweeps. */
    /* The result is a page or figures, which have the newest runs only, unless 'all' is set. */
    bool draws;
    bool all;
    /* The result is figures, which have as many runs as a reader can distinguish. */
    bool is_for_figures;
};

enum rep_choice { REP_CHOSEN, REP_NOT_THERE, REP_UNREADABLE };

/* Chooses among the runs and sweeps of a file. The caller closes the file after rep_chosen_close().
 * If a run is missing or the file is empty, the error says so. */
enum rep_choice rep_chosen_open(struct rep_chosen *, struct rec_file *, const char *name,
                                const struct rep_chosen_ask *, struct err *);
void rep_chosen_close(struct rep_chosen *);

/* Names the runs of several files by the settings that differ among all of them. */
void rep_chosen_name_together(struct rep_chosen *files, size_t n_files);

/* The name of the file without its folders. */
const char *rep_chosen_short_name(const struct rep_chosen *);

/* Reads all data of a run from the file at each call. */
bool rep_chosen_read_run(struct rep_chosen *, size_t k, struct rep_run *, struct err *);

/* Counts of the runs that are drawn, and of those among them whose ports were not sampled. */
void rep_chosen_count(const struct rep_chosen *files, size_t n_files, size_t *n_drawn,
                      size_t *n_unsampled);

#endif

/* The results files of a report: which of their runs and sweeps are shown. */

#ifndef CLI_REPORT_FILES_H
#define CLI_REPORT_FILES_H

#include "report/gather.h"

struct chosen_run {
    const struct rep_listed *listed;
    bool lacks_ports; /* It was drawn, and none of its ports was sampled. */
};

struct chosen {
    struct rec_file *file;
    const char *name;
    struct rep_runs all;
    struct chosen_run *runs;
    size_t n, max;
    size_t first_drawn;     /* Those before it are not on the page, nor in figures. */
    struct rec_rows sweeps; /* struct rec_sweep, all of them, or the one that the user chose. */
};

/* The runs and sweeps that the user chose, and their use. */
struct chosen_ask {
    const uint64_t *runs;
    size_t n_runs;  /* 0: all. */
    uint64_t sweep; /* 0: all. */
    bool draws;     /* A page or figures, which hold the newest runs only, unless: */
    bool all;
    bool is_for_figures; /* Which hold as many runs as a reader can distinguish. */
};

/* Returns an exit code and prints any error. */
int chosen_open(struct chosen *, const char *name, const struct chosen_ask *);
void chosen_close(struct chosen *);

/* Runs of several files are named by what differs among all of them. */
void chosen_name_together(struct chosen *files, size_t n_files);

/* Without folders. */
const char *chosen_short_name(const struct chosen *);

/* All of a run; it is read each time. */
bool chosen_read_run(struct chosen *, size_t k, struct rep_run *, struct err *);

/* Says of which runs queues could not be drawn, and why. */
void chosen_tell_unsampled(const struct chosen *files, size_t n_files);

#endif

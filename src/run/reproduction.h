/* A paper's claims: its files are run, and each claim becomes a row for each arbitration.
 *
 * A file is a scenario that claims something of its runs, a study that claims something of all its
 * runs together, or a plan; others in the folder are parts of these. */

#ifndef RUN_REPRODUCTION_H
#define RUN_REPRODUCTION_H

#include "record/rows.h"
#include "run/outcome.h"
#include "run/sweeping.h"
#include "scenario/study.h"

struct reproduction {
    const char *paper;                         /* "gfc" */
    const char *results;                       /* Where sweeps are kept. */
    enum scn_study_part part;                  /* Of studies. */
    const struct outcome_watcher *run_watcher; /* Or null, as the next. */
    const struct sweeping_watcher *sweep_watcher;
    struct rec_rows claims; /* struct rec_claim, those of one claim in a row. */
    uint64_t n_claims;
    struct err warning; /* What should be known of the last file; else empty. */
};

/* Adds the claims of a file.  Returns an exit code. */
int reproduce_file(struct reproduction *, const char *file, struct err *);

/* The same for each kind of file. */
int reproduce_runs(struct reproduction *, const char *file, struct err *);
int reproduce_sweep(struct reproduction *, const char *file, struct err *);
int reproduce_plan(struct reproduction *, const struct scn_node *root, struct err *);

/* Whether a number is as it was published. */
bool reproduce_holds(char sign, double published, double within, double measured);

#endif

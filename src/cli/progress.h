/* How far a run or a sweep is, in the last line of a terminal.
 *
 *     struct progress p = { 0 };
 *     struct outcome_watcher watcher = progress_of_runs(&p);
 *     job.watcher = progress_is_wanted() ? &watcher : NULL;
 *     outcome_run(&o, &job, &err);
 *     progress_wipe(&p);                  before anything else is written */

#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "run/sweeping.h"

struct progress {
    bool is_shown;
    double shown_s; /* Time since the run or sweep began, when it was shown last. */
};

/* Whether standard error is a terminal. */
bool progress_is_wanted(void);

struct outcome_watcher progress_of_runs(struct progress *);

/* For labs, which run in real time; on terminals only. */
struct outcome_watcher progress_of_labs(struct progress *);

/* Also for comparisons.  Reports runs that failed, on a terminal or not. */
struct sweeping_watcher progress_of_sweeps(struct progress *);

void progress_wipe(struct progress *);

#endif

/* Shows the progress of a long command in the last line of a terminal: a bar, a rate, the elapsed
 * time and the time left.
 *
 *     struct progress p = { 0 };
 *     struct outcome_watcher watcher = progress_of_runs(&p);
 *     job.watcher = progress_is_wanted() ? &watcher : NULL;
 *     outcome_run(&o, &job, &err);
 *
 * The line appears after a fifth of a second, changes ten times a second, and is as wide as the
 * terminal at most.  Nothing is written to a pipe or a file, nor with --quiet. */

#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "record/reader.h"
#include "run/sweeping.h"

struct progress {
    /* The time of its beginning, and the time at which it was last shown, counted from its
     * beginning. */
    double begun_s, shown_s;
    double first; /* The share that was done when it began. */
    uint64_t n_done;
    /* Names the task if the command has several: "gfc, paper 3 of 5"; or null. */
    const char *label;
};

/* Turns progress off. */
void progress_hush(void);

/* Whether standard error is a terminal and --quiet is not set. */
bool progress_is_wanted(void);

/* Reports that 'n_done' of 'n' parts are done. "what" names the parts, such as "switches". May be
 * called often. If fewer parts are done than before, a new task has begun. */
void progress_count(struct progress *, const char *what, uint64_t n_done, uint64_t n);

struct outcome_watcher progress_of_runs(struct progress *);

/* Reports the progress of labs, which run in real time, if standard error is a terminal. */
struct outcome_watcher progress_of_labs(struct progress *);

/* Reports the progress of sweeps and comparisons. Reports failed runs even if there is no
 * terminal. */
struct sweeping_watcher progress_of_sweeps(struct progress *);

/* Progress of reading a results file. */
struct progress_reading {
    struct progress progress;
    struct rec_file *files[64]; /* The results files that are being read. */
    size_t n_files;
};

struct rec_until progress_of_reading(struct progress_reading *);

/* Removes the progress line. Called before anything is written to the streams of the program. */
void progress_wipe(void);

#endif

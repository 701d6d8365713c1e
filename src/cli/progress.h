/* How far a long command is, in the last line of a terminal: a bar, a rate, the time that has
 * passed and the time left.
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
    double begun_s,
        shown_s;  /* When it began, by a clock, and when it was shown last, after that. */
    double first; /* The share that was done when it began. */
    uint64_t n_done;
};

/* No progress is shown from here on. */
void progress_hush(void);

/* Whether standard error is a terminal and --quiet is not set. */
bool progress_is_wanted(void);

/* Some parts of several are done: "what" are these, such as "switches".  May be called often; when
 * fewer are done than before, other work has begun. */
void progress_count(struct progress *, const char *what, uint64_t n_done, uint64_t n);

struct outcome_watcher progress_of_runs(struct progress *);

/* For labs, which run in real time; on terminals only. */
struct outcome_watcher progress_of_labs(struct progress *);

/* Also for comparisons.  Reports runs that failed, on a terminal or not. */
struct sweeping_watcher progress_of_sweeps(struct progress *);

/* For a results file, while it is read: how much of it has been. */
struct progress_reading {
    struct progress progress;
    struct rec_file *files[64]; /* The open progress lines. */
    size_t n_files;
};

struct rec_until progress_of_reading(struct progress_reading *);

/* Takes the line away.  Called before anything is written to the streams of the program. */
void progress_wipe(void);

#endif

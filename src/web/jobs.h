/* Runs that were started from the page, each as a process.
 *
 * The arguments of a process come from requests, so it is confined to the folder (`--confined`).
 * It ends with the server, however the server ends.
 *
 * All functions may be called from any thread.  An ended job is kept, with its last output, until
 * newer jobs need its slot. */

#ifndef WEB_JOBS_H
#define WEB_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"

enum { JOBS_MAX_RUNNING = 4, JOBS_MAX = 32, JOBS_MAX_SETS = 64 };

struct jobs;

struct jobs_start {
    const char *folder, *results;
    const char *scenario; /* A file, or the run of a results file: "results.db#3". */
    const char *sets[JOBS_MAX_SETS];
    size_t n_sets;
};

struct jobs *jobs_new(const char *program);

/* Ends all processes and refuses new ones. Processes that do not end soon are killed. Call it
 * before the threads that started the processes end, because the system then ends the processes,
 * too. */
void jobs_end(struct jobs *);
bool jobs_are_ending(const struct jobs *);
void jobs_free(struct jobs *); /* Call it after jobs_end(). */

/* Starts a job and returns its number, from 1; 0: too many are running, or the start failed. */
uint64_t jobs_start(struct jobs *, const struct jobs_start *, struct err *);
bool jobs_stop(struct jobs *, uint64_t number);

/* Detects jobs that have ended. Returns a number that grows with every change. */
uint64_t jobs_poll(struct jobs *);

/* The actual status of a run, given the status in its results file and the start of its command. If
 * its process was killed, the file has `running` for ever, and the function returns `killed`. */
const char *jobs_run_status(struct jobs *, const char *results, const char *status,
                            uint64_t command_ns);

/* Writes the jobs as a JSON list. */
void jobs_write(struct jobs *, struct json *);

/* Returns the output of `weir explain` for a scenario with its settings, which the caller frees.
 * Sets the exit code, which is not 0 if the scenario is refused. Returns null with an error if the
 * process could not be started or did not end in time. */
char *jobs_explain(struct jobs *, const struct jobs_start *, bool as_json, int *code, struct err *);

#endif

/* Runs that were started from the page: a process each.
 *
 * The arguments of a process come from requests, so it is confined to the folder (`--confined`).
 * It ends with the server, however that ends.
 *
 * All calls may come from any thread.  A job that has ended is remembered, with its last output,
 * until newer ones need its place. */

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

/* Ends all processes and lets none begin; those that do not end soon are killed.  Before the
 * threads that started them end, with which the system ends them, too. */
void jobs_end(struct jobs *);
bool jobs_are_ending(const struct jobs *);
void jobs_free(struct jobs *); /* After jobs_end(). */

/* Its number, from 1; 0: too many run, or none could be started. */
uint64_t jobs_start(struct jobs *, const struct jobs_start *, struct err *);
bool jobs_stop(struct jobs *, uint64_t number);

/* Notices those that have ended; a number that grows with every change. */
uint64_t jobs_poll(struct jobs *);

/* The status of a run whose results file has this one, and whose command began then: a run whose
 * process was killed has `running` for ever, and is `killed`. */
const char *jobs_run_status(struct jobs *, const char *results, const char *status,
                            uint64_t command_ns);

/* As a list of JSON. */
void jobs_write(struct jobs *, struct json *);

/* The scenario with its settings as `weir explain` writes it, freed by the caller, and its exit
 * code, which is not 0 if the scenario is refused.  Null: it could not be started, or did not end
 * in time, and 'err' has the reason. */
char *jobs_explain(struct jobs *, const struct jobs_start *, bool as_json, int *code, struct err *);

#endif

/* The scenario of a run that a results file has, so that it can be run again.
 *
 *     results.db#3        run 3
 *     results.db          the newest run
 *
 * Such a name can be given wherever a scenario's file can.  The scenario includes everything that
 * it read from other files, so nothing but the results file is needed. */

#ifndef RUN_RECORDED_H
#define RUN_RECORDED_H

#include <stdbool.h>

#include "base/err.h"
#include "run/exit.h"

bool recorded_is_name(const char *name);

enum recorded_text { RECORDED_SCENARIO, RECORDED_SETTINGS }; /* Settings: a line each. */

/* A text of the run, freed by the caller.  Returns an exit code: EXIT_USER if the file has no such
 * run; 'err' has the reason.  Confined: only a file below the current folder, without links. */
int recorded_read(const char *name, enum recorded_text, bool is_confined, char **text,
                  struct err *);

#endif

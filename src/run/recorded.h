/* The scenario of a run that a results file has, so that it can be run again.
 *
 *     results.db#3        run 3
 *     results.db          the newest run
 *
 * Such a name stands wherever a scenario's file may be named.  The scenario includes everything
 * that it read from other files, so nothing but the results file is needed. */

#ifndef RUN_RECORDED_H
#define RUN_RECORDED_H

#include <stdbool.h>

#include "base/err.h"
#include "run/exit.h"

bool recorded_is_name(const char *name);

/* Its text, freed by the caller.  Returns an exit code: EXIT_USER if the file has no such run;
 * 'err' says why.  Confined: only a file below the current folder, without links. */
int recorded_scenario(const char *name, bool is_confined, char **text, struct err *);

/* The settings of that run, a line each, on the same terms. */
int recorded_settings(const char *name, bool is_confined, char **text, struct err *);

#endif

/* Finds the scenario of a run in a results file, so that it can be run again.
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

enum recorded_text { RECORDED_SCENARIO, RECORDED_SETTINGS }; /* The settings are one per line. */

/* Reads a text of the run, which the caller frees. Returns an exit code, which is EXIT_USER if the
 * file has no such run. If 'is_confined', the file must be in or below the current folder, and no
 * symbolic link may lead to it. */
int recorded_read(const char *name, enum recorded_text, bool is_confined, char **text,
                  struct err *);

#endif

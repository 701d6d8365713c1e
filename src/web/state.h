/* The contents of the folder: results files with their runs, and scenarios. */

#ifndef WEB_STATE_H
#define WEB_STATE_H

#include <stdint.h>
#include <stdio.h>

#include "base/safe-open.h"
#include "web/jobs.h"
#include "web/web.h"

void state_write(FILE *, const struct web_config *, struct jobs *);

/* Whether the folder has a file of this name; and whether it has one, or a run could create it.
 * Links and hidden files are excluded (base/safe-open.h). */
bool state_has(const struct web_config *, const char *name, enum safe_kind);
bool state_may_have(const struct web_config *, const char *name, enum safe_kind);

/* A number that changes when a results file or a scenario changes, appears or disappears. */
uint64_t state_mark(const struct web_config *);

#endif

/* What there is in the folder: results files with their runs, and scenarios. */

#ifndef WEB_STATE_H
#define WEB_STATE_H

#include <stdint.h>
#include <stdio.h>

#include "web/jobs.h"
#include "web/web.h"

void state_write(FILE *, const struct web_config *, struct jobs *);

/* A number that is another when a results file or a scenario has changed, come or gone. */
uint64_t state_mark(const struct web_config *);

#endif

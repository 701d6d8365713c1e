/* A scenario explained: every default, and what follows from it. */

#ifndef EXPLAIN_EXPLAIN_H
#define EXPLAIN_EXPLAIN_H

#include <stdio.h>

#include "model/model.h"
#include "scenario/scenario.h"

/* The scenario with the values that differ from their defaults, or with all of them, then roles,
 * bounds and warnings.  Returns an exit code. */
int explain_write_text(FILE *, const struct scenario *, bool all, struct err *);

/* Every value that can be set, with its kind, range and meaning. */
void explain_write_json(FILE *, const struct scenario *);

/* The partition of a run into 'n' parts: a table and sentences, or JSON. */
bool explain_write_cut(FILE *, const struct model *, uint32_t n_parts, bool json, struct err *);

/* A line for each group of ports that derive the same values; nothing where all ports agree. */
void explain_write_ports(FILE *, const struct model_engines *);

#endif

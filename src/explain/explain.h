/* Explains a scenario: every default, and the values derived from it. */

#ifndef EXPLAIN_EXPLAIN_H
#define EXPLAIN_EXPLAIN_H

#include <stdio.h>

#include "model/model.h"
#include "scenario/scenario.h"

/* Writes the scenario with the values that differ from their defaults, or with all values, then
 * roles, bounds and warnings.  Returns an exit code. */
int explain_write_text(FILE *, const struct scenario *, bool all, struct err *);

/* Writes every value that can be set, with its kind, range and meaning. */
void explain_write_json(FILE *, const struct scenario *);

/* Writes the partition of a run into parts: a table and sentences, or JSON. */
bool explain_write_cut(FILE *, const struct model *, uint32_t n_parts, bool json, struct err *);

/* Writes a line for each group of ports with equal derived values; nothing if all ports are
 * equal. */
void explain_write_ports(FILE *, const struct model_engines *);

#endif

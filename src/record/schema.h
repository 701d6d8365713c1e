/* The schema of results files, complete: schema.sql with a column for each fact.
 *
 * A file must have exactly the tables of its version, with the same text except for comments and
 * spaces.  Nothing else is allowed: no views, no triggers, no foreign indexes or tables.  So
 * readers and writers know the effect of every statement. */

#ifndef RECORD_SCHEMA_H
#define RECORD_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct rec_file;

/* The complete schema of a version, as text that the caller frees. */
char *schema_text(int64_t version);
bool schema_check(struct rec_file *, struct err *);

/* Whether files of a version have a column of this name. All values of a column that a later
 * version added are unknown in them. */
bool schema_has(const char *column, int64_t version);

#endif

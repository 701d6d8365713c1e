/* The schema of results files, complete: schema.sql with a column for each fact.
 *
 * A file must have exactly these tables, with the same text except for comments and spaces.
 * Nothing else is allowed: no views, no triggers, no foreign indexes or tables.  So readers and
 * writers know the effect of every statement. */

#ifndef RECORD_SCHEMA_H
#define RECORD_SCHEMA_H

#include <stdbool.h>

#include "base/err.h"

struct rec_file;

char *schema_text(void); /* Freed by the caller. */
bool schema_check(struct rec_file *, struct err *);

#endif

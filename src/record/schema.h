/* The schema of results files, complete: schema.sql with a column for each fact.
 *
 * The tables of a file must be those that it makes: each of them, with the same text but for
 * comments and spaces.  A file has nothing else: no view, no trigger, no foreign index or table. So
 * readers and writers know the effect of a statement. */

#ifndef RECORD_SCHEMA_H
#define RECORD_SCHEMA_H

#include <stdbool.h>

#include "base/err.h"

struct rec_file;

char *schema_text(void); /* Freed by the caller. */
bool schema_check(struct rec_file *, struct err *);

#endif

/* Whether the tables of a results file are those that schema.sql makes: each of them, in the same
 * words but for comments and spaces.  A file has nothing else: no view, no trigger, no foreign
 * index or table.  So readers and writers know what a statement does. */

#ifndef RECORD_SCHEMA_CHECK_H
#define RECORD_SCHEMA_CHECK_H

#include "record/store.h"

bool schema_check(struct store *, struct err *);

#endif

/* Whether the tables of a results file are those that schema.sql makes: each of them, in the same
 * words but for comments and spaces, and nothing besides: no view, no trigger, no index or table of
 * somebody else's.  So whoever reads or writes knows what a statement does. */

#ifndef RECORD_LIKENESS_H
#define RECORD_LIKENESS_H

#include "record/store.h"

bool likeness_check(struct store *, struct err *);

#endif

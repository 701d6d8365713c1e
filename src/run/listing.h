/* A scenario as a scenario file: every value, with or without where it came from. */

#ifndef RUN_LISTING_H
#define RUN_LISTING_H

#include <stdio.h>

#include "scenario/scenario.h"

/* 'resolved' has the parameters that engines derived at the first node, for the comments; null: no
 * comments, and so the same text for all scenarios that run the same. */
void listing_print(FILE *, const struct scenario *, const struct weir_stack *resolved);

#endif

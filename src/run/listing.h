/* A scenario as a scenario file: every value, with or without where it came from. */

#ifndef RUN_LISTING_H
#define RUN_LISTING_H

#include <stdio.h>

#include "model/model.h"
#include "scenario/scenario.h"

/* Comments show what the engines of a node of the model have derived; a null model: no comments,
 * and so the same text for all scenarios that run the same. */
void listing_print(FILE *, const struct scenario *, const struct model *, uint32_t node);

/* Only values on which a run depends: the network, and those that differ from their defaults.  Long
 * lists have their first items. */
void listing_print_given(FILE *, const struct scenario *, const struct model *, uint32_t node);

/* All values without comments, as text that the caller frees. */
char *listing_text(const struct scenario *);

#endif

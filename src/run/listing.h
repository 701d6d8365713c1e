/* Writes a scenario as a scenario file: every value, with or without its origin. */

#ifndef RUN_LISTING_H
#define RUN_LISTING_H

#include <stdio.h>

#include "model/model.h"
#include "scenario/scenario.h"

/* Prints all values, with the values that the engines of 'node' derived as comments. With a null
 * model there are no comments, so scenarios that run alike have equal texts. */
void listing_print(FILE *, const struct scenario *, const struct model *, uint32_t node);

/* Prints only the values on which a run depends: the network, and values that differ from their
 * defaults.  Long lists show their first items only. */
void listing_print_given(FILE *, const struct scenario *, const struct model *, uint32_t node);

/* All values without comments, as text that the caller frees. */
char *listing_text(const struct scenario *);

#endif

/* Writes the last line of a result, which suggests the next command to the user.
 *
 *     next_step_write(stdout, "weir report %s", results);
 *
 * writes "Next: weir report r.db" after an empty line.  Output for programs does not have it. */

#ifndef OUTPUT_NEXT_STEP_H
#define OUTPUT_NEXT_STEP_H

#include <stdio.h>

void next_step_write(FILE *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Suggests how to record a result and show it: "add --record ring.db, then weir report ring.db" for
 * studies/gfc/ring.yaml. */
void next_step_record(FILE *, const char *scenario);

#endif

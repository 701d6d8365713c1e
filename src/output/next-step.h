/* The last line of a result for people: what to do next.
 *
 *     next_step_write(stdout, "weir report %s", results);
 *
 * writes "Next: weir report r.db" below an empty line.  Programs do not get it. */

#ifndef OUTPUT_NEXT_STEP_H
#define OUTPUT_NEXT_STEP_H

#include <stdio.h>

void next_step_write(FILE *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* How to record a result and look at it: "add --record ring.db, then weir report ring.db", of
 * studies/gfc/ring.yaml. */
void next_step_record(FILE *, const char *scenario);

#endif

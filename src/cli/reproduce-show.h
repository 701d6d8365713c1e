/* Claims of papers beside what came out, as text. */

#ifndef CLI_REPRODUCE_SHOW_H
#define CLI_REPRODUCE_SHOW_H

#include "run/reproduction.h"

enum { REPRODUCE_HEAD_BYTES = 300 };

/* The claims from 'from' on: those of one file.  'head' has the names of the columns that were
 * shown last. */
void reproduce_show_claims(const struct reproduction *, size_t from,
                           char head[REPRODUCE_HEAD_BYTES]);

/* How many hold. */
void reproduce_show_sum(const struct reproduction *);

/* What can be asked for: each figure or table, with what it draws and how many claims it has. */
void reproduce_show_list(const struct reproduction *);

/* "fig5, fig9, table1" */
void reproduce_names(const struct reproduction *, char *out, size_t max);

#endif

/* Shows claims of papers next to the measured values, as text. */

#ifndef CLI_REPRODUCE_SHOW_H
#define CLI_REPRODUCE_SHOW_H

#include "run/reproduction.h"

/* Shows the claims from index 'from' on, which are those of one file. */
void reproduce_show_claims(const struct reproduction *, size_t from);

/* Shows the number of claims that hold. */
void reproduce_show_sum(const struct reproduction *);

/* Lists the figures and tables, with their contents and numbers of claims. */
void reproduce_show_list(const struct reproduction *);

/* Writes the names nearest to a word, or all names, as text_offer() does. */
void reproduce_offer(const struct reproduction *, const char *word, char *out, size_t max);

#endif

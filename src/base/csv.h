/* CSV: text in quotes where it needs them (RFC 4180). */

#ifndef BASE_CSV_H
#define BASE_CSV_H

#include <stdio.h>

/* Writes no separator around it. */
void csv_text(FILE *, const char *);
void csv_quoted(FILE *, const char *); /* In quotes, whether it needs them or not. */

#endif

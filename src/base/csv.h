/* Writes CSV: text is quoted if necessary (RFC 4180). */

#ifndef BASE_CSV_H
#define BASE_CSV_H

#include <stdio.h>

/* Writes a text without separators. */
void csv_text(FILE *, const char *);
void csv_quoted(FILE *, const char *); /* Always quoted. */

#endif

/* Writes CSV: text is quoted if necessary (RFC 4180). */

#ifndef BASE_CSV_H
#define BASE_CSV_H

#include <stdio.h>

/* Write a text as a cell, without separators. */
void csv_text(FILE *, const char *);
void csv_quoted(FILE *, const char *); /* Always in quotes. */

#endif

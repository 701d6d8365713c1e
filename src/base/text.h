/* Text from the world: whole files, and words that were nearly right. */

#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

/* Reads a whole file into memory that the caller frees, with a zero byte behind it; any other zero
 * bytes are the caller's concern.  Refuses files over 'max_bytes'. */
char *text_read_file(const char *path, size_t max_bytes, size_t *len, struct err *);

/* The same of a file that is open, which is closed; 'name' is for what is said of it. */
char *text_read_open(int file, const char *name, size_t max_bytes, size_t *len, struct err *);

/* Null if all of it is UTF-8 without control characters but tabs and ends of lines; else where not.
 */
const char *text_find_bad(const char *text);

/* How many letters must be put in, taken out, changed or swapped to turn one word into the other.
 */
size_t text_distance(const char *a, const char *b);

/* Writes "; did you mean pfc or cbfc?", the nearest names to 'word' first, or nothing if none is
 * near.  The names stand in a table: the first at 'first', the next 'stride' bytes on. */
void text_offer(const char *word, const char *const *first, size_t stride, size_t n_names,
                char *out, size_t out_bytes);

/* FNV-1a: tells texts apart. */
uint64_t text_hash(const char *);

#endif

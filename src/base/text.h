/* Text from outside: whole files, and near misses of words. */

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

/* The same for an open file, which is closed; 'name' is used in errors. */
char *text_read_open(int file, const char *name, size_t max_bytes, size_t *len, struct err *);

/* Refuses the bytes of a file that is no text, as it has zero bytes. */
bool text_expect(const char *name, const char *text, size_t len, struct err *);

#define TEXT_NO_CHARACTER UINT32_MAX

/* The character that the first of n bytes begin with, and its length; TEXT_NO_CHARACTER and 1 if
 * they are not UTF-8.  0: more bytes are needed to say. */
size_t text_decode(const char *text, size_t n, uint32_t *character);

/* It is not seen itself, but changes how a terminal shows other text: control characters, those
 * that turn the direction of writing, and bytes that are no character. */
bool text_is_unseen(uint32_t character);

/* Null if all of it can be seen but tabs and ends of lines; else where not. */
const char *text_find_bad(const char *text);

/* How many bytes the character at 's' has; 0 if there is none in UTF-8, and 0 for a zero byte, too.
 */
size_t text_char_bytes(const char *s);

/* The replacement for bytes that are no character: U+FFFD. */
#define TEXT_REPLACEMENT "\xef\xbf\xbd"

/* A copy of 'n' bytes with a zero at its end, freed by the caller. Bytes that are not part of a
 * character become TEXT_REPLACEMENT. */
char *text_repaired(const char *bytes, size_t n);

/* True if a list of words separated by blanks contains this one. */
bool text_has_word(const char *words, const char *word);

/* Whether there is something before 'end', and 'end' is the last of it. */
bool text_ends_with(const char *text, const char *end);

/* The part of a text that fits, in whole UTF-8 characters. */
void text_cut(char *to, size_t bytes, const char *from);

/* The same with an ellipsis at the end of what does not fit; there is room for more than that. */
void text_shorten(char *to, size_t bytes, const char *from);

/* How many letters must be put in, taken out, changed or swapped to turn one word into the other.
 */
size_t text_distance(const char *a, const char *b);

/* Takes the next line off a list of lines: its first 'n' parts, which tabs separate, each of at
 * most 'bytes' with its end; they stand one after the other in 'parts'. False: there is no line. */
bool text_next_row(const char **at, size_t n, size_t bytes, char *parts);

/* The place of a word among names, which stand in a table: the first at 'first', the next 'stride'
 * bytes on, and some may be null.  'n_names': it is none of them. */
size_t text_find(const char *word, const void *first, size_t stride, size_t n_names);

/* Writes "; did you mean 'pfc' or 'cbfc'?", the names nearest to 'word'.  If none is near, writes
 * "; write pfc, cbfc or none", all names, if there is room for them; else nothing. */
void text_offer(const char *word, const char *const *first, size_t stride, size_t n_names,
                char *out, size_t out_bytes);

/* The same, but nothing if no name is near: where the names are listed elsewhere. */
void text_offer_near(const char *word, const char *const *first, size_t stride, size_t n_names,
                     char *out, size_t out_bytes);

/* A whole number of decimal digits and nothing else; false: it is none, or too large. */
bool text_number(const char *word, uint64_t *number);

/* A finite number and nothing else. */
bool text_real(const char *word, double *number);

/* FNV-1a: a hash of a text. */
uint64_t text_hash(const char *);

#endif

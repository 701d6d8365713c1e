/* Handles text from outside: whole files, and near misses of words. */

#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

/* Reads a whole file into memory that the caller frees, and appends a zero byte.  The caller must
 * handle other zero bytes.  Refuses files larger than 'max_bytes'. */
char *text_read_file(const char *path, size_t max_bytes, size_t *len, struct err *);

/* Like text_read_file(), for an open file, which is closed; 'name' is used in errors. */
char *text_read_open(int file, const char *name, size_t max_bytes, size_t *len, struct err *);

/* Refuses a file with zero bytes, which is not text. */
bool text_expect(const char *name, const char *text, size_t len, struct err *);

#define TEXT_NO_CHARACTER UINT32_MAX

/* Decodes the character at the beginning of n bytes, and returns its length. If the bytes are not
 * UTF-8, the character is TEXT_NO_CHARACTER and the length is 1. If more bytes are needed, it
 * returns 0. */
size_t text_decode(const char *text, size_t n, uint32_t *character);

/* Whether a character is invisible, but affects how a terminal shows other text: control
 * characters, characters that change the direction of writing, and invalid bytes. */
bool text_is_unseen(uint32_t character);

/* Finds the first invisible character other than tabs and newlines; null: there is none. */
const char *text_find_bad(const char *text);

/* The length of the character at 's' in bytes; 0 if it is not UTF-8, or a zero byte.
 */
size_t text_char_bytes(const char *s);

/* The replacement for invalid bytes: U+FFFD. */
#define TEXT_REPLACEMENT "\xef\xbf\xbd"

/* A copy of 'n' bytes with a zero at its end, freed by the caller. Bytes that are not part of a
 * character become TEXT_REPLACEMENT. */
char *text_repaired(const char *bytes, size_t n);

/* Whether a list of words separated by blanks contains this word. */
bool text_has_word(const char *words, const char *word);

/* Whether a text ends with 'end', and has something before it. */
bool text_ends_with(const char *text, const char *end);

/* Copies the part of a text that fits, in whole UTF-8 characters. */
void text_cut(char *to, size_t bytes, const char *from);

/* Like text_cut(), but a cut text ends with an ellipsis. 'bytes' must be larger than the
 * ellipsis. */
void text_shorten(char *to, size_t bytes, const char *from);

/* The number of letters to insert, delete, change or swap to turn one word into the other.
 */
size_t text_distance(const char *a, const char *b);

/* Reads the first 'n' parts of the next line. Parts are separated by tabs. Each takes 'bytes' in
 * 'parts', including its zero byte. Returns false after the last line. */
bool text_next_row(const char **at, size_t n, size_t bytes, char *parts);

/* The index of a word among names in a table. The first name is at 'first', the next one 'stride'
 * bytes later, and some may be null. Returns 'n_names' if no name equals the word. */
size_t text_find(const char *word, const void *first, size_t stride, size_t n_names);

/* Writes the names nearest to 'word': "; did you mean 'pfc' or 'cbfc'?". If none is near, writes
 * all names, "; write pfc, cbfc or none", if 'out' has space for them, else nothing. */
void text_offer(const char *word, const char *const *first, size_t stride, size_t n_names,
                char *out, size_t out_bytes);

/* Like text_offer(), but writes nothing if no name is near, for names that are listed elsewhere. */
void text_offer_near(const char *word, const char *const *first, size_t stride, size_t n_names,
                     char *out, size_t out_bytes);

/* Reads a whole number in decimal digits. Returns false if the word is anything else, or the number
 * is too large. */
bool text_number(const char *word, uint64_t *number);

/* Reads a finite number. Returns false if the word is anything else. */
bool text_real(const char *word, double *number);

/* FNV-1a: a hash of a text. */
uint64_t text_hash(const char *);

#endif

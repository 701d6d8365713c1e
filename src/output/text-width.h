/* Fits text for people into the width of the terminal. */

#ifndef OUTPUT_TEXT_WIDTH_H
#define OUTPUT_TEXT_WIDTH_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Columns of a line: COLUMNS of the environment, or the width of the terminal; else 80. */
size_t text_width(void);

/* Characters of n bytes: names of switches may be anyone's. */
size_t text_length(const char *, size_t n);

/* Whether a line may end at this place: at a blank, but not between a number and its unit. */
bool text_may_break(const char *text, size_t at);

/* How many bytes of a text fit into a line of that width, which ends at a blank or an end of line;
 * or has a single word that is wider. */
size_t text_line(const char *text, size_t width);

/* Writes lines that end at blanks.  The first goes on in column 'at', the others behind 'indent'
 * blanks; a word that is wider than a line is not broken. */
void text_wrap(FILE *, const char *text, size_t at, size_t indent);

/* The same of a text that is formatted first. */
void text_vprint(FILE *, size_t at, size_t indent, const char *format, va_list)
    __attribute__((format(printf, 4, 0)));

/* The same of a sentence that begins a line. */
void text_print(FILE *, size_t indent, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Wraps each line that is too wide.  The text behind a label, and a comment, go on below their
 * beginning. */
void text_wrap_lines(FILE *, const char *text);

#endif

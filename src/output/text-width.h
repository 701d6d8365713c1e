/* Fits text into the width of the terminal. */

#ifndef OUTPUT_TEXT_WIDTH_H
#define OUTPUT_TEXT_WIDTH_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The width of lines in columns: COLUMNS of the environment, or the width of the terminal; else
 * 80. */
size_t text_width(void);

/* The number of characters in n bytes of UTF-8, as names may have it. */
size_t text_length(const char *, size_t n);

/* Whether a line may end at this position: at a blank, but not between a number and its unit. */
bool text_may_break(const char *text, size_t at);

/* The number of bytes of a text that fit into a line of that width.  A line ends at a blank or a
 * newline, or has a single word that is wider. */
size_t text_line(const char *text, size_t width);

/* Wraps text at blanks.  The first line continues in column 'at', the others begin after 'indent'
 * blanks; a word that is wider than a line is not broken. */
void text_wrap(FILE *, const char *text, size_t at, size_t indent);

/* Like text_wrap(), for a formatted text. */
void text_vprint(FILE *, size_t at, size_t indent, const char *format, va_list)
    __attribute__((format(printf, 4, 0)));

/* Wraps a sentence that begins at the start of a line. */
void text_print(FILE *, size_t indent, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Wraps each line that is too wide. The text after a label continues under its beginning, and so
 * does a comment. */
void text_wrap_lines(FILE *, const char *text);

#endif

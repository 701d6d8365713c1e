/* Colours of lines on a terminal. Warnings, errors and summaries are recognized by their text; a
 * verdict has the level that its writer sets.
 *
 * Text is written and wrapped without colours, and the program's streams add them last
 * (plain-stream.h). So widths do not include escape sequences, and printed names cannot inject
 * their own. */

#ifndef OUTPUT_LINE_STYLE_H
#define OUTPUT_LINE_STYLE_H

#include <stdbool.h>
#include <stddef.h>

/* Sets the verdict and its level.  The verdict is printed once, at the beginning of a line, which
 * may be wrapped. */
enum line_level { LINE_GOOD, LINE_DOUBTFUL, LINE_BAD };
void line_style_judge(const char *verdict, enum line_level);

/* The escape sequence that begins the style of a line of n bytes; null: it has none. A line that is
 * indented because it was wrapped has the style of the previous line, 'before', which may be
 * null. */
const char *line_style(const char *line, size_t n, bool is_error, const char *before);

#define LINE_STYLE_END "\x1b[0m"

#endif

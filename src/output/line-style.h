/* Colours of lines on a terminal: warnings, errors and summaries, by how a line reads; a verdict,
 * by the level that its writer gives it.
 *
 * Text is made and wrapped without colours, and the streams of the program add them last
 * (plain-stream.h), so that no width counts an escape sequence and no name can bring its own. */

#ifndef OUTPUT_LINE_STYLE_H
#define OUTPUT_LINE_STYLE_H

#include <stdbool.h>
#include <stddef.h>

/* The verdict, which is printed once, as the beginning of a line or of lines that are wrapped. */
enum line_level { LINE_GOOD, LINE_DOUBTFUL, LINE_BAD };
void line_style_judge(const char *verdict, enum line_level);

/* The escape sequence that begins the style of a line of n bytes; null: it has none.  A line that
 * is indented by a wrap has the style of the line before it, which is given and may be null. */
const char *line_style(const char *line, size_t n, bool is_error, const char *before);

#define LINE_STYLE_END "\x1b[0m"

#endif

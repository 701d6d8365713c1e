/* Words of a figure: how wide they are about, and on how many lines they fit.
 *
 *     const char *rest = label;
 *     for (struct plot_words w; plot_next_line(&rest, max_chars, &w);) ...
 */

#ifndef REPORT_PLOT_TEXT_H
#define REPORT_PLOT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* No figure knows the font that it is shown in: a bit more than digits of Helvetica have. */
#define PLOT_CHAR_WIDTH  6.9 /* At 12 px. */
#define PLOT_LINE_HEIGHT 16

struct plot_words {
    const char *at;
    size_t len;
};

/* As many whole words as fit, or a part of one that is too long.  False: there are none left. */
bool plot_next_line(const char **rest, size_t max_chars, struct plot_words *);
size_t plot_count_lines(const char *text, size_t max_chars);

/* At its lines from (x, y) on downwards; 'more' are attributes. */
void plot_write_words(FILE *, double x, double y, const char *more, const char *text,
                      size_t max_chars);

#endif

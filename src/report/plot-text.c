/* Breaks words of a figure into lines, and writes them. */

#include "report/plot-text.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/xml.h"

bool
plot_next_line(const char **rest, size_t max_chars, struct plot_words *w)
{
    const char *at = *rest + strspn(*rest, " ");
    size_t len = strlen(at), fits = len;

    if (len > max_chars) {
        for (fits = max_chars; fits && at[fits] != ' ';) {
            fits--;
        }
        fits = fits ? fits : max_chars;
    }
    *w = (struct plot_words){ at, fits };
    *rest = at + fits;
    return fits != 0;
}

size_t
plot_count_lines(const char *text, size_t max_chars)
{
    size_t n = 0;

    for (struct plot_words w; plot_next_line(&text, max_chars, &w);) {
        n++;
    }
    return n;
}

void
plot_write_words(FILE *out, double x, double y, const char *more, const char *text,
                 size_t max_chars)
{
    char *line = array_new(strlen(text) + 1, 1);

    for (struct plot_words w; plot_next_line(&text, max_chars, &w); y += PLOT_LINE_HEIGHT) {
        memcpy(line, w.at, w.len);
        line[w.len] = '\0';
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, more);
        xml_text(out, line);
        fputs("</text>\n", out);
    }
    free(line);
}

/* Fits the text that a command prints into the width of the terminal. */

#include "cli/wrapped.h"

#include <stdlib.h>

#include "output/text-width.h"

void
wrapped_begin(struct wrapped *w, bool is_text)
{
    *w = (struct wrapped){ 0 };
    if (is_text) {
        w->out = stdout;
        stdout = open_memstream(&w->text, &w->len);
    }
}

void
wrapped_end(struct wrapped *w)
{
    if (w->out) {
        fclose(stdout);
        stdout = w->out;
        text_wrap_lines(stdout, w->text);
        free(w->text);
    }
}

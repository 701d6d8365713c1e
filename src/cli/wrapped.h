/* The text of a command, wrapped to the width of the terminal.
 *
 *     struct wrapped wrapped;
 *     wrapped_begin(&wrapped, form == CLI_TEXT);        collects standard output from here on
 *     printf(...);
 *     wrapped_end(&wrapped);                            wraps and writes it */

#ifndef CLI_WRAPPED_H
#define CLI_WRAPPED_H

#include <stdbool.h>
#include <stdio.h>

struct wrapped {
    FILE *out; /* Null: the output is not text, so it is not wrapped. */
    char *text;
    size_t len;
};

void wrapped_begin(struct wrapped *, bool is_text);
void wrapped_end(struct wrapped *);

#endif

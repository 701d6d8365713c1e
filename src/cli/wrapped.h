/* The text of a verb, wrapped to the width of the terminal.
 *
 *     struct wrapped wrapped;
 *     wrapped_begin(&wrapped, form == CLI_TEXT);      from here on, standard output is collected
 *     printf(...);
 *     wrapped_end(&wrapped);                          and written */

#ifndef CLI_WRAPPED_H
#define CLI_WRAPPED_H

#include <stdbool.h>
#include <stdio.h>

struct wrapped {
    FILE *out; /* Null: the output is not text, and is not wrapped. */
    char *text;
    size_t len;
};

void wrapped_begin(struct wrapped *, bool is_text);
void wrapped_end(struct wrapped *);

#endif

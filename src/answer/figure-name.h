/* Names of the figures and tables of a paper, as a user types them: "fig9" for the source "6.1.2,
 * Fig. 9", "tableiii" for "Table III".  For other sources the name has their words: "7-loop" for
 * "7, loop". */

#ifndef ANSWER_FIGURE_NAME_H
#define ANSWER_FIGURE_NAME_H

#include <stdbool.h>

enum { FIGURE_NAME_BYTES = 80 };

void figure_name(const char *source, char name[FIGURE_NAME_BYTES]);

/* Whether 'asked' selects a name: the name itself in any spelling ("Fig. 9", "table-1"), or the
 * figure of which it is a part ("fig16" for fig16a). */
bool figure_is_asked(const char *asked, const char *name);

#endif

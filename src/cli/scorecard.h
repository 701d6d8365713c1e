/* The scorecard of a paper, as text. */

#ifndef CLI_SCORECARD_H
#define CLI_SCORECARD_H

#include "run/reproduction.h"

/* A row for each statement, and how many have each verdict. */
void scorecard_show(const struct reproduction *);

/* The statements with their sources; nothing was run. */
void scorecard_list(const struct reproduction *);

/* A row per paper, with the number of statements for each verdict. */
void scorecard_show_head(void);
void scorecard_show_paper(const struct reproduction *);

#endif

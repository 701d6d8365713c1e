/* Shows the scorecard of a paper as text. */

#ifndef CLI_SCORECARD_H
#define CLI_SCORECARD_H

#include "run/reproduction.h"

/* Shows a row for each statement, and the number of statements with each verdict. */
void scorecard_show(const struct reproduction *);

/* Lists the statements with their sources, without running anything. */
void scorecard_list(const struct reproduction *);

/* Shows a row for each paper, with the number of statements for each verdict. */
void scorecard_show_head(void);
void scorecard_show_paper(const struct reproduction *);

#endif

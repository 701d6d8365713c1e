/* The statements of a paper, each with its verdict: the scorecard of `weir reproduce`.
 *
 * studies/NAME/statements.yaml has one row for each statement, under one interpretation of the
 * paper:
 *
 *     paper: "Gentle Flow Control (Qian et al., SIGCOMM 2019)"
 *     reading: paper.yaml
 *     statements:
 *       - says: PFC deadlocks in the ring.
 *         source: "6.1.2, Fig. 9"
 *         in: ring-seeds.yaml                a study or plan next to this file
 *         of: deadlocks                      and the keys of a claim about it (scenario/claims.c)
 *         engine: pfc
 *         published: yes
 *         why: The order of service decides when it forms.
 *       - says: Messages take 0.21 % of the bandwidth.
 *         ...
 *         published: 0.21%
 *         within: 20%                        so far off it still holds
 *         neutral: 0                         the value without the effect that is claimed
 *       - says: The testbed shows the same.
 *         source: "6.1"
 *         not-tested: Weir has no such testbed.
 *
 * The measured value is that of the median run, next to the range of single runs.  If the paper
 * says yes or no, the value is the share of runs with yes, and the majority decides. */

#ifndef RUN_STATEMENTS_H
#define RUN_STATEMENTS_H

#include "run/reproduction.h"

/* Adds a row to the scorecard for each statement of a file that the user selected.  Returns an exit
 * code. */
int statements_judge(struct reproduction *, const char *file, const struct scn_node *root,
                     struct err *);

/* Adds the row of one statement: the measured value and the verdict. */
void statements_add_row(struct reproduction *, const struct scn_claim *, const struct reproduced *);

#endif

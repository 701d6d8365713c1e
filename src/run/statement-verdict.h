/* The verdict on a statement of a paper: compares the measured value with the published one.
 *
 *     holds       the measured value is within the tolerance, or within the bound
 *     stronger    it lies beyond the published value, in the direction that the paper claims
 *     direction   it lies in that direction, but not as far; or never was published, and most runs
 *                 have none
 *     no          neither: it lies on the other side of the neutral value, or some single run does,
 *                 or the statement has no direction
 *     not tested  nothing was measured that could decide it */

#ifndef RUN_STATEMENT_VERDICT_H
#define RUN_STATEMENT_VERDICT_H

#include "run/reproduction.h"

enum verdict {
    VERDICT_HOLDS,
    VERDICT_STRONGER,
    VERDICT_DIRECTION,
    VERDICT_NO,
    VERDICT_NOT_TESTED,
    N_VERDICTS
};

extern const char *const verdict_names[N_VERDICTS];

/* Whether a claim holds with this value. */
bool verdict_holds(const struct scn_claim *, double value);

/* Whether values that are unknown, because flows have not finished, cannot change the verdict. */
bool verdict_is_certain(const struct scn_claim *, const struct reproduced *);

/* The verdict, and the reason if the statement is not tested. */
enum verdict verdict_of(const struct scn_claim *, const struct reproduced *, const char **why);

#endif

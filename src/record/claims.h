/* What papers claim and what came out, and what their figures draw, in a results file. */

#ifndef RECORD_CLAIMS_H
#define RECORD_CLAIMS_H

#include "base/err.h"
#include "record/rows.h"

/* Of a study. */
struct rec_paper {
    const char *study;
    const struct rec_rows *claims, *figures; /* struct rec_claim, struct rec_figure. */
    bool is_part; /* They are those of one figure: others of the same scenarios are left. */
};

/* Puts claims in the place of those that the file has of the same scenarios, and figures in that of
 * those of the same names, all or none; but what was measured on a sample leaves what was measured
 * on the whole. */
bool rec_claims_put(const char *path, const struct rec_paper *, struct err *);

#endif

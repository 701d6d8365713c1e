/* Claims of papers with the measured values, and the contents of their figures, in a results
 * file. */

#ifndef RECORD_CLAIMS_H
#define RECORD_CLAIMS_H

#include "base/err.h"
#include "record/rows.h"

/* The claims and figures of a study. */
struct rec_paper {
    const char *study;
    const struct rec_rows *claims, *figures; /* struct rec_claim, struct rec_figure. */
    bool is_part; /* They are those of one figure: others of the same scenarios are left. */
};

/* Replaces the file's claims of the same scenarios, and its figures of the same names, all or none.
 * But a value measured on a sample does not replace one measured on the whole. */
bool rec_claims_put(const char *path, const struct rec_paper *, struct err *);

#endif

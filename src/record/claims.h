/* Claims of papers with the measured values, and the contents of their figures, in a results
 * file. */

#ifndef RECORD_CLAIMS_H
#define RECORD_CLAIMS_H

#include "base/err.h"
#include "record/reader.h"

/* The scorecard, the claims and the figures of a study: struct rec_statement, rec_claim and
 * rec_figure. */
struct rec_paper {
    const char *study;
    const struct rec_rows *scorecard, *claims, *figures;
    /* Only the statements of one figure are present; other statements of the same scenarios are
     * not. */
    bool is_part;
};

/* Replaces the file's statements of the same sources, claims of the same scenarios, and figures of
 * the same names, in one transaction.  But a value measured on a sample does not replace one
 * measured on the whole study. */
bool rec_claims_put(const char *path, const struct rec_paper *, struct err *);

/* The number of statements and claims of papers in a file. */
bool rec_claims_count(struct rec_file *, uint64_t *n, struct err *);

#endif

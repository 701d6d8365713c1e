/* What papers claim and what came out, in a results file. */

#ifndef RECORD_CLAIMS_H
#define RECORD_CLAIMS_H

#include "base/err.h"
#include "record/rows.h"

/* Puts claims in the place of those that the file has of the same scenarios of a study, all or
 * none; but what was measured on a sample leaves what was measured on the whole. */
bool rec_claims_put(const char *path, const char *study, const struct rec_rows *claims,
                    struct err *);

#endif

/* Checks a study's claims: selects the runs that a claim is about, and reduces their summaries to
 * one value. */

#ifndef RUN_CLAIM_CHECK_H
#define RUN_CLAIM_CHECK_H

#include "run/reproduction.h"

struct claim_check {
    const struct scn_study *study;
    struct rec_rows rows;      /* struct rec_summary */
    struct rec_rows workloads; /* struct rec_workload */
    const struct scn_study_axis *arbitrations;
    const char *arbitration; /* The base scenario's, unless it is varied. */
    uint64_t n_refused;      /* Runs that could not be made: then nothing is judged. */
};

/* The row of a claim, but for the name of its runs: under an arbitration, if the study varies it.
 */
struct reproduced claim_check_measure(const struct claim_check *, const struct scn_claim *,
                                      const char *arbitration);

#endif

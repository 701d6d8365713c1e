/* Checks a study's claims: selects the runs that a claim is about, and reduces their summaries to
 * one value. */

#ifndef RUN_CLAIM_CHECK_H
#define RUN_CLAIM_CHECK_H

#include "record/rows.h"
#include "scenario/study.h"

struct claim_check {
    const struct scn_study *study;
    struct rec_rows rows;      /* struct rec_summary */
    struct rec_rows workloads; /* struct rec_workload */
    const struct scn_study_axis *arbitrations;
    const char *arbitration; /* The base scenario's, unless it is varied. */
    uint64_t n_refused;      /* Runs that could not be made: then nothing is judged. */
};

/* The measured value of a claim; negative: there is none. */
struct measured {
    double value;
    double lowest, highest; /* Over single runs. */
    uint64_t n_runs;
    bool is_least, is_most; /* It is that or more; or less: some flow has not ended. */
};

/* Under an arbitration, if the study varies it. */
struct measured claim_check_measure(const struct claim_check *, const struct scn_study_claim *,
                                    const char *arbitration);

/* Whether unknown values cannot change the verdict. */
bool claim_check_is_certain(const struct measured *, const struct scn_study_claim *, bool holds);

#endif

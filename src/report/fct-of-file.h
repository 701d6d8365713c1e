/* Flow completion times of a recorded run, from its table of flows: the same numbers that the run
 * itself gave, in more detail than its table `workload` keeps.
 *
 * Ends of flows are written at the end of a run: before it, no flow counts. */

#ifndef REPORT_FCT_OF_FILE_H
#define REPORT_FCT_OF_FILE_H

#include "answer/completion-table.h"
#include "record/reader.h"
#include "report/flow-waits.h"

struct rep_fct {
    weir_ps until_ps;          /* The end of the run, which is set first. */
    struct completion flows;   /* Flows that are measured and finite. */
    struct rec_rows workloads; /* Rows of the file, for their names. */
    struct rec_rows worst;     /* Rows of the worst flows, the worst first. */
    struct completion_table table;
    char *why[COMPLETION_MAX_WORST]; /* Texts of the table. */
};

/* Each row of the run's flows, by id, for rec_read_each(); then the rest is read and worked out. */
void rep_fct_add(void *completions, const void *flow);
bool rep_fct_finish(struct rep_fct *, struct rec_file *, uint64_t run, const uint64_t *edges,
                    size_t n_edges, struct err *);
void rep_fct_free(struct rep_fct *);

/* Adds what the worst flows waited for; nothing, if that was not recorded. */
void rep_fct_explain(struct rep_fct *, const struct rep_flow_waits *, const struct rec_rows *nodes,
                     const struct rec_rows *ports);

/* Writes all of it at once. */
bool rep_fct_read(struct rep_fct *, struct rec_file *, const struct rec_run *,
                  const uint64_t *edges, size_t n_edges, struct err *);

#endif

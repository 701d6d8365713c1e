/* Flow completion times of a recorded run, computed from its table of flows. The numbers are those
 * of the run itself, in more detail than in its table `workload`.
 *
 * Ends of flows are written at the end of a run; until then no flow counts. */

#ifndef REPORT_FCT_OF_FILE_H
#define REPORT_FCT_OF_FILE_H

#include "answer/completion-table.h"
#include "record/reader.h"
#include "report/flow-waits.h"

struct rep_fct {
    weir_ps until_ps;          /* The end of the run, which the caller sets first. */
    struct completion flows;   /* The measured, finite flows. */
    struct rec_rows workloads; /* The workloads of the run, for their names. */
    struct rec_rows worst;     /* The worst flows as rows of the file, the worst first. */
    struct completion_table table;
    char *why[COMPLETION_MAX_WORST]; /* The texts that the table refers to. */
};

/* Add the flows of a run and compute the result. Pass rep_fct_add() to rec_read_each(), which calls
 * it for each flow in the order of ids. Then rep_fct_finish() reads the rest. */
void rep_fct_add(void *completions, const void *flow);
bool rep_fct_finish(struct rep_fct *, struct rec_file *, uint64_t run, const uint64_t *edges,
                    size_t n_edges, struct err *);
void rep_fct_free(struct rep_fct *);

/* Adds the reasons for which the worst flows waited, if they were recorded. */
void rep_fct_explain(struct rep_fct *, const struct rep_flow_waits *, const struct rec_rows *nodes,
                     const struct rec_rows *ports);

/* Reads the flows and computes the result in one call. */
bool rep_fct_read(struct rep_fct *, struct rec_file *, const struct rec_run *,
                  const uint64_t *edges, size_t n_edges, struct err *);

#endif

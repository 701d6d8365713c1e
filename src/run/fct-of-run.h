/* Flow completion times of a run, with the names of its workloads and of the worst flows. */

#ifndef RUN_FCT_OF_RUN_H
#define RUN_FCT_OF_RUN_H

#include "answer/completion-table.h"
#include "run/outcome.h"

struct fct_of_run {
    struct completion_table table;
    char names[COMPLETION_MAX_WORST][SCN_NAME_BYTES]; /* That the table lends. */
};

/* Not to be moved afterwards; no longer than the outcome is there. */
void fct_of_run_fill(struct fct_of_run *, const struct outcome *, const uint64_t *edges,
                     size_t n_edges);
void fct_of_run_free(struct fct_of_run *);

#endif

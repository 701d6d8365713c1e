/* How the flows of a run fared, with the names of its workloads and of the worst flows. */

#ifndef RUN_COMPLETED_H
#define RUN_COMPLETED_H

#include "answer/completion-table.h"
#include "run/outcome.h"

struct completed {
    struct completion_table table;
    char names[COMPLETION_MAX_WORST][SCN_NAME_BYTES]; /* That the table lends. */
};

/* Not to be moved afterwards; no longer than the outcome is there. */
void completed_fill(struct completed *, const struct outcome *, const uint64_t *edges,
                    size_t n_edges);
void completed_free(struct completed *);

#endif

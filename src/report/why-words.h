/* Ports, roots and reasons in words, for reports on the wait accounting of flows.
 *
 *     struct rep_names names = { &nodes, &ports, suffering.why->n_classes };
 *     rep_add_reason(&text, &names, &suffering, flow);
 *
 * gives "pauses at H1 to S1, because of S2 to H9". */

#ifndef REPORT_WHY_WORDS_H
#define REPORT_WHY_WORDS_H

#include "report/flow-waits.h"
#include "weir/field.h"

struct rep_names {
    const struct rec_rows *nodes, *ports;
    uint32_t n_classes; /* A class is named where there are several. */
};

/* "S1 to S2" */
void rep_add_port(struct weir_text *, const struct rep_names *, uint32_t port, uint32_t cls);

/* "S1 to H2", "the ring S1 to S2, S2 to S3, S3 to S1" */
void rep_add_root(struct weir_text *, const struct rep_names *, const struct why_root *);

/* Adds the longest wait of a flow, if it had any. */
void rep_add_reason(struct weir_text *, const struct rep_names *, const struct rep_flow_waits *,
                    const struct rep_sufferer *);

#endif

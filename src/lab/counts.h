/* What a lab counts beside what a simulation does: how late its nodes were, and frames that came to
 * nothing.  They stand among the counters of nodes in results files. */

#ifndef LAB_COUNTS_H
#define LAB_COUNTS_H

#include "dataplane/node.h"
#include "run/outcome.h"

/* Of a node, from what all have counted: [node]. */
void lab_count_node(struct outcome *, uint32_t node, const struct dp_counts *);

#endif

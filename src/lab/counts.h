/* Counters of a lab in addition to those of a simulation: how late its nodes were, and frames that
 * came to nothing.  They stand among the counters of nodes in results files. */

#ifndef LAB_COUNTS_H
#define LAB_COUNTS_H

#include "dataplane/node.h"
#include "run/outcome.h"

/* Adds those of a node, from the counts of all: [node]. */
void lab_count_node(struct outcome *, uint32_t node, const struct dp_counts *);

#endif

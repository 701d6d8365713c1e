/* Packets that a node had room for in its buffer, and no frame to hold them by: the resource that
 * ran out, and a remedy, in words. */

#ifndef LAB_UNHELD_H
#define LAB_UNHELD_H

#include "dataplane/node.h"
#include "run/outcome.h"

/* For a node that has dropped 'n' so, and may hold 'max_held' frames. */
void lab_unheld_words(const char *node, uint64_t n, uint32_t max_held, struct weir_text *);

/* Packets of a node, by a simulation that knows of it. */
uint64_t lab_unheld_at(const struct sim *, uint32_t node);

/* Says so in the outcome of a lab, of the node that has dropped most: [node]. */
void lab_unheld_warn(struct outcome *, const struct dp_counts *);

#endif

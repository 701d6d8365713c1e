/* The expected work of a model: packets that cross its links, by which it is cut into parts that
 * have as much to do. */

#ifndef MODEL_DEMAND_H
#define MODEL_DEMAND_H

#include "model/model.h"

/* [link]: packets that cross it while the model runs, ACKs too, in both directions; to be freed.
 * Each switch shares out evenly, and no link carries more than its rate allows. */
uint64_t *model_expect(const struct model *);

/* Cuts the model into parts (topo/cut.h), by what is expected. */
bool model_cut(const struct model *, uint32_t n_parts, uint32_t *part, struct err *);

#endif

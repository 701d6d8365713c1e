/* What a plant is expected to have to do: packets that cross its links, by which it is cut into
 * parts that have as much to do. */

#ifndef PLANT_DEMAND_H
#define PLANT_DEMAND_H

#include "plant/plant.h"

/* [link]: packets that cross it while the plant runs, ACKs too, in both directions; to be freed.
 * Each switch shares out evenly, and no link carries more than its rate allows. */
uint64_t *plant_expect(const struct plant *);

/* Cuts the plant into parts (topo/cut.h), by what is expected. */
bool plant_cut(const struct plant *, uint32_t n_parts, uint32_t *part, struct err *);

#endif

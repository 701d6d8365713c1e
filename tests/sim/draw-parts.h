/* Parts of a random scenario, each in a file of its own. */

#ifndef TESTS_SIM_DRAW_PARTS_H
#define TESTS_SIM_DRAW_PARTS_H

#include "draw.h"

/* draw-network.c: topology, links, and the parts that threads run. */
void draw_network(struct draw *);

/* draw-kind.c: what switches do with packets. */
void draw_kind(struct draw *, uint64_t seed);

#endif

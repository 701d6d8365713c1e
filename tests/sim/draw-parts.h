/* The parts of a random scenario, each in its own file. */

#ifndef TESTS_SIM_DRAW_PARTS_H
#define TESTS_SIM_DRAW_PARTS_H

#include "draw.h"

/* Topology, links, and the parts that threads run: draw-network.c. */
void draw_network(struct draw *);

/* The kind of the switches: draw-kind.c. */
void draw_kind(struct draw *, uint64_t seed);

#endif

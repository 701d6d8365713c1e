/* Writes GOAL files for tests, as text or binary, from graphs of sends, receives and calculations.
 */

#ifndef TESTS_GRAPH_GOAL_WRITE_H
#define TESTS_GRAPH_GOAL_WRITE_H

#include <stdio.h>

#include "graph/graph.h"

/* All ranks must be finished. */
void goal_write_text(FILE *, const struct graph *);
void goal_write_binary(FILE *, const struct graph *);

#endif

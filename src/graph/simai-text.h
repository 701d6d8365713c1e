/* The text of SimAI workloads. */

#ifndef GRAPH_SIMAI_TEXT_H
#define GRAPH_SIMAI_TEXT_H

#include "graph/simai.h"

/* Reads the number of ranks, the sizes of groups, and the layers. */
bool simai_read(struct simai *, struct err *);

#endif

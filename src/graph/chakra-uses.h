/* The groups and collectives that the ranks of a Chakra trace use, as graphs number them. */

#ifndef GRAPH_CHAKRA_USES_H
#define GRAPH_CHAKRA_USES_H

#include "graph/chakra.h"

/* The numbers of collectives on one group; GRAPH_NONE: there is none. */
struct chakra_use {
    uint32_t collectives[COLL_N_OPS];
};

/* The number of a collective; GRAPH_NONE: there is none. */
uint32_t chakra_use_find(const struct chakra *, const struct chakra_group *, enum coll_op);

/* The same, which is added if it is not there. */
uint32_t chakra_use_add(struct chakra *, const struct chakra_group *, enum coll_op);

/* Reads one rank; 'adds' may be null, and is else the same trace, to which collectives are added.
 * chakra-rank.c */
bool chakra_rank_read(const struct chakra *, struct graph *, uint32_t rank, struct chakra *adds,
                      struct err *);

#endif

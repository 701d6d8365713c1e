/* The two formats of GOAL files, as goal.c sees them. */

#ifndef GRAPH_GOAL_FORMAT_H
#define GRAPH_GOAL_FORMAT_H

#include "graph/goal.h"

/* Where a rank is in the file. */
struct goal_place {
    uint64_t from, to; /* Its first byte, and the byte after its last one, which text leaves 0. */
    uint64_t line;     /* Text: the line and column of its first byte. */
    unsigned column;
};

struct goal_format {
    /* Reads the number of ranks and, in a binary file, the offset of each. */
    bool (*open)(struct goal *, struct err *);

    /* Reads a rank; in text, notes where the next one begins, if there is a place for it. */
    bool (*load)(const struct goal *, struct graph *, uint32_t rank, struct goal_place *next,
                 struct err *);
};

extern const struct goal_format goal_text, goal_binary;

#endif

/* The ids of the nodes of a rank, which may be any numbers of 64 bits; each node has the number of
 * its task. */

#ifndef GRAPH_CHAKRA_IDS_H
#define GRAPH_CHAKRA_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct chakra_id {
    uint64_t id;
    uint64_t offset; /* The place of its node in the file. */
};

struct chakra_ids {
    struct chakra_id *ids; /* By task. */
    size_t n, max;
    uint32_t *slots; /* A hash table of tasks plus 1; 0: an empty place. */
    size_t n_slots;  /* A power of two. */
};

/* Adds the id of the next task; false: a node has it, at the offset 'twin'. */
bool chakra_ids_add(struct chakra_ids *, uint64_t id, uint64_t offset, uint64_t *twin);

/* The task of an id, or GRAPH_NONE. */
uint32_t chakra_ids_find(const struct chakra_ids *, uint64_t id);
void chakra_ids_free(struct chakra_ids *);

#endif

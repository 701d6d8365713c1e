/* Groups of ranks that collectives of Chakra traces name: process groups.
 *
 * Groups come from a file of JSON, or from a node of the trace:
 *
 *     {"1": [0, 1, 2, 3], "2": [4, 5, 6, 7]}
 *     [{"pg_name": "1", "ranks": [0, 1, 2, 3]}, {"pg_name": "2", "ranks": []}]
 *
 * PyTorch's observer writes the second form; it has other members, too, and quotes around it.  A
 * list without ranks stands for all ranks. */

#ifndef GRAPH_CHAKRA_GROUPS_H
#define GRAPH_CHAKRA_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct chakra_group {
    char *name;
    uint32_t *ranks; /* In their order in the group; null: all ranks. */
    size_t n, max;
};

struct chakra_groups {
    struct chakra_group *groups;
    size_t n, max;
    uint32_t *slots; /* A hash table of indexes plus 1; 0: an empty place. */
    size_t n_slots;  /* A power of two. */
    bool has_ranks;  /* Groups of one name may have other ranks: those of several files. */
};

/* The fault of a text, and its place. */
struct chakra_fault {
    char text[160];
    size_t at;
};

/* Add the groups of a text that ends with a zero byte.  Ranks are below n_ranks. */
bool chakra_groups_of_file(struct chakra_groups *, const char *text, uint32_t n_ranks,
                           struct chakra_fault *);
bool chakra_groups_of_node(struct chakra_groups *, const char *text, uint32_t n_ranks,
                           struct chakra_fault *);

/* Whether the inputs of a node list groups. */
bool chakra_groups_are_in(const char *text);

/* Adds a group, whose memory the list takes, and that is not there yet.  Returns its index. */
uint32_t chakra_group_add(struct chakra_groups *, struct chakra_group);

/* A group with this name and, if the list has ranks, with these ranks; or null. */
const struct chakra_group *chakra_group_find(const struct chakra_groups *,
                                             const struct chakra_group *);

/* A copy with memory of its own. */
struct chakra_group chakra_group_copy(const struct chakra_group *);
void chakra_group_free(struct chakra_group *);
void chakra_groups_free(struct chakra_groups *);

#endif

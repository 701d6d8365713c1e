/* The pauses at an instant as trees: each port is under the port that it waits for.
 *
 *     struct why_tree tree = { 0 };
 *     why_tree_at(w, at_ps, &tree);
 *     for each of tree.leaves ...                            depth first, the order of printing
 *     free(tree.leaves); */

#ifndef ANSWER_WHY_TREE_H
#define ANSWER_WHY_TREE_H

#include "answer/why.h"

/* The role of a port in a tree. */
enum why_role { WHY_WAITS, WHY_OUTPUT_ROOT, WHY_PEER_ROOT, WHY_DOWN_ROOT, WHY_CYCLE_ROOT };

/* A port of a tree, and its parent. */
struct why_leaf {
    uint32_t above, slot;
    enum why_role role;
    uint32_t depth; /* 0: it is at the top. */
};

struct why_tree {
    struct why_leaf *leaves;
    size_t n, max;
    size_t n_paused;
};

void why_tree_at(const struct why *, weir_ps at_ps, struct why_tree *);

#endif

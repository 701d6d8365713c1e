/* Shows the pauses at an instant as trees. */

#include <stdio.h>
#include <stdlib.h>

#include "answer/why-tree.h"
#include "cli/why.h"

enum { STEP = 2 };

static void
show_leaf(const struct why_job *j, const struct why_leaf *leaf)
{
    static const char *const words[] = {
        [WHY_WAITS] = "",
        [WHY_OUTPUT_ROOT] = ": the root",
        [WHY_PEER_ROOT] = ": the root, as its peer names no other port",
        [WHY_DOWN_ROOT] = ": the root, as its link is down",
        [WHY_CYCLE_ROOT] = ": in a cycle of ports that wait for each other",
    };
    struct weir_text text = { 0 };

    why_add_slot(&text, j, leaf->slot);
    weir_text_add(&text, why_is_paused(j->waits.why, leaf->slot, j->at_ps) ? ", paused"
                         : leaf->role == WHY_WAITS ? ", paused shortly before but not now"
                                                   : ", not paused");
    printf("%*s%s%s\n", STEP * (int)leaf->depth, "", text.s, words[leaf->role]);
}

void
why_show_instant(const struct why_job *j)
{
    struct why_tree tree = { 0 };
    struct weir_text at = { 0 };

    why_tree_at(j->waits.why, j->at_ps, &tree);
    weir_text_add(&at, "%T", j->at_ps);
    printf("At %s %zu port%s paused%s\n", at.s, tree.n_paused, tree.n_paused == 1 ? " is" : "s are",
           tree.n_paused ? ":" : ".");
    for (size_t i = 0; i < tree.n; i++) {
        show_leaf(j, &tree.leaves[i]);
    }
    free(tree.leaves);
}

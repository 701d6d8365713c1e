/* Arranges the pauses at an instant as trees: each port is under the port that it waits for. */

#include "answer/why-tree.h"

#include <stdlib.h>

#include "base/array.h"

struct trees {
    bool *is_in; /* [slot]: it is in a tree. */
    struct why_tree found;
};

static void
add(struct trees *t, uint32_t slot, uint32_t above, enum why_role role)
{
    struct why_tree *f = &t->found;

    if (!t->is_in[slot]) {
        t->is_in[slot] = true;
        ARRAY_PUSH(f->leaves, f->n, f->max) =
            (struct why_leaf){ .above = above, .slot = slot, .role = role };
    }
}

/* The last index of a slot in a chain. A chain may reach a port twice, at different times; the part
 * between is left out. */
static size_t
last_place(const struct why_chain *c, size_t i)
{
    size_t last = i;

    for (size_t k = i + 1; k < c->n; k++) {
        last = c->slots[k] == c->slots[i] ? k : last;
    }
    return last;
}

static void
add_chain(struct trees *t, const struct why_chain *c)
{
    static const enum why_role roots[] = {
        [WHY_OUTPUT] = WHY_OUTPUT_ROOT, [WHY_PEER] = WHY_PEER_ROOT, [WHY_DOWN] = WHY_DOWN_ROOT
    };

    if (c->end == WHY_CYCLE) {
        for (size_t i = c->cycle_from; i < c->n; i++) {
            add(t, c->slots[i], WHY_NONE, WHY_CYCLE_ROOT);
        }
    } else {
        add(t, c->slots[c->n - 1], WHY_NONE, roots[c->end]);
    }
    for (size_t i = 0; i < c->n && !t->is_in[c->slots[i]]; i++) {
        i = last_place(c, i);
        add(t, c->slots[i], c->slots[i + 1], WHY_WAITS);
    }
}

static int
by_above(const void *a, const void *b)
{
    const struct why_leaf *x = a, *y = b;
    return x->above != y->above ? (x->above > y->above) - (x->above < y->above)
                                : (x->slot > y->slot) - (x->slot < y->slot);
}

/* The index of the first leaf whose parent is this slot or one with a higher number. */
static size_t
first_below(const struct why_tree *t, uint32_t slot)
{
    size_t low = 0;

    ARRAY_SEARCH(low, t->n, t->leaves[middle].above < slot);
    return low;
}

/* Pushes leaves onto a stack, with the first at the top. */
static void
push(struct why_tree *stack, const struct why_tree *from, size_t first, size_t end, uint32_t depth)
{
    while (end > first) {
        struct why_leaf leaf = from->leaves[--end];
        leaf.depth = depth;
        ARRAY_PUSH(stack->leaves, stack->n, stack->max) = leaf;
    }
}

/* Lists leaves depth first: each leaf is followed by its children. */
static void
list_leaves(struct why_tree *found, struct why_tree *out)
{
    struct why_tree stack = { 0 };

    array_sort(found->leaves, found->n, sizeof *found->leaves, by_above);
    push(&stack, found, first_below(found, WHY_NONE), found->n, 0);
    while (stack.n) {
        struct why_leaf leaf = stack.leaves[--stack.n];
        ARRAY_PUSH(out->leaves, out->n, out->max) = leaf;
        push(&stack, found, first_below(found, leaf.slot), first_below(found, leaf.slot + 1),
             leaf.depth + 1);
    }
    free(stack.leaves);
}

void
why_tree_at(const struct why *w, weir_ps at_ps, struct why_tree *tree)
{
    struct trees t = { .is_in = array_new(w->n_slots, sizeof *t.is_in) };
    struct why_forest forest = { 0 };
    struct why_chain chain = { 0 };

    why_forest_at(w, at_ps, &forest);
    for (size_t i = 0; i < forest.n; i++) {
        why_chain_at(w, forest.links[i].slot, at_ps, &chain);
        add_chain(&t, &chain);
    }
    tree->n_paused = forest.n;
    list_leaves(&t.found, tree);
    free(forest.links);
    free(chain.slots);
    free(t.is_in);
    free(t.found.leaves);
}

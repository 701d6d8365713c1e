/* The pauses of an instant, as trees: each port stands below the one that it waits for. */

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "cli/why.h"

enum { STEP = 2 };

/* The role of a port in a tree. */
enum role { WAITS, OUTPUT_ROOT, PEER_ROOT, DOWN_ROOT, RING_ROOT };

/* A port of a tree, and the one above it. */
struct leaf {
    uint32_t above, slot;
    enum role role;
};

struct due {
    size_t leaf;
    int depth;
};

struct trees {
    const struct why_job *job;
    bool *is_in; /* [slot]: it stands in a tree. */
    struct leaf *leaves;
    size_t n, max;
    struct due *stack;
    size_t n_due, max_due;
};

static void
add(struct trees *t, uint32_t slot, uint32_t above, enum role role)
{
    if (!t->is_in[slot]) {
        t->is_in[slot] = true;
        ARRAY_PUSH(t->leaves, t->n, t->max) =
            (struct leaf){ .above = above, .slot = slot, .role = role };
    }
}

/* A chain may come to a port twice, at different times: the way between is left out. */
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
    static const enum role roots[] = {
        [WHY_OUTPUT] = OUTPUT_ROOT, [WHY_PEER] = PEER_ROOT, [WHY_DOWN] = DOWN_ROOT
    };

    if (c->end == WHY_RING) {
        for (size_t i = c->ring_from; i < c->n; i++) {
            add(t, c->slots[i], WHY_NONE, RING_ROOT);
        }
    } else {
        add(t, c->slots[c->n - 1], WHY_NONE, roots[c->end]);
    }
    for (size_t i = 0; i < c->n && !t->is_in[c->slots[i]]; i++) {
        i = last_place(c, i);
        add(t, c->slots[i], c->slots[i + 1], WAITS);
    }
}

static int
by_above(const void *a, const void *b)
{
    const struct leaf *x = a, *y = b;
    return x->above != y->above ? (x->above > y->above) - (x->above < y->above)
                                : (x->slot > y->slot) - (x->slot < y->slot);
}

/* The first that stands below a slot, or below a later one. */
static size_t
first_below(const struct trees *t, uint32_t slot)
{
    size_t low = 0, end = t->n;

    while (low < end) {
        size_t middle = low + (end - low) / 2;
        if (t->leaves[middle].above < slot) {
            low = middle + 1;
        } else {
            end = middle;
        }
    }
    return low;
}

/* The last is taken first, so they are put there from behind. */
static void
push(struct trees *t, size_t first, size_t end, int depth)
{
    while (end > first) {
        ARRAY_PUSH(t->stack, t->n_due, t->max_due) = (struct due){ --end, depth };
    }
}

static void
show_leaf(const struct trees *t, const struct leaf *leaf, int depth)
{
    static const char *const words[] = {
        [WAITS] = "",
        [OUTPUT_ROOT] = ": the root",
        [PEER_ROOT] = ": the root, as its peer names no other port",
        [DOWN_ROOT] = ": the root, as its link is down",
        [RING_ROOT] = ": in a ring of ports that wait for each other",
    };
    const struct why_link *l = why_link_at(t->job->waits.why, leaf->slot, t->job->at_ps);
    struct weir_text text = { 0 };

    why_add_slot(&text, t->job, leaf->slot);
    if (l) {
        weir_text_add(&text, ", paused");
    } else {
        weir_text_add(&text,
                      leaf->role == WAITS ? ", paused shortly before but not now" : ", not paused");
    }
    printf("%*s%s%s\n", STEP * depth, "", text.s, words[leaf->role]);
}

static void
show_trees(struct trees *t)
{
    array_sort(t->leaves, t->n, sizeof *t->leaves, by_above);
    push(t, first_below(t, WHY_NONE), t->n, 0);
    while (t->n_due) {
        struct due due = t->stack[--t->n_due];
        uint32_t slot = t->leaves[due.leaf].slot;
        show_leaf(t, &t->leaves[due.leaf], due.depth);
        push(t, first_below(t, slot), first_below(t, slot + 1), due.depth + 1);
    }
}

void
why_show_instant(const struct why_job *j)
{
    const struct why *w = j->waits.why;
    struct trees t = { .job = j, .is_in = array_new(w->n_slots, sizeof *t.is_in) };
    struct why_forest forest = { 0 };
    struct why_chain chain = { 0 };
    struct weir_text at = { 0 };

    why_forest_at(w, j->at_ps, &forest);
    weir_text_add(&at, "%T", j->at_ps);
    printf("At %s %zu port%s paused%s\n", at.s, forest.n, forest.n == 1 ? " is" : "s are",
           forest.n ? ":" : ".");
    for (size_t i = 0; i < forest.n; i++) {
        why_chain_at(w, forest.links[i].slot, j->at_ps, &chain);
        add_chain(&t, &chain);
    }
    show_trees(&t);
    free(forest.links);
    free(chain.slots);
    free(t.is_in);
    free(t.leaves);
    free(t.stack);
}

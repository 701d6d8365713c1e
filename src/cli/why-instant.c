/* The pauses of an instant, as trees: each port stands below the one that it waits for. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/why.h"

enum { STEP = 2 };

/* A slot that is to be shown. */
struct due {
    uint32_t slot;
    int depth;
};

struct trees {
    const struct why_job *job;
    struct why_forest forest; /* By what they wait for. */
    bool *is_shown;           /* [slot] */
    struct due *stack;
    size_t n, max;
};

static int
by_next(const void *a, const void *b)
{
    const struct why_link *x = a, *y = b;
    return (x->next > y->next) - (x->next < y->next);
}

/* The first that waits for a slot or for a later one. */
static size_t
first_behind(const struct trees *t, uint32_t slot)
{
    size_t low = 0, end = t->forest.n;

    while (low < end) {
        size_t middle = low + (end - low) / 2;
        if (t->forest.links[middle].next < slot) {
            low = middle + 1;
        } else {
            end = middle;
        }
    }
    return low;
}

/* The last is taken first, so they are put there from behind. */
static void
push_behind(struct trees *t, uint32_t slot, int depth)
{
    size_t first = first_behind(t, slot), end = first_behind(t, slot + 1);

    while (end > first) {
        const struct why_link *l = &t->forest.links[--end];
        if (!t->is_shown[l->slot]) {
            ARRAY_PUSH(t->stack, t->n, t->max) = (struct due){ l->slot, depth };
        }
    }
}

static void
show_paused(struct trees *t, uint32_t slot, int depth, const char *more)
{
    const struct why_link *l = why_link_at(t->job->suffering.why, slot, t->job->at_ps);
    struct weir_text text = { 0 };

    why_add_slot(&text, t->job, slot);
    weir_text_add(&text, ", paused since %T", l->from_ps);
    printf("%*s%s%s\n", STEP * depth, "", text.s, more);
    t->is_shown[slot] = true;
}

static void
show_behind(struct trees *t, uint32_t slot)
{
    push_behind(t, slot, 1);
    while (t->n) {
        struct due due = t->stack[--t->n];
        show_paused(t, due.slot, due.depth, "");
        push_behind(t, due.slot, due.depth + 1);
    }
}

static void
show_ring(struct trees *t, const struct why_chain *c)
{
    for (size_t i = c->ring_from; i < c->n; i++) {
        t->is_shown[c->slots[i]] = true;
    }
    for (size_t i = c->ring_from; i < c->n; i++) {
        show_paused(t, c->slots[i], 0,
                    i + 1 < c->n ? ": in a ring, it waits for the next"
                                 : ": the last of the ring, it waits for the first");
    }
    for (size_t i = c->ring_from; i < c->n; i++) {
        show_behind(t, c->slots[i]);
    }
}

/* The whole tree that a slot is in. */
static void
show_tree(struct trees *t, uint32_t slot)
{
    struct why_chain chain = { 0 };
    struct weir_text root = { 0 };

    why_chain_at(t->job->suffering.why, slot, t->job->at_ps, &chain);
    uint32_t last = chain.slots[chain.n - 1];
    if (chain.end == WHY_RING) {
        show_ring(t, &chain);
    } else if (chain.end == WHY_PEER) {
        show_paused(t, last, 0, ": the root, its peer blames no other port");
        show_behind(t, last);
    } else {
        why_add_slot(&root, t->job, last);
        printf("%s, not paused: the root\n", root.s);
        show_behind(t, last);
    }
    free(chain.slots);
}

void
why_show_instant(const struct why_job *j)
{
    const struct why *w = j->suffering.why;
    struct trees t = { .job = j, .is_shown = array_new(w->n_slots, sizeof *t.is_shown) };
    struct weir_text at = { 0 };

    why_forest_at(w, j->at_ps, &t.forest);
    weir_text_add(&at, "%T", j->at_ps);
    printf("At %s %zu port%s paused%s\n", at.s, t.forest.n, t.forest.n == 1 ? " is" : "s are",
           t.forest.n ? ":" : ".");
    array_sort(t.forest.links, t.forest.n, sizeof *t.forest.links, by_next);
    for (uint32_t slot = 0; slot < w->n_slots; slot++) {
        if (!t.is_shown[slot] && why_is_paused(w, slot, j->at_ps)) {
            show_tree(&t, slot);
        }
    }
    free(t.forest.links);
    free(t.is_shown);
    free(t.stack);
}

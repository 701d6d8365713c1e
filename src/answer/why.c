/* Answers questions about pauses by binary search in the intervals of a slot. */

#include "answer/why.h"

#include <stdlib.h>

#include "base/array.h"

const char *
why_end_name(enum why_end end)
{
    static const char *const names[] = {
        [WHY_OUTPUT] = "output", [WHY_PEER] = "peer", [WHY_DOWN] = "down", [WHY_CYCLE] = "cycle"
    };
    return names[end];
}

void
why_free(struct why *w)
{
    for (size_t i = 0; i < w->n_roots; i++) {
        free(w->roots[i].ports);
    }
    free(w->roots);
    free(w->links);
    free(w->spans);
    free(w->groups);
    free(w->links_of);
    free(w->groups_of);
    free(w);
}

/* The index of a slot's first link that ends after an instant; if there is none, the index after
 * its last link. */
static size_t
first_after(const struct why *w, uint32_t slot, weir_ps at_ps)
{
    size_t low = w->links_of[slot];

    ARRAY_SEARCH(low, w->links_of[slot + 1], w->links[middle].to_ps <= at_ps);
    return low;
}

const struct why_link *
why_link_at(const struct why *w, uint32_t slot, weir_ps at_ps)
{
    if (slot >= w->n_slots) {
        return NULL;
    }
    size_t i = first_after(w, slot, at_ps);
    return i < w->links_of[slot + 1] && w->links[i].from_ps <= at_ps ? &w->links[i] : NULL;
}

/* The last pause before an instant, of a slot that is not paused at that instant; null: there is
 * none. */
static const struct why_link *
last_before(const struct why *w, uint32_t slot, weir_ps at_ps)
{
    size_t i = first_after(w, slot, at_ps);
    return i > w->links_of[slot] ? &w->links[i - 1] : NULL;
}

/* Whether a chain ends at the output of this link, because the output was not blocked, or because
 * its own link is down. */
static bool
is_last(const struct why *w, const struct why_link *l)
{
    const struct why_root *r = &w->roots[l->root];
    return (r->end == WHY_OUTPUT || r->end == WHY_DOWN) && l->depth == 1;
}

/* The index of a slot in the chain, from an index on; the length of the chain if it is not
 * there. */
static size_t
place_in(const struct why_chain *c, size_t from, uint32_t slot)
{
    while (from < c->n && c->slots[from] != slot) {
        from++;
    }
    return from;
}

void
why_chain_at(const struct why *w, uint32_t slot, weir_ps at_ps, struct why_chain *c)
{
    const struct why_link *link = why_link_at(w, slot, at_ps), *next;
    size_t since = 0; /* From this index on, all slots are taken at the same instant. */

    c->n = 0;
    c->end = WHY_OUTPUT;
    ARRAY_PUSH(c->slots, c->n, c->max) = slot;
    for (; link && c->n < WHY_MAX_CHAIN; link = next) {
        if (link->next == WHY_NONE) {
            c->end = WHY_PEER;
            return;
        }
        bool ends = is_last(w, link);
        next = ends ? NULL : why_link_at(w, link->next, at_ps);
        c->end = ends ? w->roots[link->root].end : c->end;
        if (!next && !ends) {
            next = last_before(w, link->next, at_ps);
            at_ps = next ? next->to_ps - 1 : at_ps;
            since = c->n;
        }
        c->cycle_from = place_in(c, since, link->next);
        if (!ends && c->cycle_from < c->n) {
            c->end = WHY_CYCLE;
            return;
        }
        ARRAY_PUSH(c->slots, c->n, c->max) = link->next;
    }
}

void
why_forest_at(const struct why *w, weir_ps at_ps, struct why_forest *f)
{
    f->n = 0;
    for (uint32_t slot = 0; slot < w->n_slots; slot++) {
        const struct why_link *link = why_link_at(w, slot, at_ps);
        if (link) {
            ARRAY_PUSH(f->links, f->n, f->max) = *link;
        }
    }
}

/* The time before an instant that the spans of a group cover. */
static weir_ps
covered_ps(const struct why *w, const struct why_group *g, weir_ps until_ps)
{
    size_t low = g->first;

    ARRAY_SEARCH(low, g->end, w->spans[middle].from_ps < until_ps);
    if (low == g->first) {
        return 0;
    }
    const struct why_span *last = &w->spans[low - 1];
    return last->before_ps + (last->to_ps < until_ps ? last->to_ps : until_ps) - last->from_ps;
}

void
why_shares(const struct why *w, uint32_t slot, weir_ps from_ps, weir_ps to_ps, struct why_shares *s)
{
    s->n = 0;
    if (slot >= w->n_slots || to_ps <= from_ps) {
        return;
    }
    for (size_t i = w->groups_of[slot]; i < w->groups_of[slot + 1]; i++) {
        const struct why_group *g = &w->groups[i];
        weir_ps paused_ps = covered_ps(w, g, to_ps) - covered_ps(w, g, from_ps);
        if (paused_ps > 0) {
            ARRAY_PUSH(s->items, s->n, s->max) =
                (struct why_share){ .root = g->root, .paused_ps = paused_ps };
        }
    }
}

bool
why_root_is_on(const struct why_root *r, const uint32_t *ports, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < r->n_ports; k++) {
            if (ports[i] == r->ports[k]) {
                return true;
            }
        }
    }
    return false;
}

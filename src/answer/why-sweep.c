/* Processes pauses over time: goes from event to event and updates the forest of pauses. When a
 * pause begins, ends or gets another next port, the root can change only for slots that wait for
 * it, so only these are visited again. */

#include <stdlib.h>
#include <string.h>

#include "answer/why.h"
#include "base/array.h"

/* Limits on the number of visited slots, because events may be untrusted input. In real networks
 * only few slots wait for a slot that changes. */
enum { LOOKS_AT_LEAST = 1 << 20, LOOKS_PER_EVENT = 32 };

/* The current state of a slot.  Slots that lead to the same slot form a list. */
struct place {
    bool is_paused, is_down; /* 'is_down': the link of its port is down. */
    uint32_t blame;          /* For an input: the slot that its packets wait for. */
    uint32_t next, root, depth;
    weir_ps since_ps; /* The time since which 'next', 'root' and 'depth' have their values. */
    /* The beginning of the time in which the queue that waits for 'next' filled. */
    weir_ps cycle_ps;
    uint32_t first_behind, sibling, sibling_before;
    /* The numbers of the last walks that visited the slot, and that found it in a cycle. */
    uint64_t seen, in_cycle;

    /* The last pause that ended: the time of its end, and its root and depth at that time. */
    weir_ps ended_ps;
    uint32_t last_root, last_depth;
};

struct sweep {
    struct why *why;
    const struct why_network *network;
    struct place *places;
    uint32_t *roots_of[WHY_CYCLE]; /* [end][slot]: the root; WHY_NONE: there is none yet. */
    /* [lowest slot of a cycle]: the root of the last cycle found there. */
    uint32_t *cycle_of;
    /* [root]: the root of the previous cycle with the same lowest slot. */
    uint32_t *cycle_before;
    size_t n_cycle_before, max_cycle_before;
    uint32_t *queue; /* The slots that a walk has still to visit. */
    uint64_t walk;
    uint64_t looks_left;
    weir_ps now;
};

/* Roots of pauses. */

static uint32_t
add_root(struct sweep *s, enum why_end end, const uint32_t *slots, uint32_t n)
{
    struct why *w = s->why;
    uint32_t *ports = array_new(n, sizeof *ports);

    for (uint32_t i = 0; i < n; i++) {
        ports[i] = why_port(w, slots[i]);
    }
    ARRAY_PUSH(s->cycle_before, s->n_cycle_before, s->max_cycle_before) = WHY_NONE;
    ARRAY_PUSH(w->roots, w->n_roots, w->max_roots) = (struct why_root){
        .end = end, .cls = slots[0] % w->n_classes, .ports = ports, .n_ports = n
    };
    return (uint32_t)(w->n_roots - 1);
}

static uint32_t
root_at(struct sweep *s, enum why_end end, uint32_t slot)
{
    uint32_t *root = &s->roots_of[end][slot];

    if (*root == WHY_NONE) {
        *root = add_root(s, end, &slot, 1);
    }
    return *root;
}

static bool
is_same_cycle(const struct why *w, const struct why_root *r, const uint32_t *slots, uint32_t n)
{
    if (r->n_ports != n) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (r->ports[i] != why_port(w, slots[i])) {
            return false;
        }
    }
    return true;
}

/* Finds or adds the root of the cycle of a slot. Its ports begin at the lowest slot. */
static uint32_t
root_of_cycle(struct sweep *s, uint32_t slot)
{
    uint32_t least = slot, n = 0;

    for (uint32_t at = s->places[slot].next; at != slot; at = s->places[at].next) {
        least = at < least ? at : least;
    }
    slot = least;
    do {
        s->queue[n++] = slot;
        s->places[slot].in_cycle = s->walk;
        slot = s->places[slot].next;
    } while (slot != least);
    for (uint32_t r = s->cycle_of[least]; r != WHY_NONE; r = s->cycle_before[r]) {
        if (is_same_cycle(s->why, &s->why->roots[r], s->queue, n)) {
            return r;
        }
    }
    uint32_t root = add_root(s, WHY_CYCLE, s->queue, n);
    s->cycle_before[root] = s->cycle_of[least];
    s->cycle_of[least] = root;
    return root;
}

/* Intervals that end at the current time. */

/* Keeps the longest chain of a root. Among chains of the same length, it keeps the one that lasts
 * longest. */
static void
note_depth(struct why_root *r, const struct why_link *l)
{
    weir_ps long_ps = l->to_ps - l->from_ps;

    r->paused_ps = weir_after(r->paused_ps, long_ps);
    if (l->depth > r->depth || (l->depth == r->depth && long_ps > r->deepest_long_ps)) {
        r->depth = l->depth;
        r->deepest_slot = l->slot;
        r->deepest_ps = l->from_ps;
        r->deepest_long_ps = long_ps;
    }
}

static void
end_link(struct sweep *s, uint32_t slot)
{
    struct place *p = &s->places[slot];
    struct why *w = s->why;

    if (p->root != WHY_NONE && s->now > p->since_ps) {
        struct why_link link = { .slot = slot,
                                 .next = p->next,
                                 .root = p->root,
                                 .depth = p->depth,
                                 .from_ps = p->since_ps,
                                 .to_ps = s->now };
        ARRAY_PUSH(w->links, w->n_links, w->max_links) = link;
        note_depth(&w->roots[p->root], &link);
        p->last_root = p->root;
        p->last_depth = p->depth;
    }
    p->since_ps = s->now;
}

static void
set_root(struct sweep *s, uint32_t slot, uint32_t root, uint32_t depth)
{
    struct place *p = &s->places[slot];

    if (p->root != root || p->depth != depth) {
        end_link(s, slot);
        p->root = root;
        p->depth = depth;
    }
}

/* The forest of pauses. */

static void
tie(struct sweep *s, uint32_t slot, uint32_t next)
{
    struct place *p = &s->places[slot];

    p->next = next;
    if (next != WHY_NONE) {
        p->sibling_before = WHY_NONE;
        p->sibling = s->places[next].first_behind;
        s->places[next].first_behind = slot;
        if (p->sibling != WHY_NONE) {
            s->places[p->sibling].sibling_before = slot;
        }
    }
}

static void
untie(struct sweep *s, uint32_t slot)
{
    struct place *p = &s->places[slot];

    if (p->next == WHY_NONE) {
        return;
    }
    if (p->sibling != WHY_NONE) {
        s->places[p->sibling].sibling_before = p->sibling_before;
    }
    if (p->sibling_before != WHY_NONE) {
        s->places[p->sibling_before].sibling = p->sibling;
    } else {
        s->places[p->next].first_behind = p->sibling;
    }
}

static bool
was_held_back(const struct place *p, const struct place *output)
{
    return output->last_root != WHY_NONE && output->ended_ps > p->cycle_ps;
}

/* The root of a chain that leads to an output that is not paused. */
static uint32_t
root_past(struct sweep *s, uint32_t slot, uint32_t *depth)
{
    const struct place *p = &s->places[slot], *output = &s->places[p->next];

    if (!was_held_back(p, output)) {
        return root_at(s, WHY_OUTPUT, p->next);
    }
    *depth += output->last_depth;
    return output->last_root;
}

static bool
may_check(struct sweep *s)
{
    s->why->is_cut = s->why->is_cut || !s->looks_left;
    s->looks_left -= !s->why->is_cut;
    return !s->why->is_cut;
}

/* Finds the root of a paused slot by following the chain; sets its depth, which is 1 in a cycle. */
static uint32_t
find_root(struct sweep *s, uint32_t slot, uint32_t *depth)
{
    s->walk++;
    for (*depth = 1;; (*depth)++) {
        struct place *p = &s->places[slot];
        p->seen = s->walk;
        if (p->next == WHY_NONE) {
            return root_at(s, WHY_PEER, slot);
        }
        if (s->places[p->next].is_down) {
            return root_at(s, WHY_DOWN, p->next);
        }
        if (!s->places[p->next].is_paused || !may_check(s)) {
            return root_past(s, slot, depth);
        }
        if (s->places[p->next].seen == s->walk) {
            uint32_t root = root_of_cycle(s, p->next);
            *depth -= s->why->roots[root].n_ports - 1;
            return root;
        }
        slot = p->next;
    }
}

/* The first slot that waits for this one. If the link of this port is down, it is none, because
 * this port then remains the root of all these slots. */
static uint32_t
first_behind(const struct place *p)
{
    return p->is_down ? WHY_NONE : p->first_behind;
}

/* Sets the root of a slot, and of all slots that wait for it. Slots in a cycle have the depth 1. */
static void
pass_root_on(struct sweep *s, uint32_t slot, uint32_t root, uint32_t depth)
{
    uint64_t cycle_walk = s->walk++;
    size_t n = 0;

    set_root(s, slot, root, depth);
    s->places[slot].seen = s->walk;
    s->queue[n++] = slot;
    for (size_t i = 0; i < n; i++) {
        const struct place *ahead = &s->places[s->queue[i]];
        for (uint32_t at = first_behind(ahead); at != WHY_NONE; at = s->places[at].sibling) {
            struct place *p = &s->places[at];
            if (p->seen != s->walk && may_check(s)) {
                p->seen = s->walk;
                set_root(s, at, root, p->in_cycle == cycle_walk ? 1 : ahead->depth + 1);
                s->queue[n++] = at;
            }
        }
    }
}

static void
check_again(struct sweep *s, uint32_t slot)
{
    uint32_t depth, root = find_root(s, slot, &depth);
    pass_root_on(s, slot, root, depth);
}

/* Handling of events. */

static uint32_t
peer_slot(const struct sweep *s, uint32_t slot)
{
    uint32_t peer = s->network->peers[why_port(s->why, slot)];

    return peer < s->network->n_ports ? why_slot(s->why, peer, slot % s->why->n_classes) : WHY_NONE;
}

static void
begin_pause(struct sweep *s, uint32_t slot)
{
    struct place *p = &s->places[slot];
    uint32_t input = peer_slot(s, slot);

    if (!p->is_paused) {
        p->is_paused = true;
        p->since_ps = s->now;
        p->cycle_ps = p->ended_ps >= 0 ? p->ended_ps : s->now - 1;
        tie(s, slot, input != WHY_NONE ? s->places[input].blame : WHY_NONE);
        check_again(s, slot);
    }
}

static void
end_pause(struct sweep *s, uint32_t slot)
{
    struct place *p = &s->places[slot];

    if (!p->is_paused) {
        return;
    }
    set_root(s, slot, WHY_NONE, 0);
    untie(s, slot);
    p->is_paused = false;
    p->next = WHY_NONE;
    p->ended_ps = s->now;
    for (uint32_t at = p->first_behind; at != WHY_NONE; at = s->places[at].sibling) {
        check_again(s, at);
    }
}

static void
take_blame(struct sweep *s, uint32_t input, uint32_t output)
{
    uint32_t paused = peer_slot(s, input);

    s->places[input].blame = output;
    if (paused != WHY_NONE && s->places[paused].is_paused && s->places[paused].next != output) {
        end_link(s, paused);
        untie(s, paused);
        tie(s, paused, output);
        check_again(s, paused);
    }
}

/* Updates the roots of slots that wait for a port whose link goes down or comes up. */
static void
change_link(struct sweep *s, uint32_t port, bool is_down)
{
    for (uint32_t cls = 0; cls < s->why->n_classes; cls++) {
        struct place *p = &s->places[why_slot(s->why, port, cls)];
        if (p->is_down != is_down) {
            p->is_down = is_down;
            for (uint32_t at = p->first_behind; at != WHY_NONE; at = s->places[at].sibling) {
                check_again(s, at);
            }
        }
    }
}

static uint32_t
blamed_slot(const struct sweep *s, const struct why_event *e)
{
    bool is_known = e->output < s->network->n_ports && e->output_cls < s->network->n_classes;

    return is_known ? why_slot(s->why, e->output, e->output_cls) : WHY_NONE;
}

static void
take(struct sweep *s, const struct why_event *e)
{
    if (e->port >= s->network->n_ports || e->cls >= s->network->n_classes || e->at_ps < s->now) {
        return;
    }
    uint32_t slot = why_slot(s->why, e->port, e->cls);
    s->now = e->at_ps;
    switch (e->kind) {
    case WHY_PAUSE:
        begin_pause(s, slot);
        break;
    case WHY_RESUME:
        end_pause(s, slot);
        break;
    case WHY_LINK_DOWN:
    case WHY_LINK_UP:
        change_link(s, e->port, e->kind == WHY_LINK_DOWN);
        break;
    case WHY_BLAME:
        take_blame(s, slot, blamed_slot(s, e));
        break;
    }
}

static void
end_all(struct sweep *s, weir_ps until_ps)
{
    s->now = until_ps > s->now ? until_ps : s->now;
    for (uint32_t slot = 0; slot < s->why->n_slots; slot++) {
        end_link(s, slot);
    }
}

/* Sorting of the intervals. */

static int
compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int
by_slot(const void *a, const void *b)
{
    return compare(((const struct why_link *)a)->slot, ((const struct why_link *)b)->slot);
}

static int
by_root(const void *a, const void *b)
{
    const struct why_link *x = a, *y = b;
    return by_slot(a, b) ? by_slot(a, b) : compare(x->root, y->root);
}

static void
add_span(struct why *w, size_t i, const struct why_link *l, const struct why_link *last)
{
    struct why_span *span = &w->spans[i];

    *span = (struct why_span){ .from_ps = l->from_ps, .to_ps = l->to_ps };
    if (last && !by_root(last, l)) {
        span->before_ps = span[-1].before_ps + span[-1].to_ps - span[-1].from_ps;
        w->groups[w->n_groups - 1].end = i + 1;
    } else {
        ARRAY_PUSH(w->groups, w->n_groups, w->max_groups) =
            (struct why_group){ .slot = l->slot, .root = l->root, .first = i, .end = i + 1 };
    }
}

/* Groups links, which are sorted by slot and time, by root. */
static void
group_by_root(struct why *w)
{
    struct why_link *links = array_new(w->n_links, sizeof *links);

    if (w->n_links) {
        memcpy(links, w->links, w->n_links * sizeof *links);
    }
    array_sort(links, w->n_links, sizeof *links, by_root);
    w->spans = array_new(w->n_links, sizeof *w->spans);
    for (size_t i = 0; i < w->n_links; i++) {
        add_span(w, i, &links[i], i ? &links[i - 1] : NULL);
    }
    free(links);
}

/* Finds the first item of each slot. The slot must be the first member of an item. */
static size_t *
index_slots(const struct why *w, const void *items, size_t n, size_t item_bytes)
{
    size_t *first = array_new((size_t)w->n_slots + 1, sizeof *first);
    size_t i = 0;

    for (uint32_t slot = 0; slot <= w->n_slots; slot++) {
        while (i < n && *(const uint32_t *)((const char *)items + i * item_bytes) < slot) {
            i++;
        }
        first[slot] = i;
    }
    return first;
}

static void
put_in_order(struct why *w)
{
    array_sort(w->links, w->n_links, sizeof *w->links, by_slot);
    group_by_root(w);
    w->links_of = index_slots(w, w->links, w->n_links, sizeof *w->links);
    w->groups_of = index_slots(w, w->groups, w->n_groups, sizeof *w->groups);
}

static uint32_t *
none_for_each(uint32_t n)
{
    uint32_t *numbers = array_new(n, sizeof *numbers);

    for (uint32_t i = 0; i < n; i++) {
        numbers[i] = WHY_NONE;
    }
    return numbers;
}

static void
begin(struct sweep *s, uint32_t n_slots)
{
    for (uint32_t slot = 0; slot < n_slots; slot++) {
        struct place *p = &s->places[slot];
        p->blame = p->next = p->root = p->last_root = p->first_behind = WHY_NONE;
        p->ended_ps = -1;
    }
}

struct why *
why_new(const struct why_network *network, const struct why_event *events, size_t n,
        weir_ps until_ps)
{
    struct why *w = array_new(1, sizeof *w);
    uint32_t n_slots = network->n_ports * network->n_classes;
    struct sweep s = { .why = w,
                       .network = network,
                       .places = array_new(n_slots, sizeof *s.places),
                       .roots_of = { none_for_each(n_slots), none_for_each(n_slots),
                                     none_for_each(n_slots) },
                       .cycle_of = none_for_each(n_slots),
                       .queue = none_for_each(n_slots),
                       .looks_left = LOOKS_AT_LEAST + LOOKS_PER_EVENT * ((uint64_t)n + n_slots),
                       .now = events && n ? events[0].at_ps : 0 };

    w->n_slots = n_slots;
    w->n_classes = network->n_classes;
    begin(&s, n_slots);
    for (size_t i = 0; i < n; i++) {
        take(&s, &events[i]);
    }
    end_all(&s, until_ps);
    put_in_order(w);
    free(s.places);
    free(s.roots_of[WHY_OUTPUT]);
    free(s.roots_of[WHY_PEER]);
    free(s.roots_of[WHY_DOWN]);
    free(s.cycle_of);
    free(s.cycle_before);
    free(s.queue);
    return w;
}

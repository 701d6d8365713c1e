/* Matching of messages with receives: both wait for each other in lists, by a hash of source, tag
 * and order.  Started receives are linked through their tasks, so that they need no memory. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "graph/executor-state.h"

static uint64_t
hash_of(struct executor_key k)
{
    uint64_t x = (k.tag + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;

    x ^= (uint64_t)k.peer << 32 | k.order;
    x = (x ^ x >> 30) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static struct executor_key
key_of_message(const struct executor_message *m)
{
    return (struct executor_key){ m->tag, m->source, m->order };
}

static bool
is_equal(struct executor_key a, struct executor_key b)
{
    return a.tag == b.tag && a.peer == b.peer && a.order == b.order;
}

/* The two kinds of lists differ in where an item has its key and its link. */
struct list_kind {
    struct executor_key (*key)(const struct executor *, uint32_t item);
    uint32_t *(*link)(struct executor *, uint32_t item);
};

static struct executor_key
early_key(const struct executor *x, uint32_t i)
{
    return key_of_message(&x->state->early[i].message);
}

static uint32_t *
early_link(struct executor *x, uint32_t i)
{
    return &x->state->early[i].next;
}

static const struct list_kind posted_kind = { executor_key_of, executor_link };
static const struct list_kind early_kind = { early_key, early_link };

static uint32_t *
list_of(const struct executor_lists *l, struct executor_key key)
{
    return &l->first[hash_of(key) & (l->n_lists - 1)];
}

static void
push(struct executor *x, struct executor_lists *l, const struct list_kind *kind, uint32_t item)
{
    uint32_t *first = list_of(l, kind->key(x, item));

    *kind->link(x, item) = *first;
    *first = item;
}

/* Doubles the number of lists. */
static void
grow(struct executor *x, struct executor_lists *l, const struct list_kind *kind)
{
    struct executor_lists old = *l;

    l->n_lists = old.n_lists ? 2 * old.n_lists : 8;
    l->first = array_new(l->n_lists, sizeof *l->first);
    memset(l->first, 0xff, l->n_lists * sizeof *l->first);
    for (uint32_t i = 0; i < old.n_lists; i++) {
        for (uint32_t item = old.first[i], next; item != GRAPH_NONE; item = next) {
            next = *kind->link(x, item);
            push(x, l, kind, item);
        }
    }
    free(old.first);
}

static void
lists_add(struct executor *x, struct executor_lists *l, const struct list_kind *kind, uint32_t item)
{
    if (l->n_items == l->n_lists) {
        grow(x, l, kind);
    }
    l->n_items++;
    push(x, l, kind, item);
}

/* Lists are empty most of the time between phases of a job, and then take little memory. */
static void
lists_shrink(struct executor_lists *l)
{
    if (!l->n_items && l->n_lists > 64) {
        free(l->first);
        *l = (struct executor_lists){ 0 };
    }
}

/* Removes the item with the key; GRAPH_NONE: there is none. */
static uint32_t
lists_take(struct executor *x, struct executor_lists *l, const struct list_kind *kind,
           struct executor_key key)
{
    uint32_t *at = l->n_items ? list_of(l, key) : NULL;

    while (at && *at != GRAPH_NONE) {
        uint32_t item = *at;
        if (is_equal(kind->key(x, item), key)) {
            *at = *kind->link(x, item);
            l->n_items--;
            lists_shrink(l);
            return item;
        }
        at = kind->link(x, item);
    }
    return GRAPH_NONE;
}

/* Adds an item at the end of a list in order. */
static void
append(struct executor *x, const struct list_kind *kind, uint32_t *first, uint32_t *last,
       uint32_t item)
{
    *kind->link(x, item) = GRAPH_NONE;
    *(*last == GRAPH_NONE ? first : kind->link(x, *last)) = item;
    *last = item;
}

/* Removes the first item of such a list that meets 'other'; GRAPH_NONE: there is none. */
static uint32_t
take_first(struct executor *x, const struct list_kind *kind, uint32_t *first, uint32_t *last,
           bool (*meets)(const struct executor *, uint32_t item, struct executor_key other),
           struct executor_key other)
{
    uint32_t before = GRAPH_NONE, *at = first;

    while (*at != GRAPH_NONE && !meets(x, *at, other)) {
        before = *at;
        at = kind->link(x, before);
    }
    uint32_t item = *at;
    if (item != GRAPH_NONE) {
        *at = *kind->link(x, item);
        *last = *last == item ? before : *last;
    }
    return item;
}

static bool
accepts(struct executor_key receive, struct executor_key message)
{
    return (receive.peer == GRAPH_ANY || receive.peer == message.peer) &&
           (receive.tag == GRAPH_ANY || receive.tag == message.tag);
}

static bool
posted_meets(const struct executor *x, uint32_t unit, struct executor_key message)
{
    return accepts(executor_key_of(x, unit), message);
}

static bool
early_meets(const struct executor *x, uint32_t i, struct executor_key receive)
{
    return accepts(receive, early_key(x, i));
}

static uint32_t
keep_message(struct executor_state *s, const struct executor_message *m)
{
    uint32_t i = s->free_early;

    if (i == GRAPH_NONE) {
        i = (uint32_t)s->n_early;
        ARRAY_PUSH(s->early, s->n_early, s->max_early) = (struct executor_early){ *m, GRAPH_NONE };
    } else {
        s->free_early = s->early[i].next;
        s->early[i].message = *m;
    }
    return i;
}

static void
forget_message(struct executor_state *s, uint32_t i)
{
    s->early[i].next = s->free_early;
    s->free_early = i;
}

uint32_t
executor_take_posted(struct executor *x, const struct executor_message *m)
{
    struct executor_state *s = x->state;
    struct executor_key key = key_of_message(m);
    bool by_arrival = executor_matches_by_arrival(x, m->tag);
    uint32_t unit =
        by_arrival ? take_first(x, &posted_kind, &s->any_first, &s->any_last, posted_meets, key)
                   : lists_take(x, &s->posted, &posted_kind, key);

    if (unit != GRAPH_NONE) {
        return unit;
    }
    uint32_t i = keep_message(s, m);
    if (by_arrival) {
        append(x, &early_kind, &s->any_early_first, &s->any_early_last, i);
    } else {
        lists_add(x, &s->early_of, &early_kind, i);
    }
    return GRAPH_NONE;
}

bool
executor_take_early(struct executor *x, uint32_t unit, struct executor_message *m)
{
    struct executor_state *s = x->state;
    struct executor_key key = executor_key_of(x, unit);
    bool by_arrival = executor_matches_by_arrival(x, key.tag);
    uint32_t i = by_arrival ? take_first(x, &early_kind, &s->any_early_first, &s->any_early_last,
                                         early_meets, key)
                            : lists_take(x, &s->early_of, &early_kind, key);

    if (i != GRAPH_NONE) {
        *m = s->early[i].message;
        forget_message(s, i);
        return true;
    }
    if (by_arrival) {
        append(x, &posted_kind, &s->any_first, &s->any_last, unit);
    } else {
        lists_add(x, &s->posted, &posted_kind, unit);
    }
    return false;
}

/* The counter of a peer and tag, or the empty place for it.  At least one place is empty. */
static struct executor_counter *
find_counter(const struct executor_state *s, uint32_t peer, uint32_t tag, uint32_t kind_1)
{
    size_t i = hash_of((struct executor_key){ tag, peer, kind_1 });

    for (;; i++) {
        struct executor_counter *c = &s->counters[i & (s->max_counters - 1)];
        if (!c->kind_1 || (c->peer == peer && c->tag == tag && c->kind_1 == kind_1)) {
            return c;
        }
    }
}

static void
grow_counters(struct executor_state *s)
{
    struct executor_counter *old = s->counters;
    size_t max_old = s->max_counters;

    s->max_counters = max_old ? 2 * max_old : 8;
    s->counters = array_new(s->max_counters, sizeof *s->counters);
    for (size_t i = 0; i < max_old; i++) {
        if (old[i].kind_1) {
            *find_counter(s, old[i].peer, old[i].tag, old[i].kind_1) = old[i];
        }
    }
    free(old);
}

uint32_t
executor_count(struct executor *x, uint32_t peer, uint32_t tag, enum graph_kind kind)
{
    struct executor_state *s = x->state;

    if (2 * s->n_counters >= s->max_counters) {
        grow_counters(s);
    }
    struct executor_counter *c = find_counter(s, peer, tag, kind + 1u);
    if (!c->kind_1) {
        *c = (struct executor_counter){ peer, tag, kind + 1u, 0 };
        s->n_counters++;
    }
    return c->n++;
}

static int
by_source(const void *a, const void *b)
{
    const struct executor_message *x = a, *y = b;

    if (x->source != y->source) {
        return x->source < y->source ? -1 : 1;
    }
    if (x->tag != y->tag) {
        return x->tag < y->tag ? -1 : 1;
    }
    return (x->order > y->order) - (x->order < y->order);
}

void
executor_sort_arrived(struct executor_state *s)
{
    if (s->n_arrived > 1) {
        array_sort(s->arrived, s->n_arrived, sizeof *s->arrived, by_source);
    }
}

void
executor_match_free(struct executor *x)
{
    free(x->state->posted.first);
    free(x->state->early_of.first);
    free(x->state->early);
    free(x->state->arrived);
    free(x->state->counters);
}

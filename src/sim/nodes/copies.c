/* Copies of packets in a hash table, and acknowledgements to send in a queue. */

#include "sim/nodes/copies.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { FIRST_BUCKETS = 64 };

static uint32_t
hash_of(const struct weir_delivery_frame *of)
{
    uint64_t key = ((uint64_t)of->flow << 32 | of->sequence) ^ (uint64_t)of->kind << 58;

    return (uint32_t)(key * 0x9e3779b97f4a7c15 >> 32);
}

static bool
is_same(const struct weir_delivery_frame *a, const struct weir_delivery_frame *b)
{
    return a->flow == b->flow && a->sequence == b->sequence && a->kind == b->kind;
}

void
copies_release(struct copies *c)
{
    free(c->items);
    free(c->buckets);
    free(c->debts);
    *c = (struct copies){ 0 };
}

static void
put_in_bucket(struct copies *c, uint32_t item)
{
    uint32_t *bucket = &c->buckets[hash_of(&c->items[item - 1].of) & (c->n_buckets - 1)];

    c->items[item - 1].next = *bucket;
    *bucket = item;
}

/* Doubles the number of buckets, and moves every copy into its new bucket. */
static void
grow(struct copies *c)
{
    uint32_t *old = c->buckets, n_old = c->n_buckets;

    c->n_buckets = n_old ? 2 * n_old : FIRST_BUCKETS;
    c->buckets = array_new(c->n_buckets, sizeof *c->buckets);
    for (uint32_t i = 0; i < n_old; i++) {
        for (uint32_t item = old[i], next; item; item = next) {
            next = c->items[item - 1].next;
            put_in_bucket(c, item);
        }
    }
    free(old);
}

static uint32_t
new_item(struct copies *c)
{
    uint32_t item = c->first_free;

    if (item) {
        c->first_free = c->items[item - 1].next;
        return item;
    }
    ARRAY_PUSH(c->items, c->n_items, c->max_items) = (struct copy){ .next = 0 };
    return (uint32_t)c->n_items;
}

void
copies_keep(struct copies *c, const struct weir_delivery_frame *of, const struct weir_pkt *pkt)
{
    if (c->n_kept == c->n_buckets) {
        grow(c);
    }
    uint32_t item = new_item(c);
    c->items[item - 1].of = *of;
    c->items[item - 1].pkt = *pkt;
    put_in_bucket(c, item);
    c->n_kept++;
}

bool
copies_take(struct copies *c, const struct weir_delivery_frame *of, struct weir_pkt *pkt)
{
    if (!c->n_kept) {
        return false;
    }
    uint32_t *link = &c->buckets[hash_of(of) & (c->n_buckets - 1)];
    while (*link && !is_same(&c->items[*link - 1].of, of)) {
        link = &c->items[*link - 1].next;
    }
    uint32_t item = *link;
    if (!item) {
        return false;
    }
    *pkt = c->items[item - 1].pkt;
    *link = c->items[item - 1].next;
    c->items[item - 1].next = c->first_free;
    c->first_free = item;
    c->n_kept--;
    return true;
}

/* Adds an acknowledgement to send. Sent ones are removed when they are half of all, so that each
 * one is moved only once. */
void
copies_owe(struct copies *c, const struct copies_debt *debt)
{
    if (c->first_debt > 64 && 2 * c->first_debt > c->n_debts) {
        c->n_debts -= c->first_debt;
        memmove(c->debts, c->debts + c->first_debt, c->n_debts * sizeof *c->debts);
        c->first_debt = 0;
    }
    ARRAY_PUSH(c->debts, c->n_debts, c->max_debts) = *debt;
}

struct copies_debt
copies_pay(struct copies *c)
{
    assert(c->first_debt < c->n_debts);
    return c->debts[c->first_debt++];
}

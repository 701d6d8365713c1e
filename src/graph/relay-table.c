/* Finds the relay of two ranks by server and rail. */

#include "graph/relay-table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static uint64_t
key_of(struct relay_place p)
{
    return (uint64_t)p.server << 32 | p.rail;
}

static int
by_key(const void *a, const void *b)
{
    const struct relay_entry *x = a, *y = b;

    return (key_of(x->place) > key_of(y->place)) - (key_of(x->place) < key_of(y->place));
}

void
relay_table_init(struct relay_table *t, const struct relay_place *places, uint32_t n_ranks)
{
    *t = (struct relay_table){ .places = array_new(n_ranks, sizeof *t->places),
                               .by_place = array_new(n_ranks, sizeof *t->by_place),
                               .n_ranks = n_ranks };
    for (uint32_t i = 0; i < n_ranks; i++) {
        t->places[i] = places[i];
        t->by_place[i] = (struct relay_entry){ places[i], i };
    }
    array_sort(t->by_place, n_ranks, sizeof *t->by_place, by_key);
}

void
relay_table_free(struct relay_table *t)
{
    free(t->places);
    free(t->by_place);
    memset(t, 0, sizeof *t);
}

uint32_t
relay_between(const struct relay_table *t, uint32_t from, uint32_t to)
{
    struct relay_place a = t->places[from], b = t->places[to];
    uint64_t key = key_of((struct relay_place){ a.server, b.rail });
    size_t at = 0;

    if (a.server == b.server || a.rail == b.rail) {
        return RELAY_NONE;
    }
    ARRAY_SEARCH(at, t->n_ranks, key_of(t->by_place[middle].place) < key);
    return at < t->n_ranks && key_of(t->by_place[at].place) == key ? t->by_place[at].rank
                                                                   : RELAY_NONE;
}

/* Groups similar failures: failures of links between the same kinds of switches, or of hosts at the
 * same kinds of switches, at the same distances.
 *
 * Switches are of one kind if colour refinement does not separate them: they have equally many
 * hosts, and equally many neighbours of each kind.  Switches of one kind may still differ.  Kinds
 * only shorten the output, and no result depends on them. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "topo/depend.h"
#include "topo/search.h"

struct kinds {
    struct topo_search s;
    uint64_t *colour;    /* [switch] */
    uint32_t **distance; /* [switch]: the distances to each switch; null: not computed yet. */
};

static uint64_t
mix(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ b * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);

    return x ^ x >> 29;
}

static uint32_t
count_colours(const uint64_t *colours, uint32_t n)
{
    uint64_t *sorted = array_new(n, sizeof *sorted);
    uint32_t n_colours = 0;

    memcpy(sorted, colours, n * sizeof *sorted);
    array_sort_u64(sorted, n);
    for (uint32_t i = 0; i < n; i++) {
        n_colours += !i || sorted[i] != sorted[i - 1];
    }
    free(sorted);
    return n_colours;
}

/* Refines the colour of each switch by the colours of its neighbours, until no more switches are
 * separated. */
static void
refine(struct kinds *k)
{
    uint32_t n = k->s.n_switches, n_before = 0, n_now = count_colours(k->colour, n);
    uint64_t *next = array_new(n, sizeof *next);

    while (n_now > n_before) {
        for (uint32_t at = 0; at < n; at++) {
            uint64_t sum = 0;
            for (uint32_t h = k->s.first[at]; h < k->s.first[at + 1]; h++) {
                sum += mix(1, k->colour[k->s.hops[h].next]);
            }
            next[at] = mix(k->colour[at], sum);
        }
        memcpy(k->colour, next, n * sizeof *next);
        n_before = n_now;
        n_now = count_colours(k->colour, n);
    }
    free(next);
}

static void
kinds_open(struct kinds *k, const struct topo *t)
{
    topo_search_init(&k->s, t);
    k->colour = arena_new(&k->s.memory, t->n_switches, sizeof *k->colour);
    k->distance = arena_new(&k->s.memory, t->n_switches, sizeof *k->distance);
    for (uint32_t i = 0; i < t->n_nodes; i++) {
        const struct topo_node *n = &t->nodes[i];
        for (uint32_t p = n->first_port; n->kind == TOPO_NIC && p < n->first_port + n->n_ports;
             p++) {
            k->colour[t->nodes[topo_beyond(t, p)].index] += topo_is_live(t, p);
        }
    }
    refine(k);
}

/* The distance in links between switches; TOPO_NONE: there is no path. */
static uint32_t
distance(struct kinds *k, uint32_t from, uint32_t to)
{
    uint32_t n = k->s.n_switches, n_met = 0;

    if (!k->distance[from]) {
        uint32_t *far = arena_new(&k->s.memory, n, sizeof *far), *met = k->s.order;
        memset(far, 0xff, n * sizeof *far);
        far[from] = 0;
        met[n_met++] = from;
        for (uint32_t i = 0; i < n_met; i++) {
            for (uint32_t h = k->s.first[met[i]]; h < k->s.first[met[i] + 1]; h++) {
                uint32_t next = k->s.hops[h].next;
                if (far[next] == TOPO_NONE) {
                    far[next] = far[met[i]] + 1;
                    met[n_met++] = next;
                }
            }
        }
        k->distance[from] = far;
    }
    return k->distance[from][to];
}

/* The switch at an end of a link; for the link of a host, its only switch. */
static uint32_t
switch_at(const struct topo *t, uint32_t link, uint32_t end)
{
    const struct topo_link *l = &t->links[link];
    const struct topo_node *n = &t->nodes[l->node[end]];

    return n->kind == TOPO_SWITCH ? n->index : t->nodes[l->node[1 - end]].index;
}

/* A number that is equal for similar failures, whatever the order of the links and of their
 * ends. */
static uint64_t
signature(struct kinds *k, const struct depend_failure *f)
{
    const struct topo *t = k->s.topo;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < 2 && f->links[i] != TOPO_NONE; i++) {
        uint64_t ends = topo_joins_switches(t, &t->links[f->links[i]]) ? 0 : mix(3, 1);
        for (uint32_t end = 0; end < 2; end++) {
            uint32_t at = switch_at(t, f->links[i], end);
            uint64_t far = 0;
            for (uint32_t other = 0; other < 2 && f->links[1 - i] != TOPO_NONE; other++) {
                uint32_t to = switch_at(t, f->links[1 - i], other);
                far += mix(k->colour[to], distance(k, at, to));
            }
            ends += mix(k->colour[at], far);
        }
        sum += mix(2, ends);
    }
    return sum;
}

struct signed_failure {
    uint64_t signature;
    size_t item;
};

static int
by_signature(const void *a, const void *b)
{
    uint64_t x = ((const struct signed_failure *)a)->signature;
    uint64_t y = ((const struct signed_failure *)b)->signature;

    return (x > y) - (x < y);
}

static int
by_number(const void *a, const void *b)
{
    const struct depend_alike *x = a, *y = b;

    return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : (x->item > y->item) - (x->item < y->item);
}

size_t
depend_group_failures(const struct topo *t, const struct depend_failures *found,
                      struct depend_alike **groups)
{
    struct signed_failure *all = array_new(found->n, sizeof *all);
    struct kinds k;
    size_t n = 0;

    *groups = array_new(found->n, sizeof **groups);
    kinds_open(&k, t);
    for (size_t i = 0; i < found->n; i++) {
        all[i] = (struct signed_failure){ signature(&k, &found->items[i]), i };
    }
    topo_search_free(&k.s);
    array_sort(all, found->n, sizeof *all, by_signature); /* The first failure of each group stays
                                                           * first. */
    for (size_t i = 0; i < found->n; i++) {
        if (!i || all[i].signature != all[i - 1].signature) {
            (*groups)[n++].item = all[i].item;
        }
        (*groups)[n - 1].n++;
    }
    free(all);
    array_sort(*groups, n, sizeof **groups, by_number);
    return n;
}

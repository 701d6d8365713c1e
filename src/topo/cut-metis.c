/* Cuts a network by METIS (Karypis and Kumar, A Fast and High Quality Multilevel Scheme for
 * Partitioning Irregular Graphs, SIAM J. Sci. Comput. 20, 1998).
 *
 * The shortest link between parts decides how often ranks must meet.  So links with short delays
 * are barred from the cut: first all except the longest, then fewer, until the parts are even
 * enough.  For METIS, switches joined by a barred link are one vertex.  METIS halves the network,
 * then each half, and cuts as little load as possible. */

#include <metis.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "topo/cut-graph.h"
#include "topo/cut.h"

enum { MAX_TRIES = 8, WEIGHT_BITS = 29 };

struct edge {
    uint32_t a, b;
    uint64_t load;
};

struct squeezed { /* The graph after barred links are contracted. */
    struct arena memory;
    uint32_t n;
    uint32_t *number; /* [vertex] */
    uint64_t *weight;
    struct edge *edges; /* Each link is listed twice, once for each end. */
    size_t n_edges;
};

struct halved { /* A part of the graph, in the format of METIS. */
    struct arena memory;
    idx_t n, n_ends;
    idx_t *first, *next, *weight, *load, *side;
    uint32_t *vertex;
};

/* Finds the two vertices of a link; false if an end is not to be divided, or if both ends are in
 * one vertex. */
static bool
is_inside(const struct cut *c, const struct topo_link *l, uint32_t *a, uint32_t *b)
{
    *a = c->vertex_of[l->node[0]];
    *b = c->vertex_of[l->node[1]];
    return *a != TOPO_NONE && *b != TOPO_NONE && *a != *b;
}

static uint32_t
head_of(uint32_t *joined, uint32_t v)
{
    while (joined[v] != v) {
        joined[v] = joined[joined[v]];
        v = joined[v];
    }
    return v;
}

static int
compare_edges(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;

    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

/* Merges links between the same two vertices. */
static void
merge_edges(struct squeezed *s)
{
    size_t n = 0;

    array_sort(s->edges, s->n_edges, sizeof *s->edges, compare_edges);
    for (size_t i = 0; i < s->n_edges; i++) {
        if (n && !compare_edges(&s->edges[n - 1], &s->edges[i])) {
            s->edges[n - 1].load += s->edges[i].load;
        } else {
            s->edges[n++] = s->edges[i];
        }
    }
    s->n_edges = n;
}

/* Contracts all links with less delay than this. */
static void
number_joined(const struct cut *c, weir_ps delay_ps, struct squeezed *s)
{
    uint32_t *joined = array_new(c->n, sizeof *joined), a, b;

    for (uint32_t v = 0; v < c->n; v++) {
        joined[v] = v;
    }
    for (size_t i = 0; i < c->t->n_links; i++) {
        const struct topo_link *l = &c->t->links[i];
        if (is_inside(c, l, &a, &b) && l->delay_ps < delay_ps) {
            a = head_of(joined, a), b = head_of(joined, b);
            joined[a > b ? a : b] = a < b ? a : b;
        }
    }
    for (uint32_t v = 0; v < c->n; v++) { /* The head of each group comes before its other
                                           * members. */
        uint32_t head = head_of(joined, v);
        s->number[v] = head == v ? s->n++ : s->number[head];
        s->weight[s->number[v]] += c->weight[v];
    }
    free(joined);
}

static void
squeeze(const struct cut *c, weir_ps delay_ps, struct squeezed *s)
{
    uint32_t a, b;

    *s = (struct squeezed){ 0 };
    s->number = arena_new(&s->memory, c->n, sizeof *s->number);
    s->weight = arena_new(&s->memory, c->n, sizeof *s->weight);
    s->edges = arena_new(&s->memory, 2 * c->t->n_links, sizeof *s->edges);
    number_joined(c, delay_ps, s);
    for (size_t i = 0; i < c->t->n_links; i++) {
        if (!is_inside(c, &c->t->links[i], &a, &b) || s->number[a] == s->number[b]) {
            continue;
        }
        const struct edge e = { s->number[a], s->number[b], cut_load(c, i) };
        s->edges[s->n_edges++] = e;
        s->edges[s->n_edges++] = (struct edge){ e.b, e.a, e.load };
    }
    merge_edges(s);
}

/* A weight of at least 1, and so small that METIS can add up all weights. */
static idx_t
small(uint64_t weight, uint64_t total)
{
    while (total >> (63 - WEIGHT_BITS)) {
        total >>= 1, weight >>= 1;
    }
    return (idx_t)(1 + (weight << WEIGHT_BITS) / (total + 1));
}

/* METIS uses the C library's rand(), so only one thread at a time may call it.  It only bisects,
 * because METIS prints a message if one of several parts would be empty. */
static bool
ask_metis(struct halved *h, real_t left_share)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    idx_t options[METIS_NOPTIONS], n_weights = 1, n_sides = 2, across;
    real_t shares[] = { left_share, 1 - left_share };

    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    options[METIS_OPTION_NCUTS] = 4;
    pthread_mutex_lock(&lock);
    int said = METIS_PartGraphRecursive(&h->n, &n_weights, h->first, h->next, h->weight, NULL,
                                        h->load, &n_sides, shares, NULL, options, &across, h->side);
    pthread_mutex_unlock(&lock);
    return said == METIS_OK;
}

/* Collects the vertices of one part, and their links. */
static void
halved_open(struct halved *h, const struct squeezed *s, const uint32_t *part, uint32_t which)
{
    uint64_t all_load = 1, all_weight = 1;

    *h = (struct halved){ 0 };
    idx_t *local = arena_new(&h->memory, s->n, sizeof *local);
    h->first = arena_new(&h->memory, s->n + 1, sizeof *h->first);
    h->weight = arena_new(&h->memory, s->n, sizeof *h->weight);
    h->side = arena_new(&h->memory, s->n, sizeof *h->side);
    h->vertex = arena_new(&h->memory, s->n, sizeof *h->vertex);
    h->next = arena_new(&h->memory, s->n_edges, sizeof *h->next);
    h->load = arena_new(&h->memory, s->n_edges, sizeof *h->load);
    for (uint32_t v = 0; v < s->n; v++) {
        if (part[v] == which) {
            h->vertex[local[v] = h->n++] = v;
            all_weight += s->weight[v];
        }
    }
    for (size_t i = 0; i < s->n_edges; i++) {
        all_load += s->edges[i].load;
    }
    for (idx_t i = 0; i < h->n; i++) {
        h->weight[i] = small(s->weight[h->vertex[i]], all_weight);
    }
    for (size_t i = 0; i < s->n_edges; i++) {
        const struct edge *e = &s->edges[i];
        if (part[e->a] == which && part[e->b] == which) {
            h->next[h->n_ends] = local[e->b];
            h->load[h->n_ends++] = small(e->load, all_load);
            h->first[local[e->a] + 1] = h->n_ends;
        }
    }
    for (idx_t i = 0; i < h->n; i++) { /* A vertex without edges ends where it begins. */
        h->first[i + 1] = h->first[i + 1] > h->first[i] ? h->first[i + 1] : h->first[i];
    }
}

/* Each side must have a vertex for each of its parts; the lightest vertices change sides if
 * necessary. */
static void
fill_side(struct halved *h, idx_t side, uint32_t n_least)
{
    uint32_t n = 0;

    for (idx_t i = 0; i < h->n; i++) {
        n += h->side[i] == side;
    }
    for (; n < n_least; n++) {
        idx_t lightest = -1;
        for (idx_t i = 0; i < h->n; i++) {
            bool is_lighter = lightest < 0 || h->weight[i] < h->weight[lightest];
            lightest = h->side[i] != side && is_lighter ? i : lightest;
        }
        h->side[lightest] = side;
    }
}

/* Divides the nodes of part 'first' into this many parts, with numbers from 'first' on. */
static bool
divide(const struct squeezed *s, uint32_t first, uint32_t n_parts, uint32_t *part)
{
    uint32_t n_left = n_parts / 2, n_right = n_parts - n_left;
    struct halved h;

    if (n_parts == 1) {
        return true;
    }
    halved_open(&h, s, part, first);
    bool good = ask_metis(&h, (real_t)n_left / (real_t)n_parts);
    if (good) {
        fill_side(&h, 0, n_left);
        fill_side(&h, 1, n_right);
    }
    for (idx_t i = 0; i < h.n && good; i++) {
        part[h.vertex[i]] = h.side[i] ? first + n_left : first;
    }
    arena_free(&h.memory);
    return good && divide(s, first, n_left, part) && divide(s, first + n_left, n_right, part);
}

/* Cuts the network, but only links with at least this delay. */
static bool
cut_from(const struct cut *c, weir_ps delay_ps, uint32_t *part)
{
    struct squeezed s;

    squeeze(c, delay_ps, &s);
    uint32_t *of = array_new(s.n, sizeof *of);
    bool good = s.n >= c->n_parts && divide(&s, 0, c->n_parts, of);
    for (uint32_t v = 0; v < c->n && good; v++) {
        part[v] = of[s.number[v]];
    }
    free(of);
    arena_free(&s.memory);
    return good;
}

static int
compare_long_first(const void *a, const void *b)
{
    weir_ps x = *(const weir_ps *)a, y = *(const weir_ps *)b;

    return (x < y) - (x > y);
}

/* The delays of links that could be cut, each listed once, the longest first; the caller frees the
 * list. */
static weir_ps *
list_delays(const struct cut *c, size_t *n)
{
    weir_ps *delays = array_new(c->t->n_links, sizeof *delays);
    size_t n_all = 0;
    uint32_t a, b;

    for (size_t i = 0; i < c->t->n_links; i++) {
        if (is_inside(c, &c->t->links[i], &a, &b)) {
            delays[n_all++] = c->t->links[i].delay_ps;
        }
    }
    array_sort(delays, n_all, sizeof *delays, compare_long_first);
    *n = 0;
    for (size_t i = 0; i < n_all; i++) {
        if (!*n || delays[*n - 1] != delays[i]) {
            delays[(*n)++] = delays[i];
        }
    }
    return delays;
}

/* Tries the delays from the longest on; if there are many, only a few.  The last delay tried is the
 * shortest, so every link may then be cut. */
bool
cut_by_metis(const struct cut *c, uint32_t *part)
{
    size_t n, n_tries;
    weir_ps *delays = list_delays(c, &n);
    bool good = false, is_even = false;

    n_tries = n < MAX_TRIES ? n : MAX_TRIES;
    for (size_t i = 1; i <= n_tries && !is_even; i++) {
        good = cut_from(c, delays[i * n / n_tries - 1], part);
        is_even = good && cut_percent(c, part) <= TOPO_CUT_EVEN_PERCENT;
    }
    if (!n) { /* No switch is linked to another. */
        good = cut_from(c, 0, part);
    }
    free(delays);
    return good;
}

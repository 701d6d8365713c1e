/* Finds strongly connected components, which are sets of buffers that all wait for each other, by
 * Tarjan's search, and a shortest cycle of each. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "topo/depend-graph.h"

static uint32_t
n_vertices(const struct depend *d)
{
    return depend_buffers(d) + (d->ins ? d->s.n_switches : 0);
}

static bool
is_pipeline(const struct depend *d, uint32_t v)
{
    return v >= depend_buffers(d);
}

static uint32_t
switch_of(const struct depend *d, uint32_t v)
{
    return is_pipeline(d, v) ? v - depend_buffers(d) : d->at[v % d->n_slots];
}

/* The dependencies of a vertex: sets of hops of its switch, one for each of several classes. */
static const uint64_t *
set_of(const struct depend *d, uint32_t v, uint32_t i, uint32_t *cls)
{
    if (is_pipeline(d, v)) {
        *cls = i;
        return depend_hops(d, d->outs, switch_of(d, v), (uint8_t)i);
    }
    *cls = v / d->n_slots - i;
    return depend_row(d, v % d->n_slots, (uint8_t)(v / d->n_slots), (uint8_t)*cls);
}

/* A buffer has a set for its own class and, if packets can enter it, a set for the class below. */
static uint32_t
n_sets(const struct depend *d, uint32_t v)
{
    return is_pipeline(d, v) ? d->traffic.n_classes : d->lower && v >= d->n_slots ? 2 : 1;
}

/* An input of a switch with a pipeline waits only for the pipeline, if any packets enter there. */
static uint32_t
pipeline_of(const struct depend *d, uint32_t v, uint32_t *pos)
{
    uint32_t slot = v % d->n_slots, at = d->at[slot];
    const uint64_t *ins = depend_hops(d, d->ins, at, (uint8_t)(v / d->n_slots));
    bool is_first = !(*pos)++;

    return is_first && depend_has_bit(ins, slot - d->s.first[at]) ? depend_buffers(d) + at
                                                                  : TOPO_NONE;
}

uint32_t
depend_next(const struct depend *d, uint32_t v, uint32_t *pos)
{
    uint32_t at = switch_of(d, v), row_bits = depend_words(d, at) * 64, cls;

    if (!is_pipeline(d, v) && depend_wait_at(d, at) == DEPEND_FOR_ALL) {
        return pipeline_of(d, v, pos);
    }
    while (*pos < n_sets(d, v) * row_bits) {
        uint32_t bit = *pos % row_bits;
        uint64_t word = set_of(d, v, *pos / row_bits, &cls)[bit / 64] >> bit % 64;
        if (!word) {
            *pos = (*pos | 63) + 1;
            continue;
        }
        *pos += bit_of(word) + 1;
        return cls * d->n_slots + d->s.hops[d->s.first[at] + bit + bit_of(word)].back;
    }
    return TOPO_NONE;
}

/* These functions are Tarjan's search, without recursion. */

struct components {
    uint32_t *of; /* [buffer], or TOPO_NONE. */
    uint32_t n;
    size_t n_members; /* The members of all components. */
};

struct frame {
    uint32_t v, pos;
};

struct tarjan {
    const struct depend *d;
    uint32_t *number, *low; /* [buffer]; number 0: not visited yet. */
    uint32_t n_met;
    uint32_t *stack;
    uint32_t n_stack;
    bool *is_stacked;
    struct frame *frames;
    uint32_t n_frames;
    struct components *components; /* The components found. */
};

static void
enter(struct tarjan *t, uint32_t v)
{
    t->number[v] = t->low[v] = ++t->n_met;
    t->stack[t->n_stack++] = v;
    t->is_stacked[v] = true;
    t->frames[t->n_frames++] = (struct frame){ v, 0 };
}

static void
lower(uint32_t *low, uint32_t to)
{
    *low = to < *low ? to : *low;
}

static void
take_component(struct tarjan *t, uint32_t v)
{
    bool is_cyclic = t->stack[t->n_stack - 1] != v;
    uint32_t w;

    do {
        w = t->stack[--t->n_stack];
        t->is_stacked[w] = false;
        t->components->of[w] = is_cyclic ? t->components->n : TOPO_NONE;
        t->components->n_members += is_cyclic;
    } while (w != v);
    t->components->n += is_cyclic;
}

static void
leave(struct tarjan *t)
{
    uint32_t v = t->frames[--t->n_frames].v;

    if (t->n_frames) {
        lower(&t->low[t->frames[t->n_frames - 1].v], t->low[v]);
    }
    if (t->low[v] == t->number[v]) {
        take_component(t, v);
    }
}

static void
search_from(struct tarjan *t, uint32_t root)
{
    enter(t, root);
    while (t->n_frames) {
        struct frame *f = &t->frames[t->n_frames - 1];
        uint32_t w = depend_next(t->d, f->v, &f->pos);
        if (w == TOPO_NONE) {
            leave(t);
        } else if (!t->number[w]) {
            enter(t, w);
        } else if (t->is_stacked[w]) {
            lower(&t->low[f->v], t->number[w]);
        }
    }
}

/* Finds all components, or stops at the first component if one is enough. */
static struct components
find_components(const struct depend *d, bool one_is_enough)
{
    uint32_t n = n_vertices(d);
    struct arena memory = { 0 };
    struct components components = { .of = array_new(n, sizeof *components.of) };
    struct tarjan t = { .d = d,
                        .number = arena_new(&memory, n, sizeof *t.number),
                        .low = arena_new(&memory, n, sizeof *t.low),
                        .stack = arena_new(&memory, n, sizeof *t.stack),
                        .is_stacked = arena_new(&memory, n, sizeof *t.is_stacked),
                        .frames = arena_new(&memory, n, sizeof *t.frames),
                        .components = &components };

    for (uint32_t v = 0; v < n && !(one_is_enough && components.n); v++) {
        if (!t.number[v]) {
            search_from(&t, v);
        }
    }
    arena_free(&memory);
    return components;
}

bool
depend_is_cyclic(const struct depend *d)
{
    struct components components = find_components(d, true);

    free(components.of);
    return components.n;
}

/* These functions find a shortest cycle of a component. */

struct hunt {
    const struct depend *d;
    const uint32_t *component;
    uint32_t *parent, *depth; /* [buffer]; depth 0: not visited by this search. */
    uint32_t *queue;
    uint32_t *best; /* The shortest cycle so far, last buffer first. */
    uint32_t n_best;
    uint64_t n_steps;
};

/* After this number of steps, in components of many thousand buffers, the search stops with the
 * best cycle so far. */
#define MAX_STEPS UINT64_C(100000000)

static void
keep_cycle(struct hunt *h, uint32_t last)
{
    h->n_best = 0;
    for (uint32_t v = last; v != TOPO_NONE; v = h->parent[v]) {
        h->best[h->n_best++] = v;
    }
}

/* Returns whether an edge of 'v' closes a cycle, and visits the other successors. */
static bool
hunt_on(struct hunt *h, uint32_t start, uint32_t v, uint32_t *n)
{
    for (uint32_t pos = 0, w; (w = depend_next(h->d, v, &pos)) != TOPO_NONE; h->n_steps++) {
        if (w == start) {
            keep_cycle(h, v);
            return true;
        }
        if (h->component[w] == h->component[start] && !h->depth[w]) {
            h->depth[w] = h->depth[v] + 1;
            h->parent[w] = v;
            h->queue[(*n)++] = w;
        }
    }
    return false;
}

/* The shortest cycle through 'start', if it is shorter than the best. */
static void
hunt_from(struct hunt *h, uint32_t start)
{
    uint32_t n = 0;

    h->queue[n++] = start;
    h->depth[start] = 1;
    h->parent[start] = TOPO_NONE;
    for (uint32_t head = 0; head < n; head++) {
        uint32_t v = h->queue[head];
        if ((h->n_best && h->depth[v] >= h->n_best) || hunt_on(h, start, v, &n)) {
            break;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        h->depth[h->queue[i]] = 0;
    }
}

static struct depend_edge
edge_of(const struct depend *d, uint32_t v, uint32_t w)
{
    struct depend_edge e = {
        .at = d->s.node[switch_of(d, v)], .in = TOPO_NONE, .out = TOPO_NONE, .flow = TOPO_NONE
    };

    if (!is_pipeline(d, v)) {
        e.in = d->s.hops[v % d->n_slots].port;
        e.cls = (uint8_t)(v / d->n_slots);
    }
    if (!is_pipeline(d, w)) {
        e.out = d->s.hops[d->s.hops[w % d->n_slots].back].port;
        e.next_cls = (uint8_t)(w / d->n_slots);
    }
    return e;
}

static struct depend_cycle
cycle_of(const struct hunt *h)
{
    struct depend_cycle c = { array_new(h->n_best, sizeof *c.edges), h->n_best };

    for (uint32_t i = 0; i < c.n; i++) {
        uint32_t v = h->best[c.n - 1 - i], w = h->best[(2 * c.n - 2 - i) % c.n];
        c.edges[i] = edge_of(h->d, v, w);
    }
    return c;
}

/* Sorts buffers by component. */
static void
sort_by_component(const struct components *components, uint32_t n, uint32_t *first,
                  uint32_t *members)
{
    for (uint32_t v = 0; v < n; v++) {
        if (components->of[v] != TOPO_NONE) {
            first[components->of[v] + 1]++;
        }
    }
    for (uint32_t k = 0; k < components->n; k++) {
        first[k + 1] += first[k];
    }
    for (uint32_t v = n; v-- > 0;) {
        if (components->of[v] != TOPO_NONE) {
            members[--first[components->of[v] + 1]] = v;
        }
    }
    memmove(first, first + 1, components->n * sizeof *first);
    first[components->n] = (uint32_t)components->n_members;
}

static int
by_length(const void *a, const void *b)
{
    const struct depend_cycle *x = a, *y = b;
    uint32_t i = x->edges[0].in, j = y->edges[0].in;
    return x->n != y->n ? (x->n > y->n) - (x->n < y->n) : (i > j) - (i < j);
}

static void
hunt_cycles(const struct depend *d, const struct components *components,
            struct depend_cycles *cycles)
{
    uint32_t n = n_vertices(d);
    struct arena memory = { 0 };
    uint32_t *first = arena_new(&memory, components->n + 1, sizeof *first);
    uint32_t *members = arena_new(&memory, components->n_members, sizeof *members);
    struct hunt h = { .d = d,
                      .component = components->of,
                      .parent = arena_new(&memory, n, sizeof *h.parent),
                      .depth = arena_new(&memory, n, sizeof *h.depth),
                      .queue = arena_new(&memory, n, sizeof *h.queue),
                      .best = arena_new(&memory, n, sizeof *h.best) };

    sort_by_component(components, n, first, members);
    for (uint32_t k = 0; k < components->n; k++) {
        h.n_best = 0;
        for (uint32_t i = first[k]; i < first[k + 1]; i++) {
            if (!h.n_best || h.n_steps < MAX_STEPS) {
                hunt_from(&h, members[i]);
            }
        }
        cycles->cycles[cycles->n++] = cycle_of(&h);
    }
    qsort(cycles->cycles, cycles->n, sizeof *cycles->cycles, by_length);
    arena_free(&memory);
}

void
depend_find_cycles(struct depend *d, size_t max_cycles, struct depend_cycles *cycles)
{
    struct components components = find_components(d, false);

    *cycles = (struct depend_cycles){ .cycles = array_new(components.n, sizeof *cycles->cycles),
                                      .n_components = components.n };
    for (uint32_t v = 0; v < n_vertices(d); v++) {
        size_t *n = is_pipeline(d, v) ? &cycles->n_pipelines : &cycles->n_buffers;
        *n += components.of[v] != TOPO_NONE;
    }
    hunt_cycles(d, &components, cycles);
    free(components.of);
    while (cycles->n > max_cycles) {
        free(cycles->cycles[--cycles->n].edges);
    }
    depend_add_examples(d, cycles);
}

void
depend_free_cycles(struct depend_cycles *cycles)
{
    for (size_t i = 0; i < cycles->n; i++) {
        for (uint32_t j = 0; j < cycles->cycles[i].n; j++) {
            free(cycles->cycles[i].edges[j].route);
        }
        free(cycles->cycles[i].edges);
    }
    free(cycles->cycles);
    *cycles = (struct depend_cycles){ 0 };
}

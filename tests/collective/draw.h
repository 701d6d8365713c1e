/* Random collectives for laws: every operation that an algorithm has, on any number of members. */

#ifndef TESTS_COLLECTIVE_DRAW_H
#define TESTS_COLLECTIVE_DRAW_H

#include "../unit/unit.h"
#include "graph/collective.h"

/* A divisor of n. */
static inline uint32_t
draw_divisor(uint64_t *chance, uint32_t n)
{
    uint32_t d = (uint32_t)below(chance, n) + 1;

    while (n % d) {
        d--;
    }
    return d;
}

/* An algorithm for a phase of hierarchical, or WEIR_AUTO. */
static inline uint64_t
draw_level(uint64_t *chance)
{
    uint64_t n = 0;

    while (coll_algorithm_at(n)) {
        n++;
    }
    return one_in(chance, 3) ? WEIR_AUTO : below(chance, n);
}

/* Draws all but the algorithm, the operation and n.  Phases of hierarchical may draw an algorithm
 * that the operation cannot use; then they are drawn again. */
static inline struct coll_params
draw_params(uint64_t *chance, const struct coll_algorithm *algorithm, enum coll_op op, uint32_t n)
{
    static const uint64_t chunks[] = { 0, 0, 1, 7, 64, 1000 };
    struct coll_params p = { .algorithm = algorithm, .op = op, .n = n };
    struct err err;

    p.root = (uint32_t)below(chance, n);
    p.channels = (uint32_t)below(chance, 4) + 1;
    p.window = one_in(chance, 3) ? COLL_WINDOW : (uint32_t)below(chance, 3) + 1;
    const uint64_t sizes[] = { 0, 1, n - 1, n, 97, 211, 2 * n * p.channels };
    p.bytes = op == COLL_BARRIER ? 0 : ONE_OF(chance, sizes);
    p.chunk_bytes = ONE_OF(chance, chunks);
    do {
        p.levels =
            (struct coll_levels){ draw_divisor(chance, n), draw_level(chance), draw_level(chance) };
    } while (algorithm->enter && !coll_check(&p, &err));
    if (!coll_check(&p, &err)) {
        fail_msg("%s %s of %u: %s", algorithm->about.name, coll_op_names[op], n, err.text);
    }
    return p;
}

static inline void
print_params(const struct coll_params *p)
{
    print_error(
        "%s %s n %u root %u channels %u window %u bytes %llu chunk %llu, server %llu of %lld "
        "and %lld\n",
        p->algorithm->about.name, coll_op_names[p->op], p->n, p->root, p->channels, p->window,
        (unsigned long long)p->bytes, (unsigned long long)p->chunk_bytes,
        (unsigned long long)p->levels.server, (long long)p->levels.inside,
        (long long)p->levels.rails);
}

#endif

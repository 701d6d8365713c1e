/* Memory for many small objects that are used together and freed together.
 *
 *     struct arena a = { 0 };
 *     struct port *ports = arena_new(&a, n, sizeof *ports);
 *     arena_free(&a);
 *
 * Objects allocated one after another are adjacent, so that they share cache lines and pages.
 * Large blocks are allocated in huge pages, if the system has them.  The TLB of a core covers a
 * limited number of pages, and a network of ten thousand nodes has far more small objects.
 *
 * Builds that check for memory errors allocate each object separately, so that they can identify an
 * overrun object. */

#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena {
    char *next, *end; /* The rest of the last block. */
    void **blocks;
    size_t n, max;
};

/* Allocates zeroed memory for n items; unless it is small, it has whole cache lines. */
void *arena_new(struct arena *, size_t n, size_t item_bytes);
void arena_free(struct arena *);

/* Allocates one object, aligned to a cache line; the caller calls free().  The second function does
 * not align it to huge pages, so that it can take the place of memory that was freed before. */
void *arena_large(size_t bytes);
void *arena_compact(size_t bytes);

#endif

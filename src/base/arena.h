/* Memory for many small objects that are used together and freed together.
 *
 *     struct arena a = { 0 };
 *     struct port *ports = arena_new(&a, n, sizeof *ports);
 *     arena_free(&a);
 *
 * Things taken one after the other are next to each other, so that they share lines of the cache
 * and pages.  Large memory is taken in huge pages, where the system has them.  The TLB of a core
 * covers a limited number of pages, and a network of ten thousand nodes has far more small objects.
 *
 * Builds that look for memory errors give each object an allocation of its own, so that they see
 * which one is overrun. */

#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena {
    char *next, *end; /* The rest of the last block. */
    void **blocks;
    size_t n, max;
};

/* Zeroed memory for n items; whole lines of the cache, unless it is small. */
void *arena_new(struct arena *, size_t n, size_t item_bytes);
void arena_free(struct arena *);

/* One object of that many bytes, at the start of a cache line; the caller calls free(). */
void *arena_large(size_t bytes);

#endif

/* Memory for many small objects (arena.h). */

#define _DEFAULT_SOURCE /* For madvise(). */

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"

enum { LINE = 64, SMALL = 16, FIRST_BLOCK = 1 << 15, HUGE_PAGE = 1 << 21 };

#if defined(__SANITIZE_ADDRESS__)
enum { IS_SHARED = 0 };
#elif defined(__has_feature)
enum { IS_SHARED = !__has_feature(address_sanitizer) };
#else
enum { IS_SHARED = 1 };
#endif

/* Asks for huge pages where the memory has room for whole ones.  If the kernel refuses, the memory
 * has small pages. */
static void
ask_for_huge_pages(char *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    size_t skip = -(size_t)memory & (HUGE_PAGE - 1);

    if (bytes >= skip + HUGE_PAGE) {
        madvise(memory + skip, (bytes - skip) & ~(size_t)(HUGE_PAGE - 1), MADV_HUGEPAGE);
    }
#else
    (void)memory;
    (void)bytes;
#endif
}

void *
arena_large(size_t bytes)
{
    size_t align = bytes < HUGE_PAGE ? LINE : HUGE_PAGE;
    void *memory = array_new_aligned(align, bytes);

    ask_for_huge_pages(memory, bytes);
    return memset(memory, 0, bytes);
}

void *
arena_compact(size_t bytes)
{
    void *memory = array_new_aligned(LINE, bytes);

    ask_for_huge_pages(memory, bytes);
    return memset(memory, 0, bytes);
}

/* Adds a block. Blocks double in size up to a huge page, so that a small network takes little
 * memory. */
static void
add_block(struct arena *a, size_t least)
{
    size_t bytes = a->n < 6 ? (size_t)FIRST_BLOCK << a->n : HUGE_PAGE;

    bytes = bytes < least || !IS_SHARED ? least : bytes;
    ARRAY_PUSH(a->blocks, a->n, a->max) = a->next = arena_large(bytes);
    a->end = a->next + bytes;
}

void *
arena_new(struct arena *a, size_t n, size_t item_bytes)
{
    size_t all = n * item_bytes, bytes = all ? all : 1, align = bytes > LINE / 2 ? LINE : SMALL;
    size_t skip = -(size_t)a->next & (align - 1), left = (size_t)(a->end - a->next);

    if (left < skip + bytes || !IS_SHARED) {
        add_block(a, bytes);
        skip = 0;
    }
    char *memory = a->next + skip;
    a->next = memory + bytes;
    return memory;
}

void
arena_free(struct arena *a)
{
    for (size_t i = 0; i < a->n; i++) {
        free(a->blocks[i]);
    }
    free(a->blocks);
    *a = (struct arena){ 0 };
}

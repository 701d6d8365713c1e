/* Makes all allocations of the program and of its libraries fail in the same way.
 *
 * Not all libraries accept a null: libfyaml dereferences it. An unchecked copy of a word could
 * crash the program. So the program defines the allocation functions, as the C library allows
 * (doc/decisions/0029). They call the GNU C library's own functions, and end the program with a
 * message if no memory is left (base/out-of-memory.h). */

#include <stdint.h>
#include <stdlib.h>

#include "base/out-of-memory.h"

/* The GNU C library's own functions, which malloc(), calloc() and others call. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t item_bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);

static void *
or_end(void *memory, size_t n, size_t item_bytes)
{
    if (!memory) {
        oom_fail_bytes(n, item_bytes);
    }
    return memory;
}

void *
malloc(size_t bytes)
{
    return or_end(__libc_malloc(bytes), 1, bytes);
}

void *
calloc(size_t n, size_t item_bytes)
{
    return or_end(__libc_calloc(n, item_bytes), n, item_bytes);
}

void *
realloc(void *memory, size_t bytes)
{
    void *more = __libc_realloc(memory, bytes);

    /* With 0 bytes, realloc() frees the memory and may return null. */
    return bytes ? or_end(more, 1, bytes) : more;
}

void *
aligned_alloc(size_t align, size_t bytes)
{
    return or_end(__libc_memalign(align, bytes), 1, bytes);
}

#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>

void
array_give_up(const char *what)
{
    fprintf(stderr, "weir: %s\n", what);
    abort();
}

static void *
or_end(void *memory)
{
    if (!memory) {
        array_give_up("out of memory");
    }
    return memory;
}

void *
array_new(size_t n, size_t item_bytes)
{
    return or_end(calloc(n ? n : 1, item_bytes));
}

void *
array_new_aligned(size_t align, size_t bytes)
{
    return or_end(aligned_alloc(align, (bytes + align) / align * align));
}

void *
array_room(void *items, size_t n, size_t *max, size_t item_bytes)
{
    if (n < *max) {
        return items;
    }
    *max = *max ? 2 * *max : 16;
    return or_end(realloc(items, *max * item_bytes));
}

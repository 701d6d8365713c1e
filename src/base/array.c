#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>

void *
array_room(void *items, size_t n, size_t *max, size_t item_bytes)
{
    if (n < *max) {
        return items;
    }
    *max = *max ? 2 * *max : 16;
    items = realloc(items, *max * item_bytes);
    if (!items) {
        fprintf(stderr, "weir: out of memory\n");
        abort();
    }
    return items;
}

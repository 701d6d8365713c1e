/* Growing arrays, aligned memory, and a stable sort. */

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/out-of-memory.h"

void *
array_new(size_t n, size_t item_bytes)
{
    void *items = calloc(n ? n : 1, item_bytes ? item_bytes : 1);

    if (!items) {
        oom_fail_bytes(n, item_bytes);
    }
    return items;
}

void *
array_new_aligned(size_t align, size_t bytes)
{
    void *memory = aligned_alloc(align, (bytes + align) / align * align);

    if (!memory) {
        oom_fail_bytes(1, bytes);
    }
    return memory;
}

void *
array_larger(void *items, size_t n, size_t max, size_t item_bytes)
{
    void *more = array_new(max, item_bytes);

    if (n) {
        memcpy(more, items, n * item_bytes);
    }
    free(items);
    return more;
}

void *
array_room(void *items, size_t n, size_t *max, size_t item_bytes)
{
    if (n < *max) {
        return items;
    }
    *max = *max ? 2 * *max : 16;
    void *more = *max <= SIZE_MAX / item_bytes ? realloc(items, *max * item_bytes) : NULL;
    if (!more) {
        oom_fail_bytes(*max, item_bytes);
    }
    return more;
}

/* A merge sort. It does not merge halves that are already in order. */
static void
sort(char *items, size_t n, size_t item_bytes, int (*compare)(const void *, const void *),
     char *spare)
{
    size_t half = n / 2, i = 0, k = half;

    if (n < 2) {
        return;
    }
    sort(items, half, item_bytes, compare, spare);
    sort(items + half * item_bytes, n - half, item_bytes, compare, spare);
    if (compare(items + (half - 1) * item_bytes, items + half * item_bytes) <= 0) {
        return;
    }
    memcpy(spare, items, n * item_bytes);
    for (size_t to = 0; to < n; to++) {
        bool left =
            k == n || (i < half && compare(spare + i * item_bytes, spare + k * item_bytes) <= 0);
        memcpy(items + to * item_bytes, spare + (left ? i++ : k++) * item_bytes, item_bytes);
    }
}

void
array_sort(void *items, size_t n, size_t item_bytes, int (*compare)(const void *, const void *))
{
    char *spare = array_new(n, item_bytes);

    sort(items, n, item_bytes, compare, spare);
    free(spare);
}

static int
by_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

void
array_sort_u32(uint32_t *items, size_t n)
{
    if (n) {
        qsort(items, n, sizeof *items, by_u32);
    }
}

static int
by_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

void
array_sort_u64(uint64_t *items, size_t n)
{
    if (n) {
        qsort(items, n, sizeof *items, by_u64);
    }
}

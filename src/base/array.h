/* Arrays that grow: three members of a struct, T *items; size_t n, max.
 *
 *     ARRAY_PUSH(list->items, list->n, list->max) = item;
 *
 * If memory is exhausted, the program ends (out-of-memory.h). */

#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

#define ARRAY_PUSH(ITEMS, N, MAX)                                                                  \
    (*((N) < (MAX)                                                                                 \
           ? &(ITEMS)[(N)++]                                                                       \
           : ((ITEMS) = array_room((ITEMS), (N), &(MAX), sizeof *(ITEMS)), &(ITEMS)[(N)++])))

/* Makes memory for one more item. */
#define ARRAY_ROOM(ITEMS, N, MAX)                                                                  \
    ((N) < (MAX) ? (void)0 : (void)((ITEMS) = array_room((ITEMS), (N), &(MAX), sizeof *(ITEMS))))

/* Zeroed memory for n items, at least one. */
void *array_new(size_t n, size_t item_bytes);

/* Uninitialised memory of 'bytes' bytes at a multiple of 'align', which is a power of two. */
void *array_new_aligned(size_t align, size_t bytes);

/* Zeroed memory for 'max' items; the first 'n' are copies of the old ones, which are freed. */
void *array_larger(void *items, size_t n, size_t max, size_t item_bytes);

void *array_room(void *items, size_t n, size_t *max, size_t item_bytes);

/* Like qsort(), but stable. */
void array_sort(void *items, size_t n, size_t item_bytes,
                int (*compare)(const void *, const void *));

/* Binary search: moves LOW up to the first index for which IS_BEFORE, an expression of 'middle', is
 * false; to END if there is none.
 *
 *     size_t low = 0;
 *     ARRAY_SEARCH(low, n, items[middle].key < key); */
#define ARRAY_SEARCH(LOW, END, IS_BEFORE)                                                          \
    for (size_t end_ = (END), middle; (LOW) < end_;) {                                             \
        middle = (LOW) + (end_ - (LOW)) / 2;                                                       \
        if (IS_BEFORE) {                                                                           \
            (LOW) = middle + 1;                                                                    \
        } else {                                                                                   \
            end_ = middle;                                                                         \
        }                                                                                          \
    }

/* Sorts in ascending order. */
void array_sort_u32(uint32_t *items, size_t n);
void array_sort_u64(uint64_t *items, size_t n);

#endif

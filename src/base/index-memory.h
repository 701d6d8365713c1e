/* The memory of an index of packets (weir/index.h), which grows with the number of index
 * entries. */

#ifndef BASE_INDEX_MEMORY_H
#define BASE_INDEX_MEMORY_H

#include <stdlib.h>

#include "base/array.h"
#include "weir/index.h"

static inline struct weir_index *
index_start(struct weir_index *x, uint32_t n_slots)
{
    weir_index_init(x, n_slots, array_new(1, weir_index_memory(n_slots)));
    return x;
}

static inline void
index_stop(struct weir_index *x)
{
    for (uint32_t slot = 0; slot < x->n_slots; slot++) {
        free(x->slots[slot].order);
    }
    free(x->slots);
    free(x->units);
}

static inline uint32_t
index_larger(uint32_t n)
{
    return n ? 2 * n : 16;
}

/* Like weir_index_add(), but allocates memory first if necessary. */
static inline uint32_t
index_add(struct weir_index *x, uint32_t slot, uint32_t out_slot, uint32_t bytes, uint32_t flow)
{
    unsigned lacks = weir_index_lacks(x, slot);

    if (lacks & WEIR_INDEX_UNITS) {
        uint32_t n = index_larger(x->max_units);
        free(weir_index_lend_units(x, array_new(n, sizeof *x->units), n));
    }
    if (lacks & WEIR_INDEX_ORDER) {
        uint32_t n = index_larger(x->slots[slot].max_used);
        free(weir_index_lend_order(x, slot, array_new(n, sizeof *x->slots->order), n));
    }
    return weir_index_add(x, slot, out_slot, bytes, flow);
}

#endif

/* Packets that wait, in a dense table, so that one can be drawn at random at once. */

#include "weir/index.h"

#include <assert.h>

#include "weir/engine.h"

size_t
weir_index_memory(uint32_t n_slots, uint32_t per_slot)
{
    size_t n_units = (size_t)n_slots * per_slot;
    return n_units * (sizeof(struct weir_index_unit) + sizeof(uint32_t)) +
           n_slots * sizeof(uint32_t);
}

void
weir_index_init(struct weir_index *x, uint32_t n_slots, uint32_t per_slot, void *memory)
{
    assert(n_slots && per_slot && per_slot <= (WEIR_NO_UNIT - 1) / n_slots);
    uint32_t n_units = n_slots * per_slot;

    *x = (struct weir_index){ .units = memory, .n_slots = n_slots, .per_slot = per_slot };
    x->order = (uint32_t *)(void *)(x->units + n_units);
    x->n_used = x->order + n_units;
    for (uint32_t unit = 0; unit < n_units; unit++) {
        x->units[unit] = (struct weir_index_unit){ .place = unit };
        x->order[unit] = unit;
    }
    for (uint32_t slot = 0; slot < n_slots; slot++) {
        x->n_used[slot] = 0;
    }
}

uint32_t
weir_index_add(struct weir_index *x, uint32_t in_slot, uint32_t out_slot, uint32_t bytes,
               uint32_t flow)
{
    assert(in_slot < x->n_slots && out_slot < x->n_slots && bytes);
    if (x->n_used[in_slot] == x->per_slot) {
        x->n_left_out++;
        return WEIR_NO_UNIT;
    }
    uint32_t unit = x->order[in_slot * x->per_slot + x->n_used[in_slot]++];
    x->units[unit].flow = flow;
    x->units[unit].bytes = bytes;
    x->units[unit].out_slot = out_slot;
    return unit;
}

static void
put(struct weir_index *x, uint32_t unit, uint32_t place)
{
    x->order[place] = unit;
    x->units[unit].place = place;
}

void
weir_index_remove(struct weir_index *x, uint32_t unit)
{
    if (unit == WEIR_NO_UNIT) {
        return;
    }
    assert(unit < x->n_slots * x->per_slot && x->units[unit].bytes);
    uint32_t slot = unit / x->per_slot;
    uint32_t last = slot * x->per_slot + --x->n_used[slot];
    uint32_t place = x->units[unit].place;

    put(x, x->order[last], place);
    put(x, unit, last);
    x->units[unit].bytes = 0;
}

/* 0 .. n - 1, of the upper half of a random number: a multiplication instead of a division. */
static uint32_t
below(uint64_t *chance, uint32_t n)
{
    return (uint32_t)((weir_random(chance) >> 32) * n >> 32);
}

uint32_t
weir_index_draw(const struct weir_index *x, uint32_t slot, uint64_t *chance)
{
    assert(slot < x->n_slots);
    if (!x->n_used[slot]) {
        return WEIR_NO_UNIT;
    }
    return x->order[slot * x->per_slot + below(chance, x->n_used[slot])];
}

uint32_t
weir_index_draw_by_bytes(const struct weir_index *x, uint32_t slot, uint32_t max_bytes,
                         uint64_t *chance)
{
    uint32_t unit = weir_index_draw(x, slot, chance);

    for (int i = 1; unit != WEIR_NO_UNIT && i < WEIR_MAX_DRAWS; i++) {
        assert(x->units[unit].bytes <= max_bytes);
        if (below(chance, max_bytes) < x->units[unit].bytes) {
            return unit;
        }
        unit = weir_index_draw(x, slot, chance);
    }
    return unit;
}

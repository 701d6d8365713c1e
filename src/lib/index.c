/* Packets that wait, in dense tables, so that one can be drawn at random at once. */

#include "weir/index.h"

#include <assert.h>
#include <string.h>

#include "weir/engine.h"

size_t
weir_index_memory(uint32_t n_slots)
{
    return n_slots * sizeof(struct weir_index_slot);
}

void
weir_index_init(struct weir_index *x, uint32_t n_slots, void *memory)
{
    assert(n_slots);
    *x = (struct weir_index){ .slots = memory, .n_slots = n_slots, .first_free = WEIR_NO_UNIT };
    for (uint32_t slot = 0; slot < n_slots; slot++) {
        x->slots[slot] =
            (struct weir_index_slot){ .oldest = WEIR_NO_UNIT, .youngest = WEIR_NO_UNIT };
    }
}

void *
weir_index_lend_units(struct weir_index *x, struct weir_index_unit *memory, uint32_t n)
{
    void *before = x->units;

    assert(n >= x->max_units && n < WEIR_NO_UNIT);
    if (before) {
        memcpy(memory, before, x->n_touched * sizeof *memory);
    }
    x->units = memory;
    x->max_units = n;
    return before;
}

void *
weir_index_lend_order(struct weir_index *x, uint32_t slot, uint32_t *memory, uint32_t n)
{
    assert(slot < x->n_slots);
    struct weir_index_slot *s = &x->slots[slot];
    void *before = s->order;

    assert(n >= s->max_used);
    if (before) {
        memcpy(memory, before, s->n_used * sizeof *memory);
    }
    s->order = memory;
    s->max_used = n;
    return before;
}

static uint32_t
take_free(struct weir_index *x)
{
    uint32_t unit = x->first_free;

    if (unit == WEIR_NO_UNIT) {
        return x->n_touched++;
    }
    x->first_free = x->units[unit].older;
    return unit;
}

/* Makes 'younger' the next after 'older' in a slot; either may be none, an end of the chain. */
static void
chain(struct weir_index *x, struct weir_index_slot *s, uint32_t older, uint32_t younger)
{
    *(older == WEIR_NO_UNIT ? &s->oldest : &x->units[older].younger) = younger;
    *(younger == WEIR_NO_UNIT ? &s->youngest : &x->units[younger].older) = older;
}

/* Hot: once a packet, as is weir_index_remove(). */
uint32_t
weir_index_add(struct weir_index *x, uint32_t slot, uint32_t out_slot, uint32_t bytes,
               uint32_t flow)
{
    assert(slot < x->n_slots && out_slot < x->n_slots && bytes);
    if (weir_index_lacks(x, slot)) {
        x->n_left_out++;
        return WEIR_NO_UNIT;
    }
    struct weir_index_slot *s = &x->slots[slot];
    uint32_t unit = take_free(x);

    x->units[unit] = (struct weir_index_unit){
        .flow = flow, .bytes = bytes, .slot = slot, .out_slot = out_slot, .place = s->n_used
    };
    s->order[s->n_used++] = unit;
    s->largest_bytes = bytes > s->largest_bytes ? bytes : s->largest_bytes;
    chain(x, s, s->youngest, unit);
    chain(x, s, unit, WEIR_NO_UNIT);
    return unit;
}

void
weir_index_remove(struct weir_index *x, uint32_t unit)
{
    if (unit == WEIR_NO_UNIT) {
        return;
    }
    assert(unit < x->n_touched && x->units[unit].bytes);
    struct weir_index_unit *u = &x->units[unit];
    struct weir_index_slot *s = &x->slots[u->slot];
    uint32_t last = s->order[--s->n_used];

    s->order[u->place] = last;
    x->units[last].place = u->place;
    chain(x, s, u->older, u->younger);
    if (!s->n_used) {
        s->largest_bytes = 0;
    }
    u->bytes = 0;
    u->older = x->first_free;
    x->first_free = unit;
}

/* 0 .. n - 1, of 32 random bits: a multiplication instead of a division. */
static uint32_t
below(uint32_t n, uint32_t bits)
{
    return (uint32_t)((uint64_t)bits * n >> 32);
}

uint32_t
weir_index_draw(const struct weir_index *x, uint32_t slot, uint64_t *chance)
{
    assert(slot < x->n_slots);
    const struct weir_index_slot *s = &x->slots[slot];

    if (!s->n_used) {
        return WEIR_NO_UNIT;
    }
    return s->order[below(s->n_used, (uint32_t)(weir_random(chance) >> 32))];
}

/* One random number says which packet, and by its other half whether it is kept. */
uint32_t
weir_index_draw_by_bytes(const struct weir_index *x, uint32_t slot, uint64_t *chance)
{
    assert(slot < x->n_slots);
    const struct weir_index_slot *s = &x->slots[slot];
    uint32_t unit = WEIR_NO_UNIT;

    for (int i = 0; s->n_used && i < WEIR_MAX_DRAWS; i++) {
        uint64_t random = weir_random(chance);
        unit = s->order[below(s->n_used, (uint32_t)(random >> 32))];
        if (below(s->largest_bytes, (uint32_t)random) < x->units[unit].bytes) {
            break;
        }
    }
    return unit;
}

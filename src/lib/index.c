/* Keeps waiting packets in dense tables, so that one can be sampled at random in constant time. */

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

/* Links 'younger' after 'older' in a slot; either may be WEIR_NO_UNIT at an end of the list. */
static void
chain(struct weir_index *x, struct weir_index_slot *s, uint32_t older, uint32_t younger)
{
    *(older == WEIR_NO_UNIT ? &s->oldest : &x->units[older].younger) = younger;
    *(younger == WEIR_NO_UNIT ? &s->youngest : &x->units[younger].older) = older;
}

/* The band of a packet size: 0 below 128 B, 1 below 256 B, and so on. */
static uint32_t
band_of(uint32_t bytes)
{
    uint32_t band = 25u - (uint32_t)__builtin_clz(bytes | 64);

    return band < WEIR_INDEX_BANDS ? band : WEIR_INDEX_BANDS - 1;
}

static void
put(struct weir_index *x, struct weir_index_slot *s, uint32_t place, uint32_t unit)
{
    s->order[place] = unit;
    x->units[unit].place = place;
}

/* The bands after 'band' that have packets, one bit each. */
static uint32_t
bands_after(const struct weir_index_slot *s, uint32_t band)
{
    return s->bands_used >> band >> 1 << band << 1;
}

/* Returns a free position after the last packet of a band.  Each later band makes room by moving
 * its first packet to its end. */
static uint32_t
open_place(struct weir_index *x, struct weir_index_slot *s, uint32_t band)
{
    uint32_t place = s->n_used;

    for (uint32_t after = bands_after(s, band); after;) {
        uint32_t last = 31u - (uint32_t)__builtin_clz(after);
        uint32_t first = place - s->bands[last].n_used;
        put(x, s, place, s->order[first]);
        place = first;
        after &= ~(1u << last);
    }
    return place;
}

/* The opposite of open_place(): the last packet of the band fills the position, the last packet of
 * the next band fills that packet's position, and so on. */
static void
close_place(struct weir_index *x, struct weir_index_slot *s, uint32_t band, uint32_t place)
{
    uint32_t end = s->n_used, after = bands_after(s, band);

    for (uint32_t bits = after; bits; bits &= bits - 1) {
        end -= s->bands[__builtin_ctz(bits)].n_used;
    }
    put(x, s, place, s->order[end - 1]);
    for (uint32_t bits = after; bits; bits &= bits - 1) {
        place = end - 1;
        end += s->bands[__builtin_ctz(bits)].n_used;
        put(x, s, place, s->order[end - 1]);
    }
}

static void
count_in(struct weir_index_slot *s, uint32_t band, uint32_t bytes)
{
    struct weir_index_band *b = &s->bands[band];

    b->n_used++;
    b->bytes += bytes;
    b->largest_bytes = bytes > b->largest_bytes ? bytes : b->largest_bytes;
    s->bands_used |= 1u << band;
    s->n_used++;
}

static void
count_out(struct weir_index_slot *s, uint32_t band, uint32_t bytes)
{
    struct weir_index_band *b = &s->bands[band];

    b->bytes -= bytes;
    b->n_used--;
    s->n_used--;
    if (!b->n_used) {
        b->largest_bytes = 0;
        s->bands_used &= ~(1u << band);
    }
}

/* Hot: once per packet, like weir_index_remove(). */
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
    uint32_t unit = take_free(x), band = band_of(bytes);

    x->units[unit] = (struct weir_index_unit){
        .flow = flow, .bytes = bytes, .slot = slot, .out_slot = out_slot
    };
    put(x, s, open_place(x, s, band), unit);
    count_in(s, band, bytes);
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
    uint32_t band = band_of(u->bytes);

    close_place(x, s, band, u->place);
    count_out(s, band, u->bytes);
    chain(x, s, u->older, u->younger);
    u->bytes = 0;
    u->older = x->first_free;
    x->first_free = unit;
}

/* A random number from 0 to n - 1, made of 32 random bits by a multiplication instead of a
 * division. */
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

static uint64_t
bytes_of(const struct weir_index_slot *s)
{
    uint64_t bytes = 0;

    for (uint32_t bits = s->bands_used; bits; bits &= bits - 1) {
        bytes += s->bands[__builtin_ctz(bits)].bytes;
    }
    return bytes;
}

/* Picks a band at random, with all bytes equally likely, and finds its first position.  With a
 * single band no random number is needed. */
static const struct weir_index_band *
draw_band(const struct weir_index_slot *s, uint64_t *chance, uint32_t *first)
{
    uint32_t bits = s->bands_used;
    const struct weir_index_band *band = &s->bands[__builtin_ctz(bits)];

    *first = 0;
    if (bits & (bits - 1)) {
        uint64_t at = weir_random(chance) % bytes_of(s);
        while (at >= band->bytes) {
            at -= band->bytes;
            *first += band->n_used;
            bits &= bits - 1;
            band = &s->bands[__builtin_ctz(bits)];
        }
    }
    return band;
}

/* One half of a random number selects a packet of the band, and the other half decides whether it
 * is accepted. */
uint32_t
weir_index_draw_by_bytes(const struct weir_index *x, uint32_t slot, uint64_t *chance)
{
    assert(slot < x->n_slots);
    const struct weir_index_slot *s = &x->slots[slot];
    uint32_t unit = WEIR_NO_UNIT, first;

    if (!s->n_used) {
        return unit;
    }
    const struct weir_index_band *band = draw_band(s, chance, &first);
    for (int i = 0; i < WEIR_MAX_DRAWS; i++) {
        uint64_t random = weir_random(chance);
        unit = s->order[first + below(band->n_used, (uint32_t)(random >> 32))];
        if (below(band->largest_bytes, (uint32_t)random) < x->units[unit].bytes) {
            break;
        }
    }
    return unit;
}

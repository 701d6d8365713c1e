/* An index of the packets that stand at inputs, or at outputs: any of them at random, or the
 * oldest, in the same time however many there are.
 *
 * Some schemes blame a sender that fills a buffer, not one whose packet happened to arrive: they
 * draw one of the packets that stand there.  A host that offers it gives each packet a unit of the
 * index while it is counted at its slot, and hands the unit's number, its handle, out as pkt.unit:
 *
 *     pkt.unit = weir_index_add(index, in_slot, out_slot, bytes, flow);     after it was admitted
 *     weir_index_remove(index, pkt.unit);                                   with its release there
 *
 * All slots take their units from one pool.  'order' of a slot holds the handles of its units,
 * without gaps, so that a random place of it is a random packet; and units of a slot are chained by
 * age:
 *
 *     order of slot 3   | 4 | 9 | 5 |   |        n_used = 3
 *     units   ... 4 <-> 5 <-> 9 ...              4 is the oldest
 *
 * The order goes by bands of size: first the handles of the smallest packets, a band of less than
 * 128 B, then those of up to twice as much, and so on.  A unit that is given back leaves its place
 * to the last of its band, whose place the last of the next band takes, as far as there are any.
 * Handles of other units do not change.
 *
 * Memory grows with the packets held, not with slots times the peak queue.  The host lends memory
 * for the pool and for each order, little or none at first, and larger pieces when they are full.
 * It looks before it adds:
 *
 *     unsigned lacks = weir_index_lacks(index, in_slot);
 *     if (lacks & WEIR_INDEX_UNITS) free(weir_index_lend_units(index, larger, n));
 *     if (lacks & WEIR_INDEX_ORDER) free(weir_index_lend_order(index, in_slot, larger, n));
 *
 * A host that does not is short of units some day: a packet without one is counted, and never
 * drawn.
 *
 * Packets are drawn alike, small or large.  By bytes, so that each byte is as likely: draw a band
 * by the bytes that it holds; draw a packet of that, keep it with probability size / largest size
 * in the band, else draw again.  As no packet is less than half of another in its band, that takes
 * two draws at most on average, for any mix. */

#ifndef WEIR_INDEX_H
#define WEIR_INDEX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The handle of no packet. */
#define WEIR_NO_UNIT UINT32_MAX

/* One packet. */
struct weir_index_unit {
    uint32_t flow;           /* Its sender's label, pkt.flow. */
    uint32_t bytes;          /* 0: not in use. */
    uint32_t slot;           /* Its position. */
    uint32_t out_slot;       /* Where it is going. */
    uint32_t place;          /* In the order of its slot. */
    uint32_t older, younger; /* Neighbours in the order of its slot; WEIR_NO_UNIT at the ends.
                              * 'older' also chains units that are free. */
};

struct weir_index_band { /* Packets of about one size. */
    uint64_t bytes;      /* The sum of their sizes. */
    uint32_t n_used;
    uint32_t largest_bytes; /* No packet here is larger: the largest since the band was empty. */
};

#define WEIR_INDEX_BANDS 8 /* The last one is of 8192 B and more. */

/* The packets of a slot. */
struct weir_index_slot {
    uint32_t *order; /* [place]: handles. */
    uint32_t n_used, max_used;
    uint32_t oldest, youngest;
    uint32_t bands_used; /* A bit each. */
    struct weir_index_band bands[WEIR_INDEX_BANDS];
};

/* The packets of a node. */
struct weir_index {
    struct weir_index_unit *units; /* [handle]. */
    struct weir_index_slot *slots;
    uint32_t n_slots, max_units;
    uint32_t n_touched;  /* Units from here on were never used. */
    uint32_t first_free; /* The first unit that was used and is free again. */
    uint64_t n_left_out; /* Packets that found no unit, as the host had lent no more. */
};

/* Memory for 'n' slots, aligned as malloc() does.  They begin without units. */
size_t weir_index_memory(uint32_t n_slots);
void weir_index_init(struct weir_index *, uint32_t n_slots, void *memory);

/* The memory that the host must lend to a slot before its next packet gets a unit; 0: none. */
enum weir_index_lack { WEIR_INDEX_UNITS = 1 << 0, WEIR_INDEX_ORDER = 1 << 1 };

/* Whether the host must lend memory before the next packet of a slot. */
static inline unsigned
weir_index_lacks(const struct weir_index *x, uint32_t slot)
{
    unsigned lacks = 0;

    if (x->first_free == WEIR_NO_UNIT && x->n_touched == x->max_units) {
        lacks |= WEIR_INDEX_UNITS;
    }
    if (x->slots[slot].n_used == x->slots[slot].max_used) {
        lacks |= WEIR_INDEX_ORDER;
    }
    return lacks;
}

/* Memory for 'n' units, or for 'n' handles of the order of a slot, no fewer than before; the old
 * content is copied.  Returns the memory lent before, which is the host's again: null at first. */
void *weir_index_lend_units(struct weir_index *, struct weir_index_unit *memory, uint32_t n);
void *weir_index_lend_order(struct weir_index *, uint32_t slot, uint32_t *memory, uint32_t n);

/* The new unit's handle, or WEIR_NO_UNIT if something lacks: the packet is then never drawn.
 * 'bytes' is at least 1. */
uint32_t weir_index_add(struct weir_index *, uint32_t slot, uint32_t out_slot, uint32_t bytes,
                        uint32_t flow);

/* 'unit' is in use, or WEIR_NO_UNIT. */
void weir_index_remove(struct weir_index *, uint32_t unit);

/* The unit of a slot that was added first; WEIR_NO_UNIT if there is none. */
static inline uint32_t
weir_index_oldest(const struct weir_index *x, uint32_t slot)
{
    return x->slots[slot].oldest;
}

/* A unit of a slot, each as likely; WEIR_NO_UNIT if there is none.  The last argument is the state
 * of the random number generator, as for weir_random().
 */
uint32_t weir_index_draw(const struct weir_index *, uint32_t slot, uint64_t *chance);

/* The same, each byte as likely.  After WEIR_MAX_DRAWS draws the last one is kept, which Ethernet's
 * sizes never need. */
#define WEIR_MAX_DRAWS 64
uint32_t weir_index_draw_by_bytes(const struct weir_index *, uint32_t slot, uint64_t *chance);

#ifdef __cplusplus
}
#endif

#endif

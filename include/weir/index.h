/* An index of the packets that wait at inputs or at outputs.  It finds a random packet, or the
 * oldest one, in constant time.
 *
 * Some schemes blame a sender that fills a buffer, not the sender whose packet has just arrived.
 * They sample one of the waiting packets at random.  A host that offers this service gives each
 * packet a unit of the index while the packet is counted at its slot.  It passes the number of the
 * unit, its handle, to engines as pkt.unit:
 *
 *     pkt.unit = weir_index_add(index, in_slot, out_slot, bytes, flow);     after it was admitted
 *     weir_index_remove(index, pkt.unit);                                   with its release there
 *
 * All slots take their units from one pool.  'order' of a slot holds the handles of its units
 * without gaps, so that a random position in it is a random packet.  The units of a slot are also
 * linked by age:
 *
 *     order of slot 3   | 4 | 9 | 5 |   |        n_used = 3
 *     units   ... 4 <-> 5 <-> 9 ...              4 is the oldest
 *
 * The handles in 'order' are sorted into bands by packet size: first the band of packets below 128
 * B, then the band below 256 B, and so on.  When a unit is removed, the last unit of its band moves
 * to its position.  The last unit of the next band fills the position that becomes free, and so on.
 * Handles of other units do not change.
 *
 * The memory grows with the number of packets held, not with the number of slots times the peak
 * queue.  The host lends memory for the pool and for each 'order', little or none at first, and
 * larger pieces when they are full.  Before it adds a packet, it checks whether memory is missing:
 *
 *     unsigned lacks = weir_index_lacks(index, in_slot);
 *     if (lacks & WEIR_INDEX_UNITS) free(weir_index_lend_units(index, larger, n));
 *     if (lacks & WEIR_INDEX_ORDER) free(weir_index_lend_order(index, in_slot, larger, n));
 *
 * If the host lends too little memory, some packets have no unit; the index counts them but never
 * returns them.
 *
 * By default all packets are equally likely, small or large.  To sample by bytes, so that all bytes
 * are equally likely, the index picks a band in proportion to its bytes, and a packet of that band.
 * It accepts the packet with probability size / largest size in the band, and otherwise tries
 * again.  Within a band, no packet is smaller than half of another.  So for any mix of sizes this
 * takes at most two attempts on average. */

#ifndef WEIR_INDEX_H
#define WEIR_INDEX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* No handle. */
#define WEIR_NO_UNIT UINT32_MAX

/* The entry of one packet. */
struct weir_index_unit {
    uint32_t flow;           /* The label of its sender, pkt.flow. */
    uint32_t bytes;          /* The size of the packet; 0: the unit is free. */
    uint32_t slot;           /* The slot where the packet waits. */
    uint32_t out_slot;       /* The slot through which the packet will leave. */
    uint32_t place;          /* Its index in 'order' of its slot. */
    uint32_t older, younger; /* The next older and next younger unit of its slot; WEIR_NO_UNIT at
                              * the ends.  'older' also links free units. */
};

struct weir_index_band { /* Packets of about one size. */
    uint64_t bytes;      /* The sum of the sizes of its packets. */
    uint32_t n_used;
    uint32_t largest_bytes; /* No packet here is larger: the largest since the band was empty. */
};

#define WEIR_INDEX_BANDS 8 /* The last band has packets of 8192 B and more. */

/* The packets of a slot. */
struct weir_index_slot {
    uint32_t *order; /* The handles of its units, without gaps. */
    uint32_t n_used, max_used;
    uint32_t oldest, youngest;
    uint32_t bands_used; /* One bit for each band that has packets. */
    struct weir_index_band bands[WEIR_INDEX_BANDS];
};

/* The packets of a node. */
struct weir_index {
    struct weir_index_unit *units; /* [handle]. */
    struct weir_index_slot *slots;
    uint32_t n_slots, max_units;
    uint32_t n_touched;  /* Units with this index or a higher one were never used. */
    uint32_t first_free; /* The first unit of the list of free units. */
    uint64_t n_left_out; /* Packets that got no unit, because the host had lent too little
                          * memory. */
};

/* The size of the memory for 'n_slots' slots, which must be aligned as by malloc(). */
size_t weir_index_memory(uint32_t n_slots);
/* Initialises an index with that memory; its slots begin without units. */
void weir_index_init(struct weir_index *, uint32_t n_slots, void *memory);

/* The kinds of memory that may be missing, or'ed. */
enum weir_index_lack { WEIR_INDEX_UNITS = 1 << 0, WEIR_INDEX_ORDER = 1 << 1 };

/* Returns which memory the host must lend before it adds the next packet of a slot. */
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

/* Lend memory for 'n' units, or for 'n' handles in 'order' of a slot, not fewer than before; the
 * old content is copied.  Both functions return the memory that was lent before, which the host may
 * free: null at first. */
void *weir_index_lend_units(struct weir_index *, struct weir_index_unit *memory, uint32_t n);
void *weir_index_lend_order(struct weir_index *, uint32_t slot, uint32_t *memory, uint32_t n);

/* Adds a packet and returns the handle of its unit, or WEIR_NO_UNIT if memory is missing; the
 * packet is then never sampled.  'bytes' is at least 1. */
uint32_t weir_index_add(struct weir_index *, uint32_t slot, uint32_t out_slot, uint32_t bytes,
                        uint32_t flow);

/* Removes a unit, which must be in use or WEIR_NO_UNIT. */
void weir_index_remove(struct weir_index *, uint32_t unit);

/* The oldest unit of a slot; WEIR_NO_UNIT if the slot has no units. */
static inline uint32_t
weir_index_oldest(const struct weir_index *x, uint32_t slot)
{
    return x->slots[slot].oldest;
}

/* A random unit of a slot, all equally likely; WEIR_NO_UNIT if the slot has no units.  The last
 * argument is the state of the random number generator, as for weir_random(). */
uint32_t weir_index_draw(const struct weir_index *, uint32_t slot, uint64_t *chance);

/* A random unit of a slot, with all bytes equally likely.  After WEIR_MAX_DRAWS attempts the last
 * packet is accepted; sizes of Ethernet packets never need so many. */
#define WEIR_MAX_DRAWS 64
uint32_t weir_index_draw_by_bytes(const struct weir_index *, uint32_t slot, uint64_t *chance);

#ifdef __cplusplus
}
#endif

#endif

/* An index of the packets that stand at inputs: any of them at random, in the same time however
 * many there are.
 *
 * Some schemes blame who fills a buffer, not who happened to arrive: they draw one of the packets
 * that stand there.  A host that offers it gives each packet a unit of the index while it is
 * counted at its input, and hands the unit's number out as pkt.unit:
 *
 *     pkt.unit = weir_index_add(index, in_slot, out_slot, bytes, flow);     after it was admitted
 *     weir_index_remove(index, pkt.unit);                                   with its release there
 *
 * Each input slot has so many units of its own.  'order' holds their numbers, those in use first:
 *
 *     order   | 4 | 0 | 5 | 2 | 1 | 3 |        n_used = 3: units 4, 0 and 5 are packets
 *                           ^ the next to be given out
 *
 * A unit that is given back changes places with the last in use, so the front stays dense, and a
 * random place of the front is a random packet.  Numbers of other units do not change.
 *
 * Packets are drawn alike, small or large.  By bytes, so that each byte is as likely: draw, keep it
 * with probability size / largest size, else draw again.  Where all units have one size (cells, or
 * packets cut into 64 B) both are the same. */

#ifndef WEIR_INDEX_H
#define WEIR_INDEX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_NO_UNIT UINT32_MAX

struct weir_index_unit {
    uint32_t flow;     /* Its sender's label, pkt.flow. */
    uint32_t bytes;    /* 0: not in use. */
    uint32_t out_slot; /* Where it is going. */
    uint32_t place;    /* In 'order'. */
};

struct weir_index {
    struct weir_index_unit
        *units;       /* [slot][unit of the slot]; a handle counts through all of them. */
    uint32_t *order;  /* [slot][place]: handles, those in use first. */
    uint32_t *n_used; /* [slot]. */
    uint32_t n_slots, per_slot;
    uint64_t n_left_out; /* Packets that found no unit: their slot had none left. */
};

/* Memory for so many units at each of so many slots, aligned as malloc() does: 20 bytes a unit.
 * Enough units for any queue: what one slot can hold at most by the smallest packet. */
size_t weir_index_memory(uint32_t n_slots, uint32_t per_slot);
void weir_index_init(struct weir_index *, uint32_t n_slots, uint32_t per_slot, void *memory);

/* The new unit's handle, or WEIR_NO_UNIT if the slot has none left: the packet is then never drawn.
 * 'bytes' is at least 1. */
uint32_t weir_index_add(struct weir_index *, uint32_t in_slot, uint32_t out_slot, uint32_t bytes,
                        uint32_t flow);

/* 'unit' is in use, or WEIR_NO_UNIT. */
void weir_index_remove(struct weir_index *, uint32_t unit);

/* A unit of a slot, each as likely; WEIR_NO_UNIT if there is none.  'chance' as for weir_random().
 */
uint32_t weir_index_draw(const struct weir_index *, uint32_t slot, uint64_t *chance);

/* The same, each byte as likely; no packet is larger than 'max_bytes'.  After WEIR_MAX_DRAWS draws
 * the last one is kept: where packets are that small beside the largest, the small ones are drawn a
 * little too often. */
#define WEIR_MAX_DRAWS 64
uint32_t weir_index_draw_by_bytes(const struct weir_index *, uint32_t slot, uint32_t max_bytes,
                                  uint64_t *chance);

#ifdef __cplusplus
}
#endif

#endif

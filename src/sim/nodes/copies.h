/* Copies of packets that have entered a fabric, kept at their input until the output of the fabric
 * has acknowledged them.  The switch of that output keeps acknowledgements that are still to be
 * sent.
 *
 *     copies_keep   keeps the copy of a packet that moves on
 *     copies_take   removes the copy of a packet that was acknowledged
 *
 *     copies_owe    queues the acknowledgement of a packet that has entered its output
 *     copies_pay    removes the next acknowledgement, in the same order, when it is due
 *
 * A packet is identified by its flow, its number in the flow and its kind.  Several copies with the
 * same identity belong to a retransmitted packet, and any of them may be used. */

#ifndef SIM_COPIES_H
#define SIM_COPIES_H

#include <stdbool.h>
#include <stddef.h>

#include "weir/engine.h"
#include "weir/wire.h"

struct copy {
    struct weir_delivery_frame of;
    struct weir_pkt pkt; /* The packet as engines see it. */
    uint32_t next;       /* The next copy with the same hash, or the next free one, counted from 1;
                          * 0: none. */
};

struct copies_debt {
    struct weir_delivery_frame of;
    uint32_t to; /* The node that keeps the copy. */
    uint16_t port;
};

struct copies {
    struct copy *items; /* The copies in use or on the free list. */
    size_t n_items, max_items;
    uint32_t first_free, n_kept;
    uint32_t *buckets, n_buckets; /* n_buckets is a power of two. */
    struct copies_debt *debts;    /* A FIFO from 'first_debt' on, because all acknowledgements wait
                                   * equally long. */
    size_t first_debt, n_debts, max_debts;
};

void copies_release(struct copies *);
void copies_keep(struct copies *, const struct weir_delivery_frame *, const struct weir_pkt *);

/* Removes a copy and returns its packet in the last argument. Returns false if no such copy
 * exists. */
bool copies_take(struct copies *, const struct weir_delivery_frame *, struct weir_pkt *);

void copies_owe(struct copies *, const struct copies_debt *);
struct copies_debt copies_pay(struct copies *);

#endif

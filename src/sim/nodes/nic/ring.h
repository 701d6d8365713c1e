/* The flows of a class that have something to send.
 *
 * They stand in a ring and take turns, each as far as its own gate allows: the next is the first
 * after the one that was served last whose gate is open.
 *
 * A small ring is walked.  A large one, of thousands of flows that nearly all wait for their time,
 * gets a search tree as well, at the first long walk.  It has the flows in the order of the ring,
 * and with each the earliest time at which a gate of those below it opens.  So the next is found in
 * as many steps as the tree is deep, and it is the one that a walk would have found.  Priorities by
 * a hash of the flow keep the tree even (Seidel and Aragon, Randomized Search Trees, 1996). */

#ifndef SIM_NIC_RING_H
#define SIM_NIC_RING_H

#include "sim/flow-ends.h"

/* A ring of NIC_RING_LARGE flows or more gets a tree when the next flow is not among NIC_RING_FAR.
 * It sheds the tree when it has fewer than NIC_RING_SMALL. */
enum { NIC_RING_LARGE = 64, NIC_RING_FAR = 16, NIC_RING_SMALL = 32 };

struct nic_ring {
    uint32_t last; /* The flow that was served last; SIM_NONE: the ring is empty. */
    uint32_t n;
    uint32_t root;          /* The root of the tree; SIM_NONE: there is none. */
    uint32_t mtu_bytes;     /* The bytes that a gate must allow. */
    bool joins_next;        /* A flow that enters comes first, before all others. */
    struct sim_turn *turns; /* [flow]: room for a tree; null: it never gets large. */
};

/* A flow comes last, behind all others, unless joins_next. */
void nic_ring_enter(struct nic_ring *, struct sim_sender *, uint32_t flow);

/* The flow before it now counts as the one that was served last. */
void nic_ring_leave(struct nic_ring *, struct sim_sender *, uint32_t flow);

/* The next flow whose gate allows a packet of an MTU, or SIM_NONE, and in 'soonest' when the first
 * may.  The flow before it now counts as the one that was served last. */
uint32_t nic_ring_next(struct nic_ring *, const struct sim_sender *, weir_ps now, weir_ps *soonest);

void nic_ring_move(struct nic_ring *, const struct sim_sender *, uint32_t flow);

/* The gate of a flow has changed.  Hot: once per packet, at flows with a gate. */
static inline void
nic_ring_gate_changed(struct nic_ring *r, const struct sim_sender *flows, uint32_t flow)
{
    if (r->root != SIM_NONE && flows[flow].in_ring) {
        nic_ring_move(r, flows, flow);
    }
}

#endif

/* The flows of a class that have something to send.
 *
 * They form a ring and are served round robin.  The next flow is the first one after the flow
 * served last whose own gate is open.
 *
 * A small ring is searched flow by flow.  In a large ring there may be thousands of flows, of which
 * nearly all wait for their gates.  It gets a search tree at the first long search.  The tree has
 * the flows in the order of the ring, and with each flow the earliest time at which a gate in its
 * subtree opens.  So the number of steps to find the next flow is the depth of the tree, and the
 * result is the same as that of the simple search.  Priorities by a hash of the flow keep the tree
 * balanced (Seidel and Aragon, Randomized Search Trees, 1996). */

#ifndef SIM_NIC_RING_H
#define SIM_NIC_RING_H

#include "sim/flow-ends.h"

/* A ring of NIC_RING_LARGE flows or more gets a tree when the next flow is not among the first
 * NIC_RING_FAR.  The tree is removed when the ring has fewer than NIC_RING_SMALL flows. */
enum { NIC_RING_LARGE = 64, NIC_RING_FAR = 16, NIC_RING_SMALL = 32 };

struct nic_ring {
    uint32_t last; /* The flow that was served last; SIM_NONE: the ring is empty. */
    uint32_t next; /* The flow after it.  With many flows this saves a read from memory. */
    uint32_t n;
    uint32_t root;           /* The root of the tree; SIM_NONE: no tree. */
    uint32_t mtu_bytes : 31; /* The bytes that a gate must allow. */
    uint32_t joins_next : 1; /* A flow that enters is served next, before all others. */
    struct sim_turn *turns;  /* [flow]: room for a tree; null: the ring never gets large. */
};

/* Adds a flow to be served last, after all others, unless joins_next is set. */
void nic_ring_enter(struct nic_ring *, struct sim_sender *, uint32_t flow);

/* Removes a flow; the flow before it now counts as served last. */
void nic_ring_leave(struct nic_ring *, struct sim_sender *, uint32_t flow);

/* A flow was served, and stays in the ring.  The next one is prefetched, because a host may send
 * many packets in a window. */
static inline void
nic_ring_served(struct nic_ring *r, const struct sim_sender *flows, uint32_t flow)
{
    r->last = flow;
    r->next = flows[flow].next;
    __builtin_prefetch(&flows[r->next]);
}

/* Returns the next flow whose gate allows a packet of MTU size; the flow before it now counts as
 * served last.  If there is none, returns SIM_NONE, and 'soonest' is the earliest time at which a
 * gate opens. */
uint32_t nic_ring_next(struct nic_ring *, const struct sim_sender *, weir_ps now, weir_ps *soonest);

void nic_ring_move(struct nic_ring *, const struct sim_sender *, uint32_t flow);

/* Called when the gate of a flow has changed.  Hot: once per packet, at flows with a gate. */
static inline void
nic_ring_gate_changed(struct nic_ring *r, const struct sim_sender *flows, uint32_t flow)
{
    if (r->root != SIM_NONE && flows[flow].in_ring) {
        nic_ring_move(r, flows, flow);
    }
}

#endif

/* The flows of a class that have something to send.
 *
 * They form a circular list, called ring in code, and are served round robin.  The next flow is the
 * first one after the flow served last whose own gate is open.
 *
 * A short list is searched flow by flow.  A long list may have thousands of flows, nearly all of
 * which wait for their gates.  It gets a search tree at the first long search.  The tree has the
 * flows in the order of the list, and with each flow the earliest time at which a gate in its
 * subtree opens.  So the number of steps to find the next flow is the depth of the tree, and the
 * result is the same as that of the simple search.  Priorities by a hash of the flow keep the tree
 * balanced (Seidel and Aragon, Randomized Search Trees, 1996). */

#ifndef SIM_NIC_RING_H
#define SIM_NIC_RING_H

#include "sim/flow-ends.h"

/* A list of NIC_RING_LARGE flows or more gets a tree when the next flow is not among the first
 * NIC_RING_FAR.  The tree is removed when the list has fewer than NIC_RING_SMALL flows. */
enum { NIC_RING_LARGE = 64, NIC_RING_FAR = 16, NIC_RING_SMALL = 32 };

struct nic_ring {
    uint32_t last; /* The flow that was served last; SIM_NONE: the list is empty. */
    uint32_t next; /* The flow after 'last'.  With many flows this saves a read from memory. */
    uint32_t n;
    uint32_t root;           /* The root of the tree; SIM_NONE: no tree. */
    uint32_t mtu_bytes : 31; /* The bytes that a gate must allow. */
    uint32_t joins_next : 1; /* A flow that enters is served next, before all others. */
    struct sim_turn *turns;  /* [flow]: memory for a tree; null: the list never becomes long. */
};

/* Adds a flow to be served last, after all others, unless joins_next is set. */
void nic_ring_enter(struct nic_ring *, struct sim_sender *, uint32_t flow);

/* Removes a flow; the flow before it now counts as served last. */
void nic_ring_leave(struct nic_ring *, struct sim_sender *, uint32_t flow);

/* Called when a flow was served and stays in the list.  Prefetches the next flow, because a host
 * may send many packets in a window. */
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

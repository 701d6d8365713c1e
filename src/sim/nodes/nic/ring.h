/* The flows of a class that have something to send.
 *
 * They stand in a ring and take turns, each as far as its own gate allows: the next is the first
 * after the one that was served last whose gate is open. */

#ifndef SIM_NIC_RING_H
#define SIM_NIC_RING_H

#include "sim/flows.h"

struct nic_ring {
    uint32_t last; /* The flow that was served last; SIM_NONE: the ring is empty. */
};

/* A flow comes last, behind all others. */
void nic_ring_enter(struct nic_ring *, struct sim_sender *, uint32_t flow);

/* The flow before it now counts as the one that was served last. */
void nic_ring_leave(struct nic_ring *, struct sim_sender *, uint32_t flow);

/* The next flow whose gate allows a packet of an MTU, or SIM_NONE, and in 'soonest' when the first
 * may.  The flow before it now counts as the one that was served last. */
uint32_t nic_ring_next(struct nic_ring *, const struct sim_sender *, uint32_t mtu, weir_ps now,
                       weir_ps *soonest);

#endif

/* The NIC: what its two files share, sending and receiving (nic.c) and not draining (stall.c). */

#ifndef SIM_NIC_H
#define SIM_NIC_H

#include "sim/nodes/kind.h"
#include "weir/buffer.h"

enum nic_event {
    NIC_FLOW = SIM_OWN, /* A flow starts; key: the flow. */
    NIC_RETRY,          /* A flow waits for an acknowledgement; key: the flow. */
    NIC_PACE,           /* A timer of a flow's transport; key: the flow. */
    NIC_STALL,          /* It stops draining, or goes on; key: which change. */
};

struct nic_class {
    uint32_t last; /* The flow that was served last, in the ring; SIM_NONE: the ring is empty. */
    struct sim_queue acks;
    struct sim_queue held; /* What came while it did not drain. */
};

struct nic {
    uint8_t stalled; /* Bit c: it does not drain class c. */
    struct nic_class classes[WEIR_MAX_CLASSES];
};

/* A packet has reached its receiver. */
void nic_take(struct sim_thread *, struct sim_node *, const struct sim_packet *, weir_ps now);

/* A packet has come that is not drained; it is time to stop draining, or to go on. */
void nic_hold(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void nic_stall(struct sim_thread *, struct sim_node *, weir_ps now);

#endif

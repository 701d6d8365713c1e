/* The inner stage of an edge switch of a fabric, at its outer ports.
 *
 *     input, a queue for each destination ---> inner queue, one per port and class ---> crossbar
 *           arrived, counted at the input      forwarded, counted as on its way
 *
 * A port moves one packet after the other into its inner queue, at the adapter's rate.  It starts a
 * packet only if the whole packet fits there; classes are served round robin.  The order decides
 * which destination is next: FIFO, with one queue for all destinations, or round robin.  Only the
 * first packet of the inner queue is matched, so a blocked packet blocks all packets behind it,
 * whatever their destination.
 *
 * A destination is a host's port at this switch, or the leaf to which a packet goes.  Packets that
 * arrive on an inner port of the fabric do not pass an adapter. */

#ifndef SIM_ADAPTER_H
#define SIM_ADAPTER_H

#include "sim/nodes/cioq.h"

struct adapter_port {
    uint64_t rate_bps; /* 0: an inner port, which has no adapter. */
    bool is_loading;
    uint8_t turn; /* The class that is tried first. */
};

struct adapter_slot {     /* The adapter's state of one (port, class). */
    uint64_t inner_bytes; /* Bytes in the inner queue, or on their way to it. */
    uint32_t n_waiting;   /* The number of packets that wait at the input. */
    uint32_t next;        /* The destination to be served next. */
};

struct adapter {
    uint64_t max_bytes;       /* The size of an inner queue. */
    uint32_t n_destinations;  /* The number of queues of each input slot; 1: one FIFO queue for all
                               * destinations. */
    struct sim_queue loading; /* Packets on their way into inner queues, sorted by due time. */
    struct adapter_port *ports;
    struct adapter_slot *slots;
    struct voq *voqs; /* [input slot][destination]. */
};

/* The number of queues of each input slot, in a network with this many leaves. */
static inline uint64_t
adapter_n_destinations(const struct cioq_params *p, uint64_t n_ports, uint64_t n_leaves)
{
    return p->order == CIOQ_IN_TURN ? n_ports + n_leaves : 1;
}

struct adapter *adapter_new(struct sim_thread *, struct sim_node *, const struct cioq_params *);
void adapter_free(struct adapter *);

static inline bool
adapter_has(const struct adapter *a, uint32_t port)
{
    return a && a->ports[port].rate_bps;
}

/* Called when a packet has arrived on an outer port. */
void adapter_arrived(struct sim_thread *, struct sim_node *, struct adapter *, uint32_t index,
                     weir_ps now);

/* Moves packets that have passed the adapter into their inner queue. */
void adapter_move(struct sim_thread *, struct sim_node *, struct adapter *, weir_ps now);

/* Called when a packet has left the inner queue of a slot. */
void adapter_left(struct sim_thread *, struct sim_node *, struct adapter *, uint32_t in_slot,
                  uint32_t bytes, weir_ps now);

/* For a slot where packets wait: true if the inner queue has room for the next of them. */
bool adapter_has_room(const struct sim_node *, const struct adapter *, uint32_t in_slot);

/* True if the adapter's counts match its queues. */
bool adapter_holds(const struct sim_node *, const struct adapter *, uint32_t in_slot);

#endif

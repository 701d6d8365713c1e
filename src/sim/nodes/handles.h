/* Services for engines: the sender of a packet, and a random packet at an input or an output
 * (weir/index.h).
 *
 * A kind calls these functions for each step of a packet, before it calls the engines.  If no
 * engine needs these services, a call only reads one pointer.  'held' is the packet's index in the
 * pool.
 *
 *     arrived     units_enter; and units_keep, as soon as it has an entry in the pool
 *     forwarded   units_forward
 *     queued      units_fill, units_queue, units_keep; only if 'tells_queued' is set
 *     departed    units_depart
 *     moved       units_move; also for a packet that waits at its input
 *
 *     a copy of the packet stays at its input     units_part, not units_forward; units_drop_copy
 *
 * A packet that departs without being forwarded was counted at its input all the time.  A packet
 * that is queued before it has an entry in the pool needs no units_fill, and only one units_keep.
 *
 * units_start() allocates the memory and units_stop() frees it; it grows with the number of packets
 * held. */

#ifndef SIM_HANDLES_H
#define SIM_HANDLES_H

#include "sim/host/host.h"

struct sim_handles {
    uint32_t input, output; /* The units of a packet in the indexes; WEIR_NO_UNIT: it has no unit
                             * there. */
};

struct sim_units { /* The state at n->units; null: no engine needs labels or units. */
    struct weir_index inputs, outputs;
    struct sim_handles *handles; /* [index in the pool]. */
    uint32_t max_handles;
    uint32_t n_copies; /* The number of units in the index of inputs that belong to copies. */
};

/* 'services' are the services that engines need, enum weir_service, or'ed. The buffer must be
 * initialised before. */
void units_start(struct sim_node *, uint32_t services);
void units_stop(struct sim_node *);

/* The memory of a node at its start. */
size_t units_bytes(const struct weir_shape *, uint32_t services);

/* The first function checks that the indexes match the count of the buffer at inputs, and do not
 * exceed it at outputs.  The second checks that they match it at outputs. */
bool units_hold(const struct sim_node *);
bool units_hold_outputs(const struct sim_node *);

/* These functions are out of line, because only engines with services need them. */
void units_enter_now(struct sim_node *, struct weir_pkt *, uint32_t slot, uint32_t out_slot,
                     uint32_t flow);
void units_keep_now(struct sim_node *, uint32_t held, const struct weir_pkt *);
void units_forward_now(struct sim_node *, uint32_t held, struct weir_pkt *);

void units_fill_now(const struct sim_node *, uint32_t held, struct weir_pkt *);
void units_queue_now(struct sim_node *, struct weir_pkt *, uint32_t slot);
void units_depart_now(struct sim_node *, uint32_t held, struct weir_pkt *);
/* These functions are rarely called.  With units_part() a packet moves on, and a copy stays and is
 * counted at its input; 'pkt' then describes the copy. units_drop_copy() drops the copy.  After
 * units_move() a packet waits for the output of 'pkt'. */
void units_part(struct sim_node *, uint32_t held, struct weir_pkt *);
void units_drop_copy(struct sim_node *, const struct weir_pkt *);
void units_move(struct sim_node *, uint32_t held, struct weir_pkt *);

/* The buffer counts a packet at its input.  'out_slot' is its output, or its input if the output is
 * not known yet. */
static inline void
units_enter(struct sim_node *n, struct weir_pkt *pkt, uint32_t slot, uint32_t out_slot,
            uint32_t flow)
{
    if (__builtin_expect(n->units != NULL, 0)) {
        units_enter_now(n, pkt, slot, out_slot, flow);
    }
}

static inline void
units_keep(struct sim_node *n, uint32_t held, const struct weir_pkt *pkt)
{
    if (__builtin_expect(n->units != NULL, 0)) {
        units_keep_now(n, held, pkt);
    }
}

/* The buffer no longer counts a packet at its input. */
static inline void
units_forward(struct sim_node *n, uint32_t held, struct weir_pkt *pkt)
{
    if (__builtin_expect(n->units != NULL, 0)) {
        units_forward_now(n, held, pkt);
    }
}

static inline void
units_fill(const struct sim_node *n, uint32_t held, struct weir_pkt *pkt)
{
    if (__builtin_expect(n->units != NULL, 0)) {
        units_fill_now(n, held, pkt);
    }
}

/* Called when a packet has reached its output. */
static inline void
units_queue(struct sim_node *n, struct weir_pkt *pkt, uint32_t slot)
{
    if (__builtin_expect(n->units != NULL, 0)) {
        units_queue_now(n, pkt, slot);
    }
}

/* The buffer no longer counts a packet anywhere. */
static inline void
units_depart(struct sim_node *n, uint32_t held, struct weir_pkt *pkt)
{
    if (__builtin_expect(n->units != NULL, 0)) {
        units_depart_now(n, held, pkt);
    }
}

#endif

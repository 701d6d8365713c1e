/* Services for engines beyond plain packets: their senders, and a random one of those at an input
 * or an output (weir/index.h).
 *
 * A kind calls these as a packet goes on, for any engines, and each before it calls them; if the
 * engines need nothing, a call reads one pointer.  'held' is the packet's place in the pool.
 *
 *     arrived     units_enter; and units_keep, as soon as it has a place
 *     forwarded   units_forward
 *     queued      units_fill, units_queue, units_keep; if 'tells_queued', as it is where they ask
 *     departed    units_depart
 *     moved       units_move; also for a packet that waits at its input
 *
 *     a copy of it stays at its input     units_part, instead of forwarded; units_drop_copy
 *
 * A packet need not be forwarded before it departs: it is then counted at its input all the time.
 * One that has no place yet when it is queued needs no units_fill, and units_keep but once.
 *
 * The host takes the memory at the start and gives it back at the end (units_start, units_stop); it
 * grows with what is held. */

#ifndef SIM_HANDLES_H
#define SIM_HANDLES_H

#include "sim/host/host.h"

struct sim_handles {
    uint32_t input, output; /* WEIR_NO_UNIT: it has none. */
};

struct sim_units { /* At n->units; null: no engine asks for labels or units. */
    struct weir_index inputs, outputs;
    struct sim_handles *handles; /* [place in the pool]. */
    uint32_t max_handles;
    uint32_t n_copies; /* Places in the index of inputs that belong to copies. */
};

/* The 'services' (enum weir_service, or'ed) that engines need; the buffer is there. */
void units_start(struct sim_node *, uint32_t services);
void units_stop(struct sim_node *);

/* Memory for a node at its start. */
size_t units_bytes(const struct weir_shape *, uint32_t services);

/* Whether the indexes have what the buffer counts at inputs, and no more than it counts at outputs;
 * and whether they have just that there. */
bool units_hold(const struct sim_node *);
bool units_hold_outputs(const struct sim_node *);

/* Out of line, and only where engines need a service. */
void units_enter_now(struct sim_node *, struct weir_pkt *, uint32_t slot, uint32_t out_slot,
                     uint32_t flow);
void units_keep_now(struct sim_node *, uint32_t held, const struct weir_pkt *);
void units_forward_now(struct sim_node *, uint32_t held, struct weir_pkt *);

void units_fill_now(const struct sim_node *, uint32_t held, struct weir_pkt *);
void units_queue_now(struct sim_node *, struct weir_pkt *, uint32_t slot);
void units_depart_now(struct sim_node *, uint32_t held, struct weir_pkt *);
/* Seldom called.  A packet goes on, and a copy stays that is counted at its input: 'pkt' is the
 * copy's, with the place in the index. Then: the copy is dropped.  A packet waits for another
 * output, that of 'pkt'. */
void units_part(struct sim_node *, uint32_t held, struct weir_pkt *);
void units_drop_copy(struct sim_node *, const struct weir_pkt *);
void units_move(struct sim_node *, uint32_t held, struct weir_pkt *);

/* The buffer counts a packet at its input, with its destination 'out_slot'; if that is not known
 * yet, its input. */
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

/* The buffer no longer counts it at its input. */
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

/* It is at its output. */
static inline void
units_queue(struct sim_node *n, struct weir_pkt *pkt, uint32_t slot)
{
    if (__builtin_expect(n->units != NULL, 0)) {
        units_queue_now(n, pkt, slot);
    }
}

/* The buffer no longer counts it anywhere. */
static inline void
units_depart(struct sim_node *n, uint32_t held, struct weir_pkt *pkt)
{
    if (__builtin_expect(n->units != NULL, 0)) {
        units_depart_now(n, held, pkt);
    }
}

#endif

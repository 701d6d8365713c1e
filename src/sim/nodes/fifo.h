/* Inline FIFO queues of the arbitration "fifo".  Kinds of switches use them without a function
 * pointer if that arbitration is chosen. */

#ifndef SIM_FIFO_H
#define SIM_FIFO_H

#include "sim/host/host.h"

static inline struct sim_queue *
fifo_of(const struct sim_node *n, uint32_t slot)
{
    return (struct sim_queue *)n->queues + slot;
}

static inline bool
fifo_push(struct sim_node *n, uint32_t slot, uint32_t packet)
{
    sim_append(n, fifo_of(n, slot), packet);
    return true;
}

static inline uint32_t
fifo_peek(struct sim_node *n, uint32_t slot)
{
    return fifo_of(n, slot)->head;
}

static inline bool
fifo_pop(struct sim_node *n, uint32_t slot)
{
    struct sim_queue *q = fifo_of(n, slot);
    sim_take(n, q);
    return q->head != SIM_NONE;
}

#endif

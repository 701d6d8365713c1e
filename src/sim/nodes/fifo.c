/* Arbitration "fifo": packets leave an output in the order in which they came. */

#include <string.h>

#include "host.h"

static size_t
fifo_bytes(uint32_t n_ports, uint32_t n_classes)
{
    return (size_t)n_ports * n_classes * sizeof(struct sim_queue);
}

static void
fifo_init(struct sim_node *n, const void *params)
{
    (void)params;
    memset(n->queues, 0xff, fifo_bytes(n->n_ports, n->n_classes));
}

static bool
fifo_push(struct sim_node *n, uint32_t slot, uint32_t packet)
{
    sim_append(n, (struct sim_queue *)n->queues + slot, packet);
    return true;
}

static uint32_t
fifo_peek(struct sim_node *n, uint32_t slot)
{
    return ((struct sim_queue *)n->queues)[slot].head;
}

static bool
fifo_pop(struct sim_node *n, uint32_t slot)
{
    struct sim_queue *q = (struct sim_queue *)n->queues + slot;
    sim_take(n, q);
    return q->head != SIM_NONE;
}

static void
fifo_fetch(const struct sim_node *n, uint32_t slot)
{
    __builtin_prefetch((const struct sim_queue *)n->queues + slot);
}

/* Of an empty queue this fetches for nothing; to look first would cost a fifth of all time.  As a
 * number, because there may be no such packet. */
static void
fifo_fetch_head(const struct sim_node *n, uint32_t slot)
{
    uint32_t head = ((const struct sim_queue *)n->queues)[slot].head;
    __builtin_prefetch((const void *)((uintptr_t)n->pool + head * sizeof *n->pool));
}

const struct sim_arbitration sim_fifo = {
    .about = { .name = "fifo",
               .title = "Packets leave an output in the order in which they arrived" },
    .bytes = fifo_bytes,
    .init = fifo_init,
    .push = fifo_push,
    .peek = fifo_peek,
    .pop = fifo_pop,
    .fetch = fifo_fetch,
    .fetch_head = fifo_fetch_head,
};

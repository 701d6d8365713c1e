/* Arbitration "fifo": packets leave an output in the order in which they arrived. */

#include <string.h>

#include "sim/nodes/fifo.h"

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

static void
fifo_fetch(const struct sim_node *n, uint32_t slot)
{
    __builtin_prefetch(fifo_of(n, slot));
}

/* Prefetches the first packet of a queue. For an empty queue this is useless, but a check would
 * cost a fifth of the total time. */
static void
fifo_fetch_head(const struct sim_node *n, uint32_t slot)
{
    sim_fetch_held(n, fifo_of(n, slot)->head);
}

const struct sim_arbitration sim_fifo = {
    .about = { .name = "fifo",
               .title = "Packets leave an output in the order in which they arrived" },
    .bytes = fifo_bytes,
    .is_fifo = true,
    .init = fifo_init,
    .push = fifo_push,
    .peek = fifo_peek,
    .pop = fifo_pop,
    .fetch = fifo_fetch,
    .fetch_head = fifo_fetch_head,
};

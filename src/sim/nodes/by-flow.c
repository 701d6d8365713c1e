/* Arbitration "flow": flows are hashed to 64 queues at each output, which are served round robin;
 * so an input with many flows gets more bandwidth than an input with few flows. */

#include <string.h>

#include "sim/host/host.h"

enum { N_FLOW_QUEUES = 64 };

struct by_flow {
    uint64_t waiting; /* Bit q: queue q has packets. */
    uint32_t last;    /* The queue that was served last. */
    struct sim_queue queues[N_FLOW_QUEUES];
};

static size_t
by_flow_bytes(uint32_t n_ports, uint32_t n_classes)
{
    return (size_t)n_ports * n_classes * sizeof(struct by_flow);
}

static void
by_flow_init(struct sim_node *n, const void *params)
{
    (void)params;
    memset(n->queues, 0xff, by_flow_bytes(n->n_ports, n->n_classes));
    for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
        ((struct by_flow *)n->queues)[slot].waiting = 0;
        ((struct by_flow *)n->queues)[slot].last = 0;
    }
}

/* The queue of a packet's flow.  Flows that share a queue here may have separate queues at other
 * nodes.  The hash differs from the hash for routes; otherwise flows on the same route would also
 * share queues. */
static uint32_t
flow_queue(const struct sim_node *n, uint32_t packet)
{
    uint32_t hash = sim_key_of(n, &n->pool[packet].packet) * n->salt;
    hash = (hash ^ hash >> 16) * 0x85ebca6b;
    return (hash ^ hash >> 13) * 0xc2b2ae35 >> 26;
}

static bool
by_flow_push(struct sim_node *n, uint32_t slot, uint32_t packet)
{
    struct by_flow *b = (struct by_flow *)n->queues + slot;
    uint32_t q = flow_queue(n, packet);

    sim_append(n, &b->queues[q], packet);
    b->waiting |= UINT64_C(1) << q;
    return true;
}

/* The next queue with packets after the one served last, in cyclic order. */
static uint32_t
next_flow_queue(const struct by_flow *b)
{
    uint64_t after = b->last == N_FLOW_QUEUES - 1 ? 0 : b->waiting & (UINT64_MAX << (b->last + 1));
    return (uint32_t)__builtin_ctzll(after ? after : b->waiting);
}

static uint32_t
by_flow_peek(struct sim_node *n, uint32_t slot)
{
    const struct by_flow *b = (const struct by_flow *)n->queues + slot;
    return b->queues[next_flow_queue(b)].head;
}

static bool
by_flow_pop(struct sim_node *n, uint32_t slot)
{
    struct by_flow *b = (struct by_flow *)n->queues + slot;
    uint32_t q = next_flow_queue(b);

    sim_take(n, &b->queues[q]);
    b->last = q;
    if (b->queues[q].head == SIM_NONE) {
        b->waiting &= ~(UINT64_C(1) << q);
    }
    return b->waiting != 0;
}

const struct sim_arbitration sim_flow_in_turn = {
    .about = { .name = "flow",
               .title = "Flows take turns at an output; a hash puts each into one of 64 queues" },
    .bytes = by_flow_bytes,
    .init = by_flow_init,
    .push = by_flow_push,
    .peek = by_flow_peek,
    .pop = by_flow_pop,
};

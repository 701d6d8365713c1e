/* Arbitration "input-fifo": each (input, class) is one queue and offers only its first packet to an
 * output, even if the outputs of later packets are free.  It offers the next packet when the first
 * one has been sent, so there is no speed-up.  An output serves inputs in the order in which they
 * offered. */

#include "sim/host/host.h"

struct offer {
    struct sim_queue behind;  /* At an input slot: packets that wait behind the offered one. */
    struct sim_queue offered; /* At an output slot: packets that inputs offer to it. */
    bool has_offered;         /* At an input slot: it offers a packet. */
};

static size_t
offer_bytes(uint32_t n_ports, uint32_t n_classes)
{
    return (size_t)n_ports * n_classes * sizeof(struct offer);
}

static void
offer_init(struct sim_node *n, const void *params)
{
    (void)params;
    for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
        ((struct offer *)n->queues)[slot] =
            (struct offer){ .behind = { SIM_NONE, SIM_NONE }, .offered = { SIM_NONE, SIM_NONE } };
    }
}

static bool
offer_push(struct sim_node *n, uint32_t slot, uint32_t packet)
{
    struct offer *offers = n->queues;
    struct sim_held *p = &n->pool[packet];
    struct offer *in = &offers[p->in_port * n->n_classes + p->packet.cls];

    if (in->has_offered) {
        sim_append(n, &in->behind, packet);
        return false;
    }
    in->has_offered = true;
    sim_append(n, &offers[slot].offered, packet);
    return true;
}

static uint32_t
offer_peek(struct sim_node *n, uint32_t slot)
{
    return ((struct offer *)n->queues)[slot].offered.head;
}

static bool
offer_pop(struct sim_node *n, uint32_t slot)
{
    struct sim_queue *q = &((struct offer *)n->queues)[slot].offered;
    sim_take(n, q);
    return q->head != SIM_NONE;
}

static uint32_t
offer_next(struct sim_node *n, uint32_t in_slot)
{
    struct offer *offers = n->queues, *in = &offers[in_slot];

    if (in->behind.head == SIM_NONE) {
        in->has_offered = false;
        return SIM_NONE;
    }
    uint32_t packet = sim_take(n, &in->behind);
    uint32_t out_slot = n->pool[packet].out_port * n->n_classes + n->pool[packet].packet.cls;
    sim_append(n, &offers[out_slot].offered, packet);
    return out_slot;
}

static void
offer_move(struct sim_node *n, uint32_t slot, uint32_t packet)
{
    sim_append(n, &((struct offer *)n->queues)[slot].offered, packet);
}

static void
offer_mark_behind(const struct sim_node *n, bool *is_behind)
{
    const struct offer *offers = n->queues;

    for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
        for (uint32_t i = offers[slot].behind.head; i != SIM_NONE; i = n->pool[i].next) {
            is_behind[i] = true;
        }
    }
}

const struct sim_arbitration sim_input_fifo = {
    .about = { .name = "input-fifo",
               .title = "Each input is one queue, of which only the first packet can leave" },
    .bytes = offer_bytes,
    .init = offer_init,
    .push = offer_push,
    .peek = offer_peek,
    .pop = offer_pop,
    .free_input = offer_next,
    .move = offer_move,
    .mark_behind = offer_mark_behind,
};

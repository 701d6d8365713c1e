/* An arbitration among inputs for check-plugins: a queue in which some packets go to the front. */

#include <string.h>

#include "sim/host/host.h"

struct arbitration_params {
    uint64_t jump;
};

struct jumpers { /* Stored at n->queues. */
    uint64_t jump, n_pushed;
    struct sim_queue queues[]; /* [slot]. */
};

static const struct weir_field throwaway_arbitration_fields[] = {
    WEIR_FIELD(struct arbitration_params, jump, "jump", WEIR_COUNT, .fallback = 2, .min = 2,
               .max = 100, .help = "Every so many packets one goes before the others.",
               .source = "-"),
    { 0 },
};

static size_t
jumpers_bytes(uint32_t n_ports, uint32_t n_classes)
{
    return sizeof(struct jumpers) + (size_t)n_ports * n_classes * sizeof(struct sim_queue);
}

static void
jumpers_init(struct sim_node *n, const void *params)
{
    struct jumpers *j = n->queues;

    memset(j, 0xff, jumpers_bytes(n->n_ports, n->n_classes));
    *j = (struct jumpers){ .jump = ((const struct arbitration_params *)params)->jump };
}

static bool
jumpers_push(struct sim_node *n, uint32_t slot, uint32_t packet)
{
    struct jumpers *j = n->queues;
    struct sim_queue *q = &j->queues[slot];

    if (++j->n_pushed % j->jump || q->head == SIM_NONE) {
        sim_append(n, q, packet);
    } else {
        n->pool[packet].next = q->head;
        q->head = packet;
    }
    return true;
}

static uint32_t
jumpers_peek(struct sim_node *n, uint32_t slot)
{
    return ((struct jumpers *)n->queues)->queues[slot].head;
}

static bool
jumpers_pop(struct sim_node *n, uint32_t slot)
{
    struct sim_queue *q = &((struct jumpers *)n->queues)->queues[slot];

    sim_take(n, q);
    return q->head != SIM_NONE;
}

const struct sim_arbitration sim_throwaway_arbitration = {
    .about = { .name = "throwaway-arbitration",
               .title = "A queue in which some packets go to the front",
               .params = throwaway_arbitration_fields,
               .params_bytes = sizeof(struct arbitration_params) },
    .bytes = jumpers_bytes,
    .init = jumpers_init,
    .push = jumpers_push,
    .peek = jumpers_peek,
    .pop = jumpers_pop,
};

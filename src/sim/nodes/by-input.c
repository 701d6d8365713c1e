/* Arbitrations that keep a list of packets for each (output, class, input).
 *
 *     rr       a packet from each input, round robin
 *     random   from a random input among those that have packets
 *     transit  from the input whose next packet has crossed the most switches; round robin
 *     wfq      from the input that was served the fewest bytes, by their cost */

#include "sim/host/host.h"

/* For each output slot: the next input, the number of inputs with packets, and the lists. */

struct by_input {
    _Alignas(8) uint32_t chosen; /* The result of the last peek; SIM_NONE: there was none. */
    uint32_t last;               /* The input that was served last. */
    uint32_t n_waiting;
    uint64_t clock; /* wfq: the cost of the input served last, before it was served. */
};

struct input {
    struct sim_queue queue;
    uint64_t served_cost; /* wfq: the bytes served, multiplied by the input's cost. */
};

static size_t
by_input_stride(uint32_t n_ports)
{
    return sizeof(struct by_input) + n_ports * sizeof(struct input);
}

static size_t
by_input_bytes(uint32_t n_ports, uint32_t n_classes)
{
    return (size_t)n_ports * n_classes * by_input_stride(n_ports);
}

static struct by_input *
by_input_at(struct sim_node *n, uint32_t slot)
{
    return (struct by_input *)((char *)n->queues + slot * by_input_stride(n->n_ports));
}

static struct input *
inputs_of(struct by_input *b)
{
    return (struct input *)(b + 1);
}

static void
by_input_init(struct sim_node *n, const void *params)
{
    (void)params;
    for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
        struct by_input *b = by_input_at(n, slot);
        *b = (struct by_input){ .chosen = SIM_NONE };
        for (uint32_t i = 0; i < n->n_ports; i++) {
            inputs_of(b)[i] = (struct input){ .queue = { SIM_NONE, SIM_NONE } };
        }
    }
}

static bool
by_input_push(struct sim_node *n, uint32_t slot, uint32_t packet)
{
    struct by_input *b = by_input_at(n, slot);
    struct input *in = &inputs_of(b)[n->pool[packet].in_port];

    b->n_waiting += in->queue.head == SIM_NONE;
    sim_append(n, &in->queue, packet);
    return true;
}

static uint32_t
next_in_turn(struct sim_node *n, struct by_input *b)
{
    uint32_t i = b->last;
    do {
        i = i + 1 < n->n_ports ? i + 1 : 0;
    } while (inputs_of(b)[i].queue.head == SIM_NONE);
    return i;
}

static uint32_t
next_by_chance(struct sim_node *n, struct by_input *b)
{
    uint64_t skip = weir_random(&n->chance) % b->n_waiting;
    for (uint32_t i = 0;; i++) {
        if (inputs_of(b)[i].queue.head != SIM_NONE && skip-- == 0) {
            return i;
        }
    }
}

static uint32_t
next_most_hops(struct sim_node *n, struct by_input *b)
{
    uint32_t best = SIM_NONE, most = 0;
    for (uint32_t i = 1; i <= n->n_ports; i++) {
        uint32_t input = b->last + i < n->n_ports ? b->last + i : b->last + i - n->n_ports;
        uint32_t head = inputs_of(b)[input].queue.head;
        if (head != SIM_NONE && (best == SIM_NONE || n->pool[head].packet.n_hops > most)) {
            best = input;
            most = n->pool[head].packet.n_hops;
        }
    }
    return best;
}

/* Returns the next packet. Two calls in a row return the same packet, because the gate may still
 * block it. */
static uint32_t
by_input_peek(struct sim_node *n, uint32_t slot,
              uint32_t (*choose)(struct sim_node *, struct by_input *))
{
    struct by_input *b = by_input_at(n, slot);
    if (b->chosen == SIM_NONE) {
        b->chosen = choose(n, b);
    }
    return inputs_of(b)[b->chosen].queue.head;
}

static uint32_t
rr_peek(struct sim_node *n, uint32_t slot)
{
    return by_input_peek(n, slot, next_in_turn);
}

static uint32_t
random_peek(struct sim_node *n, uint32_t slot)
{
    return by_input_peek(n, slot, next_by_chance);
}

static uint32_t
transit_peek(struct sim_node *n, uint32_t slot)
{
    return by_input_peek(n, slot, next_most_hops);
}

static bool
by_input_pop(struct sim_node *n, uint32_t slot)
{
    struct by_input *b = by_input_at(n, slot);
    struct input *in = &inputs_of(b)[b->chosen];

    sim_take(n, &in->queue);
    b->n_waiting -= in->queue.head == SIM_NONE;
    b->last = b->chosen;
    b->chosen = SIM_NONE;
    return b->n_waiting > 0;
}

const struct sim_arbitration sim_rr = {
    .about = { .name = "rr", .title = "Inputs take turns, one packet each" },
    .bytes = by_input_bytes,
    .init = by_input_init,
    .push = by_input_push,
    .peek = rr_peek,
    .pop = by_input_pop,
};

const struct sim_arbitration sim_random = {
    .about = { .name = "random",
               .title = "An input is drawn at random among those that have packets" },
    .bytes = by_input_bytes,
    .init = by_input_init,
    .push = by_input_push,
    .peek = random_peek,
    .pop = by_input_pop,
};

const struct sim_arbitration sim_transit = {
    .about = { .name = "transit",
               .title = "The packet that has crossed the most switches goes first" },
    .bytes = by_input_bytes,
    .init = by_input_init,
    .push = by_input_push,
    .peek = transit_peek,
    .pop = by_input_pop,
};

/* wfq: the service of an input counts by its cost, so inputs from hosts and from switches can have
 * different shares.  The costs are stored after the lists. */

struct wfq_params {
    uint64_t host_share;
};

static const struct weir_field wfq_fields[] = {
    WEIR_FIELD(struct wfq_params, host_share, "host_share", WEIR_RATIO,
               .fallback = WEIR_RATIO_1 / 2, .min = WEIR_RATIO_1 / 100,
               .max = WEIR_RATIO_1 - WEIR_RATIO_1 / 100,
               .help = "Share of an output that an input from a host gets when it competes with "
                       "one from a switch.",
               .source = "-"),
    { 0 },
};

static size_t
wfq_bytes(uint32_t n_ports, uint32_t n_classes)
{
    return by_input_bytes(n_ports, n_classes) + n_ports * sizeof(uint32_t);
}

static uint32_t *
wfq_costs(struct sim_node *n)
{
    return (uint32_t *)((char *)n->queues + by_input_bytes(n->n_ports, n->n_classes));
}

/* Sets the cost of each input: two inputs with equal total cost have then been served according to
 * their shares. */
static void
wfq_init(struct sim_node *n, const void *params)
{
    uint32_t share = (uint32_t)((const struct wfq_params *)params)->host_share;

    by_input_init(n, params);
    for (uint32_t i = 0; i < n->n_ports; i++) {
        bool is_host = n->shape.ports[i].peer_tier == 0;
        wfq_costs(n)[i] = is_host ? WEIR_RATIO_1 - share : share;
    }
}

/* An input that was empty begins with the cost of the input served last, even if all those packets
 * have left.  So its earlier idle time and service do not count.
 *                                  Goyal, Vin and Cheng, Start-Time Fair Queueing, SIGCOMM 1996 */
static bool
wfq_push(struct sim_node *n, uint32_t slot, uint32_t packet)
{
    struct by_input *b = by_input_at(n, slot);
    struct input *in = &inputs_of(b)[n->pool[packet].in_port];

    if (in->queue.head == SIM_NONE && in->served_cost < b->clock) {
        in->served_cost = b->clock;
    }
    return by_input_push(n, slot, packet);
}

static uint32_t
next_least_served(struct sim_node *n, struct by_input *b)
{
    uint32_t best = SIM_NONE;
    for (uint32_t i = 0; i < n->n_ports; i++) {
        const struct input *in = &inputs_of(b)[i];
        if (in->queue.head != SIM_NONE &&
            (best == SIM_NONE || in->served_cost < inputs_of(b)[best].served_cost)) {
            best = i;
        }
    }
    return best;
}

static uint32_t
wfq_peek(struct sim_node *n, uint32_t slot)
{
    return by_input_peek(n, slot, next_least_served);
}

static bool
wfq_pop(struct sim_node *n, uint32_t slot)
{
    struct by_input *b = by_input_at(n, slot);
    struct input *in = &inputs_of(b)[b->chosen];

    b->clock = in->served_cost;
    in->served_cost += (uint64_t)n->pool[in->queue.head].packet.bytes * wfq_costs(n)[b->chosen];
    return by_input_pop(n, slot);
}

const struct sim_arbitration sim_wfq = {
    .about = { .name = "wfq",
               .title = "The input that was served the fewest bytes for its share goes next",
               .params = wfq_fields,
               .params_bytes = sizeof(struct wfq_params) },
    .bytes = wfq_bytes,
    .init = wfq_init,
    .push = wfq_push,
    .peek = wfq_peek,
    .pop = wfq_pop,
};

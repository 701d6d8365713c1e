/* Arbitration: in which order packets that came in by different ports leave an output.
 *
 *     fifo     in the order they came
 *     rr       a packet from each input in turn
 *     random   from an input drawn among those that have one
 *     wfq      from the input that was served the fewest bytes, by their cost
 *     transit  from the input whose next packet has come the longest way; in turn among equals
 *     flow     from each flow in turn, by 64 queues that flows are hashed to
 *     input-fifo  each (input, class) is one queue and offers only the first of it, however free
 *                 the outputs of those behind are; the next when that is sent, so there is no
 *                 speed-up.  An output serves inputs in the order in which they offered.
 *
 * rr, random, wfq and transit keep a list for each (output, class, input). */

#include <string.h>

#include "sim/internal.h"

/* Lists of packets in the node's pool. */

void
sim_append(struct sim_node *n, struct sim_queue *q, uint32_t packet)
{
    n->pool[packet].next = SIM_NONE;
    if (q->head == SIM_NONE) {
        q->head = packet;
    } else {
        n->pool[q->tail].next = packet;
    }
    q->tail = packet;
}

uint32_t
sim_take(struct sim_node *n, struct sim_queue *q)
{
    uint32_t packet = q->head;
    q->head = n->pool[packet].next;
    return packet;
}

/* fifo */

static size_t
fifo_bytes(uint32_t n_ports, uint32_t n_classes)
{
    return (size_t)n_ports * n_classes * sizeof(struct sim_queue);
}

static void
fifo_init(struct sim_node *n)
{
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

/* By input.  For each output slot: which input is next, how many have packets, and the lists. */

struct by_input {
    _Alignas(8) uint32_t chosen; /* By the last peek; SIM_NONE: none yet. */
    uint32_t last;               /* Served last. */
    uint32_t n_waiting;
};

struct input {
    struct sim_queue queue;
    uint64_t served_cost; /* wfq: bytes, times the input's cost. */
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
by_input_init(struct sim_node *n)
{
    for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
        struct by_input *b = by_input_at(n, slot);
        *b = (struct by_input){ .chosen = SIM_NONE };
        for (uint32_t i = 0; i < n->n_ports; i++) {
            inputs_of(b)[i] = (struct input){ .queue = { SIM_NONE, SIM_NONE } };
        }
    }
}

/* An input that had nothing begins level with the least served: rest is not saved up. */
static void
catch_up(struct sim_node *n, struct by_input *b, struct input *late)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < n->n_ports; i++) {
        struct input *in = &inputs_of(b)[i];
        if (in != late && in->queue.head != SIM_NONE && in->served_cost < least) {
            least = in->served_cost;
        }
    }
    if (least != UINT64_MAX && late->served_cost < least) {
        late->served_cost = least;
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

static bool
wfq_push(struct sim_node *n, uint32_t slot, uint32_t packet)
{
    struct by_input *b = by_input_at(n, slot);
    struct input *in = &inputs_of(b)[n->pool[packet].in_port];

    if (in->queue.head == SIM_NONE) {
        catch_up(n, b, in);
    }
    return by_input_push(n, slot, packet);
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
next_from_afar(struct sim_node *n, struct by_input *b)
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

/* Asked twice, the same packet is the answer: the gate may say "later" in between. */
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
wfq_peek(struct sim_node *n, uint32_t slot)
{
    return by_input_peek(n, slot, next_least_served);
}

static uint32_t
transit_peek(struct sim_node *n, uint32_t slot)
{
    return by_input_peek(n, slot, next_from_afar);
}

static bool
by_input_pop(struct sim_node *n, uint32_t slot)
{
    struct by_input *b = by_input_at(n, slot);
    struct input *in = &inputs_of(b)[b->chosen];
    uint32_t packet = sim_take(n, &in->queue);

    in->served_cost += (uint64_t)n->pool[packet].packet.bytes * n->costs[b->chosen];
    b->n_waiting -= in->queue.head == SIM_NONE;
    b->last = b->chosen;
    b->chosen = SIM_NONE;
    return b->n_waiting > 0;
}

/* By flow: hashed to so many queues, which are served in turn; so an input that many flows come by
 * gets more than one that few come by. */

enum { N_FLOW_QUEUES = 64 };

struct by_flow {
    uint64_t waiting; /* Bit q: queue q has packets. */
    uint32_t last;    /* Served last. */
    struct sim_queue queues[N_FLOW_QUEUES];
};

static size_t
by_flow_bytes(uint32_t n_ports, uint32_t n_classes)
{
    return (size_t)n_ports * n_classes * sizeof(struct by_flow);
}

static void
by_flow_init(struct sim_node *n)
{
    memset(n->queues, 0xff, by_flow_bytes(n->n_ports, n->n_classes));
    for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
        ((struct by_flow *)n->queues)[slot].waiting = 0;
        ((struct by_flow *)n->queues)[slot].last = 0;
    }
}

/* Flows that share a queue here have queues of their own elsewhere.  Mixed in another way than for
 * routes: flows that came here because of that hash must not share queues because of it, too. */
static uint32_t
flow_queue(const struct sim_node *n, uint32_t packet)
{
    uint32_t hash = n->pool[packet].packet.flow * n->salt;
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

/* The next after the last served, around. */
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

/* One queue an input, of which one packet is offered to its output, or is on its way there. */

struct offer {
    struct sim_queue behind;  /* Of an input slot: those that wait behind the one offered. */
    struct sim_queue offered; /* Of an output slot: what inputs offer to it. */
    bool has_offered;         /* Of an input slot. */
};

static size_t
offer_bytes(uint32_t n_ports, uint32_t n_classes)
{
    return (size_t)n_ports * n_classes * sizeof(struct offer);
}

static void
offer_init(struct sim_node *n)
{
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
        p->waits_behind = true;
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
    n->pool[packet].waits_behind = false;
    sim_append(n, &offers[out_slot].offered, packet);
    return out_slot;
}

const struct sim_arbitration sim_arbitration_table[] = {
    { "fifo", fifo_bytes, fifo_init, fifo_push, fifo_peek, fifo_pop, NULL },
    { "rr", by_input_bytes, by_input_init, by_input_push, rr_peek, by_input_pop, NULL },
    { "random", by_input_bytes, by_input_init, by_input_push, random_peek, by_input_pop, NULL },
    { "wfq", by_input_bytes, by_input_init, wfq_push, wfq_peek, by_input_pop, NULL },
    { "transit", by_input_bytes, by_input_init, by_input_push, transit_peek, by_input_pop, NULL },
    { "flow", by_flow_bytes, by_flow_init, by_flow_push, by_flow_peek, by_flow_pop, NULL },
    { "input-fifo", offer_bytes, offer_init, offer_push, offer_peek, offer_pop, offer_next },
    { 0 },
};

const char *const sim_arbitrations[] = { "fifo",    "rr",   "random",     "wfq",
                                         "transit", "flow", "input-fifo", 0 };

/* The queues that shut transmit queues wait for.
 *
 * A transmit queue is shut if its gate waits for the peer: it is paused, out of credit, or at rate
 * 0.  (One that is only paced, or on hold until a time, will move by itself; limits of another
 * engine for the same queue count all the same.)  The peer blocks it for one of these:
 *
 *   - packets that came in there and are still in the node.  It opens the gate when they leave.  So
 *     the queue is stuck if there are such packets and all of them wait in queues that are stuck
 *     themselves.  Where its threshold follows what is free of a shared buffer, and none of it
 *     stands in the headroom, others that leave may open the gate, too: then all packets of the
 *     node must be stuck.
 *     An input that keeps copies counts these until word of their packets comes, which is never
 *     paused: as long as word is to come, its peer's queue is not stuck.
 *   - packets that came in there and have not entered the pipeline, where there is one.  They wait
 *     for it, wherever they go.  It stands still until something leaves by one of some transmit
 *     queues: by the one that its first packet does not fit into, or by any that shares its limit.
 *     So the queue is stuck if there are such packets, and all of those transmit queues are.
 *   - one of its own outputs, which is too long, and to which packets from there went (CaPFC).  It
 *     opens the gate when that output has drained, even if none of those packets is left.  So the
 *     queue is stuck if the engine says that it blocks the peer for an output, and the queue
 *     of that output is stuck.
 *
 * One reason that is there for good is enough.  The engine reports which of them it has; most know
 * only the first two.  (What was sent in a class came in in another if packets change class.)
 *
 * "A while" is longer than any message can be on its way, so that none that is could still open
 * one.  A pipeline must have stood still for as long, or the packet that it has just taken in may
 * have opened a gate.  It is no time-out: a queue that waits for one that moves, or for a pipeline
 * that moves, is never stuck, however long that takes. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/stuck.h"
#include "sim/watch.h"

static bool
waits_for_peer(const struct weir_gate *g, weir_ps now, uint32_t bytes)
{
    return g->open_ps > now || weir_gate_ready(g, now, bytes) == WEIR_NEVER;
}

/* The queue may not send, has something to send, and has not moved for a whole interval. */
static bool
is_shut(const struct sim *sim, const struct sim_node *n, uint32_t slot, weir_ps now)
{
    const struct weir_gate *g = &n->weir.ctx.gates[slot];
    uint32_t port = slot / n->n_classes;

    return n->ports[port].up && sim_slot_has(n, slot) &&
           now - g->last_ps > sim->watch->interval_ps &&
           now - n->up_ps[port] > sim->watch->interval_ps &&
           waits_for_peer(g, now, n->shape.mtu_bytes);
}

static uint32_t
first_queue_of(const struct sim *sim, const struct sim_node *n)
{
    return sim->model.topo->nodes[n->id].first_port * n->n_classes;
}

void
sim_find_shut(const struct sim *sim, weir_ps now, struct sim_queues *shut)
{
    for (const struct sim_node *n = sim->nodes; n < sim->nodes + sim->n_here; n++) {
        for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
            if (is_shut(sim, n, slot, now)) {
                ARRAY_PUSH(shut->items, shut->n, shut->max) = first_queue_of(sim, n) + slot;
            }
        }
    }
}

/* A queue, as it is being described: its wait at an input of its peer. */
struct asked {
    const struct sim *sim;
    const struct sim_node *peer;
    uint32_t in_slot;
    weir_ps now;
    const bool *is_shut; /* [queue]. */
    bool *is_waited_for; /* [slot of the peer]: by packets, or by the pipeline. */
    bool has_any, is_all_shut;
    bool gains_room; /* Its threshold rises when packets of others leave. */
    struct sim_waits waits;
};

static bool
is_shut_there(const struct asked *a, uint32_t slot)
{
    return slot != SIM_NONE && a->is_shut[first_queue_of(a->sim, a->peer) + slot];
}

/* The queue waits for a slot of its peer, among others; sets whether that slot is shut. */
static bool
wait_for(struct asked *a, uint32_t slot)
{
    a->is_all_shut = is_shut_there(a, slot);
    if (a->is_all_shut) {
        a->is_waited_for[slot] = true;
    }
    return a->is_all_shut;
}

static bool
wait_for_held(void *arg, const struct sim_waiting *w)
{
    struct asked *a = arg;
    bool is_own = w->in_slot == a->in_slot;

    if (w->is_behind || w->in_slot == SIM_NONE || (!is_own && !a->gains_room)) {
        return true;
    }
    if (is_own) {
        a->has_any = true;
        a->waits.next = w->out_slot;
    }
    return wait_for(a, w->out_slot);
}

/* Whether word is to come of packets that inputs of 'n' still count: that slot, or any. */
static bool
awaits_word(const struct sim_node *n, uint32_t in_slot, bool of_any)
{
    uint32_t first = of_any ? 0 : in_slot, end = of_any ? n->n_ports * n->n_classes : in_slot + 1;
    bool awaits = false;

    for (uint32_t slot = first; n->kind->awaits_word && slot < end && !awaits; slot++) {
        awaits = n->kind->awaits_word(n, slot);
    }
    return awaits;
}

/* Whether the peer holds packets that came in by a slot, and all wait in queues that are shut. */
static bool
waits_for_packets(struct asked *a)
{
    const struct sim_node *n = a->peer;

    a->gains_room = weir_buffer_class_of(&n->buffer, a->in_slot)->alpha &&
                    !n->buffer.slots[a->in_slot].headroom_bytes;
    a->waits.why = SIM_WAITS_FOR_PACKETS;
    n->kind->each_held(n, wait_for_held, a);
    return a->has_any && a->is_all_shut && !awaits_word(n, a->in_slot, a->gains_room);
}

/* Whether the pipeline of the peer has stood still for a while, and every queue that could make
 * room for its first packet is shut. */
static bool
waits_for_pipeline(struct asked *a)
{
    const struct sim_node *n = a->peer;

    a->waits.why = SIM_WAITS_FOR_PIPELINE;
    for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
        weir_ps since_ps;
        if (!n->kind->stands_for(n, slot, &since_ps)) {
            continue;
        }
        if (!wait_for(a, slot) || a->now - since_ps <= a->sim->watch->interval_ps) {
            return false;
        }
        a->waits.next = slot;
        a->has_any = true;
    }
    return a->has_any;
}

/* True if the packets at the input may be stuck, and its peer is blocked for them. */
static bool
waits_for_input(struct asked *a)
{
    const struct sim_node *n = a->peer;

    if (!weir_node_holds_for(&n->weir, a->in_slot, (uint16_t)(a->in_slot / n->n_classes))) {
        return false;
    }
    return n->kind->stands_for ? n->buffer.slots[a->in_slot].in_bytes && waits_for_pipeline(a)
                               : waits_for_packets(a);
}

static void
add_queue(struct sim_parcel *p, uint32_t queue)
{
    sim_parcel_add(p, &queue, sizeof queue);
}

/* Adds the peer's slots of the first list of struct sim_waits. */
static void
add_all(struct asked *a, struct sim_parcel *p)
{
    uint32_t first = first_queue_of(a->sim, a->peer);

    for (uint32_t slot = 0; slot < a->peer->n_ports * a->peer->n_classes; slot++) {
        if (a->is_waited_for[slot]) {
            add_queue(p, first + slot);
            a->waits.n_all++;
        }
    }
    a->waits.next += first;
}

/* The outputs that the input is blocked for. */
static void
add_any(struct asked *a, struct sim_parcel *p)
{
    const struct sim_node *n = a->peer;

    for (uint32_t port = 0; port < n->n_ports; port++) {
        uint32_t slot = port * n->n_classes + a->in_slot % n->n_classes;
        if (port != a->in_slot / n->n_classes && is_shut_there(a, slot) &&
            weir_node_holds_for(&n->weir, a->in_slot, (uint16_t)port)) {
            add_queue(p, first_queue_of(a->sim, n) + slot);
            a->waits.n_any++;
        }
    }
}

static void
describe(struct asked *a, struct sim_parcel *p)
{
    size_t at = p->n;

    a->is_waited_for = array_new(a->peer->n_ports * a->peer->n_classes, sizeof *a->is_waited_for);
    sim_parcel_more(p, sizeof a->waits);
    if (waits_for_input(a)) {
        add_all(a, p);
    }
    add_any(a, p);
    free(a->is_waited_for);
    if (a->waits.n_all || a->waits.n_any) {
        memcpy((char *)p->bytes + at, &a->waits, sizeof a->waits);
    } else {
        p->n = at;
    }
}

/* The input that a queue leads to; false: none, as its packets have no class there. */
static bool
find_input(struct asked *a)
{
    const struct topo *topo = a->sim->model.topo;
    uint32_t n_classes = a->sim->model.n_classes;
    const struct topo_port *in = &topo->ports[topo->ports[a->waits.queue / n_classes].peer];
    uint8_t sent = (uint8_t)(a->waits.queue % n_classes);

    a->peer = sim_node_at(a->sim, in->node);
    uint8_t cls = weir_class_here(&a->peer->weir.ctx, (uint16_t)in->number, sent);
    a->in_slot = in->number * n_classes + cls;
    return cls != WEIR_NO_CLASS;
}

void
sim_describe_waits(const struct sim *sim, weir_ps now, const struct sim_queues *shut,
                   const struct sim_queues *asked, struct sim_parcel *p)
{
    bool *is_shut = array_new(sim->model.topo->n_ports * sim->model.n_classes, sizeof *is_shut);

    for (size_t i = 0; i < shut->n; i++) {
        is_shut[shut->items[i]] = true;
    }
    for (size_t i = 0; i < asked->n; i++) {
        struct asked a = {
            .sim = sim, .now = now, .is_shut = is_shut, .waits = { .queue = asked->items[i] }
        };
        if (find_input(&a)) {
            describe(&a, p);
        }
    }
    free(is_shut);
}

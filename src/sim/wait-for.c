/* Describes which queues a shut transmit queue waits for.
 *
 * A transmit queue is shut if its gate waits for the peer: it is paused, out of credit, or at rate
 * zero.  A queue that is only paced, or on hold until a time, will send without the peer.  Limits
 * of another engine for the same queue still count.  The peer blocks the queue because of one of
 * these:
 *
 *   - Packets that arrived from the queue and are still in the node.  The peer opens the gate when
 *     they leave.  So the queue is stuck if there are such packets and all of them wait in stuck
 *     queues.  If the threshold of the input follows the free part of a shared buffer, and the
 *     headroom is empty, packets of other inputs that leave may open the gate, too.  Then all
 *     packets of the node must be stuck.  An input that keeps copies counts them until the delivery
 *     of their packets is reported.  Such reports are never paused, so the queue is not stuck as
 *     long as one of them is still to come.
 *   - Packets that arrived from the queue and have not entered the pipeline, if there is one.  They
 *     wait for it, wherever they go.  The pipeline is blocked until a packet leaves one of certain
 *     transmit queues: the queue that has no room for its first packet, or a queue that shares its
 *     limit.  So the queue is stuck if there are such packets, and all of those transmit queues
 *     are stuck.
 *   - An output of the peer that is too long, and to which packets of the queue went (CaPFC).  The
 *     peer opens the gate when that output has drained, even if none of those packets is left.  So
 *     the queue is stuck if the engine reports that it blocks the peer for an output, and the queue
 *     of that output is stuck.
 *
 * One reason that never ends is enough.  The engine reports which reasons apply; most engines know
 * only the first two.  If packets change class, the class at the peer differs from the class of the
 * queue.
 *
 * A queue counts as shut only after a time that is longer than any message is on its way, so no
 * such message can still open its gate.  A pipeline must have been blocked for as long, because the
 * packet that entered it last may have opened a gate.  This is not a time-out: a queue that waits
 * for a queue or a pipeline that still moves is never stuck, however long that takes. */

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

/* Whether a queue is shut: it may not send, has something to send, and has sent nothing for a whole
 * interval. */
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

/* The description of a queue in progress: what it waits for at an input of its peer. */
struct asked {
    const struct sim *sim;
    const struct sim_node *peer;
    uint32_t in_slot;
    weir_ps now;
    const bool *is_shut; /* [queue]. */
    bool *is_waited_for; /* [slot of the peer]: the input's packets or the pipeline wait for it. */
    bool has_any, is_all_shut;
    bool gains_room; /* The input's threshold rises when packets of other inputs leave. */
    struct sim_waits waits;
};

static bool
is_shut_there(const struct asked *a, uint32_t slot)
{
    return slot != SIM_NONE && a->is_shut[first_queue_of(a->sim, a->peer) + slot];
}

/* Adds a slot of the peer to those that the queue waits for, and sets whether that slot is shut. */
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

/* Whether acknowledgements of copies are still to come at 'n': for the given input slot, or for any
 * input. */
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

/* Whether the peer holds packets that arrived on the input slot, and all of them wait in shut
 * queues. */
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

/* Whether the pipeline of the peer has been blocked for a while, and every queue that could make
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

/* True if packets at the input may be stuck, and the peer is blocked because of them. */
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

/* Finds the outputs for which the input is blocked. */
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

/* Finds the input at the other end of a queue; false if its packets have no class there. */
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

/* Switches with a crossbar: lists the packets that they hold and what these wait for, and checks
 * invariants. */

#include "sim/host/host.h"
#include "sim/nodes/adapter.h"
#include "sim/nodes/cioq.h"

/* The transmit queue for which the first packet of a queue before the crossbar waits; SIM_NONE: it
 * waits only to be matched, or the queue is empty. */
static uint32_t
front_waits_for(const struct sim_node *n, const struct voq *front)
{
    const struct cioq *c = n->own;
    const struct sim_held *first = &n->pool[front->packets.head];

    if (front->packets.head == SIM_NONE ||
        !(c->crossbar.blocked[first->out_port] >> first->packet.cls & 1)) {
        return SIM_NONE;
    }
    return first->out_port * n->n_classes + first->packet.cls;
}

/* True if the input counts a packet: the packet is there, or it is in the inner queue and its copy
 * is there. */
static bool
is_counted_at_input(const struct sim_node *n, const struct sim_held *held)
{
    const struct cioq *c = n->own;
    bool has_left =
        adapter_has(c->adapter, held->in_port) && !cioq_delivers_at(n, c, held->in_port);

    return held->due_ps == CIOQ_IN_ADAPTER || (held->due_ps == CIOQ_IN_FRONT && !has_left);
}

/* A packet that an input counts waits for the same as the first packet of its queue before the
 * crossbar, unless it can move into that queue.  A packet that has left its input waits for its own
 * output. */
static struct sim_waiting
cioq_waiting(const struct sim_node *n, uint32_t index)
{
    const struct cioq *c = n->own;
    const struct sim_held *held = &n->pool[index];
    const struct crossbar_pair ends = cioq_ends(held);
    const struct voq *front = cioq_front(n, &ends);
    uint32_t in_slot = ends.in * n->n_classes + ends.cls;
    bool is_counted = is_counted_at_input(n, held);
    bool is_behind = held->due_ps == CIOQ_IN_FRONT && front->packets.head != index;
    bool goes_on = held->due_ps == CIOQ_IN_ADAPTER && adapter_has_room(n, c->adapter, in_slot);

    return (struct sim_waiting){
        .packet = &held->packet,
        .in_slot = is_counted ? in_slot : SIM_NONE,
        .out_slot = goes_on                    ? SIM_NONE
                    : is_counted && !is_behind ? front_waits_for(n, front)
                                               : ends.out * n->n_classes + ends.cls,
        .is_behind = is_behind,
    };
}

/* Whether an input waits for acknowledgements: it has copies of packets that have passed the queues
 * before the crossbar. */
bool
cioq_awaits_word(const struct sim_node *n, uint32_t in_slot)
{
    const struct cioq *c = n->own;
    bool has_inner = adapter_has(c->adapter, in_slot / n->n_classes);

    return cioq_copied_bytes(c, in_slot) > (has_inner ? c->adapter->slots[in_slot].inner_bytes : 0);
}

void
cioq_each_held(const struct sim_node *n, sim_visit_held *visit, void *arg)
{
    bool goes_on = true;

    for (uint32_t i = 0; i < n->n_pool && goes_on; i++) {
        if (n->pool[i].packet.bytes) {
            struct sim_waiting waiting = cioq_waiting(n, i);
            goes_on = visit(arg, &waiting);
        }
    }
}

/* Whether an input wants exactly those outputs to which the first packet of a queue goes. */
static bool
wants_hold(const struct sim_node *n, const struct crossbar_pair *p)
{
    const struct cioq *c = n->own;
    const struct voq *front = cioq_front(n, p);
    size_t slot = p->out * n->n_classes + p->cls;
    bool wants = c->crossbar.wants[slot * c->crossbar.n_words + p->in / 64] >> p->in % 64 & 1;
    bool has_any = front->packets.head != SIM_NONE;

    return has_any == (front->bytes > 0) &&
           wants == (has_any && n->pool[front->packets.head].out_port == p->out);
}

/* The packets at an input that were looped back from the output of its port, which the input does
 * not count. */
uint64_t
cioq_looped_bytes(const struct sim_node *n, uint32_t in_slot)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < n->n_pool; i++) {
        const struct sim_held *held = &n->pool[i];
        bool is_looped = held->packet.bytes && held->due_ps == CIOQ_LOOPED;
        bool is_own = held->in_port * n->n_classes + held->packet.cls == in_slot;
        bytes += is_looped && is_own ? held->packet.bytes : 0;
    }
    return bytes;
}

/* Whether the state of an input matches its queues: the bytes, and the outputs that it wants. */
static bool
input_holds(const struct sim_node *n, uint32_t in_slot)
{
    const struct cioq *c = n->own;
    uint64_t bytes = 0;

    for (uint32_t out = 0; out < n->n_ports; out++) {
        const struct crossbar_pair p = { (uint16_t)(in_slot / n->n_classes), (uint16_t)out,
                                         (uint8_t)(in_slot % n->n_classes) };
        if (!wants_hold(n, &p)) {
            return false;
        }
        bytes = c->adapter ? cioq_front(n, &p)->bytes : bytes + cioq_front(n, &p)->bytes;
    }
    return adapter_has(c->adapter, in_slot / n->n_classes)
               ? adapter_holds(n, c->adapter, in_slot)
               : bytes + cioq_copied_bytes(c, in_slot) ==
                     n->buffer.slots[in_slot].in_bytes + cioq_looped_bytes(n, in_slot);
}

/* A class of a port is active if, and only if, it has packets that have passed the crossbar. */
static bool
output_holds(const struct sim_node *n, uint32_t slot)
{
    const struct cioq *c = n->own;
    uint64_t on_the_way = 0;

    for (uint32_t i = c->moving.head; i != SIM_NONE; i = n->pool[i].next) {
        bool is_own = n->pool[i].out_port * n->n_classes + n->pool[i].packet.cls == slot;
        on_the_way += is_own ? n->pool[i].packet.bytes : 0;
    }
    return sim_slot_has(n, slot) == (n->buffer.slots[slot].out_bytes > on_the_way);
}

/* Whether the alarm is set if a packet is on its way, and no packet waits that could move. */
bool
cioq_holds(const struct sim_node *n)
{
    const struct cioq *c = n->own;
    bool is_moving = c->moving.head != SIM_NONE, is_ready = false;
    bool is_loading = c->adapter && c->adapter->loading.head != SIM_NONE;
    bool holds = crossbar_holds(&c->crossbar) && !c->is_at_work;

    for (uint32_t slot = 0; slot < n->n_ports * n->n_classes && holds; slot++) {
        holds = input_holds(n, slot) && output_holds(n, slot);
    }
    for (uint32_t word = 0; word < c->crossbar.n_words; word++) {
        is_ready |= c->crossbar.ready[word];
    }
    return holds && (is_moving || !is_ready) &&
           (!(is_moving || is_loading) || n->alarm_ps != WEIR_NEVER);
}

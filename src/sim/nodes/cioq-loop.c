/* Switches with a crossbar: packets whose output is down, after routes have changed.
 *
 *     at an input, in a queue for that output    moves to the queue for its new output
 *     at that output, or on its way to it        is looped back: it waits at the input of the same
 *                                                port, and crosses to its new output from there
 *
 * While the crossbar is being matched, queues at inputs must not change, so their packets are
 * looped back, too.  A packet that is looped back has left its input, and counts as on its way.  No
 * packet arrives at a port that is down, so this delays no other packet. */

#include "sim/host/host.h"
#include "sim/nodes/adapter.h"
#include "sim/nodes/cioq.h"

/* A packet that waits at its input for a port that is down takes another port.  A packet without a
 * route moves to the port at once and is dropped there. */
static void
redirect(struct sim_thread *t, struct sim_node *n, uint32_t index, uint32_t port, weir_ps now)
{
    struct sim_held *held = &n->pool[index];
    uint32_t to = held->out_port == port ? sim_new_port(t, n, &held->packet) : SIM_NONE;

    if (to != SIM_NONE) {
        sim_sojourn_redirect(n, index, to, now);
        held->out_port = (uint16_t)to;
        struct weir_pkt pkt = output_pkt(held);
        units_move(n, index, &pkt);
    }
}

static void
redirect_front(struct sim_thread *t, struct sim_node *n, const struct crossbar_pair *ends,
               weir_ps now)
{
    struct cioq *c = n->own;
    struct voq *front = cioq_front(n, ends), old = *front;

    if (old.packets.head == SIM_NONE) {
        return;
    }
    struct crossbar_pair first = cioq_ends(&n->pool[old.packets.head]);
    crossbar_unwant(&c->crossbar, &first);
    *front = (struct voq){ .packets = { SIM_NONE, SIM_NONE } };
    while (old.packets.head != SIM_NONE) {
        uint32_t index = voq_take(n, &old);
        redirect(t, n, index, ends->out, now);
        cioq_stand_as(n, index, n->pool[index].due_ps);
    }
}

/* Gives new ports to the packets in an adapter. They are sorted by destination, which does not
 * change. */
static void
redirect_adapter(struct sim_thread *t, struct sim_node *n, uint32_t in_slot, uint32_t port,
                 weir_ps now)
{
    const struct adapter *a = ((struct cioq *)n->own)->adapter;

    for (uint32_t i = 0; a && i < a->n_destinations; i++) {
        const struct voq *voq = &a->voqs[(size_t)in_slot * a->n_destinations + i];
        for (uint32_t at = voq->packets.head; at != SIM_NONE; at = n->pool[at].next) {
            redirect(t, n, at, port, now);
        }
    }
}

static void
strand_looped(struct sim_thread *t, struct sim_node *n, uint32_t index, uint32_t port, weir_ps now)
{
    struct sim_held held = n->pool[index];

    weir_buffer_discard(&n->buffer, held.packet.bytes);
    sim_held_free(n, index);
    sim_drop_stranded(t, n, held.in_port, &held.packet, now);
    cioq_dropped(t, n, &held.packet, port, now);
}

static void
loop(struct sim_thread *t, struct sim_node *n, uint32_t slot, weir_ps now)
{
    uint32_t index = output_return(n, slot, now), port = slot / n->n_classes;
    struct sim_held *held = &n->pool[index];
    uint32_t to = sim_new_port(t, n, &held->packet);

    if (to == SIM_NONE) {
        strand_looped(t, n, index, port, now);
        sim_node_obey(t, n, now);
        return;
    }
    held->in_port = (uint16_t)port;
    held->out_port = (uint16_t)to;
    struct weir_pkt pkt = output_pkt(held);
    sim_sojourn_count(n, &pkt);
    sim_sojourn_begin(n, index, now);
    cioq_stand_as(n, index, CIOQ_LOOPED);
    sim_node_obey(t, n, now);
}

void
cioq_loop_back(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps now)
{
    bool is_at_work = ((struct cioq *)n->own)->is_at_work;
    uint32_t n_slots = is_at_work ? 0 : n->n_ports * n->n_classes;

    for (uint32_t in_slot = 0; in_slot < n_slots; in_slot++) {
        const struct crossbar_pair ends = { (uint16_t)(in_slot / n->n_classes), (uint16_t)port,
                                            (uint8_t)(in_slot % n->n_classes) };
        redirect_front(t, n, &ends, now);
        redirect_adapter(t, n, in_slot, port, now);
    }
    for (uint32_t cls = 0; cls < n->n_classes; cls++) {
        while (output_has(n, port, cls)) {
            loop(t, n, port * n->n_classes + cls, now);
        }
    }
}

/* NICs with several ports, when routes have changed: each flow and each queued ACK, NACK or CNP
 * moves to the port through which it would leave now.  Flows that have nothing to send choose their
 * port later, when they have something. */

#include "sim/nodes/nic/nic.h"
#include "sim/observers.h"

/* Moves the flows of a round-robin list, in their order and each once: those that move enter the
 * lists of other ports. */
static void
move_flows(struct sim_thread *t, struct sim_node *n, uint32_t slot, weir_ps now)
{
    const struct nic_ring *ring = &nic_queue_at(n, slot)->ring;
    uint32_t port = slot / n->n_classes, n_flows = ring->n;
    uint32_t sender = ring->next;

    for (uint32_t i = 0; i < n_flows; i++) {
        uint32_t flow = sim_flow_of_sender(t->sim, sender);
        sender = t->sim->flows.senders[sender].next;
        if (sim_port_of_flow(t->sim, flow) != port) {
            nic_leave_ring(t, n, flow);
            sim_set_out_port(t->sim, flow);
            nic_put_in_ring(t, n, flow);
            if (n->sojourns) {
                sim_sojourn_of_flow_moved(t, n, flow, port, now);
            }
        }
    }
}

/* Moves queued ACKs, NACKs and CNPs. Those that stay go to the end of their queue, in their
 * order. */
static void
move_answers(struct sim_thread *t, struct sim_node *n, uint32_t slot)
{
    struct nic_queue *q = nic_queue_at(n, slot);
    struct sim_queue old = q->acks;

    q->acks = (struct sim_queue){ SIM_NONE, SIM_NONE };
    while (old.head != SIM_NONE) {
        uint32_t index = sim_take(n, &old);
        const struct sim_packet *p = &n->pool[index].packet;
        uint32_t port = sim_nic_port(t->sim, n->id, p->dst, p->flow);
        sim_append(n, &nic_queue_at(n, port * n->n_classes + p->cls)->acks, index);
        sim_port_fill(n, port, p->cls);
    }
    if (q->acks.head == SIM_NONE && q->ring.last == SIM_NONE) {
        sim_port_idle(n, slot / n->n_classes, slot % n->n_classes);
    }
}

void
nic_reroute(struct sim_thread *t, struct sim_node *n, weir_ps now)
{
    if (n->n_ports == 1) {
        return;
    }
    for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
        move_flows(t, n, slot, now);
        move_answers(t, n, slot);
    }
    for (uint32_t port = 0; port < n->n_ports; port++) {
        sim_port_kick(t, n, port, now);
    }
}

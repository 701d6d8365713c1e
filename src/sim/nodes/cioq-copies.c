/* Reliable delivery in a fabric of switches with crossbars.
 *
 *     edge where a packet comes in                       edge where it leaves the fabric
 *
 *     arrived: counted at its input
 *     crosses: the copy stays, and is counted there ---> enters its output
 *                                                          | ack
 *     forwarded: the copy is gone      <--- 64 bytes ------'
 *
 * For engines the packet is at its input until the acknowledgement: flow control, congestion points
 * and the index count the copy.  If both edges are the same switch, nothing is sent.  An
 * acknowledgement for an unknown copy, such as a duplicate or a forged one, has no effect.
 *
 * Copies are never retransmitted.  A switch that drops a packet inside the fabric acknowledges it,
 * too, because the copy would otherwise stay at the input for ever. */

#include <stdlib.h>

#include "base/array.h"
#include "sim/nodes/cioq.h"
#include "sim/nodes/copies.h"

struct cioq_delivery *
cioq_new_delivery(const struct sim_node *n, const struct cioq_params *p)
{
    struct cioq_delivery *d = array_new(1, sizeof *d);

    d->ack_ps = (weir_ps)p->ack_ps;
    d->is_alone = !weir_has_inner_port(&n->shape);
    d->copied_bytes = array_new((size_t)n->n_ports * n->n_classes, sizeof *d->copied_bytes);
    return d;
}

void
cioq_free_delivery(struct cioq_delivery *d)
{
    if (d) {
        copies_release(&d->copies);
        free(d->copied_bytes);
        free(d);
    }
}

static struct weir_delivery_frame
name_of(const struct sim_packet *p)
{
    return (
        struct weir_delivery_frame){ .kind = p->kind, .flow = p->flow, .sequence = p->sequence };
}

/* Leaves a copy of a packet at its input. From now on the packet's entry in the index belongs to
 * the copy. */
void
cioq_leave_copy(struct sim_node *n, struct cioq_delivery *d, uint32_t index, struct weir_pkt *pkt)
{
    const struct weir_delivery_frame name = name_of(&n->pool[index].packet);

    units_part(n, index, pkt);
    copies_keep(&d->copies, &name, pkt);
    d->copied_bytes[pkt->in_port * n->n_classes + pkt->cls] += pkt->bytes;
    weir_buffer_leave_copy(&n->buffer, pkt->bytes);
}

static void
drop_copy(struct sim_thread *t, struct sim_node *n, struct cioq_delivery *d,
          const struct weir_delivery_frame *of, weir_ps now)
{
    struct weir_pkt pkt;

    if (!copies_take(&d->copies, of, &pkt)) {
        return;
    }
    uint32_t slot = pkt.in_port * n->n_classes + pkt.cls;
    d->copied_bytes[slot] -= pkt.bytes;
    weir_buffer_drop_copy(&n->buffer, slot, pkt.bytes);
    units_drop_copy(n, &pkt);
    weir_node_forwarded(&n->weir, now, &pkt);
    sim_node_obey(t, n, now);
}

void
cioq_owe_ack(struct sim_thread *t, struct sim_node *n, struct cioq_delivery *d,
             const struct sim_packet *p, uint16_t port, weir_ps now)
{
    const struct copies_debt debt = { .of = name_of(p),
                                      .to = d->is_alone ? SIM_NONE : sim_entry_of(t, n, p),
                                      .port = port };

    copies_owe(&d->copies, &debt);
    sim_node_expect(t, n, 0, port, 0, now + d->ack_ps);
}

void
cioq_pay_ack(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    struct cioq_delivery *d = ((struct cioq *)n->own)->delivery;
    struct copies_debt debt = copies_pay(&d->copies);
    struct weir_frame frame;

    if (debt.to == SIM_NONE) {
        drop_copy(t, n, d, &debt.of, m->at);
        return;
    }
    weir_delivery_frame_encode(&debt.of, &frame);
    sim_message_send(t, n, debt.port, debt.to, debt.of.flow, &frame, m->at);
}

void
cioq_heard(struct sim_thread *t, struct sim_node *n, uint32_t flow, const struct weir_frame *frame,
           weir_ps now)
{
    struct cioq_delivery *d = ((struct cioq *)n->own)->delivery;
    struct weir_delivery_frame of;

    (void)flow;
    if (d && weir_delivery_frame_decode(frame, &of)) {
        drop_copy(t, n, d, &of, now);
    }
}

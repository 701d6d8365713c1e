/* Stalls: NICs that stop draining for a time, like a receiver that is broken or has slow memory.
 *
 * Packets that arrive stay in the NIC's buffer, which is like the buffer of a switch port, so
 * engines see a growing queue.  Each scheme reacts as to a full queue: PFC keeps renewing its
 * pause, CBFC grants no new credit, and GFC requests its minimum rate. */

#include "sim/nodes/nic/nic.h"
#include "sim/observers.h"

static struct sim_queue *
held_by(struct sim_node *n, uint32_t slot)
{
    return &nic_queue_at(n, slot)->held;
}

void
nic_hold(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    uint8_t cls = m->packet.cls;
    uint32_t slot = m->port * n->n_classes + cls;
    struct weir_pkt pkt = { .in_port = m->port,
                            .bytes = m->packet.bytes,
                            .cls = cls,
                            .ecn = m->packet.ecn,
                            .flow = m->packet.flow };
    enum weir_admission how = weir_buffer_admit(&n->buffer, slot, slot, m->packet.bytes);
    uint64_t in_bytes = n->buffer.slots[slot].in_bytes;

    if (how != WEIR_ADMITTED) {
        sim_drop_refused(t, n, m, how);
        return;
    }
    n->past[slot].in_peak_bytes =
        in_bytes > n->past[slot].in_peak_bytes ? in_bytes : n->past[slot].in_peak_bytes;
    weir_node_arrived(&n->weir, m->at, &pkt);
    sim_node_obey(t, n, m->at);
    uint32_t index = sim_held_new(n);
    n->pool[index].packet = m->packet;
    sim_append(n, held_by(n, slot), index);
}

static void
drain_next(struct sim_thread *t, struct sim_node *n, uint32_t slot, weir_ps now)
{
    uint32_t index = sim_take(n, held_by(n, slot));
    const struct sim_packet p = n->pool[index].packet;
    struct weir_pkt pkt = { .in_port = (uint16_t)(slot / n->n_classes),
                            .bytes = p.bytes,
                            .cls = p.cls,
                            .ecn = p.ecn,
                            .flow = p.flow };

    sim_held_free(n, index);
    nic_take(t, n, &p, now);
    weir_buffer_release(&n->buffer, slot, slot, p.bytes);
    weir_node_departed(&n->weir, now, &pkt);
    sim_node_obey(t, n, now);
}

/* The classes that are not drained now; several stalls may overlap. */
static uint8_t
classes_at(const struct sim *sim, uint32_t node, weir_ps now)
{
    uint8_t classes = 0;

    for (uint32_t i = 0; i < sim->model.n_stalls; i++) {
        const struct model_stall *s = &sim->model.stalls[i];
        bool is_now = s->node == node && s->from_ps <= now && now < s->until_ps;
        classes |= is_now ? s->classes : 0;
    }
    return classes;
}

void
nic_stall(struct sim_thread *t, struct sim_node *n, weir_ps now)
{
    struct nic *nic = n->own;
    uint8_t stalled = classes_at(t->sim, n->id, now), changed = stalled ^ nic->stalled;

    nic->stalled = stalled;
    for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
        uint32_t cls = slot % n->n_classes;
        bool is_stalled = stalled >> cls & 1;
        if (changed >> cls & 1) {
            sim_note_slot(t, n, slot, is_stalled ? SIM_NOTE_STALL : SIM_NOTE_DRAIN,
                          n->buffer.slots[slot].in_bytes, now);
        }
        while (!is_stalled && held_by(n, slot)->head != SIM_NONE) {
            drain_next(t, n, slot, now);
        }
    }
}

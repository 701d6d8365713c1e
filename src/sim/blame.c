/* Notes which output an input waits for when its node asks the peer to send less: the output to
 * which most bytes of the input go.  These notes make it possible to follow a pause from port to
 * port to the congestion that caused it.
 *
 * A node needs no information from other nodes, so threads and ranks do not matter.  Only changes
 * are noted. */

#include "sim/observers.h"
#include "sim/sojourn.h"

void
sim_sojourn_counted(struct sim_node *n, const struct weir_pkt *pkt)
{
    uint32_t in_slot = pkt->in_port * n->n_classes + pkt->cls;

    n->sojourns->bytes_for[(size_t)in_slot * n->n_ports + pkt->out_port] += pkt->bytes;
}

/* If all packets pass one pipeline and the pipeline is blocked, all packets wait for the output
 * that blocks the pipeline. */
static uint32_t
port_stood_for(const struct sim_node *n)
{
    weir_ps since_ps;

    for (uint32_t slot = 0; n->kind->stands_for && slot < n->n_ports * n->n_classes; slot++) {
        if (n->kind->stands_for(n, slot, &since_ps)) {
            return slot / n->n_classes;
        }
    }
    return SIM_NONE;
}

/* The output to which most bytes of an input go, the first one if several are equal; SIM_NONE if
 * the input is empty. */
static uint32_t
port_of_most(const struct sim_node *n, uint32_t in_slot)
{
    const uint64_t *bytes_for = &n->sojourns->bytes_for[(size_t)in_slot * n->n_ports];
    uint32_t most = 0;

    for (uint32_t port = 1; port < n->n_ports; port++) {
        most = bytes_for[port] > bytes_for[most] ? port : most;
    }
    return bytes_for[most] ? most : SIM_NONE;
}

/* The peer is asked to send less in the classes in which it sends these packets, so one note is
 * made for each of those classes. */
static void
note_blame(struct sim_thread *t, struct sim_node *n, uint32_t in_slot, uint32_t output, weir_ps now)
{
    struct sim_note note = { .at_ps = now,
                             .port = in_slot / n->n_classes,
                             .flow = SIM_NO_FLOW,
                             .value = t->sim->model.topo->nodes[n->id].first_port + output,
                             .kind = SIM_NOTE_BLAME,
                             .output_cls = (uint8_t)(in_slot % n->n_classes) };

    for (uint8_t sent = 0; sent < n->n_classes; sent++) {
        if (weir_class_here(&n->weir.ctx, (uint16_t)note.port, sent) == note.output_cls) {
            note.cls = sent;
            sim_note(t, n, &note);
        }
    }
}

static void
blame(struct sim_thread *t, struct sim_node *n, uint32_t in_slot, weir_ps now)
{
    uint32_t stood_for = port_stood_for(n);
    uint32_t port = stood_for != SIM_NONE ? stood_for : port_of_most(n, in_slot);

    if (port != SIM_NONE && port != n->sojourns->blamed[in_slot]) {
        n->sojourns->blamed[in_slot] = port;
        note_blame(t, n, in_slot, port, now);
    }
}

void
sim_blame(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps now)
{
    for (uint32_t cls = 0; n->sojourns->bytes_for && cls < n->n_classes; cls++) {
        uint32_t in_slot = port * n->n_classes + cls;
        if (n->buffer.slots[in_slot].in_bytes) {
            blame(t, n, in_slot, now);
        }
    }
}

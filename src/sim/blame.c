/* The output that an input waits for when its node asks the peer to send less: the one that most of
 * its bytes go to.  By these notes a pause can be followed from port to port to where the
 * congestion is.
 *
 * A node needs no information from others, so threads and ranks do not matter; only changes are
 * noted. */

#include "sim/observers.h"
#include "sim/sojourn.h"

void
sim_sojourn_counted(struct sim_node *n, const struct weir_pkt *pkt)
{
    uint32_t in_slot = pkt->in_port * n->n_classes + pkt->cls;

    n->sojourns->bytes_for[(size_t)in_slot * n->n_ports + pkt->out_port] += pkt->bytes;
}

/* Where all packets pass one pipeline, and that stands still, all wait for the reason of that
 * pipeline. */
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

/* The first of those that most bytes go to; SIM_NONE: there are none. */
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

static void
blame(struct sim_thread *t, struct sim_node *n, uint32_t in_slot, weir_ps now)
{
    uint32_t stood_for = port_stood_for(n);
    uint32_t port = stood_for != SIM_NONE ? stood_for : port_of_most(n, in_slot);

    if (port != SIM_NONE && port != n->sojourns->blamed[in_slot]) {
        n->sojourns->blamed[in_slot] = port;
        sim_note_slot(t, n, in_slot, SIM_NOTE_BLAME,
                      t->sim->model.topo->nodes[n->id].first_port + port, now);
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

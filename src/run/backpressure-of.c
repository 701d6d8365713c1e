/* Asks the simulator about the queues and gates of all ports. */

#include "run/backpressure-of.h"

#include "run/signals.h"

static void
add_class(struct backpressure *b, const struct outcome *o, uint32_t port, uint8_t cls,
          bool can_pause)
{
    const struct sim *sim = o->sim;

    backpressure_add_counter(b, port, cls, BACKPRESSURE_INPUT_COUNTER,
                             sim_queue_peak_bytes(sim, port, cls));
    backpressure_add_counter(b, port, cls, BACKPRESSURE_OUTPUT_COUNTER,
                             sim_output_peak_bytes(sim, port, cls));
    if (can_pause) {
        struct sim_gate_state g = sim_gate_state(sim, port, cls, sim_now(sim));
        backpressure_add_counter(b, port, cls, BACKPRESSURE_PAUSED_COUNTER, (uint64_t)g.paused_ps);
    }
}

struct backpressure
backpressure_of(const struct outcome *o)
{
    const struct topo *t = &o->s.topo;
    struct backpressure b = backpressure_none();
    bool can_pause = peers_can_pause(sim_model(o->sim));

    for (uint32_t port = 0; port < t->n_ports; port++) {
        for (uint8_t cls = 0; cls < o->s.wire.classes; cls++) {
            add_class(&b, o, port, cls, can_pause);
        }
    }
    if (backpressure_has_link(&b)) {
        const struct topo_port *from = &t->ports[b.most_paused_port];
        backpressure_name_link(&b, t->nodes[from->node].name,
                               t->nodes[t->ports[from->peer].node].name);
    }
    return b;
}

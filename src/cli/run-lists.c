/* The queues of a run that are worth a line. */

#include <stdlib.h>

#include "base/array.h"
#include "cli/run.h"

const char *
run_node_name(const struct outcome *o, uint32_t port)
{
    return o->s.topo.nodes[o->s.topo.ports[port].node].name;
}

static int
by_peak(const void *a, const void *b)
{
    const struct run_queue *x = a, *y = b;
    return (x->peak_bytes < y->peak_bytes) - (x->peak_bytes > y->peak_bytes);
}

size_t
run_list_queues(const struct outcome *o, struct run_queue **queues)
{
    const struct topo *t = &o->s.topo;
    size_t n = 0;

    *queues = array_new(t->n_ports * o->s.wire.classes, sizeof **queues);
    for (uint32_t port = 0; port < t->n_ports; port++) {
        bool is_switch = t->nodes[t->ports[port].node].kind == TOPO_SWITCH;
        for (uint8_t cls = 0; is_switch && cls < o->s.wire.classes; cls++) {
            struct run_queue q = { .port = port,
                                   .cls = cls,
                                   .peak_bytes = sim_queue_peak_bytes(o->sim, port, cls),
                                   .bytes = sim_queue_bytes(o->sim, port, cls) };
            if (q.peak_bytes) {
                q.gate = sim_gate_state(o->sim, t->ports[port].peer,
                                        sim_class_sent(o->sim, port, cls), sim_now(o->sim));
                (*queues)[n++] = q;
            }
        }
    }
    qsort(*queues, n, sizeof **queues, by_peak);
    return n < RUN_MAX_ROWS ? n : RUN_MAX_ROWS;
}

static int
by_storms(const void *a, const void *b)
{
    const struct run_stormy *x = a, *y = b;
    return (x->storms.n_storms < y->storms.n_storms) - (x->storms.n_storms > y->storms.n_storms);
}

size_t
run_list_storms(const struct outcome *o, struct run_stormy **queues)
{
    size_t n = 0;

    *queues = array_new(o->s.topo.n_ports * o->s.wire.classes, sizeof **queues);
    for (uint32_t port = 0; port < o->s.topo.n_ports; port++) {
        for (uint8_t cls = 0; cls < o->s.wire.classes; cls++) {
            struct run_stormy s = { port, cls, sim_storms(o->sim, port, cls) };
            if (s.storms.n_storms) {
                (*queues)[n++] = s;
            }
        }
    }
    qsort(*queues, n, sizeof **queues, by_storms);
    return n;
}

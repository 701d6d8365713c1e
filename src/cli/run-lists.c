/* Lists the queues and storms of a run that are shown to users. */

#include <stdlib.h>

#include "base/array.h"
#include "base/json.h"
#include "cli/run.h"

const char *
run_node_name(const struct outcome *o, uint32_t port)
{
    return o->s.topo.nodes[o->s.topo.ports[port].node].name;
}

struct run_place
run_place_of(const struct outcome *o, uint32_t port, uint32_t cls)
{
    return (struct run_place){ topo_name_ends(&o->s.topo, port), cls, o->s.wire.classes > 1 };
}

void
run_place_add(struct weir_text *t, const struct run_place *p, const char *way, const char *cls)
{
    weir_text_add(t, "%s %s %s", p->ends.here, way, p->ends.there);
    if (p->has_classes) {
        weir_text_add(t, "%s%u", cls, p->cls);
    }
}

const char *
run_place_text(struct weir_text *t, const struct outcome *o, uint32_t port, uint32_t cls)
{
    struct run_place place = run_place_of(o, port, cls);

    *t = (struct weir_text){ 0 };
    run_place_add(t, &place, "to", ", class ");
    return t->s;
}

void
run_place_write(struct json *j, const struct outcome *o, uint32_t port, uint32_t cls)
{
    struct run_place place = run_place_of(o, port, cls);

    json_text(j, "node", place.ends.here);
    json_text(j, "to", place.ends.there);
    json_number(j, "class", cls);
}

static int
by_peak(const void *a, const void *b)
{
    const struct run_queue *x = a, *y = b;
    return (x->peak_bytes < y->peak_bytes) - (x->peak_bytes > y->peak_bytes);
}

/* Functions that read the queues at one side of switches. */
struct side {
    uint64_t (*peak)(const struct sim *, uint32_t port, uint8_t cls);
    uint64_t (*mean)(const struct sim *, uint32_t port, uint8_t cls);
    uint64_t (*now)(const struct sim *, uint32_t port, uint8_t cls);
    struct sim_gate_state (*gate)(const struct outcome *, uint32_t port, uint8_t cls);
};

static struct sim_gate_state
gate_before(const struct outcome *o, uint32_t port, uint8_t cls)
{
    uint8_t sent = sim_class_sent(o->sim, port, cls);

    return sim_gate_state(o->sim, o->s.topo.ports[port].peer, sent, sim_now(o->sim));
}

static struct sim_gate_state
gate_behind(const struct outcome *o, uint32_t port, uint8_t cls)
{
    return sim_gate_state(o->sim, port, cls, sim_now(o->sim));
}

static struct run_queue
queue_at(const struct outcome *o, const struct side *side, uint32_t port, uint8_t cls)
{
    struct sim_gate_state gate = side->gate(o, port, cls);
    bool may_pause = peers_can_pause(sim_model(o->sim));

    return (struct run_queue){
        .at = run_place_of(o, port, cls),
        .peak_bytes = side->peak(o->sim, port, cls),
        .mean_bytes = side->mean(o->sim, port, cls),
        .bytes = side->now(o->sim, port, cls),
        .signals = signals_of_gate(sim_model(o->sim), &gate),
        .paused_ps = may_pause ? gate.paused_ps : -1,
        .paused_share = may_pause ? (double)gate.paused_ps / (double)sim_now(o->sim) : -1,
        .least_bps = gate.least_bps,
    };
}

static size_t
list(const struct outcome *o, const struct side *side, struct run_queue **queues)
{
    const struct topo *t = &o->s.topo;
    size_t n = 0;

    *queues = array_new(t->n_ports * o->s.wire.classes, sizeof **queues);
    for (uint32_t port = 0; port < t->n_ports; port++) {
        bool is_switch = t->nodes[t->ports[port].node].kind == TOPO_SWITCH;
        for (uint8_t cls = 0; is_switch && cls < o->s.wire.classes; cls++) {
            if (side->peak(o->sim, port, cls)) {
                (*queues)[n++] = queue_at(o, side, port, cls);
            }
        }
    }
    qsort(*queues, n, sizeof **queues, by_peak);
    return n < RUN_MAX_ROWS ? n : RUN_MAX_ROWS;
}

size_t
run_list_queues(const struct outcome *o, struct run_queue **queues)
{
    static const struct side inputs = { sim_queue_peak_bytes, sim_queue_mean_bytes, sim_queue_bytes,
                                        gate_before };
    return list(o, &inputs, queues);
}

size_t
run_list_outputs(const struct outcome *o, struct run_queue **queues)
{
    static const struct side outputs = { sim_output_peak_bytes, sim_output_mean_bytes,
                                         sim_output_bytes, gate_behind };
    return list(o, &outputs, queues);
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
            struct sim_storms s = sim_storms(o->sim, port, cls);
            s.ended_ps = s.n_restored ? s.ended_ps : -1;
            if (s.n_storms) {
                (*queues)[n++] = (struct run_stormy){ port, cls, s };
            }
        }
    }
    qsort(*queues, n, sizeof **queues, by_storms);
    return n;
}

/* The samples of a run: its series, and their values at an instant.
 *
 * Samples are at multiples of their period.  The simulator can be sampled between two windows only,
 * so a sample is taken at the end of the window in which its instant falls, less than a window
 * later.  A queue or a rate is written as sampled.  A counter has grown since the instant, and
 * rates computed from it would be wrong by up to one window.  So it is interpolated back to the
 * instant, by its average growth since the previous sample. */

#include <stdlib.h>

#include "base/array.h"
#include "run/recorder.h"

enum { MAX_AUTO_SENDERS = 64 };

static uint64_t
paused(const struct sim_gate_state *g)
{
    return (uint64_t)g->paused_ps;
}

static uint64_t
rate(const struct sim_gate_state *g)
{
    return g->rate_bps;
}

static uint64_t
credit(const struct sim_gate_state *g)
{
    return g->credit_bytes;
}

static uint64_t
sent_by_port(const struct sim *sim, uint32_t port)
{
    return sim_port_result(sim, port).sent_bytes;
}

static uint64_t
received(const struct sim *sim, uint32_t flow)
{
    return sim_flow_result(sim, flow).received_bytes;
}

static uint64_t
sent_by_flow(const struct sim *sim, uint32_t flow)
{
    return sim_flow_result(sim, flow).sent_bytes;
}

enum object { PORT, NODE, FLOW };

/* The sampled quantities, in the order of series in a file. Each has one getter: of a queue, of a
 * transmit queue's gate, or of a whole object. The values of "held" come from recorder-held.c. */
static const struct recorder_quantity {
    enum object object;
    const char *name, *unit;
    uint32_t limit;     /* Sampled if an engine sets one of these limits; 0: always. */
    bool is_of_output;  /* Sampled at switches, if 'outputs' are. */
    bool is_of_sender;  /* Sampled at senders, if 'senders' are. */
    bool is_of_control; /* Sampled only if a transport has a control. */
    uint64_t (*of_queue)(const struct sim *, uint32_t port, uint8_t cls);
    uint64_t (*of_gate)(const struct sim_gate_state *);
    uint64_t (*of_object)(const struct sim *, uint32_t id);
} quantities[] = {
    { PORT, "queue", "bytes", .of_queue = sim_queue_bytes },
    { PORT, "output", "bytes", .is_of_output = true, .of_queue = sim_output_bytes },
    { PORT, "paused", "ps", WEIR_LIMIT_OPEN | WEIR_LIMIT_HOLD, .of_gate = paused },
    { PORT, "rate", "bps", WEIR_LIMIT_RATE, .of_gate = rate },
    { PORT, "credit", "bytes", WEIR_LIMIT_CREDIT, .of_gate = credit },
    { PORT, "sent", "bytes", .of_object = sent_by_port },
    { NODE, "passing", "bytes", .is_of_output = true, .of_object = sim_passing_bytes },
    { FLOW, "received", "bytes", .of_object = received },
    { FLOW, "sent", "bytes", .is_of_sender = true, .of_object = sent_by_flow },
    { FLOW, "limit", "bps", WEIR_LIMIT_FLOW, .is_of_sender = true,
      .of_object = sim_flow_limit_bps },
    { FLOW, "messages", "messages", WEIR_LIMIT_FLOW, .is_of_sender = true,
      .of_object = sim_flow_n_heard },
    { FLOW, "pace", "bps", .is_of_sender = true, .is_of_control = true,
      .of_object = sim_flow_pace_bps },
    { FLOW, "window", "bytes", .is_of_sender = true, .is_of_control = true,
      .of_object = sim_flow_window_bytes },
};

static const struct recorder_quantity held = { .object = PORT, .name = "held", .unit = "bytes" };

static bool
is_sampled(const struct recorder *k, const struct recorder_quantity *q)
{
    const struct scn_record *r = &k->o->s.record;
    const struct model *model = sim_model(k->o->sim);

    return (!q->of_gate || r->gates) && (q->object != FLOW || r->flows) &&
           (!q->limit || model_limits(model) & q->limit) &&
           (!q->is_of_control || model_controls(model)) && (!q->is_of_output || k->has_outputs) &&
           (!q->is_of_sender || k->has_senders);
}

static void
add_series(struct recorder *k, const struct recorder_quantity *q, uint32_t id, uint32_t cls,
           uint32_t flow)
{
    static const char *const objects[] = { [PORT] = "port", [NODE] = "node", [FLOW] = "flow" };

    rec_add_series(k->rec,
                   &(struct rec_series){ .quantity = q->name,
                                         .unit = q->unit,
                                         .object = objects[q->object],
                                         .object_id = id,
                                         .cls = cls,
                                         .flow = flow },
                   &k->err);
    ARRAY_PUSH(k->series, k->n_series, k->max_series) =
        (struct recorder_series){ q, id, (uint8_t)cls, .grows = rec_only_grows(q->name) };
}

static void
add_series_of_ports(struct recorder *k, const struct recorder_quantity *q)
{
    const struct scenario *s = &k->o->s;

    for (size_t i = 0; i < s->record.n_ports; i++) {
        uint32_t port = s->record.ports[i];
        bool is_switch = s->topo.nodes[s->topo.ports[port].node].kind == TOPO_SWITCH;
        if (q->of_object) {
            add_series(k, q, port, REC_NO_ID, REC_NO_ID);
            continue;
        }
        for (uint32_t cls = 0; (is_switch || !q->is_of_output) && cls < s->wire.classes; cls++) {
            add_series(k, q, port, cls, REC_NO_ID);
        }
    }
}

/* Adds series for the nodes of sampled ports that have stages between inputs and outputs.  Sampled
 * ports are in the order of nodes. */
static void
add_series_of_nodes(struct recorder *k, const struct recorder_quantity *q)
{
    const struct scn_record *r = &k->o->s.record;
    uint32_t last = TOPO_NONE;

    for (size_t i = 0; i < r->n_ports; i++) {
        uint32_t node = k->o->s.topo.ports[r->ports[i]].node;
        if (node != last && model_has_stages(sim_model(k->o->sim), node)) {
            add_series(k, q, node, REC_NO_ID, REC_NO_ID);
        }
        last = node;
    }
}

static void
add_series_of_flows(struct recorder *k, const struct recorder_quantity *q)
{
    for (uint32_t i = 0; i < k->o->s.n_flows; i++) {
        add_series(k, q, i, (uint32_t)scn_flow_at(&k->o->s, i).cls, REC_NO_ID);
    }
}

/* By default senders are sampled if an engine throttles single flows, or if there are few flows and
 * their transports control rates. */
static bool
samples_senders(uint64_t choice, const struct model *model)
{
    bool is_small = model->n_flows <= MAX_AUTO_SENDERS;

    return choice == WEIR_AUTO
               ? model_limits(model) & WEIR_LIMIT_FLOW || (is_small && model_controls(model))
               : choice;
}

void
recorder_begin_samples(struct recorder *k)
{
    static void (*const add[])(struct recorder *, const struct recorder_quantity *) = {
        [PORT] = add_series_of_ports, [NODE] = add_series_of_nodes, [FLOW] = add_series_of_flows
    };
    const struct scenario *s = &k->o->s;
    const struct model *model = sim_model(k->o->sim);

    k->has_outputs = s->record.outputs == 1 || (s->record.outputs && model_minds_outputs(model));
    k->has_senders = samples_senders(s->record.senders, model);
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++) {
        if (is_sampled(k, &quantities[i])) {
            add[quantities[i].object](k, &quantities[i]);
        }
    }
    if (recorder_wants_held(s, model)) {
        recorder_find_pairs(k);
    }
    for (size_t i = 0; i < k->n_pairs; i++) {
        add_series(k, &held, k->pairs[i].port, REC_NO_ID, k->pairs[i].flow);
    }
    k->values = array_new(k->n_series, sizeof *k->values);
}

static uint64_t
value_of(const struct sim *sim, const struct recorder_series *s, weir_ps now)
{
    if (s->of->of_queue) {
        return s->of->of_queue(sim, s->id, s->cls);
    }
    if (s->of->of_object) {
        return s->of->of_object(sim, s->id);
    }
    struct sim_gate_state gate = sim_gate_state(sim, s->id, s->cls, now);
    return s->of->of_gate(&gate);
}

/* The growth of a counter between the instant of a sample and now. */
static uint64_t
growth_since(uint64_t before, uint64_t value, weir_ps late_ps, weir_ps since_ps)
{
    return value > before && since_ps > 0
               ? weir_mul_div(value - before, (uint64_t)late_ps, (uint64_t)since_ps)
               : 0;
}

weir_ps
recorder_fill_sample(struct recorder *k, weir_ps now)
{
    weir_ps late_ps = now % (weir_ps)k->o->s.record.every_ps, since_ps = now - k->before_ps;
    size_t n_own = k->n_series - k->n_pairs;

    for (size_t i = 0; i < n_own; i++) {
        struct recorder_series *s = &k->series[i];
        uint64_t value = value_of(k->o->sim, s, now);
        k->values[i] = value - (s->grows ? growth_since(s->before, value, late_ps, since_ps) : 0);
        s->before = value;
    }
    recorder_fill_held(k, k->values + n_own);
    k->before_ps = now;
    return now - late_ps;
}

void
recorder_end_samples(struct recorder *k)
{
    free(k->values);
    free(k->series);
    free(k->pairs);
    free(k->held_by);
}

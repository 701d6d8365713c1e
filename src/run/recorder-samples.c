/* The samples of a run: its series, and their values at an instant. */

#include <stdlib.h>

#include "base/array.h"
#include "run/recorder.h"

enum { MAX_AUTO_SENDERS = 64 };

/* Quantities sampled per port and class. */

static uint64_t
queue_now(const struct sim *sim, uint32_t port, uint8_t cls, weir_ps now)
{
    (void)now;
    return sim_queue_bytes(sim, port, cls);
}

static uint64_t
output_now(const struct sim *sim, uint32_t port, uint8_t cls, weir_ps now)
{
    (void)now;
    return sim_output_bytes(sim, port, cls);
}

static uint64_t
paused_now(const struct sim *sim, uint32_t port, uint8_t cls, weir_ps now)
{
    return (uint64_t)sim_gate_state(sim, port, cls, now).paused_ps;
}

static uint64_t
rate_now(const struct sim *sim, uint32_t port, uint8_t cls, weir_ps now)
{
    return sim_gate_state(sim, port, cls, now).rate_bps;
}

static uint64_t
credit_now(const struct sim *sim, uint32_t port, uint8_t cls, weir_ps now)
{
    return sim_gate_state(sim, port, cls, now).credit_bytes;
}

static const struct {
    const char *name, *unit;
    uint32_t limit;    /* Sampled if an engine writes one of these; 0: always. */
    bool is_of_output; /* Sampled at switches, if 'outputs' are. */
    uint64_t (*now)(const struct sim *, uint32_t port, uint8_t cls, weir_ps now);
} quantities[] = {
    { "queue", "bytes", 0, false, queue_now },
    { "output", "bytes", 0, true, output_now },
    { "paused", "ps", WEIR_LIMIT_OPEN | WEIR_LIMIT_HOLD, false, paused_now },
    { "rate", "bps", WEIR_LIMIT_RATE, false, rate_now },
    { "credit", "bytes", WEIR_LIMIT_CREDIT, false, credit_now },
};

enum { N_QUANTITIES = sizeof quantities / sizeof *quantities };

static bool
is_sampled(const struct recorder *k, size_t quantity)
{
    const struct scn_record *r = &k->o->s.record;
    uint32_t limit = quantities[quantity].limit;

    return (!limit || (r->gates && model_limits(sim_model(k->o->sim)) & limit)) &&
           (!quantities[quantity].is_of_output || k->has_outputs);
}

static bool
is_sampled_at(const struct recorder *k, size_t quantity, uint32_t port)
{
    const struct topo *t = &k->o->s.topo;

    return !quantities[quantity].is_of_output || t->nodes[t->ports[port].node].kind == TOPO_SWITCH;
}

/* Quantities sampled per flow. */

static uint64_t
received_now(const struct sim *sim, uint32_t flow)
{
    return sim_flow_result(sim, flow).received_bytes;
}

static uint64_t
sent_now(const struct sim *sim, uint32_t flow)
{
    return sim_flow_result(sim, flow).sent_bytes;
}

static bool
holds_flows_back(const struct model *p)
{
    return model_limits(p) & WEIR_LIMIT_FLOW;
}

static const struct {
    const char *name, *unit;
    bool is_of_sender;                      /* Sampled if 'senders' are, */
    bool (*is_there)(const struct model *); /* and if this is so; null: always. */
    uint64_t (*now)(const struct sim *, uint32_t flow);
} flow_quantities[] = {
    { "received", "bytes", false, NULL, received_now },
    { "sent", "bytes", true, NULL, sent_now },
    { "limit", "bps", true, holds_flows_back, sim_flow_limit_bps },
    { "messages", "messages", true, holds_flows_back, sim_flow_n_heard },
    { "pace", "bps", true, model_controls, sim_flow_pace_bps },
    { "window", "bytes", true, model_controls, sim_flow_window_bytes },
};

enum { N_FLOW_QUANTITIES = sizeof flow_quantities / sizeof *flow_quantities };

static bool
is_sampled_of_flows(const struct recorder *k, size_t quantity)
{
    bool (*is_there)(const struct model *) = flow_quantities[quantity].is_there;

    return k->o->s.record.flows && (!flow_quantities[quantity].is_of_sender || k->has_senders) &&
           (!is_there || is_there(sim_model(k->o->sim)));
}

/* Nodes with something to sample between their inputs and outputs: those of sampled ports, which
 * are in the order of nodes. */
static void
find_stages(struct recorder *k)
{
    const struct scn_record *r = &k->o->s.record;

    for (size_t i = 0; k->has_outputs && i < r->n_ports; i++) {
        uint32_t node = k->o->s.topo.ports[r->ports[i]].node;
        bool is_new = !k->n_staged || k->staged[k->n_staged - 1] != node;
        if (is_new && model_has_stages(sim_model(k->o->sim), node)) {
            ARRAY_PUSH(k->staged, k->n_staged, k->max_staged) = node;
        }
    }
}

/* By default senders are sampled where it is useful: where an engine throttles single flows, or, if
 * there are few flows, their transports do. */
static bool
samples_senders(uint64_t choice, const struct model *model)
{
    bool is_small = model->n_flows <= MAX_AUTO_SENDERS;

    return choice == WEIR_AUTO ? holds_flows_back(model) || (is_small && model_controls(model))
                               : choice;
}

static void
add_series_of_flow(struct recorder *k, const char *quantity, const char *unit, const char *object,
                   uint32_t id, uint32_t cls, uint32_t flow)
{
    rec_add_series(k->rec,
                   &(struct rec_series){ .quantity = quantity,
                                         .unit = unit,
                                         .object = object,
                                         .object_id = id,
                                         .cls = cls,
                                         .flow = flow },
                   &k->err);
    ARRAY_PUSH(k->grows, k->n_grows, k->max_grows) = rec_only_grows(quantity);
    k->n_series++;
}

static void
add_series(struct recorder *k, const char *quantity, const char *unit, const char *object,
           uint32_t id, uint32_t cls)
{
    add_series_of_flow(k, quantity, unit, object, id, cls, REC_NO_ID);
}

static void
add_series_of_ports(struct recorder *k)
{
    const struct scenario *s = &k->o->s;

    for (size_t q = 0; q < N_QUANTITIES; q++) {
        for (size_t i = 0; is_sampled(k, q) && i < s->record.n_ports; i++) {
            uint32_t port = s->record.ports[i];
            for (uint32_t cls = 0; is_sampled_at(k, q, port) && cls < s->wire.classes; cls++) {
                add_series(k, quantities[q].name, quantities[q].unit, "port", port, cls);
            }
        }
    }
    for (size_t i = 0; i < s->record.n_ports; i++) {
        add_series(k, "sent", "bytes", "port", s->record.ports[i], REC_NO_ID);
    }
}

static void
add_series_of_flows(struct recorder *k)
{
    const struct scenario *s = &k->o->s;

    for (size_t q = 0; q < N_FLOW_QUANTITIES; q++) {
        for (uint32_t i = 0; is_sampled_of_flows(k, q) && i < s->n_flows; i++) {
            add_series(k, flow_quantities[q].name, flow_quantities[q].unit, "flow", i,
                       (uint32_t)scn_flow_at(s, i).cls);
        }
    }
    for (size_t i = 0; i < k->n_pairs; i++) {
        add_series_of_flow(k, "held", "bytes", "port", k->pairs[i].port, REC_NO_ID,
                           k->pairs[i].flow);
    }
}

/* In the order in which recorder_fill_sample() has their values. */
void
recorder_begin_samples(struct recorder *k)
{
    const struct scenario *s = &k->o->s;
    const struct model *model = sim_model(k->o->sim);

    k->has_outputs = s->record.outputs == 1 || (s->record.outputs && model_minds_outputs(model));
    k->has_senders = samples_senders(s->record.senders, model);
    find_stages(k);
    if (recorder_wants_held(s, model)) {
        recorder_find_pairs(k);
    }
    add_series_of_ports(k);
    for (size_t i = 0; i < k->n_staged; i++) {
        add_series(k, "passing", "bytes", "node", k->staged[i], REC_NO_ID);
    }
    add_series_of_flows(k);
    k->values = array_new(k->n_series, sizeof *k->values);
    k->before = array_new(k->n_series, sizeof *k->before);
}

void
recorder_fill_sample(struct recorder *k, weir_ps now)
{
    const struct sim *sim = k->o->sim;
    const struct scn_record *r = &k->o->s.record;
    uint64_t *to = k->values;

    for (size_t q = 0; q < N_QUANTITIES; q++) {
        bool is_wanted = is_sampled(k, q);
        for (size_t i = 0; is_wanted && i < r->n_ports; i++) {
            bool is_here = is_sampled_at(k, q, r->ports[i]);
            for (uint8_t cls = 0; is_here && cls < k->o->s.wire.classes; cls++) {
                *to++ = quantities[q].now(sim, r->ports[i], cls, now);
            }
        }
    }
    for (size_t i = 0; i < r->n_ports; i++) {
        *to++ = sim_port_result(sim, r->ports[i]).sent_bytes;
    }
    for (size_t i = 0; i < k->n_staged; i++) {
        *to++ = sim_passing_bytes(sim, k->staged[i]);
    }
    for (size_t q = 0; q < N_FLOW_QUANTITIES; q++) {
        bool is_wanted = is_sampled_of_flows(k, q);
        for (uint32_t i = 0; is_wanted && i < k->o->s.n_flows; i++) {
            *to++ = flow_quantities[q].now(sim, i);
        }
    }
    recorder_fill_held(k, to);
}

void
recorder_end_samples(struct recorder *k)
{
    free(k->values);
    free(k->before);
    free(k->grows);
    free(k->staged);
    free(k->pairs);
    free(k->held_by);
}

/* What a run's samples are: which series there are, and their values at an instant. */

#include <stdlib.h>

#include "base/array.h"
#include "run/keep.h"

/* What is sampled of a port, in each class. */

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
    uint32_t limit;    /* Sampled if an engine writes this limit; 0: whoever writes what. */
    bool is_of_output; /* Sampled at switches, if 'outputs' are. */
    uint64_t (*now)(const struct sim *, uint32_t port, uint8_t cls, weir_ps now);
} quantities[] = {
    { "queue", "bytes", 0, false, queue_now },
    { "output", "bytes", 0, true, output_now },
    { "paused", "ps", WEIR_LIMIT_OPEN, false, paused_now },
    { "rate", "bps", WEIR_LIMIT_RATE, false, rate_now },
    { "credit", "bytes", WEIR_LIMIT_CREDIT, false, credit_now },
};

enum { N_QUANTITIES = sizeof quantities / sizeof *quantities };

static bool
is_sampled(const struct keep *k, size_t quantity)
{
    const struct scn_record *r = &k->o->s.record;
    uint32_t limit = quantities[quantity].limit;

    return (!limit || (r->gates && plant_limits(sim_plant(k->o->sim)) & limit)) &&
           (!quantities[quantity].is_of_output || k->has_outputs);
}

static bool
is_sampled_at(const struct keep *k, size_t quantity, uint32_t port)
{
    const struct topo *t = &k->o->s.topo;

    return !quantities[quantity].is_of_output || t->nodes[t->ports[port].node].kind == TOPO_SWITCH;
}

/* Nodes with something to sample between their inputs and outputs: those of sampled ports, which
 * are in the order of nodes. */
static void
find_stages(struct keep *k)
{
    const struct scn_record *r = &k->o->s.record;

    for (size_t i = 0; k->has_outputs && i < r->n_ports; i++) {
        uint32_t node = k->o->s.topo.ports[r->ports[i]].node;
        bool is_new = !k->n_staged || k->staged[k->n_staged - 1] != node;
        if (is_new && plant_has_stages(sim_plant(k->o->sim), node)) {
            ARRAY_PUSH(k->staged, k->n_staged, k->max_staged) = node;
        }
    }
}

static void
add_series(struct keep *k, const char *quantity, const char *unit, const char *object, uint32_t id,
           uint32_t cls)
{
    rec_add_series(k->rec,
                   &(struct rec_series){ .quantity = quantity,
                                         .unit = unit,
                                         .object = object,
                                         .object_id = id,
                                         .cls = cls,
                                         .flow = REC_NO_ID },
                   &k->err);
    k->n_series++;
}

/* In the order in which keep_fill_sample() has their values. */
void
keep_begin_samples(struct keep *k)
{
    const struct scenario *s = &k->o->s;

    k->has_outputs = s->record.outputs && sim_keeps_outputs(k->o->sim);
    find_stages(k);

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
    for (size_t i = 0; i < k->n_staged; i++) {
        add_series(k, "passing", "bytes", "node", k->staged[i], REC_NO_ID);
    }
    for (size_t i = 0; s->record.flows && i < s->n_flows; i++) {
        add_series(k, "received", "bytes", "flow", (uint32_t)i, (uint32_t)s->flows[i].cls);
    }
    k->values = array_new(k->n_series, sizeof *k->values);
}

void
keep_fill_sample(struct keep *k, weir_ps now)
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
    for (size_t i = 0; r->flows && i < k->o->s.n_flows; i++) {
        *to++ = sim_flow_result(sim, (uint32_t)i).received_bytes;
    }
}

void
keep_end_samples(struct keep *k)
{
    free(k->values);
    free(k->staged);
}

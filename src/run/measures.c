/* Takes samples for a study's own measures, and sums them up. */

#include "run/measures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/percentile.h"
#include "base/array.h"
#include "base/json-read.h"
#include "base/json.h"
#include "run/intervals.h"

bool
measures_need(const struct scn_study *study, enum scn_quantity quantity)
{
    bool is_needed = false;

    for (size_t i = 0; i < study->n_measures; i++) {
        is_needed |= study->measures[i].of == quantity;
    }
    return is_needed;
}

static void
begin_item(struct measures *m, size_t i, const struct scenario *s,
           const struct scn_study_subject *subject)
{
    const struct scn_study_measure *of = &m->study->measures[i];

    m->items[i].is_there = true;
    m->items[i].group = subject->group;
    if (scn_quantities[of->of].is_of_ended || scn_quantities[of->of].is_of_run) {
        return;
    }
    m->items[i].receivers = of->workload ? receivers_new(s, subject->group) : NULL;
    m->items[i].n_views = subject->n;
    m->items[i].views = array_new(subject->n, sizeof *m->items[i].views);
    for (size_t l = 0; l < subject->n; l++) {
        m->items[i].views[l].flow = subject->flows[l];
        m->items[i].views[l].port = subject->port;
    }
}

void
measures_begin(struct measures *m, const struct scn_study *study, const struct scenario *s)
{
    *m = (struct measures){ .study = study };
    for (size_t i = 0; i < study->n_measures; i++) {
        struct scn_study_subject subject = { 0 };
        struct err none; /* Unused: if the scenario does not have the flow or port, the measure has
                            no value. */
        if (scn_study_bind(&study->measures[i], s, &subject, &none)) {
            begin_item(m, i, s, &subject);
        }
    }
}

void
measures_end(struct measures *m)
{
    for (size_t i = 0; i < SCN_MAX_MEASURES; i++) {
        for (size_t l = 0; l < m->items[i].n_views; l++) {
            free(m->items[i].views[l].all);
        }
        free(m->items[i].views);
        receivers_free(m->items[i].receivers);
    }
    free(m->ports);
    free(m->flows);
}

/* Current values of quantities. */

static double
sent(const struct measures_view *l, const struct sim *sim, weir_ps now)
{
    (void)now;
    return (double)sim_flow_result(sim, l->flow).sent_bytes;
}

static double
raw(const struct measures_view *l, const struct sim *sim, weir_ps now)
{
    const struct model *p = sim_model(sim);

    return sent(l, sim, now) * (double)(p->mtu_bytes + p->gap_bytes) / (double)p->mtu_bytes;
}

static double
received(const struct measures_view *l, const struct sim *sim, weir_ps now)
{
    (void)now;
    return (double)sim_flow_result(sim, l->flow).received_bytes;
}

static double
limit(const struct measures_view *l, const struct sim *sim, weir_ps now)
{
    const struct model *p = sim_model(sim);
    uint64_t line = model_port_at(p, sim_flow_port(sim, l->flow))->rate_bps;
    uint64_t bps = sim_flow_limit_bps(sim, l->flow);

    (void)now;
    return (double)(bps < line ? bps : line);
}

static double
heard(const struct measures_view *l, const struct sim *sim, weir_ps now)
{
    (void)now;
    return (double)sim_flow_n_heard(sim, l->flow);
}

struct held {
    uint32_t flow;
    double bytes;
};

static void
add_unit(void *arg, uint32_t flow, uint32_t bytes)
{
    struct held *h = arg;

    h->bytes += flow == h->flow ? bytes : 0;
}

static double
held(const struct measures_view *l, const struct sim *sim, weir_ps now)
{
    struct held h = { .flow = l->flow };

    (void)now;
    sim_each_unit(sim, l->port, add_unit, &h);
    return h.bytes;
}

static double
paused(const struct measures_view *l, const struct sim *sim, weir_ps now)
{
    return (double)sim_gate_state(sim, l->port, 0, now).paused_ps;
}

static double
rate(const struct measures_view *l, const struct sim *sim, weir_ps now)
{
    uint64_t line = model_port_at(sim_model(sim), l->port)->rate_bps;
    struct sim_gate_state gate = sim_gate_state(sim, l->port, 0, now);

    return gate.is_paused ? 0 : (double)(gate.rate_bps < line ? gate.rate_bps : line);
}

static double
control(const struct measures_view *l, const struct sim *sim, weir_ps now)
{
    const struct model *p = sim_model(sim);
    double bits = 8 * (double)(WEIR_CONTROL_BYTES + p->gap_bytes);

    (void)now;
    return (double)sim_port_result(sim, l->port).n_frames_sent * bits /
           (double)model_port_at(p, l->port)->rate_bps * (double)WEIR_PS_PER_S;
}

static double
queue(const struct measures_view *l, const struct sim *sim, weir_ps now)
{
    (void)now;
    return (double)sim_queue_bytes(sim, l->port, 0);
}

static double
output(const struct measures_view *l, const struct sim *sim, weir_ps now)
{
    (void)now;
    return (double)sim_output_bytes(sim, l->port, 0);
}

static double
buffer(const struct measures_view *l, const struct sim *sim, weir_ps now)
{
    const struct topo *t = sim_model(sim)->topo;
    const struct topo_node *n = &t->nodes[t->ports[l->port].node];
    double bytes = 0;

    (void)now;
    for (uint32_t p = 0; p < n->n_ports; p++) {
        bytes += (double)sim_queue_bytes(sim, n->first_port + p, 0);
    }
    return bytes;
}

static const struct {
    double (*read)(const struct measures_view *, const struct sim *, weir_ps now);
    double per_second; /* For a count: the factor from a difference of counts to the unit of its
                          rate. */
} quantities[SCN_N_QUANTITIES] = {
    [SCN_OF_SENT] = { sent, 8 },
    [SCN_OF_RAW] = { raw, 8 },
    [SCN_OF_RECEIVED] = { received, 8 },
    [SCN_OF_LIMIT] = { limit, 0 },
    [SCN_OF_MESSAGES] = { heard, 1 },
    [SCN_OF_HELD] = { held, 0 },
    [SCN_OF_PAUSED] = { paused, 1 / (double)WEIR_PS_PER_S },
    [SCN_OF_RATE] = { rate, 0 },
    [SCN_OF_CONTROL] = { control, 1 / (double)WEIR_PS_PER_S },
    [SCN_OF_QUEUE] = { queue, 0 },
    [SCN_OF_OUTPUT] = { output, 0 },
    [SCN_OF_BUFFER] = { buffer, 0 },
};

static bool
is_on(const struct scn_study_measure *m, const struct measures_view *l, double value)
{
    return scn_quantities[m->of].total_unit ? l->n && value > l->last : value >= (double)m->under;
}

static void
take_view(struct measures_view *l, const struct scn_study_measure *m, double value, weir_ps now)
{
    if (is_on(m, l, value)) {
        l->on_ps = now;
    }
    if (!l->n++) {
        l->first_ps = now;
        l->first = l->least = l->most = value;
    }
    l->last_ps = now;
    l->last = value;
    l->sum += value;
    l->least = value < l->least ? value : l->least;
    l->most = value > l->most ? value : l->most;
    if (m->as == SCN_AS_PERCENTILE) {
        ARRAY_PUSH(l->all, l->n_all, l->max_all) = value;
    }
}

static void
sample_item(struct measures *m, size_t i, const struct sim *sim, weir_ps now)
{
    const struct scn_study_measure *of = &m->study->measures[i];
    struct receivers *r = m->items[i].receivers;

    if (r) {
        struct measures_view *at = &m->items[i].views[0];
        for (receivers_rewind(r); receivers_next(r, sim, &at->port);) {
            take_view(at, of, quantities[of->of].read(at, sim, now), now);
        }
        return;
    }
    for (size_t l = 0; l < m->items[i].n_views; l++) {
        struct measures_view *at = &m->items[i].views[l];
        take_view(at, of, quantities[of->of].read(at, sim, now), now);
    }
}

void
measures_sample(struct measures *m, const struct sim *sim, weir_ps now)
{
    for (size_t i = 0; i < m->study->n_measures; i++) {
        const struct scn_study_measure *of = &m->study->measures[i];
        if (now >= of->from_ps && now <= of->until_ps) {
            sample_item(m, i, sim, now);
        }
    }
}

/* The value of one flow or port; negative: too few samples. */
static double
value_of(struct measures_view *l, const struct scn_study_measure *m)
{
    bool is_count = scn_quantities[m->of].total_unit;
    double elapsed_s = (double)(l->last_ps - l->first_ps) / (double)WEIR_PS_PER_S;

    if (l->n < 2) {
        return -1;
    }
    switch (m->as) {
    case SCN_AS_MEAN:
        return is_count ? (l->last - l->first) / elapsed_s * quantities[m->of].per_second
                        : l->sum / (double)l->n;
    case SCN_AS_TOTAL:
        return l->last - l->first;
    case SCN_AS_LEAST:
        return l->least;
    case SCN_AS_MOST:
        return l->most;
    case SCN_AS_LASTS:
        return l->on_ps ? (double)(l->on_ps - m->from_ps) : 0;
    case SCN_AS_PERCENTILE:
        percentile_sort(l->all, l->n_all);
        return percentile_of(l->all, l->n_all, m->thousandths);
    }
    return -1;
}

/* The value over all flows or ports of a measure; negative: some do not have it. */
static double
combine(struct measures *m, size_t i)
{
    const struct scn_study_measure *of = &m->study->measures[i];
    size_t n = m->items[i].n_views;
    double sum = 0, least = 0, most = 0;

    for (size_t l = 0; l < n; l++) {
        double value = value_of(&m->items[i].views[l], of);
        if (value < 0) {
            return -1;
        }
        sum += value;
        least = !l || value < least ? value : least;
        most = !l || value > most ? value : most;
    }
    const double by_among[SCN_N_AMONG] = { [SCN_AMONG_MEAN] = n ? sum / (double)n : -1,
                                           [SCN_AMONG_SUM] = sum,
                                           [SCN_AMONG_LEAST] = least,
                                           [SCN_AMONG_MOST] = most,
                                           [SCN_AMONG_SPREAD] = most - least };
    return n ? by_among[of->among] : -1;
}

void
measures_sum_up(struct measures *m, const struct outcome *o, double *values)
{
    for (size_t i = 0; i < m->study->n_measures; i++) {
        const struct scn_study_measure *of = &m->study->measures[i];
        double value =
            !m->items[i].is_there                ? -1
            : scn_quantities[of->of].is_of_run   ? intervals_feedback(m->intervals, of->thousandths)
            : scn_quantities[of->of].is_of_ended ? fct_measure_value(o, of, m->items[i].group)
                                                 : combine(m, i);
        double base = of->per == i ? 1 : values[of->per];
        values[i] = value >= 0 && base > 0 ? value / base : -1;
    }
}

/* Measures in the results file. */

enum { DIGITS = 15 };

char *
measures_json(const struct scn_study *study, const double *values)
{
    char *text = NULL;
    size_t len;

    if (!study->n_measures) {
        return NULL;
    }
    FILE *out = open_memstream(&text, &len);
    struct json j = { .out = out };
    json_open(&j, NULL, '{');
    for (size_t i = 0; i < study->n_measures; i++) {
        const struct scn_study_measure *m = &study->measures[i];
        if (!values) {
            json_text(&j, m->name, scn_measure_unit(m));
        } else if (values[i] < 0) {
            json_null(&j, m->name);
        } else {
            json_real(&j, m->name, values[i], DIGITS);
        }
    }
    json_close(&j, '}');
    fclose(out);
    return text;
}

/* The value of the measure 'name' in the JSON text; negative: it is not there. */
double
measures_read(const char *json, const char *name)
{
    struct json_read member = { .at = json };

    while (json_read_next(&member)) {
        char *end;
        double value = strtod(member.text, &end);
        if (!strcmp(member.key, name)) {
            return end != member.text ? value : -1;
        }
    }
    return -1;
}

/* Sums up slowdowns and completion times of flows by workload, destination port and size. */

#include "run/ended.h"

#include <stdlib.h>

#include "answer/percentile.h"
#include "base/array.h"
#include "run/by-workload.h"

static bool
counts(const struct outcome *o, uint32_t flow, const struct scn_study_measure *m, uint32_t group)
{
    const struct scn_flow *f = &o->s.flows[flow];
    uint64_t bytes = f->bytes - f->header_bytes;
    weir_ps started_ps = sim_flow_result(o->sim, flow).started_ps;

    return bytes >= m->min_bytes && bytes < m->max_bytes && started_ps >= m->from_ps &&
           started_ps <= m->until_ps && (m->dport == UINT64_MAX || f->dport == m->dport) &&
           by_workload_counts(o, flow, group);
}

static void
find_slowdowns(struct ended *e)
{
    e->slowdowns = array_new(e->o->s.n_flows, sizeof *e->slowdowns);
    for (uint32_t i = 0; i < e->o->s.n_flows; i++) {
        e->slowdowns[i] = outcome_flow_slowdown(e->o, i);
    }
}

static double
value_of(struct ended *e, uint32_t flow, enum scn_quantity of)
{
    struct sim_flow_result r = sim_flow_result(e->o->sim, flow);

    if (of == SCN_OF_FCT) {
        return (double)(r.last_ps - r.started_ps);
    }
    if (!e->slowdowns) {
        find_slowdowns(e);
    }
    return e->slowdowns[flow];
}

/* Of 'n' flows, of which these have ended. */
static double
reduce(double *values, size_t n_ended, uint64_t n, const struct scn_study_measure *m)
{
    double sum = 0;

    percentile_sort(values, n_ended);
    if (!n_ended) {
        return -1;
    }
    if (m->as == SCN_AS_LEAST) {
        return values[0];
    }
    if (m->as == SCN_AS_PERCENTILE) {
        return percentile_of_some(values, n_ended, n, m->thousandths);
    }
    for (size_t i = 0; i < n_ended; i++) {
        sum += values[i];
    }
    return n_ended < n ? -1 : m->as == SCN_AS_MOST ? values[n - 1] : sum / (double)n;
}

double
ended_value(struct ended *e, const struct scn_study_measure *m, uint32_t group)
{
    double *values = array_new(e->o->s.n_flows, sizeof *values);
    size_t n_ended = 0;
    uint64_t n = 0;

    for (uint32_t i = 0; i < e->o->s.n_flows; i++) {
        if (counts(e->o, i, m, group)) {
            n++;
            if (sim_flow_result(e->o->sim, i).received_bytes == e->o->s.flows[i].bytes) {
                values[n_ended++] = value_of(e, i, m->of);
            }
        }
    }
    double value = reduce(values, n_ended, n, m);
    free(values);
    return value;
}

void
ended_free(struct ended *e)
{
    free(e->slowdowns);
}

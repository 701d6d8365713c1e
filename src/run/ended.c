/* Sums up completion times of flows by their size. */

#include "run/ended.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "run/percentile.h"

static bool
is_of_workload(const struct outcome *o, const struct scn_flow *f, const struct scn_node *workload)
{
    return !workload || (f->group && !strcmp(o->s.workloads[f->group - 1].name, workload->word));
}

static bool
is_of(const struct scn_study_measure *m, const struct outcome *o, uint32_t flow)
{
    const struct scn_flow *f = &o->s.flows[flow];
    uint64_t bytes = f->bytes - f->header_bytes;

    return f->bytes != PLANT_ENDLESS && bytes >= m->least_bytes && bytes < m->under_bytes &&
           (m->dport == UINT64_MAX || f->dport == m->dport) && is_of_workload(o, f, m->workload) &&
           !sim_flow_is_stopped(o->sim, flow) && outcome_flow_is_measured(o, flow);
}

static double
time_of(const struct scn_study_measure *m, const struct outcome *o, uint32_t flow)
{
    struct sim_flow_result r = sim_flow_result(o->sim, flow);

    return m->of == SCN_OF_FCT ? (double)(r.last_ps - r.started_ps)
                               : outcome_flow_slowdown(o, flow);
}

/* In hundredths; least and most are percentiles, too. */
static const size_t percentiles[SCN_N_AS] = {
    [SCN_AS_LEAST] = 0, [SCN_AS_MOST] = 100, [SCN_AS_P50] = 50, [SCN_AS_P95] = 95, [SCN_AS_P99] = 99
};

/* A flow that has not ended takes longer than all that have. */
static double
reduce(enum scn_as as, double *times, size_t n_ended, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n_ended; i++) {
        sum += times[i];
    }
    if (as == SCN_AS_MEAN) {
        return n && n_ended == n ? sum / (double)n : -1;
    }
    percentile_sort(times, n_ended);
    return percentile_of_some(times, n_ended, n, percentiles[as]);
}

double
ended_value(const struct scn_study_measure *m, const struct outcome *o)
{
    double *times = array_new(o->s.n_flows, sizeof *times);
    size_t n_ended = 0, n = 0;

    for (uint32_t i = 0; i < o->s.n_flows; i++) {
        if (is_of(m, o, i)) {
            bool has_ended = sim_flow_result(o->sim, i).received_bytes == o->s.flows[i].bytes;
            n++;
            if (has_ended) {
                times[n_ended++] = time_of(m, o, i);
            }
        }
    }
    double value = reduce(m->as, times, n_ended, n);
    free(times);
    return value;
}

/* Sums up slowdowns and completion times of flows by workload, destination port and size, for a
 * study's own measures.
 *
 * A flow that has not ended counts as longer than all ended flows. If there is one, the mean and
 * the maximum are unknown, and so are percentiles that fall on such flows. */

#include <stdlib.h>

#include "answer/percentile.h"
#include "base/array.h"
#include "run/measures.h"

static bool
counts(const struct outcome *o, const struct completion_flow *flow,
       const struct scn_study_measure *m, uint32_t group)
{
    const struct scn_flow f_at = scn_flow_at(&o->s, flow->id), *f = &f_at;
    uint64_t bytes = f->bytes - f->header_bytes;
    weir_ps started_ps = sim_flow_result(o->sim, (uint32_t)flow->id).started_ps;

    return bytes >= m->min_bytes && bytes < m->max_bytes && started_ps >= m->from_ps &&
           started_ps <= m->until_ps && (m->dport == UINT64_MAX || f->dport == m->dport) &&
           (group == COMPLETION_ALL || flow->workload == group);
}

static double
value_of(const struct completion_flow *f, enum scn_quantity of)
{
    return of == SCN_OF_FCT ? (double)f->taken_ps : completion_slowdown(f);
}

/* Reduces the values of 'n' flows, of which 'n_ended' have ended and have a value. */
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
fct_measure_value(const struct outcome *o, const struct scn_study_measure *m, uint32_t group)
{
    const struct completion *c = &o->flows;
    double *values = array_new(c->n, sizeof *values);
    size_t n_ended = 0;
    uint64_t n = 0;

    for (size_t i = 0; i < c->n; i++) {
        if (counts(o, &c->flows[i], m, group)) {
            n++;
            if (c->flows[i].has_ended) {
                values[n_ended++] = value_of(&c->flows[i], m->of);
            }
        }
    }
    double value = reduce(values, n_ended, n, m);
    free(values);
    return value;
}

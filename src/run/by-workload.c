/* Gathers the flows of a run, and sums them up by the workload that has drawn them. */

#include "run/by-workload.h"

#include <stdio.h>

static bool
counts(const struct outcome *o, uint32_t flow)
{
    return scn_flow_at(&o->s, flow).bytes != MODEL_ENDLESS && !sim_flow_is_stopped(o->sim, flow) &&
           outcome_flow_is_measured(o, flow);
}

static struct completion_flow
flow_of(const struct outcome *o, uint32_t flow, const struct sim_flow_result *r)
{
    const struct scn_flow f_at = scn_flow_at(&o->s, flow), *f = &f_at;
    bool has_ended = r->received_bytes == f->bytes;

    return (struct completion_flow){ .id = flow,
                                     .bytes = f->bytes,
                                     .workload = f->group & INT32_MAX,
                                     .has_ended = has_ended,
                                     .taken_ps =
                                         (has_ended ? r->last_ps : sim_now(o->sim)) - r->started_ps,
                                     .ideal_ps = sim_flow_ideal_ps(o->sim, flow) };
}

struct completion
by_workload_gather(const struct outcome *o)
{
    struct completion c = { 0 };

    for (uint32_t i = 0; i < o->s.n_flows; i++) {
        if (counts(o, i)) {
            struct sim_flow_result r = sim_flow_result(o->sim, i);
            struct completion_flow f = flow_of(o, i, &r);
            completion_add(&c, &f, (struct completion_sent){ r.sent_bytes, r.again_bytes });
        }
    }
    return c;
}

static struct rec_workload
row_of(const struct completion_group *g, uint32_t workload)
{
    return (struct rec_workload){ .workload = workload,
                                  .n_flows = g->n,
                                  .n_ended = g->n_ended,
                                  .n_unfinished = g->n_unfinished,
                                  .fct_mean_ps = (weir_ps)g->time_ps.mean,
                                  .fct_p50_ps = (weir_ps)g->time_ps.p50,
                                  .fct_p95_ps = (weir_ps)g->time_ps.p95,
                                  .fct_p99_ps = (weir_ps)g->time_ps.p99,
                                  .fct_max_ps = (weir_ps)g->time_ps.most,
                                  .fct_max_at_least_ps = (weir_ps)g->at_least_ps,
                                  .slowdown_mean = g->slowdown.mean,
                                  .slowdown_p50 = g->slowdown.p50,
                                  .slowdown_p95 = g->slowdown.p95,
                                  .slowdown_p99 = g->slowdown.p99,
                                  .slowdown_max = g->slowdown.most,
                                  .sent_bytes = g->sent_bytes,
                                  .again_bytes = g->again_bytes };
}

void
by_workload_fill(struct by_workload *b, const struct outcome *o, const struct completion *c)
{
    b->n = 1 + o->s.n_workloads;
    for (uint32_t w = 0; w < b->n; w++) {
        struct completion_group g;
        completion_of(c, w, &g);
        b->rows[w] = row_of(&g, w);
        snprintf(b->names[w], sizeof b->names[w], "%s",
                 w ? o->s.workloads[w - 1].name : SCN_ALL_WORKLOADS);
    }
}

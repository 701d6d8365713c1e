/* Sums flows up by the workload that has drawn them. */

#include "run/by-workload.h"

#include <stdio.h>
#include <stdlib.h>

#include "answer/percentile.h"
#include "base/array.h"

/* Of the flows that have ended. */
struct times {
    double *fct_ps, *slowdown;
    size_t n;
    double sum_ps;
    double *of_flow; /* Slowdown by flow: found once, as all and its workload ask for it. */
};

bool
by_workload_counts(const struct outcome *o, uint32_t flow, uint32_t workload)
{
    const struct scn_flow *f = &o->s.flows[flow];

    return (!workload || f->group == workload) && f->bytes != PLANT_ENDLESS &&
           !sim_flow_is_stopped(o->sim, flow) && outcome_flow_is_measured(o, flow);
}

static void
add_flow(const struct outcome *o, uint32_t flow, struct rec_workload *row, struct times *t)
{
    struct sim_flow_result r = sim_flow_result(o->sim, flow);
    bool has_ended = r.received_bytes == o->s.flows[flow].bytes;
    weir_ps taken_ps = (has_ended ? r.last_ps : sim_now(o->sim)) - r.started_ps;

    row->n_flows++;
    row->sent_bytes += r.sent_bytes;
    row->again_bytes += r.again_bytes;
    row->fct_max_at_least_ps =
        taken_ps > row->fct_max_at_least_ps ? taken_ps : row->fct_max_at_least_ps;
    if (has_ended) {
        t->sum_ps += (double)taken_ps;
        t->fct_ps[t->n] = (double)taken_ps;
        t->slowdown[t->n++] = t->of_flow[flow];
    }
}

static void
set_statistics(struct rec_workload *row, struct times *t)
{
    row->n_ended = t->n;
    row->n_unfinished = row->n_flows - t->n;
    row->fct_mean_ps = t->n ? (weir_ps)(t->sum_ps / (double)t->n) : -1;
    percentile_sort(t->fct_ps, t->n);
    percentile_sort(t->slowdown, t->n);
    row->fct_p50_ps = (weir_ps)percentile_of_some(t->fct_ps, t->n, row->n_flows, 500);
    row->fct_p99_ps = (weir_ps)percentile_of_some(t->fct_ps, t->n, row->n_flows, 990);
    row->fct_max_ps = (weir_ps)percentile_of_some(t->fct_ps, t->n, row->n_flows, 1000);
    row->slowdown_p50 = percentile_of_some(t->slowdown, t->n, row->n_flows, 500);
    row->slowdown_p99 = percentile_of_some(t->slowdown, t->n, row->n_flows, 990);
    row->slowdown_max = percentile_of_some(t->slowdown, t->n, row->n_flows, 1000);
}

static void
find_slowdowns(const struct outcome *o, double *of_flow)
{
    for (uint32_t i = 0; i < o->s.n_flows; i++) {
        if (by_workload_counts(o, i, 0)) {
            of_flow[i] = outcome_flow_slowdown(o, i);
        }
    }
}

void
by_workload_fill(struct by_workload *b, const struct outcome *o)
{
    struct times t = { .fct_ps = array_new(o->s.n_flows, sizeof *t.fct_ps),
                       .slowdown = array_new(o->s.n_flows, sizeof *t.slowdown),
                       .of_flow = array_new(o->s.n_flows, sizeof *t.of_flow) };

    find_slowdowns(o, t.of_flow);
    b->n = 1 + o->s.n_workloads;
    for (uint32_t w = 0; w < b->n; w++) {
        b->rows[w] = (struct rec_workload){ .workload = w, .fct_max_at_least_ps = -1 };
        snprintf(b->names[w], sizeof b->names[w], "%s",
                 w ? o->s.workloads[w - 1].name : SCN_ALL_WORKLOADS);
        t.n = 0;
        t.sum_ps = 0;
        for (uint32_t i = 0; i < o->s.n_flows; i++) {
            if (by_workload_counts(o, i, w)) {
                add_flow(o, i, &b->rows[w], &t);
            }
        }
        set_statistics(&b->rows[w], &t);
    }
    free(t.fct_ps);
    free(t.slowdown);
    free(t.of_flow);
}

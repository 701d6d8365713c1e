/* Collects flow completion times, and names the workloads and flows. */

#include "run/fct-of-run.h"

#include "run/collect.h"

void
fct_of_run_fill(struct fct_of_run *c, const struct outcome *o, const uint64_t *edges,
                size_t n_edges)
{
    struct completion flows = collect_flows(o);
    const char *workloads[SCN_MAX_WORKLOADS];

    for (uint32_t w = 0; w < o->s.n_workloads; w++) {
        workloads[w] = o->s.workloads[w].name;
    }
    completion_table_fill(&c->table, &flows, workloads, o->s.n_workloads, edges, n_edges);
    completion_free(&flows);
    for (size_t i = 0; i < c->table.n_worst; i++) {
        c->table.worst[i].name = scn_flow_name(&o->s, c->table.worst[i].flow, c->names[i]);
    }
}

void
fct_of_run_free(struct fct_of_run *c)
{
    completion_table_free(&c->table);
}

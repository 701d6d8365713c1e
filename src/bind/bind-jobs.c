/* Makes the jobs of a model from the workloads that are jobs. */

#include <stdlib.h>

#include "base/array.h"
#include "bind/bind.h"
#include "graph/executor.h"
#include "graph/graph-program.h"
#include "graph/relay-program.h"
#include "workload/job.h"

struct bound_job { /* The input of a job, in one block. */
    struct graph_job job;
    struct graph graph;
};

static void
free_job(void *what)
{
    struct bound_job *b = what;

    graph_free(&b->graph);
    free(b);
}

static void
free_relayed_job(void *what)
{
    struct relay_job *relay = what;

    free_job(relay->what);
    relay_job_free(relay);
    free(relay);
}

static uint32_t
end_of(const struct scenario *s, size_t workload)
{
    return (uint32_t)(workload + 1 < s->n_workloads ? s->workloads[workload + 1].first_flow
                                                    : s->n_flows);
}

/* The flows are sorted by rank, peer and channel. */
static void
bind_connections(const struct scenario *s, size_t workload, struct model *p, struct model_job *job)
{
    uint32_t first = s->workloads[workload].first_flow, n = end_of(s, workload) - first;
    struct model_connection *all = model_own(p, array_new(n, sizeof *all));
    uint32_t *rank_at = array_new(s->topo.n_nodes, sizeof *rank_at);

    for (uint32_t rank = 0; rank < job->n_ranks; rank++) {
        rank_at[job->nodes[rank]] = rank;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct model_flow *f = &p->flows[first + i];
        bool is_same = i && f->from == f[-1].from && f->to == f[-1].to;
        all[i] = (struct model_connection){ .rank = rank_at[f->from],
                                            .peer = rank_at[f->to],
                                            .channel = is_same ? all[i - 1].channel + 1 : 0,
                                            .flow = first + i };
    }
    job->connections = all;
    job->n_connections = n;
    free(rank_at);
}

static void
bind_relays(const struct scenario *s, const struct wl_job *of, struct model_job *job)
{
    struct relay_job *relay = array_new(1, sizeof *relay);
    struct relay_place *places = array_new(job->n_ranks, sizeof *places);

    wl_job_places(&s->topo, job->nodes, job->n_ranks, places);
    relay_job_init(relay, job->program, job->what, places, job->n_ranks, of->relay_chunk_bytes);
    job->program = &relay->program;
    job->what = relay;
    job->free_what = free_relayed_job;
    free(places);
}

static bool
bind_job(const struct scenario *s, size_t workload, const struct wl_job *of, struct model *p,
         struct model_job *job, struct err *err)
{
    struct bound_job *b = array_new(1, sizeof *b);
    uint32_t *nodes = model_own(p, array_new(s->topo.n_nics, sizeof *nodes));

    bool good = scn_build_job(s, workload, &b->graph, nodes, err);
    b->job = (struct graph_job){ &b->graph, of->trace ? 0 : EXECUTOR_RECORDS };
    *job = (struct model_job){ .program = &graph_program,
                               .what = b,
                               .free_what = free_job,
                               .nodes = nodes,
                               .n_ranks = b->graph.n_ranks,
                               .start_ps = (weir_ps)s->workloads[workload].start_ps,
                               .n_spans = of->trace ? 0 : of->repeat };
    if (good && of->relay == WL_RELAY_RAIL) {
        bind_relays(s, of, job);
    }
    bind_connections(s, workload, p, job);
    return good;
}

bool
bind_jobs(const struct scenario *s, struct model *p, struct err *err)
{
    struct model_job *jobs = model_own(p, array_new(s->n_workloads, sizeof *jobs));
    struct wl_job of;
    bool good = true;

    p->jobs = jobs;
    for (size_t i = 0; good && i < s->n_workloads; i++) {
        if (scn_job_of(s, i, &of)) {
            good = bind_job(s, i, &of, p, &jobs[p->n_jobs], err);
            p->n_jobs++;
        }
    }
    return good;
}

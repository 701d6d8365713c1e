/* Takes the facts of jobs from the simulator. */

#include "run/job-facts.h"

#include <stdlib.h>

#include "answer/percentile.h"
#include "base/array.h"
#include "graph/collective-time.h"
#include "workload/job.h"

/* Jobs of the model are in the order of workloads; UINT32_MAX: the workload is no job. */
static uint32_t
job_of(const struct outcome *o, size_t workload, struct wl_job *of)
{
    uint32_t n = 0;

    for (size_t i = 0; i < workload; i++) {
        n += scn_job_of(&o->s, i, of);
    }
    return scn_job_of(&o->s, workload, of) ? n : UINT32_MAX;
}

/* The standing of a job.  It is stuck if only messages could let its ranks go on, and all that were
 * sent have arrived. */
struct standing {
    uint64_t n_ranks, n_unfinished, n_waiting, n_sent, n_arrived;
    uint64_t n_relayed, relayed_bytes;
    uint32_t first; /* The first rank that waits. */
};

static struct standing
standing_of(const struct sim *sim, uint32_t job)
{
    struct standing s = { .n_ranks = sim_model(sim)->jobs[job].n_ranks };

    for (uint32_t rank = 0; rank < s.n_ranks; rank++) {
        const struct program_report r = sim_rank_report(sim, job, rank);
        bool waits = r.end_ps < 0 && r.is_waiting;
        s.first = waits && !s.n_waiting ? rank : s.first;
        s.n_unfinished += r.end_ps < 0;
        s.n_waiting += waits;
        s.n_sent += r.n_sent;
        s.n_arrived += r.n_arrived;
        s.n_relayed += r.n_relayed;
        s.relayed_bytes += r.relayed_bytes;
    }
    return s;
}

static bool
is_stuck(const struct standing *s)
{
    return s->n_unfinished && s->n_unfinished == s->n_waiting && s->n_sent == s->n_arrived;
}

struct job_counts
job_facts_count(const struct outcome *o)
{
    struct job_counts c = { 0 };

    for (uint32_t job = 0; job < sim_model(o->sim)->n_jobs; job++) {
        struct standing s = standing_of(o->sim, job);
        c.n_ranks += s.n_ranks;
        c.n_waiting += is_stuck(&s) ? s.n_waiting : 0;
        c.n_sent += s.n_sent;
        c.n_arrived += s.n_arrived;
        c.n_relayed += s.n_relayed;
        c.relayed_bytes += s.relayed_bytes;
    }
    return c;
}

enum { MAX_NAMED = 3 };

static void
name_ranks(const struct outcome *o, size_t workload, uint32_t job, const struct standing *s,
           struct weir_text *text)
{
    uint64_t n_named = 0;

    weir_text_add(text, "job %s cannot go on: ", o->s.workloads[workload].name);
    for (uint32_t rank = s->first; rank < s->n_ranks && n_named < MAX_NAMED; rank++) {
        const struct program_report r = sim_rank_report(o->sim, job, rank);
        if (r.end_ps < 0 && r.is_waiting) {
            weir_text_add(text, "%s%s", n_named++ ? "; " : "", r.waits_for);
        }
    }
    if (s->n_waiting > n_named) {
        weir_text_add(text, "; %u more rank%s wait%s", s->n_waiting - n_named,
                      s->n_waiting - n_named == 1 ? "" : "s",
                      s->n_waiting - n_named == 1 ? "s" : "");
    }
}

void
job_facts_find_stuck(struct outcome *o)
{
    struct wl_job of;

    for (size_t w = 0; w < o->s.n_workloads && !o->stuck.len; w++) {
        uint32_t job = job_of(o, w, &of);
        if (job != UINT32_MAX) {
            struct standing s = standing_of(o->sim, job);
            if (is_stuck(&s)) {
                name_ranks(o, w, job, &s, &o->stuck);
            }
        }
    }
}

uint64_t
job_facts_n_unfinished(const struct outcome *o, size_t workload, uint64_t *n_ranks)
{
    struct wl_job of;
    uint32_t job = job_of(o, workload, &of);

    *n_ranks = 0;
    if (job == UINT32_MAX) {
        return 0;
    }
    struct standing s = standing_of(o->sim, job);
    *n_ranks = s.n_ranks;
    return s.n_unfinished;
}

/* Iterations: from the first rank's start to the last rank's end. */

struct iterations {
    struct program_span *all;
    size_t n;
    bool have_ended;
};

static void
join(struct program_span *all, const struct program_span *one)
{
    bool is_earlier = one->start_ps >= 0 && (all->start_ps < 0 || one->start_ps < all->start_ps);

    all->start_ps = is_earlier ? one->start_ps : all->start_ps;
    all->end_ps = one->end_ps > all->end_ps ? one->end_ps : all->end_ps;
}

static struct iterations
find_iterations(const struct sim *sim, uint32_t job)
{
    const struct model_job *of = &sim_model(sim)->jobs[job];
    struct iterations it = { array_new(of->n_spans, sizeof *it.all), of->n_spans, of->n_spans > 0 };
    struct program_span *one = array_new(it.n, sizeof *one);

    for (size_t i = 0; i < it.n; i++) {
        it.all[i] = (struct program_span){ -1, -1 };
    }
    for (uint32_t rank = 0; rank < of->n_ranks; rank++) {
        sim_rank_spans(sim, job, rank, one);
        for (size_t i = 0; i < it.n; i++) {
            join(&it.all[i], &one[i]);
            it.have_ended = it.have_ended && one[i].end_ps >= 0;
        }
    }
    free(one);
    return it;
}

static uint64_t
bandwidth(uint64_t bytes, weir_ps ps, double factor)
{
    return ps > 0
               ? (uint64_t)((double)bytes * 8 * (double)WEIR_PS_PER_S / (double)ps * factor + 0.5)
               : COLUMN_NO_COUNT;
}

/* The time of messages on an empty network, if it is the same on all connections of a job. */
struct alone {
    const struct sim *sim;
    const struct model_job *job;
};

/* The time of a message on a link of the sender's rate; negative: another link is slower. */
static weir_ps
wire_ps(const struct sim *sim, uint32_t flow, uint64_t bytes)
{
    const struct model *m = sim_model(sim);
    const struct topo_port *port = &m->topo->ports[sim_flow_port(sim, flow)];
    uint64_t mtu = m->mtu_bytes, rate_bps = m->topo->links[port->link].rate_bps;
    weir_ps period_ps =
        sim_flow_message_ps(sim, flow, 3 * mtu) - sim_flow_message_ps(sim, flow, 2 * mtu);

    return period_ps == weir_wire_ps(mtu + m->gap_bytes, rate_bps)
               ? weir_wire_ps(bytes + (bytes + mtu - 1) / mtu * m->gap_bytes, rate_bps)
               : -1;
}

static weir_ps
alone_ps(void *arg, uint64_t bytes, uint64_t n_before)
{
    const struct alone *a = arg;
    weir_ps ps = -1;

    for (size_t i = 0; i < a->job->n_connections; i++) {
        uint32_t flow = a->job->connections[i].flow;
        weir_ps one_ps = sim_flow_message_ps(a->sim, flow, bytes);
        weir_ps each_ps = n_before ? wire_ps(a->sim, flow, bytes) : 0;
        weir_ps of_ps = one_ps < 0 || one_ps > WEIR_LATE || each_ps < 0
                            ? -1
                            : one_ps + (weir_ps)n_before * each_ps;
        if (of_ps < 0 || (i && of_ps != ps)) {
            return -1;
        }
        ps = of_ps;
    }
    return ps;
}

/* The closed forms do not know relays. */
static double
slowdown_of(const struct outcome *o, uint32_t job, const struct wl_job *of, weir_ps ps)
{
    struct alone a = { o->sim, &sim_model(o->sim)->jobs[job] };
    weir_ps ideal_ps = of->relay ? -1 : collective_time_ps(&of->coll, alone_ps, &a);

    return ideal_ps > 0 && ps > 0 ? (double)ps / (double)ideal_ps : -1;
}

static void
add_iterations(const struct outcome *o, uint32_t job, const struct wl_job *of,
               struct completion_job *to)
{
    const struct coll_params *p = &of->coll;
    struct iterations it = find_iterations(o->sim, job);
    double *taken = array_new(it.n, sizeof *taken), factor;

    for (size_t i = 0; it.have_ended && i < it.n; i++) {
        taken[i] = (double)(it.all[i].end_ps - it.all[i].start_ps);
    }
    if (it.have_ended) {
        percentile_sort(taken, it.n);
        to->iteration_min_ps = (weir_ps)taken[0];
        to->iteration_p50_ps = (weir_ps)(percentile_of(taken, it.n, 500) + 0.5);
        to->iteration_max_ps = (weir_ps)taken[it.n - 1];
        if (coll_bus_factor(p->op, p->n, &factor)) {
            to->algbw_bps = bandwidth(p->bytes, to->iteration_p50_ps, 1);
            to->busbw_bps = bandwidth(p->bytes, to->iteration_p50_ps, factor);
        }
        to->slowdown = slowdown_of(o, job, of, to->iteration_p50_ps);
    }
    free(taken);
    free(it.all);
}

static void
raise(weir_ps *most, weir_ps ps)
{
    *most = ps > *most ? ps : *most;
}

/* Adds the times of ranks that have begun; returns the end of the last rank, negative if one has
 * not ended. */
static weir_ps
add_ranks(const struct sim *sim, uint32_t job, struct completion_job *to)
{
    uint32_t n_ranks = sim_model(sim)->jobs[job].n_ranks;
    double computing = 0, network = 0, peer = 0;
    weir_ps end_ps = 0;
    bool have_ended = true, have_begun = true;

    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        const struct program_report r = sim_rank_report(sim, job, rank);
        have_begun = have_begun && r.begin_ps >= 0;
        have_ended = have_ended && r.end_ps >= 0;
        raise(&end_ps, r.end_ps);
        raise(&to->computing_max_ps, r.computing_ps);
        raise(&to->network_max_ps, r.network_ps);
        raise(&to->peer_max_ps, r.peer_ps);
        computing += (double)r.computing_ps;
        network += (double)r.network_ps;
        peer += (double)r.peer_ps;
    }
    if (have_begun) {
        to->computing_mean_ps = (weir_ps)(computing / n_ranks + 0.5);
        to->network_mean_ps = (weir_ps)(network / n_ranks + 0.5);
        to->peer_mean_ps = (weir_ps)(peer / n_ranks + 0.5);
    } else {
        to->computing_max_ps = to->network_max_ps = to->peer_max_ps = -1;
    }
    return have_ended ? end_ps : -1;
}

void
job_facts_collect(struct outcome *o)
{
    for (size_t w = 0; w < o->s.n_workloads; w++) {
        struct completion_job to = completion_no_job;
        struct wl_job of;
        uint32_t job = job_of(o, w, &of);
        if (job != UINT32_MAX) {
            weir_ps end_ps = add_ranks(o->sim, job, &to);
            to.taken_ps = end_ps < 0 ? -1 : end_ps - (weir_ps)o->s.workloads[w].start_ps;
            if (!of.trace) {
                add_iterations(o, job, &of, &to);
            }
            completion_add_job(&o->flows, (uint32_t)w + 1, &to, end_ps);
        }
    }
}

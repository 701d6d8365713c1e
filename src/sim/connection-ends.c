/* Sets up connections and the ranks of jobs; their results, and whether they have ended. */

#include "sim/connection-ends.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/exchange.h"
#include "sim/setup.h"
#include "sim/view.h"

/* These functions check jobs and their connections. */

static bool
check_rank(const struct model *c, uint32_t number, uint32_t rank, uint32_t *job_of, struct err *err)
{
    uint32_t node = c->jobs[number].nodes[rank];

    if (node >= c->topo->n_nodes || c->topo->nodes[node].kind != TOPO_NIC) {
        return err_set(err, "job %u: rank %u is not at a host", number, rank);
    }
    if (job_of[node] == number + 1) {
        return err_set(err, "job %u: %s has two ranks; a host can have one rank of a job", number,
                       c->topo->nodes[node].name);
    }
    job_of[node] = number + 1;
    return true;
}

static bool
is_before(const struct model_connection *a, const struct model_connection *b)
{
    if (a->rank != b->rank) {
        return a->rank < b->rank;
    }
    return a->peer != b->peer ? a->peer < b->peer : a->channel < b->channel;
}

static bool
check_connection(const struct model *c, uint32_t number, size_t i, bool *is_used, struct err *err)
{
    const struct model_job *job = &c->jobs[number];
    const struct model_connection *x = &job->connections[i];

    if (x->rank >= job->n_ranks || x->peer >= job->n_ranks || x->flow >= c->n_flows) {
        return err_set(err, "job %u: connection %zu is of a rank or flow that does not exist",
                       number, i);
    }
    const struct model_flow *f = &c->flows[x->flow];
    if (f->bytes != MODEL_MESSAGES || is_used[x->flow] || f->from != job->nodes[x->rank] ||
        f->to != job->nodes[x->peer]) {
        return err_set(err, "job %u: flow %u cannot be the connection from rank %u to rank %u",
                       number, x->flow, x->rank, x->peer);
    }
    is_used[x->flow] = true;
    return !i || is_before(&job->connections[i - 1], x) ||
           err_set(err, "job %u: connection %zu is not in order", number, i);
}

/* A flow that stops could leave a message unfinished for ever. */
static bool
check_flow(const struct model *c, uint32_t flow, bool is_used, struct err *err)
{
    const struct model_flow *f = &c->flows[flow];

    if (f->bytes != MODEL_MESSAGES) {
        return true;
    }
    if (!is_used) {
        return err_set(err, "flow %u is a connection of no job", flow);
    }
    if (f->from == f->to) {
        return err_set(err, "flow %u connects a host with itself", flow);
    }
    return !(f->terms->stop_ps || f->after) ||
           err_set(err, "flow %u is a connection: it cannot stop, nor wait for a flow", flow);
}

bool
sim_check_jobs(const struct model *c, struct err *err)
{
    uint32_t *job_of = array_new(c->topo->n_nodes, sizeof *job_of);
    bool *is_used = array_new(c->n_flows, sizeof *is_used), fits = true;

    for (uint32_t job = 0; job < c->n_jobs; job++) {
        for (uint32_t rank = 0; fits && rank < c->jobs[job].n_ranks; rank++) {
            fits = check_rank(c, job, rank, job_of, err);
        }
        for (size_t i = 0; fits && i < c->jobs[job].n_connections; i++) {
            fits = check_connection(c, job, i, is_used, err);
        }
    }
    for (uint32_t i = 0; fits && i < c->n_flows; i++) {
        fits = check_flow(c, i, is_used[i], err);
    }
    free(job_of);
    free(is_used);
    return fits;
}

/* The time of notices: the minimum time of any packet from one host to another, whatever the
 * routes.  It does not depend on threads and ranks, and it is no shorter than the delay of any link
 * on the way, so that the mail arrives in time everywhere. */

struct distances { /* From one node to all others. */
    uint32_t from; /* SIM_NONE: not known yet. */
    weir_ps *at_ps;
    uint32_t *queue; /* A circular queue of nodes whose neighbours must be updated. */
    bool *is_queued;
};

static weir_ps
least_on(const struct topo *topo, uint32_t port)
{
    const struct topo_link *l = &topo->links[topo->ports[port].link];

    return l->delay_ps + weir_wire_ps(1, l->rate_bps);
}

/* Updates the neighbours of a node; returns the number of nodes queued after it. */
static size_t
spread(const struct topo *topo, struct distances *d, uint32_t node, size_t end)
{
    const struct topo_node *n = &topo->nodes[node];
    size_t n_queued = 0;

    for (uint32_t port = n->first_port; port < n->first_port + n->n_ports; port++) {
        uint32_t to = topo->ports[topo->ports[port].peer].node;
        weir_ps at = d->at_ps[node] + least_on(topo, port);
        if (at < d->at_ps[to]) {
            d->at_ps[to] = at;
            if (topo->nodes[to].kind == TOPO_SWITCH && !d->is_queued[to]) {
                d->is_queued[to] = true;
                d->queue[(end + n_queued++) % topo->n_nodes] = to;
            }
        }
    }
    return n_queued;
}

static void
find_distances(const struct topo *topo, struct distances *d, uint32_t from)
{
    if (d->from == from) {
        return;
    }
    for (size_t i = 0; i < topo->n_nodes; i++) {
        d->at_ps[i] = WEIR_NEVER;
    }
    d->from = from;
    d->at_ps[from] = 0;
    d->queue[0] = from;
    for (size_t begin = 0, end = 1; begin < end; begin++) {
        uint32_t node = d->queue[begin % topo->n_nodes];
        d->is_queued[node] = false;
        end += spread(topo, d, node, end);
    }
}

/* The minimum time between two hosts. Hosts with one port share the distances from their switch. */
static weir_ps
least_between(const struct topo *topo, struct distances *d, uint32_t from, uint32_t to)
{
    const struct topo_node *n = &topo->nodes[from];
    uint32_t peer = topo->ports[topo->ports[n->first_port].peer].node;

    if (n->n_ports > 1 || topo->nodes[peer].kind != TOPO_SWITCH) {
        find_distances(topo, d, from);
        return d->at_ps[to];
    }
    find_distances(topo, d, peer);
    return least_on(topo, n->first_port) + d->at_ps[to];
}

static void
set_notice_times(struct sim *sim)
{
    const struct topo *topo = sim->model.topo;
    struct distances d = { .from = SIM_NONE,
                           .at_ps = array_new(topo->n_nodes, sizeof *d.at_ps),
                           .queue = array_new(topo->n_nodes, sizeof *d.queue),
                           .is_queued = array_new(topo->n_nodes, sizeof *d.is_queued) };

    for (uint32_t slot = 0; slot < sim->flows.n_senders; slot++) {
        uint32_t flow = sim_flow_of_sender(sim, slot);
        const struct model_flow *f = &sim->model.flows[flow];
        if (f->bytes == MODEL_MESSAGES) {
            sim->flows.outgoing[slot].notice_ps = least_between(topo, &d, f->from, f->to);
        }
    }
    free(d.at_ps);
    free(d.queue);
    free(d.is_queued);
}

/* These functions set up connections and members. */

static void
set_member(struct sim *sim, struct sim_member *m, const struct model_job *job, uint32_t rank)
{
    *m = (struct sim_member){
        .job = job, .rank = rank, .node = job->nodes[rank], .runs = { WEIR_NEVER, WEIR_NEVER }
    };
    if (sim_is_here(sim, m->node)) {
        m->state = array_new(1, job->program->state_bytes);
        job->program->start(m->state, job->what, rank);
    }
}

static void
join_members(struct sim *sim, const struct model_connection *x, uint32_t first_member)
{
    if (sim_sender_is_here(sim, x->flow)) {
        sim_outgoing(sim, x->flow)->member = first_member + x->rank;
    }
    if (sim_sink_is_here(sim, x->flow)) {
        sim_incoming(sim, x->flow)->member = first_member + x->peer;
        sim_incoming(sim, x->flow)->source = x->rank;
    }
}

void
sim_set_connections(struct sim *sim)
{
    const struct model *c = &sim->model;
    struct sim_jobs *jobs = &sim->jobs;

    if (!c->n_jobs) {
        return;
    }
    sim->flows.outgoing = array_new(sim->flows.n_senders, sizeof *sim->flows.outgoing);
    sim->flows.incoming = array_new(sim->flows.n_sinks, sizeof *sim->flows.incoming);
    jobs->first = array_new(c->n_jobs, sizeof *jobs->first);
    for (uint32_t job = 0; job < c->n_jobs; job++) {
        jobs->first[job] = jobs->n_members;
        jobs->n_members += c->jobs[job].n_ranks;
    }
    jobs->members = array_new(jobs->n_members, sizeof *jobs->members);
    for (uint32_t job = 0; job < c->n_jobs; job++) {
        for (uint32_t rank = 0; rank < c->jobs[job].n_ranks; rank++) {
            set_member(sim, &jobs->members[jobs->first[job] + rank], &c->jobs[job], rank);
        }
        for (size_t i = 0; i < c->jobs[job].n_connections; i++) {
            join_members(sim, &c->jobs[job].connections[i], jobs->first[job]);
        }
    }
    set_notice_times(sim);
}

void
sim_free_connections(struct sim *sim)
{
    for (uint32_t i = 0; sim->jobs.members && i < sim->jobs.n_members; i++) {
        struct sim_member *m = &sim->jobs.members[i];
        if (m->state) {
            m->job->program->stop(m->state);
            free(m->state);
        }
    }
    for (uint32_t i = 0; sim->flows.outgoing && i < sim->flows.n_senders; i++) {
        free(sim->flows.outgoing[i].items);
    }
    for (uint32_t i = 0; sim->flows.incoming && i < sim->flows.n_sinks; i++) {
        free(sim->flows.incoming[i].items);
    }
    free(sim->jobs.members);
    free(sim->jobs.first);
    free(sim->flows.outgoing);
    free(sim->flows.incoming);
}

/* These functions find out whether the jobs have ended. */

struct standing { /* Sums over the members of all jobs. */
    uint64_t n_unfinished;
    uint64_t n_moving; /* Members that will run, or have messages to send. */
    uint64_t n_posted, n_arrived;
};

static struct standing
standing_here(const struct sim *sim)
{
    struct standing s = { 0 };

    for (uint32_t i = 0; i < sim->jobs.n_members; i++) {
        const struct sim_member *m = &sim->jobs.members[i];
        if (m->state) {
            s.n_unfinished += !m->has_begun || !m->job->program->is_done(m->state);
            s.n_moving += m->runs.at_ps != WEIR_NEVER || m->n_posted != m->n_sent;
            s.n_posted += m->n_posted;
            s.n_arrived += m->n_arrived;
        }
    }
    return s;
}

static void
add_standing(struct standing *s, const struct standing *more)
{
    s->n_unfinished += more->n_unfinished;
    s->n_moving += more->n_moving;
    s->n_posted += more->n_posted;
    s->n_arrived += more->n_arrived;
}

bool
sim_jobs_have_ended(struct sim *sim)
{
    struct standing s = standing_here(sim);

    if (sim->ranks.exchange && sim->model.n_jobs) {
        struct standing own = s;
        struct sim_parcel parcel = { .bytes = &own, .n = sizeof own }, *in = sim_parcels_new(sim);
        bool is_done = sim_agree(sim, &parcel, in);
        for (uint32_t i = 0; is_done && i < sim_n_ranks(sim); i++) {
            if (i != sim_rank(sim)) {
                add_standing(&s, in[i].bytes);
            }
        }
        sim_parcels_free(sim, in);
    }
    return !s.n_unfinished || (!s.n_moving && s.n_posted == s.n_arrived);
}

/* These functions report results. */

uint64_t
sim_connection_first_bytes(const struct sim *sim, uint32_t flow)
{
    const struct sim_outgoing *c = sim_outgoing(sim, flow);
    uint64_t mtu = sim->model.mtu_bytes, n_first = sim_flow_n_first(sim, flow);
    uint64_t bytes = c->posted_bytes;

    for (size_t i = c->head; i < c->n; i++) {
        const struct sim_message *m = &c->items[i];
        if (n_first < m->end) {
            uint64_t n_sent = n_first > m->first ? n_first - m->first : 0;
            bytes -= (m->end - m->first - 1) * mtu + m->last_bytes - n_sent * mtu;
        }
    }
    return bytes;
}

struct program_report
sim_member_now(const struct sim *sim, uint32_t member)
{
    const struct sim_member *m = &sim->jobs.members[member];
    struct program_report r = {
        .begin_ps = -1, .end_ps = -1, .n_sent = m->n_sent, .n_arrived = m->n_arrived
    };

    if (m->has_begun) {
        m->job->program->report(m->state, &r);
    }
    r.is_waiting = m->has_begun && m->runs.at_ps == WEIR_NEVER && m->n_posted == m->n_sent;
    if (m->n_unconnected) {
        snprintf(r.waits_for, sizeof r.waits_for, "rank %u has no connection to rank %u", m->rank,
                 m->first_unconnected);
    }
    return r;
}

void
sim_member_spans(const struct sim *sim, uint32_t member, struct program_span *spans)
{
    const struct sim_member *m = &sim->jobs.members[member];

    for (size_t i = 0; i < m->job->n_spans; i++) {
        spans[i] = (struct program_span){ -1, -1 };
    }
    if (m->has_begun && m->job->n_spans) {
        m->job->program->list_spans(m->state, spans, m->job->n_spans);
    }
}

/* Members are in the order of jobs and ranks. */
static struct program_span *
spans_of(const struct sim *sim, uint32_t job, uint32_t rank)
{
    size_t at = 0;

    for (uint32_t i = 0; i < job; i++) {
        at += sim->model.jobs[i].n_ranks * sim->model.jobs[i].n_spans;
    }
    return &sim->ranks.view->spans[at + rank * sim->model.jobs[job].n_spans];
}

void
sim_rank_spans(const struct sim *sim, uint32_t job, uint32_t rank, struct program_span *spans)
{
    uint32_t member = sim->jobs.first[job] + rank;

    if (sim->jobs.members[member].state) {
        sim_member_spans(sim, member, spans);
    } else {
        memcpy(spans, spans_of(sim, job, rank), sim->model.jobs[job].n_spans * sizeof *spans);
    }
}

struct program_report
sim_rank_report(const struct sim *sim, uint32_t job, uint32_t rank)
{
    uint32_t member = sim->jobs.first[job] + rank;

    return sim->jobs.members[member].state ? sim_member_now(sim, member)
                                           : sim->ranks.view->members[member];
}

const void *
sim_rank_state(const struct sim *sim, uint32_t job, uint32_t rank)
{
    return sim->jobs.members[sim->jobs.first[job] + rank].state;
}

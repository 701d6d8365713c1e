/* Runs the ranks of jobs at their NIC: it hosts their programs (model/program.h).
 *
 * While a packet is handled, the program is only notified of events.  It runs in an event of its
 * own, in the same instant. */

#include "base/array.h"
#include "sim/nodes/nic/nic.h"

static struct sim_member *
member_at(const struct sim_thread *t, uint32_t member)
{
    return &t->sim->jobs.members[member];
}

static void
run_by(struct sim_thread *t, struct sim_node *n, uint32_t member, weir_ps at)
{
    struct sim_timer *timer = &member_at(t, member)->runs;

    if (at < timer->at_ps) {
        sim_timer_set(t, n, timer, (enum sim_event)NIC_RUN, member, at);
    }
}

void
nic_begin_members(struct sim *sim)
{
    for (uint32_t i = 0; i < sim->jobs.n_members; i++) {
        struct sim_member *m = &sim->jobs.members[i];
        if (m->state) {
            struct sim_thread *t = &sim->threads[sim->places[m->node].thread];
            run_by(t, sim_node_at(sim, m->node), i, m->job->start_ps);
        }
    }
}

/* The first connection of a pair of ranks, or of a later pair. */
static size_t
first_connection(const struct model_job *job, uint32_t rank, uint32_t peer)
{
    const struct model_connection *all = job->connections;
    size_t first = 0;

    ARRAY_SEARCH(first, job->n_connections,
                 all[middle].rank < rank || (all[middle].rank == rank && all[middle].peer < peer));
    return first;
}

/* The number of a connection among those of its pair of ranks. */
static uint32_t
channel_of(const struct sim_member *m, uint32_t source, uint32_t flow)
{
    const struct model_connection *all = m->job->connections;
    size_t at = first_connection(m->job, source, m->rank);

    while (all[at].flow != flow) {
        at++;
    }
    return all[at].channel;
}

/* The connection for a message; SIM_NONE: there is none. */
static uint32_t
flow_for(const struct sim_member *m, const struct program_send *s)
{
    const struct model_connection *all = m->job->connections;
    size_t first = first_connection(m->job, m->rank, s->to), end;

    for (end = first;
         end < m->job->n_connections && all[end].rank == m->rank && all[end].peer == s->to; end++) {
    }
    return first == end ? SIM_NONE : all[first + s->channel % (end - first)].flow;
}

static void
post(struct sim_thread *t, struct sim_node *n, uint32_t member, const struct program_send *s,
     weir_ps now)
{
    struct sim_member *m = member_at(t, member);
    uint32_t flow = flow_for(m, s);

    if (flow == SIM_NONE) {
        m->first_unconnected = m->n_unconnected++ ? m->first_unconnected : s->to;
        return;
    }
    m->n_posted++;
    nic_post_message(t, n, flow, s, now);
}

void
nic_run_member(struct sim_thread *t, struct sim_node *n, uint32_t member, weir_ps now)
{
    struct sim_member *m = member_at(t, member);

    if (!sim_timer_fires(t, n, &m->runs, (enum sim_event)NIC_RUN, member, now)) {
        return;
    }
    if (!m->has_begun) {
        m->has_begun = true;
        m->job->program->begin(m->state, now);
    }
    weir_ps next = m->job->program->run(m->state, now, &t->sends);
    for (size_t i = 0; i < t->sends.n_sends; i++) {
        post(t, n, member, &t->sends.sends[i], now);
    }
    t->sends.n_sends = 0;
    run_by(t, n, member, next);
}

void
nic_member_sent(struct sim_thread *t, struct sim_node *n, uint32_t member, uint32_t token,
                weir_ps now)
{
    struct sim_member *m = member_at(t, member);

    m->n_sent++;
    m->job->program->sent(m->state, token, now);
    run_by(t, n, member, now);
}

void
nic_member_arrived(struct sim_thread *t, struct sim_node *n, uint32_t flow,
                   struct program_message *message, weir_ps now)
{
    const struct sim_incoming *c = sim_incoming(t->sim, flow);
    struct sim_member *m = member_at(t, c->member);

    message->source = c->source;
    if (message->relay.n_chunks) {
        message->channel = channel_of(m, c->source, flow);
    }
    m->n_arrived++;
    m->job->program->arrived(m->state, message, now);
    run_by(t, n, c->member, now);
}

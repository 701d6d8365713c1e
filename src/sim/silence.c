/* Silence: transmit queues that are blocked and send nothing, and the hosts and flows behind them.
 *
 * A queue is blocked if it has something to send and its gate is shut, its link is down, or control
 * frames wait before it.  From the middle of the run on, each check records which queues are
 * blocked, and since which check they have sent nothing.  A queue that waits behind other traffic
 * on its own port is not blocked.
 *
 * A blocked queue is silent if this has lasted for the time that the caller gives, and for longer
 * than control messages take.  A long pause does not count as silence as long as the network makes
 * progress.  If any packet has arrived anywhere, the queue gets more time: the time that its peer
 * needs, at a fair share, to forward all packets that it holds from this queue and ten more.  A
 * queue is also not silent if the next switch has no silent queue and forwards other packets before
 * those of the queue.
 *
 * A host is silent if one of its queues is silent and its other queues have sent nothing either.  A
 * flow is silent if its path crosses a silent queue and none of its packets has arrived for the
 * same time.  (doc/decisions/0079-silent-networks.md) */

#include <stdlib.h>

#include "base/array.h"
#include "sim/flow-ends.h"
#include "sim/path-dag.h"
#include "sim/view.h"
#include "sim/watch.h"

enum { PACKETS_IN_HAND = 10 };

static bool
is_blocked(const struct sim_node *n, uint32_t slot, weir_ps at)
{
    const struct sim_port *p = &n->ports[slot / n->n_classes];
    return sim_slot_has(n, slot) &&
           (!p->up || p->frames_head != SIM_NONE ||
            weir_gate_ready(&n->weir.ctx.gates[slot], at, n->shape.mtu_bytes) > at);
}

static void
note_node(struct sim_node *n, weir_ps at)
{
    for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
        weir_ps *since_ps = &n->silent_ps[slot];
        if (!is_blocked(n, slot, at)) {
            *since_ps = 0;
        } else if (!*since_ps || n->weir.ctx.gates[slot].last_ps > *since_ps) {
            *since_ps = at;
        }
    }
}

void
sim_note_silence(struct sim *sim, weir_ps at)
{
    for (uint32_t i = 0; i < sim->n_here; i++) {
        note_node(&sim->nodes[i], at);
    }
}

struct search {
    const struct sim *sim;
    weir_ps now, least_ps;
    weir_ps *since_ps; /* [port][class]: the time since which the queue is silent; 0: it is not
                        * silent. */
    size_t n_queues;
    bool loses;
    struct sim_silence *found;
};

static uint32_t
number_of_queue(const struct search *s, uint32_t port, uint32_t cls)
{
    return port * s->sim->model.n_classes + cls;
}

static void
find_queues(struct search *s)
{
    const struct topo *topo = s->sim->model.topo;

    for (uint32_t port = 0; port < topo->n_ports; port++) {
        for (uint8_t cls = 0; cls < s->sim->model.n_classes; cls++) {
            weir_ps since_ps = sim_slot_seen(s->sim, port, cls).silent_ps;
            if (since_ps && s->now - since_ps >= s->least_ps) {
                s->since_ps[number_of_queue(s, port, cls)] = since_ps;
                s->n_queues++;
            }
        }
    }
}

static weir_ps
moved_ps(const struct sim_flow_result *r)
{
    return r->last_ps > r->started_ps ? r->last_ps : r->started_ps;
}

static bool
has_arrivals(const struct search *s)
{
    bool has_any = false;

    for (uint32_t i = 0; i < s->sim->model.n_flows && !has_any; i++) {
        has_any = sim_flow_result(s->sim, i).last_ps > s->now - s->least_ps;
    }
    return has_any;
}

/* Calls 'visit' for every queue through which packets of a flow may leave. */
static void
each_queue_of(struct search *s, uint32_t flow,
              void (*visit)(struct search *, uint32_t queue, void *arg), void *arg)
{
    uint32_t n_classes = s->sim->model.n_classes, own = s->sim->model.flows[flow].cls;
    bool moves = model_moves_classes(&s->sim->model);
    struct sim_path_dag dag;

    sim_path_dag_open(&dag, s->sim, flow);
    for (size_t i = 0; i < dag.n_hops; i++) {
        for (uint32_t cls = moves ? 0 : own; cls < (moves ? n_classes : own + 1); cls++) {
            visit(s, number_of_queue(s, dag.hops[i].port, cls), arg);
        }
    }
    sim_path_dag_close(&dag);
}

/* Marks the flows that were active in the last 'least_ps'. */
static bool *
find_active(const struct search *s)
{
    const struct model *p = &s->sim->model;
    bool *is_active = array_new(p->n_flows, sizeof *is_active);

    for (uint32_t i = 0; i < p->n_flows; i++) {
        struct sim_flow_result r = sim_flow_result(s->sim, i);
        bool is_over = r.received_bytes == sim_flow_bytes(s->sim, i);
        is_active[i] = r.started_ps >= 0 && !(is_over && r.last_ps <= s->now - s->least_ps);
    }
    return is_active;
}

struct lowest {
    uint64_t *bps; /* [port][class]: the lowest share; 0: no flow crosses the queue. */
    uint64_t of_flow;
};

static void
lower_queue(struct search *s, uint32_t queue, void *arg)
{
    struct lowest *l = arg;

    (void)s;
    if (!l->bps[queue] || l->of_flow < l->bps[queue]) {
        l->bps[queue] = l->of_flow;
    }
}

/* The lowest share of a flow that crosses each queue. */
static uint64_t *
find_lowest_shares(struct search *s)
{
    const struct model *p = &s->sim->model;
    struct lowest l = { array_new((size_t)p->topo->n_ports * p->n_classes, sizeof *l.bps), 0 };
    uint64_t *shares = array_new(p->n_flows, sizeof *shares);
    bool *is_active = find_active(s);

    sim_link_shares(s->sim, is_active, shares);
    for (uint32_t i = 0; i < p->n_flows; i++) {
        l.of_flow = shares[i] ? shares[i] : 1;
        if (is_active[i]) {
            each_queue_of(s, i, lower_queue, &l);
        }
    }
    free(is_active);
    free(shares);
    return l.bps;
}

static uint64_t
held_behind(const struct search *s, uint32_t queue)
{
    uint32_t port = queue / s->sim->model.n_classes, peer = s->sim->model.topo->ports[port].peer;
    uint8_t cls = sim_class_here(s->sim, peer, (uint8_t)(queue % s->sim->model.n_classes));

    return cls == WEIR_NO_CLASS ? 0 : sim_slot_seen(s->sim, peer, cls).in_bytes;
}

/* Removes queues that may only wait behind packets of other queues at the next switch. */
static void
excuse_slow(struct search *s)
{
    const struct model *p = &s->sim->model;
    uint64_t *lowest_bps = find_lowest_shares(s), in_hand = PACKETS_IN_HAND * p->mtu_bytes;

    for (uint32_t queue = 0; queue < p->topo->n_ports * p->n_classes; queue++) {
        weir_ps silent_ps = s->now - s->since_ps[queue];
        if (s->since_ps[queue] && lowest_bps[queue] &&
            weir_wire_ps(held_behind(s, queue) + in_hand, lowest_bps[queue]) > silent_ps) {
            s->since_ps[queue] = 0;
            s->n_queues--;
        }
    }
    free(lowest_bps);
}

static uint32_t
node_behind(const struct search *s, uint32_t queue)
{
    const struct topo *topo = s->sim->model.topo;

    return topo->ports[topo->ports[queue / s->sim->model.n_classes].peer].node;
}

/* Whether a queue waits for a switch that is able to forward its packets, but forwards other
 * packets first. */
static bool
waits_for_its_turn(const struct search *s, uint32_t queue, const uint32_t *n_silent)
{
    uint32_t node = node_behind(s, queue);

    return s->sim->model.topo->nodes[node].kind == TOPO_SWITCH && !n_silent[node] &&
           held_behind(s, queue);
}

/* Removes queues that wait for a switch without silent queues, until no such queue is left. */
static void
excuse_overtaken(struct search *s)
{
    const struct topo *topo = s->sim->model.topo;
    uint32_t n_classes = s->sim->model.n_classes;
    uint32_t *n_silent = array_new(topo->n_nodes, sizeof *n_silent);
    size_t n_all = topo->n_ports * n_classes, n_before = 0;

    for (uint32_t queue = 0; queue < n_all; queue++) {
        n_silent[topo->ports[queue / n_classes].node] += s->since_ps[queue] != 0;
    }
    while (s->n_queues != n_before) {
        n_before = s->n_queues;
        for (uint32_t queue = 0; queue < n_all; queue++) {
            if (s->since_ps[queue] && waits_for_its_turn(s, queue, n_silent)) {
                s->since_ps[queue] = 0;
                s->n_queues--;
                n_silent[topo->ports[queue / n_classes].node]--;
            }
        }
    }
    free(n_silent);
}

static void
list_queues(struct search *s)
{
    uint32_t n_classes = s->sim->model.n_classes;
    size_t n = 0;

    s->found->queues = array_new(s->n_queues, sizeof *s->found->queues);
    for (uint32_t queue = 0; n < s->n_queues; queue++) {
        if (s->since_ps[queue]) {
            weir_ps last_ps =
                sim_slot_seen(s->sim, queue / n_classes, (uint8_t)(queue % n_classes)).last_ps;
            s->found->queues[n++] = (struct sim_silent){
                .number = queue / n_classes,
                .cls = (uint8_t)(queue % n_classes),
                .since_ps = last_ps ? last_ps : s->since_ps[queue],
            };
        }
    }
    s->found->n_queues = n;
}

/* Whether one of the host's queues is silent and none of its queues has sent anything; if so, sets
 * the time since then. */
static bool
is_host_silent(const struct search *s, uint32_t node, weir_ps *since_ps)
{
    const struct topo_node *host = &s->sim->model.topo->nodes[node];
    uint8_t n_classes = s->sim->model.n_classes;
    weir_ps last_ps = 0, noted_ps = 0;

    for (uint32_t i = 0; i < host->n_ports * n_classes; i++) {
        uint32_t port = host->first_port + i / n_classes;
        weir_ps of_class = sim_slot_seen(s->sim, port, (uint8_t)(i % n_classes)).last_ps;
        weir_ps noted = s->since_ps[number_of_queue(s, port, (uint8_t)(i % n_classes))];
        last_ps = of_class > last_ps ? of_class : last_ps;
        noted_ps = noted > noted_ps ? noted : noted_ps;
    }
    *since_ps = last_ps ? last_ps : noted_ps;
    return noted_ps && s->now - last_ps >= s->least_ps;
}

static void
list_hosts(struct search *s)
{
    const struct topo *topo = s->sim->model.topo;
    weir_ps since_ps;

    s->found->hosts = array_new(topo->n_nics, sizeof *s->found->hosts);
    for (uint32_t id = 0; id < topo->n_nodes; id++) {
        if (topo->nodes[id].kind == TOPO_NIC && is_host_silent(s, id, &since_ps)) {
            s->found->hosts[s->found->n_hosts++] =
                (struct sim_silent){ .number = id, .since_ps = since_ps };
        }
    }
}

static void
note_crossing(struct search *s, uint32_t queue, void *arg)
{
    bool *crosses = arg;

    *crosses |= s->since_ps[queue] != 0;
}

static void
list_flows(struct search *s)
{
    struct sim_silence *found = s->found;

    for (uint32_t i = 0; i < s->sim->model.n_flows; i++) {
        struct sim_flow_result r = sim_flow_result(s->sim, i);
        bool crosses = false;
        if (s->now - moved_ps(&r) >= s->least_ps && sim_flow_has_more(s->sim, i, s->loses)) {
            each_queue_of(s, i, note_crossing, &crosses);
        }
        if (crosses) {
            ARRAY_PUSH(found->flows, found->n_flows, found->max_flows) =
                (struct sim_silent){ .number = i, .since_ps = moved_ps(&r) };
        }
    }
}

void
sim_find_silence(const struct sim *sim, weir_ps least_ps, bool loses, struct sim_silence *found)
{
    size_t n_all = (size_t)sim->model.topo->n_ports * sim->model.n_classes;
    struct search s = { .sim = sim,
                        .now = sim->now_ps,
                        .least_ps =
                            least_ps > sim->watch->interval_ps ? least_ps : sim->watch->interval_ps,
                        .since_ps = array_new(n_all, sizeof *s.since_ps),
                        .loses = loses,
                        .found = found };

    *found = (struct sim_silence){ 0 };
    find_queues(&s);
    if (s.n_queues && has_arrivals(&s)) {
        excuse_slow(&s);
        excuse_overtaken(&s);
    }
    if (s.n_queues) {
        list_queues(&s);
        list_hosts(&s);
        list_flows(&s);
    }
    free(s.since_ps);
}

void
sim_free_silence(struct sim_silence *found)
{
    free(found->queues);
    free(found->hosts);
    free(found->flows);
    *found = (struct sim_silence){ 0 };
}

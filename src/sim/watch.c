/* Deadlock, found when it has formed.
 *
 * A transmit queue is shut if its gate waits for the peer: it is paused, out of credit, or at rate
 * 0. (One that is only paced, or on hold until a time, will move by itself; what another engine
 * says of the same queue counts all the same.)  The peer holds it back for one of these:
 *
 *   - packets that came in there and are still in the node.  It opens the gate when they leave.  So
 *     the queue is stuck if there are such packets and all of them wait in queues that are stuck
 *     themselves.  Where its threshold follows what is free of a shared buffer, and none of it
 *     stands in the headroom, others that leave may open the gate, too: then all packets of the
 *     node must be stuck.
 *     An input that keeps copies counts these until word of their packets comes, which is never
 *     paused: as long as word is to come, its peer's queue is not stuck.
 *   - packets that came in there and have not entered the pipeline, where there is one.  They wait
 *     for it, wherever they go.  It stands still until something leaves by one of some transmit
 *     queues: by the one that its first packet does not fit into, or by any that shares its limit.
 *     So the queue is stuck if there are such packets, and all of those transmit queues are.
 *   - one of its own outputs, which is too long, and to which packets from there went (CaPFC).  It
 *     opens the gate when that output has drained, even if none of those packets is left.  So the
 *     queue is stuck if the engine says that it holds the peer back for an output, and the queue
 *     of that output is stuck.
 *
 * One reason that is there for good is enough.  The engine says which of them it has; most know
 * only the first two.  (What was sent in a class came in in another if packets change class.)
 *
 * The largest set of queues for which that holds is found by taking all shut queues that have not
 * moved for a while, and crossing out, as long as there are any, those that have no reason within
 * the set.  If queues remain, they are stuck for good: every way out of the set leads back into it.
 * From any of them the way leads into a ring, which may come in by one class and go on by another
 * where it leads through a pipeline.
 *
 * "A while" is longer than any message can be on its way, so that none that is could still open
 * one; a pipeline must have stood still for as long, or what it has just taken in may have opened a
 * gate.  It is no time-out: a queue that waits for one that moves, or for a pipeline that moves, is
 * never in the set, however long that takes.
 *
 * Looked for between windows, at fixed times of the simulation: the answer does not depend on
 * threads. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/internal.h"

struct stuck {
    const struct sim *sim;
    weir_ps now;
    bool *slots;     /* [first slot of node + slot]. */
    uint32_t *first; /* [node]. */
    uint32_t n_slots, n_stuck;
};

/* The longest time between two words, at any port, of an engine that speaks by the clock. */
static weir_ps
engine_period(const struct weir_engine *engine, const void *params, const struct weir_shape *shape)
{
    uint64_t of_port[WEIR_PARAMS_MAX / sizeof(uint64_t)];
    weir_ps longest = 0;

    if (!engine->period_ps) {
        return 0;
    }
    WEIR_EACH_PORT (shape, port) {
        weir_port_params(engine, shape, port, params, of_port);
        weir_ps period = engine->period_ps(of_port);
        longest = period > longest ? period : longest;
    }
    return longest;
}

/* Of all engines; 0: none does. */
static weir_ps
engines_period(const struct sim *sim)
{
    weir_ps longest = 0;

    for (size_t i = 0; i < sim->plant.n_engines; i++) {
        const struct plant_engines *e = &sim->plant.engines[i];
        for (uint32_t k = 0; k < e->stack.n; k++) {
            struct weir_shape seen =
                weir_layer_shape(&e->stack, k, &sim->plant.nodes[e->first_node].shape);
            weir_ps period =
                engine_period(e->stack.layers[k].engine, e->stack.layers[k].params, &seen);
            longest = period > longest ? period : longest;
        }
    }
    return longest;
}

/* Engines without a period are given that of credits. */
static weir_ps
watch_interval(const struct sim *sim)
{
    const struct topo *topo = sim->plant.topo;
    weir_ps longest = 0, credit = 0, period = engines_period(sim);

    for (size_t i = 0; i < topo->n_links; i++) {
        const struct topo_link *l = &topo->links[i];
        weir_ps way = l->delay_ps + sim->plant.response_ps +
                      2 * weir_wire_ps(sim->plant.mtu_bytes + sim->plant.gap_bytes, l->rate_bps);
        weir_ps of_link = weir_credit_period_ps(l->rate_bps);
        longest = way > longest ? way : longest;
        credit = of_link > credit ? of_link : credit;
    }
    return 4 * sim_slowest_way_ps(sim, longest) + 3 * (period ? period : credit);
}

static bool
waits_for_peer(const struct weir_gate *g, weir_ps now, uint32_t bytes)
{
    return g->open_ps > now || weir_gate_ready(g, now, bytes) == WEIR_NEVER;
}

/* The queue may not send, has something to send, and has not moved for a whole interval. */
static bool
is_stuck(const struct sim *sim, const struct sim_node *n, uint32_t port, uint32_t cls, weir_ps now)
{
    const struct weir_gate *g = &n->weir.ctx.gates[port * n->n_classes + cls];
    return n->ports[port].up && n->ports[port].active >> cls & 1 &&
           now - g->last_ps > sim->watch_ps && now - n->up_ps[port] > sim->watch_ps &&
           waits_for_peer(g, now, n->shape.mtu_bytes);
}

static struct stuck
find_stuck(const struct sim *sim, weir_ps now)
{
    struct stuck s = { .sim = sim, .now = now, .first = array_new(sim->n_nodes, sizeof *s.first) };

    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        s.first[id] = s.n_slots;
        s.n_slots += sim_node_at(sim, id)->n_ports * sim_node_at(sim, id)->n_classes;
    }
    s.slots = array_new(s.n_slots, sizeof *s.slots);
    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        const struct sim_node *n = sim_node_at(sim, id);
        for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
            s.slots[s.first[id] + slot] =
                is_stuck(sim, n, slot / n->n_classes, slot % n->n_classes, now);
            s.n_stuck += s.slots[s.first[id] + slot];
        }
    }
    return s;
}

static bool
is_in_set(const struct stuck *s, const struct sim_node *n, uint32_t slot)
{
    return s->slots[s->first[n->id] + slot];
}

/* What a queue waits for: a transmit queue of its peer, and how. */
struct wait {
    uint32_t out_slot;
    enum sim_wait why;
};

/* The packets that came in by one slot of a node, and whether all of them stand in the set. */
struct standing {
    const struct stuck *stuck;
    const struct sim_node *node;
    uint32_t in_slot;
    uint32_t out_slot; /* Where one of them stands. */
    bool gains_room;   /* Its threshold rises when packets of others leave. */
    bool any, all;
};

static bool
is_in_stuck_set(void *arg, const struct sim_waiting *w)
{
    struct standing *s = arg;

    bool is_own = w->in_slot == s->in_slot;

    if (w->is_behind || w->in_slot == SIM_NONE || (!is_own && !s->gains_room)) {
        return true;
    }
    if (is_own) {
        s->any = true;
        s->out_slot = w->out_slot;
    }
    s->all = w->out_slot != SIM_NONE && is_in_set(s->stuck, s->node, w->out_slot);
    return s->all;
}

/* Whether word is to come of packets that inputs of 'n' still count: that slot, or any. */
static bool
awaits_word(const struct sim_node *n, uint32_t in_slot, bool of_any)
{
    uint32_t first = of_any ? 0 : in_slot, end = of_any ? n->n_ports * n->n_classes : in_slot + 1;
    bool awaits = false;

    for (uint32_t slot = first; n->kind->awaits_word && slot < end && !awaits; slot++) {
        awaits = n->kind->awaits_word(n, slot);
    }
    return awaits;
}

/* Whether 'n' holds packets that came in by a slot, and all wait in queues of the set; one of these
 * is put into 'wait'. */
static bool
holds_only_stuck(const struct stuck *stuck, const struct sim_node *n, uint32_t in_slot,
                 struct wait *wait)
{
    struct standing s = { .stuck = stuck, .node = n, .in_slot = in_slot };

    s.gains_room = weir_buffer_class_of(&n->buffer, in_slot)->alpha &&
                   !n->buffer.slots[in_slot].headroom_bytes;
    n->kind->each_held(n, is_in_stuck_set, &s);
    *wait = (struct wait){ s.out_slot, SIM_WAITS_FOR_PACKETS };
    return s.any && s.all && !awaits_word(n, in_slot, s.gains_room);
}

/* Whether the pipeline of 'n' has stood still for a while, and whatever could make room for its
 * first packet is in the set. */
static bool
pipeline_is_stuck(const struct stuck *s, const struct sim_node *n, struct wait *wait)
{
    bool stands = false;

    for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
        weir_ps since_ps;
        if (!n->kind->stands_for(n, slot, &since_ps)) {
            continue;
        }
        if (!is_in_set(s, n, slot) || s->now - since_ps <= s->sim->watch_ps) {
            return false;
        }
        *wait = (struct wait){ slot, SIM_WAITS_FOR_PIPELINE };
        stands = true;
    }
    return stands;
}

/* Whether the peer is held back for an output that is in the set. */
static bool
is_held_for_output(const struct stuck *s, const struct sim_node *n, uint32_t in_slot,
                   struct wait *wait)
{
    for (uint32_t port = 0; port < n->n_ports; port++) {
        uint32_t slot = port * n->n_classes + in_slot % n->n_classes;
        if (port != in_slot / n->n_classes && is_in_set(s, n, slot) &&
            weir_node_holds_for(&n->weir, in_slot, (uint16_t)port)) {
            *wait = (struct wait){ slot, SIM_WAITS_FOR_OUTPUT };
            return true;
        }
    }
    return false;
}

/* Whether what an input of 'n' holds stands still for good, and its peer is held back for it. */
static bool
input_is_stuck(const struct stuck *s, const struct sim_node *n, uint32_t in_slot, struct wait *wait)
{
    if (!weir_node_holds_for(&n->weir, in_slot, (uint16_t)(in_slot / n->n_classes))) {
        return false;
    }
    return n->kind->stands_for ? n->buffer.slots[in_slot].in_bytes && pipeline_is_stuck(s, n, wait)
                               : holds_only_stuck(s, n, in_slot, wait);
}

/* Whether what a queue waits for is in the set, at the other end of its port: 'wait'. */
static bool
waits_for_stuck(const struct stuck *s, const struct sim_port *p, uint32_t cls, struct wait *wait)
{
    const struct sim_node *peer = sim_node_at(s->sim, p->peer_node);
    uint8_t cls_there = weir_class_here(&peer->weir.ctx, p->peer_port, (uint8_t)cls);
    uint32_t in_slot = p->peer_port * peer->n_classes + cls_there;

    return cls_there != WEIR_NO_CLASS &&
           (input_is_stuck(s, peer, in_slot, wait) || is_held_for_output(s, peer, in_slot, wait));
}

static void
cross_out(struct stuck *s)
{
    bool changed = true;

    while (changed && s->n_stuck) {
        changed = false;
        for (uint32_t id = 0; id < s->sim->n_nodes; id++) {
            const struct sim_node *n = sim_node_at(s->sim, id);
            for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
                const struct sim_port *p = &n->ports[slot / n->n_classes];
                struct wait wait;
                if (is_in_set(s, n, slot) && !waits_for_stuck(s, p, slot % n->n_classes, &wait)) {
                    s->slots[s->first[id] + slot] = false;
                    s->n_stuck--;
                    changed = true;
                }
            }
        }
    }
}

/* Follows the way from a stuck queue until it comes to a queue again: the rest is the ring. */

static uint32_t
topo_port(const struct sim *sim, uint32_t node, uint32_t port)
{
    return sim->plant.topo->nodes[node].first_port + port;
}

/* Where on the trail a queue stands; n: nowhere. */
static uint32_t
find_on_trail(const struct sim_stuck *trail, uint32_t n, const struct sim_stuck *queue)
{
    uint32_t i = 0;

    while (i < n && (trail[i].port != queue->port || trail[i].cls != queue->cls)) {
        i++;
    }
    return i;
}

static void
trace_ring(const struct stuck *s, uint32_t node, uint32_t slot, struct sim_deadlock *d)
{
    struct sim_stuck trail[SIM_MAX_CYCLE * 4];
    uint32_t n_trail = 0, start = 0;
    struct wait wait = { .out_slot = slot };

    while (n_trail < SIM_MAX_CYCLE * 4) {
        uint32_t n_classes = sim_node_at(s->sim, node)->n_classes, port = wait.out_slot / n_classes;
        trail[n_trail] = (struct sim_stuck){ .port = topo_port(s->sim, node, port),
                                             .cls = (uint8_t)(wait.out_slot % n_classes),
                                             .wait = (uint8_t)wait.why };
        start = find_on_trail(trail, n_trail, &trail[n_trail]);
        if (start < n_trail) {
            trail[start].wait = (uint8_t)wait.why; /* As seen from within the ring. */
            break;
        }
        const struct sim_port *p = &sim_node_at(s->sim, node)->ports[port];
        waits_for_stuck(s, p, trail[n_trail++].cls, &wait);
        node = p->peer_node;
    }
    for (uint32_t i = start; i < n_trail && d->n_cycle < SIM_MAX_CYCLE; i++) {
        d->cycle[d->n_cycle++] = trail[i];
    }
}

static void
note_flow(struct sim_deadlock *d, uint32_t flow)
{
    for (uint32_t i = 0; i < d->n_flows; i++) {
        if (d->flows[i] == flow) {
            return;
        }
    }
    if (d->n_flows < SIM_MAX_HELD) {
        d->flows[d->n_flows++] = flow;
    }
}

struct ring_queue {
    struct sim_deadlock *deadlock;
    uint32_t slot;
};

static bool
note_flow_of(void *arg, const struct sim_waiting *w)
{
    const struct ring_queue *q = arg;

    if (w->out_slot == q->slot) {
        note_flow(q->deadlock, w->packet->flow);
    }
    return true;
}

static int
by_number_of_flow(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void
describe_ring(const struct sim *sim, struct sim_deadlock *d)
{
    for (uint32_t i = 0; i < d->n_cycle; i++) {
        const struct topo_port *port = &sim->plant.topo->ports[d->cycle[i].port];
        const struct sim_node *n = sim_node_at(sim, port->node);
        uint32_t slot = port->number * n->n_classes + d->cycle[i].cls;
        weir_ps last = n->weir.ctx.gates[slot].last_ps;
        d->formed_ps = last > d->formed_ps ? last : d->formed_ps;
        n->kind->each_held(n, note_flow_of, &(struct ring_queue){ d, slot });
    }
    qsort(d->flows, d->n_flows, sizeof *d->flows, by_number_of_flow);
}

static struct sim_deadlock
find_deadlock(const struct sim *sim, weir_ps now)
{
    struct stuck s = find_stuck(sim, now);
    struct sim_deadlock d = { 0 };

    cross_out(&s);
    for (uint32_t id = 0; s.n_stuck && !d.found && id < sim->n_nodes; id++) {
        uint32_t n_slots = sim_node_at(sim, id)->n_ports * sim_node_at(sim, id)->n_classes;
        for (uint32_t slot = 0; slot < n_slots && !d.found; slot++) {
            if (s.slots[s.first[id] + slot]) {
                d.found = true;
                d.n_stuck = s.n_stuck;
                trace_ring(&s, id, slot, &d);
                describe_ring(sim, &d);
            }
        }
    }
    free(s.slots);
    free(s.first);
    return d;
}

/* A deadlock stays, unless a watchdog acts on a queue of its ring; then there may be another. */

static struct sim_watchdog *
watchdog_at(const struct sim *sim, const struct sim_stuck *queue)
{
    const struct topo_port *p = &sim->plant.topo->ports[queue->port];
    const struct sim_node *n = sim_node_at(sim, p->node);
    return n->is_watched ? &n->watchdogs[p->number * n->n_classes + queue->cls] : NULL;
}

static void
check_if_broken(struct sim *sim)
{
    const struct sim_deadlock *d = &sim->standing;
    weir_ps broken_ps = WEIR_NEVER;

    for (uint32_t i = 0; d->found && i < d->n_cycle; i++) {
        const struct sim_watchdog *w = watchdog_at(sim, &d->cycle[i]);
        broken_ps = w && w->broken_ps < broken_ps ? w->broken_ps : broken_ps;
    }
    if (broken_ps != WEIR_NEVER) {
        sim->standing.found = false;
        sim->deadlock.broken_ps = sim->deadlock.n_formed > 1 ? sim->deadlock.broken_ps : broken_ps;
    }
}

static void
look_for_deadlock(struct sim *sim, weir_ps now)
{
    check_if_broken(sim);
    if (sim->standing.found) {
        return;
    }
    struct sim_deadlock d = find_deadlock(sim, now);
    for (uint32_t i = 0; i < d.n_cycle; i++) {
        struct sim_watchdog *w = watchdog_at(sim, &d.cycle[i]);
        if (w) {
            w->broken_ps = WEIR_NEVER;
        }
    }
    sim->standing = d;
    sim->deadlock = sim->deadlock.found ? sim->deadlock : d;
    sim->deadlock.n_formed += d.found;
}

static void
sample_queues(struct sim *sim)
{
    sim->n_samples++;
    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        struct sim_node *n = sim_node_at(sim, id);
        for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
            n->sums[slot] += n->buffer.slots[slot].in_bytes;
            n->out_sums[slot] += n->buffer.slots[slot].out_bytes;
        }
    }
}

/* The network has not changed since the end of the last window, so that is how it was at any time
 * from then on. */
void
sim_sample(struct sim *sim, weir_ps now)
{
    const struct sim_config *c = &sim->config;
    weir_ps ran_until = sim->ran_until_ps < c->until_ps ? sim->ran_until_ps : c->until_ps;

    while (sim->next_sample_ps <= now) {
        weir_ps at = sim->next_sample_ps > ran_until ? sim->next_sample_ps : ran_until;
        if (sim_is_asked_to_stop(sim)) {
            return;
        }
        c->sample(c->sample_arg, sim, at);
        sim->next_sample_ps = c->sample_ps * (at / c->sample_ps + 1);
    }
}

/* Of the run, or of the time in which flows start. */
static weir_ps
half_ps(const struct sim *sim)
{
    const struct sim_config *c = &sim->config;

    return (c->measured.until_ps ? c->measured.until_ps : c->until_ps) / 2;
}

/* Nothing has happened since the end of the last window, so the middle may have been then. */
static void
note_middle(struct sim *sim, weir_ps now)
{
    weir_ps half = half_ps(sim);

    if (sim->middle_ps || now < half) {
        return;
    }
    sim->middle_ps = sim->ran_until_ps > half ? sim->ran_until_ps : half;
    for (uint32_t i = 0; i < sim->plant.n_flows; i++) {
        *sim_middle_bytes(sim, i) = sim_sink(sim, i)->received_bytes;
    }
}

/* A run that became quiet has had no more windows to be watched in. */
void
sim_watch_end(struct sim *sim)
{
    if (sim->ran_until_ps <= half_ps(sim)) {
        note_middle(sim, sim->now_ps);
    }
    if (sim->next_watch_ps <= sim->now_ps) {
        look_for_deadlock(sim, sim->now_ps);
    }
    check_if_broken(sim);
}

/* Every interval, and in the middle of the run. */
static void
plan_watch(struct sim *sim, weir_ps now)
{
    weir_ps half = half_ps(sim);

    while (sim->next_watch_ps <= now) {
        sim->next_watch_ps += sim->watch_ps;
    }
    if (!sim->middle_ps && half > now && half < sim->next_watch_ps) {
        sim->next_watch_ps = half;
    }
}

void
sim_start_watch(struct sim *sim)
{
    sim->watch_ps = watch_interval(sim);
    plan_watch(sim, 0);
}

void
sim_watch(struct sim *sim, weir_ps now)
{
    note_middle(sim, now);
    plan_watch(sim, now);
    if (sim->middle_ps && now < sim->starts_until_ps) {
        sample_queues(sim);
    }
    look_for_deadlock(sim, now);
}

/* Finds a deadlock after it has formed.  The search runs between windows, at fixed simulated times,
 * so the result depends neither on threads nor on ranks.
 *
 * Each rank finds the shut queues of its own nodes.  If no rank has any, which is the usual case,
 * ranks send nothing more.  Otherwise each rank describes the waits of queues at its own nodes
 * (wait-for.c).  The first rank searches these waits for a cycle (stuck.c) and sends the cycle to
 * the other ranks.  Each rank adds what it knows of the cycle's queues: since when they have been
 * blocked, and the flows of their packets. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/exchange.h"
#include "sim/stuck.h"
#include "sim/watch.h"
#include "sim/wires.h"

/* The rank that runs the node at the other end of a queue's port. */
static uint32_t
rank_of_peer(const struct sim *sim, uint32_t queue)
{
    const struct topo *topo = sim->model.topo;

    return sim_rank_of(sim, topo->ports[topo->ports[queue / sim->model.n_classes].peer].node);
}

/* Sends each shut queue to the rank of its peer.  'asked' receives the queues of all ranks whose
 * peers are on this rank.  Returns whether any rank has a shut queue. */
static bool
ask_peers(struct sim *sim, const struct sim_queues *shut, struct sim_queues *asked)
{
    struct sim_parcel *out = sim_parcels_new(sim), *in = sim_parcels_new(sim);
    uint64_t n_shut = shut->n;

    for (uint32_t i = 0; i < sim_n_ranks(sim); i++) {
        sim_parcel_add(&out[i], &n_shut, sizeof n_shut);
    }
    for (size_t i = 0; i < shut->n; i++) {
        sim_parcel_add(&out[rank_of_peer(sim, shut->items[i])], &shut->items[i],
                       sizeof *shut->items);
    }
    bool is_done = sim_swap(sim, out, in);
    for (uint32_t i = 0; is_done && i < sim_n_ranks(sim); i++) {
        const struct sim_parcel *p = i == sim_rank(sim) ? &out[i] : &in[i];
        const uint64_t *head = p->bytes;
        const uint32_t *queues = (const uint32_t *)(head + 1);
        n_shut += i == sim_rank(sim) ? 0 : *head;
        for (size_t k = 0; k < (p->n - sizeof *head) / sizeof *queues; k++) {
            ARRAY_PUSH(asked->items, asked->n, asked->max) = queues[k];
        }
    }
    sim_parcels_free(sim, out);
    sim_parcels_free(sim, in);
    return is_done && n_shut;
}

/* The first rank searches the waits of all ranks for a cycle, and sends the cycle to all ranks. */
static struct sim_deadlock
agree_on_cycle(struct sim *sim, struct sim_parcel *described)
{
    struct sim_parcel *of_ranks = sim_parcels_new(sim), sent = { 0 };
    struct sim_deadlock d = { 0 };

    bool is_done = sim_gather(sim, described, of_ranks);
    if (is_done && sim_rank(sim) == 0) {
        of_ranks[0] = *described;
        d = sim_find_cycle(sim, of_ranks);
        of_ranks[0] = (struct sim_parcel){ 0 };
    }
    sim_parcel_add(&sent, &d, sizeof d);
    if (is_done && sim_broadcast(sim, &sent)) {
        memcpy(&d, sent.bytes, sizeof d);
    }
    sim_parcel_free(&sent);
    sim_parcels_free(sim, of_ranks);
    return d;
}

static void
add_flow(uint32_t *flows, uint32_t *n, uint32_t flow)
{
    for (uint32_t i = 0; i < *n; i++) {
        if (flows[i] == flow) {
            return;
        }
    }
    if (*n < SIM_MAX_HELD) {
        flows[(*n)++] = flow;
    }
}

struct slot_of_cycle {
    uint32_t slot;
    struct sim_cycle_queue queue;
};

static bool
note_flow_of(void *arg, const struct sim_waiting *w)
{
    struct slot_of_cycle *s = arg;

    if (w->out_slot == s->slot) {
        add_flow(s->queue.flows, &s->queue.n_flows, w->packet->flow);
    }
    return true;
}

struct sim_cycle_queue
sim_cycle_queue(const struct sim_node *n, uint32_t slot)
{
    struct slot_of_cycle s = { .slot = slot,
                               .queue = { .last_ps = n->weir.ctx.gates[slot].last_ps } };

    n->kind->each_held(n, note_flow_of, &s);
    return s.queue;
}

struct placed { /* A queue of the cycle, and its index in the cycle. */
    uint32_t place;
    struct sim_cycle_queue queue;
};

static void
add_own_queues(const struct sim *sim, const struct sim_deadlock *d, struct sim_parcel *own)
{
    for (uint32_t i = 0; i < d->n_cycle; i++) {
        const struct topo_port *port = &sim->model.topo->ports[d->cycle[i].port];
        if (!sim_is_here(sim, port->node)) {
            continue;
        }
        const struct sim_node *n = sim_node_at(sim, port->node);
        struct placed p = { i, sim_cycle_queue(n, port->number * n->n_classes + d->cycle[i].cls) };
        sim_parcel_add(own, &p, sizeof p);
    }
}

/* Sorts the queues in the order of the cycle, as if one process had all of them. */
static void
sum_up_cycle(const struct sim *sim, struct sim_deadlock *d, const struct sim_cycle_queue *queues)
{
    for (uint32_t i = 0; i < d->n_cycle; i++) {
        d->formed_ps = queues[i].last_ps > d->formed_ps ? queues[i].last_ps : d->formed_ps;
        for (uint32_t k = 0; k < queues[i].n_flows; k++) {
            if (queues[i].flows[k] < sim->model.n_flows) { /* Other numbers belong to foreign
                                                            * packets. */
                add_flow(d->flows, &d->n_flows, queues[i].flows[k]);
            }
        }
    }
    array_sort_u32(d->flows, d->n_flows);
}

static void
describe_cycle(struct sim *sim, const struct sim_deadlock *d, struct sim_cycle_queue *queues)
{
    struct sim_parcel own = { 0 }, *in = sim_parcels_new(sim);

    add_own_queues(sim, d, &own);
    bool is_done = sim_agree(sim, &own, in);
    for (uint32_t i = 0; is_done && i < sim_n_ranks(sim); i++) {
        const struct sim_parcel *p = i == sim_rank(sim) ? &own : &in[i];
        const struct placed *q = p->bytes;
        for (size_t k = 0; k < p->n / sizeof *q; k++) {
            queues[q[k].place] = q[k].queue;
        }
    }
    sim_parcel_free(&own);
    sim_parcels_free(sim, in);
}

static struct sim_deadlock
find_deadlock(struct sim *sim, weir_ps now)
{
    struct sim_queues shut = { 0 }, asked = { 0 };
    struct sim_parcel described = { 0 };
    struct sim_deadlock d = { 0 };

    sim_find_shut(sim, now, &shut);
    if (ask_peers(sim, &shut, &asked)) {
        sim_describe_waits(sim, now, &shut, &asked, &described);
        d = agree_on_cycle(sim, &described);
    }
    free(shut.items);
    free(asked.items);
    sim_parcel_free(&described);
    return d;
}

/* A deadlock lasts until a watchdog acts on a queue of its cycle; after that, another deadlock may
 * form. */

/* The watchdog of a queue, if its node is on this rank and has watchdogs; else null. */
static struct sim_watchdog *
watchdog_at(const struct sim *sim, const struct sim_stuck *queue)
{
    const struct topo_port *p = &sim->model.topo->ports[queue->port];

    if (!sim_is_here(sim, p->node)) {
        return NULL;
    }
    const struct sim_node *n = sim_node_at(sim, p->node);
    return n->is_watched ? &n->watchdogs[p->number * n->n_classes + queue->cls] : NULL;
}

void
sim_deadlock_is_broken(struct sim *sim, weir_ps at)
{
    sim->watch->standing.found = false;
    sim->watch->deadlock.broken_ps =
        sim->watch->deadlock.n_formed > 1 ? sim->watch->deadlock.broken_ps : at;
}

void
sim_check_if_broken(struct sim *sim)
{
    const struct sim_deadlock *d = &sim->watch->standing;
    weir_ps broken_ps = WEIR_NEVER;

    if (!d->found) {
        return;
    }
    for (uint32_t i = 0; i < d->n_cycle; i++) {
        const struct sim_watchdog *w = watchdog_at(sim, &d->cycle[i]);
        broken_ps = w && w->broken_ps < broken_ps ? w->broken_ps : broken_ps;
    }
    broken_ps = sim_least_of_ranks(sim, broken_ps);
    if (broken_ps != WEIR_NEVER) {
        sim_deadlock_is_broken(sim, broken_ps);
    }
}

void
sim_deadlock_is_found(struct sim *sim, const struct sim_deadlock *found,
                      const struct sim_cycle_queue *queues)
{
    struct sim_deadlock d = *found;

    sum_up_cycle(sim, &d, queues);
    sim->watch->standing = d;
    sim->watch->deadlock = sim->watch->deadlock.found ? sim->watch->deadlock : d;
    sim->watch->deadlock.n_formed += d.found;
}

void
sim_find_deadlock(struct sim *sim, weir_ps now)
{
    sim_check_if_broken(sim);
    if (sim->watch->standing.found) {
        return;
    }
    struct sim_cycle_queue *queues = array_new(SIM_MAX_CYCLE, sizeof *queues);
    struct sim_deadlock d = find_deadlock(sim, now);
    if (d.found) {
        describe_cycle(sim, &d, queues);
    }
    for (uint32_t i = 0; i < d.n_cycle; i++) {
        struct sim_watchdog *w = watchdog_at(sim, &d.cycle[i]);
        if (w) {
            w->broken_ps = WEIR_NEVER;
        }
    }
    sim_deadlock_is_found(sim, &d, queues);
    free(queues);
}

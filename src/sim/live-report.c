/* Reports: each process that runs one node sends them, and another process combines the reports of
 * all nodes.
 *
 *     sizes of the parts | views, in the form that ranks send them | blocked queues
 *                        | waits of these queues | packets that crossed captured ports
 *
 * A node cannot ask its peers which of their queues are shut.  So for each of these queues it
 * reports what the queue would wait for here if it were shut.  The process that receives all
 * reports knows which queues are shut.  The reports of one round may differ in time.  A queue
 * counts as shut only if it has sent nothing for 'watch_ps'.  If the times of the reports differ by
 * at most half of that, all queues of a cycle were blocked at the same time during the other half.
 * That time is longer than any frame is on its way (decision 0074).  If the times differ by more,
 * the next round decides. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/exchange.h"
#include "sim/live.h"
#include "sim/routing.h"
#include "sim/stuck.h"
#include "sim/view.h"
#include "sim/watch.h"

struct head {
    weir_ps at;
    uint64_t view_bytes, n_still, wait_bytes, crossing_bytes;
};

struct still { /* A queue of the node that is shut, or on which its watchdog has acted. */
    uint32_t queue;
    bool is_shut;
    weir_ps broken_ps; /* When the watchdog acted since the last report; WEIR_NEVER: it did not. */
    struct sim_cycle_queue of_cycle;
};

/* These functions run in the process of the node. */

static bool
is_among(const struct sim_queues *queues, uint32_t queue)
{
    for (size_t i = 0; i < queues->n; i++) {
        if (queues->items[i] == queue) {
            return true;
        }
    }
    return false;
}

static weir_ps
take_broken(struct sim_node *n, uint32_t slot)
{
    weir_ps broken_ps = n->is_watched ? n->watchdogs[slot].broken_ps : WEIR_NEVER;

    if (n->is_watched) {
        n->watchdogs[slot].broken_ps = WEIR_NEVER;
    }
    return broken_ps;
}

static uint64_t
add_still(const struct sim *sim, const struct sim_queues *shut, struct sim_parcel *p)
{
    struct sim_node *n = &sim->threads[0].own[0];
    uint32_t first = sim->model.topo->nodes[n->id].first_port * n->n_classes;
    uint64_t n_still = 0;

    for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
        struct still still = { .queue = first + slot, .broken_ps = take_broken(n, slot) };
        still.is_shut = is_among(shut, still.queue);
        if (still.is_shut || still.broken_ps != WEIR_NEVER) {
            still.of_cycle = sim_cycle_queue(n, slot);
            sim_parcel_add(p, &still, sizeof still);
            n_still++;
        }
    }
    return n_still;
}

/* Lists the queues of all peers whose packets arrive at this node. */
static struct sim_queues
queues_to(const struct sim *sim)
{
    const struct topo *topo = sim->model.topo;
    const struct topo_node *node = &topo->nodes[sim->config.live->node];
    struct sim_queues to = { 0 };

    for (uint32_t i = 0; i < node->n_ports * sim->model.n_classes; i++) {
        uint32_t peer = topo->ports[node->first_port + i / sim->model.n_classes].peer;
        ARRAY_PUSH(to.items, to.n, to.max) = peer * sim->model.n_classes + i % sim->model.n_classes;
    }
    return to;
}

/* Whether a report includes blocked queues: in real time always; in virtual time when a simulation
 * would look for deadlocks, which is the same time for all nodes. */
static bool
is_watch_due(const struct sim *sim, weir_ps now)
{
    return sim->config.live->watch_ps || now >= sim->watch->next_watch_ps;
}

/* Adds the state of the node, which every report has, whether or not a queue is blocked. */
static struct head
add_view(struct sim *sim, weir_ps now, struct sim_parcel *p)
{
    size_t at = p->n;

    sim_parcel_more(p, sizeof(struct head));
    sim_pack_view(sim, p);
    return (struct head){ .at = now, .view_bytes = p->n - at - sizeof(struct head) };
}

static void
add_waits(struct sim *sim, weir_ps now, struct sim_parcel *p, struct head *head)
{
    struct sim_queues shut = { 0 }, asked = queues_to(sim);

    sim_find_shut(sim, now, &shut);
    head->n_still = add_still(sim, &shut, p);
    size_t waits_at = p->n;
    sim_describe_waits(sim, now, &shut, &asked, p);
    head->wait_bytes = p->n - waits_at;
    free(shut.items);
    free(asked.items);
}

void
sim_live_report(struct sim *sim, weir_ps now, struct sim_parcel *p)
{
    bool looks = sim->has_ended || is_watch_due(sim, now);
    size_t at = p->n;

    if (sim->has_ended) {
        sim_watch_end_here(sim);
    } else if (looks) {
        sim_watch_here(sim, now);
    }
    struct head head = add_view(sim, now, p);
    if (looks) {
        add_waits(sim, now, p, &head);
    }
    size_t crossings_at = p->n;
    sim_pack_crossings(sim, p);
    head.crossing_bytes = p->n - crossings_at;
    memcpy((char *)p->bytes + at, &head, sizeof head);
}

void
sim_live_report_view(struct sim *sim, weir_ps now, struct sim_parcel *p)
{
    size_t at = p->n;
    struct head head = add_view(sim, now, p);

    memcpy((char *)p->bytes + at, &head, sizeof head);
}

/* The following functions run in the process that receives reports. */

struct heard { /* The parts of one report. */
    struct head head;
    const char *view, *waits, *crossings;
    const char *stills; /* The blocked queues; the first n_still are used, in any order. */
};

static struct heard
take_apart(const struct sim_parcel *report)
{
    struct heard h;

    memcpy(&h.head, report->bytes, sizeof h.head);
    h.view = (const char *)report->bytes + sizeof h.head;
    h.stills = h.view + h.head.view_bytes;
    h.waits = h.stills + h.head.n_still * sizeof(struct still);
    h.crossings = h.waits + h.head.wait_bytes;
    return h;
}

static struct still
still_at(const struct heard *h, uint64_t i)
{
    struct still still;

    memcpy(&still, h->stills + i * sizeof still, sizeof still);
    return still;
}

/* Collects the blocked queues of all reports. */
struct stills {
    struct still *items;
    size_t n, max;
};

static struct stills
gather_stills(const struct heard *heard, uint32_t n_nodes)
{
    struct stills all = { 0 };

    for (uint32_t id = 0; id < n_nodes; id++) {
        for (uint64_t i = 0; i < heard[id].head.n_still; i++) {
            ARRAY_PUSH(all.items, all.n, all.max) = still_at(&heard[id], i);
        }
    }
    return all;
}

static const struct still *
find_still(const struct stills *all, uint32_t queue)
{
    for (size_t i = 0; i < all->n; i++) {
        if (all->items[i].queue == queue) {
            return &all->items[i];
        }
    }
    return NULL;
}

/* The waits of queues that are shut. A node reports what each queue of its peers would wait for
 * there if it were shut. */
static struct sim_parcel
waits_of_shut(const struct heard *h, const struct stills *all)
{
    struct sim_parcel p = { 0 };

    for (const char *at = h->waits; at < h->waits + h->head.wait_bytes;) {
        struct sim_waits waits;
        memcpy(&waits, at, sizeof waits);
        size_t bytes = sizeof waits + (waits.n_all + waits.n_any) * sizeof waits.queue;
        const struct still *still = find_still(all, waits.queue);
        if (still && still->is_shut) {
            sim_parcel_add(&p, at, bytes);
        }
        at += bytes;
    }
    return p;
}

static struct sim_deadlock
find_cycle(const struct sim *sim, const struct heard *heard, const struct stills *all)
{
    struct sim_parcel *waits = sim_parcels_new(sim);

    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        waits[id + 1] = waits_of_shut(&heard[id], all);
    }
    struct sim_deadlock d = sim_find_cycle(sim, waits);
    sim_parcels_free(sim, waits);
    return d;
}

static uint32_t
queue_of(const struct sim *sim, const struct sim_stuck *s)
{
    return s->port * sim->model.n_classes + s->cls;
}

static weir_ps
acted_on_cycle_ps(const struct sim *sim, const struct stills *all)
{
    weir_ps earliest = WEIR_NEVER;

    for (uint32_t i = 0; i < sim->watch->standing.n_cycle; i++) {
        const struct still *still = find_still(all, queue_of(sim, &sim->watch->standing.cycle[i]));
        earliest = still && still->broken_ps < earliest ? still->broken_ps : earliest;
    }
    return earliest;
}

static void
check_if_broken(struct sim *sim, const struct stills *all)
{
    weir_ps acted_ps = acted_on_cycle_ps(sim, all);

    if (sim->watch->standing.found && acted_ps != WEIR_NEVER) {
        sim_deadlock_is_broken(sim, acted_ps);
    }
}

static weir_ps
earliest_of(const struct sim *sim, const struct heard *heard)
{
    weir_ps first = WEIR_NEVER;

    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        first = heard[id].head.at < first ? heard[id].head.at : first;
    }
    return first;
}

static bool
are_together(const struct sim *sim, const struct heard *heard)
{
    weir_ps last = 0;

    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        last = heard[id].head.at > last ? heard[id].head.at : last;
    }
    return last - earliest_of(sim, heard) <= sim->watch->interval_ps / 2;
}

static void
find_reported_deadlock(struct sim *sim, const struct heard *heard, const struct stills *all)
{
    struct sim_cycle_queue queues[SIM_MAX_CYCLE] = { 0 };

    if (sim->watch->standing.found || !are_together(sim, heard)) {
        return;
    }
    struct sim_deadlock d = find_cycle(sim, heard, all);
    for (uint32_t i = 0; i < d.n_cycle; i++) {
        queues[i] = find_still(all, queue_of(sim, &d.cycle[i]))->of_cycle;
    }
    sim_deadlock_is_found(sim, &d, queues);
}

static struct heard *
unpack_all(struct sim *sim, const struct sim_parcel *reports)
{
    struct heard *heard = array_new(sim->n_nodes, sizeof *heard);

    sim_forget_views(sim);
    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        heard[id] = take_apart(&reports[id]);
        sim_unpack_view(sim, id + 1, heard[id].view, heard[id].head.view_bytes);
        sim_unpack_crossings(sim, heard[id].crossings, heard[id].head.crossing_bytes);
    }
    return heard;
}

/* Does what a simulation does between windows; at the end it looks for deadlocks only if that is
 * due. */
static void
watch(struct sim *sim, weir_ps now, const struct heard *heard, bool is_last)
{
    struct stills all = gather_stills(heard, sim->n_nodes);
    bool looks = is_watch_due(sim, now);

    if (is_last) {
        sim_watch_end_here(sim);
    } else if (looks) {
        sim_watch_here(sim, now);
    }
    check_if_broken(sim, &all);
    if (looks) {
        find_reported_deadlock(sim, heard, &all);
    }
    free(all.items);
}

void
sim_live_ran(struct sim *sim, weir_ps until)
{
    sim->n_windows += until > sim->ran_until_ps;
    sim->ran_until_ps = until;
    atomic_store_explicit(&sim->progress_ps, until, memory_order_relaxed);
}

void
sim_live_hear_all(struct sim *sim, weir_ps now, const struct sim_parcel *reports)
{
    struct heard *heard = unpack_all(sim, reports);

    sim_live_ran(sim, now);
    watch(sim, now, heard, false);
    sim->now_ps = now;
    sim_sample(sim, now);
    sim_report_crossings(sim, earliest_of(sim, heard));
    free(heard);
}

void
sim_live_hear_last(struct sim *sim, weir_ps now, const struct sim_parcel *reports)
{
    struct heard *heard = unpack_all(sim, reports);

    sim->now_ps = now;
    watch(sim, now, heard, true);
    sim_sample(sim, now);
    sim_report_crossings(sim, WEIR_NEVER);
    free(heard);
}

void
sim_live_lost(struct sim *sim, uint32_t port, const struct sim_live_loss *lost)
{
    struct sim_port_result *r = &sim->ranks.view->ports[port];

    r->n_lost += lost->n_packets + lost->n_frames;
    r->n_lost_frames += lost->n_frames;
    r->lost_bytes += lost->packet_bytes;
    sim->ranks.view->balance.found.n += lost->n_packets;
    sim->ranks.view->balance.found.bytes += lost->packet_bytes;
    sim->ranks.view->balance.sent.n += lost->n_forged;
    sim->ranks.view->balance.sent.bytes += lost->forged_bytes;
}

/* These functions take the steps of a simulation between two windows, in virtual time. */

weir_ps
sim_live_due(const struct sim *sim)
{
    return sim_next_due(sim);
}

bool
sim_live_hear_between(struct sim *sim, weir_ps next, const struct sim_parcel *reports)
{
    struct heard *heard = unpack_all(sim, reports);

    sim_end_if_run_out(sim, next);
    if (!sim->is_over) {
        watch(sim, next, heard, false);
        sim_report_crossings(sim, next);
        sim_sample(sim, next);
        sim_reroute(sim, next);
    }
    free(heard);
    return !sim->is_over;
}

weir_ps
sim_live_end_ps(struct sim *sim, const struct sim_parcel *reports)
{
    free(unpack_all(sim, reports));
    sim_end_if_run_out(sim, sim->config.until_ps);
    return sim->config.until_ps;
}

void
sim_live_end_at(struct sim *sim, weir_ps at)
{
    sim->config.until_ps = at;
}

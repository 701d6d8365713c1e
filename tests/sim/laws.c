/* Laws that hold in every run, tested on random scenarios. doc/correctness.md has the result.
 *
 *     sim-laws            runs random scenarios
 *     sim-laws SEED       repeats the scenario of this seed */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "warned.h"

/* Sanitizers cost time; the plain build tries more. */
#if defined(__SANITIZE_ADDRESS__)
/* The limit is low because storms come in bunches. */
enum { N_SCENARIOS = 150, LEAST_STORMS = N_SCENARIOS / 10 };
#else
enum { N_SCENARIOS = 600, LEAST_STORMS = N_SCENARIOS / 4 };
#endif

enum { MAX_PATH = 16 };

struct counts {
    unsigned n_run, n_refused, n_bound_met, n_deadlocks, n_broken;
    /* n_timed counts flows that were compared with their ideal times. */
    unsigned n_several_ways, n_overtaken, n_timed;
    unsigned n_piped, n_crossed, n_dropped_output, n_with_drops, n_with_expired, n_by_hops,
        n_stalled, n_selective, n_calm, n_with_points, n_written, n_stopped, n_slowed, n_drained,
        n_rerouted;
    uint64_t n_hops, n_storms, n_restored;
};

struct law {
    const struct draw *draw;
    const struct sim *sim;
    uint64_t seed;
};

static void
hold(const struct law *law, bool holds, const char *what)
{
    if (!holds) {
        draw_fail(law->draw, law->seed, what);
    }
}

static bool
keeps_to_one_path(const struct law *law)
{
    return sim_path_choice_find(law->draw->config.paths)->is_fixed;
}

static bool
is_rerouted(const struct law *law)
{
    return law->draw->config.n_link_events && law->draw->config.reroute_ps;
}

/* Fills in the links that a flow crosses; returns 0 if its packets may take several paths. */
static uint32_t
path_of(const struct law *law, uint32_t flow, const struct topo_link **links)
{
    const struct topo *topo = &law->draw->topo;
    uint32_t ports[SIM_MAX_PATH], n = sim_flow_path(law->sim, flow, ports);

    if (is_rerouted(law)) { /* Some packets may have used other routes. */
        return 0;
    }
    hold(law, n <= MAX_PATH && sim_flow_arrives(law->sim, flow), "a path without end");
    hold(law, n || !keeps_to_one_path(law), "a flow without a path");
    for (uint32_t i = 0; i < n; i++) {
        links[i] = &topo->links[topo->ports[ports[i]].link];
    }
    return n;
}

/* The totals of a run. */

static void
nothing_is_made_or_forgotten(const struct law *law)
{
    struct err err = { 0 };
    struct sim_totals t = sim_totals(law->sim);

    hold(law, sim_is_conserved(law->sim, &err), err.text);
    hold(law, t.n_out_of_order == 0 || !keeps_to_one_path(law) || is_rerouted(law),
         "packets of a flow overtook each other");
    hold(law, t.n_no_route == 0 || is_rerouted(law), "a packet did not find its way");
    hold(law, t.n_flushed == 0 || law->draw->config.dead == MODEL_DEAD_FLUSH,
         "packets were flushed");
    bool by_hops = !strcmp(law->draw->engine, "ttl");
    bool may_expire =
        law->draw->config.hop_limit || (by_hops && (law->draw->topo.n_statics || is_rerouted(law)));
    hold(law, t.n_expired == 0 || may_expire, "a packet expired without a limit");
    for (uint32_t p = 0; p < law->draw->topo.n_ports; p++) {
        for (uint8_t cls = 0; cls < law->draw->config.n_classes; cls++) {
            hold(law, sim_queue_bytes(law->sim, p, cls) <= sim_queue_peak_bytes(law->sim, p, cls),
                 "a queue is longer than it ever was");
        }
    }
}

/* Whether a watchdog drops packets, or sends against a pause. */
static bool
watchdog_acts(const struct law *law)
{
    enum model_watchdog_action action = law->draw->config.watchdog.action;
    return action == MODEL_DROP || action == MODEL_FORWARD;
}

/* Whether the stack promises that no packet is lost. An engine that limits single flows promises
 * nothing for a link. */
static bool
bound_is_met(const struct law *law)
{
    const struct weir_stack *stack = &law->draw->config.stack;
    return !is_warned(sim_model(law->sim)) &&
           stack->layers[0].engine->limits & WEIR_LIMITS_OF_QUEUES && !law->draw->is_lossy &&
           !law->draw->config.n_slowings && !(watchdog_acts(law) && sim_totals(law->sim).n_storms);
}

static void
what_is_lossless_loses_nothing(const struct law *law)
{
    hold(law, !bound_is_met(law) || !draw_is_broken(law->draw, law->sim),
         "a lossless class lost packets, though the engine had no warning");
}

/* A flow is no faster than its own rate and any link of its path. No packet arrives earlier than
 * cable delays and transmission times allow. */
static void
a_flow_is_no_faster_than_its_path(const struct law *law, uint32_t flow)
{
    const struct simple_net *c = &law->draw->config;
    const struct simple_net_flow *f = &c->flows[flow];
    struct sim_flow_result r = sim_flow_result(law->sim, flow);
    const struct topo_link *links[MAX_PATH];
    uint64_t first_bytes = f->bytes < c->mtu_bytes ? f->bytes : c->mtu_bytes;
    uint64_t on_wire = r.received_bytes + r.n_received * c->gap_bytes;
    weir_ps soonest = f->start_ps;

    for (uint32_t i = path_of(law, flow, links); i--;) {
        soonest +=
            links[i]->delay_ps + weir_wire_ps(first_bytes + c->gap_bytes, links[i]->rate_bps);
        hold(law, weir_wire_ps(on_wire, links[i]->rate_bps) <= r.last_ps - f->start_ps,
             "a flow was faster than a link of its path");
    }
    uint64_t packet = c->mtu_bytes + c->gap_bytes;
    hold(law,
         f->rate_bps == WEIR_UNLIMITED || on_wire <= packet ||
             weir_wire_ps(on_wire - packet, f->rate_bps) <= r.last_ps - f->start_ps,
         "a flow was faster than its pace");
    bool lost_none = !sim_totals(law->sim).n_lost && !sim_totals(law->sim).n_dropped;
    hold(law, !lost_none || r.first_ps >= soonest, "a packet came sooner than it can");
}

/* Ideal times are those of the first routes, so this law requires that routes do not change. */
static void
no_flow_is_faster_than_alone(const struct law *law, struct counts *counts)
{
    const struct simple_net *c = &law->draw->config;

    for (uint32_t i = 0; i < c->n_flows && !is_rerouted(law); i++) {
        struct sim_flow_result r = sim_flow_result(law->sim, i);
        bool is_whole = r.received_bytes == c->flows[i].bytes;
        hold(law, !is_whole || r.last_ps - r.started_ps >= sim_flow_ideal_ps(law->sim, i),
             "a flow was faster than it is alone");
        counts->n_timed += is_whole;
    }
}

static void
flows_keep_to_time_and_bytes(const struct law *law)
{
    const struct simple_net *c = &law->draw->config;

    for (uint32_t i = 0; i < c->n_flows; i++) {
        struct sim_flow_result r = sim_flow_result(law->sim, i);
        hold(law, r.received_bytes <= r.sent_bytes, "more was received than sent");
        hold(law, r.sent_bytes <= c->flows[i].bytes || c->flows[i].transport->recovery->is_reliable,
             "more was sent than there is");
        hold(law, r.received_bytes <= c->flows[i].bytes, "more was received than there is");
        uint64_t first_bytes = r.sent_bytes - r.retransmitted_bytes;
        hold(law, r.retransmitted_bytes <= r.sent_bytes && first_bytes <= c->flows[i].bytes,
             "retransmitted bytes are not the bytes sent twice");
        hold(law, r.received_bytes <= first_bytes, "more was received than sent once");
        hold(law, (r.n_received == 0) == (r.first_ps < 0), "an arrival without its time");
        if (r.n_received) {
            hold(law,
                 c->flows[i].start_ps < r.first_ps && r.first_ps <= r.last_ps &&
                     r.last_ps <= c->run.until_ps,
                 "time went back");
            a_flow_is_no_faster_than_its_path(law, i);
        }
    }
}

/* Whether there is an endless flow that neither rests nor may be dropped. */
static bool
has_steady_flow(const struct draw *d)
{
    for (uint32_t i = 0; i < d->config.n_flows; i++) {
        const struct simple_net_flow *f = &d->flows[i];
        if (f->bytes == MODEL_ENDLESS && !f->stop_ps && f->rate_bps == WEIR_UNLIMITED &&
            d->config.lossless >> f->cls & 1) {
            return true;
        }
    }
    return false;
}

/* If no cycle of waiting buffers can close, there is no deadlock. Otherwise a deadlock that was
 * found lasts: none of its queues has moved since it formed.  (Losses may open a gate, and changing
 * links may break any deadlock, so such runs are left out.) */
static void
a_deadlock_needs_a_ring_and_lasts(const struct law *law)
{
    struct sim_deadlock d = sim_deadlock(law->sim);

    bool can_close = !law->draw->is_loop_free && strcmp(law->draw->engine, "ttl");
    hold(law, !d.found || can_close, "a deadlock where no ring of waiting can close");
    hold(law, d.n_formed >= d.found && (d.stands || !d.found || d.broken_ps > d.formed_ps),
         "a deadlock that neither stands nor was broken");
    if (law->draw->is_lossy || law->draw->config.n_link_events || d.broken_ps) {
        return;
    }
    for (uint32_t i = 0; i < d.n_cycle; i++) {
        struct sim_gate_state g = sim_gate_state(law->sim, d.cycle[i].port, d.cycle[i].cls,
                                                 law->draw->config.run.until_ps);
        hold(law, g.last_ps <= d.formed_ps, "a deadlock that moves");
    }
}

/* If nothing arrives in the second half of a run under pauses or credits, there is a deadlock, and
 * the run must find it. (GFC may just be very slow, and without flow control all moving packets may
 * be dropped.) */
static void
what_stands_still_is_dead(const struct law *law)
{
    const struct simple_net *c = &law->draw->config;
    weir_ps late_ps = c->run.until_ps - sim_middle_ps(law->sim);
    uint64_t late_bps = 0;

    for (uint32_t i = 0; i < c->n_flows; i++) {
        late_bps += sim_flow_late_bps(law->sim, i);
    }
    bool is_long = sim_middle_ps(law->sim) && late_ps > 3 * sim_watch_ps(law->sim);
    bool must_move = is_long && bound_is_met(law) && has_steady_flow(law->draw) &&
                     !law->draw->is_astray && !c->n_stalls && !c->n_link_events &&
                     !(c->stack.layers[0].engine->limits & WEIR_LIMIT_RATE) &&
                     !law->draw->has_points;
    hold(law, late_bps > 0 || sim_deadlock(law->sim).found || !must_move,
         "nothing moves, and no deadlock was found");
}

/* Each pause storm at a switch ends once, or lasts until the end of the run. */
static void
storms_add_up(const struct law *law)
{
    const struct simple_net *c = &law->draw->config;
    struct sim_totals t = sim_totals(law->sim);
    uint64_t n_now = 0, n_dropped = 0;

    for (uint32_t p = 0; p < law->draw->topo.n_ports; p++) {
        for (uint8_t cls = 0; cls < c->n_classes; cls++) {
            struct sim_storms s = sim_storms(law->sim, p, cls);
            struct sim_gate_state g = sim_gate_state(law->sim, p, cls, c->run.until_ps);
            hold(law, !s.n_storms || g.n_pfc_pauses || g.n_link_start_waits,
                 "a storm without a pause");
            hold(law, s.n_storms == s.n_restored + s.is_storm, "a storm that ended twice");
            n_now += s.is_storm;
            n_dropped += s.n_dropped;
        }
    }
    hold(law, t.n_storms == t.n_restored + n_now, "storms do not add up");
    hold(law, t.n_dropped_watchdog == n_dropped && (!n_dropped || c->watchdog.action == MODEL_DROP),
         "drops by watchdogs do not add up");
}

/* Hosts that drain at once. */

static bool
may_hold_back(const struct simple_net *c, uint32_t nic, uint32_t link)
{
    bool may = false;

    for (uint32_t i = 0; i < c->n_stalls; i++) {
        may |= c->stalls[i].node == nic;
    }
    for (uint32_t i = 0; i < c->n_link_events; i++) {
        may |= c->link_events[i].link == link;
    }
    return may;
}

/* The queue of such a host is always empty, so the host never pauses its switch, whatever the
 * thresholds are.  Only a link that comes up again is silent until its ends have received from each
 * other. */
static void
hosts_that_drain_hold_nobody_back(const struct law *law, struct counts *counts)
{
    const struct simple_net *c = &law->draw->config;
    const struct topo *topo = &law->draw->topo;

    for (uint32_t p = 0; p < topo->n_ports; p++) {
        uint32_t peer = topo->ports[topo->ports[p].peer].node;
        if (topo->nodes[peer].kind != TOPO_NIC || may_hold_back(c, peer, topo->ports[p].link)) {
            continue;
        }
        for (uint8_t cls = 0; cls < c->n_classes; cls++) {
            struct sim_gate_state g = sim_gate_state(law->sim, p, cls, c->run.until_ps);
            hold(law,
                 !g.n_pfc_pauses && !g.n_fafc_pauses &&
                     g.least_bps >= topo->links[topo->ports[p].link].rate_bps,
                 "a host that drains at once pauses its switch");
        }
        counts->n_drained++;
    }
}

/* The bytes at an output of a shared memory have arrived at its inputs, and no gate is shut for
 * longer than the run. */
static void
backpressure_is_bounded(const struct law *law)
{
    const struct topo *t = &law->draw->topo;

    for (uint32_t p = 0; p < t->n_ports; p++) {
        const struct topo_node *n = &t->nodes[t->ports[p].node];
        for (uint8_t cls = 0; cls < law->draw->config.n_classes; cls++) {
            struct sim_gate_state g = sim_gate_state(law->sim, p, cls, sim_now(law->sim));
            uint64_t peak = sim_output_peak_bytes(law->sim, p, cls), inputs = 0;
            for (uint32_t i = 0; i < n->n_ports; i++) {
                inputs += sim_queue_peak_bytes(law->sim, n->first_port + i, cls);
            }
            bool is_shared = !model_has_stages(sim_model(law->sim), t->ports[p].node);
            bool is_host = n->kind != TOPO_SWITCH;
            hold(law, is_host || peak >= sim_output_bytes(law->sim, p, cls),
                 "an output is past its peak");
            hold(law, !is_shared || peak <= inputs, "more at an output than came in");
            hold(law, !is_host || !peak, "a host has an output queue");
            hold(law, g.paused_ps <= sim_now(law->sim), "a gate is paused for too long");
            hold(law, (g.paused_ps > 0) == (g.n_pfc_pauses + g.n_fafc_pauses > 0),
                 "a pause without its time");
        }
    }
}

/* The same scenario, run in other configurations. */

/* Compares output queues and pauses, which the hash does not cover. */
static void
backpressure_is_the_same(const struct law *law, const struct sim *sim)
{
    weir_ps now = sim_now(sim);

    hold(law, now == sim_now(law->sim), "a run ended at another time");
    for (uint32_t p = 0; p < law->draw->topo.n_ports; p++) {
        for (uint8_t cls = 0; cls < law->draw->config.n_classes; cls++) {
            struct sim_gate_state a = sim_gate_state(sim, p, cls, now);
            struct sim_gate_state b = sim_gate_state(law->sim, p, cls, now);
            hold(law, sim_output_peak_bytes(sim, p, cls) == sim_output_peak_bytes(law->sim, p, cls),
                 "the peak of an output differs");
            hold(law, a.paused_ps == b.paused_ps, "the time paused differs");
            hold(law,
                 a.n_pfc_pauses == b.n_pfc_pauses && a.n_fafc_pauses == b.n_fafc_pauses &&
                     a.n_link_start_waits == b.n_link_start_waits,
                 "pauses differ");
        }
    }
}

static void
assert_same_deadlock(const struct law *law, const struct sim_deadlock *a,
                     const struct sim_deadlock *b)
{
    bool same = a->found == b->found && a->formed_ps == b->formed_ps && a->n_stuck == b->n_stuck &&
                a->n_cycle == b->n_cycle && a->cycle[0].cls == b->cycle[0].cls &&
                a->n_flows == b->n_flows && a->broken_ps == b->broken_ps &&
                a->n_formed == b->n_formed && a->stands == b->stands &&
                !memcmp(a->cycle, b->cycle, sizeof a->cycle) &&
                !memcmp(a->flows, b->flows, sizeof a->flows);
    hold(law, same, "threads changed a deadlock");
}

/* No wait is negative, and no packet waits before it has arrived. */
static void
waits_are_times(const struct law *law, struct sim *sim)
{
    size_t n;
    const struct sim_flow_wait *w = sim_flow_waits(sim, &n);

    for (; n--; w++) {
        hold(law, w->pause_ps >= 0 && w->credit_ps >= 0 && w->rate_ps >= 0,
             "a gate blocked a packet for a negative time");
        hold(law, w->control_ps >= 0 && w->queue_ps >= 0, "a wait has less than its parts");
        hold(law, w->n_packets && w->first_ps <= w->last_ps, "a packet left before it came");
    }
}

/* Several threads, which also record the waits of packets, change no result. */
static void
threads_do_not_matter(const struct law *law)
{
    uint32_t n_threads = 2 + law->seed % 2;
    struct sim *sim = draw_sim(law->draw, n_threads);
    struct sim_deadlock first = sim_deadlock(law->sim);

    sim_run(sim);
    struct sim_deadlock d = sim_deadlock(sim);
    hold(law, sim_totals(sim).hash == sim_totals(law->sim).hash, "threads changed the results");
    backpressure_is_the_same(law, sim);
    assert_same_deadlock(law, &first, &d);
    waits_are_times(law, sim);
    sim_free(sim);
}

static bool
has_reliable_flow(const struct draw *d)
{
    bool has = false;

    for (uint32_t i = 0; i < d->config.n_flows; i++) {
        has |= transport_recovery(d->flows[i].transport, d->flows[i].recovery)->is_reliable;
    }
    return has;
}

/* Whether flows may retransmit packets that are only late, because their minimum timeout is below
 * the default. */
static bool
has_hasty_flow(const struct draw *d)
{
    const struct weir_field *min_rto = weir_field_find(tp_tcp.about.params, "min_rto");
    bool is_tcp = d->config.n_flows && d->flows[0].transport == &tp_tcp;

    return is_tcp && weir_field_get(min_rto, d->flows[0].transport_params) < min_rto->fallback;
}

/* With the default timeout of NICs, and packets that keep to one path, only lost packets are
 * retransmitted. */
static void
what_is_not_lost_is_not_sent_again(const struct law *law, struct counts *counts)
{
    struct draw d = *law->draw;
    struct err err;

    if (!has_reliable_flow(&d) || has_hasty_flow(&d) || is_rerouted(law)) {
        return;
    }
    d.config.retry_ps = 0;
    d.config.paths = "hash";
    struct sim *sim = simple_net_sim_new(&d.config, &err);
    sim_run(sim);
    struct sim_totals t = sim_totals(sim);
    bool loses = t.n_dropped || t.n_flushed || t.n_expired || t.n_lost > t.n_lost_frames;
    hold(law, loses || !t.retransmitted_bytes, "packets were retransmitted, though none was lost");
    counts->n_calm += !loses;
    sim_free(sim);
}

static void
windows_do_not_matter(const struct law *law)
{
    struct sim *sim = draw_sim(law->draw, 1);
    sim_run_reference(sim);
    hold(law, sim_totals(sim).hash == sim_totals(law->sim).hash,
         "windows and a plain event loop differ");
    backpressure_is_the_same(law, sim);
    sim_free(sim);
}

/* Whether a congestion point sent a message. */
static bool
is_told(const struct law *law)
{
    const struct weir_stack *stack = &law->draw->config.stack;
    const struct weir_engine *qcn = weir_engine_find("qcn");
    uint64_t n_cnms = 0;

    for (uint32_t node = 0; node < law->draw->topo.n_nodes; node++) {
        for (uint32_t k = 0; k < stack->n; k++) {
            bool is_point =
                stack->layers[k].engine == qcn && law->draw->topo.nodes[node].kind == TOPO_SWITCH;
            n_cnms += is_point
                          ? sim_counter(law->sim, node, k, weir_field_find(qcn->counters, "cnms"))
                          : 0;
        }
    }
    return n_cnms > 0;
}

static bool
has_stopped(const struct draw *d)
{
    bool has = false;

    for (uint32_t i = 0; i < d->config.n_flows; i++) {
        has |= d->flows[i].stop_ps > 0;
    }
    return has;
}

static void
count(struct counts *counts, const struct law *law)
{
    struct sim_totals t = sim_totals(law->sim);

    counts->n_run++;
    counts->n_hops += t.n_hops;
    counts->n_bound_met += bound_is_met(law);
    counts->n_piped += law->draw->is_piped;
    counts->n_crossed += law->draw->is_crossed;
    counts->n_with_points += law->draw->has_points && bound_is_met(law);
    counts->n_written += is_told(law);
    counts->n_stopped += has_stopped(law->draw);
    counts->n_slowed += law->draw->config.n_slowings > 0;
    counts->n_rerouted += is_rerouted(law);
    counts->n_dropped_output += t.n_dropped_output > 0;
    counts->n_with_drops += t.n_dropped > 0;
    counts->n_with_expired += t.n_expired > 0;
    counts->n_deadlocks += sim_deadlock(law->sim).found;
    counts->n_by_hops += !strcmp(law->draw->engine, "ttl");
    counts->n_broken += sim_deadlock(law->sim).broken_ps > 0;
    const struct simple_net_flow *f = &law->draw->flows[0];
    counts->n_selective += transport_recovery(f->transport, f->recovery) == &rc_selective;
    counts->n_stalled += law->draw->config.n_stalls > 0;
    counts->n_several_ways += !keeps_to_one_path(law);
    counts->n_overtaken += t.n_out_of_order > 0;
    counts->n_storms += t.n_storms;
    counts->n_restored += t.n_restored;
}

static void
try_scenario(uint64_t seed, struct counts *counts)
{
    struct draw d;

    draw_start(&d, seed);
    struct sim *sim = draw_sim(&d, 1);
    if (!sim) {
        counts->n_refused++;
        draw_stop(&d);
        return;
    }
    struct law law = { &d, sim, seed };
    sim_run(sim);
    nothing_is_made_or_forgotten(&law);
    windows_do_not_matter(&law);
    threads_do_not_matter(&law);
    flows_keep_to_time_and_bytes(&law);
    no_flow_is_faster_than_alone(&law, counts);
    what_is_lossless_loses_nothing(&law);
    a_deadlock_needs_a_ring_and_lasts(&law);
    what_stands_still_is_dead(&law);
    storms_add_up(&law);
    hosts_that_drain_hold_nobody_back(&law, counts);
    backpressure_is_bounded(&law);
    what_is_not_lost_is_not_sent_again(&law, counts);
    count(counts, &law);
    sim_free(sim);
    draw_stop(&d);
}

static void
every_run_keeps_the_laws(void **state)
{
    struct counts t = { 0 };

    (void)state;
    for (uint64_t seed = 1; seed <= N_SCENARIOS; seed++) {
        try_scenario(seed, &t);
    }
    printf(
        "  %u scenarios, %u more refused; %llu hops; %u meet their bound, %u drop packets, "
        "in %u some expire, %u deadlock, of which %u are broken; %u with classes by hops; %u "
        "stall; %llu storms, %llu restored; in %u each packet chooses its way, and in %u some are "
        "overtaken; %u flows ended; %u have pipelines, of which %u drop, and %u crossbars; %u meet "
        "their bound with QCN, and in %u of all some sender has to slow down; in %u flows  "
        "stop, in %u links slow down, in %u routes change; %u hosts drain at once\n",
        t.n_run, t.n_refused, (unsigned long long)t.n_hops, t.n_bound_met, t.n_with_drops,
        t.n_with_expired, t.n_deadlocks, t.n_broken, t.n_by_hops, t.n_stalled,
        (unsigned long long)t.n_storms, (unsigned long long)t.n_restored, t.n_several_ways,
        t.n_overtaken, t.n_timed, t.n_piped, t.n_dropped_output, t.n_crossed, t.n_with_points,
        t.n_written, t.n_stopped, t.n_slowed, t.n_rerouted, t.n_drained);
    assert_true(t.n_rerouted > N_SCENARIOS / 20);
    assert_true(t.n_with_points > N_SCENARIOS / 20 && t.n_written > N_SCENARIOS / 20);
    assert_true(t.n_stopped > N_SCENARIOS / 10 && t.n_slowed > N_SCENARIOS / 10);
    assert_true(t.n_crossed > N_SCENARIOS / 6);
    assert_true(t.n_piped > N_SCENARIOS / 6 && t.n_dropped_output > N_SCENARIOS / 100);
    assert_true(t.n_several_ways > N_SCENARIOS / 4 && t.n_overtaken > N_SCENARIOS / 30);
    assert_true(t.n_timed > N_SCENARIOS / 3);
    assert_true(t.n_run > N_SCENARIOS / 2);
    assert_true(t.n_by_hops > N_SCENARIOS / 40);
    assert_true(t.n_bound_met > N_SCENARIOS / 5);
    assert_true(t.n_with_expired > N_SCENARIOS / 50);
    assert_true(t.n_stalled > N_SCENARIOS / 10);
    assert_true(t.n_selective > N_SCENARIOS / 10);
    assert_true(t.n_calm > N_SCENARIOS / 10);
    assert_true(t.n_drained > N_SCENARIOS);
    assert_true(t.n_storms > LEAST_STORMS && t.n_restored > N_SCENARIOS / 8);
}

static void
this_run_keeps_the_laws(void **state)
{
    uint64_t seed = strtoull(*state, NULL, 0);
    struct counts t = { 0 };
    struct draw d;

    draw_start(&d, seed);
    draw_print(&d);
    draw_stop(&d);
    try_scenario(seed, &t);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest all[] = { cmocka_unit_test(every_run_keeps_the_laws) };
    const struct CMUnitTest one[] = { cmocka_unit_test_prestate(this_run_keeps_the_laws, argv[1]) };

    return argc > 1 ? cmocka_run_group_tests(one, NULL, NULL)
                    : cmocka_run_group_tests(all, NULL, NULL);
}

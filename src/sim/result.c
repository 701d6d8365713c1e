/* What has become of a run: flows, ports, queues, paths, and the hash of it all. */

#include <stdlib.h>

#include "base/array.h"
#include "sim/internal.h"

bool
sim_has_ended(const struct sim *sim)
{
    return sim->now_ps >= sim->config.until_ps;
}

weir_ps
sim_now(const struct sim *sim)
{
    return sim->now_ps;
}

const struct plant *
sim_plant(const struct sim *sim)
{
    return &sim->plant;
}

/* All that was sent, less each packet that was sent at least once. */
static uint64_t
again_bytes_of(const struct sim *sim, uint32_t flow)
{
    const struct sim_sender *f = &sim->senders[flow];
    const struct rc_sender *p = &f->progress;
    uint64_t mtu = sim->plant.mtu_bytes, n = p->sequence;

    if (!f->is_reliable) {
        return 0;
    }
    n = sim->n_first[flow] > n ? sim->n_first[flow] : n;
    return f->sent_bytes - (n * mtu - (n == p->n_packets ? mtu - p->last_bytes : 0));
}

struct sim_flow_result
sim_flow_result(const struct sim *sim, uint32_t flow)
{
    const struct sim_sink *s = &sim->sinks[flow];
    return (struct sim_flow_result){ .sent_bytes = sim->senders[flow].sent_bytes,
                                     .again_bytes = again_bytes_of(sim, flow),
                                     .received_bytes = s->received_bytes,
                                     .n_received = s->n_received,
                                     .discarded_bytes = s->discarded_bytes,
                                     .started_ps = sim->started_ps[flow],
                                     .first_ps = s->first_ps,
                                     .last_ps = s->last_ps };
}

static const struct sim_node *
node_of(const struct sim *sim, uint32_t port, uint32_t *number)
{
    const struct topo_port *p = &sim->plant.topo->ports[port];
    *number = p->number;
    return &sim->nodes[p->node];
}

static struct sim_port_result
port_result(const struct sim_node *n, uint32_t number)
{
    struct sim_port_result r = n->results[number];
    r.sent_bytes = n->ports[number].sent_bytes;
    r.n_sent = n->ports[number].n_sent;
    return r;
}

struct sim_port_result
sim_port_result(const struct sim *sim, uint32_t port)
{
    uint32_t number;
    const struct sim_node *n = node_of(sim, port, &number);
    return port_result(n, number);
}

uint64_t
sim_queue_bytes(const struct sim *sim, uint32_t port, uint8_t cls)
{
    uint32_t number;
    const struct sim_node *n = node_of(sim, port, &number);
    return n->buffer.slots[number * n->n_classes + cls].in_bytes;
}

uint64_t
sim_queue_peak_bytes(const struct sim *sim, uint32_t port, uint8_t cls)
{
    uint32_t number;
    const struct sim_node *n = node_of(sim, port, &number);
    return n->peaks[number * n->n_classes + cls];
}

uint64_t
sim_queue_mean_bytes(const struct sim *sim, uint32_t port, uint8_t cls)
{
    uint32_t number;
    const struct sim_node *n = node_of(sim, port, &number);
    uint64_t sum = n->sums[number * n->n_classes + cls];
    return sim->n_samples ? sum / sim->n_samples : 0;
}

struct sim_gate_state
sim_gate_state(const struct sim *sim, uint32_t port, uint8_t cls, weir_ps now)
{
    uint32_t number;
    const struct sim_node *n = node_of(sim, port, &number);
    uint32_t slot = number * n->n_classes + cls;
    const struct weir_gate *g = &n->weir.ctx.gates[slot];
    const struct sim_hold *h = &n->holds[slot];
    weir_ps end = h->until_ps < now ? h->until_ps : now;
    bool has_credit = g->limit_bytes != WEIR_UNLIMITED;

    return (struct sim_gate_state){
        .is_paused = h->until_ps > now, /* By its peer; a watchdog may do otherwise. */
        .rate_bps = g->rate_bps,
        .credit_bytes = has_credit ? g->limit_bytes - g->sent_bytes : WEIR_UNLIMITED,
        .n_pauses = h->n_pauses,
        .least_bps = h->least_bps,
        .paused_ps = h->total_ps + (h->until_ps ? end - h->since_ps : 0),
        .last_ps = g->last_ps,
    };
}

uint8_t
sim_class_here(const struct sim *sim, uint32_t port, uint8_t sent)
{
    uint32_t number;
    const struct sim_node *n = node_of(sim, port, &number);
    return weir_class_here(&n->weir.ctx, (uint16_t)number, sent);
}

uint8_t
sim_class_sent(const struct sim *sim, uint32_t port, uint8_t cls)
{
    uint8_t sent = 0;

    while (sent < sim->plant.n_classes && sim_class_here(sim, port, sent) != cls) {
        sent++;
    }
    return sent < sim->plant.n_classes ? sent : WEIR_NO_CLASS;
}

struct sim_storms
sim_storms(const struct sim *sim, uint32_t port, uint8_t cls)
{
    uint32_t number;
    const struct sim_node *n = node_of(sim, port, &number);

    if (!n->is_watched) {
        return (struct sim_storms){ 0 };
    }
    const struct sim_watchdog *w = &n->watchdogs[number * n->n_classes + cls];
    return (struct sim_storms){ .is_storm = w->storm_ps != WEIR_NEVER,
                                .n_storms = w->n_storms,
                                .n_restored = w->n_restored,
                                .n_dropped = w->n_dropped };
}

uint64_t
sim_counter(const struct sim *sim, uint32_t node, uint32_t layer, const struct weir_field *f)
{
    return weir_field_get(f, sim->nodes[node].weir.layers[layer].state);
}

void
sim_each_held(const struct sim *sim, uint32_t node, sim_visit_held *visit, void *arg)
{
    sim->nodes[node].kind->each_held(&sim->nodes[node], visit, arg);
}

weir_ps
sim_window_ps(const struct sim *sim)
{
    return (weir_ps)1 << sim->window_bits;
}

weir_ps
sim_watch_ps(const struct sim *sim)
{
    return sim->watch_ps;
}

weir_ps
sim_middle_ps(const struct sim *sim)
{
    return sim->middle_ps;
}

struct sim_deadlock
sim_deadlock(const struct sim *sim)
{
    struct sim_deadlock d = sim->deadlock;
    d.stands = sim->standing.found;
    return d;
}

uint64_t
sim_flow_late_bps(const struct sim *sim, uint32_t flow)
{
    uint64_t bytes = sim->sinks[flow].received_bytes - sim->middle_bytes[flow];
    uint64_t ps = (uint64_t)(sim->now_ps - sim->middle_ps);
    return ps ? weir_mul_div(bytes, 8 * (uint64_t)WEIR_PS_PER_S, ps) : 0;
}

/* The port by which a flow leaves a switch that it comes to; SIM_NONE: by none. */
static uint32_t
next_port(const struct sim *sim, uint32_t flow, uint32_t at, uint32_t n_hops)
{
    const struct topo *topo = sim->plant.topo;
    uint32_t dst = topo->nodes[sim->plant.flows[flow].to].index;

    if (sim->plant.hop_limit && n_hops >= sim->plant.hop_limit) {
        return SIM_NONE;
    }
    uint32_t out =
        sim_route(sim, &sim->nodes[at],
                  &(struct sim_packet){
                      .flow = flow, .dst = dst & SIM_MAX_DST, .n_hops = n_hops & SIM_MAX_HOPS });
    return out == SIM_NONE ? SIM_NONE : topo->nodes[at].first_port + out;
}

/* Walks a flow's path and calls 'visit' for every port that it leaves by; once, should the routes
 * lead round.  Whether it arrives. */
static bool
walk(const struct sim *sim, uint32_t flow, void (*visit)(void *, uint32_t port), void *arg)
{
    const struct topo *topo = sim->plant.topo;
    bool may_loop = topo->n_statics && !sim->plant.flows[flow].path;
    bool *is_met = may_loop ? array_new(topo->n_nodes, sizeof *is_met) : NULL; /* [node]. */
    uint32_t port = topo->nodes[sim->plant.flows[flow].from].first_port, at = SIM_NONE;

    for (uint32_t n_hops = 0; port != SIM_NONE; n_hops++) {
        visit(arg, port);
        at = topo->ports[topo->ports[port].peer].node;
        bool ends = topo->nodes[at].kind == TOPO_NIC || (is_met && is_met[at]);
        port = ends ? SIM_NONE : next_port(sim, flow, at, n_hops);
        if (is_met) {
            is_met[at] = true;
        }
    }
    free(is_met);
    return topo->nodes[at].kind == TOPO_NIC;
}

static void
ignore_port(void *arg, uint32_t port)
{
    (void)arg, (void)port;
}

bool
sim_flow_arrives(const struct sim *sim, uint32_t flow)
{
    return walk(sim, flow, ignore_port, NULL);
}

struct path {
    uint32_t *ports, n;
};

static void
add_hop(void *arg, uint32_t port)
{
    struct path *path = arg;
    if (path->n < SIM_MAX_PATH) {
        path->ports[path->n++] = port;
    }
}

uint32_t
sim_flow_path(const struct sim *sim, uint32_t flow, uint32_t ports[SIM_MAX_PATH])
{
    struct path path = { .ports = ports };
    walk(sim, flow, add_hop, &path);
    return path.n;
}

static void
count_flow(void *counts, uint32_t port)
{
    ((uint64_t *)counts)[port]++;
}

struct share {
    const struct sim *sim;
    const uint64_t *counts;
    uint64_t bps;
};

static void
take_share(void *arg, uint32_t port)
{
    struct share *s = arg;
    const struct topo *topo = s->sim->plant.topo;
    uint64_t bps = topo->links[topo->ports[port].link].rate_bps / s->counts[port];
    s->bps = bps < s->bps ? bps : s->bps;
}

void
sim_fair_shares(const struct sim *sim, uint64_t *bps)
{
    uint64_t *counts = array_new(sim->plant.topo->n_ports, sizeof *counts);

    for (uint32_t i = 0; i < sim->plant.n_flows; i++) {
        walk(sim, i, count_flow, counts);
    }
    for (uint32_t i = 0; i < sim->plant.n_flows; i++) {
        struct share s = { sim, counts, sim->plant.flows[i].rate_bps };
        walk(sim, i, take_share, &s);
        bps[i] = s.bps;
    }
    free(counts);
}

/* A flow alone, store and forward.  Its last packet leaves a link when it has passed it itself, and
 * that begins when it is here, or when the full packets before it have passed: they take their way
 * to this link once, and once more each on the slowest link so far. */

struct alone {
    const struct sim *sim;
    uint64_t n_full, full_bytes, last_bytes; /* Packets but the last; sizes with gaps. */
    weir_ps full_ps, slowest_ps;             /* A full packet's way so far; on the slowest link. */
    weir_ps wires_ps, cables_ps;
};

/* Of n packets; never, if that is past all time: a terabyte on a slow link takes years. */
static weir_ps
times(uint64_t n, weir_ps packet_ps)
{
    weir_ps all_ps;

    return __builtin_mul_overflow(n, packet_ps, &all_ps) ? WEIR_NEVER : all_ps;
}

static void
pass_link(void *arg, uint32_t port)
{
    struct alone *a = arg;
    const struct topo *topo = a->sim->plant.topo;
    const struct topo_link *l = &topo->links[topo->ports[port].link];
    weir_ps full = weir_wire_ps(a->full_bytes, l->rate_bps);

    a->full_ps = weir_after(a->full_ps, full);
    a->slowest_ps = full > a->slowest_ps ? full : a->slowest_ps;
    if (a->n_full) {
        weir_ps passed = weir_after(a->full_ps, times(a->n_full - 1, a->slowest_ps));
        a->wires_ps = passed > a->wires_ps ? passed : a->wires_ps;
    }
    a->wires_ps = weir_after(a->wires_ps, weir_wire_ps(a->last_bytes, l->rate_bps));
    a->cables_ps += l->delay_ps;
}

weir_ps
sim_flow_ideal_ps(const struct sim *sim, uint32_t flow)
{
    return sim->ideal_ps ? sim->ideal_ps[flow] : sim_flow_ideal_now_ps(sim, flow);
}

weir_ps
sim_flow_ideal_now_ps(const struct sim *sim, uint32_t flow)
{
    const struct sim_sender *f = &sim->senders[flow];
    struct alone a = { .sim = sim,
                       .n_full = f->progress.n_packets - 1,
                       .full_bytes = sim->plant.mtu_bytes + sim->plant.gap_bytes,
                       .last_bytes = f->progress.last_bytes + sim->plant.gap_bytes };

    return walk(sim, flow, pass_link, &a) ? weir_after(a.wires_ps, a.cables_ps) : -1;
}

struct round_trip {
    const struct sim *sim;
    weir_ps ps;
};

static void
add_round_trip(void *arg, uint32_t port)
{
    struct round_trip *r = arg;
    const struct plant *c = &r->sim->plant;
    const struct topo_link *l = &c->topo->links[c->topo->ports[port].link];
    r->ps += 2 * l->delay_ps + weir_wire_ps(c->mtu_bytes + c->gap_bytes, l->rate_bps) +
             weir_wire_ps(WEIR_CONTROL_BYTES + c->gap_bytes, l->rate_bps);
}

weir_ps
sim_flow_rtt_ps(const struct sim *sim, uint32_t flow)
{
    struct round_trip r = { .sim = sim };
    walk(sim, flow, add_round_trip, &r);
    return r.ps;
}

/* FNV-1a over numbers. */
static void
hash_in(uint64_t *hash, uint64_t value)
{
    for (int i = 0; i < 8; i++) {
        *hash = (*hash ^ (value >> 8 * i & 0xff)) * 0x100000001b3;
    }
}

static void
add_port(struct sim_totals *t, const struct sim_port_result *r)
{
    hash_in(&t->hash, r->sent_bytes);
    hash_in(&t->hash, r->n_sent);
    hash_in(&t->hash, r->n_frames_sent);
    hash_in(&t->hash, r->n_lost);
    hash_in(&t->hash, r->n_expired);
    hash_in(&t->hash, r->n_discarded);
    t->n_lost += r->n_lost;
    t->n_lost_frames += r->n_lost_frames;
    t->n_expired += r->n_expired;
    t->n_unroutable += r->n_unroutable;
    t->n_discarded += r->n_discarded;
    t->n_dropped += r->n_discarded;
    for (int i = 0; i < WEIR_N_ADMISSIONS; i++) {
        hash_in(&t->hash, r->n_dropped[i]);
        t->n_dropped += r->n_dropped[i];
    }
}

static void
add_storms(struct sim_totals *t, const struct sim_watchdog *w)
{
    hash_in(&t->hash, w->n_storms);
    hash_in(&t->hash, w->n_restored);
    t->n_storms += w->n_storms;
    t->n_restored += w->n_restored;
}

struct sim_totals
sim_totals(const struct sim *sim)
{
    struct sim_totals t = { .hash = 0xcbf29ce484222325, .n_windows = sim->n_windows };

    for (uint32_t i = 0; i < sim->n_threads; i++) {
        t.n_hops += sim->threads[i].n_hops;
        t.n_events += sim->threads[i].n_run;
        t.n_broken += sim->threads[i].n_broken;
        t.n_bad_order += sim->threads[i].n_bad_order;
        t.n_timeouts += sim->threads[i].n_timeouts;
    }
    hash_in(&t.hash, t.n_hops);
    for (uint32_t i = 0; i < sim->plant.n_flows; i++) {
        struct sim_flow_result r = sim_flow_result(sim, i);
        t.sent_bytes += r.sent_bytes;
        t.again_bytes += r.again_bytes;
        hash_in(&t.hash, r.sent_bytes);
        hash_in(&t.hash, r.received_bytes);
        hash_in(&t.hash, r.discarded_bytes);
        hash_in(&t.hash, (uint64_t)r.first_ps);
        hash_in(&t.hash, (uint64_t)r.last_ps);
    }
    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        const struct sim_node *n = &sim->nodes[id];
        for (uint32_t port = 0; port < n->n_ports; port++) {
            struct sim_port_result r = port_result(n, port);
            add_port(&t, &r);
        }
        for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
            hash_in(&t.hash, n->peaks[slot]);
            hash_in(&t.hash, n->buffer.slots[slot].in_bytes);
            if (n->is_watched) {
                add_storms(&t, &n->watchdogs[slot]);
            }
        }
    }
    return t;
}

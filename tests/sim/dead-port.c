/* Links fail for good in random networks, and switches find new routes.  From then on no packet
 * waits at a port that is down, and every flow that has a path makes progress, unless a deadlock is
 * reported: for all kinds of switches, engines, arbitrations and choices of paths.  A packet
 * without a new route is dropped.  Results are the same for threads, ranks and the plain event
 * loop.
 *
 *     sim-dead-port            tries N_SCENARIOS networks
 *     sim-dead-port --long     tries N_LONG networks
 *     sim-dead-port SEED       repeats the network of this seed */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../chance.h"
#include "draw.h"
#include "loopback.h"
#include "net.h"
#include "sim/flow-ends.h"
#include "warned.h"

#if defined(__SANITIZE_ADDRESS__)
enum { N_SCENARIOS = 60, N_LONG = 1000 };
#else
enum { N_SCENARIOS = 120, N_LONG = 4000 };
#endif

enum { MAX_EVENTS = 16, MAX_RANKS = 3, MAX_FAIR = 6 };

struct counts {
    unsigned n_run, n_of[3], n_held, n_flows, n_moving, n_deadlocks, n_ranked;
    unsigned n_moved_on, n_piped, n_crossed, n_with_events;
    uint64_t n_flushed, n_no_route;
};

static struct topo_link_event events[MAX_EVENTS];

static void
fail_with(const struct draw *d, uint64_t seed, const char *what)
{
    static const char *const names[] = { "forward", "flush", "wait" };
    char text[500];

    draw_tell(d, text, sizeof text);
    fail_msg("seed %llu, %s: %s\n  %s", (unsigned long long)seed, names[d->config.dead], what,
             text);
}

/* One link goes down in the first third of the run. Some links come up again, and some of these go
 * down again. */
static uint32_t
draw_failure(struct draw *d, uint64_t *chance, uint32_t link, uint32_t n)
{
    uint64_t third = (uint64_t)d->config.run.until_ps / 3 + 2;
    weir_ps down = 1 + (weir_ps)below(chance, third), up = down + 1 + (weir_ps)below(chance, third);

    events[n++] = (struct topo_link_event){ link, down, false };
    if (one_in(chance, 4)) {
        events[n++] = (struct topo_link_event){ link, up, true };
    }
    if (n && events[n - 1].up && one_in(chance, 2)) {
        events[n++] =
            (struct topo_link_event){ link, up + 1 + (weir_ps)below(chance, third / 4), false };
    }
    return n;
}

static bool
is_drawn(uint32_t link, uint32_t n)
{
    bool is = false;

    for (uint32_t i = 0; i < n; i++) {
        is |= events[i].link == link;
    }
    return is;
}

/* Draws failures of links between switches, and sometimes of the link of a host. */
static uint32_t
draw_failures(struct draw *d, uint64_t *chance)
{
    uint32_t n = 0;

    for (uint64_t tries = 1 + below(chance, 4); tries; tries--) {
        uint32_t link = (uint32_t)below(chance, d->topo.n_links);
        const struct topo_link *l = &d->topo.links[link];
        bool is_hosts = d->topo.nodes[l->node[0]].kind == TOPO_NIC ||
                        d->topo.nodes[l->node[1]].kind == TOPO_NIC;
        if (!l->failed && !is_drawn(link, n) && (!is_hosts || one_in(chance, 4))) {
            n = draw_failure(d, chance, link, n);
        }
    }
    return n;
}

/* In every other scenario flows must make progress: there, packets always have a route. */
static bool
is_fair(const struct draw *d, uint64_t seed)
{
    return seed % 2 && !d->is_astray && !d->has_points;
}

static const char *const fair_engines[] = { "pfc", "cbfc", "gfc-buffer", "gfc-time",
                                            "gfc-conceptual" };

/* Outputs without a limit drop no packets, and never stop a pipeline. */
static void
make_pipeline_fair(struct draw *d)
{
    draw_set_kind(d, "memory", 0);
    draw_set_kind(d, "egress", 0);
    d->may_stand = d->may_overflow = d->is_shared = false;
}

/* Only links that are down keep a flow from moving: each flow has packets without end, a fair
 * share, and so much room that its engine gives no warning. */
static void
make_fair(struct draw *d, uint64_t *chance)
{
    struct simple_net *c = &d->config;

    d->engine = ONE_OF(chance, fair_engines);
    c->stack = (struct weir_stack){ 0 };
    weir_stack_add(&c->stack, weir_engine_find(d->engine));
    c->buffer = (struct weir_buffer_class){ .reserve_bytes = 30000 << below(chance, 4) };
    c->shared_bytes = 0;
    c->arbitration = "rr";
    c->scheduling = "rr";
    c->lossless = 0xff;
    c->watchdog = (struct model_watchdog){ 0 };
    c->n_slowings = 0;
    if (d->is_piped) {
        make_pipeline_fair(d);
    }
    c->n_flows = c->n_flows < MAX_FAIR ? c->n_flows : MAX_FAIR;
    for (uint32_t i = 0; i < c->n_flows; i++) {
        d->flows[i] = (struct simple_net_flow){ .from = d->flows[i].from,
                                                .to = d->flows[i].to,
                                                .cls = d->flows[i].cls,
                                                .bytes = MODEL_ENDLESS,
                                                .rate_bps = WEIR_UNLIMITED,
                                                .transport = &tp_raw };
    }
}

/* A random scenario, as in laws.c, but only links that go down lose packets, and all hosts drain.
 */
static void
draw_scenario(struct draw *d, uint64_t seed)
{
    uint64_t chance = seed * 7919;
    struct simple_net *c = &d->config;

    draw_start(d, seed);
    if (is_fair(d, seed)) {
        make_fair(d, &chance);
    }
    for (size_t i = 0; i < d->topo.n_links; i++) {
        d->topo.links[i].loss = 0;
    }
    d->is_lossy = false;
    c->n_stalls = 0;
    c->run.measured.until_ps = 0;
    c->link_events = events;
    c->n_link_events = draw_failures(d, &chance);
    c->reroute_ps = 1 + (weir_ps)below(&chance, (uint64_t)c->run.until_ps / 6 + 1);
    c->dead = one_in(&chance, 3) ? (enum model_dead)below(&chance, 3) : MODEL_DEAD_FORWARD;
    c->run.until_ps += is_fair(d, seed) ? c->run.until_ps : 0;
}

static weir_ps
last_change(const struct simple_net *c)
{
    weir_ps last = 0;

    for (uint32_t i = 0; i < c->n_link_events; i++) {
        weir_ps at = c->link_events[i].at_ps + c->reroute_ps;
        last = at > last ? at : last;
    }
    return last;
}

/* No packet waits at a port that is down, except while the last packet that the port began to send
 * would still be on its link. */

struct look {
    const struct sim_node *node;
    const struct model *model;
    weir_ps now;
    bool is_at_dead;
};

static bool
is_host_port(const struct look *l, uint32_t port)
{
    const struct topo *topo = l->model->topo;
    const struct topo_port *p = &topo->ports[topo->nodes[l->node->id].first_port + port];

    return topo->nodes[topo->ports[p->peer].node].kind == TOPO_NIC;
}

/* In a crossbar a packet to a host that is cut off, or on a pinned path, may wait at its input: it
 * is dropped only at its output. */
static bool
may_be_on_its_way(const struct look *l, const struct sim_packet *p, uint32_t port)
{
    if (l->node->kind != sim_kind_find("cioq")) {
        return false;
    }
    return is_host_port(l, port) ||
           (p->flow < l->model->n_flows && l->model->flows[p->flow].terms->path);
}

static bool
is_dead(const struct look *l, uint32_t port)
{
    return !l->node->ports[port].up && l->node->ports[port].busy_ps < l->now;
}

static bool
look_at_held(void *arg, const struct sim_waiting *w)
{
    struct look *l = arg;
    uint32_t port = w->out_slot == SIM_NONE ? SIM_NONE : w->out_slot / l->node->n_classes;

    l->is_at_dead |= port != SIM_NONE && !w->is_behind && is_dead(l, port) &&
                     !may_be_on_its_way(l, w->packet, port);
    return true;
}

static bool
is_at_dead_port(const struct sim *sim, uint32_t id)
{
    struct look l = { sim_node_at(sim, id), &sim->model, sim->now_ps, false };

    if (sim->model.topo->nodes[id].kind != TOPO_SWITCH) {
        return false;
    }
    l.node->kind->each_held(l.node, look_at_held, &l);
    for (uint32_t port = 0; port < l.node->n_ports; port++) {
        l.is_at_dead |= is_dead(&l, port) && l.node->ports[port].active;
    }
    return l.is_at_dead;
}

static bool
any_at_dead_port(const struct sim *sim)
{
    bool any = false;

    for (uint32_t id = 0; id < sim->model.topo->n_nodes; id++) {
        any |= is_at_dead_port(sim, id);
    }
    return any;
}

/* Flows make progress. */

static bool
has_path(const struct sim *sim, const struct simple_net_flow *f)
{
    struct topo now = sim->routing.net;

    now.routes = NULL;
    now.groups = NULL;
    now.choices = NULL;
    now.max_groups = now.max_choices = 0;
    topo_route(&now);
    bool has = topo_is_connected(&now, f->from, f->to);
    topo_forget_routes(&now);
    free(now.groups);
    free(now.choices);
    return has;
}

/* The time in which a pipeline takes in all packets that wait at its inputs. */
static weir_ps
pipeline_drains_ps(const struct draw *d)
{
    const struct simple_net *c = &d->config;
    const struct weir_field *pps = weir_field_find(c->kind->about.params, "pps");
    uint64_t n_packets = c->n_flows * (c->buffer.reserve_bytes / c->mtu_bytes + 1);

    return (weir_ps)n_packets * weir_period_ps(weir_field_get(pps, d->kind_params));
}

/* Whether a run is so long that each flow has been served: buffers drain, and there are some round
 * trips. */
static bool
is_long(const struct draw *d, const struct sim *sim, uint32_t flow)
{
    weir_ps left_ps = d->config.run.until_ps - last_change(&d->config);
    uint64_t least_bps = UINT64_MAX;

    for (size_t i = 0; i < d->topo.n_links; i++) {
        uint64_t bps = d->topo.links[i].rate_bps;
        least_bps = bps < least_bps ? bps : least_bps;
    }
    return left_ps > 3 * weir_wire_ps(d->config.buffer.reserve_bytes, least_bps) +
                         3 * (d->is_piped ? pipeline_drains_ps(d) : 0) +
                         10 * sim_flow_rtt_ps(sim, flow);
}

static void
flows_move(const struct draw *d, const struct sim *sim, uint64_t seed, struct counts *counts)
{
    bool is_locked = sim_deadlock(sim).found;
    bool must_move =
        is_fair(d, seed) && d->config.dead != MODEL_DEAD_WAIT && !is_warned(sim_model(sim));

    counts->n_deadlocks += is_locked;
    if (must_move && draw_is_broken(d, sim)) {
        fail_with(d, seed, "a lossless class lost packets, though its engine had no warning");
    }
    for (uint32_t i = 0; must_move && i < d->config.n_flows; i++) {
        if (has_path(sim, &d->flows[i]) && is_long(d, sim, i)) {
            bool moves = sim_flow_result(sim, i).last_ps > last_change(&d->config);
            counts->n_flows++;
            counts->n_moving += moves;
            if (!moves && !is_locked) {
                fail_with(d, seed, "a flow that has a path stands still, and no deadlock is named");
            }
        }
    }
}

/* The same scenario with threads, in a plain event loop and with ranks. */

static void
threads_and_windows_do_not_matter(const struct draw *d, const struct sim *sim, uint64_t seed)
{
    uint64_t hash = sim_totals(sim).hash;
    struct sim *plain = draw_sim(d, 1), *two = draw_sim(d, 2);

    sim_run_reference(plain);
    sim_run(two);
    if (sim_totals(plain).hash != hash) {
        fail_with(d, seed, "windows and a plain event loop differ");
    }
    if (sim_totals(two).hash != hash) {
        fail_with(d, seed, "threads changed the results");
    }
    sim_free(plain);
    sim_free(two);
}

static void
ranks_do_not_matter(struct draw *d, const struct sim *sim, uint64_t seed, struct counts *counts)
{
    uint32_t n_ranks = d->topo.n_switches < 2 ? 1 : 2;
    struct sim *sims[MAX_RANKS];

    if (n_ranks < 2 || sim_totals(sim).n_windows > 600) {
        return;
    }
    struct loopback *l = loopback_new(n_ranks);
    assert_true(loopback_run(l, loopback_simple_net, &d->config, sims));
    if (sim_totals(sims[0]).hash != sim_totals(sim).hash) {
        fail_with(d, seed, "ranks changed the results");
    }
    for (uint32_t i = 0; i < n_ranks; i++) {
        sim_free(sims[i]);
    }
    loopback_free(l);
    counts->n_ranked++;
}

/* The laws. */

static void
count(struct counts *counts, const struct draw *d, const struct sim *sim)
{
    struct sim_totals t = sim_totals(sim);

    counts->n_run++;
    counts->n_of[d->config.dead]++;
    counts->n_with_events += d->config.n_link_events > 0;
    counts->n_piped += d->is_piped;
    counts->n_crossed += d->is_crossed;
    counts->n_flushed += t.n_flushed;
    counts->n_no_route += t.n_no_route;
}

static void
try_scenario(uint64_t seed, struct counts *counts)
{
    struct draw d;
    struct err err = { 0 };

    draw_scenario(&d, seed);
    struct sim *sim = draw_sim(&d, 1);
    if (sim) {
        sim_run(sim);
        if (!sim_is_conserved(sim, &err)) {
            fail_with(&d, seed, err.text);
        }
        weir_ps rest_ps = d.config.run.until_ps - last_change(&d.config);
        bool is_held = rest_ps > d.config.run.until_ps / 10 && any_at_dead_port(sim);
        if (is_held && d.config.dead != MODEL_DEAD_WAIT) {
            fail_with(&d, seed, "packets wait at a port that is down");
        }
        if (d.config.dead != MODEL_DEAD_FLUSH && sim_totals(sim).n_flushed) {
            fail_with(&d, seed, "packets were flushed");
        }
        counts->n_held += is_held;
        flows_move(&d, sim, seed, counts);
        threads_and_windows_do_not_matter(&d, sim, seed);
        ranks_do_not_matter(&d, sim, seed, counts);
        count(counts, &d, sim);
        sim_free(sim);
    }
    draw_stop(&d);
}

static void
no_packet_waits_at_a_dead_port(void **state)
{
    unsigned n = *(const unsigned *)*state;
    struct counts t = { 0 };

    for (uint64_t seed = 1; seed <= n; seed++) {
        try_scenario(seed, &t);
    }
    printf(
        "  %u scenarios: %u forward, %u flush, %u wait, of which %u hold packets at a port that "
        "is down; %u have pipelines and %u crossbars; %u flows have a path, and %u of them move; "
        "%u deadlocks; %u by ranks; %llu packets flushed, %llu without a route\n",
        t.n_run, t.n_of[0], t.n_of[1], t.n_of[2], t.n_held, t.n_piped, t.n_crossed, t.n_flows,
        t.n_moving, t.n_deadlocks, t.n_ranked, (unsigned long long)t.n_flushed,
        (unsigned long long)t.n_no_route);
    assert_true(t.n_run > n / 2 && t.n_of[MODEL_DEAD_FORWARD] > n / 4);
    assert_true(t.n_of[MODEL_DEAD_FLUSH] > n / 40 && t.n_of[MODEL_DEAD_WAIT] > n / 40);
    assert_true(t.n_piped > n / 10 && t.n_crossed > n / 10);
    assert_true(t.n_held > 0 && t.n_flushed > n / 10 && t.n_no_route > n);
    assert_true(t.n_moving > n / 20 && t.n_ranked > n / 12);
}

static void
this_scenario_keeps_the_laws(void **state)
{
    uint64_t seed = strtoull(*state, NULL, 0);
    struct counts t = { 0 };
    struct draw d;

    draw_scenario(&d, seed);
    draw_print(&d);
    draw_stop(&d);
    try_scenario(seed, &t);
}

/* Packets without a new route go to a host whose link is down, or take a pinned path.  All of them
 * are dropped, and they do not slow down a flow that crosses the same switches. */

#define US 1000000
#define G  1000000000ull

enum { MAX_PARAMS = 64, N_CUT_DRAWS = 3, STOP_US = 500, UNTIL_US = 3000 };

struct cut {
    const char *kind;
    const char *full, *memory; /* Parameters of a pipeline. */
    bool is_pinned;
};

/* The random part of a cut. */
struct cut_draw {
    const char *engine;
    uint64_t pps, delay_ps;
    weir_ps down_ps, reroute_ps;
};

static const struct cut cuts[] = {
    { "oq", NULL, NULL, false },
    { "oq", NULL, NULL, true },
    { "cioq", NULL, NULL, false },
    { "cioq", NULL, NULL, true },
    { "pipeline", "drop", "split", false },
    { "pipeline", "drop", "split", true },
    { "pipeline", "stop", "split", false },
    { "pipeline", "stop", "split", true },
    { "pipeline", "drop", "shared", false },
    { "pipeline", "drop", "shared", true },
    { "pipeline", "stop", "shared", false },
    { "pipeline", "stop", "shared", true },
};

static const struct topo_build two_leaves = {
    .leaves = 2, .spines = 2, .hosts = 2, .link = { .rate_bps = 10 * G, .delay_ps = US / 2 }
};

/* The pipeline is faster than each of the flows. In the first draw it is slower than both together.
 */
static struct cut_draw
draw_cut(uint64_t *chance, bool is_first)
{
    const struct cut_draw first = { "pfc", 600000, 25 * US, 100 * US, 200 * US };

    return is_first ? first
                    : (struct cut_draw){ .engine = ONE_OF(chance, fair_engines),
                                         .pps = 450000 << below(chance, 7),
                                         .delay_ps = below(chance, 30 * US),
                                         .down_ps = (weir_ps)(50 + below(chance, 100)) * US,
                                         .reroute_ps = (weir_ps)(50 + below(chance, 200)) * US };
}

static void
use_cut_kind(struct net *net, const struct cut *cut, const struct cut_draw *d, uint64_t *params)
{
    const struct sim_kind *kind = sim_kind_find(cut->kind);
    const struct weir_field *fields = kind->about.params;

    assert_true(kind->about.params_bytes <= MAX_PARAMS * sizeof *params);
    net->config.kind = kind;
    net->config.kind_params = params;
    weir_fields_default(fields, params);
    if (cut->full) {
        weir_field_set(weir_field_find(fields, "pps"), params, d->pps);
        weir_field_set(weir_field_find(fields, "delay"), params, d->delay_ps);
        weir_field_set(weir_field_find(fields, "full"), params, !strcmp(cut->full, "stop"));
        weir_field_set(weir_field_find(fields, "memory"), params, !strcmp(cut->memory, "shared"));
    }
    if (cut->memory && !strcmp(cut->memory, "shared")) {
        net->config.buffer.limit_bytes = 300000;
        net->config.shared_bytes = 300000;
    }
}

static uint32_t
port_between(const struct net *net, const char *from, uint32_t to)
{
    return topo_port_to(&net->topo, topo_find_node(&net->topo, from), to);
}

static void
start_cut(struct net *net, const struct cut *cut, const struct cut_draw *d, uint16_t *path,
          struct topo_link_event *down)
{
    net_start(net, topo_build_leaf_spine, &two_leaves, MODEL_ENDLESS, 1);
    uint32_t l2 = topo_find_node(&net->topo, "L2"), s1 = topo_find_node(&net->topo, "S1");
    uint32_t ports[] = { port_between(net, "L1", s1), port_between(net, "S1", l2),
                         port_between(net, "L2", net_nic(net, 2)) };
    for (uint32_t i = 0; i < 2; i++) {
        net->flows[i] = (struct simple_net_flow){ .from = net_nic(net, i),
                                                  .to = net_nic(net, 2 + i),
                                                  .bytes = MODEL_ENDLESS,
                                                  .rate_bps = (5 - i) * G,
                                                  .stop_ps = i ? 0 : STOP_US * (weir_ps)US };
    }
    for (uint32_t i = 0; i < 3; i++) {
        path[i] = (uint16_t)net->topo.ports[ports[i]].number;
    }
    net->flows[0].path = cut->is_pinned ? path : NULL;
    net->flows[0].n_path = cut->is_pinned ? 3 : 0;
    *down = (struct topo_link_event){ net->topo.ports[ports[cut->is_pinned ? 1 : 2]].link,
                                      d->down_ps, false };
    net->config.n_flows = 2;
    net->config.link_events = down;
    net->config.n_link_events = 1;
    net->config.reroute_ps = d->reroute_ps;
    net->config.run.until_ps = UNTIL_US * (weir_ps)US;
}

static bool
count_first_flow(void *arg, const struct sim_waiting *w)
{
    *(unsigned *)arg += w->packet->flow == 0;
    return true;
}

static unsigned
n_held_of_first_flow(const struct sim *sim)
{
    unsigned n = 0;

    for (uint32_t id = 0; id < sim->model.topo->n_nodes; id++) {
        const struct sim_node *node = sim_node_at(sim, id);
        if (sim->model.topo->nodes[id].kind == TOPO_SWITCH) {
            node->kind->each_held(node, count_first_flow, &n);
        }
    }
    return n;
}

static uint64_t
ranked_hash(struct net *net)
{
    struct sim *sims[2];
    struct loopback *l = loopback_new(2);

    assert_true(loopback_run(l, loopback_simple_net, &net->config, sims));
    uint64_t hash = sim_totals(sims[0]).hash;
    sim_free(sims[0]);
    sim_free(sims[1]);
    loopback_free(l);
    return hash;
}

static void
only_the_cut_flow_is_dropped(const struct cut *cut, const struct cut_draw *d, const struct sim *sim)
{
    unsigned n_held = n_held_of_first_flow(sim);
    uint64_t n_dropped = sim_totals(sim).n_no_route, bps = sim_flow_late_bps(sim, 1);

    if (n_held || n_dropped < 20 || n_dropped > 210 || bps < 39 * G / 10) {
        fail_msg("%s, full: %s, memory: %s, %s, %s, %llu pps: %u packets are held, %llu had no "
                 "route; the other "
                 "flow has %llu b/s",
                 cut->kind, cut->full ? cut->full : "-", cut->memory ? cut->memory : "-",
                 cut->is_pinned ? "pinned path" : "host", d->engine, (unsigned long long)d->pps,
                 n_held, (unsigned long long)n_dropped, (unsigned long long)bps);
    }
}

static void
try_cut(const struct cut *cut, const struct cut_draw *d)
{
    uint64_t params[MAX_PARAMS];
    uint16_t path[3];
    struct topo_link_event down;
    struct net net;

    start_cut(&net, cut, d, path, &down);
    use_cut_kind(&net, cut, d, params);
    struct sim *sim = net_conserved(net_run(&net, d->engine, "fifo", 1)),
               *two = net_run(&net, d->engine, "fifo", 2);
    only_the_cut_flow_is_dropped(cut, d, sim);
    uint64_t hash = sim_totals(sim).hash;
    assert_true(sim_totals(two).hash == hash);
    assert_true(net_reference_hash(&net, d->engine, "fifo") == hash);
    net_use(&net, d->engine);
    assert_true(ranked_hash(&net) == hash);
    sim_free(sim);
    sim_free(two);
    net_stop(&net);
}

static void
packets_without_a_new_route_are_dropped(void **state)
{
    uint64_t chance = 1;

    (void)state;
    for (size_t i = 0; i < N_CUT_DRAWS * sizeof cuts / sizeof *cuts; i++) {
        size_t n = i / N_CUT_DRAWS;
        struct cut_draw d = draw_cut(&chance, i % N_CUT_DRAWS == 0);
        try_cut(&cuts[n], &d);
    }
}

int
main(int argc, char **argv)
{
    bool is_long = argc > 1 && !strcmp(argv[1], "--long");
    unsigned n = is_long ? N_LONG : N_SCENARIOS;
    const struct CMUnitTest all[] = { cmocka_unit_test(packets_without_a_new_route_are_dropped),
                                      cmocka_unit_test_prestate(no_packet_waits_at_a_dead_port,
                                                                &n) };
    const struct CMUnitTest one[] = { cmocka_unit_test_prestate(this_scenario_keeps_the_laws,
                                                                argv[1]) };

    return argc > 1 && !is_long ? cmocka_run_group_tests(one, NULL, NULL)
                                : cmocka_run_group_tests(all, NULL, NULL);
}

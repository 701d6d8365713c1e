/* Links fail for good in random networks, and switches find new routes.  From then on no packet
 * waits at a port that is down, and every flow that has a path moves, unless a deadlock is named:
 * for all kinds of switches, engines, arbitrations and choices of paths.  Threads, ranks and the
 * plain event loop do not matter.
 *
 *     sim-dead-port            some
 *     sim-dead-port --long     many
 *     sim-dead-port SEED       one of them again, told what it is */

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
#include "sim/internal.h"
#include "warned.h"

#if defined(__SANITIZE_ADDRESS__)
enum { N_SCENARIOS = 60, N_LONG = 1000 };
#else
enum { N_SCENARIOS = 120, N_LONG = 4000 };
#endif

enum { MAX_EVENTS = 16, MAX_RANKS = 3, MAX_FAIR = 6 };

struct tally {
    unsigned n_run, n_of[3], n_held, n_flows, n_moving, n_deadlocks, n_ranked;
    unsigned n_moved_on, n_piped, n_crossed, n_with_events;
    uint64_t n_flushed, n_unroutable;
};

static struct plant_link_event events[MAX_EVENTS];

static void
fail_with(const struct draw *d, uint64_t seed, const char *what)
{
    static const char *const names[] = { "forward", "flush", "wait" };
    char text[500];

    draw_tell(d, text, sizeof text);
    fail_msg("seed %llu, %s: %s\n  %s", (unsigned long long)seed, names[d->config.dead], what,
             text);
}

/* One link goes down in the first third of the run; some come up again, and down once more. */
static uint32_t
draw_failure(struct draw *d, uint64_t *chance, uint32_t link, uint32_t n)
{
    uint64_t third = (uint64_t)d->config.run.until_ps / 3 + 2;
    weir_ps down = 1 + (weir_ps)below(chance, third), up = down + 1 + (weir_ps)below(chance, third);

    events[n++] = (struct plant_link_event){ link, down, false };
    if (one_in(chance, 4)) {
        events[n++] = (struct plant_link_event){ link, up, true };
    }
    if (n && events[n - 1].up && one_in(chance, 2)) {
        events[n++] =
            (struct plant_link_event){ link, up + 1 + (weir_ps)below(chance, third / 4), false };
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

/* Links between switches, and now and then that of a host. */
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

/* Every other one is held to progress, where packets find their way and all switches pass on what
 * comes. */
static bool
is_fair(const struct draw *d, uint64_t seed)
{
    return seed % 2 && !d->is_astray && !d->has_points && !d->is_piped;
}

static const char *const fair_engines[] = { "pfc", "cbfc", "gfc-buffer", "gfc-time",
                                            "gfc-conceptual" };

/* Nothing but links that are down keeps a flow from moving: each has packets without end, a fair
 * share, and enough room that its engine has no warning. */
static void
make_fair(struct draw *d, uint64_t *chance)
{
    struct uniform *c = &d->config;

    d->engine = ONE_OF(chance, fair_engines);
    c->stack = (struct weir_stack){ 0 };
    weir_stack_add(&c->stack, weir_engine_find(d->engine));
    c->buffer = (struct weir_buffer_class){ .reserve_bytes = 30000 << below(chance, 4) };
    c->shared_bytes = 0;
    c->arbitration = "rr";
    c->scheduling = "rr";
    c->lossless = 0xff;
    c->watchdog = (struct plant_watchdog){ 0 };
    c->n_slowings = 0;
    c->n_flows = c->n_flows < MAX_FAIR ? c->n_flows : MAX_FAIR;
    for (uint32_t i = 0; i < c->n_flows; i++) {
        d->flows[i] = (struct uniform_flow){ .from = d->flows[i].from,
                                             .to = d->flows[i].to,
                                             .cls = d->flows[i].cls,
                                             .bytes = PLANT_ENDLESS,
                                             .rate_bps = WEIR_UNLIMITED,
                                             .transport = &tp_raw };
    }
}

/* As laws.c draws them, but only links that go down lose anything, and all hosts drain. */
static void
draw_scenario(struct draw *d, uint64_t seed)
{
    uint64_t chance = seed * 7919;
    struct uniform *c = &d->config;

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
    c->dead = one_in(&chance, 3) ? (enum plant_dead)below(&chance, 3) : PLANT_DEAD_FORWARD;
    c->run.until_ps += is_fair(d, seed) ? c->run.until_ps : 0;
}

static weir_ps
last_change(const struct uniform *c)
{
    weir_ps last = 0;

    for (uint32_t i = 0; i < c->n_link_events; i++) {
        weir_ps at = c->link_events[i].at_ps + c->reroute_ps;
        last = at > last ? at : last;
    }
    return last;
}

/* No packet waits at a port that is down, but while the packet that the port last began to send
 * would still be on its wire. */

struct look {
    const struct sim_node *node;
    const struct plant *plant;
    weir_ps now;
    bool is_at_dead;
};

static bool
is_host_port(const struct look *l, uint32_t port)
{
    const struct topo *topo = l->plant->topo;
    const struct topo_port *p = &topo->ports[topo->nodes[l->node->id].first_port + port];

    return topo->nodes[topo->ports[p->peer].node].kind == TOPO_NIC;
}

/* A packet to a host that is cut off, or on a pinned path, still comes: it is dropped where it is
 * to leave, and may be on its way to there. */
static bool
may_be_on_its_way(const struct look *l, const struct sim_packet *p, uint32_t port)
{
    return is_host_port(l, port) ||
           (p->flow < l->plant->n_flows && l->plant->flows[p->flow].terms->path);
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
    struct look l = { sim_node_at(sim, id), &sim->plant, sim->now_ps, false };

    if (sim->plant.topo->nodes[id].kind != TOPO_SWITCH) {
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

    for (uint32_t id = 0; id < sim->plant.topo->n_nodes; id++) {
        any |= is_at_dead_port(sim, id);
    }
    return any;
}

/* Flows move. */

static bool
has_path(const struct sim *sim, const struct uniform_flow *f)
{
    struct topo now = sim->net;

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

/* Whether a run goes on for so long that each flow has had its turn: buffers drain, and there are
 * some round trips. */
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
                         10 * sim_flow_rtt_ps(sim, flow);
}

static void
flows_move(const struct draw *d, const struct sim *sim, uint64_t seed, struct tally *tally)
{
    bool is_locked = sim_deadlock(sim).found;
    bool must_move =
        is_fair(d, seed) && d->config.dead != PLANT_DEAD_WAIT && !is_warned(sim_plant(sim));

    tally->n_deadlocks += is_locked;
    if (must_move && draw_is_broken(d, sim)) {
        fail_with(d, seed, "a lossless class lost packets, though its engine had no warning");
    }
    for (uint32_t i = 0; must_move && i < d->config.n_flows; i++) {
        if (has_path(sim, &d->flows[i]) && is_long(d, sim, i)) {
            bool moves = sim_flow_result(sim, i).last_ps > last_change(&d->config);
            tally->n_flows++;
            tally->n_moving += moves;
            if (!moves && !is_locked) {
                fail_with(d, seed, "a flow that has a path stands still, and no deadlock is named");
            }
        }
    }
}

/* The same in other ways. */

static struct sim *
new_sim(const struct draw *d, uint32_t n_threads)
{
    struct uniform c = d->config;
    struct err err;

    c.run.n_threads = n_threads;
    c.run.why = n_threads > 1;
    return uniform_sim_new(&c, &err);
}

static void
threads_and_windows_do_not_matter(const struct draw *d, const struct sim *sim, uint64_t seed)
{
    uint64_t hash = sim_totals(sim).hash;
    struct sim *plain = new_sim(d, 1), *two = new_sim(d, 2);

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
ranks_do_not_matter(struct draw *d, const struct sim *sim, uint64_t seed, struct tally *tally)
{
    uint32_t n_ranks = d->topo.n_switches < 2 ? 1 : 2;
    struct sim *sims[MAX_RANKS];

    if (n_ranks < 2 || sim_totals(sim).n_windows > 600) {
        return;
    }
    struct loopback *l = loopback_new(n_ranks);
    assert_true(loopback_run(l, loopback_uniform, &d->config, sims));
    if (sim_totals(sims[0]).hash != sim_totals(sim).hash) {
        fail_with(d, seed, "ranks changed the results");
    }
    for (uint32_t i = 0; i < n_ranks; i++) {
        sim_free(sims[i]);
    }
    loopback_free(l);
    tally->n_ranked++;
}

/* The laws. */

static void
count(struct tally *tally, const struct draw *d, const struct sim *sim)
{
    struct sim_totals t = sim_totals(sim);

    tally->n_run++;
    tally->n_of[d->config.dead]++;
    tally->n_with_events += d->config.n_link_events > 0;
    tally->n_piped += d->is_piped;
    tally->n_crossed += d->is_crossed;
    tally->n_flushed += t.n_flushed;
    tally->n_unroutable += t.n_unroutable;
}

static void
try_scenario(uint64_t seed, struct tally *tally)
{
    struct draw d;
    struct err err = { 0 };

    draw_scenario(&d, seed);
    struct sim *sim = new_sim(&d, 1);
    if (sim) {
        sim_run(sim);
        if (!sim_is_conserved(sim, &err)) {
            fail_with(&d, seed, err.text);
        }
        weir_ps rest_ps = d.config.run.until_ps - last_change(&d.config);
        bool is_held = rest_ps > d.config.run.until_ps / 10 && any_at_dead_port(sim);
        if (is_held && d.config.dead != PLANT_DEAD_WAIT) {
            fail_with(&d, seed, "packets wait at a port that is down");
        }
        if (d.config.dead != PLANT_DEAD_FLUSH && sim_totals(sim).n_flushed) {
            fail_with(&d, seed, "packets were flushed");
        }
        tally->n_held += is_held;
        flows_move(&d, sim, seed, tally);
        threads_and_windows_do_not_matter(&d, sim, seed);
        ranks_do_not_matter(&d, sim, seed, tally);
        count(tally, &d, sim);
        sim_free(sim);
    }
    draw_stop(&d);
}

static void
no_packet_waits_at_a_dead_port(void **state)
{
    unsigned n = *(const unsigned *)*state;
    struct tally t = { 0 };

    for (uint64_t seed = 1; seed <= n; seed++) {
        try_scenario(seed, &t);
    }
    printf(
        "  %u scenarios: %u forward, %u flush, %u wait, of which %u hold packets at a port that "
        "is down; %u have pipelines and %u crossbars; %u flows have a path, and %u of them move; "
        "%u deadlocks; %u by ranks; %llu packets flushed, %llu without a route\n",
        t.n_run, t.n_of[0], t.n_of[1], t.n_of[2], t.n_held, t.n_piped, t.n_crossed, t.n_flows,
        t.n_moving, t.n_deadlocks, t.n_ranked, (unsigned long long)t.n_flushed,
        (unsigned long long)t.n_unroutable);
    assert_true(t.n_run > n / 2 && t.n_of[PLANT_DEAD_FORWARD] > n / 4);
    assert_true(t.n_of[PLANT_DEAD_FLUSH] > n / 40 && t.n_of[PLANT_DEAD_WAIT] > n / 40);
    assert_true(t.n_piped > n / 10 && t.n_crossed > n / 10);
    assert_true(t.n_held > 0 && t.n_flushed > n / 10 && t.n_unroutable > n);
    assert_true(t.n_moving > n / 20 && t.n_ranked > n / 12);
}

static void
this_scenario_keeps_the_laws(void **state)
{
    uint64_t seed = strtoull(*state, NULL, 0);
    struct tally t = { 0 };
    struct draw d;

    draw_scenario(&d, seed);
    draw_print(&d);
    draw_stop(&d);
    try_scenario(seed, &t);
}

int
main(int argc, char **argv)
{
    bool is_long = argc > 1 && !strcmp(argv[1], "--long");
    unsigned n = is_long ? N_LONG : N_SCENARIOS;
    const struct CMUnitTest all[] = { cmocka_unit_test_prestate(no_packet_waits_at_a_dead_port,
                                                                &n) };
    const struct CMUnitTest one[] = { cmocka_unit_test_prestate(this_scenario_keeps_the_laws,
                                                                argv[1]) };

    return argc > 1 && !is_long ? cmocka_run_group_tests(one, NULL, NULL)
                                : cmocka_run_group_tests(all, NULL, NULL);
}

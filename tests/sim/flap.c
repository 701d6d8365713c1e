/* Links that go down and come up again, in the middle of packets, frames and pauses, many times:
 * packets in flight are lost, but no lossless class loses a packet at a buffer, and afterwards
 * traffic flows again.  This holds under every lossless engine, with its derived parameters.
 *
 *     sim-flap            runs all tests
 *     sim-flap SEED       repeats the random network of this seed */

#include <stdio.h>

#include "draw.h"
#include "hand.h"
#include "warned.h"

#if defined(__SANITIZE_ADDRESS__)
enum { N_NETWORKS = 120, N_RESTARTS = 60 };
#else
enum { N_NETWORKS = 500, N_RESTARTS = 300 };
#endif

enum { MAX_EVENTS = 64 };

#define US ((weir_ps)1000000)

static const char *const engines[] = {
    "pfc", "ttl", "cbfc", "gfc-buffer", "gfc-time", "gfc-conceptual", "capfc",
};

/* The engines that are fair: all but CaPFC, the last one. Under CaPFC a sender that starts late may
 * use an output alone, between XON and XOFF, for as long as it likes. */
enum { N_ENGINES = sizeof engines / sizeof *engines, N_FAIR = N_ENGINES - 1 };

static struct topo_link_event events[MAX_EVENTS];

/* One link goes down and up again: for so short a time that no packet is affected, or for a long
 * time. Returns when it comes up. */
static weir_ps
draw_flap(uint64_t *chance, uint32_t link, weir_ps after, weir_ps scale, uint32_t *n)
{
    weir_ps rest = (weir_ps)(weir_random(chance) % (uint64_t)scale);
    weir_ps down = after + 1 + (weir_random(chance) % 4 ? rest : rest % 1000);
    weir_ps longest = weir_random(chance) % 3 ? scale / 100 + 1 : scale;
    weir_ps up = down + 1 + (weir_ps)(weir_random(chance) % (uint64_t)longest);

    events[(*n)++] = (struct topo_link_event){ link, down, false };
    events[(*n)++] = (struct topo_link_event){ link, up, true };
    return up;
}

/* Some links go down and up, each several times; returns when the last is up. */
static weir_ps
draw_flaps(uint64_t *chance, struct simple_net *c, weir_ps until)
{
    weir_ps last = 0, scale = until / 10 + 1000;
    uint32_t n = 0;

    for (uint64_t links = 1 + weir_random(chance) % 4; links; links--) {
        uint32_t link = (uint32_t)(weir_random(chance) % c->topo->n_links);
        weir_ps at = (weir_ps)(weir_random(chance) % (uint64_t)until);
        bool is_new = true;
        for (uint32_t i = 0; i < n; i++) {
            is_new &= events[i].link != link;
        }
        for (uint64_t flaps = 1 + weir_random(chance) % 8; is_new && flaps; flaps--) {
            at = draw_flap(chance, link, at, scale, &n);
            last = at > last ? at : last;
        }
    }
    c->link_events = events;
    c->n_link_events = n;
    return last;
}

/* No restart drops a packet. */

/* A random network as in laws.c, but with lossless engines, and only links that go down lose
 * packets. */
static void
draw_network(struct draw *d, uint64_t seed, uint64_t *chance)
{
    struct simple_net *c = &d->config;
    struct weir_text why = { 0 };

    draw_start(d, seed);
    d->engine = engines[weir_random(chance) % N_ENGINES];
    c->stack = (struct weir_stack){ 0 };
    weir_stack_add(&c->stack, weir_engine_find(d->engine));
    if (c->buffer.headroom_bytes) {
        weir_stack_set(&c->stack, 0, "threshold", "dynamic", &why);
    }
    if (c->stack.layers[0].engine->moves_classes) {
        c->n_classes = WEIR_MAX_CLASSES;
        c->lossless = 0xff;
        for (uint32_t i = 0; i < c->n_flows; i++) {
            d->flows[i].cls = 0;
        }
    }
    for (size_t i = 0; i < d->topo.n_links; i++) {
        d->topo.links[i].loss = 0;
    }
    c->watchdog = (struct model_watchdog){ 0 };
    draw_flaps(chance, c, c->run.until_ps);
}

struct counts {
    unsigned n_run, n_lost, n_of[N_ENGINES];
};

static void
run_network(const struct draw *d, struct sim *sim, uint64_t seed, struct counts *counts)
{
    struct err err;
    char text[500];

    sim_run(sim);
    struct sim_totals t = sim_totals(sim);
    if (draw_is_broken(d, sim) || !sim_is_conserved(sim, &err)) {
        draw_tell(d, text, sizeof text);
        fail_msg("seed %llu: %llu packets of a lossless class were dropped\n  %s",
                 (unsigned long long)seed, (unsigned long long)t.n_dropped_lossless, text);
    }
    counts->n_run++;
    counts->n_lost += t.n_lost > 0;
    for (size_t i = 0; i < N_ENGINES; i++) {
        counts->n_of[i] += d->engine == engines[i];
    }
}

static void
try_network(uint64_t seed, struct counts *counts)
{
    uint64_t chance = seed * 7919;
    struct draw d;
    struct err err;

    draw_network(&d, seed, &chance);
    struct sim *sim = simple_net_sim_new(&d.config, &err);
    if (sim) {
        if (!is_warned(sim_model(sim))) {
            run_network(&d, sim, seed, counts);
        }
        sim_free(sim);
    }
    draw_stop(&d);
}

static void
no_restart_drops_a_packet(void **state)
{
    struct counts t = { 0 };

    (void)state;
    for (uint64_t seed = 1; seed <= N_NETWORKS; seed++) {
        try_network(seed, &t);
    }
    printf("  %u networks, %u lose packets on links that go down\n", t.n_run, t.n_lost);
    assert_true(t.n_run > N_NETWORKS / 4 && t.n_lost > t.n_run / 3);
    for (size_t i = 0; i < N_ENGINES; i++) {
        assert_true(t.n_of[i] > 0);
    }
}

static void
this_network_drops_none(void **state)
{
    uint64_t seed = strtoull(*state, NULL, 0), chance = seed * 7919;
    struct counts t = { 0 };
    struct draw d;

    draw_network(&d, seed, &chance);
    draw_print(&d);
    draw_stop(&d);
    try_network(seed, &t);
}

/* Incasts whose receiver stalls while links go down and up: nothing is dropped, and all traffic
 * flows again. */

enum { MIN_SENDERS = 2, MAX_SENDERS = 5, ROOM_BYTES = 400000 };

static void
draw_incast(struct net *net, uint64_t *chance, struct model_stall *stall)
{
    static const weir_ps delays[] = { 5000, 300000, 1000000, 3000000 };
    uint32_t n = MIN_SENDERS + (uint32_t)(weir_random(chance) % (MAX_SENDERS - MIN_SENDERS + 1));

    hand_incast(net, n, 100000000000, delays[weir_random(chance) % 4]);
    net->config.n_classes = (uint8_t)(1 + weir_random(chance) % 3);
    net->config.lossless = 0xff;
    net->config.response_ps = (weir_ps)(weir_random(chance) % 3) * US / 2;
    net->config.buffer.reserve_bytes = ROOM_BYTES;
    net_use(net, engines[weir_random(chance) % N_FAIR]);
    for (uint32_t i = 0; i < n && net->config.n_classes < WEIR_MAX_CLASSES; i++) {
        net->flows[i].cls = (uint8_t)(weir_random(chance) % net->config.n_classes);
    }
    stall->node = net->flows[0].to;
    stall->classes = 0xff;
    stall->from_ps = (weir_ps)(weir_random(chance) % (50 * US));
    stall->until_ps = stall->from_ps + 1 + (weir_ps)(weir_random(chance) % (400 * US));
    net->config.stalls = stall;
    net->config.n_stalls = 1;
}

static void
assert_flows_again(const struct net *net, const struct sim *sim, weir_ps calm_ps, uint64_t i)
{
    const char *engine = net->config.stack.layers[0].engine->about.name;
    struct sim_totals t = sim_totals(sim);

    if (t.n_dropped_lossless) {
        fail_msg("run %llu, %s: %llu packets dropped", (unsigned long long)i, engine,
                 (unsigned long long)t.n_dropped_lossless);
    }
    for (uint32_t f = 0; f < net->config.n_flows; f++) {
        if (sim_flow_result(sim, f).last_ps < calm_ps) {
            fail_msg("run %llu, %s: flow %u stands still since %lld ps, links rest from %lld on",
                     (unsigned long long)i, engine, f, (long long)sim_flow_result(sim, f).last_ps,
                     (long long)calm_ps);
        }
    }
}

/* A millisecond after the last event, all packets that the switch can hold have left: packets that
 * arrive later were also sent later. */
static void
traffic_flows_again(void **state)
{
    uint64_t chance = 1;

    (void)state;
    for (uint64_t i = 0; i < N_RESTARTS; i++) {
        struct model_stall stall;
        struct net net;
        draw_incast(&net, &chance, &stall);
        weir_ps last = draw_flaps(&chance, &net.config, 300 * US);
        weir_ps calm = last > stall.until_ps ? last : stall.until_ps;
        net.config.run.until_ps = calm + 1500 * US;
        struct sim *sim = hand_run(&net);
        assert_false(is_warned(sim_model(sim)));
        assert_flows_again(&net, sim, calm + 1000 * US, i);
        sim_free(sim);
        net_stop(&net);
    }
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(no_restart_drops_a_packet),
        cmocka_unit_test(traffic_flows_again),
    };
    const struct CMUnitTest one[] = { cmocka_unit_test_prestate(this_network_drops_none, argv[1]) };

    return argc > 1 ? cmocka_run_group_tests(one, NULL, NULL)
                    : cmocka_run_group_tests(all, NULL, NULL);
}

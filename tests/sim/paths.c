/* Choices among paths that are made for each packet: the paths taken, the maximum rate of a flow
 * over several paths, and queries about paths, which change no result. */

#include "../chance.h"
#include "hand.h"
#include "sim/host/host.h"

#define G 1000000000ull

static const char *const per_packet[] = { "spray", "adaptive" };

/* Paths that 'adaptive' takes, at a switch with four paths to choose from and three classes. */

enum { N_WAYS = 4, N_CLASSES = 3, N_ASKED = 200 };

static const struct adaptive_case {
    const char *scheduling;
    uint32_t cls;
    uint64_t out_bytes[N_WAYS][N_CLASSES];
    uint32_t taken; /* Bit i: path i was taken at least once. */
} adaptive_cases[] = {
    /* Some paths are under 'low'; some at 'low' and over it; none under 'low'; none under 'high'.
     */
    { "rr", 0, { { 0 }, { 0 }, { 0 }, { 0 } }, 0xf },
    { "rr", 0, { { 0 }, { 15999 }, { 8000 }, { 1 } }, 0xf },
    { "rr", 0, { { 15999 }, { 16000 }, { 31999 }, { 90000 } }, 0x1 },
    { "rr", 0, { { 16000 }, { 32000 }, { 31999 }, { 90000 } }, 0x5 },
    { "rr", 0, { { 32000 }, { 50000 }, { 4000000 }, { 33000 } }, 0xf },
    /* With round robin no class has priority. */
    { "rr", 1, { { 20000, 0, 20000 }, { 0, 20000, 0 }, { 90000, 1 }, { 0, 16000 } }, 0x5 },
    /* With strict priority, higher classes count and lower ones do not. */
    { "strict", 1, { { 90000 }, { 0, 0, 16000 }, { 0, 8000, 8000 }, { 0, 8000, 7999 } }, 0x9 },
    { "strict", 0, { { 6000, 6000, 6000 }, { 0, 0, 32000 }, { 40000 }, { 0, 15999, 0 } }, 0x8 },
    { "strict", 2, { { 90000, 90000, 0 }, { 0, 0, 16000 }, { 0 }, { 0, 0, 15999 } }, 0xd },
    /* The weights are 0, 2 and 0: class 1 is served after both others, and class 0 after class 2.
     */
    { "dwrr", 1, { { 16000 }, { 0, 0, 16000 }, { 0, 15999, 0 }, { 8000, 0, 8000 } }, 0x4 },
    { "dwrr", 0, { { 0, 90000, 0 }, { 0, 0, 16000 }, { 16000 }, { 8000, 0, 7999 } }, 0x9 },
    { "dwrr", 2, { { 90000, 90000, 0 }, { 0, 0, 16000 }, { 0 }, { 0, 0, 20000 } }, 0x5 },
};

static uint32_t
ways_taken(const struct adaptive_case *c)
{
    static const uint16_t ports[N_WAYS] = { 1, 2, 3, 4 };
    static const uint32_t weights[N_CLASSES] = { 0, 2, 0 };
    const struct sim_path_choice *adaptive = sim_path_choice_find("adaptive");
    struct weir_buffer_slot slots[(N_WAYS + 1) * N_CLASSES] = { 0 };
    uint64_t params[8], schedule[64] = { 0 };
    uint32_t taken = 0;
    struct sim_node n = { .n_ports = N_WAYS + 1,
                          .n_classes = N_CLASSES,
                          .buffer.slots = slots,
                          .path_params = params,
                          .scheduling = sim_scheduling_find(c->scheduling),
                          .schedule = schedule };

    weir_fields_default(adaptive->about.params, params);
    if (n.scheduling->init) {
        n.scheduling->init(&n, NULL, weights);
    }
    for (uint32_t i = 0; i < N_WAYS * N_CLASSES; i++) {
        slots[N_CLASSES + i].out_bytes = c->out_bytes[i / N_CLASSES][i % N_CLASSES];
    }
    for (uint32_t i = 0; i < N_ASKED; i++) {
        struct sim_packet p = { .cls = (uint8_t)c->cls };
        taken |= 1u << (adaptive->choose(&n, &p, ports, N_WAYS) - 1);
    }
    return taken;
}

static void
adaptive_takes_what_drains_first(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(adaptive_cases); i++) {
        uint32_t taken = ways_taken(&adaptive_cases[i]);
        if (taken != adaptive_cases[i].taken) {
            fail_msg("case %zu: %#x instead of %#x", i, taken, adaptive_cases[i].taken);
        }
    }
}

/* A diamond: hosts at S0 and S1, and between these as many paths as there are rates.
 *
 *     H .. -- S0 --< paths >-- S1 -- H ..    nodes: S0, S1, the switches between them, hosts */

enum { FROM, TO, FIRST_BETWEEN };

struct diamond {
    uint64_t host_bps, way_bps[N_WAYS];
    uint32_t n_ways, n_pairs;
    /* The delay of every link, and the additional delay of the first link of each path. */
    weir_ps delay_ps, way_delay_ps[N_WAYS];
};

static void
diamond_build(struct net *net, const struct diamond *d)
{
    hand_start(net);
    for (uint32_t i = 0; i < 2 + d->n_ways; i++) {
        hand_switch(net);
    }
    for (uint32_t i = 0; i < d->n_ways; i++) {
        hand_link(net, FROM, FIRST_BETWEEN + i, d->way_bps[i], d->delay_ps + d->way_delay_ps[i]);
        hand_link(net, FIRST_BETWEEN + i, TO, d->way_bps[i], d->delay_ps);
    }
    for (uint32_t i = 0; i < 2 * d->n_pairs; i++) {
        hand_link(net, hand_nic(net), i % 2 ? TO : FROM, d->host_bps, d->delay_ps);
    }
}

/* Adds a flow from each host on one side to a host on the other. */
static void
diamond_finish(struct net *net, const struct diamond *d)
{
    hand_finish(net, d->n_pairs);
    for (uint32_t i = 0; i < d->n_pairs; i++) {
        net->flows[i].from = 2 + d->n_ways + 2 * i;
        net->flows[i].to = net->flows[i].from + 1;
    }
    net_use(net, "none");
}

static void
diamond_start(struct net *net, const struct diamond *d)
{
    diamond_build(net, d);
    diamond_finish(net, d);
}

/* Fills in the port that "lag" chooses for each flow, among 'n' ports. Ports 0 to 2 lead to one
 * neighbour, and port 3 to another. */
enum { N_LAG_FLOWS = 3000 };

static void
choose_lag(const uint16_t *ports, uint32_t n, uint32_t taken[N_LAG_FLOWS])
{
    static struct sim_port peers[4];
    static uint32_t keys[N_LAG_FLOWS];
    struct sim_node node = { .ports = peers, .n_ports = 4, .flow_keys = keys, .salt = 12345 };

    for (uint32_t i = 0; i < 4; i++) {
        peers[i].peer_node = i < 3 ? 7 : 8;
    }
    for (uint32_t flow = 0; flow < N_LAG_FLOWS; flow++) {
        keys[flow] = sim_flow_key(1, &(struct sim_flow_ends){ .from = flow, .to = 9 });
        struct sim_packet p = { .flow = flow };
        taken[flow] = sim_path_choice_find("lag")->choose(&node, &p, ports, n);
    }
}

/* The two neighbours get equal numbers of flows, and so do the links to one neighbour. When a link
 * fails, only its flows move, and only to other links to the same neighbour. */
static void
lag_chooses_neighbour_then_link(void **state)
{
    static uint32_t all[N_LAG_FLOWS], less[N_LAG_FLOWS];
    uint32_t n_of[4] = { 0 };

    (void)state;
    choose_lag((const uint16_t[]){ 0, 1, 2, 3 }, 4, all);
    choose_lag((const uint16_t[]){ 0, 2, 3 }, 3, less);
    for (uint32_t flow = 0; flow < N_LAG_FLOWS; flow++) {
        n_of[all[flow]]++;
        assert_true(all[flow] == 1 ? less[flow] == 0 || less[flow] == 2 : less[flow] == all[flow]);
    }
    assert_in_range(n_of[3], 1400, 1600);
    for (uint32_t i = 0; i < 3; i++) {
        assert_in_range(n_of[i], 420, 580);
    }
}

static const struct diamond four_ways = { .host_bps = 10 * G,
                                          .way_bps = { 10 * G, 10 * G, 10 * G, 10 * G },
                                          .n_ways = 4,
                                          .n_pairs = 1,
                                          .delay_ps = 1000000 };

/* Spray sends 8000 packets, 2000 on each path, with a standard deviation of 39. */
static void
spray_uses_all_ways_alike(void **state)
{
    struct net net;

    (void)state;
    diamond_start(&net, &four_ways);
    net.flows[0].bytes = 8000 * 1500;
    net.config.paths = "spray";
    struct sim *sim = hand_run(&net);
    for (uint32_t i = 0; i < four_ways.n_ways; i++) {
        uint32_t port = hand_port(&net, FROM, FIRST_BETWEEN + i);
        assert_in_range(sim_port_result(sim, port).n_sent, 1850, 2150);
    }
    assert_int_equal(sim_flow_result(sim, 0).n_received, 8000);
    uint64_t hash = sim_totals(sim).hash;
    sim_free(sim);
    net.config.run.seed = 2;
    sim = hand_run(&net);
    assert_int_not_equal(sim_totals(sim).hash, hash);
    sim_free(sim);
    net_stop(&net);
}

/* Two paths have half of the host's rate each. 'adaptive' uses both fully, and neither queue
 * exceeds 'low' by more than a packet. */
static void
adaptive_keeps_queues_at_low(void **state)
{
    struct diamond d = four_ways;
    struct net net;

    (void)state;
    d.n_ways = 2;
    d.way_bps[0] = d.way_bps[1] = 5 * G;
    diamond_start(&net, &d);
    net.config.paths = "adaptive";
    struct sim *sim = hand_run(&net);
    assert_true(sim_flow_late_bps(sim, 0) > 9990 * (G / 1000));
    uint64_t held = sim_queue_peak_bytes(sim, hand_port(&net, FROM, net.flows[0].from), 0);
    assert_in_range(held, 1500, 2 * (16000 + 1500));
    sim_free(sim);
    net_stop(&net);
}

/* Results are the same for any number of threads and for a plain event loop, and all packets are
 * accounted for. */
static void
assert_same_everywhere(struct net *net, const char *engine)
{
    struct sim *plain = net_new(net, engine, "rr", 1);
    struct err err = { 0 };

    sim_run_reference(plain);
    assert_true(sim_is_conserved(plain, &err));
    assert_true(sim_totals(plain).n_hops > 1000);
    for (uint32_t n_threads = 1; n_threads <= 3; n_threads++) {
        struct sim *sim = net_run(net, engine, "rr", n_threads);
        assert_int_equal(sim_totals(sim).hash, sim_totals(plain).hash);
        sim_free(sim);
    }
    sim_free(plain);
}

static void
threads_and_windows_do_not_matter(void **state)
{
    static const struct topo_build fat_tree = {
        .k = 4, .link = { .rate_bps = 10 * G, .delay_ps = 1000000 }
    };
    struct net net;

    (void)state;
    net_start(&net, topo_build_fat_tree, &fat_tree, MODEL_ENDLESS, 4);
    net.config.run.until_ps = 150000000;
    for (size_t c = 0; c < N_OF(per_packet); c++) {
        net.config.paths = per_packet[c];
        for (uint32_t e = 0; weir_engine_at(e); e++) {
            assert_same_everywhere(&net, weir_engine_at(e)->about.name);
        }
    }
    net_stop(&net);
}

/* Queries for paths, shares and ideal times use no random numbers: packets take the same paths as
 * without the queries. */
static void
asking_changes_nothing(void **state)
{
    (void)state;
    for (size_t c = 0; c < N_OF(per_packet); c++) {
        uint64_t hashes[2], bps;
        for (uint32_t asks = 0; asks < 2; asks++) {
            uint32_t ports[SIM_MAX_PATH];
            struct net net;
            diamond_start(&net, &four_ways);
            net.config.paths = per_packet[c];
            net.config.run.until_ps = 100000000;
            struct sim *sim = net_new(&net, "none", "rr", 1);
            if (asks) {
                assert_int_equal(sim_flow_path(sim, 0, ports), 0);
                assert_true(sim_flow_arrives(sim, 0) && sim_flow_path_ps(sim, 0) > 0);
                sim_fair_shares(sim, NULL, &bps);
                sim_flow_ideal_ps(sim, 0);
            }
            sim_run(sim);
            hashes[asks] = sim_totals(sim).hash;
            sim_free(sim);
            net_stop(&net);
        }
        assert_int_equal(hashes[0], hashes[1]);
    }
}

/* A flow with its own path stays on it, and its packets stay in order. */
static void
a_pinned_flow_stays_pinned(void **state)
{
    (void)state;
    for (size_t c = 0; c < N_OF(per_packet); c++) {
        uint32_t ports[SIM_MAX_PATH];
        uint16_t path[3];
        struct net net;
        diamond_start(&net, &four_ways);
        const uint32_t hops[4] = { FROM, FIRST_BETWEEN + 2, TO, net.flows[0].to };
        for (uint32_t i = 0; i < 3; i++) {
            path[i] = (uint16_t)net.topo.ports[hand_port(&net, hops[i], hops[i + 1])].number;
        }
        net.flows[0].path = path;
        net.flows[0].n_path = 3;
        net.config.paths = per_packet[c];
        net.config.run.until_ps = 100000000;
        struct sim *sim = hand_run(&net);
        uint32_t way = hand_port(&net, FROM, FIRST_BETWEEN + 2);
        assert_int_equal(sim_flow_path(sim, 0, ports), 4);
        assert_int_equal(ports[1], way);
        assert_true(sim_port_result(sim, way).n_sent > 50);
        assert_int_equal(sim_port_result(sim, way).n_sent,
                         sim_port_result(sim, hand_port(&net, FROM, FIRST_BETWEEN)).n_sent +
                             sim_port_result(sim, way).n_sent);
        assert_int_equal(sim_totals(sim).n_out_of_order, 0);
        sim_free(sim);
        net_stop(&net);
    }
}

/* A packet on a path that is down waits there if the scenario says so.  Once there are new routes,
 * no other packets wait: the switch holds the same bytes 200 us later, but for some packets on
 * their way. */
static void
new_routes_leave_out_what_is_down(void **state)
{
    const weir_ps down_ps = 100000000, reroute_ps = 100000000;

    (void)state;
    for (size_t c = 0; c < N_OF(per_packet); c++) {
        uint64_t waiting[2], n_received[2];
        for (uint32_t later = 0; later < 2; later++) {
            const struct topo_link_event event = { 0, down_ps, false };
            struct net net;
            diamond_start(&net, &four_ways);
            net.config.paths = per_packet[c];
            net.config.link_events = &event;
            net.config.n_link_events = 1;
            net.config.reroute_ps = reroute_ps;
            net.config.dead = MODEL_DEAD_WAIT;
            net.config.run.until_ps = down_ps + reroute_ps + 10000000 + later * 200000000;
            struct sim *sim = hand_run(&net);
            waiting[later] = sim_queue_bytes(sim, hand_port(&net, FROM, net.flows[0].from), 0);
            n_received[later] = sim_flow_result(sim, 0).n_received;
            sim_free(sim);
            net_stop(&net);
        }
        assert_true(waiting[0] > 10 * 1500);
        assert_in_range(waiting[1], waiting[0] - 6 * 1500, waiting[0] + 6 * 1500);
        assert_true(n_received[1] > n_received[0] + 160);
    }
}

/* Ideal times.  In all comments, w is a packet's time at 10 Gb/s; cables have no delay unless it is
 * given. */

#define W 1200000

static const struct {
    struct diamond d;
    uint64_t bytes;
    weir_ps spread_ps, alone_ps; /* The ideal time over all paths, and over the best single path. */
} ideals[] = {
    /* Hosts send n packets, w each, over two paths of 2w: both paths together are as fast as the
     * hosts, and the last packet starts its path of 5w after n w. */
    { { 10 * G, { 5 * G, 5 * G }, 2, 1, 0, { 0 } }, 10 * 1500, 15 * W, 24 * W },
    { { 10 * G, { 5 * G, 5 * G }, 2, 1, 0, { 0 } }, 1500, 6 * W, 6 * W },
    { { 10 * G, { 5 * G, 5 * G }, 2, 1, 0, { 0 } }, 750, 3 * W, 3 * W },
    /* The slow path does not help, because the hosts' links are the bottleneck. */
    { { 10 * G, { 10 * G, 5 * G / 2 }, 2, 1, 0, { 0 } }, 5 * 1500, 8 * W, 8 * W },
    /* Hosts are four times as fast as each of two paths: each path takes 4 of 8 packets. */
    { { 40 * G, { 10 * G, 10 * G }, 2, 1, 0, { 0 } }, 8 * 1500, 11 * W / 2, 19 * W / 2 },
    /* Paths of w and 2w carry 6 and 3 packets in 6w. */
    { { 40 * G, { 10 * G, 5 * G }, 2, 1, 0, { 0 } }, 9 * 1500, 15 * W / 2, 21 * W / 2 },
    /* Three paths carry ten packets in four rounds. */
    { { 40 * G, { 10 * G, 10 * G, 10 * G }, 3, 1, 0, { 0 } }, 10 * 1500, 11 * W / 2, 23 * W / 2 },
    /* The faster path has 10w more cable delay, so the delay of the other path counts. */
    { { 10 * G, { 10 * G, 5 * G }, 2, 1, 0, { 10 * W, 0 } }, 1500, 6 * W, 6 * W },
};

static void
ideal_times_over_several_ways(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(ideals); i++) {
        weir_ps best = WEIR_NEVER;
        struct net net;
        diamond_start(&net, &ideals[i].d);
        net.flows[0].bytes = ideals[i].bytes;
        for (uint64_t seed = 1; seed <= 20; seed++) {
            net.config.run.seed = seed;
            net.config.paths = "hash";
            struct sim *sim = net_new(&net, "none", "rr", 1);
            weir_ps ps = sim_flow_ideal_ps(sim, 0);
            best = ps < best ? ps : best;
            sim_free(sim);
        }
        assert_int_equal(best, ideals[i].alone_ps);
        for (size_t c = 0; c < N_OF(per_packet); c++) {
            net.config.paths = per_packet[c];
            struct sim *sim = net_new(&net, "none", "rr", 1);
            assert_int_equal(sim_flow_ideal_ps(sim, 0), ideals[i].spread_ps);
            sim_free(sim);
        }
        net_stop(&net);
    }
}

/* A single flow of any size, over paths of any speed. By hash it takes exactly its ideal time. By
 * other choices it takes at least the ideal time over all paths, which is at most that of any
 * single path. */
enum { N_DRAWN = 400, N_SEEDS = 4 };

static struct diamond
draw_diamond(uint64_t *chance)
{
    static const uint64_t rates[] = { G, 5 * G / 2, 3 * G, 5 * G, 10 * G, 25 * G, 40 * G };
    static const weir_ps delays[] = { 0, 0, 1000, 1000000, 7654321 };
    struct diamond d = { .host_bps = ONE_OF(chance, rates),
                         .n_ways = 2 + (uint32_t)below(chance, N_WAYS - 1),
                         .n_pairs = 1,
                         .delay_ps = ONE_OF(chance, delays) };
    bool is_even = one_in(chance, 2);

    for (uint32_t i = 0; i < d.n_ways; i++) {
        d.way_bps[i] = i && is_even ? d.way_bps[0] : ONE_OF(chance, rates);
        d.way_delay_ps[i] = is_even ? 0 : ONE_OF(chance, delays);
    }
    return d;
}

static weir_ps
ideal_and_time(struct net *net, const char *paths, uint64_t seed, weir_ps *ideal_ps)
{
    net->config.paths = paths;
    net->config.run.seed = seed;
    struct sim *sim = hand_run(net);
    struct sim_flow_result r = sim_flow_result(sim, 0);

    assert_int_equal(r.received_bytes, net->flows[0].bytes);
    *ideal_ps = sim_flow_ideal_ps(sim, 0);
    sim_free(sim);
    return r.last_ps - r.started_ps;
}

/* Draws a pipeline that is slower than any link, faster than all links, or anything between. */
static void
draw_pipeline(uint64_t *chance, struct net *net, uint64_t *params)
{
    static const uint64_t speeds[] = { 50000, 300000, 1000000, 3000000, 10000000, 1000000000 };
    static const uint64_t delays[] = { 0, 1, 1000000, 25000000 };
    const struct sim_kind *kind = sim_kind_find("pipeline");
    const struct weir_field *fields = kind->about.params;

    weir_fields_default(fields, params);
    weir_field_set(weir_field_find(fields, "pps"), params, ONE_OF(chance, speeds));
    weir_field_set(weir_field_find(fields, "delay"), params, ONE_OF(chance, delays));
    net->config.kind = kind;
    net->config.kind_params = params;
}

static void
try_alone(bool has_pipelines)
{
    uint64_t chance = 1, n_met = 0, n_less = 0, kind_params[16];

    for (uint32_t i = 0; i < N_DRAWN; i++) {
        struct diamond d = draw_diamond(&chance);
        struct net net;
        diamond_start(&net, &d);
        if (has_pipelines) {
            draw_pipeline(&chance, &net, kind_params);
        }
        net.flows[0].bytes =
            (1 + below(&chance, 12)) * 1500 - (one_in(&chance, 2) ? 0 : below(&chance, 1500));
        net.config.gap_bytes = one_in(&chance, 2) ? 0 : 20;
        for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
            weir_ps alone_ps, spread_ps;
            weir_ps took = ideal_and_time(&net, "hash", seed, &alone_ps);
            assert_int_equal(took, alone_ps);
            took = ideal_and_time(&net, per_packet[i % 2], seed, &spread_ps);
            if (took < spread_ps || spread_ps > alone_ps) {
                fail_msg("diamond %u, seed %u: took %lld, ideal %lld, on one way %lld", i,
                         (unsigned)seed, (long long)took, (long long)spread_ps,
                         (long long)alone_ps);
            }
            n_met += took == spread_ps;
            n_less += spread_ps < alone_ps;
        }
        net_stop(&net);
    }
    printf("  %u flows: %llu take just the ideal time, which of %llu is less than on one way\n",
           N_DRAWN * N_SEEDS, (unsigned long long)n_met, (unsigned long long)n_less);
    assert_true(n_met > N_DRAWN / 2 && n_less > N_DRAWN / 2);
}

static void
a_flow_alone_is_no_faster_than_ideal(void **state)
{
    (void)state;
    try_alone(false);
}

static void
nor_is_it_through_pipelines(void **state)
{
    (void)state;
    try_alone(true);
}

/* Two flows over two paths of half a host's rate each get half of both paths; a single flow gets
 * both paths. */
static void
fair_shares_over_several_ways(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 2; n++) {
        const struct diamond d = {
            .host_bps = 10 * G, .way_bps = { 5 * G, 5 * G }, .n_ways = 2, .n_pairs = n
        };
        uint64_t bps[2];
        struct net net;
        diamond_start(&net, &d);
        net.config.paths = "spray";
        struct sim *sim = net_new(&net, "none", "rr", 1);
        sim_fair_shares(sim, NULL, bps);
        assert_int_equal(bps[0], 10 * G / n);
        assert_int_equal(bps[n - 1], 10 * G / n);
        sim_free(sim);
        net_stop(&net);
    }
}

/* Classes count hops, and there are just enough classes for the short path.  A static route makes
 * the other path one hop longer. With hash, the check finds this for the flows that take that path;
 * otherwise it finds it for all flows. */
static struct sim *
try_detour(const char *paths, uint64_t seed, struct err *err)
{
    struct diamond d = four_ways;
    struct net net;

    d.n_ways = 2;
    diamond_build(&net, &d);
    uint32_t detour = hand_switch(&net);
    hand_link(&net, FIRST_BETWEEN + 1, detour, 10 * G, 0);
    hand_link(&net, detour, TO, 10 * G, 0);
    diamond_finish(&net, &d);
    topo_add_static(&net.topo, net.flows[0].to, hand_port(&net, FIRST_BETWEEN + 1, detour));
    topo_route(&net.topo);
    net_use(&net, "ttl");
    net.config.n_classes = 4;
    net.config.lossless = 0xf;
    net.config.paths = paths;
    net.config.run.seed = seed;
    struct sim *sim = simple_net_sim_new(&net.config, err);
    if (sim) {
        sim_free(sim);
    }
    net_stop(&net);
    return sim;
}

static void
every_way_must_have_classes(void **state)
{
    uint32_t n_refused = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct err err = { 0 };
        assert_null(try_detour("spray", seed, &err));
        assert_non_null(strstr(err.text, "run out of classes at S1, switch 4 of 4"));
        assert_null(try_detour("adaptive", seed, &err));
        n_refused += !try_detour("hash", seed, &err);
    }
    assert_in_range(n_refused, 4, 16);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adaptive_takes_what_drains_first),
        cmocka_unit_test(lag_chooses_neighbour_then_link),
        cmocka_unit_test(spray_uses_all_ways_alike),
        cmocka_unit_test(adaptive_keeps_queues_at_low),
        cmocka_unit_test(threads_and_windows_do_not_matter),
        cmocka_unit_test(asking_changes_nothing),
        cmocka_unit_test(a_pinned_flow_stays_pinned),
        cmocka_unit_test(new_routes_leave_out_what_is_down),
        cmocka_unit_test(ideal_times_over_several_ways),
        cmocka_unit_test(a_flow_alone_is_no_faster_than_ideal),
        cmocka_unit_test(nor_is_it_through_pipelines),
        cmocka_unit_test(fair_shares_over_several_ways),
        cmocka_unit_test(every_way_must_have_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Messages that GPUs relay for each other on networks of rails: times by hand, which messages are
 * relayed, a collective on rails that nothing joins, and random messages, whose results depend
 * neither on threads nor on processes nor on windows.
 *
 *     sim-relays            all of them
 *     sim-relays SEED       repeats one random network, by its seed */

#include <stdio.h>

#include "../chance.h"
#include "../graph/tasks.h"
#include "base/array.h"
#include "graph/collective.h"
#include "graph/executor.h"
#include "graph/graph-program.h"
#include "graph/relay-program.h"
#include "loopback.h"
#include "net.h"
#include "script.h"

#define US   ((weir_ps)1000000)
#define NS   ((weir_ps)1000)
#define GBPS ((uint64_t)1000000000)

#if defined(__SANITIZE_ADDRESS__)
enum { N_NETWORKS = 40 };
#else
enum { N_NETWORKS = 200 };
#endif

enum { MTU = 1500, GAP = 24, MAX_RANKS = 16, MAX_LINKS = MAX_RANKS * MAX_RANKS, CHANNELS = 2 };

/* At 100 Gb/s and at 400 Gb/s. */
enum { RAIL_BYTE_PS = 80, FAST_BYTE_PS = 20, SLOW_BYTE_PS = 160 };

struct rails {
    struct net net;
    struct script script;
    struct relay_job relay;
    struct model_job job;
    uint32_t n_ranks, nodes[MAX_RANKS];
    struct relay_place places[MAX_RANKS];
    struct simple_net_flow flows[MAX_LINKS * CHANNELS];
    struct model_connection links[MAX_LINKS * CHANNELS];
    uint32_t n_links;
    uint64_t params[TP_PARAMS_MAX / sizeof(uint64_t)]; /* Parameters of the transport. */
};

static void
build(struct rails *r, uint64_t servers, uint64_t rails, uint64_t spines, uint64_t gpu_bps)
{
    const struct topo_build b = { .servers = servers,
                                  .rails = rails,
                                  .spines = spines,
                                  .per_leaf = WEIR_AUTO,
                                  .gpu_bps = gpu_bps,
                                  .gpu_delay_ps = 200 * NS,
                                  .uplink_bps = 100 * GBPS,
                                  .link = { .rate_bps = 100 * GBPS, .delay_ps = US } };

    *r = (struct rails){ 0 };
    net_start(&r->net, topo_build_rail, &b, MODEL_ENDLESS, 1);
    r->net.config.gap_bytes = GAP;
    r->net.config.buffer.reserve_bytes = 3000000;
    r->net.config.run.until_ps = 100000 * US;
    r->net.config.run.measured.until_ps = US;
    net_use(&r->net, "pfc");
}

static void
add_rank(struct rails *r, uint32_t server, uint32_t rail, uint32_t n_rails)
{
    r->nodes[r->n_ranks] = net_nic(&r->net, server * n_rails + rail);
    r->places[r->n_ranks++] = (struct relay_place){ server, rail };
}

/* A job at all GPUs. */
static void
start(struct rails *r, uint32_t servers, uint32_t rails, uint64_t gpu_bps)
{
    build(r, servers, rails, 0, gpu_bps);
    for (uint32_t i = 0; i < servers * rails; i++) {
        add_rank(r, i / rails, i % rails, rails);
    }
    script_start(&r->script, r->n_ranks);
}

static void
stop(struct rails *r)
{
    relay_job_free(&r->relay);
    script_stop(&r->script);
    net_stop(&r->net);
}

/* Connects all ranks whose messages are not relayed, by two connections each. */
static void
connect_ranks(struct rails *r, const struct simple_net_flow *like)
{
    for (uint32_t i = 0; i < r->n_ranks * r->n_ranks * CHANNELS; i++) {
        uint32_t from = i / CHANNELS / r->n_ranks, to = i / CHANNELS % r->n_ranks;
        if (from == to || relay_between(&r->relay.table, from, to) != RELAY_NONE) {
            continue;
        }
        r->links[r->n_links] = (struct model_connection){
            .rank = from, .peer = to, .channel = i % CHANNELS, .flow = r->n_links
        };
        r->flows[r->n_links] = *like;
        r->flows[r->n_links].from = r->nodes[from];
        r->flows[r->n_links].to = r->nodes[to];
        r->flows[r->n_links++].bytes = MODEL_MESSAGES;
    }
}

static void
relay_program(struct rails *r, const struct program *program, void *what, uint64_t chunk_bytes,
              const struct simple_net_flow *like)
{
    relay_job_init(&r->relay, program, what, r->places, r->n_ranks, chunk_bytes);
    connect_ranks(r, like);
    r->job = (struct model_job){ .program = &r->relay.program,
                                 .what = &r->relay,
                                 .nodes = r->nodes,
                                 .n_ranks = r->n_ranks,
                                 .connections = r->links,
                                 .n_connections = r->n_links };
    r->net.config.mtu_bytes = MTU;
    r->net.config.flows = r->flows;
    r->net.config.n_flows = r->n_links;
    r->net.config.jobs = &r->job;
    r->net.config.n_jobs = 1;
}

static struct sim *
run_rails(struct rails *r, uint32_t n_threads, void (*with)(struct sim *))
{
    struct err err;

    script_rewind(&r->script);
    r->net.config.run.n_threads = n_threads;
    struct sim *sim = simple_net_sim_new(&r->net.config, &err);
    if (!sim) {
        fail_msg("%s", err.text);
    }
    with(sim);
    return net_conserved(sim);
}

/* Times by hand. */

static const struct simple_net_flow raw = { .rate_bps = WEIR_UNLIMITED };

static weir_ps
wire_ps(uint64_t bytes, uint32_t byte_ps)
{
    return (weir_ps)(bytes + GAP * ((bytes + MTU - 1) / MTU)) * byte_ps;
}

/* D(m) over two links. */
static weir_ps
alone_ps(uint64_t bytes, uint32_t byte_ps, weir_ps delay_ps)
{
    return 2 * delay_ps + wire_ps(bytes, byte_ps) + wire_ps(bytes < MTU ? bytes : MTU, byte_ps);
}

static weir_ps
inside_ps(uint64_t bytes, uint32_t byte_ps)
{
    return alone_ps(bytes, byte_ps, 200 * NS);
}

static weir_ps
on_rail_ps(uint64_t bytes)
{
    return alone_ps(bytes, RAIL_BYTE_PS, US);
}

struct sending {
    uint32_t to;
    uint64_t bytes, chunk_bytes, gpu_bps;
};

struct times {
    weir_ps sent_ps, arrived_ps;
    struct program_report relay; /* The results of rank 1. */
};

/* A message of the first of two servers with two rails. */
static struct times
times_of(const struct sending *x)
{
    struct rails r;

    start(&r, 2, 2, x->gpu_bps);
    script_connect(&r.script, 0, x->to, 0);
    script_send(&r.script, 0, (struct script_send){ .bytes = x->bytes, .tag = 7 << 8 });
    relay_program(&r, &script_program, &r.script, x->chunk_bytes, &raw);
    script_job(&r.script, r.nodes);
    struct sim *sim = run_rails(&r, 1, sim_run);
    assert_null(script_check(&r.script, true));
    assert_int_equal(r.script.ranks[x->to].n_seen, 1);
    struct times t = { .sent_ps = r.script.ranks[0].posted[0].sent_ps,
                       .arrived_ps = r.script.ranks[x->to].seen[0].at_ps,
                       .relay = sim_rank_report(sim, 0, 1) };
    assert_int_equal(sim_rank_report(sim, 0, 0).n_sent, 1);
    assert_int_equal(sim_rank_report(sim, 0, x->to).n_arrived, 1);
    sim_free(sim);
    stop(&r);
    return t;
}

/* Ranks 0 and 1 are the rails of the first server, 2 and 3 those of the second one. */
static void
a_message_of_one_chunk_crosses_two_connections(void **state)
{
    (void)state;
    struct times t = times_of(&(struct sending){ 3, 1500, 1500, 400 * GBPS });
    /* Inside: 2 * 200 ns + 2 * 1,524 B * 20 ps; on the rail: 2 * 1 us + 2 * 1,524 B * 80 ps. */
    assert_int_equal(t.arrived_ps, 460960 + 2243840);
    assert_int_equal(t.sent_ps, 30480);
    for (uint64_t bytes = 100; bytes < 60000; bytes = bytes * 3 + 1) {
        t = times_of(&(struct sending){ 3, bytes, 60000, 400 * GBPS });
        assert_int_equal(t.arrived_ps, inside_ps(bytes, FAST_BYTE_PS) + on_rail_ps(bytes));
        assert_int_equal(t.sent_ps, wire_ps(bytes, FAST_BYTE_PS));
        assert_int_equal(t.relay.n_relayed, 1);
        assert_int_equal(t.relay.relayed_bytes, bytes);
        assert_int_equal(t.relay.n_sent, 0);
        assert_int_equal(t.relay.n_arrived, 0);
    }
}

/* The rail is busy from the arrival of the first chunk on. */
static void
chunks_overlap_on_a_slower_rail(void **state)
{
    (void)state;
    struct times t = times_of(&(struct sending){ 3, 6000, 1500, 400 * GBPS });
    /* The first chunk inside; on the rail: 2 * 1 us + 5 * 1,524 B * 80 ps. */
    assert_int_equal(t.arrived_ps, 460960 + 2609600);
    for (uint64_t n = 1; n <= 20; n++) {
        uint64_t chunk = 3 * MTU, bytes = n * chunk - 700;
        t = times_of(&(struct sending){ 3, bytes, chunk, 400 * GBPS });
        uint64_t first = bytes < chunk ? bytes : chunk;
        assert_int_equal(t.arrived_ps, inside_ps(first, FAST_BYTE_PS) + on_rail_ps(bytes));
        assert_int_equal(t.sent_ps, wire_ps(bytes, FAST_BYTE_PS));
        assert_int_equal(t.relay.n_relayed, 1);
        assert_int_equal(t.relay.relayed_bytes, bytes);
    }
}

/* Each chunk has left the relay before the next one has arrived there. */
static void
chunks_overlap_on_slower_links_inside(void **state)
{
    const uint64_t gpu_bps = 50 * GBPS;

    (void)state;
    for (uint64_t n = 1; n <= 20; n++) {
        uint64_t chunk = 3 * MTU;
        struct times t = times_of(&(struct sending){ 3, n * chunk, chunk, gpu_bps });
        assert_int_equal(t.arrived_ps, inside_ps(n * chunk, SLOW_BYTE_PS) + on_rail_ps(chunk));
    }
}

static void
messages_of_a_rail_or_a_server_are_not_relayed(void **state)
{
    (void)state;
    struct times rail = times_of(&(struct sending){ 2, 20000, 1500, 400 * GBPS });
    assert_int_equal(rail.arrived_ps, on_rail_ps(20000));
    assert_int_equal(rail.relay.n_relayed, 0);
    struct times server = times_of(&(struct sending){ 1, 20000, 1500, 400 * GBPS });
    assert_int_equal(server.arrived_ps, inside_ps(20000, FAST_BYTE_PS));
    assert_int_equal(server.relay.n_relayed, 0);
}

/* A message without bytes is a packet of 64 B on both connections. */
static void
a_message_without_bytes_is_relayed(void **state)
{
    (void)state;
    struct times t = times_of(&(struct sending){ 3, 0, 1500, 400 * GBPS });
    assert_int_equal(t.arrived_ps, inside_ps(64, FAST_BYTE_PS) + on_rail_ps(64));
    assert_int_equal(t.relay.n_relayed, 1);
    assert_int_equal(t.relay.relayed_bytes, 0);
}

static void
both_connections_have_the_same_number(void **state)
{
    struct rails r;

    (void)state;
    start(&r, 2, 2, 400 * GBPS);
    script_connect(&r.script, 0, 3, 0);
    script_connect(&r.script, 0, 3, 0);
    script_send(&r.script, 0, (struct script_send){ .link = 1, .bytes = 5000 });
    relay_program(&r, &script_program, &r.script, 2000, &raw);
    script_job(&r.script, r.nodes);
    struct sim *sim = run_rails(&r, 1, sim_run);
    for (uint32_t i = 0; i < r.n_links; i++) {
        const struct model_connection *x = &r.links[i];
        bool is_used =
            x->channel == 1 && ((x->rank == 0 && x->peer == 1) || (x->rank == 1 && x->peer == 3));
        assert_int_equal(sim_flow_result(sim, i).received_bytes, is_used ? 5000 : 0);
    }
    sim_free(sim);
    stop(&r);
}

static void
relays_are_found_by_server_and_rail(void **state)
{
    const struct relay_place places[] = {
        { 4, 1 }, { 4, 0 }, { 9, 0 }, { 9, 1 }, { 9, 1 }, { 7, 2 }
    };
    struct relay_table t;

    (void)state;
    relay_table_init(&t, places, N_OF(places));
    assert_int_equal(relay_between(&t, 0, 2), 1);
    assert_int_equal(relay_between(&t, 2, 0), 3);
    assert_int_equal(relay_between(&t, 1, 4), 0);
    assert_int_equal(relay_between(&t, 0, 1), RELAY_NONE);
    assert_int_equal(relay_between(&t, 0, 3), RELAY_NONE);
    assert_int_equal(relay_between(&t, 0, 5), RELAY_NONE); /* The server has no rail 2. */
    assert_int_equal(relay_between(&t, 5, 0), RELAY_NONE);
    relay_table_free(&t);
}

/* Rails that nothing joins. */

static void
add_all_to_all(struct graph *g, uint32_t n, uint64_t bytes)
{
    uint32_t members[MAX_RANKS];
    struct err err;

    for (uint32_t i = 0; i < n; i++) {
        members[i] = i;
    }
    graph_init(g, n);
    struct graph_collective c = { .group = graph_add_group(g, members, n),
                                  .params = { .algorithm = coll_algorithm_find("direct"),
                                              .op = COLL_ALL_TO_ALL,
                                              .n = n,
                                              .channels = 1,
                                              .window = MAX_RANKS,
                                              .bytes = bytes } };
    uint32_t number = graph_add_collective(g, c);
    for (uint32_t rank = 0; rank < n; rank++) {
        add_collective(g, rank, number, bytes);
    }
    assert_true(graph_finish(g, &err));
}

/* Each rank relays the messages of the ranks of its server to the other servers on its rail. */
static void
an_exchange_crosses_rails_that_nothing_joins(void **state)
{
    enum { SERVERS = 4, RAILS = 3, N = SERVERS * RAILS, SHARE = 10000 };
    struct graph graph;
    struct graph_job what = { .graph = &graph };
    struct rails r;

    (void)state;
    start(&r, SERVERS, RAILS, 400 * GBPS);
    add_all_to_all(&graph, N, N * SHARE);
    relay_program(&r, &graph_program, &what, 3000, &raw);
    struct sim *sim = run_rails(&r, 1, sim_run);
    for (uint32_t i = 0; i < N; i++) {
        struct program_report report = sim_rank_report(sim, 0, i);
        assert_true(report.end_ps > 0);
        assert_int_equal(report.n_sent, N - 1);
        assert_int_equal(report.n_arrived, N - 1);
        assert_int_equal(report.n_relayed, (SERVERS - 1) * (RAILS - 1));
        assert_int_equal(report.relayed_bytes, (SERVERS - 1) * (RAILS - 1) * SHARE);
        const struct executor *x = relay_inner(sim_rank_state(sim, 0, i));
        assert_true(executor_is_done(x));
    }
    sim_free(sim);
    graph_free(&graph);
    stop(&r);
}

/* Without relays, a message to another rail and server has no connection. */
static void
without_relays_rails_stay_apart(void **state)
{
    struct graph graph;
    struct graph_job what = { .graph = &graph };
    struct rails r;

    (void)state;
    start(&r, 2, 2, 400 * GBPS);
    add_all_to_all(&graph, 4, 40000);
    relay_program(&r, &graph_program, &what, 3000, &raw);
    r.job.program = &graph_program;
    r.job.what = &what;
    struct sim *sim = run_rails(&r, 1, sim_run);
    assert_int_equal(sim_rank_report(sim, 0, 0).end_ps, -1);
    assert_string_equal(sim_rank_report(sim, 0, 0).waits_for, "rank 0 has no connection to rank 3");
    sim_free(sim);
    graph_free(&graph);
    stop(&r);
}

/* Random messages. */

struct counts {
    unsigned n_run, n_processes;
    uint64_t n_messages, n_relayed;
};

static struct simple_net_flow
draw_transport(struct rails *r, uint64_t *chance)
{
    static const char *const names[] = { "raw", "rdma", "dcqcn" };
    const struct transport *transport = transport_find(ONE_OF(chance, names));

    weir_fields_default(transport->about.params, r->params);
    return (struct simple_net_flow){ .rate_bps = WEIR_UNLIMITED,
                                     .transport = transport,
                                     .transport_params = r->params };
}

/* Some GPUs have no rank, if spines join the rails. */
static void
draw_ranks(struct rails *r, uint64_t *chance)
{
    uint32_t servers = 2 + (uint32_t)below(chance, 3), rails = 1 + (uint32_t)below(chance, 4);
    uint64_t spines = below(chance, 3);
    uint64_t gpu_bps = (25 + below(chance, 800)) * GBPS;

    build(r, servers, rails, spines, gpu_bps);
    for (uint32_t i = 0; i < servers * rails; i++) {
        if (!spines || !one_in(chance, 5)) {
            add_rank(r, i / rails, i % rails, rails);
        }
    }
    script_start(&r->script, r->n_ranks);
}

static void
draw_messages(struct rails *r, uint64_t *chance)
{
    for (uint32_t i = 0; i < r->n_ranks * r->n_ranks; i++) {
        uint32_t from = i / r->n_ranks, to = i % r->n_ranks;
        for (uint32_t k = 0; from != to && k < CHANNELS; k++) {
            script_connect(&r->script, from, to, 0);
        }
    }
    for (uint64_t n = r->n_ranks < 2 ? 0 : 10 + below(chance, 60); n; n--) {
        uint32_t answers = (uint32_t)below(chance, 4);
        script_send(
            &r->script, (uint32_t)below(chance, r->n_ranks),
            (struct script_send){ .at_ps = one_in(chance, 2) ? 0 : (weir_ps)below(chance, 50000000),
                                  .link = (uint32_t)below(chance, CHANNELS * (r->n_ranks - 1)),
                                  .bytes = one_in(chance, 6) ? 0 : below(chance, 40000),
                                  .tag = weir_random(chance) << 8 | answers });
    }
    script_job(&r->script, r->nodes);
}

/* Adds up the messages that the script has posted, by relay. */
static void
check_relayed(const struct rails *r, const struct sim *sim, struct counts *t)
{
    uint64_t n[MAX_RANKS] = { 0 }, bytes[MAX_RANKS] = { 0 };

    for (uint32_t i = 0; i < r->n_ranks; i++) {
        const struct script_rank *s = &r->script.ranks[i];
        for (size_t k = 0; k < s->n_posted; k++) {
            uint32_t to = r->script.links[s->first_link + s->posted[k].link].peer;
            uint32_t relay = relay_between(&r->relay.table, i, to);
            if (relay != RELAY_NONE) {
                n[relay]++;
                bytes[relay] += s->posted[k].bytes;
            }
        }
    }
    for (uint32_t i = 0; i < r->n_ranks; i++) {
        struct program_report report = sim_rank_report(sim, 0, i);
        assert_int_equal(report.n_relayed, n[i]);
        assert_int_equal(report.relayed_bytes, bytes[i]);
        assert_int_equal(report.n_sent, r->script.ranks[i].n_posted);
        assert_int_equal(report.n_arrived, r->script.ranks[i].n_seen);
        t->n_relayed += n[i];
    }
}

/* All messages arrive, since nothing is lost. */
static void
check_run(const struct rails *r, const struct sim *sim, struct counts *t)
{
    const char *wrong = script_check(&r->script, true);

    assert_string_equal(wrong ? wrong : "", "");
    assert_int_equal(script_n_arrived(&r->script), script_n_posted(&r->script));
    assert_int_equal(script_n_sent(&r->script), script_n_posted(&r->script));
    check_relayed(r, sim, t);
}

static void
check_processes(struct rails *r, const struct sim *alone, uint64_t seed, struct counts *t)
{
    struct program_report reports[MAX_RANKS];
    uint32_t n = (uint32_t)(2 + seed % 3);
    struct sim *sims[4];

    if (n > r->net.topo.n_switches || sim_totals(alone).n_windows > 3000) {
        return;
    }
    for (uint32_t i = 0; i < r->n_ranks; i++) {
        reports[i] = sim_rank_report(alone, 0, i);
    }
    struct loopback *x = loopback_new(n);
    script_rewind(&r->script);
    r->net.config.run.n_threads = 1;
    assert_true(loopback_run(x, loopback_simple_net, &r->net.config, sims));
    struct sim_totals a = sim_totals(alone), b = sim_totals(sims[0]);
    assert_memory_equal(&a, &b, sizeof a);
    for (uint32_t i = 0; i < r->n_ranks; i++) {
        struct program_report report = sim_rank_report(sims[0], 0, i);
        assert_memory_equal(&report, &reports[i], sizeof report);
    }
    for (uint32_t i = 0; i < n; i++) {
        sim_free(sims[i]);
    }
    loopback_free(x);
    t->n_processes++;
}

static void
check_hash(struct rails *r, uint32_t n_threads, void (*with)(struct sim *), uint64_t hash)
{
    struct sim *sim = run_rails(r, n_threads, with);

    assert_true(sim_totals(sim).hash == hash);
    sim_free(sim);
}

static void
try_network(uint64_t seed, struct counts *t)
{
    uint64_t chance = seed * 0x72656c6179;
    struct rails r;

    draw_ranks(&r, &chance);
    draw_messages(&r, &chance);
    struct simple_net_flow like = draw_transport(&r, &chance);
    relay_program(&r, &script_program, &r.script, 1 + below(&chance, 9000), &like);
    if (r.n_links) {
        struct sim *alone = run_rails(&r, 1, sim_run);
        uint64_t hash = sim_totals(alone).hash;
        check_run(&r, alone, t);
        t->n_run++;
        t->n_messages += script_n_posted(&r.script);
        check_processes(&r, alone, seed, t);
        sim_free(alone);
        check_hash(&r, 2 + seed % 2, sim_run, hash);
        check_hash(&r, 1, sim_run_reference, hash);
    }
    stop(&r);
}

static void
relays_keep_the_laws(void **state)
{
    struct counts t = { 0 };

    (void)state;
    for (uint64_t seed = 1; seed <= N_NETWORKS; seed++) {
        try_network(seed, &t);
    }
    printf("  %u networks with %llu messages, of which %llu are relayed; %u with processes\n",
           t.n_run, (unsigned long long)t.n_messages, (unsigned long long)t.n_relayed,
           t.n_processes);
    assert_true(t.n_run > N_NETWORKS / 2 && t.n_processes > N_NETWORKS / 8);
    assert_true(t.n_relayed > t.n_messages / 5);
}

static void
this_network_keeps_the_laws(void **state)
{
    struct counts t = { 0 };

    try_network(strtoull(*state, NULL, 0), &t);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(a_message_of_one_chunk_crosses_two_connections),
        cmocka_unit_test(chunks_overlap_on_a_slower_rail),
        cmocka_unit_test(chunks_overlap_on_slower_links_inside),
        cmocka_unit_test(messages_of_a_rail_or_a_server_are_not_relayed),
        cmocka_unit_test(a_message_without_bytes_is_relayed),
        cmocka_unit_test(both_connections_have_the_same_number),
        cmocka_unit_test(relays_are_found_by_server_and_rail),
        cmocka_unit_test(an_exchange_crosses_rails_that_nothing_joins),
        cmocka_unit_test(without_relays_rails_stay_apart),
        cmocka_unit_test(relays_keep_the_laws),
    };
    const struct CMUnitTest one[] = { cmocka_unit_test_prestate(this_network_keeps_the_laws,
                                                                argv[1]) };

    return argc > 1 ? cmocka_run_group_tests(one, NULL, NULL)
                    : cmocka_run_group_tests(all, NULL, NULL);
}

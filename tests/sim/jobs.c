/* Jobs that run graphs of tasks: closed forms of collectives on a star, graphs that cannot go on,
 * and random graphs, whose results depend neither on threads nor on ranks nor on windows.
 *
 *     sim-jobs            all of them
 *     sim-jobs SEED       repeats one random graph, by its seed */

#include <stdio.h>

#include "../chance.h"
#include "../graph/tasks.h"
#include "base/array.h"
#include "draw.h"
#include "graph/collective.h"
#include "graph/executor.h"
#include "graph/graph-program.h"
#include "graph/relay-program.h"
#include "loopback.h"
#include "net.h"

#define US   ((weir_ps)1000000)
#define GBPS ((uint64_t)1000000000)

#if defined(__SANITIZE_ADDRESS__)
enum { N_GRAPHS = 40 };
#else
enum { N_GRAPHS = 200 };
#endif

enum { MTU = 1500, GAP = 24, BYTE_PS = 80, MAX_RANKS = 8, MAX_PROCESSES = 4, MAX_WINDOWS = 1500 };

/* Connections between all pairs of some hosts, after 'n_before' other flows. */
struct mesh {
    uint32_t nodes[MAX_RANKS], n_ranks;
    struct simple_net_flow *flows;
    uint32_t n_flows;
    struct model_connection *links;
    size_t n_links;
};

static void
make_mesh(struct mesh *m, uint32_t channels, const struct simple_net_flow *before,
          uint32_t n_before, const struct simple_net_flow *like)
{
    size_t most = (size_t)m->n_ranks * m->n_ranks * channels;

    m->flows = array_new(n_before + most, sizeof *m->flows);
    m->links = array_new(most, sizeof *m->links);
    for (uint32_t i = 0; i < n_before; i++) {
        m->flows[m->n_flows++] = before[i];
    }
    for (uint32_t i = 0; i < most; i++) {
        uint32_t rank = i / channels / m->n_ranks, peer = i / channels % m->n_ranks;
        if (rank != peer) {
            m->links[m->n_links++] =
                (struct model_connection){ rank, peer, i % channels, m->n_flows };
            struct simple_net_flow *f = &m->flows[m->n_flows++];
            *f = *like;
            f->from = m->nodes[rank];
            f->to = m->nodes[peer];
            f->bytes = MODEL_MESSAGES;
        }
    }
}

static void
free_mesh(struct mesh *m)
{
    free(m->flows);
    free(m->links);
}

/* A star with a job. */

struct star {
    struct net net;
    struct mesh mesh;
    struct graph graph;
    struct graph_job what;
    struct model_job job;
};

static void
start_star(struct star *s, uint32_t n_ranks)
{
    const struct simple_net_flow like = { .rate_bps = WEIR_UNLIMITED };

    *s = (struct star){ 0 };
    net_start_star(&s->net, n_ranks < 3 ? 3 : n_ranks, 100 * GBPS, US);
    s->net.config.gap_bytes = GAP;
    s->net.config.mtu_bytes = MTU;
    s->net.config.run.until_ps = 100000 * US;
    s->net.config.run.measured.until_ps = 1;
    net_use(&s->net, "pfc");
    s->mesh.n_ranks = n_ranks;
    for (uint32_t i = 0; i < n_ranks; i++) {
        s->mesh.nodes[i] = net_nic(&s->net, i);
    }
    make_mesh(&s->mesh, 1, NULL, 0, &like);
    graph_init(&s->graph, n_ranks);
}

static struct sim *
run_star(struct star *s)
{
    struct err err;

    s->what = (struct graph_job){ .graph = &s->graph, .options = EXECUTOR_RECORDS };
    s->job = (struct model_job){ .program = &graph_program,
                                 .what = &s->what,
                                 .nodes = s->mesh.nodes,
                                 .n_ranks = s->mesh.n_ranks,
                                 .connections = s->mesh.links,
                                 .n_connections = s->mesh.n_links };
    s->net.config.flows = s->mesh.flows;
    s->net.config.n_flows = s->mesh.n_flows;
    s->net.config.jobs = &s->job;
    s->net.config.n_jobs = 1;
    struct sim *sim = simple_net_sim_new(&s->net.config, &err);
    if (!sim) {
        fail_msg("%s", err.text);
    }
    sim_run(sim);
    return net_conserved(sim);
}

static void
stop_star(struct star *s)
{
    graph_free(&s->graph);
    free_mesh(&s->mesh);
    net_stop(&s->net);
}

/* When the last rank is done. */
static weir_ps
end_of(const struct sim *sim, uint32_t n_ranks)
{
    weir_ps end = 0;

    for (uint32_t i = 0; i < n_ranks; i++) {
        struct program_report r = sim_rank_report(sim, 0, i);
        assert_true(r.end_ps >= 0);
        assert_string_equal(r.waits_for, "");
        end = r.end_ps > end ? r.end_ps : end;
    }
    return end;
}

static weir_ps
wire_ps(uint64_t bytes)
{
    return (weir_ps)(bytes + GAP * ((bytes + MTU - 1) / MTU)) * BYTE_PS;
}

/* D(m) over the two links of a star. */
static weir_ps
alone_ps(uint64_t bytes)
{
    return 2 * US + wire_ps(bytes) + wire_ps(bytes < MTU ? bytes : MTU);
}

static weir_ps
collective_ps(uint32_t n, enum coll_op op, const char *algorithm, uint64_t bytes)
{
    uint32_t members[MAX_RANKS] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    struct star s;
    struct err err;

    start_star(&s, n);
    struct graph_collective c = { .group = graph_add_group(&s.graph, members, n),
                                  .params = { .algorithm = coll_algorithm_find(algorithm),
                                              .op = op,
                                              .n = n,
                                              .channels = 1,
                                              .window = MAX_RANKS,
                                              .bytes = bytes } };
    uint32_t number = graph_add_collective(&s.graph, c);
    for (uint32_t rank = 0; rank < n; rank++) {
        add_collective(&s.graph, rank, number, bytes);
    }
    assert_true(graph_finish(&s.graph, &err));
    struct sim *sim = run_star(&s);
    weir_ps end = end_of(sim, n);
    sim_free(sim);
    stop_star(&s);
    return end;
}

static const uint64_t shares[] = { 100, 1500, 1600, 15000, 100001 };

static void
rings_take_their_time(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= MAX_RANKS; n++) {
        for (size_t i = 0; i < N_OF(shares); i++) {
            weir_ps step = alone_ps(shares[i]);
            uint64_t all = n * shares[i];
            assert_int_equal(collective_ps(n, COLL_ALL_REDUCE, "ring", all), 2 * (n - 1) * step);
            assert_int_equal(collective_ps(n, COLL_ALL_GATHER, "ring", all), (n - 1) * step);
            assert_int_equal(collective_ps(n, COLL_REDUCE_SCATTER, "ring", all), (n - 1) * step);
        }
    }
}

static void
halving_and_doubling_take_their_time(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= MAX_RANKS; n *= 2) {
        for (size_t i = 0; i < N_OF(shares); i++) {
            uint64_t all = MAX_RANKS * shares[i];
            weir_ps sum = 0;
            for (uint32_t part = 2; part <= n; part *= 2) {
                sum += 2 * alone_ps(all / part);
            }
            assert_int_equal(collective_ps(n, COLL_ALL_REDUCE, "halving-doubling", all), sum);
        }
    }
}

/* Each rank begins with the next one, so that no two packets meet. */
static void
an_exchange_takes_its_time(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= MAX_RANKS; n++) {
        for (size_t i = 0; i < N_OF(shares); i++) {
            uint64_t m = shares[i];
            assert_int_equal(collective_ps(n, COLL_ALL_TO_ALL, "direct", n * m),
                             2 * US + (n - 1) * wire_ps(m) + wire_ps(m < MTU ? m : MTU));
        }
    }
}

/* The same ring, step by step, with a calculation before each send but the first. */
static void
a_ring_of_tasks_takes_its_time(void **state)
{
    enum { N = 4, STEPS = 2 * (N - 1) };
    const weir_ps calc_ps = 3 * US;
    uint64_t share = 20000;
    struct star s;
    struct err err;

    (void)state;
    start_star(&s, N);
    for (uint32_t rank = 0; rank < N; rank++) {
        uint32_t before = GRAPH_NONE;
        for (uint32_t step = 0; step < STEPS; step++) {
            uint32_t send = add_send(&s.graph, rank, (rank + 1) % N, share, 0);
            uint32_t recv = add_recv(&s.graph, rank, (rank + N - 1) % N, share, 0);
            uint32_t calc = add_calc(&s.graph, rank, (uint64_t)calc_ps, 0);
            require(&s.graph, rank, calc, recv);
            if (before != GRAPH_NONE) {
                require(&s.graph, rank, send, before);
            }
            before = calc;
        }
    }
    assert_true(graph_finish(&s.graph, &err));
    struct sim *sim = run_star(&s);
    assert_int_equal(end_of(sim, N), STEPS * (alone_ps(share) + calc_ps));
    const struct executor *x = sim_rank_state(sim, 0, 2);
    for (uint32_t step = 0; step < STEPS; step++) {
        const struct executor_record *send = &x->records[3 * step], *recv = send + 1;
        weir_ps at = step * (alone_ps(share) + calc_ps);
        assert_true(send->start_ps == at && send->end_ps == at + wire_ps(share));
        assert_int_equal(recv->end_ps, at + alone_ps(share));
        assert_true(recv->source == 1 && recv->source_task == 3 * step);
    }
    for (uint32_t rank = 0; rank < N; rank++) {
        struct program_report r = sim_rank_report(sim, 0, rank);
        assert_int_equal(r.computing_ps, STEPS * calc_ps);
        assert_int_equal(r.network_ps, STEPS * alone_ps(share));
        assert_int_equal(r.n_sent, STEPS);
        assert_int_equal(r.n_arrived, STEPS);
    }
    sim_free(sim);
    stop_star(&s);
}

/* The run ends early, and each rank reports its cause. */
static void
a_graph_that_cannot_go_on_is_reported(void **state)
{
    struct graph_cycle cycle;
    struct star s;

    (void)state;
    start_star(&s, 3);
    add_send(&s.graph, 0, 1, 5000, 1);
    add_recv(&s.graph, 1, 0, 5000, 1);
    uint32_t recv = add_recv(&s.graph, 1, 2, 80, 5);
    require(&s.graph, 1, add_calc(&s.graph, 1, 1000, 0), recv);
    for (uint32_t rank = 0; rank < 3; rank++) {
        assert_true(graph_finish_rank(&s.graph, rank, &cycle));
    }
    struct sim *sim = run_star(&s);
    assert_true(sim_now(sim) < 100 * US);
    assert_true(sim_rank_report(sim, 0, 0).end_ps >= 0);
    assert_int_equal(sim_rank_report(sim, 0, 1).end_ps, -1);
    struct program_report r = sim_rank_report(sim, 0, 1);
    assert_string_equal(
        r.waits_for,
        "rank 1: task 1 (recv of 80 B from rank 2, tag 5) waits for a message of rank 2");
    sim_free(sim);
    stop_star(&s);
}

/* Random graphs on random networks. */

struct trial {
    struct draw d;
    struct mesh mesh;
    uint64_t seed;
    struct graph graphs[1 + MAX_PROCESSES]; /* The first one is for a single process. */
    struct graph_job what[1 + MAX_PROCESSES];
    struct relay_job relays[1 + MAX_PROCESSES];
    struct model_job jobs[1 + MAX_PROCESSES];
};

/* Each task may wait for earlier ones of its rank.  Both ends of a message come at the same place
 * of a common order, so no ranks wait for each other in a cycle. */
static void
add_task(struct graph *g, uint32_t rank, uint32_t task, uint64_t *chance)
{
    for (uint64_t n = below(chance, 3); n && task; n--) {
        graph_require(g, rank, task, (uint32_t)below(chance, task),
                      one_in(chance, 4) ? GRAPH_AFTER_START : GRAPH_AFTER_END);
    }
}

static void
draw_collective(struct graph *g, uint64_t *chance)
{
    static const char *const algorithms[] = { "ring", "direct", "halving-doubling", "pat" };
    struct coll_params p = { .algorithm = coll_algorithm_find(ONE_OF(chance, algorithms)),
                             .op = (enum coll_op)below(chance, COLL_N_OPS),
                             .n = g->n_ranks,
                             .channels = 1 + (uint32_t)below(chance, 3),
                             .window = COLL_WINDOW,
                             .bytes = 1 + below(chance, 30000),
                             .chunk_bytes = one_in(chance, 2) ? 2000 : 0 };
    struct err err;

    p.bytes = p.op == COLL_BARRIER ? 0 : p.bytes;
    if (!coll_check(&p, &err)) {
        return;
    }
    struct graph_collective c = { .params = p };
    uint32_t number = graph_add_collective(g, c);
    for (uint32_t rank = 0; rank < g->n_ranks; rank++) {
        uint32_t before = (uint32_t)g->ranks[rank].n_tasks;
        uint32_t task = add_collective(g, rank, number, p.bytes);
        if (before) { /* Ranks start collectives in the same order. */
            require(g, rank, task, before - 1);
        }
    }
}

static void
draw_message(struct graph *g, uint64_t *chance)
{
    uint32_t from = (uint32_t)below(chance, g->n_ranks), to = (uint32_t)below(chance, g->n_ranks);
    uint32_t tag = (uint32_t)below(chance, 2);
    uint64_t bytes = one_in(chance, 5) ? 0 : below(chance, 12000);

    add_task(g, from, add_send(g, from, to, bytes, tag), chance);
    add_task(g, to, add_recv(g, to, from, bytes, tag), chance);
}

/* Collectives wait for all tasks before them, so all tasks are in one chain of their rank. */
static void
draw_graph(const struct trial *l, struct graph *g)
{
    uint64_t chance = l->seed ^ 0x6772617068;
    uint32_t members[MAX_RANKS] = { 0, 1, 2, 3, 4, 5, 6, 7 };

    graph_init(g, l->mesh.n_ranks);
    graph_add_group(g, members, g->n_ranks);
    for (uint64_t n = 5 + below(&chance, 60); n; n--) {
        uint32_t rank = (uint32_t)below(&chance, g->n_ranks);
        if (one_in(&chance, 12)) {
            draw_collective(g, &chance);
        } else if (one_in(&chance, 3)) {
            add_task(g, rank, add_calc(g, rank, below(&chance, 20000000), 0), &chance);
        } else {
            draw_message(g, &chance);
        }
    }
    for (uint32_t rank = 0; rank < g->n_ranks; rank++) {
        struct graph_cycle cycle;
        assert_true(graph_finish_rank(g, rank, &cycle));
    }
}

/* In half of the trials, ranks relay messages for each other, although all have connections. */
static void
add_relays(struct trial *l, uint32_t i)
{
    uint64_t chance = l->seed ^ 0x72656c6179;
    struct relay_place places[MAX_RANKS];

    if (one_in(&chance, 2)) {
        return;
    }
    for (uint32_t rank = 0; rank < l->mesh.n_ranks; rank++) {
        places[rank] =
            (struct relay_place){ (uint32_t)below(&chance, 3), (uint32_t)below(&chance, 3) };
    }
    relay_job_init(&l->relays[i], &graph_program, &l->what[i], places, l->mesh.n_ranks,
                   1 + below(&chance, 5000));
    l->jobs[i].program = &l->relays[i].program;
    l->jobs[i].what = &l->relays[i];
}

static void
make_job(struct trial *l, uint32_t i)
{
    relay_job_free(&l->relays[i]);
    graph_free(&l->graphs[i]);
    draw_graph(l, &l->graphs[i]);
    l->what[i] = (struct graph_job){ .graph = &l->graphs[i] };
    l->jobs[i] = (struct model_job){ .program = &graph_program,
                                     .what = &l->what[i],
                                     .nodes = l->mesh.nodes,
                                     .n_ranks = l->mesh.n_ranks,
                                     .start_ps = (weir_ps)(l->seed % 7) * 100000,
                                     .connections = l->mesh.links,
                                     .n_connections = l->mesh.n_links };
    add_relays(l, i);
}

static void
start_trial(struct trial *l, uint64_t seed)
{
    *l = (struct trial){ .seed = seed };
    draw_start(&l->d, seed);
    struct simple_net *c = &l->d.config;
    struct simple_net_flow like = l->d.flows[0];
    uint32_t n_others = seed % 2 ? 0 : c->n_flows;

    like.path = NULL;
    like.n_path = 0;
    like.after = like.group = 0;
    like.start_ps = like.stop_ps = 0;
    for (uint32_t id = 0; id < l->d.topo.n_nodes && l->mesh.n_ranks < MAX_RANKS; id++) {
        if (l->d.topo.nodes[id].kind == TOPO_NIC) {
            l->mesh.nodes[l->mesh.n_ranks++] = id;
        }
    }
    make_mesh(&l->mesh, 1 + seed % 2, l->d.flows, n_others, &like);
    c->flows = l->mesh.flows;
    c->n_flows = l->mesh.n_flows;
    c->n_jobs = 1;
    c->run.measured.until_ps = seed % 3 ? 1 : 0;
}

static void
stop_trial(struct trial *l)
{
    for (uint32_t i = 0; i <= MAX_PROCESSES; i++) {
        relay_job_free(&l->relays[i]);
        graph_free(&l->graphs[i]);
    }
    free_mesh(&l->mesh);
    draw_stop(&l->d);
}

static struct sim *
run_trial(struct trial *l, uint32_t n_threads, void (*run)(struct sim *))
{
    make_job(l, 0);
    l->d.config.jobs = &l->jobs[0];
    struct sim *sim = draw_sim(&l->d, n_threads);
    if (sim) {
        run(sim);
    }
    return sim;
}

static struct sim *
make_process(void *arg, const struct sim_ranks *ranks)
{
    struct trial *l = arg;
    struct simple_net of_rank = l->d.config;
    struct err err;

    make_job(l, 1 + ranks->rank);
    of_rank.jobs = &l->jobs[1 + ranks->rank];
    of_rank.run.ranks = ranks;
    return simple_net_sim_new(&of_rank, &err);
}

static bool
try_processes(struct trial *l, const struct sim *alone)
{
    uint32_t n = (uint32_t)(2 + l->seed % (MAX_PROCESSES - 1));
    struct sim *sims[MAX_PROCESSES];

    n = n < l->d.topo.n_switches ? n : l->d.topo.n_switches;
    if (n < 2 || sim_totals(alone).n_windows > MAX_WINDOWS) {
        return false;
    }
    struct loopback *x = loopback_new(n);
    assert_true(loopback_run(x, make_process, l, sims));
    struct sim_totals a = sim_totals(alone), b = sim_totals(sims[0]);
    if (memcmp(&a, &b, sizeof a)) {
        draw_fail(&l->d, l->seed, "ranks changed the results");
    }
    for (uint32_t i = 0; i < l->mesh.n_ranks; i++) {
        struct program_report r = sim_rank_report(alone, 0, i), s = sim_rank_report(sims[0], 0, i);
        if (memcmp(&r, &s, sizeof r)) {
            draw_fail(&l->d, l->seed, "ranks changed a report");
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        sim_free(sims[i]);
    }
    loopback_free(x);
    return true;
}

struct counts {
    unsigned n_run, n_done, n_processes, n_early;
    uint64_t n_messages, n_relayed;
};

static void
count_trial(const struct trial *l, const struct sim *sim, struct counts *t)
{
    bool is_done = true;

    for (uint32_t i = 0; i < l->mesh.n_ranks; i++) {
        struct program_report r = sim_rank_report(sim, 0, i);
        is_done &= r.end_ps >= 0;
        t->n_messages += r.n_arrived;
        t->n_relayed += r.n_relayed;
        if ((r.end_ps < 0) != (r.begin_ps < 0 || r.waits_for[0])) {
            draw_fail(&l->d, l->seed, "a rank that is not done waits for nothing");
        }
    }
    t->n_run++;
    t->n_done += is_done;
    t->n_early += sim_now(sim) < l->d.config.run.until_ps;
}

static void
try_graph(uint64_t seed, struct counts *t)
{
    struct trial l;

    start_trial(&l, seed);
    struct sim *alone = l.mesh.n_ranks > 1 ? run_trial(&l, 1, sim_run) : NULL;
    if (alone) {
        uint64_t hash = sim_totals(alone).hash;
        count_trial(&l, alone, t);
        t->n_processes += try_processes(&l, alone);
        sim_free(alone);
        struct sim *threads = run_trial(&l, 2 + seed % 2, sim_run);
        if (sim_totals(threads).hash != hash) {
            draw_fail(&l.d, seed, "threads changed the results");
        }
        sim_free(threads);
        struct sim *plain = run_trial(&l, 1, sim_run_reference);
        if (sim_totals(plain).hash != hash) {
            draw_fail(&l.d, seed, "windows and a plain event loop differ");
        }
        sim_free(plain);
    }
    stop_trial(&l);
}

static void
graphs_run_the_same(void **state)
{
    struct counts t = { 0 };

    (void)state;
    for (uint64_t seed = 1; seed <= N_GRAPHS; seed++) {
        try_graph(seed, &t);
    }
    printf(
        "  %u graphs with %llu messages, %llu relayed, of which %u are done and %u end early; %u "
        "with ranks\n",
        t.n_run, (unsigned long long)t.n_messages, (unsigned long long)t.n_relayed, t.n_done,
        t.n_early, t.n_processes);
    assert_true(t.n_run > N_GRAPHS / 2 && t.n_done > N_GRAPHS / 8 && t.n_early > N_GRAPHS / 20);
    assert_true(t.n_processes > N_GRAPHS / 8 && t.n_relayed > t.n_messages / 20);
}

static void
this_graph_runs_the_same(void **state)
{
    struct counts t = { 0 };

    try_graph(strtoull(*state, NULL, 0), &t);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(rings_take_their_time),
        cmocka_unit_test(halving_and_doubling_take_their_time),
        cmocka_unit_test(an_exchange_takes_its_time),
        cmocka_unit_test(a_ring_of_tasks_takes_its_time),
        cmocka_unit_test(a_graph_that_cannot_go_on_is_reported),
        cmocka_unit_test(graphs_run_the_same),
    };
    const struct CMUnitTest one[] = { cmocka_unit_test_prestate(this_graph_runs_the_same,
                                                                argv[1]) };

    return argc > 1 ? cmocka_run_group_tests(one, NULL, NULL)
                    : cmocka_run_group_tests(all, NULL, NULL);
}

/* Routes by hash depend on the seed and the ends of a flow, and neither on the length of the run
 * nor on other flows. Also checks the random numbers of choices that are made for each packet. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../properties/chi.h"
#include "../unit/unit.h"
#include "bind/bind.h"
#include "sim/run-state.h"

/* Scenarios as text, with a given run time. */

static const char *const networks[] = {
    "{kind: fat-tree, k: 4, rate: 10Gbps}",
    "{kind: leaf-spine, leaves: 3, spines: 4, hosts: 3, rate: 10Gbps, uplink: 10Gbps}",
    "{kind: torus, x: 3, y: 3, hosts: 2, rate: 10Gbps}",
};
static const char *const workloads[] = {
    "{kind: poisson, load: 0.4, sizes: [[200B, 40], [20KB, 100]]}",
    "{kind: closed, bytes: 12KB}",
    "{kind: incast, load: 0.2, senders: 4, bytes: 6KB}",
    "{kind: permutation, bytes: 40KB}",
    "{kind: all-to-all, bytes: 9KB}",
    "{kind: ring-allreduce, bytes: 60KB, chunks: 2, connections: new}",
};
static const char *const senders[] = { "raw", "rdma", "dcqcn", "dctcp", "tcp" };
static const char *const arbitrations[] = { "fifo", "flow", "random" };

struct telling {
    const char *network, *first, *second, *transport, *arbitration; /* 'second' may be empty. */
    uint64_t seed;
};

static struct telling
draw_telling(uint64_t seed)
{
    uint64_t chance = seed;
    struct telling t = { .network = ONE_OF(&chance, networks), .second = "", .seed = seed };

    t.first = ONE_OF(&chance, workloads);
    t.transport = ONE_OF(&chance, senders);
    t.arbitration = ONE_OF(&chance, arbitrations);
    return t;
}

struct run {
    struct scenario s;
    struct sim *sim;
};

static void
start(struct run *r, const struct telling *t, unsigned time_us)
{
    char text[1000];
    struct model model;
    struct err err = { 0 };

    snprintf(text, sizeof text,
             "topology: %s\nengine: [pfc, ecn]\nswitch: {arbitration: %s}\ntransport: %s\n"
             "workload: [%s%s%s]\nflows: [{from: H1, to: H9, bytes: 30KB}]\n"
             "run: {time: %uus, seed: %llu}\n",
             t->network, t->arbitration, t->transport, t->first, *t->second ? ", " : "", t->second,
             time_us, (unsigned long long)t->seed);
    if (!scn_read(&r->s, &(struct scn_source){ .name = "t.yaml", .text = text },
                  &(struct scn_files){ 0 }, NULL, 0, &err) ||
        !bind_model(&r->s, &model, &err)) {
        fail_msg("%s\n%s", err.text, text);
    }
    r->sim = sim_new(&(struct sim_config){ .until_ps = (weir_ps)r->s.run.time_ps,
                                           .seed = r->s.run.seed,
                                           .n_threads = 1 },
                     &model, &err);
    assert_non_null(r->sim);
}

static void
stop(struct run *r)
{
    sim_free(r->sim);
    scn_free(&r->s);
}

/* The flow of 'b' that has the same position among flows of its group and sender as a flow of 'a'.
 */
static size_t
same_flow(const struct run *a, size_t flow, const struct run *b)
{
    const struct scn_flow f_at = scn_flow_at(&a->s, flow), *f = &f_at;
    size_t n = 0, i = 0;

    for (size_t k = 0; k < flow; k++) {
        n += scn_flow_at(&a->s, k).group == f->group && scn_flow_at(&a->s, k).from == f->from;
    }
    for (; i < b->s.n_flows; i++) {
        const struct scn_flow other_at = scn_flow_at(&b->s, i), *other = &other_at;
        if (other->group == f->group && other->from == f->from && n-- == 0) {
            break;
        }
    }
    return i;
}

static void
assert_same_path(const struct run *a, size_t i, const struct run *b, size_t k)
{
    uint32_t ports[SIM_MAX_PATH], others[SIM_MAX_PATH];
    uint32_t n = sim_flow_path(a->sim, (uint32_t)i, ports);

    assert_int_equal(n, sim_flow_path(b->sim, (uint32_t)k, others));
    assert_memory_equal(ports, others, n * sizeof *ports);
}

/* Checks that flows of 'a' match flows of 'b' with the same position, and that their paths match.
 */
static void
assert_same_first_flows(const struct run *a, const struct run *b)
{
    for (size_t i = 0; i < a->s.n_flows; i++) {
        size_t k = same_flow(a, i, b);
        const struct scn_flow f_at = scn_flow_at(&a->s, i), *f = &f_at;
        assert_true(k < b->s.n_flows);
        const struct scn_flow g_at = scn_flow_at(&b->s, k), *g = &g_at;
        assert_true(f->to == g->to && f->bytes == g->bytes && f->start_ps == g->start_ps);
        assert_int_equal(f->after == UINT32_MAX, g->after == UINT32_MAX);
        if (f->after != UINT32_MAX) {
            assert_int_equal(same_flow(a, f->after, b), g->after);
        }
        assert_same_path(a, i, b, k);
        assert_int_equal(a->sim->flows.keys[i], b->sim->flows.keys[k]);
    }
}

enum { N_TELLINGS = 80, TIME_US = 60 };

/* A longer run has the same paths, and also the same events until the end of the shorter run. */
static void
a_longer_run_begins_as_the_shorter(void **state)
{
    uint64_t n_ended = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= N_TELLINGS; seed++) {
        struct telling t = draw_telling(seed);
        struct run a, b;
        start(&a, &t, TIME_US);
        start(&b, &t, 2 * TIME_US);
        assert_same_first_flows(&a, &b);
        sim_run(a.sim);
        sim_run(b.sim);
        for (size_t i = 0; i < a.s.n_flows; i++) {
            struct sim_flow_result x = sim_flow_result(a.sim, (uint32_t)i);
            struct sim_flow_result y = sim_flow_result(b.sim, (uint32_t)same_flow(&a, i, &b));
            assert_int_equal(x.first_ps, y.first_ps >= TIME_US * US ? -1 : y.first_ps);
            if (x.received_bytes == scn_flow_at(&a.s, i).bytes) {
                assert_int_equal(x.last_ps, y.last_ps);
                n_ended++;
            }
        }
        stop(&a);
        stop(&b);
    }
    assert_true(n_ended > 10 * N_TELLINGS);
}

static void
another_workload_moves_no_routes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= N_TELLINGS; seed++) {
        uint64_t chance = ~seed;
        struct telling t = draw_telling(seed), more = t;
        struct run a, b;
        more.second = ONE_OF(&chance, workloads);
        start(&a, &t, TIME_US);
        start(&b, &more, TIME_US);
        assert_true(b.s.n_flows > a.s.n_flows);
        assert_same_first_flows(&a, &b);
        stop(&a);
        stop(&b);
    }
}

/* Random numbers.  A switch with four paths chooses for one flow after the other. */

enum { N_WAYS = 4 };

static uint32_t
way_at(uint32_t node, uint64_t seed, const struct sim_flow_ends *ends, uint32_t n_ways)
{
    static const uint16_t ways[N_WAYS] = { 0, 1, 2, 3 };
    uint32_t key = sim_flow_key(seed, ends);
    struct sim_node n = { .salt = sim_salt(node), .flow_keys = &key };

    return sim_path_choice_find("hash")->choose(&n, &(struct sim_packet){ 0 }, ways, n_ways);
}

enum { N_DRAWS = 50 * N_WAYS * N_WAYS };

/* Makes choice 'i' of run 'run' at two switches: their choices must be independent of each other.
 */
typedef void draw_two(uint64_t run, uint32_t i, uint32_t ways[2]);

static void
by_seed(uint64_t run, uint32_t i, uint32_t ways[2])
{
    struct sim_flow_ends ends = { .from = (uint32_t)run, .to = 3 };

    for (uint32_t k = 0; k < 2; k++) {
        ways[k] = way_at(10 + k, i, &ends, N_WAYS);
    }
}

static void
by_number(uint64_t run, uint32_t i, uint32_t ways[2])
{
    struct sim_flow_ends ends = { .from = 1, .to = 3, .group = 1, .number = i };

    for (uint32_t k = 0; k < 2; k++) {
        ways[k] = way_at(20 + k, run, &ends, N_WAYS);
    }
}

static void
by_ends(uint64_t run, uint32_t i, uint32_t ways[2])
{
    struct sim_flow_ends ends = { .from = i / 40, .to = i % 40 };

    for (uint32_t k = 0; k < 2; k++) {
        ways[k] = way_at(30 + k, run, &ends, N_WAYS);
    }
}

/* The same flow at the same switch, under two seeds. */
static void
by_two_seeds(uint64_t run, uint32_t i, uint32_t ways[2])
{
    struct sim_flow_ends ends = { .from = i, .to = i + 1 };

    for (uint32_t k = 0; k < 2; k++) {
        ways[k] = way_at(40, run + k, &ends, N_WAYS);
    }
}

/* Choices that are made for each packet, without queues. */
static void
by_packet(const char *paths, uint64_t run, uint32_t i, uint32_t ways[2])
{
    static const uint16_t ports[N_WAYS] = { 0, 1, 2, 3 };
    static struct sim_node nodes[2];
    static struct weir_buffer_slot slots[N_WAYS];
    static uint64_t params[8];
    const struct sim_path_choice *choice = sim_path_choice_find(paths);

    for (uint32_t k = 0; k < 2; k++) {
        if (!i) {
            nodes[k] = (struct sim_node){ .chance = sim_node_seed(run, 50 + k),
                                          .n_classes = 1,
                                          .n_ports = N_WAYS,
                                          .buffer.slots = slots,
                                          .scheduling = sim_scheduling_find("rr"),
                                          .path_params = params };
            weir_fields_default(sim_path_choice_find("adaptive")->about.params, params);
        }
        ways[k] = choice->choose(&nodes[k], &(struct sim_packet){ 0 }, ports, N_WAYS);
    }
}

static void
by_spray(uint64_t run, uint32_t i, uint32_t ways[2])
{
    by_packet("spray", run, i, ways);
}

static void
by_drain(uint64_t run, uint32_t i, uint32_t ways[2])
{
    by_packet("adaptive", run, i, ways);
}

/* Two choices of one switch: for a packet, and for the next one. */
static void
by_order(uint64_t run, uint32_t i, uint32_t ways[2])
{
    uint32_t first[2], second[2];

    by_packet("spray", run, 2 * i, first);
    by_packet("spray", run, 2 * i + 1, second);
    ways[0] = first[0];
    ways[1] = second[0];
}

static void
all_ways_are_as_likely(void **state)
{
    static draw_two *const draws[] = { by_seed,  by_number, by_ends, by_two_seeds,
                                       by_spray, by_drain,  by_order };

    (void)state;
    for (size_t d = 0; d < N_OF(draws); d++) {
        struct chi chi = { 0 };
        for (uint64_t run = 0; run < CHI_SEEDS; run++) {
            uint32_t counts[N_WAYS * N_WAYS] = { 0 }, ways[2];
            double expected[N_WAYS * N_WAYS];
            for (uint32_t i = 0; i < N_DRAWS; i++) {
                draws[d](run, i, ways);
                counts[ways[0] * N_WAYS + ways[1]]++;
            }
            for (size_t i = 0; i < N_OF(expected); i++) {
                expected[i] = (double)N_DRAWS / N_OF(expected);
            }
            chi_add(&chi, expected, counts, N_OF(expected));
        }
        printf("  draw %zu: %u of %u runs lie past the 95 %% quantile\n", d, chi.n_far, chi.n_runs);
        assert_true(chi_is_good(&chi));
    }
}

/* With another seed, three in four flows to other pods take another of four paths. */
static void
another_seed_is_another_set_of_routes(void **state)
{
    struct telling t = { .network = networks[0],
                         .first = "{kind: all-to-all, bytes: 1500B}",
                         .second = "",
                         .transport = "raw",
                         .arbitration = "fifo",
                         .seed = 1 };
    uint32_t n_moved = 0, n_far = 0;
    struct run a, b;

    (void)state;
    start(&a, &t, TIME_US);
    t.seed = 2;
    start(&b, &t, TIME_US);
    for (uint32_t i = 0; i < a.s.n_flows; i++) {
        uint32_t ports[SIM_MAX_PATH], others[SIM_MAX_PATH];
        uint32_t n = sim_flow_path(a.sim, i, ports);
        sim_flow_path(b.sim, i, others);
        n_far += n == 6; /* The flow goes to another pod, through one of four core switches. */
        n_moved += n == 6 && memcmp(ports, others, n * sizeof *ports) != 0;
    }
    assert_true(n_far > 150);
    assert_true(n_moved > n_far * 65 / 100 && n_moved < n_far * 85 / 100);
    stop(&a);
    stop(&b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_longer_run_begins_as_the_shorter),
        cmocka_unit_test(another_workload_moves_no_routes),
        cmocka_unit_test(all_ways_are_as_likely),
        cmocka_unit_test(another_seed_is_another_set_of_routes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The first of several ranks reports exactly the same as one process: samples, notes, crossings,
 * deadlocks, deadlocks that watchdogs break, and all queries at the end. */

#include "base/array.h"
#include "draw.h"
#include "hand.h"
#include "loopback.h"

#define US ((weir_ps)1000000)

enum { MAX_RANKS = 4 };

/* All reports of a run, as numbers. */
struct told {
    uint64_t *words;
    size_t n, max;
    const struct sim_sampled *sampled; /* The ports and flows that samples contain; null: all. */
    /* The number of samples after which the run is stopped; 0: it is not stopped. */
    uint32_t n_samples, stops_at;
    uint32_t n_crossings;
};

static void
add_word(struct told *t, uint64_t word)
{
    ARRAY_PUSH(t->words, t->n, t->max) = word;
}

static void
tell_all(struct told *t, const void *words, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(uint64_t); i++) {
        add_word(t, ((const uint64_t *)words)[i]);
    }
}

static void
tell_unit(void *arg, uint32_t flow, uint32_t bytes)
{
    add_word(arg, (uint64_t)flow << 32 | bytes);
}

static void
tell_slot(struct told *t, const struct sim *sim, uint32_t port, uint8_t cls, weir_ps now)
{
    struct sim_gate_state g = sim_gate_state(sim, port, cls, now);
    struct sim_storms s = sim_storms(sim, port, cls);
    const uint64_t words[] = {
        sim_queue_bytes(sim, port, cls),
        sim_output_bytes(sim, port, cls),
        sim_queue_peak_bytes(sim, port, cls),
        sim_output_peak_bytes(sim, port, cls),
        sim_queue_mean_bytes(sim, port, cls),
        sim_output_mean_bytes(sim, port, cls),
        sim_class_here(sim, port, cls),
        g.is_paused,
        g.rate_bps,
        g.credit_bytes,
        g.n_pfc_pauses,
        g.n_fafc_pauses,
        g.n_link_start_waits,
        g.least_bps,
        (uint64_t)g.paused_ps,
        (uint64_t)g.last_ps,
        s.is_storm,
        s.n_storms,
        s.n_restored,
        s.n_dropped,
    };

    tell_all(t, words, sizeof words);
}

static void
tell_port(struct told *t, const struct sim *sim, uint32_t port, weir_ps now)
{
    struct sim_port_result r = sim_port_result(sim, port);

    tell_all(t, &r, sizeof r);
    add_word(t, sim_passing_bytes(sim, sim_model(sim)->topo->ports[port].node));
    for (uint8_t cls = 0; cls < sim_model(sim)->n_classes; cls++) {
        tell_slot(t, sim, port, cls, now);
    }
    sim_each_unit(sim, port, tell_unit, t);
}

static void
tell_flow(struct told *t, const struct sim *sim, uint32_t flow)
{
    struct sim_flow_result r = sim_flow_result(sim, flow);

    tell_all(t, &r, sizeof r);
    add_word(t, sim_flow_is_stopped(sim, flow));
    add_word(t, sim_flow_limit_bps(sim, flow));
    add_word(t, sim_flow_n_heard(sim, flow));
}

static void
tell_deadlock(struct told *t, const struct sim *sim)
{
    struct sim_deadlock d = sim_deadlock(sim);
    const uint64_t words[] = { d.found,   (uint64_t)d.formed_ps, d.n_stuck,  d.n_cycle,
                               d.n_flows, (uint64_t)d.broken_ps, d.n_formed, d.stands };

    tell_all(t, words, sizeof words);
    for (uint32_t i = 0; i < d.n_cycle; i++) {
        add_word(t, d.cycle[i].port);
        add_word(t, d.cycle[i].cls);
        add_word(t, d.cycle[i].wait);
        add_word(t, (uint64_t)sim_gate_state(sim, d.cycle[i].port, d.cycle[i].cls, 0).last_ps);
    }
    for (uint32_t i = 0; i < d.n_flows; i++) {
        add_word(t, d.flows[i]);
    }
}

static void
tell_notes(struct told *t, struct sim *sim)
{
    size_t n;
    const struct sim_note *notes = sim_take_notes(sim, &n);

    for (size_t i = 0; i < n; i++) {
        const uint64_t words[] = { (uint64_t)notes[i].at_ps, notes[i].port, notes[i].flow,
                                   notes[i].value,           notes[i].kind, notes[i].cls };
        tell_all(t, words, sizeof words);
    }
}

/* Adds the observed ports and flows. */
static void
take_sample(void *arg, struct sim *sim, weir_ps now)
{
    struct told *t = arg;
    const struct model *p = sim_model(sim);
    const struct sim_sampled *l = t->sampled;

    add_word(t, (uint64_t)now);
    for (uint32_t i = 0; i < (l ? l->slots.n : p->topo->n_ports); i++) {
        tell_port(t, sim, l ? l->slots.items[i] : i, now);
    }
    for (uint32_t i = 0; i < (l ? l->flows.n : p->n_flows); i++) {
        tell_flow(t, sim, l ? l->flows.items[i] : i);
    }
    if (!l) {
        add_word(t, sim_totals(sim).n_hops);
    }
    tell_deadlock(t, sim);
    tell_notes(t, sim);
    if (++t->n_samples == t->stops_at) {
        sim_stop(sim);
    }
}

static void
take_crossings(void *arg, struct sim *sim, const struct sim_crossing *crossings, size_t n)
{
    struct told *t = arg;

    (void)sim;
    for (const struct sim_crossing *c = crossings; c < crossings + n; c++) {
        const uint64_t words[] = { (uint64_t)c->at_ps, c->port, c->flow, c->sequence,
                                   c->bytes,           c->cls,  c->ecn,  c->kind,
                                   c->n_hops,          c->to,   c->from, c->frame.len };
        tell_all(t, words, sizeof words);
        t->n_crossings++;
    }
}

static void
tell_counters(struct told *t, const struct sim *sim)
{
    for (uint32_t node = 0; node < sim_model(sim)->topo->n_nodes; node++) {
        const struct weir_stack *stack = model_stack_at(sim_model(sim), node);
        for (uint32_t i = 0; i < stack->n; i++) {
            for (const struct weir_field *f = stack->layers[i].engine->counters; f && f->name;
                 f++) {
                add_word(t, sim_counter(sim, node, i, f));
            }
        }
    }
}

/* Adds values that follow from routes. */
static void
tell_paths(struct told *t, const struct sim *sim)
{
    uint32_t n_flows = sim_model(sim)->n_flows, ports[SIM_MAX_PATH];
    uint64_t *fair = array_new(n_flows, sizeof *fair);

    sim_fair_shares(sim, NULL, fair);
    for (uint32_t i = 0; i < n_flows; i++) {
        uint32_t n = sim_flow_path(sim, i, ports);
        add_word(t, fair[i]);
        add_word(t, (uint64_t)sim_flow_ideal_ps(sim, i));
        add_word(t, (uint64_t)sim_flow_path_ps(sim, i));
        add_word(t, sim_flow_late_bps(sim, i));
        add_word(t, sim_flow_arrives(sim, i));
        for (uint32_t k = 0; k < n; k++) {
            add_word(t, ports[k]);
        }
    }
    free(fair);
}

static void
tell_end(struct told *t, struct sim *sim)
{
    struct sim_totals totals = sim_totals(sim);
    struct err err = { 0 };

    assert_null(sim_broken(sim));
    if (!sim_is_conserved(sim, &err)) {
        fail_msg("%s", err.text);
    }
    for (uint32_t i = 0; i < sim_model(sim)->topo->n_ports; i++) {
        tell_port(t, sim, i, sim_now(sim));
    }
    for (uint32_t i = 0; i < sim_model(sim)->n_flows; i++) {
        tell_flow(t, sim, i);
    }
    tell_all(t, &totals, sizeof totals);
    add_word(t, (uint64_t)sim_now(sim));
    tell_deadlock(t, sim);
    tell_notes(t, sim);
    tell_counters(t, sim);
    tell_paths(t, sim);
}

/* A run, with its reports. */
struct job {
    char which[200];
    struct simple_net config;
    struct told told;
    bool *captured;
};

static struct sim *
make(void *arg, const struct sim_ranks *ranks)
{
    struct job *job = arg;
    struct simple_net config = job->config;

    config.run.sample = take_sample;
    config.run.sample_arg = &job->told;
    config.run.crossed = take_crossings;
    config.run.crossed_arg = &job->told;
    config.run.captured = job->captured;
    config.run.sampled = job->told.sampled;
    config.run.notes = (1u << SIM_N_NOTES) - 1;
    return loopback_simple_net(&config, ranks);
}

/* Returns false if the simulator refuses the scenario. */
static bool
run_by(struct job *job, uint32_t n_ranks)
{
    struct loopback *l = loopback_new(n_ranks);
    struct sim *sims[MAX_RANKS];

    loopback_run(l, make, job, sims);
    bool is_run = sims[0];
    if (is_run) {
        tell_end(&job->told, sims[0]);
    }
    for (uint32_t i = 0; is_run && i < n_ranks; i++) {
        sim_free(sims[i]);
    }
    loopback_free(l);
    return is_run;
}

static void
assert_told_alike(const struct told *a, const struct told *b, const char *which, uint32_t n_ranks)
{
    for (size_t i = 0; i < a->n && i < b->n; i++) {
        if (a->words[i] != b->words[i]) {
            fail_msg("%s by %u ranks: word %zu of %zu is %llx, not %llx", which, n_ranks, i, a->n,
                     (unsigned long long)b->words[i], (unsigned long long)a->words[i]);
        }
    }
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->n_samples, b->n_samples);
}

/* Runs a scenario in one process, and if it is not refused, also with this number of ranks, and
 * compares the reports. Reports stay in the job. Returns whether it was run. */
static bool
assert_same(struct job *job, uint32_t n_ranks)
{
    bool is_run = run_by(job, 1);

    if (is_run) {
        struct job other = *job;
        other.told = (struct told){ .sampled = job->told.sampled, .stops_at = job->told.stops_at };
        assert_true(run_by(&other, n_ranks));
        assert_told_alike(&job->told, &other.told, job->which, n_ranks);
        free(other.told.words);
    }
    return is_run;
}

static void
end_job(struct job *job)
{
    free(job->told.words);
    free(job->captured);
}

/* A tree in which switches pause each other, and every query is possible. */
static struct job
tree_job_of(struct net *net, uint64_t k)
{
    const struct topo_build tree = { .k = k, .link = { .rate_bps = 10000000000, .delay_ps = US } };

    net_start(net, topo_build_fat_tree, &tree, 300000, 1);
    for (uint32_t i = 0; i < net->config.n_flows; i++) {
        net->flows[i].to = net_nic(net, i % 3 ? 0 : 5);
        net->flows[i].from = net_nic(net, i == 0 || i == 15 ? 1 : i);
    }
    net_use(net, "pfc");
    hand_set(net, "xoff", 40000);
    hand_set(net, "xon", 30000);
    net->config.run.until_ps = 400 * US;
    net->config.run.sample_ps = 30 * US;
    net->config.run.units = true;
    return (struct job){ .which = "the tree", .config = net->config };
}

static struct job
tree_job(struct net *net)
{
    return tree_job_of(net, 4);
}

static void
samples_notes_and_results(void **state)
{
    struct net net;
    struct job job = tree_job(&net);

    (void)state;
    for (uint32_t n_ranks = 2; n_ranks <= MAX_RANKS; n_ranks++) {
        assert_true(assert_same(&job, n_ranks));
        assert_true(job.told.n_samples > 10 && job.told.n > 10000);
        end_job(&job);
        job.told = (struct told){ 0 };
    }
    net_stop(&net);
}

static void
crossings(void **state)
{
    struct net net;
    struct job job = tree_job(&net);

    (void)state;
    job.config.run.sample_ps = 0;
    job.captured = array_new(net.topo.n_ports, sizeof *job.captured);
    for (size_t i = 0; i < net.topo.n_ports; i += 3) {
        job.captured[i] = true;
    }
    assert_true(assert_same(&job, 3));
    assert_true(job.told.n_crossings > 1000);
    end_job(&job);
    net_stop(&net);
}

/* Views come in two batches of ports, and one of nodes and flows. */
static void
more_than_a_batch(void **state)
{
    struct net net;
    struct job job = tree_job_of(&net, 16);

    (void)state;
    assert_true(net.topo.n_ports > 4096 && net.topo.n_nodes < 4096);
    job.config.run.until_ps = 50 * US;
    assert_true(assert_same(&job, 3));
    assert_int_equal(job.told.n_samples, 2);
    end_job(&job);
    net_stop(&net);
}

/* Observed values are up to date even if other values are not collected. */
static void
what_is_looked_at(void **state)
{
    static const uint32_t ports[] = { 0, 7, 31, 40, 55, 90 }, flows[] = { 1, 2, 9, 14 };
    const struct sim_sampled sampled = { .ports = { ports, 6, false },
                                         .slots = { ports, 6, false },
                                         .units = { ports, 6, false },
                                         .flows = { flows, 4, false } };
    struct net net;
    struct job job = tree_job(&net);

    (void)state;
    job.told.sampled = &sampled;
    assert_true(assert_same(&job, 3));
    assert_true(job.told.n_samples > 10);
    end_job(&job);
    net_stop(&net);
}

/* A sample may stop the run: all ranks then end with the same window. */
static void
stopped_by_a_sample(void **state)
{
    struct net net;
    struct job job = tree_job(&net);

    (void)state;
    job.told.stops_at = 4;
    assert_true(assert_same(&job, 3));
    assert_int_equal(job.told.n_samples, 4);
    end_job(&job);
    net_stop(&net);
}

/* Each rank needs a switch. */
static uint32_t
ranks_for(const struct draw *d, uint32_t n_ranks)
{
    return n_ranks < d->topo.n_switches ? n_ranks : d->topo.n_switches;
}

/* The number of windows in one process, or 0 if the scenario is refused. */
static uint64_t
n_windows_of(const struct draw *d)
{
    struct err err;
    struct sim *sim = simple_net_sim_new(&d->config, &err);
    uint64_t n = 0;

    if (sim) {
        sim_run(sim);
        n = sim_totals(sim).n_windows;
        sim_free(sim);
    }
    return n;
}

static uint64_t n_networks = 12,
                max_windows = 1500; /* If ranks are threads, synchronisation takes long. */

static void
random_networks(void **state)
{
    uint64_t n_run = 0;

    (void)state;
    for (uint64_t seed = 1; n_run < n_networks; seed++) {
        struct draw d;
        draw_start(&d, seed);
        uint64_t n_windows = n_windows_of(&d);
        struct job job = { .config = d.config };
        draw_tell(&d, job.which, sizeof job.which);
        job.config.run.sample_ps = d.config.run.until_ps / 5;
        if (n_windows && n_windows <= max_windows) {
            assert_true(assert_same(&job, ranks_for(&d, 2 + (uint32_t)(seed % 3))));
            n_run++;
        }
        end_job(&job);
        draw_stop(&d);
    }
}

/* Deadlocks of random rings, for each reason for which a queue can wait. Watchdogs break some of
 * them. */
struct rings {
    unsigned n_of[SIM_WAITS_FOR_OUTPUT + 1]; /* Deadlocks in which a queue waits for this reason. */
    unsigned n_dropped_lossless;
};

static struct sim_deadlock
deadlock_of(struct draw *d)
{
    struct err err;
    struct sim *sim = simple_net_sim_new(&d->config, &err);
    struct sim_deadlock found = { 0 };

    if (sim) {
        sim_run(sim);
        found = sim_deadlock(sim);
        sim_free(sim);
    }
    return found;
}

/* Samples report a deadlock even if they observe nothing else. */
static void
assert_same_ring(struct draw *d, uint32_t n_ranks)
{
    static const struct sim_sampled nothing = { 0 };
    struct job job = { .config = d->config, .told.sampled = &nothing };

    draw_tell(d, job.which, sizeof job.which);
    job.config.run.sample_ps = d->config.run.until_ps / 5;
    assert_true(assert_same(&job, n_ranks));
    end_job(&job);
}

static void
try_ring(struct draw *d, struct rings *rings)
{
    struct sim_deadlock found = deadlock_of(d);

    bool is_news = found.found && !rings->n_dropped_lossless;

    for (uint32_t i = 0; i < found.n_cycle; i++) {
        is_news |= !rings->n_of[found.cycle[i].wait]++;
    }
    if (is_news) {
        assert_same_ring(d, ranks_for(d, 4));
        d->config.watchdog = (struct model_watchdog){ .action = MODEL_DROP,
                                                      .detection_ps = d->config.run.until_ps / 10,
                                                      .restoration_ps = d->config.run.until_ps };
        assert_same_ring(d, 2);
        rings->n_dropped_lossless += deadlock_of(d).broken_ps > 0;
    }
}

/* Before the first of these seeds, queues of nearly all deadlocks wait for packets alone. */
enum { FIRST_RING = 540, LAST_RING = 2000 };

static void
deadlocks_across_ranks(void **state)
{
    struct rings r = { 0 };

    (void)state;
    for (uint64_t seed = FIRST_RING;
         seed <= LAST_RING && !(r.n_of[0] && r.n_of[1] && r.n_of[2] && r.n_dropped_lossless);
         seed++) {
        struct draw d;
        draw_start(&d, seed);
        if (d.is_trap) {
            try_ring(&d, &r);
        }
        draw_stop(&d);
    }
    print_message("queues that wait for packets %u, pipelines %u, outputs %u; %u rings broken\n",
                  r.n_of[0], r.n_of[1], r.n_of[2], r.n_dropped_lossless);
    assert_true(r.n_of[0] && r.n_of[1] && r.n_of[2] && r.n_dropped_lossless);
}

/* With --long, more networks run. */
int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_notes_and_results), cmocka_unit_test(crossings),
        cmocka_unit_test(more_than_a_batch),         cmocka_unit_test(what_is_looked_at),
        cmocka_unit_test(stopped_by_a_sample),       cmocka_unit_test(deadlocks_across_ranks),
        cmocka_unit_test(random_networks),
    };

    if (argc > 1 && !strcmp(argv[1], "--long")) {
        n_networks = 300;
        max_windows = UINT64_MAX;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The virtual clock: the nodes of a network, on real ports with ring buffers between them, behave
 * as in the simulator.  Each packet and each control frame crosses the same ports at the same
 * picosecond with the same contents; the same packets are dropped; the same queues wait for each
 * other.
 *
 *     dataplane-same            every engine, every arbitration, every kind of switch
 *     dataplane-same --long     every engine under every arbitration in every kind of switch
 *     dataplane-same SEED       repeats one of the random scenarios, by its seed */

#include "dpdk-group.h"
#include "draw.h"
#include "memory-io.h"
#include "virtual-net.h"

/* Sanitizers make scenarios slow, so fewer are run. */
#if defined(__SANITIZE_ADDRESS__)
enum { N_SCENARIOS = 25 };
#else
enum { N_SCENARIOS = 60 };
#endif
enum { FIRST_SEED = 101 }; /* A scenario soon after this seed has a deadlock. */

static bool is_long;

struct seen { /* Cases that must have occurred, so that the comparisons mean something. */
    uint64_t n_packets, n_answers, n_frames, n_messages, n_marked, n_moved, n_dropped, n_deadlocks;
};

/* The medium in which frames of the lab pass from node to node. It is ring buffers of DPDK; without
 * DPDK it is memory. It is also memory for sanitizers, which must see each frame as its own
 * allocation. */
struct wires {
    struct memory_io *memory;
    struct memory_side side;
    struct dp_io io;
};

static void
wires_open(struct wires *w, const struct model *model, bool in_memory)
{
    struct err err;

    *w = (struct wires){ 0 };
    if (!in_memory) {
        if (!lab_rings_open(dpdk, model, &w->io, &err)) {
            fail_msg("%s", err.text);
        }
        return;
    }
    w->memory = memory_io_new(model->topo->n_ports);
    memory_io_join_all(w->memory, model->topo);
    w->io = memory_io_of(w->memory, &w->side, 0);
}

static void
wires_close(struct wires *w)
{
    if (w->memory) {
        memory_io_free(w->memory);
    } else {
        dpdk->close(&w->io);
    }
}

static int
begin_if_there(void **state)
{
    if (!HAS_DPDK) {
        print_message("built without DPDK: frames pass in memory instead of rings\n");
        return 0;
    }
    return begin(state);
}

static void
see(struct seen *seen, const struct both *both)
{
    for (size_t i = 0; i < both->of_lab.n; i++) {
        const struct sim_crossing *c = &both->of_lab.items[i];
        bool is_packet = c->flow != SIM_NO_FLOW;
        seen->n_packets += is_packet;
        seen->n_answers += is_packet && c->kind != SIM_DATA;
        seen->n_marked += is_packet && c->ecn == WEIR_CE;
        seen->n_moved += is_packet && c->cls != both->config->flows[c->flow].cls;
        seen->n_frames += !is_packet;
        seen->n_messages += !is_packet && c->to != SIM_NONE;
    }
    seen->n_dropped += sim_totals(both->lab).n_dropped;
    seen->n_deadlocks += sim_deadlock(both->lab).found;
}

static void
compare_in(const struct simple_net *config, bool in_memory, struct seen *seen)
{
    struct wires wires;
    struct both both;

    both_simulate(&both, config);
    wires_open(&wires, sim_model(both.sim), in_memory);
    both_run_lab(&both, &wires.io);
    both_assert_same(&both);
    see(seen, &both);
    both_stop(&both);
    wires_close(&wires);
}

static void
compare(const struct simple_net *config, struct seen *seen)
{
    compare_in(config, !dpdk, seen);
}

/* Networks.  Each host has two flows: a raw one to another host, and one to the first host, under
 * DCTCP or DCQCN, which use ACKs or CNPs and react to marks.  The last of three classes may lose
 * packets. */

struct params {
    uint64_t dctcp[TP_PARAMS_MAX / sizeof(uint64_t)], dcqcn[TP_PARAMS_MAX / sizeof(uint64_t)];
};

static void
add_flows(struct net *net, struct params *params)
{
    const struct transport *dctcp = transport_find("dctcp"), *dcqcn = transport_find("dcqcn");
    uint32_t n = net->config.n_flows;

    weir_fields_default(dctcp->about.params, params->dctcp);
    weir_fields_default(dcqcn->about.params, params->dcqcn);
    net->flows = realloc(net->flows, 2 * (size_t)n * sizeof *net->flows);
    for (uint32_t i = 0; i < n; i++) {
        struct simple_net_flow *f = &net->flows[n + i];
        net->flows[i].cls = (uint8_t)(i % 3);
        *f = net->flows[i];
        f->to = net_nic(net, net->flows[i].from == net_nic(net, 0) ? 1 : 0);
        f->cls = (uint8_t)(i / 2 % 3);
        f->transport = i % 2 ? dcqcn : dctcp;
        f->transport_params = i % 2 ? params->dcqcn : params->dctcp;
    }
    net->config.flows = net->flows;
    net->config.n_flows = 2 * n;
}

struct network {
    const char *name;
    topo_builder *build;
    struct topo_build shape;
    weir_ps until_ps;
};

static const struct network networks[] = {
    { "ring",
      topo_build_ring,
      { .switches = 4, .link = { .rate_bps = 10000000000, .delay_ps = 300000 } },
      400000000 },
    { "fat tree",
      topo_build_fat_tree,
      { .k = 4, .link = { .rate_bps = 10000000000, .delay_ps = 1000000 } },
      150000000 },
};

enum { N_NETWORKS = sizeof networks / sizeof *networks };

static void
start(struct net *net, const struct network *network, struct params *params)
{
    net_start(net, network->build, &network->shape, MODEL_ENDLESS, 1);
    add_flows(net, params);
    net->config.n_classes = 3;
    net->config.lossless = 3;
    net->config.gap_bytes = 20;
    for (uint32_t cls = 0; cls < 3; cls++) {
        net->config.weights[cls] = cls;
    }
    net->config.run.until_ps = network->until_ps;
}

struct setting {
    const char *engine, *key, *value;
};

enum { MAX_SETTINGS = 3 };

/* Buffers are small and thresholds low, so that packets must wait and every kind of message is
 * sent. */
static const struct stack {
    const char *engine, *beside;
    uint64_t reserve_bytes;
    uint32_t variant; /* The index in variants[] of the first kind of switch for this stack. */
    struct setting settings[MAX_SETTINGS];
} stacks[] = {
    { "none", NULL, 30000, 0, { { 0 } } },
    { "pfc", "ecn", 30000, 0, { { "ecn", "kmin", "5KB" }, { "ecn", "kmax", "20KB" } } },
    { "cbfc", NULL, 60000, 1, { { 0 } } },
    { "gfc-conceptual", NULL, 60000, 2, { { 0 } } },
    { "gfc-buffer", NULL, 40000, 0, { { 0 } } },
    { "gfc-time", NULL, 150000, 1, { { 0 } } },
    { "ttl", NULL, 30000, 0, { { 0 } } },
    { "capfc", "ecn", 60000, 3, { { "ecn", "kmin", "2KB" }, { "ecn", "kmax", "5KB" } } },
    { "qcn", "pfc", 60000, 2, { { "qcn", "qeq", "3KB" } } },
    { "fafc", "pfc", 60000, 0, { { "fafc", "th_p", "10KB" }, { "fafc", "th_e", "5KB" } } },
};

enum { N_STACKS = sizeof stacks / sizeof *stacks };

static void
set(struct weir_stack *stack, const struct setting *s)
{
    struct weir_text why = { 0 };

    for (uint32_t i = 0; s->key && i < stack->n; i++) {
        if (!strcmp(stack->layers[i].engine->about.name, s->engine) &&
            !weir_stack_set(stack, i, s->key, s->value, &why)) {
            fail_msg("%s", why.s);
        }
    }
}

/* If the engine moves packets between classes, all packets begin in the first class. */
static void
use(struct net *net, const struct stack *s)
{
    net_use(net, s->engine);
    net->config.buffer.reserve_bytes = s->reserve_bytes;
    if (s->beside) {
        assert_true(weir_stack_add(&net->config.stack, weir_engine_find(s->beside)));
    }
    for (int i = 0; i < MAX_SETTINGS; i++) {
        set(&net->config.stack, &s->settings[i]);
    }
    for (uint32_t i = 0; weir_engine_find(s->engine)->moves_classes && i < net->config.n_flows;
         i++) {
        net->flows[i].cls = 0;
    }
}

/* Kinds with their defaults, and slower than the wires of a switch together, or shorter than the
 * queues. */
static const struct variant {
    const char *kind;
    const char *names[5];
    uint64_t values[5];
} variants[] = {
    { "oq", { NULL }, { 0 } },
    { "pipeline", { "pps", "delay", "egress" }, { 2000000, 3000000, 9000 } },
    { "cioq", { "speedup", "egress", "transfer" }, { WEIR_RATIO_1 * 3 / 2, 6000, 1 } },
    { "pipeline", { "pps", "delay", "full", "egress" }, { 5000000, 1, 1, 6000 } },
    { "cioq", { "matching", "egress", "iterations" }, { 1, 9000, 4 } },
};

enum { N_VARIANTS = sizeof variants / sizeof *variants };

static void
choose_variant(struct simple_net *c, const struct variant *v, uint64_t *params)
{
    c->kind = sim_kind_find(v->kind);
    if (c->kind->about.params) {
        weir_fields_default(c->kind->about.params, params);
    }
    for (int i = 0; i < 5 && v->names[i]; i++) {
        weir_field_set(weir_field_find(c->kind->about.params, v->names[i]), params, v->values[i]);
    }
    c->kind_params = params;
}

/* Whether a kind of switch supports the arbitration. */
static bool
fits(const struct simple_net *c)
{
    const struct sim_making making = { .arbitration = sim_arbitration_find(c->arbitration),
                                       .buffer = &c->buffer,
                                       .mtu_bytes = c->mtu_bytes };

    return !c->kind->check || c->kind->check(c->kind_params, &making, &(struct weir_text){ 0 });
}

static uint64_t
count(const struct weir_registry *registry)
{
    uint64_t n = 0;

    while (weir_plugin_name(registry, n)) {
        n++;
    }
    return n;
}

/* Compares one stack under one arbitration, in one kind of switch or in the next one that supports
 * it; schedulings and choices of paths change with both. */
static void
compare_one(const struct network *network, const struct stack *stack, uint64_t arbitration,
            uint64_t variant, struct seen *seen)
{
    uint64_t turn = arbitration + variant, kind_params[16];
    struct params params;
    struct net net;

    start(&net, network, &params);
    use(&net, stack);
    net.config.arbitration = weir_plugin_name(&sim_arbitrations, arbitration);
    net.config.scheduling = weir_plugin_name(&sim_schedulings, turn % count(&sim_schedulings));
    net.config.paths = weir_plugin_name(&sim_path_choices, turn % count(&sim_path_choices));
    do {
        choose_variant(&net.config, &variants[variant++ % N_VARIANTS], kind_params);
    } while (!fits(&net.config));
    compare(&net.config, seen);
    net_stop(&net);
}

static bool
marks(const struct stack *s)
{
    return !strcmp(s->engine, "fafc") || (s->beside && !strcmp(s->beside, "ecn"));
}

/* Compares every engine under one arbitration, and PFC under each; or all combinations. */
static void
compare_stack(const struct network *network, uint64_t s)
{
    uint64_t n_arbitrations = count(&sim_arbitrations), n_variants = is_long ? N_VARIANTS : 1;
    const struct stack *stack = &stacks[s];
    struct seen seen = { 0 };

    for (uint64_t a = 0; a < n_arbitrations; a++) {
        for (uint64_t v = 0; v < n_variants; v++) {
            if (is_long || a == 0 || !strcmp(stack->engine, "pfc")) {
                compare_one(network, stack, a, is_long ? v : a + stack->variant, &seen);
            }
        }
    }
    assert_true(seen.n_packets > 1000 && seen.n_answers > 100);
    assert_int_equal(seen.n_frames > 20, strcmp(stack->engine, "none") != 0);
    assert_int_equal(seen.n_marked > 20, marks(stack));
    assert_int_equal(seen.n_messages > 20, !strcmp(stack->engine, "qcn"));
    assert_int_equal(seen.n_moved > 100, !strcmp(stack->engine, "ttl"));
}

static void
every_engine_and_arbitration(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < N_NETWORKS; n++) {
        for (uint64_t s = 0; s < N_STACKS; s++) {
            compare_stack(&networks[n], s);
        }
    }
}

/* A ring whose queues form a deadlock: both runs find the same queues at the same time. */

enum { RING = 3 };

static const struct topo_build three = { .switches = RING,
                                         .link = { .rate_bps = 10000000000, .delay_ps = 1000000 } };

/* Each host sends over two links of the ring to the next host but one, so every link of the ring
 * has two flows. */
static void
start_ring_of_three(struct net *net, uint16_t paths[RING][RING])
{
    net_start(net, topo_build_ring, &three, MODEL_ENDLESS, 1);
    for (uint32_t i = 0; i < RING; i++) {
        struct simple_net_flow *f = &net->flows[i];
        uint32_t at = topo_switch_of(&net->topo, f->from);
        f->to = net_nic(net, (i + 2) % RING);
        for (uint32_t k = 0; k < RING; k++) {
            uint32_t next = k == RING - 1
                                ? f->to
                                : topo_switch_of(&net->topo, net_nic(net, (i + k + 1) % RING));
            uint32_t port = topo_port_to(&net->topo, at, next);
            paths[i][k] = (uint16_t)net->topo.ports[port].number;
            at = next;
        }
        f->path = paths[i];
        f->n_path = RING;
    }
    net_use(net, "pfc");
    net->config.buffer.reserve_bytes = 60000;
    net->config.run.until_ps = 2000000000;
}

static void
a_deadlock(void **state)
{
    uint16_t paths[RING][RING];
    struct seen seen = { 0 };
    struct net net;

    (void)state;
    start_ring_of_three(&net, paths);
    compare(&net.config, &seen);
    assert_int_equal(seen.n_deadlocks, 1);
    net_stop(&net);
}

/* Watchdogs break the deadlock, and it forms again. */
static void
a_deadlock_that_a_watchdog_breaks(void **state)
{
    static const enum model_watchdog_action actions[] = { MODEL_DROP, MODEL_FORWARD };
    uint16_t paths[RING][RING];
    struct seen seen = { 0 };
    struct net net;

    (void)state;
    for (int i = 0; i < 2; i++) {
        start_ring_of_three(&net, paths);
        net.config.watchdog = (struct model_watchdog){ .action = actions[i],
                                                       .detection_ps = 200000000,
                                                       .restoration_ps = 50000000 };
        compare(&net.config, &seen);
        net_stop(&net);
    }
    assert_int_equal(seen.n_deadlocks, 2);
    assert_true(seen.n_dropped > 10);
}

/* Random scenarios of any kind: links that fail, lose packets or become slower, hosts that stall,
 * flows that retransmit, static routes, and runs that end with their flows.
 * The test leaves out scenarios that cannot run node by node. It also leaves out scenarios without
 * a lossless class, because a node then accepts no control frames. */

/* Whether a crossbar may keep copies of one packet twice.  It finds copies by flow and sequence
 * number in a simulation, and by frame in a lab, and these differ if a packet comes again, around a
 * loop or retransmitted. */
static bool
may_keep_one_twice(const struct draw *d)
{
    const struct weir_field *f =
        d->is_crossed ? weir_field_find(d->config.kind->about.params, "reliable") : NULL;
    bool is_sent_again = d->is_astray;

    for (uint32_t i = 0; i < d->config.n_flows; i++) {
        is_sent_again |= d->config.flows[i].transport != NULL;
    }
    return f && weir_field_get(f, d->kind_params) && is_sent_again;
}

static bool
can_be_run(const struct draw *d)
{
    struct sim_live hears = { .node = SIM_NONE };
    struct simple_net config = d->config;
    struct err err;

    config.run.live = &hears;
    if (may_keep_one_twice(d) || !(config.lossless & ((1u << config.n_classes) - 1))) {
        return false;
    }
    struct sim *sim = simple_net_sim_new(&config, &err);
    if (sim) {
        sim_free(sim);
    }
    return sim;
}

/* Generates a scenario and compares its runs; returns false if it cannot be compared. */
static bool
compare_drawn(uint64_t seed, bool is_told, struct seen *seen)
{
    struct draw d;

    draw_start(&d, seed);
    bool can = can_be_run(&d);
    if (is_told) {
        draw_print(&d);
    }
    if (can) {
        print_message("seed %llu\n", (unsigned long long)seed);
        compare_in(&d.config, true, seen);
    }
    draw_stop(&d);
    return can;
}

static void
random_scenarios(void **state)
{
    uint64_t n_scenarios = is_long ? 3000 : N_SCENARIOS, seed = FIRST_SEED;
    struct seen seen = { 0 };

    (void)state;
    for (uint64_t n = 0; n < n_scenarios; seed++) {
        n += compare_drawn(seed, false, &seen);
    }
    assert_true(seen.n_packets > 10000 && seen.n_frames > 1000 && seen.n_dropped > 100);
    assert_true(seen.n_deadlocks > 0);
}

static uint64_t only_seed;

static void
one_scenario(void **state)
{
    (void)state;
    assert_true(compare_drawn(only_seed, true, &(struct seen){ 0 }));
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest one[] = { cmocka_unit_test(one_scenario) };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_engine_and_arbitration),
        cmocka_unit_test(a_deadlock),
        cmocka_unit_test(a_deadlock_that_a_watchdog_breaks),
        cmocka_unit_test(random_scenarios),
    };

    is_long = argc > 1 && !strcmp(argv[1], "--long");
    only_seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    return only_seed ? cmocka_run_group_tests(one, begin_if_there, end)
                     : cmocka_run_group_tests(tests, begin_if_there, end);
}

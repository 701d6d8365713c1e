/* Clocks that are set back.  All nodes of a random network run twice in virtual time: once with
 * their own clocks, and once with the clock of each switch set back again and again, by any amount.
 * Every frame crosses the same port at the same picosecond, and the results are the same.
 *
 *     dataplane-rebase            random scenarios, in which every engine and kind of switch occurs
 *     dataplane-rebase --long     many more
 *     dataplane-rebase SEED       repeats one of them, by its seed */

#include <stdio.h>

#include "draw.h"
#include "nodes.h"
#include "sim/live.h"

#if defined(__SANITIZE_ADDRESS__)
enum { N_SCENARIOS = 100 };
#else
enum { N_SCENARIOS = 160 };
#endif
enum { N_LONG = 5000, STEPS_PER_REBASE = 60, MAX_EVENTS = 2000000 };

/* Cases that must have occurred, so that the comparisons mean something. */
struct seen {
    uint64_t n_scenarios, n_events, n_rebases;
    /* Number of times that a clock was set back during a pause, during a storm, or while packets
     * waited. */
    uint64_t n_paused, n_storms, n_holding;
    uint64_t n_engines; /* A bit for each engine. */
    uint64_t n_of_kind[3];
};

/* A frame that crossed a port, with the time on a clock that is never set back. */
struct event {
    weir_ps at;
    uint32_t port, len;
    struct dp_parsed parsed;
    bool is_sent;
};

struct place { /* A node, and the time by which its clock is behind that of the others. */
    struct run *run;
    uint32_t first_port;
    weir_ps behind_ps;
    struct dp_io inner;
};

struct run {
    struct net net;
    struct nodes nodes;
    struct place *places; /* [node]. */
    struct dp_io *ios;
    struct dp_network network;
    struct event *events;
    size_t n_events, max_events;
};

/* Ports between nodes with different clocks: frames carry times of the clock that is never set
 * back. */

static uint32_t
receive(void *arg, uint32_t port, struct dp_frame *frames, uint32_t max)
{
    struct place *p = arg;
    uint32_t n = p->inner.receive(p->inner.arg, port, frames, max);

    for (uint32_t i = 0; i < n; i++) {
        frames[i].at -= p->behind_ps;
    }
    return n;
}

static uint32_t
send(void *arg, uint32_t port, struct dp_frame *frames, uint32_t n)
{
    struct place *p = arg;

    for (uint32_t i = 0; i < n; i++) {
        frames[i].at += p->behind_ps;
    }
    return p->inner.send(p->inner.arg, port, frames, n);
}

static bool
make(void *arg, uint32_t len, struct dp_frame *frame)
{
    struct place *p = arg;

    return p->inner.make(p->inner.arg, len, frame);
}

static bool
copy(void *arg, const struct dp_frame *frame, struct dp_frame *other)
{
    struct place *p = arg;

    return p->inner.copy(p->inner.arg, frame, other);
}

static void
drop(void *arg, struct dp_frame *frame)
{
    struct place *p = arg;

    p->inner.drop(p->inner.arg, frame);
}

static bool
is_up(void *arg, uint32_t port)
{
    (void)arg, (void)port;
    return true;
}

static void
listen(void *arg, uint32_t port, const struct dp_frame *frame, weir_ps at, bool is_sent)
{
    struct place *p = arg;
    struct run *r = p->run;
    struct event event = {
        .at = at + p->behind_ps, .port = p->first_port + port, .len = frame->len, .is_sent = is_sent
    };

    dp_frame_read(&r->network, frame->bytes, frame->len, &event.parsed);
    event.parsed.meant_ps = 0; /* This time is on the clock of the sender. */
    assert_true(r->n_events < MAX_EVENTS);
    ARRAY_PUSH(r->events, r->n_events, r->max_events) = event;
}

/* One run of a scenario. */

static struct dp_node *
new_node(struct run *r, uint32_t id)
{
    struct place *p = &r->places[id];
    struct model model;
    struct err err;

    *p = (struct place){ .run = r, .first_port = r->net.topo.nodes[id].first_port };
    p->inner = memory_io_of(r->nodes.memory, &r->nodes.sides[id], p->first_port);
    r->ios[id] = (struct dp_io){ p, receive, send, make, copy, drop, is_up, NULL };
    assert_true(simple_net_model(&r->net.config, &model, &err));
    struct dp_node *d =
        dp_node_new(&(struct dp_config){ .network = r->network,
                                         .io = &r->ios[id],
                                         .node = id,
                                         .sim = { .until_ps = r->net.config.run.until_ps,
                                                  .seed = r->net.config.run.seed },
                                         .model = &model,
                                         .tap = listen,
                                         .tap_arg = p },
                    &err);
    if (!d) {
        fail_msg("%s", err.text);
    }
    return d;
}

static void
run_start(struct run *r, const struct draw *d)
{
    struct nodes *nodes = &r->nodes;

    *r = (struct run){ .net = { .topo = d->topo, .config = d->config, .flows = NULL } };
    *nodes = (struct nodes){ .net = &r->net, .n = (uint32_t)d->topo.n_nodes };
    nodes->memory = memory_io_new(d->topo.n_ports);
    memory_io_join_all(nodes->memory, &d->topo);
    nodes->sides = array_new(nodes->n, sizeof *nodes->sides);
    nodes->items = array_new(nodes->n, sizeof(struct dp_node *));
    nodes->ends = array_new(d->config.n_flows, sizeof *nodes->ends);
    for (uint32_t i = 0; i < d->config.n_flows; i++) {
        nodes->ends[i] = (struct dp_flow_ends){ d->flows[i].from, d->flows[i].to };
    }
    r->places = array_new(nodes->n, sizeof *r->places);
    r->ios = array_new(nodes->n, sizeof *r->ios);
    r->network = nodes_network(nodes);
    for (uint32_t id = 0; id < nodes->n; id++) {
        nodes->items[id] = new_node(r, id);
    }
}

static void
run_stop(struct run *r)
{
    for (uint32_t i = 0; i < r->nodes.n; i++) {
        dp_node_free(r->nodes.items[i]);
    }
    memory_io_free(r->nodes.memory);
    free(r->nodes.sides);
    free(r->nodes.items);
    free(r->nodes.ends);
    free(r->places);
    free(r->ios);
    free(r->events);
}

/* Clocks that are set back. */

static void
see_rebase(struct run *r, uint32_t id, struct seen *seen)
{
    const struct topo_node *node = &r->net.topo.nodes[id];
    const struct sim *sim = dp_node_sim(r->nodes.items[id]);
    weir_ps now = dp_node_now(r->nodes.items[id]);
    bool is_paused = false, is_storm = false, is_holding = false;

    for (uint32_t i = 0; i < node->n_ports * r->net.config.n_classes; i++) {
        uint32_t port = node->first_port + i / r->net.config.n_classes;
        uint8_t cls = (uint8_t)(i % r->net.config.n_classes);
        is_paused |= sim_gate_state(sim, port, cls, now).is_paused;
        is_storm |= sim_storms(sim, port, cls).is_storm;
        is_holding |= sim_queue_bytes(sim, port, cls) > 0;
    }
    seen->n_rebases++;
    seen->n_paused += is_paused;
    seen->n_storms += is_storm;
    seen->n_holding += is_holding;
}

/* Sets the clock back by a random whole number of windows and nanoseconds, to a time after 0. */
static void
set_back(struct run *r, uint32_t id, uint64_t *chance, struct seen *seen)
{
    struct dp_node *d = r->nodes.items[id];
    weir_ps unit = 125 * sim_window_ps(dp_node_sim(d)), n = (dp_node_now(d) - 1) / unit;

    if (unit % 1000 == 0 && n > 0) {
        weir_ps by_ps = (1 + (weir_ps)(weir_random(chance) % (uint64_t)n)) * unit;
        see_rebase(r, id, seen);
        dp_node_rebase(d, by_ps);
        r->places[id].behind_ps += by_ps;
    }
}

static void
run_all(struct run *r, bool is_set_back, uint64_t seed, struct seen *seen)
{
    weir_ps step = nodes_step(&r->nodes), until = r->net.config.run.until_ps;
    uint64_t chance = seed;

    for (weir_ps now = 0; now < until;) {
        now = now + step < until ? now + step : until;
        for (uint32_t id = 0; id < r->nodes.n; id++) {
            dp_node_run(r->nodes.items[id], now - r->places[id].behind_ps);
            bool is_switch = r->net.topo.nodes[id].kind == TOPO_SWITCH;
            if (is_set_back && is_switch && weir_random(&chance) % STEPS_PER_REBASE == 0) {
                set_back(r, id, &chance, seen);
            }
        }
    }
}

/* Comparison of the two runs. */

static bool
same_control(const struct sim_frame *a, const struct sim_frame *b)
{
    return a->to == b->to && a->from == b->from && a->flow == b->flow && a->n_hops == b->n_hops &&
           a->frame.len == b->frame.len && !memcmp(a->frame.bytes, b->frame.bytes, a->frame.len);
}

static bool
same_event(const struct event *a, const struct event *b)
{
    bool is_control = a->parsed.what == DP_CONTROL || a->parsed.what == DP_MESSAGE;

    return a->at == b->at && a->port == b->port && a->len == b->len && a->is_sent == b->is_sent &&
           a->parsed.what == b->parsed.what &&
           (is_control ? same_control(&a->parsed.control, &b->parsed.control)
                       : !memcmp(&a->parsed.packet, &b->parsed.packet, sizeof a->parsed.packet));
}

static void
assert_same_events(const struct run *a, const struct run *b)
{
    size_t n = a->n_events < b->n_events ? a->n_events : b->n_events;

    for (size_t i = 0; i < n; i++) {
        if (!same_event(&a->events[i], &b->events[i])) {
            fail_msg("event %zu: port %u at %lld, and port %u at %lld", i, a->events[i].port,
                     (long long)a->events[i].at, b->events[i].port, (long long)b->events[i].at);
        }
    }
    assert_int_equal(a->n_events, b->n_events);
}

static void
assert_same_slot(const struct run *a, const struct run *b, uint32_t id, uint32_t port, uint8_t cls)
{
    struct sim_gate_state gates[2];
    struct sim_storms storms[2];

    for (int i = 0; i < 2; i++) {
        const struct run *r = i ? b : a;
        struct dp_node *d = r->nodes.items[id];
        gates[i] = sim_gate_state(dp_node_sim(d), port, cls, dp_node_now(d));
        gates[i].last_ps += r->places[id].behind_ps;
        storms[i] = sim_storms(dp_node_sim(d), port, cls);
        storms[i].first_ps += storms[i].n_storms ? r->places[id].behind_ps : -storms[i].first_ps;
        storms[i].ended_ps += storms[i].n_restored ? r->places[id].behind_ps : -storms[i].ended_ps;
    }
    assert_int_equal(gates[0].is_paused, gates[1].is_paused);
    assert_int_equal(gates[0].n_pfc_pauses, gates[1].n_pfc_pauses);
    assert_int_equal(gates[0].n_fafc_pauses, gates[1].n_fafc_pauses);
    assert_int_equal(gates[0].n_link_start_waits, gates[1].n_link_start_waits);
    assert_int_equal(gates[0].n_rate_changes, gates[1].n_rate_changes);
    assert_int_equal(gates[0].rate_bps, gates[1].rate_bps);
    assert_int_equal(gates[0].least_bps, gates[1].least_bps);
    assert_int_equal(gates[0].credit_bytes, gates[1].credit_bytes);
    assert_int_equal(gates[0].paused_ps, gates[1].paused_ps);
    assert_int_equal(gates[0].last_ps, gates[1].last_ps);
    assert_int_equal(storms[0].is_storm, storms[1].is_storm);
    assert_int_equal(storms[0].n_storms, storms[1].n_storms);
    assert_int_equal(storms[0].n_restored, storms[1].n_restored);
    assert_int_equal(storms[0].n_dropped, storms[1].n_dropped);
    assert_int_equal(storms[0].first_ps, storms[1].first_ps);
    assert_int_equal(storms[0].ended_ps, storms[1].ended_ps);
}

static void
assert_same_node(const struct run *a, const struct run *b, uint32_t id)
{
    const struct topo_node *node = &a->net.topo.nodes[id];
    struct dp_node *one = a->nodes.items[id], *two = b->nodes.items[id];
    struct dp_counts counts[2] = { dp_node_counts(one), dp_node_counts(two) };

    assert_int_equal(sim_live_n_broken(dp_node_sim(one)), sim_live_n_broken(dp_node_sim(two)));
    if (sim_live_n_broken(dp_node_sim(one))) {
        assert_int_equal(dp_node_first_broken_ns(one), dp_node_first_broken_ns(two));
    }
    assert_memory_equal(&counts[0].answers, &counts[1].answers, sizeof counts->answers);
    assert_memory_equal(counts[0].n_whats, counts[1].n_whats, sizeof counts->n_whats);
    for (uint32_t i = 0; i < node->n_ports * a->net.config.n_classes; i++) {
        assert_same_slot(a, b, id, node->first_port + i / a->net.config.n_classes,
                         (uint8_t)(i % a->net.config.n_classes));
    }
}

/* Random scenarios. */

static bool
can_be_run(const struct draw *d)
{
    struct sim_live hears = { .node = SIM_NONE };
    struct simple_net config = d->config;
    struct err err;

    config.run.live = &hears;
    struct sim *sim = simple_net_sim_new(&config, &err);
    if (sim) {
        sim_free(sim);
    }
    return sim;
}

static void
see_scenario(struct seen *seen, const struct draw *d, const struct run *r)
{
    const struct weir_stack *stack = &d->config.stack;

    seen->n_scenarios++;
    seen->n_events += r->n_events;
    seen->n_of_kind[d->is_piped ? 1 : d->is_crossed ? 2 : 0]++;
    for (uint32_t i = 0; i < stack->n; i++) {
        uint64_t number = 0;
        while (
            strcmp(weir_plugin_name(&weir_engines, number), stack->layers[i].engine->about.name)) {
            number++;
        }
        seen->n_engines |= (uint64_t)1 << number;
    }
}

/* Generates a scenario. If links fail, switches may also find new routes. */
static void
start_scenario(struct draw *d, uint64_t seed)
{
    uint64_t chance = seed;

    draw_start(d, seed);
    if (d->config.n_link_events) {
        uint64_t longest = (uint64_t)d->config.run.until_ps / 8 + 1;
        d->config.reroute_ps = 1 + (weir_ps)(weir_random(&chance) % longest);
    }
}

static bool
compare_drawn(uint64_t seed, struct seen *seen)
{
    struct run runs[2];
    struct draw d;

    start_scenario(&d, seed);
    bool can = can_be_run(&d);
    for (int i = 0; can && i < 2; i++) {
        run_start(&runs[i], &d);
        run_all(&runs[i], i == 1, seed, seen);
    }
    if (can) {
        assert_same_events(&runs[0], &runs[1]);
        for (uint32_t id = 0; id < runs[0].nodes.n; id++) {
            assert_same_node(&runs[0], &runs[1], id);
        }
        see_scenario(seen, &d, &runs[0]);
        run_stop(&runs[0]);
        run_stop(&runs[1]);
    }
    draw_stop(&d);
    return can;
}

static bool is_long;
static uint64_t only_seed;

static void
random_scenarios(void **state)
{
    uint64_t n_scenarios = is_long ? N_LONG : N_SCENARIOS, n_engines = 0;
    struct seen seen = { 0 };

    (void)state;
    for (uint64_t seed = 1; seen.n_scenarios < n_scenarios; seed++) {
        print_message("seed %llu\n", (unsigned long long)seed);
        compare_drawn(seed, &seen);
    }
    while (weir_plugin_name(&weir_engines, n_engines)) {
        n_engines++;
    }
    print_message(
        "%llu scenarios, %llu frames, clocks set back %llu times: %llu with packets held, "
        "%llu in a pause, %llu in a storm; switches: %llu oq, %llu pipeline, %llu cioq\n",
        (unsigned long long)seen.n_scenarios, (unsigned long long)seen.n_events,
        (unsigned long long)seen.n_rebases, (unsigned long long)seen.n_holding,
        (unsigned long long)seen.n_paused, (unsigned long long)seen.n_storms,
        (unsigned long long)seen.n_of_kind[0], (unsigned long long)seen.n_of_kind[1],
        (unsigned long long)seen.n_of_kind[2]);
    assert_true(seen.n_rebases > 1000 && seen.n_holding > 100 && seen.n_paused > 100);
    assert_true(seen.n_storms > 10);
    assert_int_equal(seen.n_engines, ((uint64_t)1 << n_engines) - 1);
}

static void
one_scenario(void **state)
{
    struct seen seen = { 0 };
    struct draw d;

    (void)state;
    start_scenario(&d, only_seed);
    draw_print(&d);
    draw_stop(&d);
    assert_true(compare_drawn(only_seed, &seen));
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_scenarios) };
    const struct CMUnitTest one[] = { cmocka_unit_test(one_scenario) };

    is_long = argc > 1 && !strcmp(argv[1], "--long");
    only_seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    return only_seed ? cmocka_run_group_tests(one, NULL, NULL)
                     : cmocka_run_group_tests(tests, NULL, NULL);
}

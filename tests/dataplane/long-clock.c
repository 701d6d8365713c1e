/* A switch that runs for years in real time.  The same random frames, pauses and flaps reach two
 * switches: one has a clock in picoseconds that is never set back, the other a clock in nanoseconds
 * that sets itself back.  Both start just before the clock is first set back, and run past many
 * such times.  The same frames leave, and the results are the same, for every engine. */

#include "alone.h"
#include "sim/live.h"
#include "sim/run-state.h"

#define EPOCH_PS (((weir_ps)1 << 49) * 1000)

enum { N_PORTS = 4, N_ROUNDS = 12, N_STEPS = 60, N_SETS = 3, N_CALM = 100 };

struct pair {
    struct alone in_ns, in_ps;
    weir_ps now;
    uint64_t chance, n_left, n_controls;
};

static void
start_one(struct alone *a, const char *engine, const struct model_watchdog *watchdog)
{
    const struct weir_engine *e = weir_engine_find(engine);

    net_start_star(&a->net, N_PORTS, 1000000000, US);
    net_add_flow(&a->net, 0, 2, MODEL_ENDLESS);
    net_add_flow(&a->net, 1, 2, MODEL_ENDLESS);
    net_use(&a->net, engine);
    if (e->needs_last_resort) {
        assert_true(weir_stack_add(&a->net.config.stack, weir_engine_find("pfc")));
    }
    a->net.config.watchdog = *watchdog;
    a->net.config.run.until_ps = 1000 * MS;
    alone_start_as(a, the_switch(&a->net));
}

static void
poll_both(struct pair *p, weir_ps for_ps)
{
    p->now += for_ps;
    dp_node_poll_ns(p->in_ns.node, p->now / 1000);
    dp_node_poll(p->in_ps.node, p->now);
}

static void
start_both(struct pair *p, const char *engine, const struct model_watchdog *watchdog, uint64_t seed)
{
    *p = (struct pair){ .chance = seed };
    start_one(&p->in_ns, engine, watchdog);
    start_one(&p->in_ps, engine, watchdog);
}

static void
stop_both(struct pair *p)
{
    alone_stop(&p->in_ns);
    alone_stop(&p->in_ps);
}

/* Frames that arrive. */

static void
put_both(struct pair *p, uint32_t port, const uint8_t *bytes, uint32_t len)
{
    alone_put(&p->in_ns, port, bytes, len);
    alone_put(&p->in_ps, port, bytes, len);
}

static void
put_packets_of(struct pair *p, uint32_t flow, uint64_t n)
{
    struct sim_packet packet = { .flow = flow, .dst = 2, .bytes = 1000, .kind = SIM_DATA };

    for (; n; n--) {
        alone_put_packet(&p->in_ns, flow, &packet);
        alone_put_packet(&p->in_ps, flow, &packet);
    }
}

static void
put_packets(struct pair *p)
{
    uint32_t flow = (uint32_t)(weir_random(&p->chance) % 2);

    put_packets_of(p, flow, weir_random(&p->chance) % 20);
}

static void
put_foreign(struct pair *p)
{
    uint8_t bytes[MAX_LEN], from = (uint8_t)(1 + weir_random(&p->chance) % 8);
    uint8_t to = (uint8_t)(1 + weir_random(&p->chance) % 8);

    make_foreign(bytes, to, from);
    put_both(p, (uint32_t)(weir_random(&p->chance) % N_PORTS), bytes, 60);
}

static void
put_pause_of(struct pair *p, uint32_t port, uint16_t quanta)
{
    uint8_t bytes[PAUSE_LEN];

    make_pause(bytes, quanta);
    put_both(p, port, bytes, sizeof bytes);
}

static void
put_pause(struct pair *p)
{
    uint16_t quanta = weir_random(&p->chance) % 4 ? (uint16_t)weir_random(&p->chance) : 0;

    put_pause_of(p, (uint32_t)(weir_random(&p->chance) % N_PORTS), quanta);
}

/* A device goes away or returns, or it takes no frames or takes them again. */
static void
change_device(struct pair *p)
{
    uint32_t port = (uint32_t)(weir_random(&p->chance) % N_PORTS);
    bool is_full = weir_random(&p->chance) % 2;

    for (int i = 0; i < 2; i++) {
        struct alone *a = i ? &p->in_ns : &p->in_ps;
        struct memory_port *device = &a->nodes.memory->ports[a->first_port + port];
        if (is_full) {
            device->max_waiting = device->max_waiting ? 0 : UINT32_MAX;
        } else {
            device->is_up = !device->is_up;
        }
    }
}

/* Comparison of the two switches. */

static bool
take_left(struct alone *a, uint32_t port, struct dp_parsed *parsed, uint32_t *len)
{
    struct dp_network network = nodes_network(&a->nodes);
    struct dp_frame frame;

    if (!memory_io_get(a->nodes.memory, a->first_port + port, &frame)) {
        return false;
    }
    memset(parsed, 0, sizeof *parsed);
    dp_frame_read(&network, frame.bytes, frame.len, parsed);
    parsed->meant_ps = 0; /* The times in the two frames are on different clocks. */
    *len = frame.len;
    memory_io_drop(a->nodes.memory, &frame);
    return true;
}

static void
compare_left(struct pair *p)
{
    struct dp_parsed one, two;
    uint32_t len, other_len;

    for (uint32_t port = 0; port < N_PORTS; port++) {
        while (take_left(&p->in_ns, port, &one, &len)) {
            assert_true(take_left(&p->in_ps, port, &two, &other_len));
            assert_int_equal(len, other_len);
            assert_memory_equal(&one, &two, sizeof one);
            p->n_left++;
            p->n_controls += one.what == DP_CONTROL;
        }
        assert_false(take_left(&p->in_ps, port, &two, &other_len));
    }
}

static void
compare_slot(struct pair *p, uint32_t port, uint8_t cls)
{
    const struct sim *sims[2] = { dp_node_sim(p->in_ns.node), dp_node_sim(p->in_ps.node) };
    weir_ps nows[2] = { dp_node_now(p->in_ns.node), p->now };
    struct sim_gate_state gates[2];
    struct sim_storms storms[2];

    for (int i = 0; i < 2; i++) {
        gates[i] = sim_gate_state(sims[i], p->in_ns.first_port + port, cls, nows[i]);
        storms[i] = sim_storms(sims[i], p->in_ns.first_port + port, cls);
    }
    assert_int_equal(gates[0].n_pfc_pauses, gates[1].n_pfc_pauses);
    assert_int_equal(gates[0].n_fafc_pauses, gates[1].n_fafc_pauses);
    assert_int_equal(gates[0].n_link_start_waits, gates[1].n_link_start_waits);
    assert_int_equal(gates[0].n_rate_changes, gates[1].n_rate_changes);
    assert_int_equal(gates[0].rate_bps, gates[1].rate_bps);
    assert_int_equal(gates[0].paused_ps, gates[1].paused_ps);
    assert_int_equal(gates[0].is_paused, gates[1].is_paused);
    assert_int_equal(storms[0].is_storm, storms[1].is_storm);
    assert_int_equal(storms[0].n_storms, storms[1].n_storms);
    assert_int_equal(storms[0].n_restored, storms[1].n_restored);
    assert_int_equal(storms[0].n_dropped, storms[1].n_dropped);
}

static void
compare_counts(struct pair *p)
{
    struct dp_counts one = dp_node_counts(p->in_ns.node), two = dp_node_counts(p->in_ps.node);
    struct sim *sims[2] = { dp_node_sim(p->in_ns.node), dp_node_sim(p->in_ps.node) };

    /* Lateness of frames is on different clocks, so it is not compared. */
    one.frames = two.frames = (struct dp_lateness){ 0 };
    assert_memory_equal(&one, &two, sizeof one);
    assert_int_equal(sim_live_n_broken(sims[0]), sim_live_n_broken(sims[1]));
    if (sim_live_n_broken(sims[0])) {
        assert_int_equal(dp_node_first_broken_ns(p->in_ns.node),
                         sim_live_first_broken(sims[1]).at_ps / 1000);
    }
    assert_int_equal(dp_node_ns(p->in_ns.node, dp_node_now(p->in_ns.node)), p->now / 1000);
    for (uint32_t i = 0; i < N_PORTS * p->in_ns.net.config.n_classes; i++) {
        compare_slot(p, i % N_PORTS, (uint8_t)(i / N_PORTS));
    }
}

/* Random events. */

static void (*const doings[])(struct pair *) = { put_packets, put_packets, put_packets,
                                                 put_foreign, put_pause,   change_device };

static void
step(struct pair *p)
{
    doings[weir_random(&p->chance) % (sizeof doings / sizeof *doings)](p);
    for (uint64_t n = weir_random(&p->chance) % 10; n; n--) {
        poll_both(p, 1000 * (1 + (weir_ps)(weir_random(&p->chance) % 100000)));
    }
    compare_left(p);
}

/* Runs from a little before a time at which the clock is set back to a little after it. */
static void
cross(struct pair *p, weir_ps border)
{
    poll_both(p, border - 5 * MS - p->now);
    for (uint32_t i = 0; i < N_STEPS; i++) {
        step(p);
    }
    assert_true(p->now > border);
    compare_counts(p);
}

/* Devices return, and all waiting frames leave.  Returns false if something is always due, as for
 * engines that send at intervals: days of these would take minutes to run, and dataplane-rebase
 * tests them. */
static bool
calm_down(struct pair *p)
{
    for (int i = 0; i < 2; i++) {
        struct alone *a = i ? &p->in_ns : &p->in_ps;
        for (uint32_t port = 0; port < N_PORTS; port++) {
            a->nodes.memory->ports[a->first_port + port].is_up = true;
            a->nodes.memory->ports[a->first_port + port].max_waiting = UINT32_MAX;
        }
    }
    for (int i = 0; i < N_CALM; i++) {
        poll_both(p, MS);
    }
    compare_left(p);
    return sim_live_next(dp_node_sim(p->in_ps.node)) == WEIR_NEVER;
}

/* Whether the switch ran past all times at which its clock is set back. */
static bool
cross_all(struct pair *p)
{
    int round = 0;

    for (; round < N_ROUNDS && calm_down(p); round++) {
        cross(p, (2 + round) * EPOCH_PS);
    }
    return round == N_ROUNDS;
}

static void
every_engine_crosses_borders(void **state)
{
    static const struct model_watchdog watchdogs[N_SETS] = {
        { 0 },
        { .action = MODEL_DROP, .detection_ps = MS, .restoration_ps = MS },
        { .action = MODEL_FORWARD, .detection_ps = MS, .restoration_ps = MS }
    };
    uint64_t n_crossed = 0, n_left = 0, n_controls = 0;
    const char *name;

    (void)state;
    for (uint64_t i = 0; (name = weir_plugin_name(&weir_engines, i)); i++) {
        for (int k = 0; k < N_SETS; k++) {
            struct pair p;
            start_both(&p, name, &watchdogs[k], i * N_SETS + (uint64_t)k + 1);
            n_crossed += cross_all(&p);
            n_left += p.n_left;
            n_controls += p.n_controls;
            stop_both(&p);
        }
    }
    print_message("%llu switches crossed %d borders each: %llu frames left, %llu of control\n",
                  (unsigned long long)n_crossed, N_ROUNDS, (unsigned long long)n_left,
                  (unsigned long long)n_controls);
    assert_true(n_crossed > 10 && n_left > 10000 && n_controls > 100);
}

/* A storm that lasts while the clock is set back ends at its due time, and until then the watchdog
 * keeps the gate open. */
static void
storms_last_across_borders(void **state)
{
    const struct model_watchdog forward = { .action = MODEL_FORWARD,
                                            .detection_ps = MS,
                                            .restoration_ps = 2 * MS };
    struct pair p;

    (void)state;
    start_both(&p, "pfc", &forward, 1);
    poll_both(&p, 2 * EPOCH_PS - 10 * MS);
    put_pause_of(&p, 2, 0xffff); /* A pause of 33.6 ms. */
    poll_both(&p, MS);
    put_packets_of(&p, 0, 10);
    for (int i = 0; i < 100; i++) {
        poll_both(&p, MS / 2);
        compare_counts(&p);
        const struct sim_node *n = &dp_node_sim(p.in_ns.node)->threads[0].own[0];
        bool is_storm = sim_storms(dp_node_sim(p.in_ns.node), p.in_ns.first_port + 2, 0).is_storm;
        assert_true(!is_storm || n->weir.ctx.gates[2 * n->n_classes].open_ps == -1);
        put_packets_of(&p, 0, 1);
    }
    struct sim_storms storms = sim_storms(dp_node_sim(p.in_ns.node), p.in_ns.first_port + 2, 0);
    assert_int_equal(storms.n_storms, 1);
    assert_int_equal(storms.n_restored, 1);
    compare_left(&p);
    stop_both(&p);
}

/* The run takes years, with months between some polls. */
static void
years_pass(void **state)
{
    struct sim_packet packet = { .flow = 0, .dst = 2, .bytes = 1000, .kind = SIM_DATA };
    const int64_t day_ns = (int64_t)86400 * 1000000000;
    const struct model_watchdog none = { 0 };
    int64_t now_ns = 0;
    struct alone a;

    (void)state;
    start_one(&a, "pfc", &none);
    for (int i = 1; i <= 40; i++) {
        alone_put_packet(&a, 0, &packet);
        now_ns += i * day_ns * 10;
        dp_node_poll_ns(a.node, now_ns);
        assert_int_equal(dp_node_ns(a.node, dp_node_now(a.node)), now_ns);
        assert_true(dp_node_now(a.node) < DP_LAST_PS);
        dp_node_poll_ns(a.node, now_ns += 20000);
        assert_int_equal(alone_left(&a, 2, NULL, 0), 1);
    }
    dp_node_end_ns(a.node, now_ns + 200 * day_ns);
    assert_int_equal(dp_node_ns(a.node, dp_node_now(a.node)), now_ns + 200 * day_ns);
    assert_true(dp_node_counts(a.node).polls.most_ps > 93 * day_ns * 1000);
    alone_stop(&a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_engine_crosses_borders),
        cmocka_unit_test(storms_last_across_borders),
        cmocka_unit_test(years_pass),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Queues on hold: a pause that ends by itself counts as a pause, and is neither a deadlock nor a
 * storm.
 *
 * The engine of this test puts queues of some nodes on hold, and pauses them like PFC, at given
 * times. Links have 10 Gb/s and 1 us of cable; a packet takes 1.2 us on a wire. */

#include "hand.h"

enum { MTU = 1500 };
#define G  1000000000ull
#define US ((weir_ps)1000000)
#define MS (1000 * US)

static const weir_ps wire = MTU * 800;

enum { HOLD, HOLD_AGAIN, PAUSE, PAUSE_AGAIN, N_STEPS };

struct step {
    uint64_t at_ps, until_ps; /* 0 means never. */
};

struct params {
    struct step steps[N_STEPS];
    uint64_t every_ps; /* The first step is repeated at this interval; 0: not repeated. */
    /* The tier of nodes that act, and the tier of the nodes at the other ends of their ports. */
    uint64_t tier, peer_tier;
};

#define STEP_FIELDS(STEP, NAME)                                                                    \
    WEIR_FIELD(struct params, steps[STEP].at_ps, NAME, WEIR_TIME, .max = WEIR_PS_PER_S),           \
        WEIR_FIELD(struct params, steps[STEP].until_ps, NAME "_until", WEIR_TIME,                  \
                   .max = WEIR_PS_PER_S)

static const struct weir_field param_fields[] = {
    STEP_FIELDS(HOLD, "hold"),
    STEP_FIELDS(HOLD_AGAIN, "hold_again"),
    STEP_FIELDS(PAUSE, "pause"),
    STEP_FIELDS(PAUSE_AGAIN, "pause_again"),
    WEIR_FIELD(struct params, every_ps, "every", WEIR_TIME, .max = WEIR_PS_PER_S),
    WEIR_FIELD(struct params, tier, "tier", WEIR_COUNT, .max = 1),
    WEIR_FIELD(struct params, peer_tier, "peer_tier", WEIR_COUNT, .max = 1),
    { 0 },
};

static bool
holder_check(const struct weir_shape *shape, const void *params, struct weir_needs *needs,
             struct weir_text *text)
{
    (void)params, (void)text;
    *needs = (struct weir_needs){ .state_bytes = sizeof(struct params),
                                  .n_timers = N_STEPS,
                                  .max_emits = N_STEPS + weir_n_slots(shape) };
    return true;
}

static void
holder_init(void *state, struct weir_ctx *ctx, const void *params)
{
    struct params *p = state;

    *p = *(const struct params *)params;
    for (uint32_t i = 0; i < N_STEPS && ctx->shape->tier == p->tier; i++) {
        if (p->steps[i].at_ps) {
            weir_set_timer(ctx, i, (weir_ps)p->steps[i].at_ps);
        }
    }
}

static void
holder_timer(void *state, struct weir_ctx *ctx, uint32_t key)
{
    const struct params *p = state;
    weir_ps until_ps = ctx->now + (weir_ps)(p->steps[key].until_ps - p->steps[key].at_ps);

    for (uint32_t slot = 0; slot < weir_n_slots(ctx->shape); slot++) {
        if (ctx->shape->ports[weir_slot_port(ctx, slot)].peer_tier != p->peer_tier) {
            continue;
        }
        if (key <= HOLD_AGAIN) {
            weir_hold_rate(ctx, slot, until_ps);
        } else {
            weir_set_open(ctx, slot, until_ps);
        }
    }
    if (p->every_ps) {
        weir_set_timer(ctx, key, ctx->now + (weir_ps)p->every_ps);
    }
}

#define HOLDER(LIMITS)                                                                             \
    {                                                                                              \
        .about = { .name = "holder",                                                               \
                   .params = param_fields,                                                         \
                   .params_bytes = sizeof(struct params) },                                        \
        .limits = (LIMITS), .check = holder_check, .init = holder_init, .timer = holder_timer,     \
    }

static const struct weir_engine alone = HOLDER(WEIR_LIMIT_OPEN | WEIR_LIMIT_HOLD);
static const struct weir_engine over_pfc = HOLDER(WEIR_LIMIT_HOLD);

static void
use_holder(struct net *net, const struct weir_engine *engine, uint64_t tier, uint64_t peer_tier)
{
    net->config.stack = (struct weir_stack){ 0 };
    assert_true(weir_stack_add(&net->config.stack, engine));
    hand_set(net, "tier", tier);
    hand_set(net, "peer_tier", peer_tier);
}

static void
set_step(struct net *net, const char *name, weir_ps at_ps, weir_ps until_ps)
{
    char until[32];

    snprintf(until, sizeof until, "%s_until", name);
    hand_set(net, name, (uint64_t)at_ps);
    hand_set(net, until, (uint64_t)until_ps);
}

/* Runs steps of which only the sender sees anything; returns its gate at the end, and its notes. */
static struct sim_gate_state
run_pair(const struct step steps[N_STEPS], uint64_t *n_sent, struct sim_note *notes,
         size_t *n_notes)
{
    static const char *const names[] = { "hold", "hold_again", "pause", "pause_again" };
    struct net net;

    hand_incast(&net, 1, 10 * G, US);
    use_holder(&net, &alone, 0, 1);
    for (uint32_t i = 0; i < N_STEPS; i++) {
        set_step(&net, names[i], (weir_ps)steps[i].at_ps, (weir_ps)steps[i].until_ps);
    }
    net.config.run.until_ps = MS;
    net.config.run.notes = 1 << SIM_NOTE_PAUSE | 1 << SIM_NOTE_RESUME;
    struct sim *sim = hand_run(&net);
    uint32_t port = net.topo.nodes[net.flows[0].from].first_port;
    struct sim_gate_state g = sim_gate_state(sim, port, 0, MS);
    *n_sent = sim_flow_result(sim, 0).sent_bytes / MTU;
    const struct sim_note *all = sim_take_notes(sim, n_notes);
    size_t n = 0;
    for (size_t i = 0; i < *n_notes; i++) {
        if (all[i].port == port) {
            notes[n++] = all[i];
        }
    }
    *n_notes = n;
    sim_free(sim);
    net_stop(&net);
    return g;
}

/* Pauses of known length, of either scheme or of both: alone, ended early, extended, nested,
 * separate, and still active at the end.  Each scheme counts its own pauses; the time paused is the
 * time in which either scheme shuts the gate. */
static void
pauses_count_by_scheme_and_time_by_the_clock(void **state)
{
    enum { U = 1000000 };
    static const struct {
        struct step steps[N_STEPS];
        uint64_t n_pfc, n_fafc, paused_us;
        size_t n_notes; /* Begins and ends of times in which either scheme shuts the gate. */
        bool is_paused;
    } cases[] = {
        { { [HOLD] = { 100 * U, 300 * U } }, 0, 1, 200, 2, false },
        { { [PAUSE] = { 100 * U, 437 * U } }, 1, 0, 337, 2, false },
        { { [PAUSE] = { 100 * U, 437 * U }, [PAUSE_AGAIN] = { 200 * U, 200 * U } },
          1,
          0,
          100,
          2,
          false },
        { { [PAUSE] = { 900 * U, 2000 * U } }, 1, 0, 100, 1, true },
        { { [HOLD] = { 100 * U, 300 * U }, [HOLD_AGAIN] = { 250 * U, 400 * U } },
          0,
          1,
          300,
          2,
          false },
        { { [HOLD] = { 100 * U, 200 * U }, [HOLD_AGAIN] = { 300 * U, 400 * U } },
          0,
          2,
          200,
          4,
          false },
        { { [HOLD] = { 100 * U, 400 * U },
            [PAUSE] = { 200 * U, 900 * U },
            [PAUSE_AGAIN] = { 300 * U, 300 * U } },
          1,
          1,
          300,
          2,
          false },
        { { [HOLD] = { 100 * U, 200 * U }, [PAUSE] = { 150 * U, 350 * U } }, 1, 1, 250, 2, false },
        { { [HOLD] = { 100 * U, 200 * U }, [PAUSE] = { 300 * U, 350 * U } }, 1, 1, 150, 4, false },
        { { [HOLD] = { 100 * U, 900 * U }, [HOLD_AGAIN] = { 200 * U, 200 * U } },
          0,
          1,
          100,
          2,
          false },
        { { [HOLD] = { 900 * U, 2000 * U } }, 0, 1, 100, 1, true },
    };
    struct sim_note notes[16];
    size_t n_notes;
    uint64_t n_sent;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sim_gate_state g = run_pair(cases[i].steps, &n_sent, notes, &n_notes);
        assert_int_equal(g.n_pfc_pauses, cases[i].n_pfc);
        assert_int_equal(g.n_fafc_pauses, cases[i].n_fafc);
        assert_int_equal(g.n_link_start_waits, 0);
        assert_int_equal(g.paused_ps, cases[i].paused_us * (uint64_t)US);
        assert_int_equal(g.is_paused, cases[i].is_paused);
        ASSERT_NEAR(n_sent, (MS - g.paused_ps) / wire, 3);
        assert_int_equal(n_notes, cases[i].n_notes);
        const struct step *first =
            cases[i].steps[HOLD].at_ps ? &cases[i].steps[HOLD] : &cases[i].steps[PAUSE];
        assert_int_equal(notes[0].kind, SIM_NOTE_PAUSE);
        assert_int_equal(notes[0].at_ps, first->at_ps);
        assert_int_equal(notes[0].value, first->until_ps);
    }
}

/* The ring of three switches with pinned paths, so that each link carries two flows; see
 * deadlock.c. */
static struct sim_deadlock
run_ring(bool has_pfc, weir_ps hold_ps, weir_ps every_ps)
{
    struct net net;
    uint16_t ways[3][3];

    hand_start(&net);
    for (uint32_t i = 0; i < 3; i++) {
        hand_switch(&net);
    }
    for (uint32_t i = 0; i < 3; i++) {
        hand_link(&net, i, (i + 1) % 3, 10 * G, US);
    }
    for (uint32_t i = 0; i < 3; i++) {
        hand_link(&net, hand_nic(&net), i, 10 * G, US);
    }
    hand_finish(&net, 3);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t last = (i + 2) % 3, nodes[] = { i, (i + 1) % 3, last, 3 + last };
        for (uint32_t k = 0; k < 3; k++) {
            ways[i][k] = (uint16_t)net.topo.ports[hand_port(&net, nodes[k], nodes[k + 1])].number;
        }
        net.flows[i].from = 3 + i;
        net.flows[i].to = 3 + last;
        net.flows[i].path = ways[i];
        net.flows[i].n_path = 3;
    }
    use_holder(&net, &over_pfc, 1, 1);
    set_step(&net, "hold", 100 * US, 100 * US + hold_ps);
    hand_set(&net, "every", (uint64_t)every_ps);
    if (has_pfc) {
        assert_true(weir_stack_add(&net.config.stack, weir_engine_find("pfc")));
    }
    net.config.arbitration = "fifo";
    net.config.buffer.reserve_bytes = 1000000;
    net.config.run.until_ps = 20 * MS;
    struct sim *sim = hand_run(&net);
    struct sim_deadlock d = sim_deadlock(sim);
    sim_free(sim);
    net_stop(&net);
    return d;
}

/* A network on hold for nearly all of its time is not deadlocked, because packets will move. If
 * PFC's pauses close a cycle, they are permanent, even if the queues are on hold, too. */
static void
a_hold_is_no_deadlock_but_hides_none(void **state)
{
    (void)state;
    assert_false(run_ring(false, 500 * MS, 0).found);
    struct sim_deadlock d = run_ring(true, 8 * US, 10 * US);
    assert_true(d.found);
    assert_int_equal(d.n_cycle, 3);
}

/* A receiver stalls for longer than the detection time of the switch's watchdog, and the queue to
 * it is put on hold a microsecond before or after PFC pauses it.  The pause begins when twenty
 * packets have arrived, plus the time of a frame (51.2 ns, cable and response).  No packet arrives
 * then, so only the pause can start the watchdog's time. */
static weir_ps
storm_ps(bool stalls, weir_ps hold_at_ps, weir_ps hold_until_ps)
{
    const struct model_stall stall = { 3, 0xff, 0, 9 * MS };
    struct net net;
    size_t n;

    hand_incast(&net, 2, 10 * G, US);
    net.flows[0].bytes = net.flows[1].bytes =
        25 * MTU; /* All packets have arrived at the switch before the pause begins. */
    use_holder(&net, &over_pfc, 1, 0);
    set_step(&net, "hold", hold_at_ps, hold_until_ps);
    assert_true(weir_stack_add(&net.config.stack, weir_engine_find("pfc")));
    const struct weir_field *xoff = weir_field_find(weir_engine_find("pfc")->about.params, "xoff");
    weir_field_set(xoff, net.config.stack.layers[1].params, 20 * MTU);
    net.config.stalls = &stall;
    net.config.n_stalls = stalls;
    net.config.watchdog = (struct model_watchdog){ MODEL_ALERT, 700 * US, 900 * US };
    net.config.run.notes = 1 << SIM_NOTE_STORM;
    net.config.run.until_ps = 3 * MS;
    struct sim *sim = hand_run(&net);
    const struct sim_note *notes = sim_take_notes(sim, &n);
    assert_true(n <= 1);
    weir_ps at_ps = n ? notes[0].at_ps : WEIR_NEVER;
    sim_free(sim);
    net_stop(&net);
    return at_ps;
}

static void
a_hold_is_no_storm_but_hides_none(void **state)
{
    const weir_ps pause_ps = 2 * (wire + US) + 19 * wire + 51200 + US + 3 * US;

    (void)state;
    assert_int_equal(storm_ps(false, 5 * US, 3 * MS), WEIR_NEVER);
    assert_int_equal(storm_ps(true, pause_ps - US, pause_ps + 100 * US), pause_ps + 700 * US);
    assert_int_equal(storm_ps(true, pause_ps + US, pause_ps + 100 * US), pause_ps + 700 * US);
}

/* Holds and the rates of buffer-based GFC both set the rate of a gate. */
static void
holds_and_rates_do_not_go_together(void **state)
{
    struct err err = { 0 };
    struct net net;

    (void)state;
    hand_incast(&net, 1, 10 * G, US);
    use_holder(&net, &over_pfc, 1, 0);
    assert_true(weir_stack_add(&net.config.stack, weir_engine_find("gfc-buffer")));
    assert_null(simple_net_sim_new(&net.config, &err));
    assert_non_null(strstr(err.text, "limit the same queues in the same way"));
    net_stop(&net);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pauses_count_by_scheme_and_time_by_the_clock),
        cmocka_unit_test(a_hold_is_no_deadlock_but_hides_none),
        cmocka_unit_test(a_hold_is_no_storm_but_hides_none),
        cmocka_unit_test(holds_and_rates_do_not_go_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* QCN's reaction point under any messages, packets and times: how low and how high its limits are,
 * and how long they last. */

#include <stdlib.h>

#include "../chance.h"
#include "law.h"

enum { N_FLOWS = 4, NEVER_BLAMED = N_FLOWS - 1, N_EVENTS = 300 };

struct nic {
    struct weir_port port;
    struct weir_shape shape;
    struct weir_stack stack;
    struct weir_buffer buffer;
    struct weir_buffer_slot slot;
    struct weir_outbox out;
    struct weir_emit emits[4];
    struct weir_node node;
    void *memory;
    uint64_t chance;
    weir_ps now, timers[N_FLOWS];
    uint64_t limits_bps[N_FLOWS];
    uint32_t n_limits; /* Number of limits that the engine has set. */
    bool is_set_back;  /* The test sets the node's clock back from time to time. */
};

static uint64_t
param(const struct nic *n, const char *name)
{
    const struct weir_field *f = weir_field_find(n->stack.layers[0].engine->about.params, name);
    return weir_field_get(f, n->stack.layers[0].params);
}

/* Steps are large compared with the line rate, so that a full recovery takes only a few hundred
 * steps. */
static void
draw_params(struct nic *n)
{
    static const struct {
        const char *name, *values[4];
    } choices[] = {
        { "timer", { "1us", "15us", "300us", "15ms" } },
        { "bytes", { "64B", "1500B", "150KB", "4MB" } },
        { "reaction_jitter", { "0", "0.15", "0.15", "0.5" } },
        { "cycles", { "1", "2", "5", "5" } },
        { "ai", { "5Mbps", "50Mbps", "50Mbps", "20Gbps" } },
        { "hai", { "3Mbps", "50Mbps", "500Mbps", "100Tbps" } },
        { "min_rate", { "1kbps", "5Mbps", "100Mbps", "999999999bps" } },
        { "extra", { "no", "yes", "yes", "yes" } },
        { "install", { "line", "line", "own", "own" } },
    };
    struct weir_text text = { 0 };

    for (size_t i = 0; i < N_OF(choices); i++) {
        const char *value = ONE_OF(&n->chance, choices[i].values);
        assert_true(weir_stack_set(&n->stack, 0, choices[i].name, value, &text));
    }
}

static void
start(struct nic *n, uint64_t seed)
{
    static const uint64_t rates[] = { 1000000000, 1000000001, 10000000000 };
    struct weir_needs needs;
    struct weir_text text = { 0 };

    *n = (struct nic){ .chance = seed };
    n->port = (struct weir_port){ .rate_bps = ONE_OF(&n->chance, rates), .cable_ps = 1000000 };
    n->shape = (struct weir_shape){
        .ports = &n->port,
        .n_ports = 1,
        .n_classes = 1,
        .lossless = 1,
        .mtu_bytes = 9000,
        .gap_bytes = (uint32_t)below(&n->chance, 2) * 20,
        .node_id = (uint32_t)seed,
        .services = WEIR_SERVICE_LABELS | WEIR_SERVICE_MESSAGES | WEIR_SERVICE_FLOW_RATES,
        .n_flows = N_FLOWS,
        .buffer = { .size_bytes = 1000000, .classes = { { .reserve_bytes = 1000000 } } }
    };
    weir_stack_add(&n->stack, weir_engine_find("qcn"));
    draw_params(n);
    assert_true(weir_stack_resolve(&n->stack, &n->shape, &needs, &text));
    n->out = (struct weir_outbox){ .emits = n->emits, .max = 4 };
    n->memory = aligned_alloc(WEIR_MEMORY_ALIGN, needs.state_bytes);
    weir_buffer_init(&n->buffer, &n->shape.buffer, 1, 1, &n->slot);
    weir_node_init(&n->node, &n->stack, &n->shape, &n->buffer, &n->out, n->memory, 0);
    for (uint32_t flow = 0; flow < N_FLOWS; flow++) {
        n->timers[flow] = WEIR_NEVER;
        n->limits_bps[flow] = WEIR_UNLIMITED;
    }
}

/* Every limit is under the line rate and not under the minimum rate, and a flow with a limit has a
 * timer. */
static void
obey(struct nic *n)
{
    for (uint32_t i = 0; i < n->out.n; i++) {
        const struct weir_emit *e = &n->out.emits[i];
        if (e->kind == WEIR_TIMER) {
            n->timers[e->key] = e->at;
            continue;
        }
        assert_int_equal(e->kind, WEIR_FLOW_RATE);
        assert_int_not_equal(e->key, NEVER_BLAMED);
        assert_true(e->rate_bps == WEIR_UNLIMITED ||
                    (e->rate_bps >= param(n, "min_rate") && e->rate_bps < n->port.rate_bps));
        n->limits_bps[e->key] = e->rate_bps;
        n->n_limits++;
    }
    n->out.n = 0;
    for (uint32_t flow = 0; flow < N_FLOWS; flow++) {
        bool is_limited = n->limits_bps[flow] != WEIR_UNLIMITED;
        assert_int_equal(is_limited, n->timers[flow] != WEIR_NEVER);
    }
}

/* Advances the time to 'until', and fires timers. */
static void
wait_until(struct nic *n, weir_ps until)
{
    for (;;) {
        uint32_t next = 0;
        for (uint32_t flow = 1; flow < N_FLOWS; flow++) {
            next = n->timers[flow] < n->timers[next] ? flow : next;
        }
        if (n->timers[next] > until) {
            break;
        }
        n->now = n->timers[next];
        n->timers[next] = WEIR_NEVER;
        weir_node_timer(&n->node, n->now, next);
        obey(n);
    }
    n->now = until;
}

static void
send(struct nic *n, uint32_t flow)
{
    struct weir_pkt pkt = { .bytes = 1 + (uint32_t)below(&n->chance, 9000), .flow = flow };
    uint64_t before_bps = n->limits_bps[flow];

    weir_node_sent(&n->node, n->now, &pkt);
    obey(n);
    assert_true(n->limits_bps[flow] >= before_bps);
}

/* Sends a message to a random flow. Feedback 0 has no effect, and the strongest feedback cuts the
 * rate by less than half. */
static void
hear(struct nic *n)
{
    static const uint8_t feedbacks[] = { 0, 1, 17, 32, 63, 63 };
    uint32_t flow = (uint32_t)below(&n->chance, NEVER_BLAMED);
    uint64_t before_bps = n->limits_bps[flow];
    uint32_t n_before = n->n_limits;
    struct weir_cnm m = { .quantised_fb = ONE_OF(&n->chance, feedbacks) };
    struct weir_frame f;

    weir_cnm_encode(&m, &f);
    weir_node_heard(&n->node, n->now, flow, &f);
    obey(n);
    assert_int_equal(n->n_limits - n_before, m.quantised_fb > 0);
    if (before_bps != WEIR_UNLIMITED) {
        assert_true(n->limits_bps[flow] <= before_bps && n->limits_bps[flow] >= before_bps / 2);
    }
}

/* Delivers random bytes for any flow. They are rarely a message, and mostly have no effect. */
static void
hear_noise(struct nic *n)
{
    struct weir_frame f = { .len = (uint8_t)below(&n->chance, 2 * WEIR_FRAME_MAX) };
    uint32_t flow = one_in(&n->chance, 2) ? N_FLOWS + (uint32_t)below(&n->chance, UINT32_MAX / 2)
                                          : (uint32_t)below(&n->chance, NEVER_BLAMED);

    for (uint32_t i = 0; i < WEIR_FRAME_MAX; i++) {
        f.bytes[i] = (uint8_t)weir_random(&n->chance);
    }
    f.bytes[0] = 0x22;
    f.bytes[1] = one_in(&n->chance, 2) ? 0xe7 : 0xe9;
    weir_node_heard(&n->node, n->now, flow, &f);
    obey(n);
}

/* Sets the clock back, by a part of the time or to 0. */
static void
set_back(struct nic *n, weir_ps by)
{
    weir_node_rebase(&n->node, by);
    n->now -= by;
    for (uint32_t flow = 0; flow < N_FLOWS; flow++) {
        n->timers[flow] = weir_rebased(n->timers[flow], by);
    }
}

static void
play(struct nic *n, uint32_t n_events)
{
    for (uint32_t i = 0; i < n_events; i++) {
        if (n->is_set_back && i % 8 == 0) {
            set_back(n, i % 3 ? n->now / 2 : n->now);
        }
        uint64_t what = below(&n->chance, 8);
        if (what == 0) {
            hear(n);
        } else if (what == 1) {
            hear_noise(n);
        } else if (what < 6) {
            send(n, (uint32_t)below(&n->chance, N_FLOWS));
        } else {
            uint64_t cycle = param(n, "timer");
            wait_until(n, n->now + (weir_ps)below(&n->chance,
                                                  one_in(&n->chance, 9) ? 9 * cycle : cycle / 8));
        }
    }
}

static void
no_limit_is_over_the_line_or_under_the_least(void **state)
{
    uint64_t n_limits = 0;

    (void)state;
    for (uint64_t seed = 0; seed < N_RUNS; seed++) {
        struct nic n;
        start(&n, seed);
        play(&n, N_EVENTS);
        n_limits += n.n_limits;
        free(n.memory);
    }
    assert_true(n_limits > 10 * N_RUNS);
}

/* The maximum time that a limit lasts after the last message: doc/engines/qcn.md derives it.  The
 * timer alone restores the rate, whether or not the flow sends. */
static weir_ps
bound_ps(const struct nic *n)
{
    uint64_t timer = param(n, "timer"), half = timer / 2, jitter = param(n, "reaction_jitter");
    uint64_t way_bps = n->port.rate_bps - param(n, "min_rate"), ai = param(n, "ai");
    uint64_t step_bps = ai < param(n, "hai") ? ai : param(n, "hai");
    uint64_t n_late = 1 + (way_bps + step_bps - 1) / step_bps;

    timer += timer * jitter / WEIR_RATIO_1;
    half += half * jitter / WEIR_RATIO_1;
    return (weir_ps)(param(n, "cycles") * timer + n_late * half);
}

/* Flow 0 keeps sending while it recovers; the other flows are silent. */
static void
wait_and_send(struct nic *n, weir_ps until)
{
    while (n->now < until) {
        weir_ps next = n->now + (weir_ps)below(&n->chance, (uint64_t)(until - n->now) / 8 + 2);
        wait_until(n, next < until ? next : until);
        send(n, 0);
    }
}

static void
who_is_blamed_no_more_is_free_in_time(void **state)
{
    uint32_t n_limited = 0;

    (void)state;
    for (uint64_t seed = 0; seed < N_RUNS / 4; seed++) {
        struct nic n;
        start(&n, seed);
        play(&n, N_EVENTS);
        hear(&n);
        for (uint32_t flow = 0; flow < N_FLOWS; flow++) {
            n_limited += n.limits_bps[flow] != WEIR_UNLIMITED;
        }
        wait_and_send(&n, n.now + bound_ps(&n));
        for (uint32_t flow = 0; flow < N_FLOWS; flow++) {
            assert_true(n.limits_bps[flow] == WEIR_UNLIMITED);
        }
        free(n.memory);
    }
    assert_true(n_limited > N_RUNS / 4);
}

/* The bound is tight. If only the timer acts and nothing varies, a flow at the minimum rate that
 * has lost its target needs that time, to within one or two steps. */
static void
the_bound_is_reached(void **state)
{
    static const char *const values[][2] = {
        { "timer", "15ms" },   { "reaction_jitter", "0" }, { "ai", "5Mbps" },
        { "cycles", "5" },     { "min_rate", "5Mbps" },    { "extra", "no" },
        { "install", "line" },
    };
    struct weir_text text = { 0 };
    struct weir_needs needs;
    struct nic n;
    struct weir_frame f;

    (void)state;
    start(&n, 1);
    for (size_t i = 0; i < N_OF(values); i++) {
        assert_true(weir_stack_set(&n.stack, 0, values[i][0], values[i][1], &text));
    }
    assert_true(weir_stack_resolve(&n.stack, &n.shape, &needs, &text));
    weir_node_init(&n.node, &n.stack, &n.shape, &n.buffer, &n.out, n.memory, 0);
    weir_cnm_encode(&(struct weir_cnm){ .quantised_fb = 63 }, &f);
    for (int i = 0; i < 20; i++) {
        weir_node_heard(&n.node, 0, 0, &f);
        obey(&n);
    }
    weir_ps bound = bound_ps(&n);
    wait_until(&n, bound - 2 * 7500000000);
    assert_true(n.limits_bps[0] < n.port.rate_bps);
    wait_until(&n, bound);
    assert_true(n.limits_bps[0] == WEIR_UNLIMITED);
    free(n.memory);
}

static void
a_clock_that_is_set_back_changes_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < N_RUNS / 4; seed++) {
        struct nic plain, other;
        start(&plain, seed);
        start(&other, seed);
        other.is_set_back = true;
        play(&plain, N_EVENTS);
        play(&other, N_EVENTS);
        assert_int_equal(plain.n_limits, other.n_limits);
        assert_memory_equal(plain.limits_bps, other.limits_bps, sizeof plain.limits_bps);
        free(plain.memory);
        free(other.memory);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_limit_is_over_the_line_or_under_the_least),
        cmocka_unit_test(who_is_blamed_no_more_is_free_in_time),
        cmocka_unit_test(the_bound_is_reached),
        cmocka_unit_test(a_clock_that_is_set_back_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

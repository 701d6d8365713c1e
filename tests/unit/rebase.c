/* A clock that is set back, and one that is near its end, for every engine.  A host makes random
 * calls to a node, and sets the clock back at any time. Outputs stay the same, and so do the times
 * in them when the shift is taken out. */

#include "world.h"

/* An engine that stores a time: for each packet it sends a frame with the time since the last
 * packet. */

struct clocked {
    weir_ps last_ps;
};

static void
clocked_arrived(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    struct clocked *s = state;
    uint64_t since = (uint64_t)(ctx->now - s->last_ps);

    struct weir_frame f = { .len = 12, .bytes = { 0x88, 0xb5, 0xff, 0x02 } };
    for (int i = 0; i < 8; i++) {
        f.bytes[4 + i] = (uint8_t)(since >> 8 * i);
    }
    *weir_send(ctx, pkt->in_port) = f;
    s->last_ps = ctx->now;
}

static void
clocked_rebase(void *state, const struct weir_ctx *ctx, weir_ps by_ps)
{
    (void)ctx;
    struct clocked *s = state;
    s->last_ps = weir_rebased(s->last_ps, by_ps);
}

static bool
clocked_check(const struct weir_shape *shape_of_node, const void *params, struct weir_needs *needs,
              struct weir_text *text)
{
    (void)shape_of_node, (void)params, (void)text;
    *needs = (struct weir_needs){ .state_bytes = sizeof(struct clocked), .max_emits = 1 };
    return true;
}

static void
clocked_init(void *state, struct weir_ctx *ctx, const void *params)
{
    struct clocked *s = state;
    (void)params;
    s->last_ps = ctx->now;
}

static const struct weir_field no_fields[] = { { 0 } };

static const struct weir_engine clocked = {
    .about = { .name = "clocked", .params = no_fields },
    .counters = no_fields,
    .check = clocked_check,
    .init = clocked_init,
    .arrived = clocked_arrived,
    .rebase = clocked_rebase,
};

/* Comparison of two worlds whose clocks differ. */

static bool
same_answers(const struct world *a, const struct world *b)
{
    bool same = a->journal.n == b->journal.n;

    for (size_t i = 0; same && i < a->journal.n; i++) {
        same = same_emit(&a->journal.emits[i], &b->journal.emits[i]);
    }
    return same;
}

static weir_ps
on_first_clock(const struct world *w, weir_ps at)
{
    return at == WEIR_NEVER ? at : at + w->behind_ps;
}

static void
assert_same_gates(const struct world *a, const struct world *b)
{
    for (uint32_t slot = 0; slot < N_SLOTS; slot++) {
        for (uint32_t bytes = 64; bytes <= 1500; bytes += 359) {
            weir_ps of_a = weir_gate_ready(&a->node.ctx.gates[slot], a->now, bytes);
            weir_ps of_b = weir_gate_ready(&b->node.ctx.gates[slot], b->now, bytes);
            assert_int_equal(on_first_clock(a, of_a), on_first_clock(b, of_b));
        }
    }
}

static void
assert_same_but_for_the_clock(const struct world *a, const struct world *b)
{
    assert_true(same_answers(a, b));
    assert_same_gates(a, b);
    for (uint32_t key = 0; key < a->needs.n_timers; key++) {
        assert_int_equal(on_first_clock(a, a->timers[key]), on_first_clock(b, b->timers[key]));
    }
    assert_memory_equal(a->slots, b->slots, sizeof a->slots);
    assert_int_equal(a->random, b->random);
    if (!a->stack.layers[0].engine->rebase) {
        assert_memory_equal(a->node.layers[0].state, b->node.layers[0].state,
                            a->node.needs[0].state_bytes);
    }
}

/* One world has a clock that starts at 0. The clock of the other starts at 0 or late, and is set
 * back at random times. */
static void
compare_as(enum role role, const struct weir_engine *engine, const char *name, const char *value,
           uint64_t seed)
{
    static const weir_ps starts[] = { 0, WEIR_LATE, WEIR_LATE + WEIR_LATE / 2 };
    struct world *plain = new_world_at(engine, name, value, role, seed, 0);
    struct world *moved =
        new_world_at(engine, name, value, role, seed, starts[seed % N_OF(starts)]);

    moved->rebases = true;
    moved->moments = ~seed;
    run(plain, N_STEPS);
    run(moved, N_STEPS);
    assert_same_but_for_the_clock(plain, moved);
    end_world(plain);
    end_world(moved);
}

static void
compare(const struct weir_engine *engine, const char *name, const char *value, uint64_t seed)
{
    for (unsigned role = 0; role < n_roles(engine); role++) {
        compare_as((enum role)role, engine, name, value, seed);
    }
}

static void
no_engine_notices_a_clock_that_is_set_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 18; seed++) {
        for (uint32_t e = 0; weir_engine_at(e); e++) {
            compare(weir_engine_at(e), NULL, NULL, seed);
        }
        for (size_t i = 0; i < N_OF(variants); i++) {
            compare(weir_engine_find(variants[i].engine), variants[i].name, variants[i].value,
                    seed);
        }
        compare(&clocked, NULL, NULL, seed);
    }
}

/* The test detects an engine that stores a time without declaring it. */
static void
a_time_that_is_not_set_back_is_noticed(void **state)
{
    struct weir_engine forgetful = clocked;
    (void)state;

    forgetful.rebase = NULL;
    struct world *plain = new_world_at(&forgetful, NULL, NULL, AT_SWITCH, 1, 0);
    struct world *moved = new_world_at(&forgetful, NULL, NULL, AT_SWITCH, 1, 0);
    moved->rebases = true;
    moved->moments = 1;
    run(plain, N_STEPS);
    run(moved, N_STEPS);
    assert_false(same_answers(plain, moved));
    end_world(plain);
    end_world(moved);
}

/* The clock is not set back, and reaches the end of time halfway.  Later events never happen, and
 * the sanitizers find no overflow. */
static void
nothing_overflows_at_the_end(void **state)
{
    weir_ps start = WEIR_NEVER - (weir_ps)N_STEPS / 4 * US;

    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        for (uint32_t e = 0; weir_engine_at(e); e++) {
            struct world *w = new_world_at(weir_engine_at(e), NULL, NULL, AT_SWITCH, seed, start);
            run(w, N_STEPS);
            assert_int_equal(w->now, WEIR_NEVER - 1);
            end_world(w);
        }
        for (size_t i = 0; i < N_OF(variants); i++) {
            const struct weir_engine *engine = weir_engine_find(variants[i].engine);
            struct world *w =
                new_world_at(engine, variants[i].name, variants[i].value, AT_SWITCH, seed, start);
            run(w, N_STEPS);
            end_world(w);
        }
    }
}

/* Times stay valid on a node that was idle for years. */
static void
long_ago_stays_long_ago(void **state)
{
    (void)state;
    assert_int_equal(weir_rebased(WEIR_NEVER, WEIR_LATE), WEIR_NEVER);
    assert_int_equal(weir_rebased(5, 7), -2);
    assert_int_equal(weir_rebased(WEIR_LONG_AGO, WEIR_NEVER), WEIR_LONG_AGO);
    assert_int_equal(weir_rebased(WEIR_NEVER - 1, WEIR_NEVER), -1);
    assert_int_equal(weir_after(WEIR_LONG_AGO, WEIR_NEVER), WEIR_NEVER);
    assert_int_equal(weir_after(-3, 5), 2);
    assert_int_equal(weir_after(WEIR_NEVER - 3, 5), WEIR_NEVER);

    struct weir_gate g;
    weir_gate_init(&g, 20);
    weir_gate_sent(&g, US, 1500);
    weir_gate_set_rate(&g, 0);
    for (int year = 0; year < 20; year++) {
        weir_gate_rebase(&g, WEIR_NEVER);
    }
    assert_int_equal(weir_gate_ready(&g, 0, 64), WEIR_NEVER);
    weir_gate_set_rate(&g, 1);
    assert_int_equal(weir_gate_ready(&g, 0, 64), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_engine_notices_a_clock_that_is_set_back),
        cmocka_unit_test(a_time_that_is_not_set_back_is_noticed),
        cmocka_unit_test(nothing_overflows_at_the_end),
        cmocka_unit_test(long_ago_stays_long_ago),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

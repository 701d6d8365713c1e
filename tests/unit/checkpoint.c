/* A copy of a node's memory is a checkpoint, for every engine: after any history, the same events
 * lead to the same outputs and the same bytes, at the old address and at a new one. */

#include "world.h"

enum { MOST_SEEDS = 40 }; /* Runs are added up to this number, until every counter has increased. */

static void
assert_same_draws(const struct world *a, const struct world *b, size_t skip)
{
    assert_int_equal(a->journal.n - skip, b->journal.n);
    for (size_t i = 0; i < b->journal.n; i++) {
        assert_true(same_emit(&a->journal.emits[skip + i], &b->journal.emits[i]));
    }
    assert_int_equal(a->random, b->random);
    assert_memory_equal(a->streams, b->streams, sizeof a->streams);
}

static void
assert_same(const struct world *a, const struct world *b, size_t skip)
{
    assert_same_draws(a, b, skip);
    assert_memory_equal(a->memory, b->memory, a->needs.state_bytes);
    assert_memory_equal(a->slots, b->slots, sizeof a->slots);
    assert_memory_equal(a->timers, b->timers, sizeof a->timers);
}

/* Checks that the run has tested the property: the engine has written outputs of every kind that it
 * can write. */
static void
assert_lively(const struct world *w, size_t skip)
{
    const struct weir_engine *engine = w->stack.layers[0].engine;
    size_t n_of[WEIR_N_EMIT_KINDS] = { 0 };

    for (size_t i = skip; i < w->journal.n; i++) {
        n_of[w->journal.emits[i].kind]++;
    }
    assert_true(!engine->frame || w->shape.n_flows || n_of[WEIR_FRAME] > 0);
    assert_true(!(w->needs.services & WEIR_SERVICE_SLOWING) || n_of[WEIR_SLOW] > 0);
    assert_true(!(engine->limits & WEIR_LIMITS_OF_QUEUES) || n_of[WEIR_GATE] > 0);
    assert_true(!w->needs.n_timers || n_of[WEIR_TIMER] > 0);
    assert_int_equal(engine->heard && !w->shape.n_flows, n_of[WEIR_MESSAGE] > 0);
    assert_int_equal(engine->heard && w->shape.n_flows, n_of[WEIR_FLOW_RATE] > 0);
}

/* The counters that increased in this run, one bit each.  In some run, at a switch or at a NIC,
 * each must increase. */
static uint32_t
counters_moved(const struct world *w)
{
    const struct weir_field *counters = w->stack.layers[0].engine->counters;
    uint32_t moved = 0;

    for (uint32_t i = 0; counters[i].name; i++) {
        moved |= (uint32_t)(weir_field_get(&counters[i], w->node.layers[0].state) > 0) << i;
    }
    return moved;
}

/* The counters that can increase: refreshes are counted only if the engine sends refreshes. */
static uint32_t
counters_expected(const struct weir_engine *engine, const char *name, const char *value)
{
    const struct weir_field *refresh = weir_field_find(engine->about.params, "refresh");
    bool sets_it = name && strcmp(name, "refresh") == 0 && strcmp(value, "0") != 0;
    bool refreshes = !refresh || refresh->fallback || sets_it;
    uint32_t expected = 0;

    for (uint32_t i = 0; engine->counters[i].name; i++) {
        bool is_off = strcmp(engine->counters[i].name, "refreshes") == 0 && !refreshes;
        expected |= (uint32_t)!is_off << i;
    }
    return expected;
}

static void
fail_for_counters(const struct weir_engine *engine, uint32_t missing)
{
    for (uint32_t i = 0; engine->counters[i].name; i++) {
        if (missing >> i & 1) {
            fail_msg("%s counted no %s in %d runs", engine->about.name, engine->counters[i].name,
                     MOST_SEEDS);
        }
    }
}

static uint32_t
replay_as(enum role role, const struct weir_engine *engine, const char *name, const char *value,
          uint64_t seed)
{
    struct world *w = new_world_at(engine, name, value, role, seed, 0);

    run(w, N_STEPS);
    struct world *copy = copy_world(w), *elsewhere = copy_world(w);
    size_t skip = w->journal.n;
    run(w, N_STEPS);
    run(elsewhere, N_STEPS);
    assert_lively(w, skip);
    assert_same(w, elsewhere, skip);
    uint32_t moved = counters_moved(w);

    put_back(w, copy);
    run(w, N_STEPS);
    assert_same(w, elsewhere, 0);
    end_world(w);
    end_world(copy);
    end_world(elsewhere);
    return moved;
}

/* Makes the requested number of runs, and more up to a bound, until each counter has increased:
 * some events that an engine counts may be rare. */
static void
replay(const struct weir_engine *engine, const char *name, const char *value, uint32_t n_seeds)
{
    uint32_t expected = counters_expected(engine, name, value), moved = 0;

    for (uint64_t seed = 0; seed < n_seeds || (moved != expected && seed < MOST_SEEDS); seed++) {
        for (unsigned role = 0; role < n_roles(engine); role++) {
            moved |= replay_as((enum role)role, engine, name, value, seed) & expected;
        }
    }
    fail_for_counters(engine, expected & ~moved);
}

static void
every_engine_goes_on_from_a_copy(void **state)
{
    (void)state;
    for (uint32_t e = 0; weir_engine_at(e); e++) {
        replay(weir_engine_at(e), NULL, NULL, 3);
    }
}

static void
every_variant_goes_on_from_a_copy(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(variants); i++) {
        replay(weir_engine_find(variants[i].engine), variants[i].name, variants[i].value, 1);
    }
}

/* Makes a frame of a kind that no engine knows. */
static void
foreign_frame(const struct world *w, uint16_t port, uint64_t *random, struct weir_frame *f)
{
    (void)w, (void)port;
    class_frame(0x7777, 500, random, f);
}

/* An engine's random numbers do not depend on other tests.  The engine runs alone; then after
 * another engine, and with one more generator of frames, whose frames it does not know. */
static void
no_engine_draws_from_the_stream_of_another(void **state)
{
    static const struct generator extra = { "foreign", foreign_frame };

    (void)state;
    for (uint32_t e = 0; weir_engine_at(e); e++) {
        const struct weir_engine *engine = weir_engine_at(e);
        struct world *alone = new_world_at(engine, NULL, NULL, AT_SWITCH, 1, 0);
        run(alone, N_STEPS);
        struct world *before = new_world("none", NULL, NULL, AT_SWITCH, 1);
        run(before, N_STEPS);
        struct world *later = new_world_at(engine, NULL, NULL, AT_SWITCH, 1, 0);
        later->extra = &extra;
        run(later, N_STEPS);
        assert_same_draws(later, alone, 0);
        assert_true(later->extra_stream != 0);
        end_world(alone);
        end_world(before);
        end_world(later);
    }
}

/* Worlds have different random streams if their engine, their variant or their seed differs. */
static void
streams_differ_by_name(void **state)
{
    struct world *worlds[] = { new_world("pfc", NULL, NULL, AT_SWITCH, 1),
                               new_world("cbfc", NULL, NULL, AT_SWITCH, 1),
                               new_world("pfc", "threshold", "dynamic", AT_SWITCH, 1),
                               new_world("pfc", NULL, NULL, AT_SWITCH, 2) };

    (void)state;
    for (size_t i = 0; i < N_OF(worlds); i++) {
        for (size_t k = 0; k < i; k++) {
            assert_true(worlds[i]->random != worlds[k]->random);
            assert_true(worlds[i]->streams[0] != worlds[k]->streams[0]);
        }
        assert_true(worlds[i]->streams[0] != worlds[i]->streams[1]);
    }
    for (size_t i = 0; i < N_OF(worlds); i++) {
        end_world(worlds[i]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_engine_goes_on_from_a_copy),
        cmocka_unit_test(every_variant_goes_on_from_a_copy),
        cmocka_unit_test(no_engine_draws_from_the_stream_of_another),
        cmocka_unit_test(streams_differ_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

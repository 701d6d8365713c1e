/* A copy of a node's memory is a checkpoint: whatever came before, the same events go on to the
 * same answers and the same bytes, in the old place and in a new one.  For every engine. */

#include "world.h"

static void
assert_same(const struct world *a, const struct world *b, size_t skip)
{
    assert_int_equal(a->journal.n - skip, b->journal.n);
    for (size_t i = 0; i < b->journal.n; i++) {
        assert_true(same_emit(&a->journal.emits[skip + i], &b->journal.emits[i]));
    }
    assert_memory_equal(a->memory, b->memory, a->needs.state_bytes);
    assert_memory_equal(a->slots, b->slots, sizeof a->slots);
    assert_memory_equal(a->timers, b->timers, sizeof a->timers);
    assert_int_equal(a->random, b->random);
}

/* A law that was never put to the test holds nothing: engines that have something to say must have
 * said all of it. */
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

/* The same of its counters, bit by bit: at a switch or at a NIC each must have moved. */
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

static void
assert_all_moved(const struct weir_engine *engine, const char *name, const char *value,
                 uint32_t moved)
{
    const struct weir_field *refresh = weir_field_find(engine->about.params, "refresh");
    bool sets_it = name && strcmp(name, "refresh") == 0 && strcmp(value, "0") != 0;
    bool refreshes = !refresh || refresh->fallback || sets_it;

    for (uint32_t i = 0; engine->counters[i].name; i++) {
        const char *counter = engine->counters[i].name;
        bool is_off = strcmp(counter, "refreshes") == 0 && !refreshes;
        if (!is_off && !(moved >> i & 1)) {
            fail_msg("%s counted no %s", engine->about.name, counter);
        }
    }
}

static uint32_t
replay_as(enum role role, const char *engine, const char *name, const char *value, uint64_t seed)
{
    struct world *w = new_world(engine, name, value, role, seed);

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

static void
replay(const char *name_of_engine, const char *name, const char *value, uint64_t seed)
{
    const struct weir_engine *engine = weir_engine_find(name_of_engine);
    uint32_t moved = 0;

    for (unsigned role = 0; role < n_roles(engine); role++) {
        moved |= replay_as((enum role)role, name_of_engine, name, value, seed);
    }
    assert_all_moved(engine, name, value, moved);
}

static void
every_engine_goes_on_from_a_copy(void **state)
{
    (void)state;
    for (uint32_t e = 0; weir_engine_at(e); e++) {
        for (uint64_t seed = 20; seed < 23; seed++) {
            replay(weir_engine_at(e)->about.name, NULL, NULL, seed);
        }
    }
}

static void
every_variant_goes_on_from_a_copy(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(variants); i++) {
        replay(variants[i].engine, variants[i].name, variants[i].value, 30 + i);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_engine_goes_on_from_a_copy),
        cmocka_unit_test(every_variant_goes_on_from_a_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

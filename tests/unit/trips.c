/* Trip wires affect only speed: an engine that receives only the packets that it requested writes
 * the same outputs as one that receives all.  This is tested for every engine. */

#include "world.h"

static void
assert_same(const struct world *a, const struct world *b)
{
    assert_int_equal(a->journal.n, b->journal.n);
    for (size_t i = 0; i < b->journal.n; i++) {
        assert_true(same_emit(&a->journal.emits[i], &b->journal.emits[i]));
    }
    assert_memory_equal(a->node.layers[0].state, b->node.layers[0].state,
                        a->node.needs[0].state_bytes);
    assert_memory_equal(a->node.ctx.gates, b->node.ctx.gates, N_SLOTS * sizeof(struct weir_gate));
    assert_memory_equal(a->slots, b->slots, sizeof a->slots);
}

static void
compare(const struct weir_engine *engine, const char *name, const char *value, uint64_t seed)
{
    for (unsigned role = 0; role < n_roles(engine); role++) {
        struct world *asked = new_world(engine->about.name, name, value, (enum role)role, seed);
        struct world *all = new_world(engine->about.name, name, value, (enum role)role, seed);
        all->hears_all = true;
        run(asked, 2 * N_STEPS);
        run(all, 2 * N_STEPS);
        assert_same(asked, all);
        end_world(asked);
        end_world(all);
    }
}

static void
no_engine_misses_a_packet(void **state)
{
    (void)state;
    for (uint32_t e = 0; weir_engine_at(e); e++) {
        for (uint64_t seed = 40; seed < 43; seed++) {
            compare(weir_engine_at(e), NULL, NULL, seed);
        }
    }
    for (size_t i = 0; i < N_OF(variants); i++) {
        compare(weir_engine_find(variants[i].engine), variants[i].name, variants[i].value, 50 + i);
    }
}

static bool
hears(const struct world *w, uint64_t in_bytes)
{
    return weir_node_hears_arrived(&w->node, LOSSLESS, in_bytes) ||
           weir_node_hears_left(&w->node, LOSSLESS, in_bytes);
}

/* Between its thresholds an engine is not called, and without thresholds it is never called. */
static void
short_queues_are_not_told(void **state)
{
    static const struct {
        const char *engine;
        bool hears_short, hears_long;
    } cases[] = {
        { "none", false, false }, { "pfc", false, true }, { "gfc-buffer", false, true },
        { "capfc", true, true },  { "cbfc", true, true }, { "gfc-conceptual", true, true },
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct world *w = new_world(cases[i].engine, NULL, NULL, AT_SWITCH, 1);
        assert_int_equal(hears(w, 3000), cases[i].hears_short);
        assert_int_equal(hears(w, 230000), cases[i].hears_long);
        assert_int_equal(!weir_node_ignores(&w->node, LOSSLESS, 1500), cases[i].hears_short);
        /* The packet does not fit. */
        assert_false(weir_node_ignores(&w->node, LOSSLESS, 220 * KB + 1));
        end_world(w);
    }
}

/* A packet arrives at a queue, which then holds this number of bytes. */
static void
arrive_at(struct world *w, uint64_t in_bytes)
{
    struct weir_pkt pkt = { .bytes = 1500, .cls = LOSSLESS };

    w->slots[LOSSLESS].in_bytes = in_bytes;
    weir_node_arrived(&w->node, 0, &pkt);
}

/* The threshold is exact to the byte; random queues seldom have exactly this length. */
static void
a_stage_ends_where_the_next_begins(void **state)
{
    struct world *w = new_world("gfc-buffer", "b1", "100KB", AT_SWITCH, 1);

    (void)state;
    assert_false(weir_node_hears_arrived(&w->node, LOSSLESS, 100 * KB - 1));
    assert_true(weir_node_hears_arrived(&w->node, LOSSLESS, 100 * KB));
    arrive_at(w, 100 * KB);
    assert_int_equal(w->out.n, 1); /* The engine sends its peer the first stage. */
    assert_false(weir_node_hears_left(&w->node, LOSSLESS, 100 * KB));
    assert_true(weir_node_hears_left(&w->node, LOSSLESS, 100 * KB - 1));
    assert_false(weir_node_hears_arrived(&w->node, LOSSLESS, 100 * KB + 1500));
    end_world(w);
}

/* Each of two engines at a node sets its trip wires, and both receive the packets that one
 * requests. */
static void
several_engines_share_the_widest(void **state)
{
    struct weir_stack stack = { 0 };
    struct weir_needs needs;
    struct weir_text said = { 0 };
    struct weir_emit emits[64];
    struct weir_outbox out = { .emits = emits, .max = 64 };
    struct weir_buffer_slot slots[N_SLOTS];
    struct weir_buffer buffer;
    struct weir_node node;

    (void)state;
    weir_stack_add(&stack, weir_engine_find("pfc"));
    weir_stack_add(&stack, weir_engine_find("ecn"));
    assert_true(weir_stack_set(&stack, 0, "xoff", "100KB", &said));
    assert_true(weir_stack_set(&stack, 0, "xon", "90KB", &said));
    assert_true(weir_stack_set(&stack, 1, "kmin", "50KB", &said));
    assert_true(weir_stack_resolve(&stack, &shape, &needs, &said));
    void *memory = aligned_alloc(WEIR_MEMORY_ALIGN, needs.state_bytes);
    weir_buffer_init(&buffer, &shape.buffer, N_PORTS, N_CLASSES, slots);
    weir_node_init(&node, &stack, &shape, &buffer, &out, memory, 0);

    assert_false(weir_node_hears_arrived(&node, LOSSLESS, 99999));
    assert_true(weir_node_hears_arrived(&node, LOSSLESS, 100000));
    assert_false(weir_node_hears_left(&node, LOSSLESS, 99999));
    /* ECN marks packets that join or leave a queue longer than kmin. */
    assert_false(weir_node_hears_output(&node, LOSSLESS, 50000));
    assert_true(weir_node_hears_output(&node, LOSSLESS, 50001));
    assert_true(weir_node_is_calm(&node, LOSSLESS, 99999));
    assert_false(weir_node_is_calm(&node, LOSSLESS, 100000));
    assert_true(weir_node_is_calm(&node, 0, 10 * KB)); /* Up to the reserve, the queue is calm. */
    assert_false(weir_node_is_calm(&node, 0, 10 * KB + 1));
    struct weir_pkt pkt = { .bytes = 1500, .cls = LOSSLESS };
    slots[LOSSLESS].in_bytes = 100000;
    weir_node_arrived(&node, 0, &pkt);
    assert_int_equal(out.n, 2); /* A pause and its timer. */
    /* PFC already knows that the queue is full. */
    assert_false(weir_node_hears_arrived(&node, LOSSLESS, 101500));
    assert_true(weir_node_hears_left(&node, LOSSLESS, 90000)); /* PFC waits for XON. */
    assert_false(weir_node_hears_left(&node, LOSSLESS, 90001));
    free(memory);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_engine_misses_a_packet),
        cmocka_unit_test(short_queues_are_not_told),
        cmocka_unit_test(a_stage_ends_where_the_next_begins),
        cmocka_unit_test(several_engines_share_the_widest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

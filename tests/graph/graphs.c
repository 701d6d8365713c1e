/* Graphs: dependents are listed by task, cycles are found, and sends are compared with receives. */

#include "../unit/unit.h"
#include "base/array.h"
#include "tasks.h"

static void
test_dependents(void **state)
{
    struct graph g;
    struct err err;

    (void)state;
    graph_init(&g, 1);
    for (int i = 0; i < 4; i++) {
        add_calc(&g, 0, 1000, (uint8_t)i);
    }
    require(&g, 0, 0, 3); /* The order of numbers is not an order in which tasks can run. */
    require(&g, 0, 2, 3);
    graph_require(&g, 0, 1, 3, GRAPH_AFTER_START);
    require(&g, 0, 2, 0);
    assert_true(graph_finish(&g, &err));

    const struct graph_rank *r = &g.ranks[0];
    static const uint32_t first[] = { 0, 1, 1, 1, 4 }, before[] = { 1, 1, 2, 0 },
                          after[] = { 2, 0, 2, 1 | GRAPH_ON_START };
    for (int i = 0; i < 5; i++) {
        assert_int_equal(r->tasks[i].first_after, first[i]);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(r->tasks[i].n_before, before[i]);
        assert_int_equal(r->after[i], after[i]);
    }
    assert_int_equal(r->n_cpus, 4);
    graph_free(&g);
}

/* Ranks without tasks, and a task without requirements. */
static void
test_small(void **state)
{
    struct graph g;
    struct err err;

    (void)state;
    graph_init(&g, 3);
    add_calc(&g, 1, 0, 0);
    assert_true(graph_finish(&g, &err));
    assert_int_equal(g.ranks[0].n_tasks, 0);
    assert_int_equal(g.ranks[1].tasks[1].first_after, 0);
    graph_free(&g);
}

/* Tasks 1, 2 and 4 wait for each other; 0 comes before them, 3 and 5 after them. */
static void
test_cycle(void **state)
{
    struct graph g;
    struct err err;

    (void)state;
    graph_init(&g, 2);
    for (int i = 0; i < 6; i++) {
        add_calc(&g, 1, 1000, 0);
    }
    require(&g, 1, 1, 0);
    require(&g, 1, 3, 1);
    require(&g, 1, 5, 3);
    graph_require(&g, 1, 1, 4, GRAPH_AFTER_START);
    require(&g, 1, 4, 2);
    graph_require(&g, 1, 2, 1, GRAPH_AFTER_START);
    assert_false(graph_finish(&g, &err));
    assert_says(err.text, "rank 1: 3 tasks wait for each other in a cycle: 1 (calc of 1 ns), "
                          "4 (calc of 1 ns), 2 (calc of 1 ns)");
    graph_free(&g);
}

static void
test_task_that_waits_for_itself(void **state)
{
    struct graph g;
    struct err err;

    (void)state;
    graph_init(&g, 1);
    add_calc(&g, 0, 1000, 0);
    require(&g, 0, 0, 0);
    assert_false(graph_finish(&g, &err));
    assert_says(err.text, "rank 0: task 0 (calc of 1 ns) waits for itself");
    graph_free(&g);
}

/* A ring of n tasks: each waits for the one before, and 0 for the last. */
static void
test_long_cycle(void **state)
{
    enum { N = 1000 };
    struct graph_cycle cycle;
    struct graph g;

    (void)state;
    graph_init(&g, 1);
    for (uint32_t i = 0; i < N; i++) {
        add_calc(&g, 0, 0, 0);
    }
    for (uint32_t i = 0; i < N; i++) {
        require(&g, 0, i, (i + N - 1) % N);
    }
    assert_false(graph_finish_rank(&g, 0, &cycle));
    assert_int_equal(cycle.n, N);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(cycle.tasks[i], (N - i) % N);
    }
    graph_free(&g);
}

/* Random requirements: those that only point from lower to higher places of a random order have no
 * cycle; a cycle that is found is one. */
static void
test_random_cycles(void **state)
{
    enum { N = 12 };
    uint64_t random = 1;
    unsigned n_found = 0;

    (void)state;
    for (int run = 0; run < 2000; run++) {
        bool waits[N][N] = { { false } };
        struct graph_cycle cycle;
        struct graph g;
        graph_init(&g, 1);
        for (int i = 0; i < N; i++) {
            add_calc(&g, 0, 0, 0);
        }
        bool is_ordered = one_in(&random, 2);
        for (int k = 0; k < N; k++) {
            uint32_t a = (uint32_t)below(&random, N), b = (uint32_t)below(&random, N);
            if (is_ordered && a * 5 % N <= b * 5 % N) {
                continue;
            }
            waits[a][b] = true;
            graph_require(&g, 0, a, b, one_in(&random, 2) ? GRAPH_AFTER_END : GRAPH_AFTER_START);
        }
        bool good = graph_finish_rank(&g, 0, &cycle);
        assert_true(good || !is_ordered);
        n_found += !good;
        for (uint32_t i = 0; !good && cycle.n <= 8 && i < cycle.n; i++) {
            assert_true(waits[cycle.tasks[i]][cycle.tasks[(i + 1) % cycle.n]]);
        }
        graph_free(&g);
    }
    assert_in_range(n_found, 500, 999);
}

static void
test_only_ones(void **state)
{
    struct graph g;
    struct err err;

    (void)state;
    graph_init(&g, 2);
    add_send(&g, 0, 1, 1, 5);
    add_send(&g, 0, 1, 1, 6);
    add_send(&g, 0, 1, 1, 5);
    add_recv(&g, 0, 1, 1, 6); /* A receive is not counted with sends. */
    add_send(&g, 1, 0, 1, 6);
    add_recv(&g, 1, 0, 1, 5);
    add_recv(&g, 1, 0, 1, 5);
    add_recv(&g, 1, 0, 1, 6);
    assert_true(graph_finish(&g, &err));
    static const bool is_only[2][4] = { { false, true, false, true },
                                        { true, false, false, true } };
    for (int rank = 0; rank < 2; rank++) {
        for (int i = 0; i < 4; i++) {
            assert_int_equal(!!(g.ranks[rank].tasks[i].flags & GRAPH_IS_ONLY), is_only[rank][i]);
        }
    }
    graph_free(&g);
}

struct message {
    bool is_send;
    uint32_t rank, peer, tag;
};

#define SEND true
#define RECV false

static void
expect_balance(const struct message *messages, size_t n, const char *said)
{
    struct graph g;
    struct err err = { .text = "" };

    graph_init(&g, 4);
    for (size_t i = 0; i < n; i++) {
        const struct message *m = &messages[i];
        (m->is_send ? add_send : add_recv)(&g, m->rank, m->peer, 80, m->tag);
    }
    assert_int_equal(graph_finish(&g, &err), !said);
    if (said) {
        assert_says(err.text, said);
    }
    graph_free(&g);
}

#define EXPECT_BALANCE(SAID, ...)                                                                  \
    do {                                                                                           \
        static const struct message messages[] = { __VA_ARGS__ };                                  \
        expect_balance(messages, N_OF(messages), SAID);                                            \
    } while (0)

static void
test_balance(void **state)
{
    (void)state;
    EXPECT_BALANCE(NULL, { SEND, 0, 1, 5 }, { RECV, 1, 0, 5 }, { SEND, 2, 2, 0 },
                   { RECV, 2, 2, 0 });
    EXPECT_BALANCE(
        "rank 3 receives from rank 0 with tag 7, but rank 0 sends nothing to rank 3 with "
        "this tag",
        { SEND, 0, 3, 5 }, { RECV, 3, 0, 5 }, { RECV, 3, 0, 7 });
    EXPECT_BALANCE(
        "rank 0 sends to rank 3 with tag 6, but rank 3 receives nothing from rank 0 with "
        "this tag",
        { SEND, 0, 3, 6 }, { RECV, 3, 0, 7 });
    EXPECT_BALANCE("rank 1 sends 2 messages to rank 2 with tag 0, but rank 2 receives 1",
                   { SEND, 1, 2, 0 }, { SEND, 1, 2, 0 }, { RECV, 2, 1, 0 });
    EXPECT_BALANCE(NULL, { SEND, 0, 1, 5 }, { RECV, 1, GRAPH_ANY, 5 });
    EXPECT_BALANCE(NULL, { SEND, 0, 1, 5 }, { SEND, 2, 1, 9 }, { RECV, 1, 0, GRAPH_ANY },
                   { RECV, 1, GRAPH_ANY, GRAPH_ANY });
    EXPECT_BALANCE("rank 1 receives 2 messages, but the graph sends 1 to it", { SEND, 0, 1, 5 },
                   { RECV, 1, GRAPH_ANY, 5 }, { RECV, 1, 0, 5 });
}

static void
expect_members(const uint8_t n_of_rank[4], const char *said)
{
    struct graph g;
    struct err err = { .text = "" };

    graph_init(&g, 4);
    graph_add_group(&g, (const uint32_t[]){ 3 }, 1);
    uint32_t group = graph_add_group(&g, (const uint32_t[]){ 2, 0, 1 }, 3);
    uint32_t one = graph_add_collective(&g, (struct graph_collective){ .group = group });
    for (uint32_t rank = 0; rank < 4; rank++) {
        for (int i = 0; i < n_of_rank[rank]; i++) {
            add_collective(&g, rank, one, 1000);
        }
    }
    assert_int_equal(graph_finish(&g, &err), !said);
    if (said) {
        assert_says(err.text, said);
    }
    graph_free(&g);
}

static void
test_members(void **state)
{
    (void)state;
    expect_members((const uint8_t[]){ 2, 2, 2, 0 }, NULL);
    expect_members((const uint8_t[]){ 0, 0, 0, 0 }, NULL);
    expect_members((const uint8_t[]){ 2, 2, 1, 0 },
                   "rank 2 takes part in 1 collectives of group 1, but rank 0 in 2");
    expect_members((const uint8_t[]){ 2, 0, 2, 0 },
                   "rank 1 takes part in 0 collectives of group 1, but rank 0 in 2");
    expect_members((const uint8_t[]){ 1, 1, 1, 1 },
                   "rank 3 takes part in a collective of group 1, but is not a member");
}

static void
test_text(void **state)
{
    static const struct {
        struct graph_task task;
        const char *text;
    } cases[] = {
        { { .kind = GRAPH_SEND, .amount = 80, .peer = 2, .tag = 5 },
          "send of 80 B to rank 2, tag 5" },
        { { .kind = GRAPH_RECV, .amount = 80, .peer = GRAPH_ANY, .tag = GRAPH_ANY },
          "recv of 80 B from any rank, any tag" },
        { { .kind = GRAPH_RECV, .amount = GRAPH_UNKNOWN_BYTES, .peer = 1, .tag = 0 },
          "recv of any size from rank 1, tag 0" },
        { { .kind = GRAPH_CALC, .amount = 5000 }, "calc of 5 ns" },
        { { .kind = GRAPH_DELAY, .amount = 5000 }, "delay of 5 ns" },
        { { .kind = GRAPH_COLLECTIVE, .amount = 5000 }, "collective of 5000 B" },
    };
    char text[GRAPH_TEXT_BYTES];

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        assert_string_equal(graph_task_text(&cases[i].task, text), cases[i].text);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dependents), cmocka_unit_test(test_small),
        cmocka_unit_test(test_cycle),      cmocka_unit_test(test_task_that_waits_for_itself),
        cmocka_unit_test(test_long_cycle), cmocka_unit_test(test_random_cycles),
        cmocka_unit_test(test_only_ones),  cmocka_unit_test(test_balance),
        cmocka_unit_test(test_members),    cmocka_unit_test(test_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* RED: the share of marks follows the line from (kmin, 0) to (kmax, pmax). */

#include "unit.h"

#include "weir/node.h"

enum { KMIN = 10000, KMAX = 110000, N_DRAWS = 20000 };

/* How many of N_DRAWS packets that leave 'queue' behind are marked. */
static unsigned
count_marks(uint64_t queue, const char *pmax, uint32_t node_id)
{
    static _Alignas(WEIR_MEMORY_ALIGN) char memory[4096];
    struct weir_port port = { 10000000000, 0 };
    struct weir_shape shape = {
        .ports = &port, .n_ports = 1, .n_classes = 1, .mtu_bytes = 1500, .node_id = node_id
    };
    struct weir_stack stack = { 0 };
    struct weir_needs needs;
    struct weir_text text = { 0 };
    struct weir_buffer_slot slot;
    struct weir_buffer buffer;
    struct weir_outbox out = { 0 };
    struct weir_node node;
    unsigned n_marked = 0;

    weir_stack_add(&stack, weir_engine_find("ecn"));
    assert_true(weir_stack_set(&stack, 0, "kmin", "10KB", &text));
    assert_true(weir_stack_set(&stack, 0, "kmax", "110KB", &text));
    assert_true(weir_stack_set(&stack, 0, "pmax", pmax, &text));
    assert_true(weir_stack_resolve(&stack, &shape, &needs, &text));
    assert_true(needs.state_bytes <= sizeof memory);
    weir_buffer_init(&buffer, &shape.buffer, 1, 1, &slot);
    weir_node_init(&node, &stack, &shape, &buffer, &out, memory, 0);
    slot.out_bytes = queue;
    for (int i = 0; i < N_DRAWS; i++) {
        struct weir_pkt pkt = { .bytes = 1500, .ecn = WEIR_ECT };
        weir_node_departed(&node, i, &pkt);
        n_marked += pkt.ecn == WEIR_CE;
    }
    return n_marked;
}

static void
marks_follow_the_line(void **state)
{
    (void)state;
    assert_int_equal(count_marks(KMIN, "1", 1), 0);
    for (uint64_t tenth = 1; tenth < 10; tenth++) {
        uint64_t queue = KMIN + tenth * (KMAX - KMIN) / 10;
        unsigned wanted = (unsigned)(N_DRAWS * tenth / 10 / 2); /* pmax is a half. */
        assert_in_range(count_marks(queue, "0.5", 1), wanted - 300, wanted + 300);
    }
    assert_int_equal(count_marks(KMAX + 1, "0.5", 1), N_DRAWS);
}

static void
the_ends_are_certain(void **state)
{
    (void)state;
    assert_int_equal(count_marks(KMAX, "1", 1), N_DRAWS);
    assert_int_equal(count_marks(KMAX, "0", 1), 0);
}

static void
each_node_has_its_own_chance(void **state)
{
    (void)state;
    assert_int_equal(count_marks(60000, "0.5", 1), count_marks(60000, "0.5", 1));
    assert_int_not_equal(count_marks(60000, "0.5", 1), count_marks(60000, "0.5", 2));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_follow_the_line),
        cmocka_unit_test(the_ends_are_certain),
        cmocka_unit_test(each_node_has_its_own_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* RED: the share of marks follows the line from (kmin, 0) to (kmax, pmax). */

#include "unit.h"

#include "../rig.h"

enum { KMIN = 10000, KMAX = 110000, N_DRAWS = 20000 };

/* Number of marked packets, of N_DRAWS packets that leave 'queue' bytes in the queue. */
static unsigned
count_marks(uint64_t queue, const char *pmax, uint32_t draw)
{
    struct weir_stack stack = { 0 };
    struct weir_text text = { 0 }, seed = { 0 };
    unsigned n_marked = 0;

    weir_text_add(&seed, "%u", (uint64_t)draw);
    weir_stack_add(&stack, weir_engine_find("ecn"));
    assert_true(weir_stack_set(&stack, 0, "kmin", "10KB", &text));
    assert_true(weir_stack_set(&stack, 0, "kmax", "110KB", &text));
    assert_true(weir_stack_set(&stack, 0, "pmax", pmax, &text));
    assert_true(weir_stack_set(&stack, 0, "seed", seed.s, &text));
    struct rig rig = rig_start_stack(&stack, 1, 10000000000, 1000000);
    rig.buffer->slots[0].out_bytes = queue;
    for (int i = 0; i < N_DRAWS; i++) {
        struct weir_pkt pkt = { .bytes = 1500, .ecn = WEIR_ECT };
        weir_node_departed(&rig.node, i, &pkt);
        n_marked += pkt.ecn == WEIR_CE;
    }
    rig_stop(&rig);
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
each_seed_has_its_own_chance(void **state)
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
        cmocka_unit_test(each_seed_has_its_own_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

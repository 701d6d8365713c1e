/* Copies of packets: any number of copies can be found by their names, and buffers count them. */

#include "sim/nodes/copies.h"

#include "unit.h"

enum { N_NAMES = 2000 };

static struct weir_delivery_frame
name_at(uint32_t i)
{
    return (struct weir_delivery_frame){ .kind = (uint8_t)(i % 3), .flow = i / 7, .sequence = i };
}

/* A copy can be removed as often as it was added, in any order. */
static void
copies_are_found_by_name(void **state)
{
    uint32_t kept[N_NAMES] = { 0 };
    uint64_t chance = 5;
    struct copies c = { 0 };

    (void)state;
    for (uint32_t i = 0; i < 100000; i++) {
        uint32_t at = (uint32_t)(weir_random(&chance) % N_NAMES);
        struct weir_delivery_frame name = name_at(at);
        struct weir_pkt pkt = { .bytes = at + 1 };
        if (weir_random(&chance) % 2) {
            copies_keep(&c, &name, &pkt);
            kept[at]++;
        } else {
            assert_int_equal(copies_take(&c, &name, &pkt), kept[at] > 0);
            assert_int_equal(pkt.bytes, at + 1);
            kept[at] -= kept[at] > 0;
        }
    }
    assert_true(c.n_items < 100000);
    copies_release(&c);
}

static void
debts_are_paid_in_order(void **state)
{
    struct copies c = { 0 };
    uint32_t next = 0, paid = 0;

    (void)state;
    for (uint32_t i = 0; i < 5000; i++) {
        copies_owe(&c, &(struct copies_debt){ .of = name_at(next), .to = next });
        next++;
        for (uint32_t k = 0; k < i % 3 && paid < next; k++) {
            assert_int_equal(copies_pay(&c).to, paid++);
        }
    }
    while (paid < next) {
        assert_int_equal(copies_pay(&c).to, paid++);
    }
    copies_release(&c);
}

/* The packet is at its output and its copy at its input; both occupy memory. */
static void
buffers_count_copies(void **state)
{
    const struct weir_buffer_plan plan = { .size_bytes = 20000,
                                           .classes = { { .reserve_bytes = 10000 } } };
    struct weir_buffer_slot slots[2];
    struct weir_buffer b;

    (void)state;
    weir_buffer_init(&b, &plan, 2, 1, slots);
    assert_int_equal(weir_buffer_admit_input(&b, 0, 6000), WEIR_ADMITTED);
    weir_buffer_leave_copy(&b, 6000);
    assert_true(weir_buffer_admit_output(&b, 1, 6000));
    assert_int_equal(b.slots[0].in_bytes, 6000);
    assert_int_equal(b.slots[1].out_bytes, 6000);
    assert_int_equal(b.used_bytes, 12000);
    assert_int_not_equal(weir_buffer_admit_input(&b, 0, 6000), WEIR_ADMITTED);
    weir_buffer_release_output(&b, 1, 6000);
    assert_int_equal(b.used_bytes, b.copied_bytes);
    weir_buffer_drop_copy(&b, 0, 6000);
    assert_int_equal(b.used_bytes + b.copied_bytes + b.passing_bytes, 0);
    assert_int_equal(weir_buffer_admit_input(&b, 0, 6000), WEIR_ADMITTED);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_found_by_name),
        cmocka_unit_test(debts_are_paid_in_order),
        cmocka_unit_test(buffers_count_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

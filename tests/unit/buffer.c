/* The buffer: the part that each packet occupies, and sums that agree after any event. */

#include "unit.h"

enum { MAX_SLOTS = 16 };

struct fixture { /* A buffer and its memory. */
    struct weir_buffer b;
    struct weir_buffer_slot slots[MAX_SLOTS];
};

static void
start(struct fixture *f, const struct weir_buffer_plan *plan, uint16_t n_ports, uint8_t n_classes)
{
    struct weir_text why = { 0 };

    assert_true(weir_buffer_memory(n_ports, n_classes) <= sizeof f->slots);
    assert_true(weir_buffer_check(plan, n_ports, n_classes, &why));
    memset(f->slots, 0xee, sizeof f->slots);
    weir_buffer_init(&f->b, plan, n_ports, n_classes, f->slots);
}

static enum weir_admission
admit(struct fixture *f, uint32_t slot, uint32_t bytes)
{
    return weir_buffer_admit(&f->b, slot, slot, bytes);
}

static void
assert_parts(const struct fixture *f, uint32_t slot, uint64_t reserve, uint64_t shared,
             uint64_t headroom)
{
    const struct weir_buffer_slot *s = &f->b.slots[slot];
    assert_int_equal(s->in_bytes - s->shared_bytes - s->headroom_bytes, reserve);
    assert_int_equal(s->shared_bytes, shared);
    assert_int_equal(s->headroom_bytes, headroom);
}

/* The part of the buffer that each packet occupies. */

static void
a_plain_input_buffer_holds_its_reserve(void **state)
{
    const struct weir_buffer_plan plan = { .size_bytes = 4000,
                                           .classes = { { .reserve_bytes = 2000 } } };
    struct fixture f;

    (void)state;
    start(&f, &plan, 2, 1);
    assert_int_equal(admit(&f, 0, 1500), WEIR_ADMITTED);
    assert_int_equal(admit(&f, 0, 501), WEIR_DROP_LIMIT);
    assert_int_equal(admit(&f, 0, 500), WEIR_ADMITTED);
    assert_int_equal(admit(&f, 0, 1), WEIR_DROP_LIMIT);
    /* Slot 0 cannot use this reserve: it belongs to another (port, class). */
    assert_int_equal(admit(&f, 1, 2000), WEIR_ADMITTED);
    assert_parts(&f, 0, 2000, 0, 0);
    assert_int_equal(f.b.used_bytes, 4000);
}

/* One port: 1000 B of its own, up to 2000 B of a shared part of 5000 B, and 1500 B of headroom. */
static const struct weir_buffer_plan three_parts = {
    .size_bytes = 7500,
    .classes = { { .reserve_bytes = 1000, .limit_bytes = 2000, .headroom_bytes = 1500 } },
};

static void
reserve_then_shared_then_headroom(void **state)
{
    struct fixture f;

    (void)state;
    start(&f, &three_parts, 1, 1);
    assert_int_equal(f.b.shared_size_bytes, 5000);
    assert_int_equal(admit(&f, 0, 1000), WEIR_ADMITTED);
    assert_parts(&f, 0, 1000, 0, 0);
    assert_int_equal(admit(&f, 0, 2000), WEIR_ADMITTED);
    assert_parts(&f, 0, 1000, 2000, 0);
    assert_int_equal(admit(&f, 0, 1500), WEIR_ADMITTED);
    assert_parts(&f, 0, 1000, 2000, 1500);
    assert_int_equal(admit(&f, 0, 1), WEIR_DROP_HEADROOM);
    assert_int_equal(f.b.used_bytes, 4500);
    assert_int_equal(f.b.shared_used_bytes, 2000);
}

static void
a_packet_fills_one_part_after_the_other(void **state)
{
    struct fixture f;

    (void)state;
    start(&f, &three_parts, 1, 1);
    admit(&f, 0, 600);
    admit(&f, 0, 1500); /* 400 B of the packet still fit into the reserve. */
    assert_parts(&f, 0, 1000, 1100, 0);
    admit(&f, 0, 1400); /* 900 B stay under the limit, the rest goes to the headroom. */
    assert_parts(&f, 0, 1000, 2000, 500);
    assert_int_equal(admit(&f, 0, 1001), WEIR_DROP_HEADROOM);
    assert_int_equal(admit(&f, 0, 1000), WEIR_ADMITTED);
    assert_parts(&f, 0, 1000, 2000, 1500);
}

static void
headroom_empties_first_and_reserve_last(void **state)
{
    struct fixture f;

    (void)state;
    start(&f, &three_parts, 1, 1);
    admit(&f, 0, 1000);
    admit(&f, 0, 2000);
    admit(&f, 0, 1500);
    weir_buffer_release(&f.b, 0, 0, 1000);
    assert_parts(&f, 0, 1000, 2000, 500);
    /* Frees 500 B of headroom and 1000 B of the shared part. */
    weir_buffer_release(&f.b, 0, 0, 1500);
    assert_parts(&f, 0, 1000, 1000, 0);
    assert_int_equal(f.b.shared_used_bytes, 1000);
    weir_buffer_release(&f.b, 0, 0, 2000);
    assert_parts(&f, 0, 0, 0, 0);
    assert_int_equal(f.b.used_bytes, 0);
}

static void
a_drop_changes_nothing(void **state)
{
    struct fixture f, before;

    (void)state;
    start(&f, &three_parts, 1, 1);
    admit(&f, 0, 900);
    before = f;
    assert_int_equal(admit(&f, 0, 3601), WEIR_DROP_HEADROOM);
    assert_memory_equal(f.slots, before.slots, sizeof(struct weir_buffer_slot));
    assert_int_equal(f.b.used_bytes, before.b.used_bytes);
    assert_int_equal(f.b.shared_used_bytes, 0);
}

static void
limits_may_promise_more_than_there_is(void **state)
{
    const struct weir_buffer_plan plan = { .size_bytes = 3000,
                                           .classes = { { .limit_bytes = 2000 } } };
    struct fixture f;

    (void)state;
    start(&f, &plan, 2, 1);
    assert_int_equal(admit(&f, 0, 2000), WEIR_ADMITTED);
    assert_int_equal(admit(&f, 1, 1001), WEIR_DROP_LIMIT);
    assert_int_equal(admit(&f, 1, 1000), WEIR_ADMITTED);
}

static void
in_and_out_are_counted_apart(void **state)
{
    struct fixture f;

    (void)state;
    start(&f,
          &(struct weir_buffer_plan){ .size_bytes = 9000, .classes = { { .limit_bytes = 9000 } } },
          3, 1);
    weir_buffer_admit(&f.b, 0, 2, 1000);
    weir_buffer_admit(&f.b, 1, 2, 500);
    assert_int_equal(f.b.slots[0].in_bytes, 1000);
    assert_int_equal(f.b.slots[1].in_bytes, 500);
    assert_int_equal(f.b.slots[2].in_bytes, 0);
    assert_int_equal(f.b.slots[2].out_bytes, 1500);
    weir_buffer_release(&f.b, 0, 2, 1000);
    assert_int_equal(f.b.slots[0].in_bytes, 0);
    assert_int_equal(f.b.slots[2].out_bytes, 500);
}

/* Thresholds. */

static void
a_fixed_threshold_stays(void **state)
{
    struct fixture f;

    (void)state;
    start(&f, &three_parts, 1, 1);
    assert_int_equal(weir_buffer_threshold(&f.b, 0), 3000);
    admit(&f, 0, 1500);
    assert_int_equal(weir_buffer_threshold(&f.b, 0), 3000);
}

static void
a_dynamic_threshold_follows_what_is_free(void **state)
{
    const struct weir_buffer_plan plan = {
        .size_bytes = 12000, .classes = { { .reserve_bytes = 1000, .alpha = WEIR_RATIO_1 / 2 } }
    };
    struct fixture f;

    (void)state;
    start(&f, &plan, 2, 1); /* 10000 B are shared. */
    assert_int_equal(weir_buffer_threshold(&f.b, 0), 6000);
    /* The packet fits into the reserve, so it uses nothing of the shared part. */
    admit(&f, 1, 1000);
    assert_int_equal(weir_buffer_threshold(&f.b, 0), 6000);
    admit(&f, 1, 4000); /* Both thresholds fall, whichever class uses the shared part. */
    assert_int_equal(weir_buffer_threshold(&f.b, 0), 4000);
    admit(&f, 0, 1000);
    assert_int_equal(admit(&f, 0, 3001), WEIR_DROP_LIMIT);
    assert_int_equal(admit(&f, 0, 3000), WEIR_ADMITTED);
    weir_buffer_release(&f.b, 1, 1, 5000);
    assert_int_equal(weir_buffer_threshold(&f.b, 0), 1000 + 7000 / 2);
}

static void
classes_have_their_own_numbers(void **state)
{
    const struct weir_buffer_plan plan = {
        .size_bytes = 10000, .classes = { { .limit_bytes = 100 }, { .alpha = 2 * WEIR_RATIO_1 } }
    };
    struct fixture f;

    (void)state;
    start(&f, &plan, 1, 2);
    assert_int_equal(weir_buffer_threshold(&f.b, 0), 100);
    assert_int_equal(weir_buffer_threshold(&f.b, 1),
                     10000); /* The threshold would be 20000 B, but the shared part is smaller. */
    assert_int_equal(admit(&f, 0, 101), WEIR_DROP_LIMIT);
    assert_int_equal(admit(&f, 1, 101), WEIR_ADMITTED);
}

/* Two ports and two classes with partitions of 6000 and 2000 B, 4000 B shared, alpha 1/2. */
static const struct weir_buffer_plan partitioned = {
    .size_bytes = 12000 + 4 * 500,
    .classes = { { .partition_bytes = 6000, .alpha = WEIR_RATIO_1 / 2, .headroom_bytes = 500 },
                 { .partition_bytes = 2000, .alpha = WEIR_RATIO_1 / 2, .headroom_bytes = 500 } }
};

/* The threshold of Eq. 16 of TTL. */
static void
a_threshold_counts_the_partition_and_a_share(void **state)
{
    struct fixture f;

    (void)state;
    start(&f, &partitioned, 2, 2);
    assert_int_equal(f.b.shared_size_bytes, 4000);
    assert_int_equal(weir_buffer_threshold(&f.b, 0), 6000 / 2 + 4000 / 2 * 3 / 4);
    assert_int_equal(weir_buffer_threshold(&f.b, 1), 2000 / 2 + 4000 / 2 * 1 / 4);
    /* The packet stays within the partition of its class: class 1 keeps its threshold, the other
     * port does not. */
    admit(&f, 0, 4000);
    assert_int_equal(weir_buffer_threshold(&f.b, 2), 2000 / 2 + 4000 / 2 * 3 / 4);
    assert_int_equal(weir_buffer_threshold(&f.b, 3), 2000 / 2 + 4000 / 2 * 1 / 4);
}

static void
the_partition_is_filled_first_and_left_last(void **state)
{
    struct fixture f;

    (void)state;
    start(&f, &partitioned, 2, 2);
    admit(&f, 0, 4500);
    admit(&f, 2, 1500); /* The partition of class 0 is full; the shared part is unused. */
    assert_int_equal(f.b.shared_used_bytes, 0);
    assert_int_equal(weir_buffer_threshold(&f.b, 2), 1500);
    assert_int_equal(admit(&f, 2, 501), WEIR_DROP_HEADROOM);
    weir_buffer_release(&f.b, 0, 0, 1000);
    assert_int_equal(admit(&f, 2, 1000), WEIR_ADMITTED);
    assert_int_equal(f.b.shared_used_bytes, 0);
    assert_parts(&f, 2, 0, 1000 / 2 + 4000 / 2 * 3 / 4, 500);
    weir_buffer_release(&f.b, 2, 2, 2500);
    assert_parts(&f, 2, 0, 0, 0);
    weir_buffer_release(&f.b, 0, 0, 3500);
    assert_int_equal(f.b.used_bytes, 0);
    assert_int_equal(f.b.class_bytes[0], 0);
}

/* Packets of one byte fill every part completely: they use the headroom at the threshold, not
 * before.
 */
static void
assert_headroom_begins_at_the_threshold(const struct weir_buffer_plan *plan)
{
    struct fixture f;

    start(&f, plan, 2, 1);
    for (uint32_t i = 0; i < 5000; i++) {
        uint32_t slot = i % 4 == 3;
        uint64_t threshold = weir_buffer_threshold(&f.b, 0);
        uint64_t headroom = f.slots[slot].headroom_bytes, in = f.slots[slot].in_bytes;
        if (admit(&f, slot, 1) == WEIR_ADMITTED && f.slots[slot].headroom_bytes > headroom) {
            assert_true(in >= threshold);
        }
    }
    assert_true(f.slots[0].headroom_bytes > 0 && f.slots[1].headroom_bytes > 0);
}

static void
headroom_begins_at_a_dynamic_threshold(void **state)
{
    (void)state;
    assert_headroom_begins_at_the_threshold(&(struct weir_buffer_plan){
        .size_bytes = 3000,
        .classes = { { .reserve_bytes = 100, .alpha = WEIR_RATIO_1, .headroom_bytes = 400 } } });
}

static void
headroom_begins_at_a_fixed_threshold(void **state)
{
    (void)state;
    assert_headroom_begins_at_the_threshold(&(struct weir_buffer_plan){
        .size_bytes = 3000,
        .classes = { { .reserve_bytes = 100, .limit_bytes = 1000, .headroom_bytes = 400 } } });
}

/* Plans. */

static void
a_plan_that_does_not_fit_says_by_how_much(void **state)
{
    struct weir_buffer_plan plan = {
        .size_bytes = 20000, .classes = { { .reserve_bytes = 3000 }, { .headroom_bytes = 2000 } }
    };
    struct weir_text why = { 0 };

    (void)state;
    assert_true(weir_buffer_check(&plan, 4, 2, &why));
    assert_int_equal(why.len, 0);
    plan.size_bytes = 19000;
    assert_false(weir_buffer_check(&plan, 4, 2, &why));
    assert_says(why.s, "19KB");
    assert_says(why.s, "4 ports");
    assert_says(why.s, "20KB");
    assert_says(why.s, "1000B");
    /* Only the first of two classes is in use. */
    assert_true(weir_buffer_check(&plan, 4, 1, &why));
}

static void
a_plan_past_64_bits_does_not_fit(void **state)
{
    struct weir_buffer_plan plan = { .size_bytes = 1000000,
                                     .classes = { { .reserve_bytes = UINT64_C(1) << 60 } } };
    struct weir_text why = { 0 };

    (void)state;
    assert_false(weir_buffer_check(&plan, 16, 1, &why));
}

/* The bytes that slot 0 can hold after slot 1 has taken all that it can get. */
static uint64_t
filled_late(const struct weir_buffer_plan *plan, uint32_t pkt_bytes)
{
    struct fixture f;

    start(&f, plan, 2, 1);
    while (admit(&f, 1, pkt_bytes) == WEIR_ADMITTED) {
    }
    while (admit(&f, 0, pkt_bytes) == WEIR_ADMITTED) {
    }
    return f.slots[0].in_bytes;
}

static void
room_is_what_one_can_count_on(void **state)
{
    const struct weir_buffer_plan plans[] = {
        { .size_bytes = 9000,
          .classes = { { .reserve_bytes = 1000, .limit_bytes = 2000, .headroom_bytes = 1500 } } },
        /* Nothing is guaranteed: another slot may have taken all. */
        { .size_bytes = 5000, .classes = { { .limit_bytes = 9000 } } },
        { .size_bytes = 5000, .classes = { { .reserve_bytes = 2000 } } },
        { .size_bytes = 9999, .classes = { { .headroom_bytes = 2000, .limit_bytes = 17 } } },
        /* The limits add up to 4000 B, of which 3000 B are in the partition. */
        { .size_bytes = 7000,
          .classes = { { .reserve_bytes = 1500, .limit_bytes = 2000, .partition_bytes = 3000 } } },
        { .size_bytes = 5000, .classes = { { .limit_bytes = 9000, .partition_bytes = 5000 } } },
    };
    const uint64_t rooms[] = { 4500, 0, 2000, 2017, 3500, 0 };

    (void)state;
    for (size_t i = 0; i < N_OF(plans); i++) {
        assert_int_equal(weir_buffer_room(&plans[i], 2, 1, 0, 0), rooms[i]);
        assert_int_equal(filled_late(&plans[i], 1), rooms[i]);
    }
}

/* Room that other classes of the port can use up is not guaranteed. */
static void
room_does_not_count_on_a_port_that_is_full(void **state)
{
    struct weir_buffer_plan plan = { .size_bytes = 100000, .port_limit_bytes = 5000 };

    (void)state;
    plan.classes[0] = (struct weir_buffer_class){ .reserve_bytes = 900, .limit_bytes = 2000 };
    plan.classes[1] = (struct weir_buffer_class){ .reserve_bytes = 300, .limit_bytes = 3000 };
    assert_int_equal(weir_buffer_room(&plan, 4, 2, 0, 0), 2900);
    assert_int_equal(weir_buffer_room(&plan, 4, 2, 0, 1), 3300);
    plan.port_limit_bytes--;
    assert_int_equal(weir_buffer_room(&plan, 4, 2, 0, 0), 900);
    assert_int_equal(weir_buffer_room(&plan, 4, 2, 3, 1), 300);
}

/* A dynamic limit leaves a late class an amount that depends on other classes, so none of it is
 * guaranteed. */
static void
room_does_not_count_on_a_dynamic_limit(void **state)
{
    const uint64_t alphas[] = { WEIR_RATIO_1 / 8, WEIR_RATIO_1, 4 * WEIR_RATIO_1 };

    (void)state;
    for (size_t i = 0; i < N_OF(alphas); i++) {
        struct weir_buffer_plan plan = {
            .size_bytes = 100000,
            .classes = { { .reserve_bytes = 900, .alpha = alphas[i], .headroom_bytes = 600 } }
        };
        assert_int_equal(weir_buffer_room(&plan, 2, 1, 0, 0), 1500);
        assert_true(filled_late(&plan, 300) >= 1500);
    }
}

static void
admissions_have_names(void **state)
{
    (void)state;
    for (int i = 0; i < WEIR_N_ADMISSIONS; i++) {
        assert_non_null(weir_admission_names[i]);
    }
    assert_string_equal(weir_admission_names[WEIR_ADMITTED], "admitted");
    assert_string_equal(weir_admission_names[WEIR_DROP_HEADROOM], "headroom");
}

/* Random events: after each one, all sums agree. */

enum { LAW_PORTS = 4, LAW_CLASSES = 3, MAX_HELD = 4000 };

static const struct weir_buffer_plan law_plans[] = {
    { .size_bytes = 200000,
      .classes = { { .reserve_bytes = 3000, .limit_bytes = 20000, .headroom_bytes = 9000 },
                   { .limit_bytes = 90000 },
                   { .reserve_bytes = 5000 } } },
    { .size_bytes = 150000,
      .classes = { { .reserve_bytes = 2000, .alpha = WEIR_RATIO_1, .headroom_bytes = 8000 },
                   { .alpha = WEIR_RATIO_1 / 4 },
                   { .alpha = 8 * WEIR_RATIO_1, .headroom_bytes = 1000 } } },
    { .size_bytes = 80000,
      .classes = { { .limit_bytes = 80000 }, { .alpha = 16 * WEIR_RATIO_1 } } },
    { .size_bytes = 150000,
      .classes = { { .reserve_bytes = 2000,
                     .partition_bytes = 20000,
                     .alpha = WEIR_RATIO_1,
                     .headroom_bytes = 3000 },
                   { .partition_bytes = 40000, .alpha = 4 * WEIR_RATIO_1 },
                   { .partition_bytes = 5000, .limit_bytes = 9000 } } },
};

static uint64_t
past_partition(const struct weir_buffer *b, uint32_t cls)
{
    uint64_t size = b->plan.classes[cls].partition_bytes, held = b->class_bytes[cls];
    return held > size ? held - size : 0;
}

static void
assert_balanced(const struct weir_buffer *b)
{
    uint64_t in = 0, out = 0, shared = 0, of_class[LAW_CLASSES] = { 0 };

    for (uint32_t slot = 0; slot < b->n_slots; slot++) {
        const struct weir_buffer_slot *s = &b->slots[slot];
        const struct weir_buffer_class *c = &b->plan.classes[slot % b->n_classes];
        assert_true(s->shared_bytes + s->headroom_bytes <= s->in_bytes);
        assert_true(s->in_bytes - s->shared_bytes - s->headroom_bytes <= c->reserve_bytes);
        assert_true(s->headroom_bytes <= c->headroom_bytes);
        assert_true(c->alpha || s->shared_bytes <= c->limit_bytes);
        in += s->in_bytes;
        out += s->out_bytes;
        of_class[slot % b->n_classes] += s->shared_bytes;
    }
    for (uint32_t cls = 0; cls < b->n_classes; cls++) {
        assert_int_equal(b->class_bytes[cls], of_class[cls]);
        shared += past_partition(b, cls);
    }
    assert_int_equal(b->used_bytes, in);
    assert_int_equal(b->used_bytes, out);
    assert_int_equal(b->shared_used_bytes, shared);
    assert_true(shared <= b->shared_size_bytes);
    assert_true(b->used_bytes <= b->plan.size_bytes);
}

struct held {
    uint32_t in_slot, out_slot, bytes;
};

static struct held
random_packet(uint64_t *random)
{
    uint32_t cls = (uint32_t)below(random, LAW_CLASSES);
    return (struct held){ .in_slot = (uint32_t)below(random, LAW_PORTS) * LAW_CLASSES + cls,
                          .out_slot = (uint32_t)below(random, LAW_PORTS) * LAW_CLASSES + cls,
                          .bytes = (uint32_t)(64 + below(random, 1437)) };
}

static void
walk(const struct weir_buffer_plan *plan, uint64_t random)
{
    static struct held held[MAX_HELD];
    uint32_t n_held = 0, n_drops = 0;
    struct fixture f;

    start(&f, plan, LAW_PORTS, LAW_CLASSES);
    for (int i = 0; i < 20000; i++) {
        bool filling = i / 2000 % 2 == 0;
        if (n_held < MAX_HELD && below(&random, 100) < (filling ? 60u : 40u)) {
            struct held p = random_packet(&random);
            if (weir_buffer_admit(&f.b, p.in_slot, p.out_slot, p.bytes) == WEIR_ADMITTED) {
                held[n_held++] = p;
            } else {
                n_drops++;
            }
        } else if (n_held) {
            struct held *p = &held[below(&random, n_held)];
            weir_buffer_release(&f.b, p->in_slot, p->out_slot, p->bytes);
            *p = held[--n_held];
        }
        assert_balanced(&f.b);
    }
    assert_true(n_drops > 100);
    while (n_held--) {
        weir_buffer_release(&f.b, held[n_held].in_slot, held[n_held].out_slot, held[n_held].bytes);
    }
    assert_balanced(&f.b);
    assert_int_equal(f.b.used_bytes, 0);
}

static void
books_balance_on_any_walk(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(law_plans); i++) {
        walk(&law_plans[i], 11 + i);
    }
}

/* A buffer plan with the same values at each port admits the same packets as a plan with these
 * values for all ports. */
static void
ports_that_are_alike_need_not_be_said(void **state)
{
    struct weir_buffer_plan plan = { .size_bytes = 200000 };
    struct weir_buffer_class ports[4 * 2];
    struct weir_buffer_slot slots[2][4 * 2];
    struct weir_buffer one, other;
    uint64_t random = 11;

    (void)state;
    plan.classes[0] = (struct weir_buffer_class){ 5000, 0, WEIR_RATIO_1 / 2, 7000, 0 };
    plan.classes[1] = (struct weir_buffer_class){ 3000, 20000, 0, 0, 0 };
    for (int i = 0; i < 4 * 2; i++) {
        ports[i] = plan.classes[i % 2];
    }
    weir_buffer_init(&one, &plan, 4, 2, slots[0]);
    assert_int_equal(weir_buffer_room(&plan, 4, 2, 3, 1), 3000);
    plan.ports = ports;
    weir_buffer_init(&other, &plan, 4, 2, slots[1]);
    assert_int_equal(weir_buffer_room(&plan, 4, 2, 3, 1), 3000);
    for (int i = 0; i < 2000; i++) {
        uint32_t in = (uint32_t)(weir_random(&random) % 8);
        uint32_t bytes = 64 + (uint32_t)(weir_random(&random) % 1437);
        assert_int_equal(weir_buffer_admit(&one, in, in ^ 2, bytes),
                         weir_buffer_admit(&other, in, in ^ 2, bytes));
        assert_int_equal(weir_buffer_threshold(&one, in), weir_buffer_threshold(&other, in));
    }
    assert_memory_equal(slots[0], slots[1], sizeof slots[0]);
}

/* Ports may get different amounts of memory; faster ones usually get more. */
static void
ports_may_differ(void **state)
{
    struct weir_buffer_class ports[] = { { 1000, 0, WEIR_RATIO_1, 2000, 0 },
                                         { 1000, 0, 2 * WEIR_RATIO_1, 8000, 0 } };
    struct weir_buffer_plan plan = { .size_bytes = 42000, .ports = ports };
    struct weir_buffer_slot slots[2];
    struct weir_text why = { 0 };
    struct weir_buffer b;

    (void)state;
    assert_true(weir_buffer_check(&plan, 2, 1, &why));
    weir_buffer_init(&b, &plan, 2, 1, slots);
    assert_int_equal(b.shared_size_bytes, 42000 - 2 * 1000 - 2000 - 8000);
    assert_int_equal(weir_buffer_threshold(&b, 0), 1000 + 30000);
    assert_int_equal(weir_buffer_room(&plan, 2, 1, 0, 0), 3000);
    assert_int_equal(weir_buffer_room(&plan, 2, 1, 1, 0), 9000);
    for (int i = 0; i < 16; i++) {
        assert_int_equal(weir_buffer_admit(&b, 0, 1, 1000), WEIR_ADMITTED);
    }
    assert_int_equal(weir_buffer_threshold(&b, 0), 1000 + 15000);
    assert_int_equal(weir_buffer_threshold(&b, 1), 1000 + 15000); /* Twice what is free is more. */
    plan.size_bytes = 11999;
    assert_false(weir_buffer_check(&plan, 2, 1, &why));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_input_buffer_holds_its_reserve),
        cmocka_unit_test(reserve_then_shared_then_headroom),
        cmocka_unit_test(a_packet_fills_one_part_after_the_other),
        cmocka_unit_test(headroom_empties_first_and_reserve_last),
        cmocka_unit_test(a_drop_changes_nothing),
        cmocka_unit_test(limits_may_promise_more_than_there_is),
        cmocka_unit_test(in_and_out_are_counted_apart),
        cmocka_unit_test(a_fixed_threshold_stays),
        cmocka_unit_test(a_dynamic_threshold_follows_what_is_free),
        cmocka_unit_test(classes_have_their_own_numbers),
        cmocka_unit_test(a_threshold_counts_the_partition_and_a_share),
        cmocka_unit_test(the_partition_is_filled_first_and_left_last),
        cmocka_unit_test(headroom_begins_at_a_dynamic_threshold),
        cmocka_unit_test(headroom_begins_at_a_fixed_threshold),
        cmocka_unit_test(a_plan_that_does_not_fit_says_by_how_much),
        cmocka_unit_test(a_plan_past_64_bits_does_not_fit),
        cmocka_unit_test(room_is_what_one_can_count_on),
        cmocka_unit_test(room_does_not_count_on_a_port_that_is_full),
        cmocka_unit_test(room_does_not_count_on_a_dynamic_limit),
        cmocka_unit_test(admissions_have_names),
        cmocka_unit_test(books_balance_on_any_walk),
        cmocka_unit_test(ports_that_are_alike_need_not_be_said),
        cmocka_unit_test(ports_may_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

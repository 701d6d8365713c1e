/* Frames: exact bytes, there and back, and no byte off a wire trusted. */

#include "unit.h"

enum { ROUNDS = 2000, CLASS_LEN = 22, CREDIT_LEN = 18, QUEUE_LEN = 18 };

static void
assert_bytes(const struct weir_frame *f, const uint8_t *bytes, size_t len)
{
    assert_int_equal(f->len, len);
    assert_memory_equal(f->bytes, bytes, len);
}

static struct weir_class_frame
random_class_frame(uint64_t *random)
{
    struct weir_class_frame c = { .opcode = (uint16_t)weir_random(random),
                                  .enable = (uint8_t)weir_random(random) };
    for (int i = 0; i < 8; i++) {
        c.values[i] = (uint16_t)weir_random(random);
    }
    return c;
}

static struct weir_credit_frame
random_credit_frame(uint64_t *random)
{
    return (struct weir_credit_frame){ .cls = (uint8_t)weir_random(random),
                                       .fctbs = (uint32_t)weir_random(random),
                                       .fccl = (uint32_t)weir_random(random),
                                       .free_blocks = (uint32_t)weir_random(random) };
}

static void
assert_same_classes(const struct weir_class_frame *a, const struct weir_class_frame *b)
{
    assert_int_equal(a->opcode, b->opcode);
    assert_int_equal(a->enable, b->enable);
    assert_memory_equal(a->values, b->values, sizeof a->values);
}

static void
assert_same_credits(const struct weir_credit_frame *a, const struct weir_credit_frame *b)
{
    assert_int_equal(a->cls, b->cls);
    assert_int_equal(a->fctbs, b->fctbs);
    assert_int_equal(a->fccl, b->fccl);
    assert_int_equal(a->free_blocks, b->free_blocks);
}

/* Exact bytes. */

static void
pfc_as_802_1q_has_it(void **state)
{
    const uint8_t bytes[] = { 0x88, 0x08, 0x01, 0x01, 0x00, 0x88, 0,    0,    0,    0, 0,
                              0,    0xff, 0xff, 0,    0,    0,    0x00, 0x00, 0x00, 0, 1 };
    struct weir_class_frame c = { .opcode = WEIR_OPCODE_PFC, .enable = 0x88 };
    struct weir_frame f;

    (void)state;
    c.values[3] = 0xffff;
    c.values[7] = 1;
    weir_class_frame_encode(&c, &f);
    assert_bytes(&f, bytes, sizeof bytes);
    assert_int_equal(weir_frame_id(&f), 0x88080101);
}

static void
stages_have_their_own_opcode(void **state)
{
    const uint8_t start[] = { 0x88, 0x08, 0x01, 0x02, 0x00, 0x01, 0x00, 0x10 };
    struct weir_class_frame c = { .opcode = WEIR_OPCODE_GFC, .enable = 1, .values = { 16 } };
    struct weir_frame f;

    (void)state;
    weir_class_frame_encode(&c, &f);
    assert_int_equal(f.len, CLASS_LEN);
    assert_memory_equal(f.bytes, start, sizeof start);
}

static void
credits_byte_by_byte(void **state)
{
    const uint8_t bytes[] = { 0x88, 0xb5, 0x00, 0x01, 0x05, 0x00, 0x01, 0x02, 0x03,
                              0x04, 0xa1, 0xa2, 0xa3, 0xa4, 0xff, 0xfe, 0xfd, 0xfc };
    struct weir_credit_frame c = {
        .cls = 5, .fctbs = 0x01020304, .fccl = 0xa1a2a3a4, .free_blocks = 0xfffefdfc
    };
    struct weir_frame f;

    (void)state;
    weir_credit_frame_encode(&c, &f);
    assert_bytes(&f, bytes, sizeof bytes);
}

static void
queues_byte_by_byte(void **state)
{
    const uint8_t bytes[] = { 0x88, 0xb5, 0x00, 0x02, 0x07, 0x00, 0x00, 0x0c, 0x35,
                              0x00, 0x00, 0x0b, 0x71, 0xb0, 0x00, 0x0f, 0x42, 0x40 };
    struct weir_queue_frame q = {
        .cls = 7, .queue_bytes = 800000, .b0_bytes = 750000, .bm_bytes = 1000000
    };
    struct weir_frame f;

    (void)state;
    weir_queue_frame_encode(&q, &f);
    assert_bytes(&f, bytes, sizeof bytes);
}

/* There and back. */

static void
class_frames_come_back(void **state)
{
    uint64_t random = 7;

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        struct weir_class_frame c = random_class_frame(&random), back;
        struct weir_frame f;
        weir_class_frame_encode(&c, &f);
        assert_true(weir_class_frame_decode(&f, &back));
        assert_same_classes(&c, &back);
    }
}

static void
credit_frames_come_back(void **state)
{
    uint64_t random = 8;

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        struct weir_credit_frame c = random_credit_frame(&random), back;
        struct weir_frame f;
        weir_credit_frame_encode(&c, &f);
        assert_true(weir_credit_frame_decode(&f, &back));
        assert_same_credits(&c, &back);
    }
}

static void
queue_frames_come_back(void **state)
{
    uint64_t random = 9;

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        struct weir_queue_frame q = { .cls = (uint8_t)weir_random(&random),
                                      .queue_bytes = (uint32_t)weir_random(&random),
                                      .b0_bytes = (uint32_t)weir_random(&random),
                                      .bm_bytes = (uint32_t)weir_random(&random) };
        struct weir_queue_frame back;
        struct weir_frame f;
        weir_queue_frame_encode(&q, &f);
        assert_true(weir_queue_frame_decode(&f, &back));
        assert_int_equal(back.cls, q.cls);
        assert_int_equal(back.queue_bytes, q.queue_bytes);
        assert_int_equal(back.b0_bytes, q.b0_bytes);
        assert_int_equal(back.bm_bytes, q.bm_bytes);
    }
}

/* Lengths. */

static bool
decodes_as_class(const struct weir_frame *f)
{
    struct weir_class_frame c;
    return weir_class_frame_decode(f, &c);
}

static bool
decodes_as_credit(const struct weir_frame *f)
{
    struct weir_credit_frame c;
    return weir_credit_frame_decode(f, &c);
}

static bool
decodes_as_queue(const struct weir_frame *f)
{
    struct weir_queue_frame q;
    return weir_queue_frame_decode(f, &q);
}

static const struct form {
    uint32_t id;
    uint8_t len;
    bool (*decodes)(const struct weir_frame *);
} forms[] = {
    { WEIR_FRAME_ID(WEIR_ETHERTYPE_MAC_CONTROL, WEIR_OPCODE_PFC), CLASS_LEN, decodes_as_class },
    { WEIR_FRAME_ID(WEIR_ETHERTYPE_EXPERIMENTAL, WEIR_SUBTYPE_CREDIT), CREDIT_LEN,
      decodes_as_credit },
    { WEIR_FRAME_ID(WEIR_ETHERTYPE_EXPERIMENTAL, WEIR_SUBTYPE_QUEUE), QUEUE_LEN, decodes_as_queue },
};

static struct weir_frame
frame_of(uint32_t id, uint8_t len)
{
    struct weir_frame f = { .len = len };
    for (int i = 0; i < 4; i++) {
        f.bytes[i] = (uint8_t)(id >> (24 - 8 * i));
    }
    return f;
}

static void
truncated_frames_are_refused_padded_ones_taken(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(forms); i++) {
        for (unsigned len = 0; len <= UINT8_MAX; len++) {
            struct weir_frame f = frame_of(forms[i].id, (uint8_t)len);
            bool whole = len >= forms[i].len && len <= WEIR_FRAME_MAX;
            assert_int_equal(forms[i].decodes(&f), whole);
        }
    }
}

static void
padding_changes_nothing(void **state)
{
    struct weir_credit_frame c = { .cls = 1, .fctbs = 2, .fccl = 3, .free_blocks = 4 }, back;
    struct weir_frame f;

    (void)state;
    weir_credit_frame_encode(&c, &f);
    memset(f.bytes + f.len, 0xee, WEIR_FRAME_MAX - f.len);
    f.len = WEIR_FRAME_MAX;
    assert_true(weir_credit_frame_decode(&f, &back));
    assert_same_credits(&c, &back);
}

static void
reserved_bytes_are_ignored(void **state)
{
    struct weir_class_frame c = { .opcode = WEIR_OPCODE_PFC, .enable = 0x0f }, back;
    struct weir_frame f;

    (void)state;
    weir_class_frame_encode(&c, &f);
    f.bytes[4] = 0xff;
    assert_true(weir_class_frame_decode(&f, &back));
    assert_same_classes(&c, &back);
}

static void
other_frames_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(forms); i++) {
        for (size_t k = 0; k < N_OF(forms); k++) {
            struct weir_frame f = frame_of(forms[k].id, WEIR_FRAME_MAX);
            assert_int_equal(forms[i].decodes(&f), i == k);
        }
        struct weir_frame ip = frame_of(0x08004500, WEIR_FRAME_MAX);
        assert_false(forms[i].decodes(&ip));
    }
}

static void
short_frames_have_no_id(void **state)
{
    struct weir_frame f = frame_of(0x88080101, 4);

    (void)state;
    assert_int_equal(weir_frame_id(&f), 0x88080101);
    for (f.len = 0; f.len < 4; f.len++) {
        assert_int_equal(weir_frame_id(&f), 0);
    }
}

/* Ethernet. */

static void
ethernet_has_the_address_that_no_bridge_forwards(void **state)
{
    const uint8_t start[] = { 0x01, 0x80, 0xc2, 0x00, 0x00, 0x01, 2, 4, 6, 8, 10, 12, 0x88, 0x08 };
    const uint8_t source[6] = { 2, 4, 6, 8, 10, 12 }, zeros[WEIR_ETHERNET_BYTES] = { 0 };
    uint8_t out[WEIR_ETHERNET_BYTES];
    struct weir_frame f = frame_of(0x88080101, CLASS_LEN);

    (void)state;
    memset(f.bytes + CLASS_LEN, 0xee, sizeof f.bytes - CLASS_LEN); /* No part of the frame. */
    memset(out, 0xee, sizeof out);
    weir_frame_to_ethernet(&f, source, out);
    assert_memory_equal(out, start, sizeof start);
    assert_memory_equal(out + 12, f.bytes, CLASS_LEN);
    assert_memory_equal(out + 12 + CLASS_LEN, zeros, sizeof out - 12 - CLASS_LEN);
}

static void
ethernet_comes_back(void **state)
{
    const uint8_t source[6] = { 0 };
    uint64_t random = 10;

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        struct weir_credit_frame c = random_credit_frame(&random), back;
        uint8_t bytes[WEIR_ETHERNET_BYTES];
        struct weir_frame f;
        weir_credit_frame_encode(&c, &f);
        weir_frame_to_ethernet(&f, source, bytes);
        assert_true(weir_frame_from_ethernet(bytes, sizeof bytes, &f));
        assert_int_equal(f.len, WEIR_FRAME_MAX);
        assert_true(weir_credit_frame_decode(&f, &back));
        assert_same_credits(&c, &back);
    }
}

static void
ethernet_of_any_length(void **state)
{
    uint8_t bytes[1500];
    struct weir_frame f;

    (void)state;
    memset(bytes, 0xab, sizeof bytes);
    for (size_t len = 0; len < 14; len++) {
        assert_false(weir_frame_from_ethernet(bytes, len, &f));
    }
    assert_true(weir_frame_from_ethernet(bytes, 14, &f));
    assert_int_equal(f.len, 2);
    assert_true(weir_frame_from_ethernet(bytes, sizeof bytes, &f));
    assert_int_equal(f.len, WEIR_FRAME_MAX);
    assert_memory_equal(f.bytes, bytes, WEIR_FRAME_MAX);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pfc_as_802_1q_has_it),
        cmocka_unit_test(stages_have_their_own_opcode),
        cmocka_unit_test(credits_byte_by_byte),
        cmocka_unit_test(queues_byte_by_byte),
        cmocka_unit_test(class_frames_come_back),
        cmocka_unit_test(credit_frames_come_back),
        cmocka_unit_test(queue_frames_come_back),
        cmocka_unit_test(truncated_frames_are_refused_padded_ones_taken),
        cmocka_unit_test(padding_changes_nothing),
        cmocka_unit_test(reserved_bytes_are_ignored),
        cmocka_unit_test(other_frames_are_refused),
        cmocka_unit_test(short_frames_have_no_id),
        cmocka_unit_test(ethernet_has_the_address_that_no_bridge_forwards),
        cmocka_unit_test(ethernet_comes_back),
        cmocka_unit_test(ethernet_of_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Frames: exact bytes, encoded and decoded, and no received byte is trusted. */

#include "unit.h"

enum {
    ROUNDS = 2000,
    CLASS_LEN = 22,
    FAFC_LEN = 38,
    CREDIT_LEN = 18,
    QUEUE_LEN = 18,
    DELIVERY_LEN = 14,
    CNM_LEN = 26
};

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

static struct weir_fafc_pause
random_fafc_pause(uint64_t *random)
{
    struct weir_fafc_pause p = { .opcode = (uint16_t)weir_random(random),
                                 .enable = (uint8_t)weir_random(random) };
    for (int i = 0; i < 8; i++) {
        p.pause_ns[i] = (uint32_t)weir_random(random);
    }
    return p;
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
assert_same_pauses(const struct weir_fafc_pause *a, const struct weir_fafc_pause *b)
{
    assert_int_equal(a->opcode, b->opcode);
    assert_int_equal(a->enable, b->enable);
    assert_memory_equal(a->pause_ns, b->pause_ns, sizeof a->pause_ns);
}

static void
assert_same_credits(const struct weir_credit_frame *a, const struct weir_credit_frame *b)
{
    assert_int_equal(a->cls, b->cls);
    assert_int_equal(a->fctbs, b->fctbs);
    assert_int_equal(a->fccl, b->fccl);
    assert_int_equal(a->free_blocks, b->free_blocks);
}

/* The exact bytes of frames. */

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
fafc_pauses_byte_by_byte(void **state)
{
    const uint8_t bytes[] = { 0x88, 0x08, 0x01, 0x03, 0x00, 0x82, 0,    0,   0, 0,
                              0x00, 0x00, 0x03, 0xe8, 0,    0,    0,    0,   0, 0,
                              0,    0,    0,    0,    0,    0,    0,    0,   0, 0,
                              0,    0,    0,    0,    0xff, 0xfe, 0xfd, 0xfc };
    struct weir_fafc_pause p = { .opcode = WEIR_OPCODE_FAFC, .enable = 0x82 };
    struct weir_frame f;

    (void)state;
    p.pause_ns[1] = 1000;
    p.pause_ns[7] = 0xfffefdfc;
    weir_fafc_pause_encode(&p, &f);
    assert_bytes(&f, bytes, sizeof bytes);
    assert_int_equal(weir_frame_id(&f), 0x88080103);
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

static void
deliveries_byte_by_byte(void **state)
{
    const uint8_t bytes[] = { 0x88, 0xb5, 0x00, 0x03, 0x01, 0x00, 0x00,
                              0x00, 0x00, 0x07, 0x00, 0x01, 0xe2, 0x40 };
    struct weir_delivery_frame d = { .kind = 1, .flow = 7, .sequence = 123456 }, back;
    struct weir_frame f;

    (void)state;
    weir_delivery_frame_encode(&d, &f);
    assert_bytes(&f, bytes, sizeof bytes);
    assert_true(weir_delivery_frame_decode(&f, &back));
    assert_true(back.kind == d.kind && back.flow == d.flow && back.sequence == d.sequence);
}

/* The queue is 100 KB over Qeq, and 6.4 KB shorter than at the last sample. */
static const uint8_t cnm_bytes[] = {
    0x22, 0xe7,                                     /* EtherType */
    0x00, 0x29,                                     /* version 0, feedback 41 */
    0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, /* CPID */
    0x06, 0x1a, 0xff, 0x9c,                         /* QOffset 1562, QDelta -100 */
    0xa0, 0x00,                                     /* priority 5 */
    0x02, 0x00, 0x5e, 0x10, 0x00, 0x07,             /* destination */
    0x00, 0x00,                                     /* nothing quoted */
};

static const struct weir_cnm cnm = {
    .quantised_fb = 41,
    .cpid = 0x0123456789abcdef,
    .q_offset = 1562,
    .q_delta = -100,
    .priority = 5,
    .destination = { 0x02, 0x00, 0x5e, 0x10, 0x00, 0x07 },
};

static void
assert_same_cnms(const struct weir_cnm *a, const struct weir_cnm *b)
{
    assert_int_equal(a->quantised_fb, b->quantised_fb);
    assert_int_equal(a->cpid, b->cpid);
    assert_int_equal(a->q_offset, b->q_offset);
    assert_int_equal(a->q_delta, b->q_delta);
    assert_int_equal(a->priority, b->priority);
    assert_memory_equal(a->destination, b->destination, sizeof a->destination);
    assert_int_equal(a->quoted_bytes, b->quoted_bytes);
}

static void
cnm_as_802_1qau_has_it(void **state)
{
    struct weir_frame f;

    (void)state;
    assert_int_equal(weir_cnm_units(100000), cnm.q_offset);
    assert_int_equal(weir_cnm_units(-6400), cnm.q_delta);
    weir_cnm_encode(&cnm, &f);
    assert_bytes(&f, cnm_bytes, sizeof cnm_bytes);
    assert_int_equal(weir_message_type(&f), 0x22e7);
}

static void
cnm_units_are_64_bytes_and_stay_in_range(void **state)
{
    static const struct {
        int64_t bytes;
        int16_t units;
    } cases[] = {
        { 0, 0 },
        { 63, 0 },
        { 64, 1 },
        { -63, 0 },
        { -64, -1 },
        { -129, -2 },
        { 32767 * 64 + 63, 32767 },
        { 32768 * 64, 32767 },
        { INT64_MAX, 32767 },
        { -32768 * 64, -32768 },
        { -32769 * 64, -32768 },
        { INT64_MIN, -32768 },
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        assert_int_equal(weir_cnm_units(cases[i].bytes), cases[i].units);
    }
}

/* Frames that are encoded and decoded are unchanged. */

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
fafc_pauses_come_back(void **state)
{
    uint64_t random = 12;

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        struct weir_fafc_pause p = random_fafc_pause(&random), back;
        struct weir_frame f;
        weir_fafc_pause_encode(&p, &f);
        assert_true(weir_fafc_pause_decode(&f, &back));
        assert_same_pauses(&p, &back);
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

static void
cnms_come_back(void **state)
{
    uint64_t random = 11;

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        struct weir_cnm m = { .quantised_fb = weir_random(&random) % 64,
                              .priority = weir_random(&random) % 8,
                              .cpid = weir_random(&random),
                              .q_offset = (int16_t)weir_random(&random),
                              .q_delta = (int16_t)weir_random(&random) };
        struct weir_cnm back;
        struct weir_frame f;
        m.destination[i % 6] = (uint8_t)i;
        weir_cnm_encode(&m, &f);
        assert_true(weir_cnm_decode(&f, &back));
        assert_same_cnms(&m, &back);
    }
}

/* A frame as an untrusted sender may form it: with or without a CN-TAG in front, with a claimed
 * length of the quoted packet, and with this number of bytes after the message. */
static struct weir_frame
strange_cnm(bool tagged, uint16_t says_quoted, uint8_t n_behind)
{
    static const uint8_t tag[] = { 0x22, 0xe9, 0x12, 0x34 };
    size_t before = tagged ? sizeof tag : 0;
    struct weir_frame f = { .len = (uint8_t)(before + CNM_LEN + n_behind) };

    memcpy(f.bytes, tag, before);
    memcpy(f.bytes + before, cnm_bytes, CNM_LEN);
    f.bytes[before + 24] = (uint8_t)(says_quoted >> 8);
    f.bytes[before + 25] = (uint8_t)says_quoted;
    return f;
}

static void
cnms_behind_a_tag(void **state)
{
    struct weir_frame f = strange_cnm(true, 0, 0);
    struct weir_cnm back;

    (void)state;
    assert_int_equal(weir_message_type(&f), 0x22e7);
    assert_true(weir_cnm_decode(&f, &back));
    assert_same_cnms(&cnm, &back);
    while (f.len--) {
        assert_false(weir_cnm_decode(&f, &back));
    }
}

static void
cnms_that_quote(void **state)
{
    static const struct {
        bool tagged;
        uint16_t says_quoted;
        uint8_t n_behind;
        bool is_taken;
    } cases[] = {
        { false, 0, 22, true }, /* The 22 bytes are padding. */
        { false, 10, 10, true },  { false, 10, 9, false },   { false, 22, 22, true },
        { false, 64, 22, true }, /* The frame ends before the quoted packet does. */
        { false, 64, 21, false }, { true, 64, 18, true },    { true, 64, 17, false },
        { false, 65, 22, false }, { false, 256, 22, false },
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct weir_frame f = strange_cnm(cases[i].tagged, cases[i].says_quoted, cases[i].n_behind);
        struct weir_cnm back;
        assert_int_equal(weir_cnm_decode(&f, &back), cases[i].is_taken);
        assert_true(!cases[i].is_taken || back.quoted_bytes == cases[i].says_quoted);
    }
}

static void
message_types_of_any_length(void **state)
{
    struct weir_frame f = strange_cnm(true, 0, 0);

    (void)state;
    for (f.len = 0; f.len < 8; f.len++) {
        uint16_t type = f.len >= 6 ? 0x22e7 : f.len >= 4 ? 0 : f.len >= 2 ? 0x22e9 : 0;
        assert_int_equal(weir_message_type(&f), type);
    }
}

/* Lengths of frames. */

static bool
decodes_as_class(const struct weir_frame *f)
{
    struct weir_class_frame c;
    return weir_class_frame_decode(f, &c);
}

static bool
decodes_as_fafc(const struct weir_frame *f)
{
    struct weir_fafc_pause p;
    return weir_fafc_pause_decode(f, &p);
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

static bool
decodes_as_delivery(const struct weir_frame *f)
{
    struct weir_delivery_frame d;
    return weir_delivery_frame_decode(f, &d);
}

static bool
decodes_as_cnm(const struct weir_frame *f)
{
    struct weir_cnm m;
    return weir_cnm_decode(f, &m);
}

static const struct form {
    uint32_t id;
    uint8_t len;
    bool (*decodes)(const struct weir_frame *);
} forms[] = {
    { WEIR_FRAME_ID(WEIR_ETHERTYPE_MAC_CONTROL, WEIR_OPCODE_PFC), CLASS_LEN, decodes_as_class },
    { WEIR_FRAME_ID(WEIR_ETHERTYPE_MAC_CONTROL, WEIR_OPCODE_FAFC), FAFC_LEN, decodes_as_fafc },
    { WEIR_FRAME_ID(WEIR_ETHERTYPE_EXPERIMENTAL, WEIR_SUBTYPE_CREDIT), CREDIT_LEN,
      decodes_as_credit },
    { WEIR_FRAME_ID(WEIR_ETHERTYPE_EXPERIMENTAL, WEIR_SUBTYPE_QUEUE), QUEUE_LEN, decodes_as_queue },
    { WEIR_FRAME_ID(WEIR_ETHERTYPE_EXPERIMENTAL, WEIR_SUBTYPE_DELIVERY), DELIVERY_LEN,
      decodes_as_delivery },
    { WEIR_FRAME_ID(WEIR_ETHERTYPE_CNM, 0), CNM_LEN, decodes_as_cnm },
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

/* A frame of a later version is read like one of this version, as 802.1Qau requires. */
static void
version_and_reserved_bits_of_cnms_are_ignored(void **state)
{
    struct weir_frame f = strange_cnm(false, 0, 0);
    struct weir_cnm back;

    (void)state;
    f.bytes[2] |= 0xff;
    f.bytes[3] |= 0xc0;
    f.bytes[16] |= 0x1f;
    f.bytes[17] |= 0xff;
    assert_true(weir_cnm_decode(&f, &back));
    assert_same_cnms(&cnm, &back);
}

/* Whether a decoder must refuse frames of the other kind.  Opcodes of MAC control are an engine's
 * parameter, so they were compared before. */
static bool
are_told_apart(uint32_t a, uint32_t b)
{
    bool both_mac_control =
        a >> 16 == WEIR_ETHERTYPE_MAC_CONTROL && b >> 16 == WEIR_ETHERTYPE_MAC_CONTROL;
    return a != b && !both_mac_control;
}

static void
other_frames_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(forms); i++) {
        for (size_t k = 0; k < N_OF(forms); k++) {
            struct weir_frame f = frame_of(forms[k].id, WEIR_FRAME_MAX);
            assert_int_equal(forms[i].decodes(&f), !are_told_apart(forms[i].id, forms[k].id));
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
    /* These bytes are no part of the frame. */
    memset(f.bytes + CLASS_LEN, 0xee, sizeof f.bytes - CLASS_LEN);
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
        cmocka_unit_test(fafc_pauses_byte_by_byte),
        cmocka_unit_test(credits_byte_by_byte),
        cmocka_unit_test(queues_byte_by_byte),
        cmocka_unit_test(cnm_as_802_1qau_has_it),
        cmocka_unit_test(cnm_units_are_64_bytes_and_stay_in_range),
        cmocka_unit_test(class_frames_come_back),
        cmocka_unit_test(fafc_pauses_come_back),
        cmocka_unit_test(credit_frames_come_back),
        cmocka_unit_test(queue_frames_come_back),
        cmocka_unit_test(deliveries_byte_by_byte),
        cmocka_unit_test(cnms_come_back),
        cmocka_unit_test(cnms_behind_a_tag),
        cmocka_unit_test(cnms_that_quote),
        cmocka_unit_test(message_types_of_any_length),
        cmocka_unit_test(truncated_frames_are_refused_padded_ones_taken),
        cmocka_unit_test(padding_changes_nothing),
        cmocka_unit_test(reserved_bytes_are_ignored),
        cmocka_unit_test(version_and_reserved_bits_of_cnms_are_ignored),
        cmocka_unit_test(other_frames_are_refused),
        cmocka_unit_test(short_frames_have_no_id),
        cmocka_unit_test(ethernet_has_the_address_that_no_bridge_forwards),
        cmocka_unit_test(ethernet_comes_back),
        cmocka_unit_test(ethernet_of_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

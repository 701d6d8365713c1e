/* Control frames and messages as real frames: they have the bytes of wire.h, and are read back
 * unchanged. Frames that no engine can have sent, or that are for no existing class, are
 * recognised. */

#include "../unit/unit.h"
#include "bed.h"
#include "packet/packet.h"

enum { N_CLASSES = 4 };

static struct bed bed;

static int
start(void **state)
{
    (void)state;
    bed_start(&bed);
    bed.net.n_classes = N_CLASSES;
    return 0;
}

static int
stop(void **state)
{
    (void)state;
    bed_stop(&bed);
    return 0;
}

static struct dp_parsed
read_exactly(const uint8_t *bytes, size_t len)
{
    struct dp_parsed read = { 0 };
    uint8_t *exact = malloc(len);

    memcpy(exact, bytes, len);
    dp_frame_read(&bed.net, exact, len, &read);
    free(exact);
    return read;
}

/* A frame of each kind that engines send to their peers. */
static struct weir_frame
frame_of_kind(size_t kind, uint32_t cls)
{
    struct weir_class_frame pfc = { WEIR_OPCODE_PFC, (uint8_t)(1 << cls), { 0 } };
    struct weir_class_frame gfc = { WEIR_OPCODE_GFC, (uint8_t)(1 << cls), { 0 } };
    struct weir_fafc_pause fafc = { WEIR_OPCODE_FAFC, (uint8_t)(1 << cls), { [1] = 1000000 } };
    struct weir_frame f = { 20, { 0x88, 0xb5, 0xff, 0x07, 1, 2, 3, [19] = 4 } };

    pfc.values[cls] = 65535;
    gfc.values[cls] = 3;
    switch (kind) {
    case 0:
        weir_class_frame_encode(&pfc, &f);
        break;
    case 1:
        weir_class_frame_encode(&gfc, &f);
        break;
    case 2:
        weir_fafc_pause_encode(&fafc, &f);
        break;
    case 3:
        weir_credit_frame_encode(&(struct weir_credit_frame){ (uint8_t)cls, 1, 2, 3 }, &f);
        break;
    case 4:
        weir_queue_frame_encode(&(struct weir_queue_frame){ (uint8_t)cls, 1, 2, 3 }, &f);
        break;
    }
    return f;
}

enum { N_OURS = 5, N_KINDS = 6 }; /* The last kind belongs to an engine that Weir does not have. */

static void
frames_come_back(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < N_KINDS; kind++) {
        struct sim_frame c = { .frame = frame_of_kind(kind, 1), .to = SIM_NONE };
        uint8_t bytes[WEIR_ETHERNET_BYTES], source[6], plain[WEIR_ETHERNET_BYTES];
        uint32_t port = bed.topo.nodes[2].first_port + 1;
        dp_frame_write_control(&bed.net, port, &c, bytes);
        packet_port_address(2, 1, source);
        weir_frame_to_ethernet(&c.frame, source, plain);
        assert_memory_equal(bytes, plain, sizeof plain);
        struct dp_parsed read = read_exactly(bytes, sizeof bytes);
        assert_int_equal(read.what, DP_CONTROL);
        assert_int_equal(read.control.to, SIM_NONE);
        assert_int_equal(read.control.frame.len, kind < N_OURS ? c.frame.len : WEIR_FRAME_MAX);
        assert_memory_equal(read.control.frame.bytes, c.frame.bytes, WEIR_FRAME_MAX);
    }
}

static enum dp_what
what_of(const struct weir_frame *f, size_t len)
{
    static const uint8_t source[6] = { 0x00, 0x1b, 0x21, 1, 2, 3 };
    uint8_t bytes[WEIR_ETHERNET_BYTES];

    weir_frame_to_ethernet(f, source, bytes);
    return read_exactly(bytes, len).what;
}

static void
short_frames_are_bad(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < N_KINDS; kind++) {
        struct weir_frame f = frame_of_kind(kind, 1);
        size_t needed = 12 + (kind < N_OURS ? f.len : 4);
        for (size_t len = 14; len < WEIR_ETHERNET_BYTES; len++) {
            assert_int_equal(what_of(&f, len), len < needed ? DP_BAD_CONTROL : DP_CONTROL);
        }
    }
}

/* One existing class is enough, because the engine looks at no others. */
static void
classes_must_be_there(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < N_OURS; kind++) {
        for (uint32_t cls = 0; cls < 8; cls++) {
            struct weir_frame f = frame_of_kind(kind, cls);
            assert_int_equal(what_of(&f, 60), cls < N_CLASSES ? DP_CONTROL : DP_BAD_CONTROL);
        }
    }
    struct weir_frame f = frame_of_kind(0, 7);
    f.bytes[5] |= 1;
    assert_int_equal(what_of(&f, 60), DP_CONTROL);
    f.bytes[5] = 0;
    assert_int_equal(what_of(&f, 60), DP_BAD_CONTROL);
}

static void
unknown_frames_are_bad(void **state)
{
    static const uint8_t ids[][4] = {
        { 0x88, 0x08, 0x00, 0x01 }, /* PAUSE, which is for all classes at once. */
        { 0x88, 0x08, 0x01, 0x04 }, /* An opcode that is not assigned. */
        { 0x88, 0xb5, 0x00, 0x03 }, /* A delivery message, which occurs only inside a fabric. */
        { 0x88, 0xb5, 0x00, 0x00 }, { 0x88, 0xb5, 0xfe, 0xff }, { 0x88, 0xb6, 0x00, 0x01 },
        { 0x81, 0x00, 0x00, 0x00 }, /* A control frame has no VLAN tag. */
    };

    (void)state;
    for (size_t i = 0; i < N_OF(ids); i++) {
        struct weir_frame f = { 22, { ids[i][0], ids[i][1], ids[i][2], ids[i][3], 0, 1 } };
        assert_int_equal(what_of(&f, 60), DP_BAD_CONTROL);
    }
}

/* By 802.3, 31B.3.1, a pause may also be sent to the address of the station itself. */
static void
addresses_decide(void **state)
{
    static const struct {
        uint8_t last, type[2];
        enum dp_what what;
    } cases[] = {
        { 0x00, { 0x00, 0x26 }, DP_FOREIGN }, /* The spanning tree protocol. */
        { 0x00, { 0x88, 0x08 }, DP_BAD_CONTROL },
        { 0x03, { 0x88, 0x8e }, DP_LINK_LOCAL }, /* Access control of ports. */
        { 0x02, { 0x88, 0x09 }, DP_LINK_LOCAL }, /* Link aggregation. */
        { 0x0e, { 0x88, 0xcc }, DP_LINK_LOCAL }, /* LLDP. */
        { 0x0f, { 0x08, 0x00 }, DP_LINK_LOCAL }, /* A reserved address. */
        /* Bridges forward frames to this address and above. */
        { 0x10, { 0x88, 0xcc }, DP_FOREIGN },
        { 0x0e,
          { 0x88, 0x08 },
          /* MAC control frames are not forwarded, whatever their destination is. */
          DP_BAD_CONTROL },
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        uint8_t bytes[60] = { 0x01, 0x80, 0xc2, 0, 0, cases[i].last, 0, 0x1b, 0x21, 1, 2, 3 };
        memcpy(bytes + 12, cases[i].type, 2);
        assert_int_equal(read_exactly(bytes, sizeof bytes).what, cases[i].what);
    }
    struct weir_frame f = frame_of_kind(0, 1);
    uint8_t bytes[60], own[6];
    packet_port_address(2, 1, own);
    weir_frame_to_ethernet(&f, own, bytes);
    memcpy(bytes, own, 6);
    assert_int_equal(read_exactly(bytes, sizeof bytes).what, DP_CONTROL);
}

/* Messages about flows. */

static struct sim_frame
a_message(bool is_tagged)
{
    struct sim_frame c = {
        .to = bed_nic(&bed, 7), .from = bed.topo.nodes[4].first_port + 3, .flow = 33, .n_hops = 5
    };
    struct weir_frame cnm;

    weir_cnm_encode(&(struct weir_cnm){ .quantised_fb = 40, .cpid = 77, .q_delta = -3 }, &cnm);
    if (!is_tagged) {
        c.frame = cnm;
        return c;
    }
    memcpy(c.frame.bytes, "\x22\xe9\x12\x34", 4);
    memcpy(c.frame.bytes + 4, cnm.bytes, cnm.len);
    c.frame.len = (uint8_t)(cnm.len + 4);
    return c;
}

static void
messages_come_back(void **state)
{
    (void)state;
    for (int is_tagged = 0; is_tagged < 2; is_tagged++) {
        struct sim_frame c = a_message(is_tagged);
        uint8_t bytes[WEIR_ETHERNET_BYTES];
        dp_frame_write_control(&bed.net, bed.topo.nodes[9].first_port, &c, bytes);
        struct dp_parsed read = read_exactly(bytes, sizeof bytes);
        assert_int_equal(read.what, DP_MESSAGE);
        assert_int_equal(read.control.to, c.to);
        assert_int_equal(read.control.from, c.from);
        assert_int_equal(read.control.flow, c.flow);
        assert_int_equal(read.control.n_hops, c.n_hops);
        assert_memory_equal(&read.control.frame, &c.frame, sizeof c.frame);
    }
}

/* A message of a foreign switch lacks Weir's note, so it is forwarded.  So is a long message of a
 * foreign engine, which leaves no room for the note. */
static void
messages_without_note_are_foreign(void **state)
{
    struct sim_frame c = a_message(false);
    uint8_t bytes[WEIR_ETHERNET_BYTES];

    (void)state;
    dp_frame_write_control(&bed.net, 0, &c, bytes);
    memset(bytes + PACKET_NOTE_AT, 0, sizeof bytes - PACKET_NOTE_AT);
    assert_int_equal(read_exactly(bytes, sizeof bytes).what, DP_FOREIGN);
    c.frame = (struct weir_frame){ 43, { 0x88, 0xb5, 0xff, 0x01, [42] = 9 } };
    dp_frame_write_control(&bed.net, 0, &c, bytes);
    assert_int_equal(bytes[PACKET_NOTE_AT], 9);
    assert_int_equal(read_exactly(bytes, sizeof bytes).what, DP_FOREIGN);
}

/* A message that names no node or flow of the model is bad; a frame to an address outside the model
 * is foreign. */
static void
messages_of_nobody_are_bad(void **state)
{
    static const struct {
        size_t at;
        uint8_t byte;
        enum dp_what what;
    } changes[] = {
        { 0, 0x04, DP_FOREIGN },     /* Not an address of the model. */
        { 2, 0x01, DP_FOREIGN },     /* No such node. */
        { 5, 0x01, DP_FOREIGN },     /* The node has no such port. */
        { 8, 0x01, DP_BAD_CONTROL }, /* Not sent by a node of the model. */
        { 11, 0x04, DP_BAD_CONTROL },
        { PACKET_NOTE_AT + 5, BED_FLOWS, DP_BAD_CONTROL }, /* For no flow of the model. */
    };
    struct sim_frame c = a_message(false);

    (void)state;
    for (size_t i = 0; i < N_OF(changes); i++) {
        uint8_t bytes[WEIR_ETHERNET_BYTES];
        dp_frame_write_control(&bed.net, 0, &c, bytes);
        bytes[changes[i].at] = changes[i].byte;
        assert_int_equal(read_exactly(bytes, sizeof bytes).what, changes[i].what);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_come_back),
        cmocka_unit_test(short_frames_are_bad),
        cmocka_unit_test(classes_must_be_there),
        cmocka_unit_test(unknown_frames_are_bad),
        cmocka_unit_test(addresses_decide),
        cmocka_unit_test(messages_come_back),
        cmocka_unit_test(messages_without_note_are_foreign),
        cmocka_unit_test(messages_of_nobody_are_bad),
    };
    return cmocka_run_group_tests(tests, start, stop);
}

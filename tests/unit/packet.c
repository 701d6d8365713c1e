/* Packets byte by byte, compared with one that a NIC has sent; checksums are compared with a simple
 * computation. */

#include <string.h>

#include "packet/packet.h"
#include "unit.h"

static const struct packet data = { .to = { 2, 0, 0, 0, 0, 1 },
                                    .from = { 2, 0, 0, 9, 0, 0 },
                                    .ip_from = 0x0a000001,
                                    .ip_to = 0x0a000203,
                                    .ip_id = 0x1234,
                                    .tos = 0x62,
                                    .ttl = 63,
                                    .udp_from = 0xc005,
                                    .opcode = PACKET_WRITE_MIDDLE,
                                    .qp = 0x010005,
                                    .psn = 0xabcdef,
                                    .bytes = 1500 };

/* The CRC of 802.3, bit by bit. */
static uint32_t
plain_crc(const uint8_t *bytes, uint32_t n)
{
    uint32_t crc = 0xffffffff;

    for (uint32_t i = 0; i < 8 * n; i++) {
        uint32_t bit = (crc ^ (uint32_t)(bytes[i / 8] >> i % 8)) & 1;
        crc = crc >> 1 ^ (bit ? 0xedb88320 : 0);
    }
    return ~crc;
}

static uint32_t
get16(const uint8_t *at)
{
    return (uint32_t)(at[0] << 8 | at[1]);
}

static uint32_t
get_crc(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* The ICRC covers the whole packet after a pseudo-header, with ones in place of fields that
 * change. */
static uint32_t
plain_icrc(const uint8_t *bytes, uint32_t icrc_at)
{
    static uint8_t seen[8 + PACKET_MAX_BYTES];
    static const uint8_t changing[] = { 15, 22, 24, 25, 40, 41, 46 };

    memset(seen, 0xff, 8);
    memcpy(seen + 8, bytes + 14, icrc_at - 14);
    for (size_t i = 0; i < sizeof changing; i++) {
        seen[8 + changing[i] - 14] = 0xff;
    }
    return plain_crc(seen, 8 + icrc_at - 14);
}

static uint8_t bytes[PACKET_MAX_BYTES];

static uint32_t
encode(const struct packet *p)
{
    memset(bytes, 0xee, sizeof bytes);
    return packet_encode(p, PACKET_MAX_BYTES, bytes);
}

/* A CNP as sent by a ConnectX-4 Lx, without Ethernet header and FCS.  The capture is among the
 * tests of Scapy. */
static void
a_cnp_is_what_a_nic_sends(void **state)
{
    static const uint8_t sent[] = {
        0x45, 0xc2, 0x00, 0x3c, 0x71, 0x8c, 0x40, 0x00, 0x40, 0x11, 0x91, 0x61, /* IPv4 */
        0x0a, 0x00, 0x11, 0x01, 0x0a, 0x00, 0x12, 0x01,                         /* */
        0x00, 0x00, 0x12, 0xb7, 0x00, 0x28, 0x00, 0x00,                         /* UDP */
        0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x01, 0x18, 0x00, 0x00, 0x00, 0x00, /* BTH */
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,                         /* reserved */
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,                         /* */
        0x82, 0xfd, 0x00, 0x2a,                                                 /* ICRC */
    };
    struct packet cnp = { .ip_from = 0x0a001101,
                          .ip_to = 0x0a001201,
                          .ip_id = 0x718c,
                          .tos = 0xc2,
                          .ttl = 64,
                          .opcode = PACKET_CNP,
                          .has_becn = true,
                          .qp = 0x118,
                          .bytes = 64 };

    (void)state;
    assert_int_equal(encode(&cnp), 14 + sizeof sent + 4);
    assert_memory_equal(bytes + 14, sent, sizeof sent);
}

static void
fields_stand_where_they_should(void **state)
{
    static const uint8_t headers[] = {
        0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0x00, 0x00, 0x09, 0x00, 0x00, 0x08, 0x00, /* */
        0x45, 0x62, 0x05, 0xc8, 0x12, 0x34, 0x40, 0x00, 0x3f, 0x11,                         /* */
    };
    static const uint8_t transport[] = {
        0xc0, 0x05, 0x12, 0xb7, 0x05, 0xb4, 0x00, 0x00,                         /* */
        0x07, 0x40, 0xff, 0xff, 0x00, 0x01, 0x00, 0x05, 0x00, 0xab, 0xcd, 0xef, /* */
        0x00, 0x00, 0x00, 0x00,                                                 /* */
    };
    uint32_t sum = 0;

    (void)state;
    assert_int_equal(encode(&data), 1500);
    assert_memory_equal(bytes, headers, sizeof headers);
    assert_memory_equal(bytes + 34, transport, sizeof transport);
    for (int i = 14; i < 34; i += 2) {
        sum += get16(bytes + i);
    }
    assert_int_equal((sum & 0xffff) + (sum >> 16), 0xffff);
}

/* Packets of every length.  A packet is as long as the simulator wants, but at least as long as its
 * headers.  Data are a multiple of four bytes.  Both checksums equal those of the simple
 * computation, over bytes of zero, too. */
static void
lengths_and_checks_are_right(void **state)
{
    (void)state;
    for (uint32_t wish = 1; wish <= 65535; wish += wish < 300 ? 1 : 1237) {
        struct packet p = data;
        p.bytes = wish;
        uint32_t length = encode(&p), ip_bytes = get16(bytes + 16), icrc_at = 14 + ip_bytes - 4;
        assert_int_equal(length, wish > 64 ? wish : 64);
        assert_int_equal(get16(bytes + 38), ip_bytes - 20);
        assert_int_equal((ip_bytes - 44) % 4, 0);
        assert_in_range(length - 4 - 14 - ip_bytes, 0, 3);
        assert_int_equal(get_crc(bytes + icrc_at), plain_icrc(bytes, icrc_at));
        assert_int_equal(get_crc(bytes + length - 4), plain_crc(bytes, length - 4));
    }
}

/* A mark, a hop or a notification does not change the ICRC; a packet number does. */
static void
routers_leave_the_icrc_alone(void **state)
{
    struct packet same = data, other = data;

    (void)state;
    encode(&data);
    uint32_t at = 14 + get16(bytes + 16) - 4, icrc = get_crc(bytes + at);
    same.tos = 0x63;
    same.ttl = 1;
    same.has_becn = true;
    encode(&same);
    assert_int_equal(bytes[46], 0x40);
    assert_int_equal(get_crc(bytes + at), icrc);
    other.psn++;
    encode(&other);
    assert_int_not_equal(get_crc(bytes + at), icrc);
}

/* The first packet of a message has the total length, and therefore less data. */
static void
a_message_begins_with_its_length(void **state)
{
    static const uint8_t reth[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x12, 0x34, 0x56, 0x78 };
    struct packet first = data;

    (void)state;
    first.data_bytes = 0x12345678;
    for (int is_unreliable = 0; is_unreliable < 2; is_unreliable++) {
        first.opcode = PACKET_WRITE_FIRST | (is_unreliable ? PACKET_UNRELIABLE : 0);
        first.bytes = 1500;
        assert_int_equal(encode(&first), 1500);
        assert_int_equal(bytes[42], is_unreliable ? 0x26 : 0x06);
        assert_memory_equal(bytes + 54, reth, sizeof reth);
        assert_int_equal(get_crc(bytes + 1490), plain_icrc(bytes, 1490));
        assert_int_equal(get_crc(bytes + 1496), plain_crc(bytes, 1496));
        first.bytes = 64;
        assert_int_equal(encode(&first), 78);
        assert_int_equal(packet_data_bytes(first.opcode, 78), 0);
        assert_int_equal(packet_data_bytes(first.opcode, 1500), 1420);
    }
    assert_int_equal(packet_data_bytes(PACKET_WRITE_MIDDLE, 1500), 1436);
    assert_int_equal(packet_data_bytes(PACKET_ACKNOWLEDGE, 1500), 0);
}

static void
acknowledgements_have_their_header(void **state)
{
    static const uint8_t aeth[] = { 0x60, 0x01, 0x02, 0x03 };
    struct packet ack = data;

    (void)state;
    ack.opcode = PACKET_ACKNOWLEDGE;
    ack.syndrome = PACKET_NAK_SEQUENCE;
    ack.n_messages = 0x010203;
    ack.bytes = 64;
    assert_int_equal(encode(&ack), 66);
    assert_memory_equal(bytes + 54, aeth, sizeof aeth);
    assert_int_equal(get_crc(bytes + 58), plain_icrc(bytes, 58));
    assert_int_equal(get_crc(bytes + 62), plain_crc(bytes, 62));
    ack.bytes = 80; /* An ACK of 80 bytes, longer than those of the simulator. */
    assert_int_equal(encode(&ack), 80);
    assert_int_equal(get16(bytes + 16), 48);
    assert_int_equal(get_crc(bytes + 76), plain_crc(bytes, 76));
}

/* If only the first part of a packet is kept, this part equals that of the whole packet. */
static void
a_part_is_part_of_the_whole(void **state)
{
    static uint8_t whole[PACKET_MAX_BYTES];
    struct packet p = data;

    (void)state;
    for (p.bytes = 60; p.bytes <= 120; p.bytes++) {
        uint32_t length = packet_encode(&p, PACKET_MAX_BYTES, whole);
        for (uint32_t n_kept = 64; n_kept <= length; n_kept++) {
            assert_int_equal(packet_encode(&p, n_kept, bytes), length);
            assert_memory_equal(bytes, whole, n_kept);
        }
    }
}

static void
frames_are_whole(void **state)
{
    static const uint8_t head[] = { 0x01, 0x80, 0xc2, 0x00, 0x00, 0x01, 2, 0, 0, 9, 0, 0, 0x88 };
    struct weir_frame f;

    (void)state;
    weir_class_frame_encode(&(struct weir_class_frame){ WEIR_OPCODE_PFC, 1, { 65535 } }, &f);
    memset(bytes, 0xee, sizeof bytes);
    assert_int_equal(packet_encode_frame(&f, data.from, bytes), 64);
    assert_memory_equal(bytes, head, sizeof head);
    assert_memory_equal(bytes + 12, f.bytes, f.len);
    assert_int_equal(get_crc(bytes + 60), plain_crc(bytes, 60));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cnp_is_what_a_nic_sends),
        cmocka_unit_test(fields_stand_where_they_should),
        cmocka_unit_test(lengths_and_checks_are_right),
        cmocka_unit_test(routers_leave_the_icrc_alone),
        cmocka_unit_test(a_message_begins_with_its_length),
        cmocka_unit_test(acknowledgements_have_their_header),
        cmocka_unit_test(a_part_is_part_of_the_whole),
        cmocka_unit_test(frames_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

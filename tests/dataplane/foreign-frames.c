/* Foreign frames: the switch reads their class, ECN and key behind any tags, and changes no more in
 * them than it must. */

#include "../unit/unit.h"
#include "bed.h"

static struct bed bed;

static int
start(void **state)
{
    (void)state;
    bed_start(&bed);
    return 0;
}

static int
stop(void **state)
{
    (void)state;
    bed_stop(&bed);
    return 0;
}

struct builder {
    uint8_t bytes[200];
    size_t len;
};

static void
add(struct builder *b, const void *bytes, size_t n)
{
    memcpy(b->bytes + b->len, bytes, n);
    b->len += n;
}

static struct builder
addressed(void)
{
    struct builder b = { .len = 0 };

    add(&b, "\x52\x54\x00\x00\x00\x01\x52\x54\x00\x00\x00\x02", 12);
    return b;
}

/* Adds a VLAN tag for network 0xf2a, with the bit that the frame may be dropped. */
static void
add_tag(struct builder *b, uint32_t type, uint32_t priority)
{
    add(b,
        (const uint8_t[]){ (uint8_t)(type >> 8), (uint8_t)type, (uint8_t)(priority << 5 | 0x1f),
                           0x2a },
        4);
}

static uint32_t
sum_of(const uint8_t *at, size_t n)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < n; i += 2) {
        sum += (uint32_t)(at[i] << 8 | at[i + 1]);
    }
    sum = (sum & 0xffff) + (sum >> 16);
    return (sum & 0xffff) + (sum >> 16);
}

/* Adds an IPv4 and a UDP header, from 10.1.1.1 to 10.1.1.'host', with 'n_options' words of
 * options. */
static void
add_ipv4(struct builder *b, uint8_t tos, uint8_t host, uint16_t port, uint8_t n_options)
{
    uint8_t ip[60] = { (uint8_t)(0x45 + n_options),
                       tos,
                       0,
                       48,
                       1,
                       2,
                       0x40,
                       0,
                       64,
                       17,
                       0,
                       0,
                       10,
                       1,
                       1,
                       1,
                       10,
                       1,
                       1,
                       host };
    size_t n = 20 + 4u * n_options;
    uint8_t udp[8] = { (uint8_t)(port >> 8), (uint8_t)port, 0x12, 0xb7, 0, 8 };

    memset(ip + 20, 1, n - 20);
    uint32_t checksum = ~sum_of(ip, n);
    ip[10] = (uint8_t)(checksum >> 8);
    ip[11] = (uint8_t)checksum;
    add(b, "\x08\x00", 2);
    add(b, ip, n);
    add(b, udp, sizeof udp);
}

static void
add_ipv6(struct builder *b, uint8_t tclass, uint8_t host, uint16_t port)
{
    uint8_t ip[40] = { (uint8_t)(0x60 | tclass >> 4),
                       (uint8_t)(tclass << 4),
                       0,
                       0,
                       0,
                       8,
                       17,
                       64,
                       [8] = 0xfd,
                       [23] = 1,
                       [24] = 0xfd,
                       [39] = host };
    uint8_t udp[8] = { (uint8_t)(port >> 8), (uint8_t)port, 0x12, 0xb7, 0, 8 };

    add(b, "\x86\xdd", 2);
    add(b, ip, sizeof ip);
    add(b, udp, sizeof udp);
}

static struct dp_parsed
read_exactly(const struct builder *b)
{
    struct dp_parsed read;
    uint8_t *exact = malloc(b->len);

    memset(&read, 0xaa, sizeof read);
    memcpy(exact, b->bytes, b->len);
    dp_frame_read(&bed.net, exact, b->len, &read);
    free(exact);
    assert_int_equal(read.what, DP_FOREIGN);
    assert_int_equal(read.to, 0x525400000001);
    assert_int_equal(read.from, 0x525400000002);
    assert_int_equal(read.meant_ps, WEIR_NEVER);
    assert_int_equal(read.packet.bytes, (b->len < 60 ? 60 : b->len) + 4);
    assert_int_equal(read.packet.kind, SIM_DATA);
    assert_int_equal(read.packet.n_hops, 0);
    return read;
}

static void
assert_class(const struct builder *b, uint8_t cls, enum weir_ecn ecn)
{
    struct dp_parsed read = read_exactly(b);

    assert_int_equal(read.packet.cls, cls);
    assert_int_equal(read.packet.ecn, ecn);
}

static void
dscp_says_the_class(void **state)
{
    static const enum weir_ecn ecns[4] = { WEIR_NOT_ECT, WEIR_ECT, WEIR_ECT, WEIR_CE };

    (void)state;
    for (unsigned tos = 0; tos < 256; tos++) {
        struct builder v4 = addressed(), options = addressed(), v6 = addressed();
        add_ipv4(&v4, (uint8_t)tos, 2, 5000, 0);
        add_ipv4(&options, (uint8_t)tos, 2, 5000, 10);
        add_ipv6(&v6, (uint8_t)tos, 2, 5000);
        assert_class(&v4, (uint8_t)(tos >> 5), ecns[tos & 3]);
        assert_class(&options, (uint8_t)(tos >> 5), ecns[tos & 3]);
        assert_class(&v6, (uint8_t)(tos >> 5), ecns[tos & 3]);
    }
}

/* The outermost tag gives the class on the link; ECN is found behind up to four tags. */
static void
a_priority_goes_before(void **state)
{
    static const uint16_t types[] = { 0x8100, 0x88a8, 0x9100 };

    (void)state;
    for (uint32_t priority = 0; priority < 8; priority++) {
        struct builder b = addressed();
        for (unsigned n_tags = 1; n_tags <= 6; n_tags++) {
            b.len = 12;
            for (unsigned i = 0; i < n_tags; i++) {
                add_tag(&b, types[(n_tags - i) % 3], i ? 7 - priority : priority);
            }
            add_ipv4(&b, 2 << 5 | 3, 2, 5000, 0);
            assert_class(&b, (uint8_t)priority, n_tags <= 4 ? WEIR_CE : WEIR_NOT_ECT);
        }
    }
}

static void
classes_that_are_not_there_are_the_first(void **state)
{
    struct builder v4 = addressed(), tagged = addressed();

    (void)state;
    bed.net.n_classes = 3;
    add_ipv4(&v4, 3 << 5, 2, 5000, 0);
    add_tag(&tagged, 0x8100, 7);
    add_ipv4(&tagged, 1 << 5, 2, 5000, 0);
    assert_class(&v4, 0, WEIR_NOT_ECT);
    assert_class(&tagged, 0, WEIR_NOT_ECT);
    bed.net.n_classes = BED_CLASSES;
}

static void
others_are_of_the_first_class(void **state)
{
    struct builder arp = addressed(), llc = addressed();

    (void)state;
    add(&arp, "\x08\x06\x00\x01\x08\x00\x06\x04\x00\x01", 10);
    arp.len = 42;
    add(&llc, "\x00\x03\xff\xff\xff", 5);
    assert_class(&arp, 0, WEIR_NOT_ECT);
    assert_class(&llc, 0, WEIR_NOT_ECT);
}

static void
headers_shorter_than_any_are_none(void **state)
{
    struct builder b = addressed();

    (void)state;
    add_ipv4(&b, 0xff, 2, 5000, 0);
    assert_class(&b, 7, WEIR_CE);
    b.bytes[14] = 0x44;
    assert_class(&b, 0, WEIR_NOT_ECT);
    b.bytes[14] = 0x55;
    assert_class(&b, 0, WEIR_NOT_ECT);
}

/* Bridges also forward frames that are cut off after their addresses. */
static void
cut_frames_are_read_as_far_as_they_go(void **state)
{
    (void)state;
    for (int is_v6 = 0; is_v6 < 2; is_v6++) {
        struct builder b = addressed();
        add_tag(&b, 0x88a8, 3);
        add_tag(&b, 0x8100, 5);
        if (is_v6) {
            add_ipv6(&b, 3, 2, 5000);
        } else {
            add_ipv4(&b, 3, 2, 5000, 2);
        }
        size_t ip_end = 12 + 8 + 2 + (is_v6 ? 40 : 20), whole = b.len;
        for (b.len = 14; b.len <= whole; b.len++) {
            assert_class(&b, b.len > 14 ? 3 : 0, b.len >= ip_end ? WEIR_CE : WEIR_NOT_ECT);
        }
    }
}

/* Keys, by which packets choose their paths. */

static uint32_t
key_of(bool is_v6, uint8_t host, uint16_t port)
{
    struct builder b = addressed();

    if (is_v6) {
        add_ipv6(&b, 0, host, port);
    } else {
        add_ipv4(&b, 0, host, port, 0);
    }
    return read_exactly(&b).key;
}

/* Each of four paths gets at least half of its share. */
static void
keys_are_spread(void **state)
{
    (void)state;
    for (int is_v6 = 0; is_v6 < 2; is_v6++) {
        unsigned n_ports[4] = { 0 }, n_hosts[4] = { 0 };
        for (unsigned i = 0; i < 256; i++) {
            assert_int_equal(key_of(is_v6, 2, (uint16_t)i), key_of(is_v6, 2, (uint16_t)i));
            n_ports[key_of(is_v6, 2, (uint16_t)i) % 4]++;
            n_hosts[key_of(is_v6, (uint8_t)i, 5000) % 4]++;
        }
        for (int i = 0; i < 4; i++) {
            assert_in_range(n_ports[i], 32, 128);
            assert_in_range(n_hosts[i], 32, 128);
        }
    }
}

/* All fragments of a packet take one path, although only the first one has ports. */
static void
fragments_have_one_key(void **state)
{
    uint32_t keys[2][2];

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct builder b = addressed();
        add_ipv4(&b, 0, 2, (uint16_t)(5000 + i / 2), 0);
        /* A fragment that others follow, or one at byte 1480. */
        b.bytes[14 + 6] = i % 2 ? 0x20 : 0x00;
        b.bytes[14 + 7] = i % 2 ? 0x00 : 0xb9;
        keys[i / 2][i % 2] = read_exactly(&b).key;
    }
    assert_int_equal(keys[0][0], keys[0][1]);
    assert_int_equal(keys[0][0], keys[1][1]);
}

/* Frames that the switch changes. */

static struct builder
rewritten(const struct builder *b, uint8_t cls, enum weir_ecn ecn)
{
    struct sim_packet p = read_exactly(b).packet;
    struct builder after = *b;

    p.cls = cls;
    p.ecn = ecn & 3u;
    p.n_hops = 9;
    dp_frame_rewrite_foreign(&bed.net, after.bytes, after.len, &p);
    return after;
}

static void
what_is_not_changed_stays(void **state)
{
    (void)state;
    for (unsigned tos = 0; tos < 256; tos++) {
        struct builder b = addressed();
        add_tag(&b, 0x8100, 6);
        add_ipv4(&b, (uint8_t)tos, 2, 5000, 0);
        struct sim_packet p = read_exactly(&b).packet;
        struct builder after = rewritten(&b, p.cls, p.ecn);
        assert_memory_equal(after.bytes, b.bytes, b.len);
    }
}

/* A packet with the priority of a class that the switch lacks keeps its priority. */
static void
a_priority_is_kept_for_others(void **state)
{
    struct builder b = addressed(), after;

    (void)state;
    bed.net.n_classes = 2;
    add_tag(&b, 0x8100, 6);
    add_ipv4(&b, 0, 2, 5000, 0);
    after = rewritten(&b, 0, WEIR_NOT_ECT);
    assert_memory_equal(after.bytes, b.bytes, b.len);
    after = rewritten(&b, 1, WEIR_NOT_ECT);
    b.bytes[14] = 1 << 5 | 0x1f;
    assert_memory_equal(after.bytes, b.bytes, b.len);
    bed.net.n_classes = BED_CLASSES;
}

static void
marks_are_written(void **state)
{
    (void)state;
    for (unsigned n_tags = 0; n_tags < 3; n_tags++) {
        for (unsigned tos = 0; tos < 256; tos++) {
            struct builder b = addressed(), wanted, after;
            for (unsigned i = 0; i < n_tags; i++) {
                add_tag(&b, 0x8100, 6);
            }
            wanted = b;
            add_ipv4(&b, (uint8_t)tos, 2, 5000, 3);
            add_ipv4(&wanted, (uint8_t)(tos & 3 ? tos | 3 : tos), 2, 5000, 3);
            after = rewritten(&b, n_tags ? 6 : (uint8_t)(tos >> 5), WEIR_CE);
            assert_memory_equal(after.bytes, wanted.bytes, b.len);
            b.len = wanted.len = 12 + 4 * n_tags;
            add_ipv6(&b, (uint8_t)tos, 2, 5000);
            add_ipv6(&wanted, (uint8_t)(tos & 3 ? tos | 3 : tos), 2, 5000);
            after = rewritten(&b, n_tags ? 6 : (uint8_t)(tos >> 5), WEIR_CE);
            assert_memory_equal(after.bytes, wanted.bytes, b.len);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dscp_says_the_class),
        cmocka_unit_test(a_priority_goes_before),
        cmocka_unit_test(classes_that_are_not_there_are_the_first),
        cmocka_unit_test(others_are_of_the_first_class),
        cmocka_unit_test(headers_shorter_than_any_are_none),
        cmocka_unit_test(cut_frames_are_read_as_far_as_they_go),
        cmocka_unit_test(keys_are_spread),
        cmocka_unit_test(fragments_have_one_key),
        cmocka_unit_test(what_is_not_changed_stays),
        cmocka_unit_test(a_priority_is_kept_for_others),
        cmocka_unit_test(marks_are_written),
    };
    return cmocka_run_group_tests(tests, start, stop);
}

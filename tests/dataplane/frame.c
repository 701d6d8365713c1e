/* Frames: a written frame is read back unchanged, a frame that a switch changed equals one that was
 * written with the new values, and invalid frames are recognised. */

#include "../unit/unit.h"
#include "bed.h"
#include "dataplane/frame-parts.h"
#include "packet/packet.h"

/* Packets of the model. */

static struct sim_packet
any_packet(const struct bed *bed, uint64_t *random)
{
    uint32_t flow = (uint32_t)below(random, bed->net.n_flows);
    uint32_t kind = (uint32_t)below(random, SIM_PROBE);
    const struct dp_flow_ends *f = &bed->net.flows[flow];

    return (struct sim_packet){
        .flow = flow,
        .sequence = (uint32_t)of_any_length(random),
        .dst = bed->topo.nodes[kind == SIM_DATA ? f->to : f->from].index & SIM_MAX_DST,
        .n_hops = weir_random(random) & 255u,
        .bytes = (uint16_t)(1 + below(random, below(random, 2) ? 100 : DP_MAX_LEN + 4)),
        .cls = (uint8_t)below(random, BED_CLASSES),
        .ecn = below(random, 3) & 3u,
        .kind = kind & 63u,
    };
}

/* Writes a packet into memory of exactly its length, so that sanitizers see accesses beyond it. */
static uint8_t *
written(const struct bed *bed, const struct sim_packet *p, weir_ps meant_ps)
{
    size_t len = dp_frame_len(p);
    uint8_t *bytes = malloc(len);

    memset(bytes, 0xee, len);
    dp_frame_write(&bed->net, p, meant_ps, bytes);
    return bytes;
}

static bool
has_meant(const struct sim_packet *p)
{
    return p->bytes >= (p->kind == SIM_DATA ? 72 : p->kind == SIM_CNP ? 86 : 74);
}

static void
packets_come_back(void **state)
{
    uint64_t random = 1;
    struct bed bed;

    (void)state;
    bed_start(&bed);
    for (int i = 0; i < 20000; i++) {
        struct sim_packet p = any_packet(&bed, &random);
        weir_ps meant_ps = (weir_ps)(of_any_length(&random) >> 1);
        uint8_t *bytes = written(&bed, &p, meant_ps);
        struct dp_parsed read;
        memset(&read, 0xaa, sizeof read);
        dp_frame_read(&bed.net, bytes, dp_frame_len(&p), &read);
        assert_int_equal(read.what, DP_PACKET);
        assert_memory_equal(&read.packet, &p, sizeof p);
        assert_int_equal(read.meant_ps, has_meant(&p) ? meant_ps : WEIR_NEVER);
        free(bytes);
    }
    bed_stop(&bed);
}

/* Times before the start are on no clock, so they are written as none. */
static void
times_before_the_start_are_none(void **state)
{
    struct sim_packet p = { .flow = 2, .bytes = 1500, .kind = SIM_DATA };
    struct dp_parsed read;
    struct bed bed;

    (void)state;
    bed_start(&bed);
    uint8_t *bytes = written(&bed, &p, -1);
    dp_frame_read(&bed.net, bytes, dp_frame_len(&p), &read);
    assert_int_equal(read.what, DP_PACKET);
    assert_int_equal(read.meant_ps, WEIR_NEVER);
    free(bytes);
    bed_stop(&bed);
}

/* The main property of checksums: a checksum that a switch updates equals that of a packet written
 * with the new values. */
static void
a_changed_packet_is_as_if_written_so(void **state)
{
    uint64_t random = 2;
    struct bed bed;

    (void)state;
    bed_start(&bed);
    for (int i = 0; i < 20000; i++) {
        struct sim_packet p = any_packet(&bed, &random), q = p;
        uint8_t *bytes = written(&bed, &p, 1), *wanted;
        q.cls = (uint8_t)below(&random, BED_CLASSES);
        q.ecn = below(&random, 3) & 3u;
        q.n_hops = weir_random(&random) & 255u;
        weir_ps meant_ps = (weir_ps)(weir_random(&random) >> 1);
        wanted = written(&bed, &q, meant_ps);
        q.sequence = 12345; /* A switch stores a handle in this member. */
        rewrite_packet(bytes, dp_frame_len(&p), &q, meant_ps);
        assert_memory_equal(bytes, wanted, dp_frame_len(&p));
        free(bytes);
        free(wanted);
    }
    bed_stop(&bed);
}

/* A network may have many more flows than a host has queue pairs. */
static void
flows_of_any_number_come_back(void **state)
{
    enum { N_FLOWS = (1 << 24) + 5 };
    struct sim_packet p = { .flow = N_FLOWS - 1, .bytes = 64, .kind = SIM_DATA };
    struct dp_flow_ends *flows = calloc(N_FLOWS, sizeof *flows);
    struct dp_parsed read;
    struct bed bed;

    (void)state;
    bed_start(&bed);
    flows[p.flow] = bed.flows[0];
    p.dst = bed.topo.nodes[flows[p.flow].to].index & SIM_MAX_DST;
    bed.net.flows = flows;
    bed.net.n_flows = N_FLOWS;
    uint8_t *bytes = written(&bed, &p, 0);
    dp_frame_read(&bed.net, bytes, dp_frame_len(&p), &read);
    assert_int_equal(read.what, DP_PACKET);
    assert_memory_equal(&read.packet, &p, sizeof p);
    free(bytes);
    free(flows);
    bed_stop(&bed);
}

/* Broken frames. */

static enum dp_what
what_of(const struct bed *bed, const uint8_t *bytes, size_t len)
{
    struct dp_parsed read;
    uint8_t *exact = malloc(len ? len : 1);

    memcpy(exact, bytes, len);
    dp_frame_read(&bed->net, exact, len, &read);
    free(exact);
    return read.what;
}

/* Replaces one byte of a packet of flow 1: a data packet of 1500 bytes, an ACK of 66 or a CNP of
 * 78. */
struct change {
    enum sim_packet_kind kind;
    size_t at;
    uint8_t byte;
    enum dp_what what;
};

static const struct change changes[] = {
    { SIM_DATA, 5, 0x01, DP_BAD_PACKET },       /* To another port. */
    { SIM_DATA, 3, 0x7f, DP_BAD_PACKET },       /* To another node. */
    { SIM_DATA, 0, 0x00, DP_BAD_PACKET },       /* To an address outside the model. */
    { SIM_DATA, 9, 0x7f, DP_BAD_PACKET },       /* From another node. */
    { SIM_DATA, 15, 5 << 5, DP_BAD_PACKET },    /* A class that does not exist. */
    { SIM_DATA, 16, 0x7f, DP_BAD_PACKET },      /* An IPv4 packet longer than the frame. */
    { SIM_DATA, 16, 0x00, DP_PACKET },          /* A shorter IPv4 packet with padding. */
    { SIM_ACK, 17, 0x2d, DP_BAD_PACKET },       /* An IPv4 packet too short for its headers. */
    { SIM_DATA, 18, 0x01, DP_BAD_PACKET },      /* Flow 2^24 + 1. */
    { SIM_DATA, 49, BED_FLOWS, DP_BAD_PACKET }, /* A flow after the last one. */
    { SIM_DATA, 47, 0x00, DP_BAD_PACKET },      /* A flow before the first one. */
    /* The first packet of a message, which Weir does not send. */
    { SIM_DATA, 42, 0x06, DP_BAD_PACKET },
    { SIM_DATA, 50, 0x01, DP_BAD_PACKET }, /* Longer than its header says, without need. */
    { SIM_DATA, 50, 0x80, DP_PACKET },     /* Asks for an ACK. */
    { SIM_ACK, 50, 0x02, DP_PACKET },      /* An ACK of 64 bytes in 66. */
    { SIM_ACK, 50, 0x41, DP_PACKET },      /* An ACK of one byte. */
    { SIM_ACK, 50, 0x42, DP_BAD_PACKET },  /* An ACK of no byte. */
    { SIM_ACK, 54, 0x20, DP_BAD_PACKET },  /* An RNR NAK. */
    { SIM_ACK, 54, 0xff, DP_BAD_PACKET },  /* A reserved syndrome. */
    { SIM_NACK, 46, 0x40, DP_BAD_PACKET }, /* A marked NACK. */
    { SIM_CNP, 46, 0x00, DP_BAD_PACKET },  /* A CNP that notifies of nothing. */
    { SIM_DATA, 12, 0x09, DP_FOREIGN },    /* Not IPv4. */
    { SIM_DATA, 14, 0x46, DP_FOREIGN },    /* IPv4 with options. */
    { SIM_DATA, 23, 6, DP_FOREIGN },       /* TCP. */
    { SIM_DATA, 37, 0, DP_FOREIGN },       /* Not RoCEv2. */
    { SIM_DATA, 45, 0x02, DP_FOREIGN },    /* Another partition. */
};

static void
broken_packets_are_known(void **state)
{
    struct bed bed;

    (void)state;
    bed_start(&bed);
    bed.net.n_classes = 4;
    for (size_t i = 0; i < N_OF(changes); i++) {
        const struct change *c = &changes[i];
        struct sim_packet p = { .flow = 1, .kind = c->kind & 63u };
        p.bytes = p.kind == SIM_DATA ? 1500 : p.kind == SIM_CNP ? 78 : 66;
        uint8_t *bytes = written(&bed, &p, 0);
        size_t len = dp_frame_len(&p);
        assert_int_equal(what_of(&bed, bytes, len), DP_PACKET);
        bytes[c->at] = c->byte;
        if (what_of(&bed, bytes, len) != c->what) {
            fail_msg("byte %zu is %02x: %s", c->at, c->byte,
                     dp_whats[what_of(&bed, bytes, len)].words);
        }
        free(bytes);
    }
    bed_stop(&bed);
}

/* Checks cut frames of each length.  A frame too short for its headers is one kind of bad; a longer
 * one is a shorter packet, whose padding is gone. */
static void
cut_packets_are_known(void **state)
{
    static const uint8_t kinds[] = { SIM_DATA, SIM_ACK, SIM_CNP };
    struct bed bed;

    (void)state;
    bed_start(&bed);
    for (size_t i = 0; i < N_OF(kinds); i++) {
        struct sim_packet p = { .flow = 3, .kind = kinds[i] & 63u, .bytes = 64 };
        uint8_t *bytes = written(&bed, &p, 0);
        for (size_t len = 0; len < dp_frame_len(&p); len++) {
            enum dp_what wanted = len < 14 ? DP_TOO_SHORT : len < 60 ? DP_FOREIGN : DP_BAD_PACKET;
            assert_int_equal(what_of(&bed, bytes, len), wanted);
        }
        free(bytes);
    }
    bed_stop(&bed);
}

static void
lengths_have_limits(void **state)
{
    static const uint8_t zeros[DP_MAX_LEN + 1];
    struct bed bed;

    (void)state;
    bed_start(&bed);
    assert_int_equal(what_of(&bed, zeros, 0), DP_TOO_SHORT);
    assert_int_equal(what_of(&bed, zeros, 13), DP_TOO_SHORT);
    assert_int_equal(what_of(&bed, zeros, 14), DP_FOREIGN);
    assert_int_equal(what_of(&bed, zeros, DP_MAX_LEN), DP_FOREIGN);
    assert_int_equal(what_of(&bed, zeros, DP_MAX_LEN + 1), DP_TOO_LONG);
    bed_stop(&bed);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_come_back),
        cmocka_unit_test(times_before_the_start_are_none),
        cmocka_unit_test(a_changed_packet_is_as_if_written_so),
        cmocka_unit_test(flows_of_any_number_come_back),
        cmocka_unit_test(broken_packets_are_known),
        cmocka_unit_test(cut_packets_are_known),
        cmocka_unit_test(lengths_have_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

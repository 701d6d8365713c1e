/* Writes one frame of each kind, and some invalid ones, for check-tshark to read back. */

#include <stdio.h>
#include <string.h>

#include "base/pcapng.h"
#include "weir/wire.h"

enum { ADDRESSES_BYTES = 12 };

/* After 2^32 ns, so that both halves of a time are used; the steps are not whole nanoseconds. */
#define FIRST_PS 5000000000000
#define STEP_PS  1001999

struct capture {
    struct pcapng file;
    struct err err;
    uint32_t interface;
    int64_t now_ps;
};

static void
add(struct capture *c, const struct weir_frame *f, uint32_t captured_bytes, uint32_t length_bytes,
    const char *comment)
{
    static const uint8_t source[6] = { 0x02, 0, 0, 0, 0, 0x2a };
    uint8_t bytes[WEIR_ETHERNET_BYTES];

    weir_frame_to_ethernet(f, source, bytes);
    struct pcapng_packet packet = {
        .interface = c->interface,
        .time_ns = c->now_ps / 1000,
        .bytes = bytes,
        .captured_bytes = captured_bytes,
        .length_bytes = length_bytes,
        .comment = comment,
    };
    pcapng_add_packet(&c->file, &packet, &c->err);
    c->now_ps += STEP_PS;
}

static void
add_whole(struct capture *c, const struct weir_frame *f, const char *comment)
{
    add(c, f, WEIR_ETHERNET_BYTES, WEIR_ETHERNET_BYTES, comment);
}

/* Adds a frame without padding, which no Ethernet port would send. */
static void
add_short(struct capture *c, const struct weir_frame *f, const char *comment)
{
    add(c, f, ADDRESSES_BYTES + f->len, ADDRESSES_BYTES + f->len, comment);
}

static void
add_mac_control(struct capture *c)
{
    struct weir_frame f;

    weir_class_frame_encode(
        &(struct weir_class_frame){ WEIR_OPCODE_PFC, 0x09, { [0] = 65535, [3] = 1 } }, &f);
    add_whole(c, &f, "pause");
    weir_class_frame_encode(&(struct weir_class_frame){ WEIR_OPCODE_PFC, 0x09, { 0 } }, &f);
    add_whole(c, &f, "resume");
    weir_class_frame_encode(
        &(struct weir_class_frame){ WEIR_OPCODE_GFC, 0x88, { [3] = 2, [5] = 9, [7] = 15 } }, &f);
    add_whole(c, &f, "stages; class 5 is not enabled");
    f = (struct weir_frame){ 6, { 0x88, 0x08, 0x00, 0x01, 0x01, 0x00 } };
    add_whole(c, &f, "plain PAUSE");
}

static void
add_experimental(struct capture *c)
{
    struct weir_frame f;

    weir_credit_frame_encode(&(struct weir_credit_frame){ 2, 4294967295, 15625, 120 }, &f);
    add_whole(c, &f, NULL);
    weir_queue_frame_encode(&(struct weir_queue_frame){ 5, 84000, 60000, 97000 }, &f);
    add_whole(c, &f, NULL);
    add(c, &f, ADDRESSES_BYTES + 8, WEIR_ETHERNET_BYTES, "capture cut inside the number");
    f = (struct weir_frame){ 5, { 0x88, 0xb5, 0x00, 0x7f, 0xaa } };
    add_whole(c, &f, "unknown subtype");
}

static void
add_broken(struct capture *c)
{
    struct weir_frame f;

    f = (struct weir_frame){ 17, { 0x88, 0xb5, 0x00, 0x01, 0x02 } };
    add_short(c, &f, "credit less a byte");
    f = (struct weir_frame){ 21, { 0x88, 0x08, 0x01, 0x02, 0x00, 0x80 } };
    add_short(c, &f, "stages less a byte");
    f = (struct weir_frame){ 3, { 0x88, 0xb5, 0x00 } };
    add_short(c, &f, "half a subtype");
}

/* Adds messages of 802.1Qau: plain, after a CN-TAG with a part of the packet, and invalid. */
static void
add_cnms(struct capture *c)
{
    static const uint8_t quoted[] = { 0x08, 0x00, 0x45, 0x00 };
    struct weir_frame f, tagged = { 0 };
    struct weir_cnm m = { .quantised_fb = 41,
                          .cpid = 0x0123456789abcdef,
                          .q_offset = 1562,
                          .q_delta = -100,
                          .priority = 5,
                          .destination = { 0x02, 0x00, 0x5e, 0x10, 0x00, 0x07 } };

    weir_cnm_encode(&m, &f);
    add_whole(c, &f, "notification");
    memcpy(tagged.bytes, (const uint8_t[]){ 0x22, 0xe9, 0x12, 0x34 }, 4);
    memcpy(tagged.bytes + 4, f.bytes, f.len);
    memcpy(tagged.bytes + 4 + f.len, quoted, sizeof quoted);
    tagged.bytes[4 + 25] = sizeof quoted;
    tagged.bytes[4 + 12] = 0xff; /* QOffset -230. */
    tagged.len = (uint8_t)(4 + f.len + sizeof quoted);
    add_short(c, &tagged, "notification behind a tag");
    f.bytes[25] = 64;
    add_whole(c, &f, "notification that quotes more than there is");
    f.len--;
    add_short(c, &f, "notification less a byte");
}

/* Adds frames of FAFC, which are MAC control, too. They come after all others, whose numbers stay
 * the same. */
static void
add_fafc(struct capture *c)
{
    struct weir_frame f;

    weir_fafc_pause_encode(&(struct weir_fafc_pause){ WEIR_OPCODE_FAFC,
                                                      0x82,
                                                      { [1] = 1000, [4] = 9, [7] = 4294967295 } },
                           &f);
    add_whole(c, &f, "pauses; class 4 is not enabled");
    f.bytes[5] = 0;
    add_whole(c, &f, "pause of no class");
    f.len--;
    add_short(c, &f, "pause less a byte");
}

/* Adds a message inside a fabric: a packet has entered its output. */
static void
add_delivery(struct capture *c)
{
    struct weir_frame f;

    weir_delivery_frame_encode(
        &(struct weir_delivery_frame){ .kind = 2, .flow = 70000, .sequence = 4294967295 }, &f);
    add_whole(c, &f, "delivery");
}

int
main(int argc, char **argv)
{
    struct capture c = { .now_ps = FIRST_PS };

    if (argc != 2) {
        fprintf(stderr, "usage: capture FILE\n");
        return 2;
    }
    if (!pcapng_open(&c.file, argv[1], &c.err)) {
        fprintf(stderr, "capture: %s\n", c.err.text);
        return 3;
    }
    pcapng_add_interface(&c.file, "switch1:0", 400000000000, &c.err);
    pcapng_add_interface(&c.file, "nic7", 25000000000, &c.err);
    add_mac_control(&c);
    c.interface = 1;
    add_experimental(&c);
    add_broken(&c);
    add_cnms(&c);
    add_delivery(&c);
    add_fafc(&c);
    if (!pcapng_close(&c.file, &c.err)) {
        fprintf(stderr, "capture: %s\n", c.err.text);
        return 3;
    }
    return 0;
}

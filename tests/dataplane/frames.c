/* Frames for check-others, which compares them with what other programs make and read.
 *
 *     frames write       a line for each frame that Weir writes: what it is, its bytes
 *     frames read        for each line of bytes, a line with what Weir reads in them
 *     frames mark        for each line, the bytes after a switch that marks all, in class 2
 *     frames capture F   the frames of 'write', as a capture */

#include <stdio.h>

#include "../unit/unit.h"
#include "base/pcapng.h"
#include "bed.h"

struct shown { /* A frame, and its description. */
    uint8_t bytes[DP_MAX_LEN];
    size_t len;
    char about[160];
};

typedef void shows(void *arg, const struct shown *);

static const char *const kinds[] = { "data", "ack",  "ack-marked", "nack",
                                     "cnp",  "sack", "sack-marked" };

static void
show_packet(const struct bed *bed, struct sim_packet p, shows *show, void *arg)
{
    struct shown s = { .len = dp_frame_len(&p) };
    const struct dp_flow_ends *f = &bed->flows[p.flow];
    uint32_t to = p.kind == SIM_DATA ? f->to : f->from, from = p.kind == SIM_DATA ? f->from : f->to;

    snprintf(s.about, sizeof s.about, "%s %u %u %u %u %u %u %u %u %u %u", kinds[p.kind], p.flow,
             p.sequence, p.bytes, p.cls, p.ecn, p.n_hops, from, to, bed->topo.nodes[from].index,
             bed->topo.nodes[to].index);
    dp_frame_write(&bed->net, &p, INT64_C(0x0102030405060708), s.bytes);
    show(arg, &s);
}

/* Frames of each kind, and of all lengths at which something changes. */
static void
show_packets(const struct bed *bed, shows *show, void *arg)
{
    static const uint16_t lengths[] = { 1,  40, 62, 64, 65, 66, 67, 68,  70,   71,
                                        72, 73, 74, 78, 85, 86, 87, 100, 1500, 9000 };

    for (uint32_t kind = 0; kind < SIM_PROBE; kind++) {
        for (uint32_t i = 0; i < N_OF(lengths); i++) {
            struct sim_packet p = { .flow = (7 * i + kind) % BED_FLOWS,
                                    .sequence = 1 + (i * 0x01234567u + kind) % 0x80000000u,
                                    .n_hops = (i * 12 + kind) & 255u,
                                    .bytes = lengths[i],
                                    .cls = (uint8_t)((i + kind) % BED_CLASSES),
                                    .ecn = i % 3 & 3u,
                                    .kind = kind & 63u };
            show_packet(bed, p, show, arg);
        }
    }
}

static void
show_control(const struct bed *bed, const struct weir_frame *f, const char *about, bool is_message,
             shows *show, void *arg)
{
    struct sim_frame c = { .frame = *f,
                           .to = is_message ? bed_nic(bed, 7) : SIM_NONE,
                           .from = bed->topo.nodes[4].first_port + 3,
                           .flow = 33,
                           .n_hops = 5 };
    struct shown s = { .len = WEIR_ETHERNET_BYTES };

    snprintf(s.about, sizeof s.about, "%s", about);
    dp_frame_write_control(&bed->net, bed->topo.nodes[2].first_port + 1, &c, s.bytes);
    show(arg, &s);
}

static void
show_controls(const struct bed *bed, shows *show, void *arg)
{
    struct weir_frame f;

    weir_class_frame_encode(
        &(struct weir_class_frame){ WEIR_OPCODE_PFC, 0x09, { [0] = 65535, [3] = 17 } }, &f);
    show_control(bed, &f, "pfc", false, show, arg);
    weir_class_frame_encode(&(struct weir_class_frame){ WEIR_OPCODE_GFC, 0x02, { [1] = 5 } }, &f);
    show_control(bed, &f, "gfc", false, show, arg);
    weir_fafc_pause_encode(&(struct weir_fafc_pause){ WEIR_OPCODE_FAFC, 0x02, { [1] = 4321 } }, &f);
    show_control(bed, &f, "fafc", false, show, arg);
    weir_credit_frame_encode(&(struct weir_credit_frame){ 2, 10, 20, 30 }, &f);
    show_control(bed, &f, "credit", false, show, arg);
    weir_queue_frame_encode(&(struct weir_queue_frame){ 2, 10, 20, 30 }, &f);
    show_control(bed, &f, "queue", false, show, arg);
    weir_cnm_encode(&(struct weir_cnm){ .quantised_fb = 40, .cpid = 77, .q_delta = -3 }, &f);
    show_control(bed, &f, "cnm", true, show, arg);
}

/* Output as lines. */

static void
print_bytes(const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        printf("%02x", bytes[i]);
    }
    printf("\n");
}

static void
print_shown(void *arg, const struct shown *s)
{
    (void)arg;
    printf("%s|", s->about);
    print_bytes(s->bytes, s->len);
}

static size_t
read_bytes(const char *line, uint8_t *bytes)
{
    size_t n = 0;
    unsigned byte;

    while (n < DP_MAX_LEN && sscanf(line + 2 * n, "%2x", &byte) == 1) {
        bytes[n++] = (uint8_t)byte;
    }
    return n;
}

static void
answer_lines(const struct bed *bed, bool is_marking)
{
    static char line[2 * DP_MAX_LEN + 2];
    static uint8_t bytes[DP_MAX_LEN];

    while (fgets(line, sizeof line, stdin)) {
        size_t len = read_bytes(line, bytes);
        struct dp_parsed p = { 0 };
        dp_frame_read(&bed->net, bytes, len, &p);
        if (is_marking) {
            p.packet.cls = 2;
            p.packet.ecn = WEIR_CE;
            dp_frame_rewrite_foreign(&bed->net, bytes, len, &p.packet);
            print_bytes(bytes, len);
        } else {
            printf("%s|%u|%u|%u|%u\n", dp_whats[p.what].words, p.packet.cls, p.packet.ecn,
                   p.packet.bytes, p.key);
        }
    }
}

/* Output as a capture. */

struct capture {
    struct pcapng file;
    struct err err;
    int64_t now_ps;
};

static void
capture_shown(void *arg, const struct shown *s)
{
    struct capture *c = arg;
    struct pcapng_packet packet = { .time_ns = c->now_ps / 1000,
                                    .bytes = s->bytes,
                                    .captured_bytes = (uint32_t)s->len,
                                    .length_bytes = (uint32_t)s->len,
                                    .comment = s->about };

    pcapng_add_packet(&c->file, &packet, &c->err);
    c->now_ps += 1000000;
}

static bool
write_capture(const struct bed *bed, const char *path)
{
    struct capture c = { 0 };

    if (!pcapng_open(&c.file, path, &c.err)) {
        return false;
    }
    pcapng_add_interface(&c.file, "S1", 1000000000, &c.err);
    show_packets(bed, capture_shown, &c);
    show_controls(bed, capture_shown, &c);
    return pcapng_close(&c.file, &c.err);
}

int
main(int argc, char **argv)
{
    const char *verb = argc > 1 ? argv[1] : "";
    bool good = true;
    struct bed bed;

    bed_start(&bed);
    if (!strcmp(verb, "write")) {
        show_packets(&bed, print_shown, NULL);
        show_controls(&bed, print_shown, NULL);
    } else if (!strcmp(verb, "read") || !strcmp(verb, "mark")) {
        answer_lines(&bed, !strcmp(verb, "mark"));
    } else {
        good = argc == 3 && !strcmp(verb, "capture") && write_capture(&bed, argv[2]);
    }
    bed_stop(&bed);
    return good ? 0 : 2;
}

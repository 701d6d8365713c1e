/* Tries any bytes as frames: they are counted or obeyed, and never cause a failed assert or an
 * access out of bounds.
 *
 * The input is a byte that chooses parameters, and a list of records: kind, port, length, bytes.  A
 * record is a frame for a node that runs ENGINE; it may arrive at a port that does not exist, or be
 * longer than any real frame. Or it is a message. To bring the node into all states, a record may
 * also be a packet, a due timer, a link that goes down and up, or a clock that leaps ahead or is
 * set back. Afterwards the state of the node must still be consistent.  With N_FLOWS the node is a
 * NIC with this number of flows, and receives messages for them.
 */

#include <assert.h>

#include "../rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifndef N_FLOWS
#define N_FLOWS 0
#endif

enum { N_PORTS = 3, MAX_TIMERS = 64, MAX_PACKETS = 512, STEP_PS = 1000000 };
#define LINE_BPS 10000000000

struct host {
    struct rig rig;
    weir_ps now, timers[MAX_TIMERS];
    struct weir_pkt
        packets[MAX_PACKETS]; /* Packets in the node; the packet that arrived last leaves first. */
    uint32_t n_packets;
};

static void
obey(struct host *h)
{
    for (uint32_t i = 0; i < h->rig.out->n; i++) {
        const struct weir_emit *e = &h->rig.out->emits[i];
        if (e->kind == WEIR_TIMER) {
            assert(e->key < h->rig.n_timers);
            assert(e->at >= h->now);
            h->timers[e->key] = e->at;
        } else if (e->kind == WEIR_GATE) {
            assert(e->key < h->rig.n_slots);
        } else if (e->kind == WEIR_SLOW) {
            assert(N_FLOWS && e->key < h->rig.n_slots && e->factor <= WEIR_RATIO_1);
        } else if (e->kind == WEIR_FLOW_RATE) {
            assert(e->key < N_FLOWS);
            assert(e->rate_bps == WEIR_UNLIMITED || (e->rate_bps && e->rate_bps < LINE_BPS));
        } else if (e->kind == WEIR_MESSAGE) {
            /* Messages have the lengths that arrive() sends. */
            assert(e->key < RIG_CLASSES && e->frame.len <= WEIR_FRAME_MAX);
        } else {
            assert(e->key < N_PORTS && e->frame.len >= 4 && e->frame.len <= WEIR_FRAME_MAX);
        }
    }
    h->rig.out->n = 0;
}

static uint32_t
in_slot(const struct host *h, const struct weir_pkt *pkt)
{
    return weir_slot(&h->rig.node.ctx, pkt->in_port, pkt->cls);
}

static uint32_t
out_slot(const struct host *h, const struct weir_pkt *pkt)
{
    return weir_slot(&h->rig.node.ctx, pkt->out_port, pkt->cls);
}

static void
arrive(struct host *h, uint8_t port, const uint8_t *bytes, size_t len)
{
    struct weir_pkt pkt = { .in_port = port,
                            .out_port = (uint16_t)((port + 1) % N_PORTS),
                            .cls = len ? bytes[0] % RIG_CLASSES : 0,
                            .ecn = WEIR_ECT,
                            .bytes = len > 2 ? 1 + (uint32_t)(bytes[1] << 8 | bytes[2]) : 1500 };

    pkt.cls = weir_class_here(&h->rig.node.ctx, pkt.in_port, pkt.cls);
    if (pkt.cls != WEIR_NO_CLASS && h->n_packets < MAX_PACKETS &&
        weir_buffer_admit(h->rig.buffer, in_slot(h, &pkt), out_slot(h, &pkt), pkt.bytes) ==
            WEIR_ADMITTED) {
        uint32_t in = in_slot(h, &pkt), out = out_slot(h, &pkt);
        pkt.flow = pkt.cls;
        pkt.unit = rig_add_unit(h->rig.buffer->index, in, out, &pkt);
        weir_node_arrived(&h->rig.node, h->now, &pkt);
        obey(h);
        pkt.output_unit = rig_add_unit(h->rig.buffer->output_index, out, out, &pkt);
        weir_node_queued(&h->rig.node, h->now, &pkt);
        obey(h);
        h->packets[h->n_packets++] = pkt;
    }
}

static void
depart(struct host *h)
{
    if (h->n_packets) {
        struct weir_pkt pkt = h->packets[--h->n_packets];
        weir_index_remove(h->rig.buffer->index, pkt.unit);
        weir_index_remove(h->rig.buffer->output_index, pkt.output_unit);
        weir_buffer_release(h->rig.buffer, in_slot(h, &pkt), out_slot(h, &pkt), pkt.bytes);
        weir_node_departed(&h->rig.node, h->now, &pkt);
        obey(h);
    }
}

/* Sends a packet of a flow at a NIC; does nothing at a switch. */
static void
send(struct host *h, uint8_t flow, const uint8_t *bytes, size_t len)
{
    struct weir_pkt pkt = { .in_port = flow % N_PORTS,
                            .out_port = flow % N_PORTS,
                            .flow = flow,
                            .bytes = len > 1 ? 1 + (uint32_t)(bytes[0] << 8 | bytes[1]) : 1500 };

    if (flow < N_FLOWS) {
        weir_node_sent(&h->rig.node, h->now, &pkt);
        obey(h);
    }
}

static void
fire_timers(struct host *h)
{
    for (uint32_t key = 0; key < h->rig.n_timers; key++) {
        if (h->timers[key] <= h->now) {
            h->timers[key] = WEIR_NEVER;
            weir_node_timer(&h->rig.node, h->now, key);
            obey(h);
        }
    }
}

/* A frame that claims up to 255 bytes, and holds as many of them as fit. */
static struct weir_frame
frame_of(const uint8_t *bytes, size_t len)
{
    struct weir_frame frame = { .len = (uint8_t)len };
    memcpy(frame.bytes, bytes, len < WEIR_FRAME_MAX ? len : WEIR_FRAME_MAX);
    return frame;
}

static void
hear(struct host *h, uint8_t port, const uint8_t *bytes, size_t len)
{
    struct weir_frame frame = frame_of(bytes, len);
    weir_node_frame(&h->rig.node, h->now, port, &frame);
    obey(h);
}

static void
hear_message(struct host *h, uint8_t flow, const uint8_t *bytes, size_t len)
{
    struct weir_frame frame = frame_of(bytes, len);
    weir_node_heard(&h->rig.node, h->now, flow, &frame);
    obey(h);
}

/* Reads up to eight bytes as a time. */
static weir_ps
time_of(const uint8_t *bytes, size_t len)
{
    uint64_t ps = 0;

    for (size_t i = 0; i < len && i < 8; i++) {
        ps = ps << 8 | bytes[i];
    }
    return (weir_ps)(ps >> 1);
}

/* Advances the clock to any later time, up to the maximum, or sets it back. */
static void
move_clock(struct host *h, bool back, weir_ps ps)
{
    if (!back) {
        h->now = ps < WEIR_NEVER - h->now ? h->now + ps : WEIR_NEVER - 1;
        return;
    }
    weir_ps by = ps % (h->now + 1);
    h->now -= by;
    weir_node_rebase(&h->rig.node, by);
    for (int i = 0; i < MAX_TIMERS; i++) {
        h->timers[i] = weir_rebased(h->timers[i], by);
    }
}

static void
play_record(struct host *h, uint8_t kind, uint8_t port, const uint8_t *bytes, size_t len)
{
    move_clock(h, false, STEP_PS * (kind >> 4));
    switch (kind & 7) {
    case 0:
        arrive(h, port % N_PORTS, bytes, len);
        break;
    case 1:
        depart(h);
        break;
    case 2:
        weir_node_link(&h->rig.node, h->now, port % N_PORTS, len & 1);
        obey(h);
        break;
    case 3:
        fire_timers(h);
        break;
    case 5:
        move_clock(h, port & 1, time_of(bytes, len));
        break;
    case 6:
        hear_message(h, port, bytes, len);
        break;
    case 7:
        send(h, port, bytes, len);
        break;
    default:
        hear(h, port, bytes, len);
    }
}

static void
check_sense(const struct host *h)
{
    for (uint32_t slot = 0; slot < h->rig.n_slots; slot++) {
        const struct weir_gate *g = &h->rig.node.ctx.gates[slot];
        assert(g->open_ps >= WEIR_LONG_AGO && g->next_ps >= WEIR_LONG_AGO);
        assert(g->grain_bytes && !(g->grain_bytes & (g->grain_bytes - 1)));
        assert(weir_gate_ready(g, h->now, 1500) >= h->now);
    }
}

/* The first byte of an input chooses unusual values of the engine's parameters. No two parameters
 * of an engine share a bit, except for those that must be set together. */
static void
choose_params(struct weir_stack *stack, uint8_t bits)
{
    static const char *const choices[][2] = {
        { "refresh", "20us" },   { "min_rate", "0bps" },     { "left", "sender" },
        { "quanta", "2" },       { "threshold", "dynamic" }, { "credit_bits", "16" },
        { "classes", "halved" }, { "classes", "quartered" }, { "install", "own" },
        { "extra", "no" },       { "min_rate", "1kbps" },    { "place", "output" },
        { "blame", "oldest" },   { "interval", "64B" },      { "th_e", "0" },
        { "decide", "dequeue" }, { "memory", "yes" },        { "floor", "0.5" },
        { "quanta", "yes" },     { "condition", "backlog" }, { "offset", "no" },
        { "slow", "no" },        { "th_p", "64B" }, /* This shares the bit of th_e. */
    };
    struct weir_text ignored = { 0 };

    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        if (bits >> i % 8 & 1) {
            weir_stack_set(stack, 0, choices[i][0], choices[i][1], &ignored);
        }
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct host host;
    struct host *h = &host;
    struct weir_stack stack = { 0 };

    if (!size) {
        return 0;
    }
    weir_stack_add(&stack, weir_engine_find(ENGINE));
    choose_params(&stack, data[0]);
    data++;
    size--;
    *h = (struct host){ .rig = N_FLOWS ? rig_start_nic(&stack, N_PORTS, LINE_BPS, N_FLOWS)
                                       : rig_start_stack(&stack, N_PORTS, LINE_BPS, 1000000) };
    assert(h->rig.n_timers <= MAX_TIMERS);
    for (int i = 0; i < MAX_TIMERS; i++) {
        h->timers[i] = WEIR_NEVER;
    }
    obey(h);
    while (size >= 3) {
        size_t len = data[2] < size - 3 ? data[2] : size - 3;
        play_record(h, data[0], data[1], data + 3, len);
        data += 3 + len;
        size -= 3 + len;
    }
    check_sense(h);
    rig_stop(&h->rig);
    return 0;
}

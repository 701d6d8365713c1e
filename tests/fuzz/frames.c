/* Any bytes as frames: counted or obeyed, never an assert, never out of bounds.
 *
 * The input is a list of records: kind, port, length, bytes.  A record is a frame for a node that
 * runs ENGINE, or, so that frames meet it in all its states, a packet, a timer that is due, or a
 * link that goes down and up.  Afterwards the node must still make sense. */

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "weir/node.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    N_PORTS = 3,
    N_CLASSES = 8,
    N_SLOTS = N_PORTS * N_CLASSES,
    MAX_TIMERS = 64,
    MAX_EMITS = 256
};
enum { STEP_PS = 1000000 };

struct host {
    struct weir_port ports[N_PORTS];
    struct weir_shape shape;
    struct weir_buffer buffer;
    struct weir_buffer_slot slots[N_SLOTS];
    struct weir_outbox out;
    struct weir_emit emits[MAX_EMITS];
    struct weir_node node;
    weir_ps now, timers[MAX_TIMERS];
    uint32_t n_timers;
    void *memory;
};

static void
obey(struct host *h)
{
    for (uint32_t i = 0; i < h->out.n; i++) {
        const struct weir_emit *e = &h->out.emits[i];
        if (e->kind == WEIR_TIMER) {
            assert(e->key < h->n_timers);
            assert(e->at >= h->now);
            h->timers[e->key] = e->at;
        } else if (e->kind == WEIR_GATE) {
            assert(e->key < N_SLOTS);
        } else {
            assert(e->key < N_PORTS && e->frame.len >= 4 && e->frame.len <= WEIR_FRAME_MAX);
        }
    }
}

static void
set_up(struct host *h)
{
    struct weir_stack stack = { 0 };
    struct weir_needs needs;
    struct weir_text said = { 0 };

    for (int i = 0; i < N_PORTS; i++) {
        h->ports[i] = (struct weir_port){ 10000000000, 1000000 };
    }
    h->shape = (struct weir_shape){ .ports = h->ports,
                                    .n_ports = N_PORTS,
                                    .n_classes = N_CLASSES,
                                    .lossless = 0x7f,
                                    .mtu_bytes = 1500,
                                    .response_ps = 3000000 };
    for (int c = 0; c < N_CLASSES; c++) {
        h->shape.buffer.classes[c].reserve_bytes = 1000000;
    }
    h->shape.buffer.size_bytes = N_SLOTS * 1000000;
    weir_stack_add(&stack, weir_engine_find(ENGINE));
    bool fits = weir_stack_resolve(&stack, &h->shape, &needs, &said);
    assert(fits && needs.n_timers <= MAX_TIMERS && needs.max_emits <= MAX_EMITS);
    (void)fits;
    h->n_timers = needs.n_timers;
    for (int i = 0; i < MAX_TIMERS; i++) {
        h->timers[i] = WEIR_NEVER;
    }
    h->out = (struct weir_outbox){ .emits = h->emits, .max = needs.max_emits };
    h->memory = aligned_alloc(WEIR_MEMORY_ALIGN, needs.state_bytes);
    weir_buffer_init(&h->buffer, &h->shape.buffer, N_PORTS, N_CLASSES, h->slots);
    weir_node_init(&h->node, &stack, &h->shape, &h->buffer, &h->out, h->memory, 0);
    obey(h);
}

static void
move_packet(struct host *h, uint8_t port, const uint8_t *bytes, size_t len, bool in)
{
    struct weir_pkt pkt = { .in_port = port,
                            .out_port = (uint16_t)((port + 1) % N_PORTS),
                            .cls = len ? bytes[0] % N_CLASSES : 0,
                            .ecn = WEIR_ECT,
                            .bytes = len > 2 ? 1 + (uint32_t)(bytes[1] << 8 | bytes[2]) : 1500 };
    uint32_t in_slot = weir_slot(&h->node.ctx, pkt.in_port, pkt.cls);
    uint32_t out_slot = weir_slot(&h->node.ctx, pkt.out_port, pkt.cls);

    if (in && weir_buffer_admit(&h->buffer, in_slot, out_slot, pkt.bytes) == WEIR_ADMITTED) {
        weir_node_arrived(&h->node, h->now, &pkt);
        obey(h);
    } else if (!in && h->slots[in_slot].in_bytes == pkt.bytes) {
        weir_buffer_release(&h->buffer, in_slot, out_slot, pkt.bytes);
        weir_node_departed(&h->node, h->now, &pkt);
        obey(h);
    }
}

static void
fire_timers(struct host *h)
{
    for (uint32_t key = 0; key < h->n_timers; key++) {
        if (h->timers[key] <= h->now) {
            h->timers[key] = WEIR_NEVER;
            weir_node_timer(&h->node, h->now, key);
            obey(h);
        }
    }
}

static void
hear(struct host *h, uint8_t port, const uint8_t *bytes, size_t len)
{
    struct weir_frame frame = { .len = (uint8_t)(len < WEIR_FRAME_MAX ? len : WEIR_FRAME_MAX) };
    memcpy(frame.bytes, bytes, frame.len);
    weir_node_frame(&h->node, h->now, port, &frame);
    obey(h);
}

static void
play_record(struct host *h, uint8_t kind, uint8_t port, const uint8_t *bytes, size_t len)
{
    h->now += STEP_PS * (kind >> 4);
    switch (kind & 7) {
    case 0:
        move_packet(h, port, bytes, len, true);
        break;
    case 1:
        move_packet(h, port, bytes, len, false);
        break;
    case 2:
        weir_node_link(&h->node, h->now, port, len & 1);
        obey(h);
        break;
    case 3:
        fire_timers(h);
        break;
    default:
        hear(h, port, bytes, len);
    }
}

static void
check_sense(const struct host *h)
{
    for (uint32_t slot = 0; slot < N_SLOTS; slot++) {
        const struct weir_gate *g = &h->node.ctx.gates[slot];
        assert(g->open_ps >= 0 && g->next_ps >= 0);
        assert(g->grain_bytes && !(g->grain_bytes & (g->grain_bytes - 1)));
        assert(weir_gate_ready(g, h->now, 1500) >= h->now);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct host *h = calloc(1, sizeof *h);

    set_up(h);
    while (size >= 3) {
        size_t len = data[2] < size - 3 ? data[2] : size - 3;
        play_record(h, data[0], data[1] % N_PORTS, data + 3, len);
        data += 3 + len;
        size -= 3 + len;
    }
    check_sense(h);
    free(h->memory);
    free(h);
    return 0;
}

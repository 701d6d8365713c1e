/* A custom engine outside of Weir's tree: it needs only the installed headers and library.
 *
 *     cc own-engine.c -o own-engine $(pkg-config --cflags --libs weir)
 *
 * `doorbell` stops its peer when a queue reaches a length, and lets it continue when the queue is
 * empty, by its own frames.  An engine is a descriptor, so it can be put into a stack without a
 * registry.  The host below has two nodes and a link without delay: one node sends as its gate
 * allows, the other has a queue that drains at half that rate. */

#include <stdio.h>
#include <stdlib.h>

#include <weir/node.h>

/* The engine: its parameters, state, tables, steps and hooks. */

#define FRAME_ID WEIR_FRAME_ID(WEIR_ETHERTYPE_EXPERIMENTAL, 0xff01)

struct params {
    uint64_t stop_bytes; /* Every parameter is a uint64_t. */
};

struct doorbell {
    struct params p;
    uint64_t n_stops, n_bad_frames;
    bool shut[]; /* Indexed by port and class. The state is plain bytes without pointers. */
};

static const struct weir_field param_fields[] = {
    WEIR_FIELD(struct params, stop_bytes, "stop", WEIR_BYTES, .fallback = 30000, .min = 64,
               .max = WEIR_MAX_BYTES, .help = "Queue length at which the peer is stopped.",
               .source = "-"),
    { 0 },
};

static const struct weir_field counter_fields[] = {
    WEIR_FIELD(struct doorbell, n_stops, "stops", WEIR_COUNT,
               .help = "Times that a peer was stopped."),
    WEIR_FIELD(struct doorbell, n_bad_frames, "bad_frames", WEIR_COUNT,
               .help = "Invalid frames that were ignored."),
    { 0 },
};

static void
ring(struct doorbell *s, struct weir_ctx *ctx, uint32_t slot, bool shut)
{
    struct weir_frame *f = weir_send(ctx, weir_slot_port(ctx, slot));

    *f = (struct weir_frame){ .len = 6, .bytes = { 0x88, 0xb5, 0xff, 0x01 } };
    f->bytes[4] = weir_slot_class(ctx, slot);
    f->bytes[5] = shut;
    s->shut[slot] = shut;
    s->n_stops += shut;
}

static void
doorbell_moved(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    struct doorbell *s = state;
    uint32_t slot = weir_slot(ctx, pkt->in_port, pkt->cls);
    uint64_t queue = ctx->buffer->slots[slot].in_bytes;

    if (s->shut[slot] ? queue == 0 : queue >= s->p.stop_bytes) {
        ring(s, ctx, slot, !s->shut[slot]);
    }
}

static void
doorbell_frame(void *state, struct weir_ctx *ctx, uint16_t port, const struct weir_frame *f)
{
    struct doorbell *s = state;

    if (f->len < 6 || f->bytes[4] >= ctx->shape->n_classes || f->bytes[5] > 1) {
        s->n_bad_frames++; /* Bytes from a link are never trusted. */
        return;
    }
    weir_set_open(ctx, weir_slot(ctx, port, f->bytes[4]), f->bytes[5] ? WEIR_NEVER : ctx->now);
}

static bool
doorbell_check(const struct weir_shape *shape, const void *params, struct weir_needs *needs,
               struct weir_text *text)
{
    const struct params *p = params;

    if (p->stop_bytes > weir_shape_room_bytes(shape)) {
        weir_text_add(text, "%P is %B; the buffer of a class at a port is only %B", "stop",
                      p->stop_bytes, weir_shape_room_bytes(shape));
        return false;
    }
    *needs = (struct weir_needs){ .state_bytes = sizeof(struct doorbell) + weir_n_slots(shape),
                                  .max_emits = 2,
                                  .frame_id = FRAME_ID };
    return true;
}

static void
doorbell_init(void *state, struct weir_ctx *ctx, const void *params)
{
    struct doorbell *s = state;

    (void)ctx;
    s->p = *(const struct params *)params;
}

static const struct weir_engine doorbell = {
    .about = { .name = "doorbell",
               .title = "Stops a peer at a threshold until the queue is empty, an example",
               .source = "-",
               .params = param_fields,
               .params_bytes = sizeof(struct params) },
    .limits = WEIR_LIMIT_OPEN,
    .counters = counter_fields,
    .check = doorbell_check,
    .init = doorbell_init,
    .arrived = doorbell_moved,
    .departed = doorbell_moved,
    .frame = doorbell_frame,
};

/* The host: two nodes with one port and one class. */

enum { MTU = 1500, BUFFER = 100000, SLOT_PS = 1200000 /* An MTU at 10 Gb/s. */ };

struct host {
    struct weir_shape shape;
    struct weir_port port;
    struct weir_buffer_slot slot;
    struct weir_buffer buffer;
    struct weir_outbox out;
    struct weir_node node;
    void *memory;
};

static bool
set_up(struct host *h, const char *stop)
{
    struct weir_stack stack = { 0 };
    struct weir_needs needs;
    struct weir_text text = { 0 };

    h->port = (struct weir_port){ .rate_bps = 10000000000, .cable_ps = 0 };
    h->shape = (struct weir_shape){
        .ports = &h->port, .n_ports = 1, .n_classes = 1, .lossless = 1, .mtu_bytes = MTU
    };
    h->shape.buffer.size_bytes = BUFFER;
    h->shape.buffer.classes[0].reserve_bytes = BUFFER;
    if (!weir_stack_add(&stack, &doorbell) || !weir_stack_set(&stack, 0, "stop", stop, &text) ||
        !weir_stack_resolve(&stack, &h->shape, &needs, &text)) {
        printf("%s\n", text.s);
        return false;
    }
    h->out = (struct weir_outbox){ .emits = malloc(needs.max_emits * sizeof *h->out.emits),
                                   .max = needs.max_emits };
    h->memory = aligned_alloc(WEIR_MEMORY_ALIGN, (needs.state_bytes + WEIR_MEMORY_ALIGN - 1) /
                                                     WEIR_MEMORY_ALIGN * WEIR_MEMORY_ALIGN);
    weir_buffer_init(&h->buffer, &h->shape.buffer, 1, 1, &h->slot);
    weir_node_init(&h->node, &stack, &h->shape, &h->buffer, &h->out, h->memory, 0);
    return true;
}

/* Executes the outputs of a node; its frames reach the other node at once. */
static void
obey(struct host *from, struct host *to, weir_ps now)
{
    for (uint32_t i = 0; i < from->out.n; i++) {
        const struct weir_emit *e = &from->out.emits[i];
        if (e->kind == WEIR_FRAME) {
            printf("%5.1f us  %s at %u bytes\n", (double)now / 1e6,
                   e->frame.bytes[5] ? "stop" : "go", (unsigned)from->slot.in_bytes);
            weir_node_frame(&to->node, now, 0, &e->frame);
            /* Outputs of opened gates are ignored, because the sender checks its gate before it
             * sends. */
            to->out.n = 0;
        }
    }
    from->out.n = 0;
}

static void
run_node(struct host *sender, struct host *receiver)
{
    struct weir_gate *gate = &sender->node.ctx.gates[0];
    struct weir_pkt pkt = { .bytes = MTU };

    for (weir_ps now = 0; now < 100 * SLOT_PS; now += SLOT_PS) {
        if (weir_gate_ready(gate, now, MTU) <= now) {
            weir_gate_sent(gate, now, MTU);
            weir_buffer_admit(&receiver->buffer, 0, 0, MTU);
            weir_node_arrived(&receiver->node, now, &pkt);
            obey(receiver, sender, now);
        }
        if (now / SLOT_PS % 2 && receiver->slot.in_bytes) {
            weir_buffer_release(&receiver->buffer, 0, 0, MTU);
            weir_node_departed(&receiver->node, now, &pkt);
            obey(receiver, sender, now);
        }
    }
}

int
main(void)
{
    struct host sender = { 0 }, receiver = { 0 };

    set_up(&sender, "200KB"); /* This is refused, with the reason. */
    if (!set_up(&sender, "30KB") || !set_up(&receiver, "30KB")) {
        return 1;
    }
    run_node(&sender, &receiver);
    printf("%u packets sent, %u bytes wait\n",
           (unsigned)(sender.node.ctx.gates[0].sent_bytes / MTU), (unsigned)receiver.slot.in_bytes);
    free(sender.memory);
    free(sender.out.emits);
    free(receiver.memory);
    free(receiver.out.emits);
    return 0;
}

/* Functions that engines call: to add their answers to the outbox, and to read the shape of their
 * node. */

#include <assert.h>
#include <string.h>

#include "by-port.h"

static struct weir_emit *
emit(struct weir_ctx *ctx, enum weir_emit_kind kind, uint32_t key)
{
    assert(ctx->out->n < ctx->out->max);
    struct weir_emit *e = &ctx->out->emits[ctx->out->n++];
    e->kind = kind;
    e->key = key;
    return e;
}

struct weir_frame *
weir_send(struct weir_ctx *ctx, uint16_t port)
{
    assert(port < ctx->shape->n_ports);
    return &emit(ctx, WEIR_FRAME, port)->frame;
}

void
weir_set_timer(struct weir_ctx *ctx, uint32_t key, weir_ps at)
{
    emit(ctx, WEIR_TIMER, ctx->first_key + key)->at = at;
}

void
weir_set_open(struct weir_ctx *ctx, uint32_t slot, weir_ps open_ps)
{
    assert(slot < weir_n_slots(ctx->shape) && open_ps >= 0);
    ctx->gates[slot].open_ps = open_ps;
    emit(ctx, WEIR_GATE, slot);
}

void
weir_set_rate(struct weir_ctx *ctx, uint32_t slot, uint64_t rate_bps)
{
    assert(slot < weir_n_slots(ctx->shape));
    weir_gate_set_rate(&ctx->gates[slot], rate_bps);
    emit(ctx, WEIR_GATE, slot);
}

void
weir_hold_rate(struct weir_ctx *ctx, uint32_t slot, weir_ps until_ps)
{
    assert(slot < weir_n_slots(ctx->shape) && until_ps >= ctx->now);
    weir_gate_hold(&ctx->gates[slot], until_ps);
    emit(ctx, WEIR_GATE, slot);
}

void
weir_set_limit(struct weir_ctx *ctx, uint32_t slot, uint64_t limit_bytes)
{
    assert(slot < weir_n_slots(ctx->shape));
    ctx->gates[slot].limit_bytes = limit_bytes;
    emit(ctx, WEIR_GATE, slot);
}

void
weir_restart_credit(struct weir_ctx *ctx, uint32_t slot, uint32_t grain_bytes, uint64_t limit_bytes)
{
    assert(slot < weir_n_slots(ctx->shape));
    assert(grain_bytes && !(grain_bytes & (grain_bytes - 1)));
    ctx->gates[slot].grain_bytes = grain_bytes;
    ctx->gates[slot].sent_bytes = 0;
    weir_set_limit(ctx, slot, limit_bytes);
}

/* The trip wire of the node, which trips if the wire of any engine trips. */
static struct weir_trip
widest_trip(const struct weir_ctx *ctx, uint32_t slot)
{
    struct weir_trip all = { .from_bytes = UINT64_MAX, .over_bytes = UINT64_MAX };

    for (uint32_t i = 1; i <= ctx->n_layers; i++) {
        const struct weir_trip *one = &ctx->trips[i * weir_n_slots(ctx->shape) + slot];
        all.from_bytes = one->from_bytes < all.from_bytes ? one->from_bytes : all.from_bytes;
        all.under_bytes = one->under_bytes > all.under_bytes ? one->under_bytes : all.under_bytes;
        all.over_bytes = one->over_bytes < all.over_bytes ? one->over_bytes : all.over_bytes;
    }
    return all;
}

static uint64_t
calm_bytes(const struct weir_ctx *ctx, uint32_t slot, uint64_t from_bytes)
{
    uint64_t reserve =
        weir_shape_class(ctx->shape, weir_slot_port(ctx, slot), weir_slot_class(ctx, slot))
            ->reserve_bytes;

    return from_bytes <= reserve ? from_bytes : reserve + 1;
}

/* The trip wire of this engine; if it is the only engine, the wire of the node. */
static struct weir_trip *
own_trip(struct weir_ctx *ctx, uint32_t slot)
{
    uint32_t first = ctx->n_layers > 1 ? (1 + ctx->layer) * weir_n_slots(ctx->shape) : 0;

    assert(slot < weir_n_slots(ctx->shape));
    return &ctx->trips[first + slot];
}

static void
settle_trip(struct weir_ctx *ctx, uint32_t slot)
{
    struct weir_trip *trip = &ctx->trips[slot];

    if (ctx->n_layers > 1) {
        *trip = widest_trip(ctx, slot);
    }
    trip->calm_bytes = calm_bytes(ctx, slot, trip->from_bytes);
}

void
weir_set_trip(struct weir_ctx *ctx, uint32_t slot, uint64_t from_bytes, uint64_t under_bytes)
{
    own_trip(ctx, slot)->from_bytes = from_bytes;
    own_trip(ctx, slot)->under_bytes = under_bytes;
    settle_trip(ctx, slot);
}

void
weir_set_output_trip(struct weir_ctx *ctx, uint32_t slot, uint64_t over_bytes)
{
    own_trip(ctx, slot)->over_bytes = over_bytes;
    settle_trip(ctx, slot);
}

struct weir_frame *
weir_send_to_source(struct weir_ctx *ctx, uint32_t flow, uint16_t port, uint8_t cls)
{
    assert(port < ctx->shape->n_ports && cls < ctx->shape->n_classes);
    struct weir_emit *e = emit(ctx, WEIR_MESSAGE, flow);
    e->port = port;
    e->cls = cls;
    return &e->frame;
}

void
weir_limit_flow(struct weir_ctx *ctx, uint32_t flow, uint64_t rate_bps)
{
    assert(flow < ctx->shape->n_flows);
    emit(ctx, WEIR_FLOW_RATE, flow)->rate_bps = rate_bps;
}

void
weir_slow_flows(struct weir_ctx *ctx, uint32_t slot, uint64_t factor)
{
    assert(slot < weir_n_slots(ctx->shape) && factor <= WEIR_RATIO_1);
    emit(ctx, WEIR_SLOW, slot)->factor = factor;
}

uint64_t
weir_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* The link of a port. The result is equal at both ends of a link, so that receiver and sender
 * derive the same values from it. */
struct weir_link
weir_shape_link(const struct weir_shape *shape, uint16_t port)
{
    assert(port < shape->n_ports);
    const struct weir_port *p = &shape->ports[port];
    weir_ps here = p->response_ps > shape->response_ps ? p->response_ps : shape->response_ps;
    return (struct weir_link){ .rate_bps = p->rate_bps,
                               .cable_ps = p->cable_ps,
                               .response_ps =
                                   here > p->peer_response_ps ? here : p->peer_response_ps,
                               .mtu_bytes = shape->mtu_bytes,
                               .gap_bytes = shape->gap_bytes,
                               .n_classes = weir_n_lossless(shape) };
}

uint64_t
weir_shape_worst_bytes(const struct weir_shape *shape, uint64_t (*need)(const struct weir_link *))
{
    uint64_t worst = 0;
    WEIR_EACH_PORT (shape, port) {
        struct weir_link link = weir_shape_link(shape, port);
        uint64_t bytes = need(&link);
        worst = bytes > worst ? bytes : worst;
    }
    return worst;
}

uint64_t
weir_shape_room_at(const struct weir_shape *shape, uint16_t port)
{
    uint64_t least = UINT64_MAX;
    WEIR_EACH_LOSSLESS(shape, cls)
    {
        uint64_t room =
            weir_buffer_room(&shape->buffer, shape->n_ports, shape->n_classes, port, cls);
        least = room < least ? room : least;
    }
    return least == UINT64_MAX ? WEIR_MAX_BYTES : least; /* No class is lossless. */
}

/* The bytes that a single queue can hold at a port, as the minimum over lossless classes. */
static uint64_t
alone_at(const struct weir_shape *shape, uint16_t port)
{
    uint64_t least = WEIR_MAX_BYTES;

    WEIR_EACH_LOSSLESS(shape, cls)
    {
        uint64_t here =
            weir_buffer_alone(&shape->buffer, shape->n_ports, shape->n_classes, port, cls);
        least = here < least ? here : least;
    }
    return least;
}

uint64_t
weir_shape_scaled_bytes(const struct weir_shape *shape, uint64_t bytes, uint64_t base_bps)
{
    uint16_t port = weir_port_from(shape, 0);
    uint64_t rate = shape->ports[port].rate_bps;

    if (rate <= base_bps) {
        return bytes;
    }
    uint64_t scaled = weir_mul_div(bytes, rate, base_bps), most = alone_at(shape, port) / 2;
    scaled = scaled < most ? scaled : most;
    return scaled > bytes ? scaled : bytes;
}

uint64_t
weir_shape_room_bytes(const struct weir_shape *shape)
{
    uint64_t least = UINT64_MAX;

    WEIR_EACH_PORT (shape, port) {
        uint64_t room = weir_shape_room_at(shape, port);
        least = room < least ? room : least;
        if (!shape->buffer.ports) { /* All ports are equal, so one is enough. */
            break;
        }
    }
    return least;
}
